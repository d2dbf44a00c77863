#!/usr/bin/env python3
"""What a tolerance is worth, for every scheme: the error falls with it, and that of event_capturing_rk is at most 100 tolerances.
No scheme hides its error by cutting its own steps; slips within a step are seen; steps do not depend on how long the run is.

SLIPSTICK_FULL=1 runs a random system of every kind by every scheme at its two largest tolerances, otherwise two of them.
tests/random/tolerance.py runs as many as wanted."""
import csv
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "random"))
from common import PROGRAM, ROOT, SANITIZED, TEMP, check, finish, run, run_json  # noqa: E402
import survey  # noqa: E402
import tolerance  # noqa: E402
import tolerance_scene  # noqa: E402

FULL = os.environ.get("SLIPSTICK_FULL") == "1" and not SANITIZED
SEEDS = (0, 3, 4, 5, 7, 8) if FULL else (3, 5)
LIMIT = 2  # s of the processor: later runs are not judged
RK = ("--scheme", "event_capturing_rk")

PENDULUM = {"slipstick": 1, "dimension": 2, "gravity": [0, -9.81], "time": {"until": 10},
            "bodies": [{"name": "bob", "type": "particle", "mass": 1, "position": [-1, 0]}],
            "joints": [{"type": "distance", "bodies": ["world", "bob"]}]}
BALL = [{"type": "sphere", "radius": 0.1, "material": "m"}]
STRIKE = {"slipstick": 1, "dimension": 2, "gravity": [0, 0], "time": {"until": 1}, "materials": [{"name": "m", "e": 1, "mu": 0}],
          "bodies": [{"name": "A", "type": "particle", "mass": 1, "position": [-0.31, 0], "velocity": [1, 0], "shapes": BALL},
                     {"name": "B", "type": "particle", "mass": 1.3, "position": [0.2, 0], "shapes": BALL}],
          "forces": [{"type": "spring", "bodies": ["world", "B"], "anchors": [[10.2, 0], [0, 0]], "stiffness": 1e4, "length": 10}]}
SHAKEN = {"slipstick": 1, "dimension": 2, "gravity": [0, -9.81], "time": {"until": 3},
          "materials": [{"name": "m", "mu": 0.5, "e": 0}],
          "bodies": [{"name": "block", "type": "particle", "mass": 1, "position": [0, 0], "shapes": [{"type": "point", "material": "m"}]},
                     {"name": "table", "type": "fixed", "shapes": [{"type": "half_space", "normal": [0, 1], "material": "m"}]}],
          "forces": [{"type": "sinusoid", "body": "block", "force": [5.2, 0], "omega": 2}]}


def write(name, scene):
    path = TEMP / (name + ".json")
    path.write_text(json.dumps(scene))
    return path


def largest(a, b):
    return max(abs(x - y) for x, y in zip(a["q"], b["q"]))


def errors_of(scene, step, tols, *words):
    reference = run_json("run", scene, *words, "--step", step)
    return [largest(run_json("run", scene, *words, "--tol", tol), reference) for tol in tols]


def a_scheme_that_halves_its_own_steps_does_not_hide_its_error():
    # Newton's method does not take steps of more than a third of a second; one step and two halves were the same stretches
    errors = errors_of(write("pendulum", PENDULUM), "5e-4", ("1e-4", "1e-6", "1e-8"), *RK)
    check("errors %s" % errors, errors[1] < errors[0] / 20 and errors[2] < errors[1] / 20 and errors[1] < 3e-4)


def what_follows_an_event_within_a_step_is_seen():
    # the stretch from the impact to the end of the step was one and the same for a whole step and for its second half
    errors = errors_of(write("strike", STRIKE), "1e-4", ("1e-4", "1e-6", "1e-8"), *RK)
    check("errors %s" % errors, errors[0] < 1e-4 and errors[1] < 1e-6 and errors[2] < 1e-8)


def a_slip_that_begins_and_ends_within_a_step_is_seen():
    # the force exceeds friction, 4.905 N, by 6 % for 0.34 s out of every 1.57 s
    scene = write("shaken", SHAKEN)
    errors = errors_of(scene, "1e-3", ("1e-4", "1e-6", "1e-8"), *RK)
    check("located: errors %s" % errors, errors[0] < 1e-4 and errors[1] < 1e-6 and errors[2] < 1e-8)
    slips = [event["t"] for event in run_json("run", scene, *RK, "--tol", "1e-3")["events"] if event["kind"] == "slip"]
    check("each half period has a slip: %s" % slips, len(slips) == 2)
    reference = run_json("run", scene, *RK, "--step", "1e-3")
    errors = [largest(run_json("run", scene, "--scheme", "moreau", "--tol", tol), reference) for tol in ("1e-3", "1e-5")]
    check("by mean forces: errors %s" % errors, errors[0] < 1e-3 and errors[1] < 1e-5)


def first_steps(scene, until, *words):
    out = TEMP / "steps.csv"
    check("it runs", run("run", scene, *words, "--until", until, "-o", out, "--quiet").returncode == 0)
    with open(out) as file:
        return [row["t"] for row in csv.DictReader(file)][:9]


def the_first_steps_do_not_depend_on_how_long_the_run_is():
    for scheme in "event_capturing_rk", "anitescu_potra", "moreau":
        words = ("--scheme", scheme, "--tol", "1e-4")
        for scene in write("pendulum", PENDULUM), write("shaken", SHAKEN), ROOT / "papers/aca09/oscillator.json":
            short, long = first_steps(scene, 4, *words), first_steps(scene, 20, *words)
            check("%s, %s: %s and %s" % (scheme, scene.name, short, long), short == long)


def errors_fall_with_the_tolerance_in_random_systems():
    entries = survey.schemes(PROGRAM)
    for seed in SEEDS:
        result = tolerance.judge_seed(PROGRAM, seed, entries, LIMIT, brief=True)
        check("%s is not chaotic" % result["name"], result["made"] is not None)
        check("errors fall: %s" % tolerance.offenders([result]), not tolerance.offenders([result]))
    kinds = {seed % len(tolerance_scene.KINDS) for seed in SEEDS}
    check("systems of every kind are among them", not FULL or len(kinds) == len(tolerance_scene.KINDS))


a_scheme_that_halves_its_own_steps_does_not_hide_its_error()
what_follows_an_event_within_a_step_is_seen()
a_slip_that_begins_and_ends_within_a_step_is_seen()
the_first_steps_do_not_depend_on_how_long_the_run_is()
errors_fall_with_the_tolerance_in_random_systems()
finish()
