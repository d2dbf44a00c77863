#!/usr/bin/python3
"""make_site.py [FOLDER] - the docs as a web site (default: build/site): static pages that need no network and no server.

Every docs/**/*.md becomes a page, CONTRIBUTING.md too. docs/index.md is the first page and the navigation: each of its
headings "## .." is a group, each item "- [title](page.md): .." of its lists a page of that group. Pictures and other files
of docs/ keep their places; a file of the project outside docs/ that a page links to is copied below files/. The look is
tools/site/style.css, the switch between light and dark and the search are tools/site/site.js.

Nothing is written if a page is not in the navigation or a link leads nowhere: one line for each, and exit status 1."""
import html
import json
import os
import posixpath
import re
import shutil
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import markdown

ROOT = Path(__file__).resolve().parents[1]
LOOK = ROOT / "tools" / "site"
OUTSIDE = {"CONTRIBUTING.md": "contributing.html"}  # pages that are not in docs/
ELSEWHERE = re.compile(r"[a-z]+:")  # a link to another site

LAYOUT = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} - slipstick</title>
<link rel="stylesheet" href="{up}style.css">
<script src="{up}index.js" defer></script>
<script src="{up}site.js" defer></script>
</head>
<body data-up="{up}">
<header>
<a class="name" href="{up}index.html">slipstick</a>
<input type="search" placeholder="Search the headings" aria-label="Search the headings">
<button class="theme" type="button" aria-label="light or dark">&#9680;</button>
<button class="menu" type="button" aria-label="all pages">&#9776;</button>
<ol class="found"></ol>
</header>
<nav>{navigation}</nav>
<main>
{body}{turn}</main>
<aside>{outline}</aside>
</body>
</html>
"""


class Site:
    """All pages by the place of their source in the project."""

    def __init__(self, root):
        self.root = root
        self.sources = {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
                        for path in [*sorted((root / "docs").rglob("*.md")), *(root / name for name in OUTSIDE)] if path.exists()}
        self.files = {}  # from the project -> to the site
        self.links = []  # page, link as written, page or file it leads to, anchor
        self.pages = {}
        for name, text in self.sources.items():
            self.pages[name] = markdown.Page(text, lambda target, name=name: self.address(name, target))
        self.groups = self.read_groups()

    @staticmethod
    def place(name):
        """Where a source's page, or a file, lies in the site."""
        if name in OUTSIDE:
            return OUTSIDE[name]
        if name.startswith("docs/"):
            return re.sub(r"\.md$", ".html", name[len("docs/"):])
        return "files/" + name

    def address(self, page, target):
        """The link from a page for a link in its source; remembered, to be checked."""
        if ELSEWHERE.match(target):
            return target
        path, _, anchor = target.partition("#")
        name = posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page
        self.links.append((page, target, name, anchor))
        if name not in self.sources:
            self.files[name] = self.place(name)
        if not path:
            return target
        here = posixpath.dirname(self.place(page)) or "."
        return posixpath.relpath(self.place(name), here) + ("#" + anchor if anchor else "")

    def read_groups(self):
        """[(title, [(title, source)])] from docs/index.md."""
        groups = []
        for line in self.sources["docs/index.md"].splitlines():
            heading, item = re.match(r"## (.*)", line), re.match(r"- \[([^\]]*)\]\(([^)#]+\.md)\)", line)
            if heading:
                groups.append((heading[1], []))
            elif item and groups:
                groups[-1][1].append((markdown.plain(item[1]), posixpath.normpath("docs/" + item[2])))
        return [group for group in groups if group[1]]

    def faults(self):
        """One line for each page that cannot be found and each link that leads nowhere."""
        listed = {name for _, pages in self.groups for _, name in pages}
        found = ["%s: not in docs/index.md, so nobody can find it" % name for name in self.pages if name not in listed | {"docs/index.md"}]
        for page, target, name, anchor in self.links:
            anchors = [item[1] for item in self.pages[name].headings] if name in self.pages else []
            if name not in self.pages and not (self.root / name).is_file():
                found.append("%s: its link to %s leads nowhere" % (page, target))
            elif anchor and anchor not in anchors:
                found.append("%s: there is no heading for its link to %s" % (page, target))
        return found

    # ---- pages -------------------------------------------------------------------------------------------

    def link(self, page, name, title, extra=""):
        here = posixpath.dirname(self.place(page)) or "."
        return '<a href="%s"%s>%s</a>' % (posixpath.relpath(self.place(name), here), extra, html.escape(title))

    def navigation(self, page):
        out = []
        for title, pages in self.groups:
            items = "".join("<li>%s</li>" % self.link(page, name, text, ' aria-current="page"' if name == page else "") for text, name in pages)
            is_open = " open" if page in [name for _, name in pages] or page == "docs/index.md" else ""
            out.append("<details%s><summary>%s</summary><ul>%s</ul></details>" % (is_open, html.escape(title), items))
        return "\n".join(out)

    def turn(self, page):
        """Links to the pages before and after this one."""
        order = [("slipstick", "docs/index.md")] + [item for _, pages in self.groups for item in pages]
        k = [name for _, name in order].index(page)
        before = self.link(page, order[k - 1][1], "\u2190 " + order[k - 1][0]) if k > 0 else "<span></span>"
        after = self.link(page, order[k + 1][1], order[k + 1][0] + " \u2192") if k + 1 < len(order) else "<span></span>"
        return '<footer class="turn">%s%s</footer>\n' % (before, after)

    def outline(self, page):
        items = ['<li><a href="#%s">%s</a></li>' % (anchor, html.escape(text)) for level, anchor, text in self.pages[page].headings if level == 2]
        return "<p>On this page</p><ul>%s</ul>" % "".join(items) if len(items) > 1 else ""

    def render(self, page):
        up = "../" * self.place(page).count("/")
        return LAYOUT.format(title=html.escape(self.pages[page].title), up=up, navigation=self.navigation(page), body=self.pages[page].html,
                             turn=self.turn(page), outline=self.outline(page))

    def index(self):
        """What the search looks through: [address, heading, page] of every heading."""
        rows = [[self.place(name) + ("#" + anchor if level > 1 else ""), text, page.title]
                for name, page in self.pages.items() for level, anchor, text in page.headings]
        return "const headings = %s;\n" % json.dumps(rows, separators=(",", ":"))

    def write(self, folder):
        for name in self.pages:
            path = folder / self.place(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(self.render(name), encoding="utf-8")
        for name, place in self.files.items():
            (folder / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self.root / name, folder / place)
        (folder / "index.js").write_text(self.index(), encoding="utf-8")
        for path in LOOK.iterdir():
            shutil.copyfile(path, folder / path.name)


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "site"
    site = Site(ROOT)
    faults = site.faults()
    if faults:
        print("\n".join(faults))
        return 1
    site.write(folder)
    print("%d pages; open %s in a browser" % (len(site.pages), os.path.relpath(folder / "index.html")))
    return 0


if __name__ == "__main__":
    sys.exit(main())
