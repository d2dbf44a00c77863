#!/usr/bin/env python3
"""slipstick sweep: a grid of runs as a table; the same bytes for any number of threads; rows that are there are kept."""
import csv
import math
import resource

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
for text in (b"a note without an end of line", b"parameters.y0,parameters.h", whole[:-1] + b",\n", whole.splitlines(True)[0] + b"1,7",
             whole + b"more"):
    many.write_bytes(text)
    refused("a file that ends in %r is no table that was cut off" % text[-20:], run("sweep", FALL, *GRID, "-o", many), "many.csv")
    check("the file that ends in %r stays as it was" % text[-20:], many.read_bytes() == text)

many.write_bytes(b"".join(whole.splitlines(True)[:6]))
part = many.read_bytes()
edited = write("edited.json", FALL.read_text().replace("0.25", "0.5"))
for what, scene, words in (("an edited scene", edited, ()), ("another scheme", FALL, ("--scheme", "schatzman_paoli")),
                           ("another solver", FALL, ("--solver", "nsgs")), ("another step", FALL, ("--step", "1/32")),
                           ("a tolerance", FALL, ("--tol", "1e-3")), ("another end", FALL, ("--until", "0.125")),
                           ("another setting of all runs", FALL, ("--set", "bodies.stone.mass=2"))):
    refused("rows that were computed with %s are not mixed with others" % what, run("sweep", scene, *GRID, *words, "-o", many),
            "many.csv", "another scene or of other options")
    check("the table of %s stays as it was" % what, many.read_bytes() == part)

# ---- what cannot run ---------------------------------------------------------------------------------------

table = TEMP / "masses.csv"
result = run("sweep", FALL, "--set", "bodies.stone.mass=1:-1:3", "-o", table, "--quiet")
rows = rows_of(table)
check("runs that are refused have a row that says so", [row["outcome"] for row in rows] == ["done", "refused", "refused"] and
      rows[1]["stone.y"] == "" and "row 2: " in result.stderr and "mass" in result.stderr)
result = run("sweep", FALL, "--set", "bodies.stone.mass=-1:1:3", "-o", TEMP / "late.csv", "--quiet")
check("a first row that is refused does not end the sweep: %s" % result.stderr, result.returncode == 0 and
      [row["outcome"] for row in rows_of(TEMP / "late.csv")] == ["refused", "refused", "done"])
result = run("sweep", FALL, "--set", "bodies.stone.mass=-1:-2:64", "--set", "parameters.g=1:2:1", "-o", TEMP / "none.csv")
refused("a grid without a valid scene", result, "mass")
check("leaves no table", not (TEMP / "none.csv").exists())
bar = write("bar.json", {
    "slipstick": 1, "dimension": 2, "parameters": {"n": 3}, "gravity": [0, 0], "time": {"until": 0.01, "step": 0.005},
    "elements": [{"name": "bar", "type": "bar", "size": [1, 0.1], "divisions": "n", "E": 1, "density": 1}]})
result = run("sweep", bar, "--set", "parameters.n=40:2:3", "-o", TEMP / "bar.csv", "--quiet")
rows = rows_of(TEMP / "bar.csv")
check("a row with another number of coordinates is refused: %s" % result.stderr, [row["outcome"] for row in rows] ==
      ["done", "refused", "refused"] and "row 2: the scene has" in result.stderr and "columns of the table" in result.stderr)
result = run("sweep", FALL, "--set", "bodies.stone.mass=1:-100:102", "--threads", 8, "-o", TEMP / "said.csv", "--quiet")
check("each refused row is told of once", sorted(int(line.split()[1][:-1]) for line in result.stderr.splitlines()) == list(range(2, 103)))
refused("no axis", run("sweep", FALL, "--set", "parameters.g=3", "-o", table), "no --set PATH=A:B:N")
refused("a path that is not there", run("sweep", FALL, "--set", "bodies.stine.mass=1:2:3", "-o", TEMP / "x.csv"), "stine")
check("no table", run("sweep", FALL, *GRID).returncode == 2)
refused("too many runs", run("sweep", FALL, "--set", "parameters.g=1:2:1e7", "--set", "parameters.y0=1:2:2", "-o", table), "more than")
check("a file that cannot be written", run("sweep", FALL, *GRID, "-o", TEMP / "nowhere" / "t.csv").returncode == 2)
for value in ("1:2", "1:2:1.5", "1:2:0", "1:2:3:4", "1:x:3", "1:2:"):
    refused("the range %s" % value, run("sweep", FALL, "--set", "parameters.g=" + value, "-o", TEMP / "x.csv"), "parameters.g=" + value,
            "expected a range A:B:N")
refused("nine axes", run("sweep", FALL, *["--set", "parameters.g=1:2:2"] * 9, "-o", TEMP / "x.csv"), "at most 8 ranges")
refused("a device", run("sweep", FALL, *GRID, "-o", "/dev/full", timeout=60), "/dev/full", "expected a regular file")
refused("a pipe", run("sweep", FALL, *GRID, "-o", "/dev/stdout", timeout=60), "/dev/stdout", "expected a regular file")
for room in (100, 1000):
    result = run("sweep", FALL, *GRID, "-o", TEMP / ("full%d.csv" % room), "--quiet", restore_signals=False,
                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room)))
    check("a disk with room for %d bytes: status %d, %r" % (room, result.returncode, result.stderr),
          result.returncode == 1 and result.stderr.count("cannot be written") == 1)
piped = TEMP / "piped.csv"
result = run("sweep", "-", *GRID, "--threads", 3, "-o", piped, "--quiet", input=FALL.read_bytes())
check("a scene from standard input gives the same bytes: %s" % result.stderr, result.returncode == 0 and piped.read_bytes() == whole)
refused("a scene that is not there", run("sweep", TEMP / "no.json", *GRID, "-o", TEMP / "x.csv"), "no.json", "cannot be opened")
refused("a folder as scene", run("sweep", TEMP, *GRID, "-o", TEMP / "x.csv"), "cannot be read")
check("scenes are found by name", run("sweep", "scenes/cradle.json", "--set", "materials.0.e=0.5:1:2", "--until", "0.01", "-o", TEMP / "c.csv",
                                      cwd=ROOT).returncode == 0)

finish()
