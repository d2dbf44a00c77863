#!/usr/bin/python3
"""tolerance.py - what a tolerance is worth: errors of random systems by every scheme, with steps chosen by --tol.

    tolerance.py SLIPSTICK [--seeds A..B] [--schemes all|NAME,..] [-j N] [--limit S]

The systems are those of tolerance_scene.py. For every scheme that takes one:

    error      of the last state, in the norm of step control: the largest of all bodies' |x - x'|/(1 + |x - x0|); and
               |v - v'|/(1 + |v|) of event_capturing_rk, unless an event is near the end; those of other schemes are means
               over a step where contacts or joints act
    falls      the error at tol/100 is at most FALLS of that at tol, or of tol if that is larger
    bounded    the error of event_capturing_rk is at most BOUND tolerances
    unmet      a run that says that it has not met the tolerance is excused

Reference: event_capturing_rk with fixed steps. Two of them have to agree to a tenth of the smallest tolerance, or the system is dropped as
chaotic and listed. Schemes with another friction law (anitescu_convex), and those of order 1 through impacts with another
impact law, are compared with themselves at a tenth of their smallest tolerance. Schemes of order 1 stop at 1e-5 and those of
order 2 at 1e-7: the number of steps goes with tol^(-1/(p+1))."""
import argparse
import concurrent.futures
import math
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import survey  # noqa: E402
import tolerance_scene  # noqa: E402

FALLS, BOUND = 0.2, 100
RK = "event_capturing_rk"
TOLS = {1: (1e-3, 1e-5), 2: (1e-3, 1e-5, 1e-7), 5: (1e-4, 1e-6, 1e-8, 1e-10)}
STEPS = (500, 1000, 4000, 8000)  # of the references
NEAR_END = 0.02            # of the time: velocities jump at an event


def run(program, scene, scheme, words, limit):
    """The report of a run; None: not taken, or not finished."""
    ended = survey.run(program, scene, scheme, limit, *words, read=lambda *_: None)
    return ended["report"] if ended and ended["status"] == 0 and not ended["late"] else None


def error(a, b, start, speeds):
    """Largest error of a body of report a, beside report b."""
    worst = 0.0
    for name in start:
        body = a["bodies"][name]
        for key in ("position", "velocity", "angular_velocity"):
            x, y = body.get(key), b["bodies"][name].get(key)
            if x is None or (key != "position" and not speeds):
                continue
            x, y = (x, y) if isinstance(x, list) else ([x], [y])
            far = math.dist(x, start[name]) if key == "position" else math.hypot(*x)
            worst = max(worst, math.dist(x, y) / (1 + far))
    return worst


def places(scene):
    return {body["name"]: body["position"] for body in scene["bodies"] if body["type"] in ("particle", "rigid")}


def has_speeds(report):
    """No event near the end?"""
    return all(event["t"] < (1 - NEAR_END) * report["t"] for event in report["events"])


def find_reference(program, scene, tol, limit):
    """(report, how well two of them agree); None: they do not, the system is chaotic."""
    before = None
    for steps in STEPS:
        report = run(program, scene, RK, ["--step", str(scene["time"]["until"] / steps)], limit)
        if report is None:
            return None
        if before:
            apart = error(report, before, places(scene), has_speeds(report))
            if apart <= 0.1 * tol:
                return report, apart
        before = report
    return None


def differs(scene, scheme):
    """Does the scheme have another law than the reference?"""
    return scheme == "anitescu_convex" and any(material["mu"] > 0 for material in scene["materials"])


def measure(program, seed, entry, reference, limit):
    """[(tol, error or None, unmet, evaluations)] of a scheme, [] if it does not take the system"""
    scene, name = tolerance_scene.scene(seed), entry["name"]
    tols = TOLS[5 if name == RK else max(1, min(2, int(entry["order"]["smooth"])))]
    own = name != RK and differs(scene, name)
    other = run(program, scene, name, ["--tol", str(tols[-1] / 10)], limit) if own else reference
    rows = []
    for tol in tols if other else ():
        report = run(program, scene, name, ["--tol", str(tol)], limit)
        if report is None:
            if not rows:
                return []
            rows.append((tol, None, 0, 0))
        else:
            rows.append((tol, error(report, other, places(scene), name == RK and has_speeds(other)), report["unmet_steps"], report["multiplier_evals"]))
    return rows


def faults(name, rows):
    """What is wrong with the errors of a scheme, in words."""
    found = []
    for tol, off, unmet, _ in rows:
        if off is None:
            found.append("tol %g: no end in time" % tol)
        elif name == RK and off > BOUND * tol and not unmet:
            found.append("tol %g: error %.2g is %.0f tolerances" % (tol, off, off / tol))
    for (tol, off, _, _), (fine, less, unmet, _) in zip(rows, rows[1:]):
        if off is not None and less is not None and not unmet and less > FALLS * max(off, tol):
            found.append("error %.2g at tol %g, %.2g at %g" % (off, tol, less, fine))
    return found


def judge_seed(program, seed, entries, limit):
    """(seed, name of the system, None if dropped or {scheme: rows})"""
    scene = tolerance_scene.scene(seed)
    found = find_reference(program, scene, TOLS[5][-1], limit)
    if found is None:
        return seed, scene["name"], None
    return seed, scene["name"], {entry["name"]: measure(program, seed, entry, found[0], limit) for entry in entries}


def table(results, entries):
    """For every scheme: systems, runs, the median and the largest error/tolerance of each tolerance, faults."""
    lines = []
    for entry in entries:
        name = entry["name"]
        taken = [made[name] for _, _, made in results if made and made[name]]
        by_tol = {}
        for rows in taken:
            for tol, off, _, work in rows:
                if off is not None:
                    by_tol.setdefault(tol, []).append((off / tol, work))
        parts = ["%g: %.2g, %.2g (%d)" % (tol, sorted(x for x, _ in values)[len(values) // 2], max(x for x, _ in values),
                                          sum(w for _, w in values) / len(values)) for tol, values in sorted(by_tol.items(), reverse=True)]
        lines.append("%-20s %3d systems, %d with faults; error/tol median, largest (evaluations): %s"
                     % (name, len(taken), sum(bool(faults(name, rows)) for rows in taken), "; ".join(parts)))
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--seeds", default="0..17")
    parser.add_argument("--schemes", default="all")
    parser.add_argument("-j", type=int, default=1)
    parser.add_argument("--limit", type=float, default=20)
    options = parser.parse_args()
    first, _, last = options.seeds.partition("..")
    program, entries = os.path.abspath(options.program), survey.schemes(options.program, options.schemes)
    with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        jobs = [pool.submit(judge_seed, program, seed, entries, options.limit) for seed in range(int(first), int(last or first) + 1)]
        results = [job.result() for job in jobs]
    print("\n".join(table(results, entries)))
    dropped = [name for _, name, made in results if made is None]
    print("dropped: %d of %d: %s" % (len(dropped), len(results), ", ".join(dropped)))
    wrong = ["%s, %s: %s" % (name, scheme, "; ".join(found)) for _, name, made in results if made
             for scheme, rows in made.items() for found in [faults(scheme, rows)] if found]
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
