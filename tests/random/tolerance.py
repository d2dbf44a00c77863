#!/usr/bin/python3
"""tolerance.py - what a tolerance is worth: errors of random systems by every scheme, with steps chosen by --tol.

    tolerance.py SLIPSTICK [--seeds A..B] [--schemes all|NAME,..] [-j N] [--limit S] [--results FILE] [--docs]

The systems are those of tolerance_scene.py. For every scheme that takes one:

    error      in the norm of step control: the largest of all bodies' |x - x'|/(1 + |x - x0|) at MOMENTS times of the motion (at a
               single time it may pass through 0). Of event_capturing_rk also |v - v'|/(1 + |v|) at the end, unless an event is
               near; velocities of other schemes are means over a step where contacts or joints act
    falls      the error at tol/100 is at most FALLS of that at tol, or of tol if that is larger
    bounded    the error of event_capturing_rk is at most BOUND tolerances
    unmet      a run that says that it has not met the tolerance, or that it cannot keep it (friction that lifts what slips), is excused
    said       an error that does not fall so fast, but is no larger than the `accumulated_error` which the run reports, is counted, and
               is no miss: schemes of order 1 promise errors that go with tol^(3/4), and a touch at no speed makes of an error its root
    late       a run that takes more than --limit seconds of the processor (20) is counted, and not judged; neither are smaller
               tolerances, which are not tried
    cost       multiplier evaluations and Newton iterations at the largest tolerance, of those with the longest of the fixed steps
               until/(20 2^k) whose error is not larger

Reference: event_capturing_rk with fixed steps. Two of them have to agree to a tenth of the smallest tolerance, or the system is dropped as
chaotic and listed. Schemes with another friction law (anitescu_convex) are compared with themselves at a tenth of their smallest
tolerance. Schemes of order 1 stop at 1e-5 and those of order 2 at 1e-7: the number of steps goes with tol^(-1/(p+1)).

    --results FILE   has a line for what was done of a seed; schemes that it has already are not run again, and the table is that of
                     all. So a long run can be interrupted, and made in pieces, by seeds or by schemes
    --docs           writes the table into docs/step_control.md"""
import argparse
import concurrent.futures
import csv
import json
import math
import os
import pathlib
import re
import statistics
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import survey  # noqa: E402
import tolerance_scene  # noqa: E402

FALLS, BOUND = 0.2, 100
RK = "event_capturing_rk"
TOLS = {1: (1e-3, 1e-5), 2: (1e-3, 1e-5, 1e-7), 5: (1e-4, 1e-6, 1e-8, 1e-10)}
STEPS = (500, 1000, 4000, 8000, 16000)  # of the references
MOMENTS = 20               # at which positions are compared; a divisor of STEPS
NEAR_END = 0.02            # of the time: velocities jump at an event
FIXED = [MOMENTS * 2 ** k for k in range(8)]  # numbers of fixed steps
DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "step_control.md"
OPEN, CLOSE = "<!-- random systems -->\n", "<!-- end random systems -->"


def read_path(scene, table):
    """[{body: position}] at the MOMENTS"""
    with open(table, newline="") as file:
        rows = [row for row in csv.DictReader(file) if None not in row.values()]
    names = {name: [name + axis for axis in (".x", ".y", ".z")[:len(at)]] for name, at in places(scene).items()}
    return [{name: [float(row[key]) for key in keys] for name, keys in names.items()} for row in rows[1:]]


def run(program, scene, scheme, words, limit):
    """The report of a run, with its path; {} if it did not end in time or failed; None: not taken."""
    every = ["--every", repr(scene["time"]["until"] / MOMENTS)]
    ended = survey.run(program, scene, scheme, limit, *words, *every, read=read_path)
    if ended is None or ended["status"] != 0 or ended["late"]:
        return ended and {}
    return dict(ended["report"], path=ended["history"])


def apart(x, y, far):
    """Error of x beside y, far from where it is measured."""
    return math.dist(x, y) / (1 + math.hypot(*far))


def path_error(a, b, start):
    """Largest error of a body's position in report a, beside report b."""
    return max(apart(x[name], y[name], [p - q for p, q in zip(x[name], start[name])])
               for x, y in zip(a["path"], b["path"], strict=True) for name in start)


def full_error(a, b, start):
    """The same, and that of the last velocities if no event of b is near."""
    worst = path_error(a, b, start)
    for name in start if has_speeds(b) else ():
        for key in ("velocity", "angular_velocity"):
            x, y = a["bodies"][name].get(key), b["bodies"][name].get(key)
            if x is not None:
                x, y = (x, y) if isinstance(x, list) else ([x], [y])
                worst = max(worst, apart(x, y, x))
    return worst


def places(scene):
    return {body["name"]: body["position"] for body in scene["bodies"] if body["type"] in ("particle", "rigid")}


def has_speeds(report):
    """No event near the end?"""
    return all(event["t"] < (1 - NEAR_END) * report["t"] for event in report["events"])


def error_of(scheme):
    return full_error if scheme == RK else path_error


def find_reference(program, scene, tol, limit):
    """(report, how well two of them agree); None: they do not, the system is chaotic."""
    before = None
    for steps in STEPS:
        report = run(program, scene, RK, ["--step", str(scene["time"]["until"] / steps)], limit)
        if not report:
            return None
        if before:
            off = full_error(report, before, places(scene))
            if off <= 0.1 * tol:
                return report, off
        before = report
    return None


def differs(scene, scheme):
    """Does the scheme have another law than the reference?"""
    return scheme == "anitescu_convex" and any(material["mu"] > 0 for material in scene["materials"])


def unmet_of(report):
    """Steps in which the tolerance was not met, as the run says; 1 if it warns that it cannot be kept."""
    return report.get("unmet_steps", 0) or int(any(text.startswith("the tolerance") for text in report.get("warnings", [])))


def work_of(report):
    return report["multiplier_evals"] + report["newton"]


def find_cost(program, scene, name, other, row, limit):
    """Work of a row of measure(), of that with the longest fixed step whose error is no larger; None: there is none."""
    _, off, _, work, _ = row
    for steps in FIXED if off is not None else ():
        report = run(program, scene, name, ["--step", str(scene["time"]["until"] / steps)], limit)
        if report and error_of(name)(report, other, places(scene)) <= off:
            return work / max(work_of(report), 1)
    return None


def measure(program, seed, entry, reference, limit, brief):
    """{"rows": [(tol, error or None, unmet, work, accumulated error)] of a scheme, "cost"}; None if it does not take the system.
    Briefly: two tolerances, and no cost."""
    scene, name = tolerance_scene.scene(seed), entry["name"]
    tols = TOLS[5 if name == RK else max(1, min(2, int(entry["order"]["smooth"])))]
    tols = tols[:2] if brief else tols
    own = name != RK and differs(scene, name)
    other = run(program, scene, name, ["--tol", str(tols[-1] / 10)], limit) if own else reference
    rows, report = [], other
    for tol in tols if other else ():
        report = report and run(program, scene, name, ["--tol", str(tol)], limit)
        if report is None:
            return None
        off = error_of(name)(report, other, places(scene)) if report else None
        rows.append((tol, off, unmet_of(report), work_of(report) if report else 0, report.get("accumulated_error")))
    cost = None if brief or not rows else find_cost(program, scene, name, other, rows[0], limit)
    return {"rows": rows, "cost": cost} if rows else None


def slow_falls(rows):
    """(words, whether the run says so itself) of every error that does not fall as it should."""
    return [("error %.2g at tol %g, %.2g at %g" % (off, tol, less, fine), less <= said)
            for (tol, off, _, _, _), (fine, less, unmet, _, said) in zip(rows, rows[1:])
            if off is not None and less is not None and not unmet and less > FALLS * max(off, tol)]


def misses(name, rows):
    """What is wrong with the errors of a scheme, in words."""
    large = ["tol %g: error %.2g is %.0f tolerances" % (tol, off, off / tol) for tol, off, unmet, _, _ in rows
             if off is not None and name == RK and off > BOUND * tol and not unmet]
    return large + [words for words, said in slow_falls(rows) if not said]


def judge_seed(program, seed, entries, limit, brief=False):
    """{"seed", "name" of the system, "made": None if dropped, or what measure() says of every scheme}"""
    scene = tolerance_scene.scene(seed)
    found = find_reference(program, scene, TOLS[5][-1], limit)
    made = found and {entry["name"]: measure(program, seed, entry, found[0], limit, brief) for entry in entries}
    return {"seed": seed, "name": scene["name"], "made": made}


# ---- what is said of all ---------------------------------------------------------------------------------------


def of_scheme(results, name):
    """What measure() has said of a scheme, system by system."""
    return [result["made"][name] for result in results if result["made"] and result["made"].get(name)]


def errors_at(taken, tol):
    """"median, largest" of error/tol"""
    ratios = [off / tol for one in taken for at, off, *_ in one["rows"] if at == tol and off is not None]
    return "%.2g, %.2g" % (statistics.median(ratios), max(ratios)) if ratios else ""


def line(results, name, tols):
    taken = of_scheme(results, name)
    rows = [row for one in taken for row in one["rows"]]
    costs = [one["cost"] for one in taken if one["cost"]]
    return [f"`{name}`", len(taken), len(rows), sum(row[2] > 0 for row in rows), sum(row[1] is None for row in rows),
            sum(said for one in taken for _, said in slow_falls(one["rows"])), sum(bool(misses(name, one["rows"])) for one in taken),
            *(errors_at(taken, tol) for tol in tols),
            "%.2g" % statistics.median(costs) if costs else ""]


def table(results, entries):
    """A line for each scheme; schemes with other tolerances have a table of their own."""
    text = ""
    for tols, names in ((TOLS[2], [e["name"] for e in entries if e["name"] != RK]), (TOLS[5], [RK])):
        head = ["scheme", "systems", "runs", "unmet", "late", "said", "misses", *("%.0e" % tol for tol in tols), "cost"]
        lines = [head, ["---"] * len(head), *(line(results, name, tols) for name in names if of_scheme(results, name))]
        text += "".join("| %s |\n" % " | ".join(map(str, cells)) for cells in lines) + "\n"
    return text


def offenders(results):
    found = [(result["name"], scheme, misses(scheme, one["rows"])) for result in results
             for scheme, one in (result["made"] or {}).items() if one]
    return ["%s, `%s`: %s" % (name, scheme, "; ".join(wrong)) for name, scheme, wrong in found if wrong]


def summary(results, entries):
    dropped = [result["name"] for result in results if result["made"] is None]
    text = "%d systems, seeds %d to %d; %d dropped as chaotic%s.\n\n" % (
        len(results), results[0]["seed"], results[-1]["seed"], len(dropped), ": " + ", ".join(dropped) if dropped else "")
    return text + table(results, entries) + "".join("- %s\n" % wrong for wrong in offenders(results))


def write_docs(text):
    page = DOCS.read_text()
    DOCS.write_text(re.sub(re.escape(OPEN) + ".*?" + re.escape(CLOSE), lambda _: OPEN + text + CLOSE, page, flags=re.S))


# ---- the run ---------------------------------------------------------------------------------------------------


def join(results):
    """Those of the same seed as one, by their order."""
    joined = {}
    for result in results:
        known = joined.setdefault(result["seed"], result)
        dropped = known["made"] is None or result["made"] is None
        known["made"] = None if dropped else {**known["made"], **result["made"]}
    return [joined[seed] for seed in sorted(joined)]


def read_results(path):
    return join(json.loads(text) for text in path.read_text().splitlines()) if path and path.exists() else []


def lacking(entries, result):
    """Schemes that the result of a seed lacks; none if it was dropped."""
    return [entry for entry in entries if not result or (result["made"] is not None and entry["name"] not in result["made"])]


def run_all(options, entries, seeds, done):
    """`done`, with what it lacks of every seed; results are kept as they come."""
    lock = threading.Lock()
    had = {result["seed"]: result for result in done}

    def run_one(seed):
        left = lacking(entries, had.get(seed))
        if left:
            result = judge_seed(os.path.abspath(options.program), seed, left, options.limit)
            with lock:
                done.append(result)
                if options.results:
                    with options.results.open("a") as out:
                        out.write(json.dumps(result) + "\n")

    with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        for job in [pool.submit(run_one, seed) for seed in seeds]:
            job.result()
    return join(done)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--seeds", default="0..17")
    parser.add_argument("--schemes", default="all")
    parser.add_argument("-j", type=int, default=1)
    parser.add_argument("--limit", type=float, default=20)
    parser.add_argument("--results", type=pathlib.Path)
    parser.add_argument("--docs", action="store_true")
    options = parser.parse_args()
    first, _, last = options.seeds.partition("..")
    entries = survey.schemes(options.program, options.schemes)
    results = run_all(options, entries, range(int(first), int(last or first) + 1), read_results(options.results))
    text = summary(results, entries)
    print(text)
    if options.docs:
        write_docs(text)
    sys.exit(1 if offenders(results) else 0)


if __name__ == "__main__":
    main()
