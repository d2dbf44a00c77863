#!/usr/bin/python3
"""The docs: their Markdown becomes HTML, every link of the site leads somewhere, and the commands of the tutorial and of the
how-to pages run as they stand there, in an empty folder that has only scenes/ and papers/ of the project."""
import csv
import html.parser
import math
import os
import re
import shlex
import shutil
import subprocess
import sys

from common import PATIENCE, PROGRAM, ROOT, TEMP, check, finish, run

sys.path.insert(0, str(ROOT / "tools"))
import make_site
import markdown

GUIDES = ["tutorial.md", "which_scheme.md", *sorted("howto/" + path.name for path in (ROOT / "docs" / "howto").glob("*.md"))]


# ---- Markdown --------------------------------------------------------------------------------------------

def becomes(sentence, text, expected):
    found = markdown.Page(text).html
    check("%s: %r, expected %r" % (sentence, found, expected), re.sub(r"\s+", " ", found).strip() == expected)


def markdown_becomes_html():
    becomes("marks in a line", "a *b* **c** `d*e*` [f](g.md#h) <i> \\* 2*3*4",
            '<p>a <em>b</em> <strong>c</strong> <code>d*e*</code> <a href="g.md#h">f</a> &lt;i&gt; * 2*3*4</p>')
    becomes("a heading and a paragraph of two lines", "# A `b`\none\ntwo", '<h1 id="a-b">A <code>b</code></h1> <p>one two</p>')
    becomes("lists in lists", "- a\n  more\n  - b\n- c", "<ul> <li>a more <ul> <li>b</li> </ul></li> <li>c</li> </ul>")
    becomes("numbers", "1. a\n2. b", "<ol> <li>a</li> <li>b</li> </ol>")
    becomes("a table with code and a bar", "| a | |\n|---|---|\n| `b\\|c` | d |",
            '<div class="table"><table> <thead><tr><th>a</th><th></th></tr></thead> <tbody> '
            "<tr><td><code>b|c</code></td><td>d</td></tr> </tbody> </table></div>")
    becomes("code is not read", "text\n\n    a < *b*\n\n      c\n\nend", "<p>text</p> <pre><code>a &lt; *b* c</code></pre> <p>end</p>")
    becomes("fenced code", "```json\n# {}\n```\nend", "<pre><code># {}</code></pre> <p>end</p>")
    becomes("comments are left out", "a\n<!-- x\ny -->\nb", "<p>a b</p>")
    becomes("a picture has a caption", "![a \"b\"](c.webp)",
            '<figure><img src="c.webp" alt="a &quot;b&quot;"><figcaption>a &quot;b&quot;</figcaption></figure>')
    page = markdown.Page("# T\n## A, b: (c)\n## A, b: (c)\n")
    check("anchors are those of GitHub: %s" % page.headings, [item[1] for item in page.headings] == ["t", "a-b-c", "a-b-c-1"])


# ---- the site --------------------------------------------------------------------------------------------

class Reader(html.parser.HTMLParser):
    """Tags that are not closed, anchors and links of a page."""
    VOID = {"meta", "link", "img", "input", "br"}

    def __init__(self):
        super().__init__()
        self.open, self.wrong, self.anchors, self.links = [], [], set(), []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag not in self.VOID:
            self.open.append(tag)
        if "id" in attributes:
            self.anchors.add(attributes["id"])
        self.links += [attributes[key] for key in ("href", "src") if key in attributes]

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)


def read_site(folder):
    pages = {}
    for path in folder.rglob("*.html"):
        pages[path] = Reader()
        pages[path].feed(path.read_text(encoding="utf-8"))
    return pages


def every_link_of_the_site_leads_somewhere():
    folder = TEMP / "site"
    made = subprocess.run([sys.executable, ROOT / "tools" / "make_site.py", folder], capture_output=True, text=True, timeout=PATIENCE)
    check("the site is made: %s%s" % (made.stdout, made.stderr), made.returncode == 0)
    pages = read_site(folder)
    check("every page of docs is there", len(pages) == len(list((ROOT / "docs").rglob("*.md"))) + len(make_site.OUTSIDE))
    for path, page in pages.items():
        check("%s: all tags are closed" % path.name, page.open == [] and page.wrong == [])
        for link in page.links:
            target, _, anchor = link.partition("#")
            at = (path.parent / target).resolve() if target else path
            there = at.is_file() and (not anchor or anchor in pages[at].anchors)
            check("%s: %s leads somewhere on this machine" % (path.name, link), there or link.startswith("https://"))


def faults_of_the_docs_are_found():
    """A made-up project: a link to nowhere, one to no heading, a page that is not in the navigation."""
    root = TEMP / "project"
    (root / "docs").mkdir(parents=True)
    (root / "docs" / "index.md").write_text("# T\n## G\n- [a](a.md): x\n")
    (root / "docs" / "a.md").write_text("# A\n[no](b.md) [none](index.md#h) [yes](index.md#g)\n")
    (root / "docs" / "lost.md").write_text("# L\n")
    faults = make_site.Site(root).faults()
    check("three faults are said: %s" % faults, len(faults) == 3)
    check("each names its page", [fault.split(":")[0] for fault in faults] == ["docs/lost.md", "docs/a.md", "docs/a.md"])


# ---- commands --------------------------------------------------------------------------------------------

def steps_of(text):
    """What a reader does: ("file", name, content) for a fenced block with a file name, ("command", line) for a line of code."""
    for block in re.finditer(r"^```\w+ (\S+)\n(.*?)^```|^    ((?:slipstick|python3) [^\n]*)", text, flags=re.M | re.S):
        if block[1]:
            yield "file", block[1], block[2]
        else:
            yield "command", re.split(r" {2,}#", block[3])[0], None


def can_run(words):
    """Pictures need chromium; a server would not end."""
    return "--serve" not in words and not ({"--png", "--film"} & set(words) and not shutil.which("chromium"))


def do(page, words, folder):
    program = {"slipstick": os.path.abspath(PROGRAM), "python3": sys.executable}[words[0]]
    environment = dict(os.environ, OPENBLAS_NUM_THREADS="1")
    result = subprocess.run([program, *words[1:]], cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE)
    check("%s: %s: %s" % (page, " ".join(words), result.stderr), result.returncode == 0)
    check("%s: %s: all steps certified: %s" % (page, " ".join(words), result.stderr), "not certified" not in result.stderr)


def guide_runs(page):
    folder = TEMP / page.replace("/", "-")
    folder.mkdir()
    for name in ("scenes", "papers"):
        (folder / name).symlink_to(ROOT / name)
    count = 0
    for kind, first, content in steps_of((ROOT / "docs" / page).read_text()):
        if kind == "file":
            (folder / first).write_text(content)
        elif can_run(shlex.split(first)):
            do(page, shlex.split(first), folder)
            count += 1
    check("%s has commands" % page, count > 0)


# ---- what the how-to pages say ---------------------------------------------------------------------------

def column(path, *words):
    """The columns of a run of a how-to scene."""
    out = TEMP / "column.csv"
    result = run("run", ROOT / "scenes" / "howto" / path, "--quiet", "-o", out, *words)
    check("%s runs: %s" % (path, result.stderr), result.returncode == 0)
    with open(out, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {name: [float(row[name]) for row in rows] for name in rows[0]}


def the_rocker_swings_as_its_triangles_say():
    angle = column("four_bar.json")["rocker.angle"]
    for sign, found in ((1, -min(angle)), (-1, max(angle))):
        reach = math.sqrt(0.29) + sign * 0.2
        expected = sign * math.asin((reach**2 - 0.5**2 - 0.4**2) / (2 * 0.5 * 0.4))
        check("the rocker turns at %g, expected %g" % (found, expected), abs(found - expected) < 1e-3)  # states 0.02 rad apart near a turn


def the_gripper_needs_the_force_of_its_page():
    for force, lifted in ((5, True), (4, False)):
        words = [word for side in ("left", "right") for word in ("--set", "joints.slide_%s.motor.force=%d" % (side, force))]
        height = column("gripper.json", *words)["box.z"]
        check("with %d N the box is %s: %g" % (force, "lifted" if lifted else "left behind", max(height)), (max(height) > 0.24) == lifted)


def the_cart_rolls_at_the_speed_of_its_motors():
    v = column("cart.json")["chassis.vx"]
    check("v = r omega = 1 m/s at the end: %g" % v[-1], abs(v[-1] - 1) < 1e-6)
    ice = column("cart.json", "--set", "materials.rubber.mu=0.02", "--until", "1")["chassis.vx"]
    check("on ice about mu g t/2: %g" % ice[-1], abs(ice[-1] - 0.02 * 9.81 / 2) < 0.02)


markdown_becomes_html()
faults_of_the_docs_are_found()
every_link_of_the_site_leads_somewhere()
for guide in GUIDES:
    guide_runs(guide)
the_rocker_swings_as_its_triangles_say()
the_gripper_needs_the_force_of_its_page()
the_cart_rolls_at_the_speed_of_its_motors()
finish()
