#!/usr/bin/env python3
"""The papers' experiments: tables and verdicts, what changes when a scene is changed, figures, bad names and recipes."""
import csv
import json
import os
import shutil

from common import ROOT, TEMP, check, finish, refused, run, run_json

ROW_KEYS = {"label", "ours", "published", "expected", "at_least", "at_most", "ratio", "tolerance", "ok"}
LONG = {"ani06/brazil-nut"}
FULL = os.environ.get("SLIPSTICK_FULL", "0") == "1"
VERDICTS = {"reproduced", "reproduced with correction", "not reproducible (data missing)", "differs"}
AP97 = ["ap97/chatter", "ap97/painleve-rod", "ap97/rod-impact", "ap97/sliding-cube"]


def copy_of_papers(name, paper="ap97"):
    """A folder of its own with papers/PAPER in it."""
    place = TEMP / name
    shutil.copytree(ROOT / "papers" / paper, place / "papers" / paper)
    return place


def edit(path, change):
    value = json.loads(path.read_text())
    change(value)
    path.write_text(json.dumps(value))


def the_experiments_are_listed():
    names = [e["name"] for e in run_json("list", "experiments", cwd=ROOT)]
    check("AP97's are there: %s" % names, all(name in names for name in AP97) and names == sorted(names))
    scenes = [s["name"] for s in run_json("list", "scenes", cwd=ROOT)]
    check("recipes are no scenes", scenes and not any("experiments" in s for s in scenes))
    text = run("list", "experiments", cwd=ROOT)
    check("as text too", all(name in text.stdout for name in AP97))


def ap97_is_reproduced():
    values = run_json("reproduce", "ap97", cwd=ROOT)
    check("in order of name: %s" % [v["experiment"] for v in values], [v["experiment"] for v in values] == AP97)
    for value in values:
        rows = value["rows"]
        check("%s has its keys" % value["experiment"], {"experiment", "rows", "verdict", "note", "files"} <= set(value))
        check("rows have theirs", rows and all(ROW_KEYS <= set(row) for row in rows))
        check("%s: %s" % (value["experiment"], [r for r in rows if not r["ok"]]), all(row["ok"] for row in rows))
        check("AP97 prints no numbers", all(row["published"] is None for row in rows) and any(row["expected"] is not None for row in rows))
        check("no figures were asked for", value["files"] == [])
    verdicts = {v["experiment"]: v["verdict"] for v in values}
    check("the misprint of the simplified law is a correction", verdicts.pop("ap97/rod-impact") == "reproduced with correction")
    check("the others need none: %s" % verdicts, set(verdicts.values()) == {"reproduced"})
    check("without a name all of them", run_json("reproduce", cwd=copy_of_papers("all")) == values)


def every_experiment_ends_as_it_should():
    """All of them but those that take minutes, which a full run makes too."""
    correction, missing = {"ap97/rod-impact", "ani06/table-10.1", "aca09/example-3", "aca09/propositions", "pagt06/figure-2",
                           "pagt06/figure-6", "pagt06/figure-7", "pagt06/table-10.1", "pagt06/table-10.2", "pagt06/table-10.3",
                           "bac14/ball"}, {"ani06/painleve"}
    for name in [e["name"] for e in run_json("list", "experiments", cwd=ROOT)]:
        if name in LONG and not FULL:
            continue
        value = run_json("reproduce", name, cwd=ROOT)[0]
        expected = "reproduced with correction" if name in correction else "not reproducible (data missing)" if name in missing else "reproduced"
        bad = [row for row in value["rows"] if not row["ok"]]
        check("%s: %s, expected %s; %s" % (name, value["verdict"], expected, bad), value["verdict"] == expected and value["verdict"] in VERDICTS)


def the_table_is_for_reading():
    text = run("reproduce", "ap97/rod-impact", cwd=ROOT)
    lines = text.stdout.splitlines()
    check("a heading", lines[0].startswith("ap97/rod-impact: ") and lines[0].endswith("[AP97 section 3]"))
    check("columns", lines[1].split() == ["ours", "expected", "ratio", "tolerance"])
    check("a row", any("1.36274047" in line and line.endswith("  ok") for line in lines))
    check("the verdict and the correction", "  reproduced with correction" in lines and any(l.startswith("  correction: ") for l in lines))
    check("nothing on stderr", text.stderr == "" and text.returncode == 0)
    head = run("reproduce", "ani06/theorem-6.1", cwd=ROOT).stdout.splitlines()[1].split()
    check("a bound has a column of its own: %s" % head, head == ["ours", "expected", "at", "most", "ratio", "tolerance"])
    head = run("reproduce", "ani06/table-10.1", cwd=ROOT).stdout.splitlines()[1].split()
    check("published is what is printed in the paper: %s" % head, head == ["ours", "published", "ratio", "tolerance"])


def a_changed_scene_changes_ours_and_the_verdict():
    place = copy_of_papers("changed")
    before = run_json("reproduce", "ap97/rod-impact", cwd=place)[0]
    edit(place / "papers/ap97/rod_impact.json", lambda scene: scene["pairs"][0].update(e=0.51))
    after = run_json("reproduce", "ap97/rod-impact", cwd=place)[0]
    ours = [[row["ours"] for row in value["rows"]] for value in (before, after)]
    check("ours is of this very run", before["verdict"] == "reproduced with correction" and ours[0] != ours[1])
    check("and differs", after["verdict"] == "differs" and not all(row["ok"] for row in after["rows"]))
    check("what does not depend on e stays", after["rows"][7] == before["rows"][7] and before["rows"][7]["label"] == "kinetic energy before")


def a_scene_without_the_event_has_no_number():
    place = copy_of_papers("missing-event")
    edit(place / "papers/ap97/rod_impact.json", lambda scene: scene["bodies"][0].update(velocity=[1, 2]))
    value = run_json("reproduce", "ap97/rod-impact", cwd=place)[0]
    check("ours is null and not ok", all(row["ours"] is None and row["ok"] is False for row in value["rows"]))
    check("in the table it is a dash", "  -" in run("reproduce", "ap97/rod-impact", cwd=place).stdout and value["verdict"] == "differs")


def local_errors_are_of_the_scene_and_the_scheme():
    """Example 3 of Aca09 is in closed form for e = 1/2: with another e, or as the paper prints it, it does not come out."""
    place = copy_of_papers("local", "aca09")
    recipe, scene = place / "papers/aca09/experiments/example-3.json", place / "papers/aca09/ball.json"
    verdict = lambda: run_json("reproduce", "aca09/example-3", cwd=place)[0]["verdict"]
    check("as it is", verdict() == "reproduced with correction")
    edit(recipe, lambda r: r["rows"][0].update(expected="2*0.1*(1 - {s} - 0.5*{s})"))
    check("the sign that is printed", verdict() == "differs")
    edit(recipe, lambda r: r["rows"].pop(0))
    check("the others", verdict() == "reproduced with correction")
    edit(scene, lambda s: s["pairs"][0].update(e=0.6))
    check("another e", verdict() == "differs")


def recipes_decide_the_verdict():
    place = copy_of_papers("verdicts")
    recipe = place / "papers/ap97/experiments/painleve-rod.json"
    verdict = lambda: run_json("reproduce", "ap97/painleve-rod", cwd=place)[0]["verdict"]
    edit(recipe, lambda r: r.update(correction="mu"))
    check("with a correction", verdict() == "reproduced with correction")
    edit(recipe, lambda r: r["rows"][1].update(expected=-0.86))
    check("another number", verdict() == "differs")
    edit(recipe, lambda r: r["rows"].__setitem__(1, {"label": "v_x", "value": {"number_of": {"run": "h{k}", "final": "rod.vx"}, "at_most": -0.85}, "at_least": 3}))
    row = run_json("reproduce", "ap97/painleve-rod", cwd=place)[0]["rows"][4]
    check("a count against a bound: %s" % row, row["at_least"] == 3 and row["ours"] == 3 and row["ok"] and row["published"] is row["expected"] is None)
    check("which is kept", verdict() == "reproduced with correction")
    edit(recipe, lambda r: r.update(missing="the mass"))
    check("data missing", verdict() == "not reproducible (data missing)")


def figures_come_with_their_data():
    out = TEMP / "figures"
    value = run_json("reproduce", "ap97/sliding-cube", "-o", out, cwd=ROOT)[0]
    names = sorted(p.name for p in out.iterdir())
    check("names: %s" % names, names == sorted("ap97-sliding-cube-%s.%s" % (n, e) for n in ("distance", "error") for e in ("svg", "csv")))
    check("they are listed", sorted(value["files"]) == sorted(str(out / name) for name in names))
    check("SVG", all(p.read_text().rstrip().endswith("</svg>") for p in out.glob("*.svg")))
    points = list(csv.reader(open(out / "ap97-sliding-cube-error.csv")))
    check("CSV: %s" % points[:2], points[0] == ["curve", "x", "y"] and len(points) == 6 and float(points[1][1]) == 0.01)
    check("errors halve with the step", all(abs(float(a[2]) / float(b[2]) - 2) < 0.02 for a, b in zip(points[1:], points[2:])))
    same = {p.name: p.read_bytes() for p in out.iterdir()}
    run("reproduce", "ap97/sliding-cube", "-o", out, cwd=ROOT)
    check("the same bytes again", same == {p.name: p.read_bytes() for p in out.iterdir()})


def bad_names_and_recipes_are_refused():
    refused("unknown paper", run("reproduce", "ap79", cwd=ROOT), 'unknown paper "ap79"; did you mean ap97?')
    refused("unknown experiment", run("reproduce", "ap97/rod-impct", cwd=ROOT), 'unknown experiment "ap97/rod-impct"; did you mean ap97/rod-impact?')
    names = [[e["name"] for e in run_json("list", "experiments", cwd=folder)] for folder in (ROOT, TEMP)]
    check("recipes are found from any folder: %s" % names[1], names[0] and names[0] == names[1])
    place = copy_of_papers("bad")
    folder = place / "papers/ap97/experiments"
    edit(folder / "rod-impact.json", lambda r: r["rows"][0].update(publised=1))
    refused("unknown key", run("reproduce", "ap97/rod-impact", cwd=place), "papers/ap97/experiments/rod-impact.json: rows[0]: unknown key \"publised\"")
    (folder / "rod-impact.json").write_text("{")
    refused("no JSON", run("reproduce", "ap97/rod-impact", cwd=place), "rod-impact.json: line 1")
    both = run("reproduce", "ap97", "--json", cwd=place)
    check("the others run all the same", both.returncode == 2 and len(json.loads(both.stdout)) == 3 and len(both.stderr.splitlines()) == 1)
    edit(folder / "chatter.json", lambda r: r["runs"][0].update(scene="gone.json"))
    gone = run("reproduce", "ap97/chatter", cwd=place)
    check("a scene that is not there: %s" % gone.stderr, gone.returncode == 2 and "chatter.json" in gone.stderr and "gone.json" in gone.stderr)
    (TEMP / "file").write_text("")
    folder = run("reproduce", "ap97/chatter", "-o", TEMP / "file", cwd=ROOT)
    check("a folder that is a file", folder.returncode == 2 and str(TEMP / "file") in folder.stderr)


the_experiments_are_listed()
ap97_is_reproduced()
every_experiment_ends_as_it_should()
the_table_is_for_reading()
a_changed_scene_changes_ours_and_the_verdict()
a_scene_without_the_event_has_no_number()
local_errors_are_of_the_scene_and_the_scheme()
recipes_decide_the_verdict()
figures_come_with_their_data()
bad_names_and_recipes_are_refused()
finish()
