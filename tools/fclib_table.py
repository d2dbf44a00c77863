#!/usr/bin/python3
"""The table of docs/limits.md: every FCLIB problem by every solver, with its outcome.

    tools/fclib_table.py SLIPSTICK FOLDER [SECONDS]     run all of them, at most so long each (60), and write the table

A cell is the outcome, the residual and the seconds; `-` where the solver does not take the problem. Cells that take
longer than SLOW seconds are marked `slow`: the tests leave them out. tests/cli/test_fclib.py compares."""
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
LIMITS = ROOT / "docs" / "limits.md"
OPEN, CLOSE = "<!-- fclib -->\n", "<!-- end fclib -->"
TOL = 1e-6    # on the certificate
LIMIT = 60.0  # s for one problem and one solver
SLOW = 1.0    # s; longer ones are not run by the tests


def problems(folder):
    return sorted(path.name for path in pathlib.Path(folder).glob("*.hdf5"))


def solvers(program):
    """{name: law}, in the order of the registry."""
    listed = subprocess.run([program, "list", "solvers", "--json"], check=True, stdout=subprocess.PIPE, text=True)
    return {entry["name"]: law_of(entry) for entry in json.loads(listed.stdout)}


def law_of(entry):
    """The law a solver is asked for: the files' own, but for those that solve convex programs alone."""
    return "coulomb" if {"coulomb", "polyhedral"} & set(entry["laws"]) else "associated"


def solve(program, path, solver, law, limit=LIMIT):
    """{outcome, residual, wall_s} of one solver; outcome "refused" with the reason if the file is."""
    environment = dict(os.environ, OPENBLAS_NUM_THREADS="1")
    call = subprocess.run([program, "solve", str(path), "--solver", solver, "--law", law, "--solver-tol", str(TOL),
                           "--time-limit", str(limit), "--json"], capture_output=True, text=True, env=environment)
    if call.returncode == 2:
        taken = "solver %s" % solver not in call.stderr
        return {"outcome": "refused" if taken else "not applicable", "reason": call.stderr.strip().split(": ", 1)[-1]}
    answer = json.loads(call.stdout)
    return dict(answer["results"][0], contacts=answer["contacts"], dim=answer["dim"], form=answer["form"])


def cell(result):
    if result["outcome"] == "not applicable":
        return "-"
    if result.get("residual") is None:
        return "%s, %.2g s%s" % (result["outcome"], result["wall_s"], ", slow" if result["wall_s"] > SLOW else "")
    return "%s, %.1e, %.2g s%s" % (result["outcome"], result["residual"], result["wall_s"],
                                   ", slow" if result["wall_s"] > SLOW else "")


def row(program, folder, name, names, limit):
    results = [solve(program, pathlib.Path(folder) / name, solver, law, limit) for solver, law in names.items()]
    known = next((r for r in results if "contacts" in r), None)
    refused = next((r["reason"] for r in results if r["outcome"] == "refused"), None)
    if refused:
        return [name, "", *(["refused: " + refused.split(": ")[-1]] + [""] * (len(names) - 1))], False
    size = "%s, %dD, %d" % (known["form"], known["dim"], known["contacts"]) if known else ""
    done = any(r["outcome"] == "converged" for r, law in zip(results, names.values()) if law == "coulomb")
    return [name, size, *map(cell, results)], done


def read_table():
    """{problem: {solver: cell}} as the docs have it."""
    text = LIMITS.read_text().split(OPEN)[1].split(CLOSE)[0]
    lines = [[part.strip() for part in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]
    return {line[0]: dict(zip(lines[0][2:], line[2:])) for line in lines[2:]}


def make(program, folder, limit):
    names, rows, solved = solvers(program), [], 0
    for name in problems(folder):
        line, done = row(program, folder, name, names, limit)
        print(" | ".join(line), flush=True)
        rows.append(line)
        solved += done
    head = ["problem", "form, contacts", *names]
    lines = ["| " + " | ".join(line) + " |" for line in [head] + rows]
    lines.insert(1, "|" + "---|" * len(head))
    convex = ", ".join(name for name, law in names.items() if law == "associated")
    return "%d of %d problems are solved to %g by some solver. Columns %s: the associated law on the same data.\n\n%s\n" % (
        solved, len(rows), TOL, convex, "\n".join(lines))


def main():
    text = LIMITS.read_text()
    table = make(os.path.abspath(sys.argv[1]), sys.argv[2], float(sys.argv[3]) if len(sys.argv) > 3 else LIMIT)
    LIMITS.write_text(re.sub(re.escape(OPEN) + ".*?" + re.escape(CLOSE), lambda _: OPEN + table + CLOSE, text, flags=re.S))


if __name__ == "__main__":
    main()
