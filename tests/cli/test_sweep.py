#!/usr/bin/env python3
"""slipstick sweep: a grid of runs as a table; the same bytes for any number of threads; rows that are there are kept."""
import csv
import math

from common import ROOT, TEMP, check, finish, refused, run, run_json, write

FALL = write("fall.json", {
    "slipstick": 1, "dimension": 2, "parameters": {"g": 10, "y0": 1}, "gravity": [0, "-g"], "time": {"until": 0.25, "step": "1/64"},
    "bodies": [{"name": "stone", "type": "particle", "mass": 1, "position": [0, "y0"]}]})
GRID = ("--set", "parameters.y0=1:2:3", "--set", "parameters.g=1:4:4")


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


one, many = TEMP / "one.csv", TEMP / "many.csv"
result = run("sweep", FALL, *GRID, "--threads", 1, "-o", one)
check("a grid of 3 x 4 runs: %s" % result.stderr, result.returncode == 0 and "12 of 12 rows, 0 of them from before" in result.stdout)
rows = rows_of(one)
check("the last axis changes fastest", [(row["parameters.y0"], row["parameters.g"]) for row in rows[:5]] ==
      [("1", "1"), ("1", "2"), ("1", "3"), ("1", "4"), ("1.5", "1")])
check("every run fell by its own gravity: v = -g t",
      all(row["outcome"] == "done" and math.isclose(float(row["stone.vy"]), -0.25 * float(row["parameters.g"]), rel_tol=1e-12) for row in rows))
single = run_json("run", FALL, "--set", "parameters.y0=1.5", "--set", "parameters.g=3")
check("a row has the digits of the run itself", [float(rows[6][k]) for k in ("stone.x", "stone.y", "stone.vx", "stone.vy")] ==
      single["q"] + single["v"] and int(rows[6]["steps"]) == single["steps"])
run("sweep", FALL, *GRID, "--threads", 4, "-o", many, "--quiet")
check("four threads give the same bytes", one.read_bytes() == many.read_bytes())

# ---- resuming -------------------------------------------------------------------------------------------

whole = one.read_bytes()
for kept, bytes_left in ((5, len(b"".join(whole.splitlines(True)[:6])) + 7), (0, 20), (12, len(whole))):
    many.write_bytes(whole[:bytes_left])
    result = run("sweep", FALL, *GRID, "-o", many)
    check("a table of %d rows is completed to the same bytes" % kept,
          many.read_bytes() == whole and "12 of 12 rows, %d of them from before" % kept in result.stdout)
refused("the table of another grid", run("sweep", FALL, "--set", "parameters.y0=1:2:3", "-o", many), "many.csv", "it holds another table")
refused("the same axes with other values", run("sweep", FALL, "--set", "parameters.y0=1:2:3", "--set", "parameters.g=1:5:4", "-o", many),
        "it holds another table")
check("and it stays as it was", many.read_bytes() == whole)

# ---- what cannot run ---------------------------------------------------------------------------------------

table = TEMP / "masses.csv"
result = run("sweep", FALL, "--set", "bodies.stone.mass=1:-1:3", "-o", table, "--quiet")
rows = rows_of(table)
check("runs that are refused have a row that says so", [row["outcome"] for row in rows] == ["done", "refused", "refused"] and
      rows[1]["stone.y"] == "" and "row 2: " in result.stderr and "mass" in result.stderr)
refused("no axis", run("sweep", FALL, "--set", "parameters.g=3", "-o", table), "no --set PATH=A:B:N")
refused("a path that is not there", run("sweep", FALL, "--set", "bodies.stine.mass=1:2:3", "-o", TEMP / "x.csv"), "stine")
check("no table", run("sweep", FALL, *GRID).returncode == 2)
refused("too many runs", run("sweep", FALL, "--set", "parameters.g=1:2:1e7", "--set", "parameters.y0=1:2:2", "-o", table), "more than")
check("a file that cannot be written", run("sweep", FALL, *GRID, "-o", TEMP / "nowhere" / "t.csv").returncode == 2)
check("scenes are found by name", run("sweep", "scenes/cradle.json", "--set", "materials.0.e=0.5:1:2", "--until", "0.01", "-o", TEMP / "c.csv",
                                      cwd=ROOT).returncode == 0)

finish()
