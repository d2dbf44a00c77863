#!/usr/bin/python3
"""survey.py - random scenes by every scheme: what is not as it should be, and how often.

    survey.py SLIPSTICK [--seeds A..B] [--profile KIND] [--schemes all|NAME,..] [-j N] [--limit S] [--steps N] [--keep FOLDER] [--results FILE]
              [--docs] [--pairs]

Runs the scenes of random_scene.py with the seeds A to B (both inclusive) by every scheme of the registry that takes them,
and judges each run (judge.py). Prints a table with one line for each scheme and then the offenders, one line each.

    --limit S    a run is interrupted after S seconds of the processor (10), so that a busy machine changes no count
    --steps N    only the first N steps of each scene
    --keep DIR   writes the scene of each offender to DIR/SEED-SCHEME.json, which runs as it is
    --results FILE   has a line for every run that was made; these are not made again, and the table is that of all. So a long
                 survey can be interrupted, and made in pieces
    --docs       writes the table into docs/limits.md
    --pairs      compares the schemes with each other instead (pairs.py)"""
import argparse
import concurrent.futures
import dataclasses
import json
import math
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import judge  # noqa: E402
import pairs  # noqa: E402
import random_scene  # noqa: E402

LIMITS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "limits.md"
OPEN, CLOSE = "<!-- random -->\n", "<!-- end random -->"
ASLEEP = 60  # a process that has waited for so many limits is taken for one that hangs
COLUMNS = ["scheme", "runs", "not taken", "steps", "not certified", "ms a step", *judge.KINDS]


def schemes(program, names="all"):
    """Entries of the registry, in its order; `all` are those that promise something, without the demonstrations."""
    listed = subprocess.run([program, "list", "schemes", "--json"], check=True, stdout=subprocess.PIPE, text=True)
    return [entry for entry in json.loads(listed.stdout) if (not entry["demonstration"] if names == "all" else entry["name"] in names.split(","))]


def wait_for(pid, limit):
    """(status, seconds of the processor) of a process, or None once it has used more than `limit` of them."""
    ticks, begun = os.sysconf("SC_CLK_TCK"), time.monotonic()
    while True:
        found, status, usage = os.wait4(pid, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime
        stat = pathlib.Path("/proc/%d/stat" % pid).read_text().rpartition(")")[2].split()
        if (int(stat[11]) + int(stat[12])) / ticks > limit or time.monotonic() - begun > ASLEEP * limit:
            return None
        time.sleep(0.01)


def call(program, words, limit):
    """Ends with {status, words, report, late, seconds}: late if it had to be interrupted, report None if it gave none."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        environment = dict(os.environ, OPENBLAS_NUM_THREADS="1")
        process = subprocess.Popen([program, *words], stdout=out, stderr=err, env=environment)
        end = wait_for(process.pid, limit)
        late = end is None
        if late:
            os.kill(process.pid, signal.SIGINT)  # takes effect after the present step, and keeps the results
            end = wait_for(process.pid, 2 * limit)
        if end is None:
            os.kill(process.pid, signal.SIGKILL)
            end = wait_for(process.pid, math.inf)
            err.write("a step took more than %g s" % limit)
        process.returncode = end[0]
        out.seek(0), err.seek(0)
        printed = out.read()
        report = json.loads(printed) if printed.strip() and end[0] != -signal.SIGKILL else None
        report = report if report and "outcome" in report else None  # a scene that was refused has an error and nothing else
        return {"status": end[0], "words": err.read().strip(), "report": report, "late": late, "seconds": end[1]}


def run(program, scene, scheme, limit, *words, read=judge.history):
    """One scene by one scheme, with what `read` makes of its states; None if the scheme does not take it."""
    with tempfile.TemporaryDirectory(prefix="slipstick-") as folder:
        path, table = pathlib.Path(folder) / "scene.json", pathlib.Path(folder) / "states.csv"
        path.write_text(random_scene.text(scene))
        ended = call(program, ["run", str(path), "--scheme", scheme, "--json", "--quiet", "-o", str(table), *words], limit)
        if ended["status"] == 2 and "scheme.name:" in ended["words"]:
            return None
        if ended["report"]:
            ended["history"] = read(scene, table)
        return ended


def scene_of(seed, steps=None, profile=None):
    """The scene of a seed, at most so many steps of it."""
    scene = random_scene.scene(seed, profile)
    if steps:
        scene["time"]["until"] = min(scene["time"]["until"], steps * scene["time"]["step"])
    return scene


def essence(ended):
    """What the table needs of a run: states are many."""
    report = ended["report"]
    return {"seconds": ended["seconds"], "report": report and {key: report[key] for key in ("steps", "unconverged_steps")}}


def survey_one(program, seed, entry, options):
    """(seed, scheme, essence of the run or None, verdict)"""
    scene = scene_of(seed, options.steps, options.profile)
    ended = run(program, scene, entry["name"], options.limit)
    verdict = judge.judge(scene, entry, ended) if ended else []
    if verdict and options.keep:
        keep = pathlib.Path(options.keep)
        keep.mkdir(parents=True, exist_ok=True)
        (keep / ("%d-%s.json" % (seed, entry["name"]))).write_text(random_scene.text(dict(scene, scheme={"name": entry["name"]})))
    return seed, entry["name"], ended and essence(ended), verdict


def read_results(path):
    """Runs of earlier pieces by (seed, scheme)."""
    if not path or not os.path.exists(path):
        return {}
    with open(path) as file:
        rows = [json.loads(text) for text in file if text.endswith("\n")]
    return {(seed, name): (seed, name, ended, [judge.Fault(*fault) for fault in verdict]) for seed, name, ended, verdict in rows}


def write_result(path, made):
    """A run as a line."""
    seed, name, ended, verdict = made
    with open(path, "a") as file:
        file.write(json.dumps([seed, name, ended, [dataclasses.astuple(fault) for fault in verdict]]) + "\n")


def survey(pool, program, entries, options):
    done = read_results(options.results)
    jobs = [pool.submit(survey_one, program, seed, entry, options) for seed in options.seeds for entry in entries
            if (seed, entry["name"]) not in done]
    for job in concurrent.futures.as_completed(jobs):
        made = job.result()
        done[made[:2]] = made
        if options.results:
            write_result(options.results, made)
    return [done[seed, entry["name"]] for seed in options.seeds for entry in entries]


def line(name, results):
    """The table's line of one scheme."""
    taken = [(ended, verdict) for _, scheme, ended, verdict in results if scheme == name and ended]
    reports = [ended["report"] for ended, _ in taken if ended["report"]]
    steps = sum(report["steps"] for report in reports)
    failed = sum(report["unconverged_steps"] for report in reports)
    seconds = sum(ended["seconds"] for ended, _ in taken if ended["report"])
    counts = [sum(any(fault.kind == kind for fault in verdict) for _, verdict in taken) for kind in judge.KINDS]
    left_out = sum(scheme == name and not ended for _, scheme, ended, _ in results)
    return [name, len(taken), left_out, steps, failed or "", "%.2g" % (1e3 * seconds / max(steps, 1)), *(count or "" for count in counts)]


def table(results, entries):
    rows = [COLUMNS] + [line(entry["name"], results) for entry in entries]
    lines = ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    lines.insert(1, "|" + "---|" * len(COLUMNS))
    return "\n".join(lines) + "\n"


def offenders(results):
    """One line for each run and kind, by kinds."""
    return ["%-11s seed %d, %s: %s" % (fault.kind, seed, scheme, fault.words)
            for kind in judge.KINDS for seed, scheme, _, verdict in results for fault in verdict if fault.kind == kind]


def write_docs(seeds, made):
    """The table of docs/limits.md, with the seeds that it is made of."""
    whole = "Seeds %d to %d.\n\n%s" % (seeds[0], seeds[-1], made)
    text = LIMITS.read_text()
    LIMITS.write_text(re.sub(re.escape(OPEN) + ".*?" + re.escape(CLOSE), lambda _: OPEN + whole + CLOSE, text, flags=re.S))


def parse(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--seeds", default="0..49")
    parser.add_argument("--profile", choices=random_scene.PROFILES)
    parser.add_argument("--schemes", default="all")
    parser.add_argument("-j", type=int, default=1)
    parser.add_argument("--limit", type=float, default=10)
    parser.add_argument("--steps", type=int)
    parser.add_argument("--keep")
    parser.add_argument("--results")
    parser.add_argument("--docs", action="store_true")
    parser.add_argument("--pairs", action="store_true")
    options = parser.parse_args(words)
    first, _, last = options.seeds.partition("..")
    options.seeds = list(range(int(first), int(last or first) + 1))
    return options


def main():
    options = parse(sys.argv[1:])
    program, entries = os.path.abspath(options.program), schemes(options.program, options.schemes)
    with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        if options.pairs:
            print("\n".join(pairs.survey(pool, run, program, entries, options, scene_of)))
            return
        results = survey(pool, program, entries, options)
    made = table(results, entries)
    print(made)
    print("\n".join(offenders(results)))
    if options.docs:
        write_docs(options.seeds, made)


if __name__ == "__main__":
    main()
