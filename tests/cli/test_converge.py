#!/usr/bin/env python3
"""slipstick converge: the table, JSON, CSV and plot of a study, its references, and what it refuses."""
import csv
import math
import signal
import subprocess
import time
import json
import xml.etree.ElementTree as tree

from common import PATIENCE, PROGRAM, ROOT, TEMP, check, finish, refused, run, run_json, write

BALL = ROOT / "papers" / "aca09" / "ball.json"
STEPS = "5/27:5/1728"


def orders_of_the_bouncing_ball():
    """Aca09: order near 1 in l1 and Hausdorff, through the accumulation of impacts; none in max of the velocity."""
    for norm in ("l1", "hausdorff"):
        value = run_json("converge", BALL, "--scheme", "anitescu_potra", "--steps", STEPS, "--norm", norm)
        (scheme,) = value["schemes"]
        check("%s: order %.3f is near 1" % (norm, scheme["order"]), 0.8 < scheme["order"] < 1.2)
        check("%s: the last pair's is nearer" % norm, abs(scheme["rows"][-1]["order"] - 1) < 0.1)
    value = run_json("converge", BALL, "--steps", STEPS, "--norm", "max", "--quantity", "v")
    check("no convergence of v in the max norm", value["schemes"][0]["order"] < 0.3)


def json_holds_the_words_of_the_manual():
    value = run_json("converge", BALL, "--scheme", "anitescu_potra", "--steps", "5/27,5/54", "--norm", "l1")
    check("the head", [value[k] for k in ("norm", "quantity", "reference")] == ["l1", "q", "exact"])
    check("the scene", value["scene"].endswith("ball.json"))
    first, second = value["schemes"][0]["rows"]
    keys = {"h", "error", "ratio", "order", "multiplier_evals", "newton", "steps", "wall_s"}
    check("the keys of a row", keys <= set(first))
    check("no pair ends at the first row", first["ratio"] is None and first["order"] is None)
    check("ratio and order", second["ratio"] == first["error"] / second["error"]
          and abs(second["order"] - math.log2(second["ratio"])) < 1e-12)
    check("two points are fitted by their own order", abs(value["schemes"][0]["order"] - second["order"]) < 1e-12)
    check("work", first["steps"] == 27 and first["multiplier_evals"] >= 27)


def newton_iterations_are_counted():
    """Joints are projected by Newton iterations: a pendulum makes some in every step."""
    scene = write("pendulum.json", {
        "slipstick": 1, "dimension": 2, "gravity": [0, -9.81], "time": {"until": 1, "step": 0.01},
        "bodies": [{"name": "bob", "type": "particle", "mass": 1, "position": [1, 0]}],
        "joints": [{"name": "rod", "type": "distance", "bodies": ["world", "bob"], "anchors": [[0, 0], [0, 0]]}]})
    value = run_json("converge", scene, "--steps", "1/16:1/128", "--reference", "anitescu_potra@2^-12")
    rows = value["schemes"][0]["rows"]
    check("at least one a step", all(r["newton"] >= r["steps"] for r in rows))
    check("order %s" % value["schemes"][0]["order"], 0.8 < value["schemes"][0]["order"] < 1.3)
    single = run_json("run", scene, "--step", "1/16")
    check("run counts the same", single["newton"] == rows[0]["newton"])


def table_csv_and_plot():
    table, plot = TEMP / "ball.csv", TEMP / "ball.svg"
    result = run("converge", BALL, "--scheme", "anitescu_potra", "--steps", STEPS, "--norm", "l1", "-o", table, "--plot", plot)
    check("done: %s" % result.stderr, result.returncode == 0 and result.stderr == "")
    lines = result.stdout.splitlines()
    check("a line of norm, quantity and reference", "L1" in lines[1] and "of q [m s]" in lines[1] and "bouncing_ball" in lines[1])
    check("one line a step", sum(line.lstrip()[:2] == "0." for line in lines) == 7)
    check("the fitted order", lines[-1].startswith("fitted order 0."))
    with open(table, newline="") as file:
        rows = list(csv.DictReader(file))
    check("the CSV has the rows", len(rows) == 7 and rows[0]["scheme"] == "anitescu_potra" and rows[0]["ratio"] == "")
    check("to the last digit", float(rows[1]["ratio"]) == float(rows[0]["error"]) / float(rows[1]["error"]))
    texts = ["".join(e.itertext()) for e in tree.parse(plot).iter() if e.tag.endswith("text")]
    check("title, axes, legend and slope: %s" % texts,
          {"bouncing ball", "step h [s]", "order 1"} <= set(texts) and any("anitescu_potra, order 0." in t for t in texts))
    same = run("converge", BALL, "--scheme", "anitescu_potra", "--steps", STEPS, "--norm", "l1", "--plot", TEMP / "again.svg", "--quiet")
    check("quiet is quiet", same.stdout == "" and same.stderr == "")
    check("the same study draws the same bytes", (TEMP / "again.svg").read_bytes() == plot.read_bytes())


def several_schemes():
    value = run_json("converge", BALL, "--scheme", "anitescu_potra,anitescu_potra", "--steps", "5/27,5/54", "--norm", "l1")
    first, second = ([r["error"] for r in s["rows"]] for s in value["schemes"])
    check("each has its rows", len(first) == 2 and first == second)


def references():
    out = TEMP / "fine.h5"
    run("run", BALL, "--step", "5/13824", "-o", out, "-o", TEMP / "fine.csv", "--quiet")
    file = run_json("converge", BALL, "--steps", "5/27:5/216", "--norm", "l1", "--reference", out)
    table = run_json("converge", BALL, "--steps", "5/27:5/216", "--norm", "l1", "--reference", TEMP / "fine.csv")
    errors = [[row["error"] for row in value["schemes"][0]["rows"]] for value in (file, table)]
    check("a CSV file is the same reference", errors[0] == errors[1])
    fine = run_json("converge", BALL, "--steps", "5/27:5/216", "--norm", "l1", "--reference", "anitescu_potra@5/13824")
    exact = run_json("converge", BALL, "--steps", "5/27:5/216", "--norm", "l1")
    for a, b, c in zip(*(v["schemes"][0]["rows"] for v in (file, fine, exact))):
        check("a file and a run agree at the ends of steps", abs(a["error"] - b["error"]) < 1e-3 * b["error"])
        check("near the exact one", abs(a["error"] - c["error"]) < 0.05 * c["error"])
    run("run", BALL, "--until", "2", "-o", TEMP / "short.h5", "--quiet")
    refused("a file that ends early", run("converge", BALL, "--steps", "1", "--reference", TEMP / "short.h5"), "ends at t = 2 s", "t = 5 s")
    run("run", BALL, "--set", "bodies.ball.name=cube", "--set", "exact={\"name\": \"bouncing_ball\"}", "-o", TEMP / "other.h5", "--quiet")
    refused("a file of other bodies", run("converge", BALL, "--steps", "1", "--reference", TEMP / "other.h5"), "cube.x", "ball.x")
    run("run", BALL, "--step", "5/1728", "--set", "bodies.ball.mass=2", "-o", TEMP / "heavy.h5", "--quiet")
    heavy = run("converge", BALL, "--steps", "5/27", "--norm", "l1", "--reference", TEMP / "heavy.h5")
    check("another mass is told: %s" % heavy.stderr, heavy.returncode == 0 and "another scene" in heavy.stderr)
    same = run("converge", BALL, "--steps", "5/27", "--norm", "l1", "--reference", out)
    check("the same scene is not: %s" % same.stderr, same.stderr == "")
    refused("a coarser run", run("converge", BALL, "--steps", "5/27:5/216", "--norm", "l1", "--reference", "anitescu_potra@5/108"),
            "apart", "smallest step of 0.0231481481 s")
    run("run", BALL, "--step", "5/13824", "--every", "0.5", "-o", TEMP / "rare.h5", "--quiet")
    refused("a file with few states", run("converge", BALL, "--steps", "5/27", "--norm", "l1", "--reference", TEMP / "rare.h5"), "apart")
    check("its last state will do", run("converge", BALL, "--steps", "5/27", "--reference", TEMP / "rare.h5").returncode == 0)
    refused("no file", run("converge", BALL, "--steps", "1", "--reference", "none.h5"), "none.h5", "cannot be opened")
    refused("a scene without exact solution", run("converge", ROOT / "scenes" / "cradle.json", "--steps", "1/16"),
            "no exact solution", ".h5", "SCHEME@H")


def a_quaternion_and_its_negative_are_one_rotation():
    scene = write("spin.json", {
        "slipstick": 1, "dimension": 3, "gravity": [0, 0, 0], "time": {"until": 4, "step": "1/64"},
        "bodies": [{"name": "top", "type": "rigid", "mass": 1, "inertia": [1, 2, 3], "angular_velocity": [3, 0.5, -0.8]}]})
    run("run", scene, "--set", "bodies.top.orientation=[-1,0,0,0]", "-o", TEMP / "spin.h5", "--quiet")
    for norm in ("final", "l1", "max", "hausdorff"):
        value = run_json("converge", scene, "--steps", "1/64", "--norm", norm, "--reference", TEMP / "spin.h5")
        row = value["schemes"][0]["rows"][0]
        check("%s: the same run has no error, got %g" % (norm, row["error"]), row["round_off"])


def a_body_that_turns_in_space():
    """An exact solution with quaternions and every norm; Hausdorff distances see their signs."""
    scene = ROOT / "papers" / "pagt06" / "free_body.json"
    for norm in ("final", "l1", "l2", "max", "hausdorff"):
        value = run_json("converge", scene, "--until", 1, "--steps", "1/128:1/1024", "--norm", norm)
        orders = [row["order"] for row in value["schemes"][0]["rows"]]
        check("%s: %s" % (norm, orders), all(0.8 < order < 2.2 for order in orders[1:]))


def impacts_without_an_end_are_an_answer():
    oscillator = ROOT / "papers" / "aca09" / "oscillator.json"
    refused("too many", run("converge", oscillator, "--steps", "0.05", "--set", "forces.0.stiffness=1e14", "--set", "pairs.0.e=1",
                            "--set", "forces.0.damping=0"), "more than 100000 impacts")


def bad_words():
    def bad(sentence, *words, parts):
        refused(sentence, run("converge", BALL, *words), *parts)
    bad("neither steps nor tolerances", parts=["--steps", "--tols"])
    bad("both", "--steps", "1", "--tols", "1", parts=["not both"])
    bad("an absurd tolerance", "--tols", "1,1e-3", parts=["time.tol"])
    bad("an empty list", "--steps", "", parts=["--steps", "empty list"])
    bad("an empty place", "--steps", "1,,1/2", parts=["empty place"])
    bad("a range that does not end", "--steps", "1:0.3", parts=["0.3", "nearest", "0.25"])
    bad("not positive", "--steps", "1,0", parts=["> 0"])
    bad("no number", "--steps", "one", parts=["one"])
    bad("too many", "--steps", "1:2^-80", parts=["81 numbers", "60"])
    bad("steps that do not divide", "--steps", "0.3", parts=["0.3 s", "5 s", "16.6667 steps"])
    bad("longer than the interval", "--steps", "10", parts=["10 s", "0.5 steps"])
    bad("an unknown scheme", "--steps", "1", "--scheme", "anitescu_potr", parts=["anitescu_potr", "anitescu_potra"])
    bad("an unknown norm", "--steps", "1", "--norm", "hausdorf", parts=["hausdorff"])
    bad("an unknown quantity", "--steps", "1", "--quantity", "energy", parts=["q, v"])
    bad("an unknown reference", "--steps", "1", "--reference", "fine", parts=["SCHEME@H"])
    bad("an unknown key", "--steps", "1", "--set", "gravty=[0,0]", parts=["gravty", "gravity"])
    bad("another kind of picture", "--steps", "1", "--plot", "a.png", parts=[".svg"])
    refused("no such scene", run("converge", "none.json", "--steps", "1"), "none.json")
    refused("no scene", run("converge", "--steps", "1"), "no scene")
    result = run("converge", BALL, "--steps", "1", "--plot", "/nowhere/a.svg")
    check("a place that cannot be written", result.returncode == 2 and "/nowhere/a.svg" in result.stderr and result.stdout == "")


def interruption_keeps_what_is_there():
    process = subprocess.Popen([PROGRAM, "converge", str(BALL), "--steps", "5/27,5/54,5e-8", "--norm", "l1", "--json"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    out, error = process.communicate(timeout=PATIENCE)
    check("status 130 and why: %s" % error, process.returncode == 130 and b"interrupted" in error)
    check("the rows before it", [r["steps"] for r in json.loads(out)["schemes"][0]["rows"]] == [27, 54])


orders_of_the_bouncing_ball()
json_holds_the_words_of_the_manual()
newton_iterations_are_counted()
table_csv_and_plot()
several_schemes()
references()
a_quaternion_and_its_negative_are_one_rotation()
a_body_that_turns_in_space()
impacts_without_an_end_are_an_answer()
bad_words()
interruption_keeps_what_is_there()
finish()
