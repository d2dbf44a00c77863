#!/usr/bin/env python3
"""Steps chosen by a tolerance: --tol, output times, checkpoints, --strict, converge --tols, what is refused."""
import csv
import json

from common import ROOT, TEMP, check, finish, refused, run, run_json

ACA09 = ROOT / "papers" / "aca09"
BALL = ACA09 / "ball.json"


def rows_of(path):
    with open(path) as file:
        return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]


def a_tolerance_chooses_the_steps():
    loose = run_json("run", BALL, "--tol", "1e-3")
    tight = run_json("run", BALL, "--tol", "1e-5")
    check("the tolerance is in the result", loose["tol"] == 1e-3 and run_json("run", BALL)["tol"] is None)
    check("a smaller one takes more steps", tight["steps"] > 5 * loose["steps"])
    check("steps differ in length", loose["shortest_step"] < 0.1 * loose["longest_step"])
    check("no error is left unmet", loose["unmet_steps"] == 0 and loose["max_unmet_error"] == 0 and loose["warnings"] == [])
    check("the run ends in time", loose["t"] == 5)
    check("rejected steps are counted", loose["rejected"] > 0)
    # three steps of the scheme for two that are accepted, each a problem at least where there is contact
    check("the work of trials is counted", loose["lcps"] > 1.5 * loose["steps"])
    first = run_json("run", BALL, "--tol", "1e-3", "--step", "1e-4")
    check("--step is the first step", first["step"] == 1e-4 and first["shortest_step"] == 0.5e-4)
    text = run("run", BALL, "--tol", "1e-3").stdout
    check("the summary tells the range of steps", "tolerance 0.001" in text and "rejected" in text)


def states_are_written_at_multiples_of_every():
    out = TEMP / "ball.csv"
    check("it runs", run("run", BALL, "--tol", "1e-3", "--every", "0.1", "--until", "2.25", "-o", out, "--quiet").returncode == 0)
    rows = rows_of(out)
    check("one row for every multiple, and the last state", len(rows) == 24 and rows[-1]["t"] == 2.25)
    check("at the multiples", all(abs(row["t"] - 0.1 * k) < 1e-14 for k, row in enumerate(rows[:-1])))
    # Euler in free fall: v is exact, y off by half a step times the speed
    check("velocities are exact in free fall", all(abs(row["ball.vy"] + 2 * row["t"]) < 1e-12 for row in rows[:10]))
    check("positions nearly so", all(abs(row["ball.y"] - 1 + row["t"] ** 2) < 0.03 for row in rows[:10]))
    check("energies are those of the row", all(abs(row["kinetic"] - row["ball.vy"] ** 2 / 2) < 1e-12 for row in rows))
    check("and potentials", all(abs(row["potential"] - 2 * row["ball.y"]) < 1e-12 for row in rows))
    check("the floor is not passed", all(row["ball.y"] > -1e-12 for row in rows))
    dense, same = run_json("run", BALL, "--tol", "1e-3", "--every", "0.01", "-o", TEMP / "a.h5"), run_json("run", BALL, "--tol", "1e-3")
    check("output times do not change the steps", dense["q"] == same["q"] and dense["steps"] == same["steps"])


def quaternions_between_steps_are_of_unit_length():
    out = TEMP / "arm.csv"
    check("it runs", run("run", ROOT / "scenes/arm.json", "--tol", "1e-3", "--until", ".1", "--every", ".001", "-o", out, "--quiet").returncode == 0)
    rows = rows_of(out)
    bodies = [key[:-3] for key in rows[0] if key.endswith(".qw")]
    sizes = [sum(row[body + part] ** 2 for part in (".qw", ".qx", ".qy", ".qz")) for row in rows for body in bodies]
    check("101 rows, quaternions", len(rows) == 101 and bodies and all(abs(size - 1) < 1e-12 for size in sizes))


def a_run_continues_from_its_checkpoints():
    saved, saved_end = TEMP / "ball.ck", TEMP / "end.ck"
    straight = run_json("run", BALL, "--tol", "1e-4")
    # stopped wherever a step first passes a multiple: between the halves of a trial as often as not
    for every in ("0.3", "0.7", "1.1", "1.9"):
        part = run("run", BALL, "--tol", "1e-4", "--checkpoint", saved, "--checkpoint-every", every, "--until", "5",
                   "--set", "time.h_max=0.5", "--quiet", "--json")
        check("it runs with checkpoints", part.returncode == 0)
        check("checkpoints change nothing", json.loads(part.stdout)["q"] == straight["q"])
    first = run_json("run", BALL, "--tol", "1e-4", "--until", "2.5", "--set", "time.h_max=0.5", "--set", "time.h_min=5e-7", "--checkpoint", saved_end)
    again = run_json("run", BALL, "--tol", "1e-4", "--restart", saved_end)
    check("a run in two parts ends in time", first["t"] == 2.5 and again["t"] == 5)
    check("with few steps more", abs(again["steps"] - straight["steps"]) <= 8)
    check("close to the straight one", abs(again["q"][1] - straight["q"][1]) < 1e-3)
    fixed = run_json("run", BALL, "--restart", saved_end)
    check("fixed steps may follow", fixed["tol"] is None and fixed["t"] == 5)


def what_cannot_be_met_is_said():
    words = ("run", BALL, "--tol", "1e-6", "--set", "time.h_min=0.01")
    loose = run_json(*words)
    check("the unmet error is in the summary", loose["unmet_steps"] > 100 and loose["max_unmet_error"] > 10)
    check("and among the warnings", any("was not met" in line for line in loose["warnings"]))
    check("a warning on stderr", "warning: the tolerance 1e-06 was not met" in run(*words).stderr)
    strict = run(*words, "--strict", "--quiet")
    check("--strict ends with status 1", strict.returncode == 1 and strict.stdout == "")
    check("it says when, who and how far off: %s" % strict.stderr,
          all(part in strict.stderr for part in ("t = 0:", "0.01 s", "ball", "times the tolerance 1e-06")))


def absurd_tolerances_are_refused():
    for value, part in [("0", "--tol"), ("-1e-3", "--tol"), ("nan", "--tol"), ("1", "time.tol"), ("7", "time.tol"), ("1e-30", "time.tol")]:
        refused("--tol %s" % value, run("run", BALL, "--tol", value), part)
    refused("h_min above h_max", run("run", BALL, "--tol", "1e-3", "--set", "time.h_min=2"), "time.h_min")
    refused("a bound of zero", run("run", BALL, "--tol", "1e-3", "--set", "time.h_max=0"), "time.h_max")
    refused("converge with absurd tolerances", run("converge", BALL, "--tols", "2,1e-3"), "time.tol")


def errors_fall_with_the_tolerance():
    for scene in ("ball", "oscillator"):
        result = run_json("converge", ACA09 / (scene + ".json"), "--scheme", "anitescu_potra", "--tols", "1e-3,1e-4,1e-5,1e-6", "--norm", "l1")
        rows = result["schemes"][0]["rows"]
        errors = [row["error"] for row in rows]
        # order 1, error per step: sqrt(10) = 3.2 a time in theory, 32 over all; where steps are few it is uneven
        check("%s: errors %s" % (scene, errors), all(b < a / 2 for a, b in zip(errors, errors[1:])) and errors[3] < errors[0] / 16)
        check("rows are by tolerance", [row["tol"] for row in rows] == [1e-3, 1e-4, 1e-5, 1e-6])
    fixed = run_json("converge", BALL, "--steps", "5/108,5/216", "--set", "time.tol=1e-3")["schemes"][0]["rows"]
    check("--steps are fixed whatever the scene says", [row["steps"] for row in fixed] == [108, 216])


a_tolerance_chooses_the_steps()
states_are_written_at_multiples_of_every()
quaternions_between_steps_are_of_unit_length()
a_run_continues_from_its_checkpoints()
what_cannot_be_met_is_said()
absurd_tolerances_are_refused()
errors_fall_with_the_tolerance()
finish()
