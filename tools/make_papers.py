#!/usr/bin/python3
"""make_papers.py FOLDER JSON.. - fill docs/papers.md with what `slipstick reproduce --json -o FOLDER` printed (JSON) and drew.

    for p in ap97 ani06 aca09 pagt06 bac14; do slipstick reproduce $p --json -o figures > $p.json; done
    tools/make_papers.py figures *.json

Tables stand between `<!-- paper: NAME -->` and `<!-- end -->`: the verdict of every experiment of the paper, and all numbers
that the paper prints beside ours. Figures that the page shows (pictures/papers/NAME.svg) are copied from FOLDER. It takes
minutes to compute them all, so the page is made by hand when results change; `cli.reproduce` checks the numbers."""
import json
import re
import shutil
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1] / "docs"


def number(value):
    return "-" if value is None else "%.5g" % value


def verdicts(experiments):
    lines = ["| experiment | what | in the paper | rows that agree | verdict |", "|---|---|---|---|---|"]
    for e in experiments:
        compared = [row for row in e["rows"] if row["ok"] is not None]
        agree = "%d of %d" % (sum(row["ok"] for row in compared), len(compared))
        lines.append("| `%s` | %s | %s | %s | %s |" % (e["experiment"], e["title"], e["reference"], agree, e["verdict"]))
    return "\n".join(lines)


def published(experiments):
    rows = [(e["experiment"], row) for e in experiments for row in e["rows"] if row["published"] is not None]
    if not rows:
        return ""
    lines = ["", "| experiment | number | ours | published | ours/published |", "|---|---|---|---|---|"]
    lines += ["| `%s` | %s | %s | %s | %s |" % (name, row["label"].replace("|", "\\|"), number(row["ours"]), number(row["published"]),
                                                number(row["ratio"])) for name, row in rows]
    return "\n".join(lines)


def main():
    figures, experiments = Path(sys.argv[1]), {}
    for path in sys.argv[2:]:
        for e in json.loads(Path(path).read_text()):
            experiments.setdefault(e["experiment"].split("/")[0], []).append(e)
    page = DOCS / "papers.md"

    def fill(match):
        own = experiments.get(match[1])
        return match[0] if own is None else "<!-- paper: %s -->\n%s\n%s\n<!-- end -->" % (match[1], verdicts(own), published(own))

    text = re.sub(r"<!-- paper: (\w+) -->\n.*?<!-- end -->", fill, page.read_text(), flags=re.S)
    page.write_text(text)
    for name in re.findall(r"\(pictures/papers/([^)]+)\)", text):
        if (figures / name).exists():
            shutil.copyfile(figures / name, DOCS / "pictures" / "papers" / name)


if __name__ == "__main__":
    main()
