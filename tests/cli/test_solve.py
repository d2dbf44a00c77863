#!/usr/bin/env python3
"""`slipstick solve`: problems that `run --dump-step` wrote, what is printed, and what is refused."""
import json
import math
import os
import signal
import subprocess
import sys
import time

from common import PATIENCE, PROGRAM, ROOT, TEMP, check, finish, refused, run, run_json, write

try:
    import h5py
    import numpy
except ImportError:
    print("test_solve.py: skipped: python3-h5py or python3-numpy is absent")
    sys.exit(77)

KEYS = ("solver", "outcome", "residual", "classical_error", "iterations", "wall_s", "u", "r")


def dump(scene, step, name):
    path = TEMP / name
    result = run("run", scene, "--until", "0.05", "--quiet", "--dump-step", step, path)
    check("%s: step %d is dumped: %s" % (scene.name, step, result.stderr), result.returncode == 0 and path.exists())
    return path


def a_dumped_step_is_solved_again_to_the_same_velocities():
    path = dump(ROOT / "scenes" / "slip_to_roll.json", 2, "step.hdf5")
    answer = run_json("solve", path, "--solver", "all")
    check("problem, form, dim and contacts are said", answer.get("problem") == str(path) and answer.get("form") == "global"
          and answer.get("dim") == 3 and answer.get("contacts") == 1)
    with h5py.File(path) as file:
        stored, rows = file["solution/u"][:], len(file["solution/u"])
    converged = 0
    for result in answer.get("results", []):
        check("%s has every key" % result.get("solver"), all(key in result for key in KEYS))
        if result["outcome"] == "not applicable":
            check("%s says why" % result["solver"], result.get("reason"))
            continue
        converged += result["outcome"] == "converged"
        check("%s: the certificate holds: %r" % (result["solver"], result["residual"]), result["residual"] <= 1e-10)
        # velocities are unique; both are within the tolerance of 1e-10 of the exact ones, which are of size 1 m/s
        check("%s: u as the run had it" % result["solver"],
              len(result["u"]) == len(result["r"]) == rows and max(abs(a - b) for a, b in zip(result["u"], stored)) < 1e-9)
    check("every solver has its turn, and some converged", converged >= 1 and
          {r["solver"] for r in answer["results"]} == {e["name"] for e in run_json("list", "solvers") or []})


def impulses_are_those_that_the_solver_found():
    """Pivoting puts the weight of a box on few of its corners; a run would spread it over all four."""
    box = {"type": "box", "size": [0.4, 0.3, 0.1], "material": "m"}
    floor = {"type": "half_space", "normal": [0, 0, 1], "material": "m"}
    scene = {"slipstick": 1, "dimension": 3, "gravity": [0, 0, -9.81], "time": {"until": 1, "step": 0.005},
             "scheme": {"name": "moreau", "cone": "polyhedral"}, "materials": [{"name": "m", "mu": 0.4, "e": 0}],
             "bodies": [{"name": "floor", "type": "fixed", "shapes": [floor]},
                        {"name": "box", "type": "rigid", "mass": 4, "position": [0, 0, 0.05], "shapes": [box]}]}
    path = dump(write("box.json", json.dumps(scene)), 2, "box.hdf5")
    result = run_json("solve", path, "--solver", "lemke")["results"][0]
    normal = result["r"][::3]
    check("lemke converged with the whole weight: %r" % normal,
          result["outcome"] == "converged" and abs(sum(normal) - 4 * 9.81 * 0.005) < 1e-9)
    check("some corner bears next to nothing: %r" % normal, len(normal) == 4 and min(normal) < 1e-9)


def threads_do_not_change_a_bit():
    """A shallow pile with more contacts than a thread takes at a time."""
    pile = TEMP / "threads.json"
    run("generate", "pile", "--bodies", 1500, "--width", 4, "-o", pile)
    path = TEMP / "threads.hdf5"
    run("run", pile, "--until", 0.2, "--step", "1/240", "--solver-tol", 1e-4, "--quiet", "--dump-step", 48, path)
    answers = [run_json("solve", path, "--solver", "nsgs", "--solver-tol", 1e-4, "--threads", n)["results"][0] for n in (1, 2, 3)]
    check("contacts for several threads: %d" % (len(answers[0]["r"]) / 3), len(answers[0]["r"]) > 3 * 1024)
    check("the same bits on 1, 2 and 3 threads", all(a["r"] == answers[0]["r"] and a["u"] == answers[0]["u"] for a in answers))
    refused("no thread", run("solve", path, "--threads", 0), "--threads", "expected a whole number >= 1")


def without_json_there_is_a_table():
    path = dump(ROOT / "scenes" / "slip_to_roll.json", 1, "table.hdf5")
    result = run("solve", path)
    lines = result.stdout.splitlines()
    check("a line about the problem, a header, a line for the solver: %r" % lines, result.returncode == 0 and len(lines) == 3
          and "global, 3D, 1 contacts" in lines[0] and lines[2].startswith("auto") and "converged" in lines[2])


def options_that_do_not_fit_are_refused():
    path = dump(ROOT / "scenes" / "slip_to_roll.json", 1, "options.hdf5")
    refused("no file", run("solve"), "no problem given")
    refused("a solver that is not there", run("solve", path, "--solver", "lemkee"), "unknown solver", "lemke")
    refused("a law that is not there", run("solve", path, "--law", "colomb"), "unknown law", "coulomb")
    refused("a tolerance", run("solve", path, "--solver-tol", "0"), "--solver-tol: expected a number > 0")
    refused("a solver that cannot", run("solve", path, "--solver", "lemke", "--law", "coulomb"), "solver lemke takes the laws")


def files_that_are_not_problems_are_refused():
    whole = dump(ROOT / "scenes" / "slip_to_roll.json", 1, "whole.hdf5").read_bytes()
    refused("an absent file", run("solve", TEMP / "absent.hdf5"), "absent.hdf5: cannot be opened")
    refused("a folder", run("solve", TEMP), "expected a file")
    refused("an empty file", run("solve", write("empty.hdf5", b"")), "empty.hdf5: the file is empty")
    refused("a text", run("solve", write("text.hdf5", "hello")), "text.hdf5: not an HDF5 file")
    for part in (0.1, 0.5, 0.9, 0.999):
        cut = write("cut.hdf5", whole[:int(part * len(whole))])
        refused("%g of a file" % part, run("solve", cut), "cut.hdf5: an HDF5 file that is cut off or damaged")


def rolling_friction_is_solved():
    folder = os.environ.get("SLIPSTICK_FCLIB")
    rolling = folder and os.path.join(folder, "Chute-ndof-768-nc-4-3.hdf5")
    if rolling and os.path.exists(rolling):
        for solver in ("auto", "nsgs"):
            answer = json.loads(run("solve", rolling, "--solver", solver, "--solver-tol", "1e-8", "--json").stdout)
            result = answer["results"][0]
            check("four contacts with moments", answer["contacts"] == 4 and answer["law"] == "coulomb,rolling")
            check("rolling friction by " + solver, result["outcome"] == "converged" and result["residual"] <= 1e-8)
            check("the classical residual too", result["classical_error"] <= 1e-8)


def changed(name, change):
    path = TEMP / name
    path.write_bytes(dump(ROOT / "scenes" / "slip_to_roll.json", 1, "original.hdf5").read_bytes())
    with h5py.File(path, "r+") as file:
        change(file)
    return path


def numbers_that_do_not_fit_are_named():
    def set_value(name, value):
        def change(file):
            file[name][0] = value
        return change
    for name, value, words in (("fclib_global/vectors/mu", -1, "number 0 is -1, expected >= 0"),
                               ("fclib_global/vectors/w", math.nan, "number 0 is nan"),
                               ("fclib_global/spacedim", 7, "is 7, expected 2 or 3"),
                               ("fclib_global/H/i", 99, "number 0 is 99"),
                               ("fclib_global/M/nz", -9, "is -9")):
        refused("%s = %g" % (name, value), run("solve", changed("bad.hdf5", set_value(name, value))), name, words)
    for name in ("fclib_global/M", "fclib_global/vectors/f", "fclib_global/H/x"):
        def drop(file):
            del file[name]
        refused("no %s" % name, run("solve", changed("less.hdf5", drop)), name, "missing")


def big_problem():
    """Local, many contacts on one body, hard for any solver: long enough to be interrupted."""
    n, random = 400, numpy.random.default_rng(1)
    a = random.standard_normal((3 * n, 6))
    w = a @ a.T
    path = TEMP / "big.hdf5"
    with h5py.File(path, "w") as file:
        root = file.create_group("fclib_local")
        root["spacedim"] = numpy.array([2], "i4")
        m = 2 * n
        group = root.create_group("W")
        for key, value in (("m", m), ("n", m), ("nz", -2), ("nzmax", m * m)):
            group[key] = numpy.array([value], "i4")
        group["p"] = numpy.arange(0, m * m + 1, m, "i4")
        group["i"] = numpy.tile(numpy.arange(m, dtype="i4"), m)
        group["x"] = w[:m, :m].ravel()
        root["vectors/q"] = random.standard_normal(m) - 1
        root["vectors/mu"] = numpy.full(n, 0.5)
    return path


def an_interrupt_or_a_time_limit_ends_a_solver():
    path = big_problem()
    start = time.monotonic()
    result = run("solve", path, "--solver", "all", "--solver-tol", "1e-15", "--time-limit", "0.05")
    check("a time limit of 0.05 s for each solver is kept: %r %r" % (result.stdout, result.stderr),
          result.returncode in (0, 1) and time.monotonic() - start < 10)
    process = subprocess.Popen([PROGRAM, "solve", str(path), "--solver", "all", "--solver-tol", "1e-15", "--json"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    check("an interrupted solve ends with a status and whole JSON, not a signal: %d %r" % (process.returncode, err),
          process.returncode in (0, 130) and out.strip().startswith(b"{") and out.strip().endswith(b"}"))


a_dumped_step_is_solved_again_to_the_same_velocities()
impulses_are_those_that_the_solver_found()
threads_do_not_change_a_bit()
without_json_there_is_a_table()
options_that_do_not_fit_are_refused()
files_that_are_not_problems_are_refused()
rolling_friction_is_solved()
numbers_that_do_not_fit_are_named()
an_interrupt_or_a_time_limit_ends_a_solver()
finish()
