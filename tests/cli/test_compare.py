#!/usr/bin/env python3
"""The same scene by several schemes: the table, the JSON value, files and figures, runs that fail."""
import csv
import json
import signal
import subprocess
import time

from common import PATIENCE, PROGRAM, ROOT, TEMP, check, finish, refused, run, run_json

CHATTER = ROOT / "papers" / "ap97" / "chatter.json"
CUBE = ROOT / "papers" / "ap97" / "sliding_cube.json"
TWICE = "anitescu_potra,anitescu_potra"


def without_times(value):
    return {k: v for k, v in value.items() if k not in ("wall_s", "difference", "difference_over_time", "files")}


def runs_are_those_of_run():
    value = run_json("compare", CHATTER, "--scheme", TWICE, "--step", "0.01", "--until", 1, "--set", "pairs.0.e=.25")
    single = run_json("run", CHATTER, "--scheme", "anitescu_potra", "--step", "0.01", "--until", 1, "--set", "pairs.0.e=.25")
    check("the scene and two runs", value["scene"] == str(CHATTER) and len(value["runs"]) == 2)
    for one in value["runs"]:
        check("as `run --json` prints it", without_times(one) == without_times(single))
        check("the same scheme twice does not differ", one["difference"] == {"q": 0, "v": 0})
    alone = run_json("compare", CHATTER, "--scheme", "anitescu_potra")
    check("one scheme is fine", len(alone["runs"]) == 1 and alone["runs"][0]["outcome"] == "done")


def the_difference_over_time_is_that_of_the_files():
    """A ball that falls and stays down: the ends agree, the ways there do not."""
    folder, scene = TEMP / "over_time", ROOT / "papers" / "ap97" / "chatter.json"
    words = ["--set", "pairs.0.e=0", "--step", ".01", "--until", "1"]
    value = run_json("compare", scene, "--scheme", "anitescu_potra,moreau", *words, "-o", folder)
    first, second = value["runs"]
    check("the first run is no distance from itself", first["difference_over_time"]["q"] == first["difference_over_time"]["v"] == 0)
    tables = [list(csv.DictReader(open(folder / (name + ".csv")))) for name in ("anitescu_potra", "moreau")]
    for key, columns in (("q", ("x", "y", "angle")), ("v", ("vx", "vy", "omega"))):
        apart = {float(a["t"]): max(abs(float(a["ball." + c]) - float(b["ball." + c])) for c in columns) for a, b in zip(*tables)}
        over_time = second["difference_over_time"]
        check("%s: %s" % (key, over_time), over_time[key] == max(apart.values()) == apart[over_time[key + "_t"]])
    check("at the end nothing moves, but not before: %s" % second["difference"], second["difference_over_time"]["v"] > 0.1 and second["difference"]["v"] < 1e-9)


def the_difference_is_that_of_the_ends():
    names = [s["name"] for s in run_json("list", "schemes")]
    for other in names:
        value = run("compare", CUBE, "--scheme", "anitescu_potra," + other, "--until", ".5", "--json")
        if value.returncode != 0:
            continue
        a, b = json.loads(value.stdout)["runs"]
        for key in "qv":
            check("%s of %s" % (key, other), b["difference"][key] == max(abs(x - y) for x, y in zip(a[key], b[key])))


def the_table_is_side_by_side():
    text = run("compare", CHATTER, "--scheme", TWICE)
    lines = text.stdout.splitlines()
    check("the name, then the schemes", lines[0] == "ball that bounces to rest" and lines[1].split() == ["anitescu_potra", "anitescu_potra-2"])
    for word in ("outcome", "time, s", "steps", "contact problems", "wall time, s", "energy at the start, J", "energy at the end, J", "largest gain",
                 "largest penetration", "largest joint error", "largest residual", "events", "|final q - first run's|", "|final v - first run's|"):
        check("a line %s" % word, any(line.startswith(word) for line in lines))
    check("two columns", all(len(line[26:].split()) == 2 for line in lines[2:]) and text.stderr == "")


def files_and_figures():
    out = TEMP / "compared"
    value = run_json("compare", CHATTER, "--scheme", TWICE, "--until", ".5", "-o", out)
    names = sorted(p.name for p in out.iterdir())
    wanted = ["anitescu_potra-2.csv", "anitescu_potra-2.h5", "anitescu_potra.csv", "anitescu_potra.h5", "compare-ball.y.svg", "compare.svg"]
    check("files: %s" % names, names == wanted)
    check("they are named", value["runs"][1]["files"] == [str(out / wanted[1]), str(out / wanted[0])])
    run("run", CHATTER, "--until", ".5", "-o", TEMP / "alone.csv", "--quiet")
    check("results as of run", (TEMP / "alone.csv").read_text() == (out / "anitescu_potra.csv").read_text())
    check("SVG", all(p.read_text().rstrip().endswith("</svg>") for p in out.glob("*.svg")))


def outputs_have_figures_and_last_values():
    hammer, out = ROOT / "scenes" / "howto" / "hammer.json", TEMP / "hammered"
    value = run_json("compare", hammer, "--scheme", "anitescu_potra,trapezoidal", "--until", ".6", "-o", out)
    figures = {p.name for p in out.glob("compare-*.svg")}
    wanted = {"compare-%s.svg" % name for name in ("head.ax", "head.ay", "scale.force_y", "load.force_x", "load.torque", "height.x", "hinge.rate", "hammer.angle")}
    check("figures: %s" % sorted(figures), wanted <= figures)
    check("both runs are in them", all((out / name).read_text().count("<polyline") + (out / name).read_text().count("<path") >= 2 for name in wanted))
    last = [one["outputs"]["height.y"] for one in value["runs"]]
    check("last values: %s" % last, abs(last[0] - last[1]) < 0.05)


def a_run_that_fails_does_not_lose_the_others():
    # a force that is no number after .25 s ends every run there
    scene = json.loads(CHATTER.read_text())
    scene.pop("exact", None)
    scene["forces"] = [{"name": "push", "type": "expression", "body": "ball", "force": ["0/(1-floor(t/.25))", "0"]}]
    path = TEMP / "push.json"
    path.write_text(json.dumps(scene))
    single = run("run", path, "--json")
    result = run("compare", path, "--scheme", TWICE, "--json")
    check("the scene fails: %s" % single.stderr, single.returncode == 1)
    runs = json.loads(result.stdout)["runs"] if result.stdout else []
    check("they are not compared", all(r["difference"] == {"q": None, "v": None} for r in runs))
    check("both are there, failed", result.returncode == 1 and [r["outcome"] for r in runs] == ["failed", "failed"] and all(r["error"] for r in runs))
    check("a line each", len(result.stderr.splitlines()) == 2)
    text = run("compare", path, "--scheme", TWICE)
    check("the table too", text.returncode == 1 and text.stdout.count("failed") == 2)


def an_interrupt_ends_it_with_what_there_is():
    process = subprocess.Popen([PROGRAM, "compare", CUBE, "--scheme", TWICE, "--until", "1e5", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=PATIENCE)
    value = json.loads(out)
    check("interrupted, and nothing is begun after it", process.returncode == 130 and [r["outcome"] for r in value["runs"]] == ["interrupted"])
    check("what has not come to the end is not compared", value["runs"][0]["difference"] == {"q": None, "v": None})


def bad_input_is_refused_before_anything_runs():
    out = TEMP / "nothing"
    refused("no scene", run("compare", "--scheme", TWICE), "no scene")
    refused("no scheme", run("compare", CHATTER), "--scheme")
    refused("an empty name", run("compare", CHATTER, "--scheme", "anitescu_potra,"), "empty name")
    refused("an unknown scheme", run("compare", CHATTER, "--scheme", "anitescu_potra,anitescu_ptra", "-o", out), "did you mean anitescu_potra?")
    refused("a bad setting", run("compare", CHATTER, "--scheme", TWICE, "--set", "bodies.ball.mass=-1", "-o", out), "bodies.ball.mass")
    refused("no such file", run("compare", "none.json", "--scheme", TWICE, "-o", out), "none.json")
    refused("a bad step", run("compare", CHATTER, "--scheme", TWICE, "--step", 0), "--step")
    check("no folder was made", not out.exists())
    (TEMP / "taken").write_text("")
    taken = run("compare", CHATTER, "--scheme", TWICE, "-o", TEMP / "taken")
    check("a file is no folder", taken.returncode == 2 and str(TEMP / "taken") in taken.stderr and taken.stdout == "")


runs_are_those_of_run()
the_difference_over_time_is_that_of_the_files()
the_difference_is_that_of_the_ends()
the_table_is_side_by_side()
files_and_figures()
outputs_have_figures_and_last_values()
a_run_that_fails_does_not_lose_the_others()
an_interrupt_ends_it_with_what_there_is()
bad_input_is_refused_before_anything_runs()
finish()
