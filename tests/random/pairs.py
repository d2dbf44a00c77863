"""Do the schemes approach each other? Pairs of schemes at several step lengths, up to the second impact.

The first impact is the same for all schemes if they use the same laws: Newton's for impacts and the circular cone. Small
differences before the second one decide how it takes place, so the comparison ends there. Its time comes from the events of
the REFERENCE scheme; a scene that this scheme cannot run in time, or hands to another one, is left out and counted.

For each pair, D(h) is the largest distance between the two positions of a body at the ends of the steps of length h. With
steps FINER times shorter D must fall below SHARE of what it was, unless it is below FLOOR. Where an impact lies within its
step is chance and moves D by up to h v: a pair that fails is tried once more with steps shorter by FINER again."""
import csv
import itertools
import math

REFERENCE = "event_capturing_rk"
FINER = 4
SHARE = 0.6   # order 1 gives 1/4; order 1/2, which impacts that accumulate may cause, gives 1/2
FLOOR = 1e-5  # m: tolerances of contacts and joints
APART = 1e-6  # s: impacts closer than this are one


def common_laws(entry):
    """Options that give a scheme the laws that all of them have."""
    params = {param["name"]: param for param in entry["params"]}
    words = []
    if "circular" in (params.get("cone", {}).get("choices") or ""):
        words += ["--set", "scheme.cone=circular"]
    if "newton" in (params.get("restitution", {}).get("choices") or ""):
        words += ["--set", "scheme.restitution=newton"]
    return words


def positions(scene, path):
    """Of a CSV file: [[position of each moving body] of each state]."""
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    names = [body["name"] for body in scene["bodies"] if body["type"] in ("particle", "rigid")]
    axes = ("x", "y", "z")[:scene["dimension"]]
    return [[[float(row["%s.%s" % (name, axis)]) for axis in axes] for name in names] for row in rows]


def end_of_comparison(scene, ended):
    """The time of the second impact, or the end; None if the reference is of no use."""
    report = ended and ended["report"]
    if not report or ended["late"] or report["outcome"] != "done" or report["unconverged_steps"] or report["remarks"]:
        return None
    times = []
    for event in report["events"]:
        if event["kind"] == "impact" and (not times or event["t"] > times[-1] + APART):
            times.append(event["t"])
    return times[1] if len(times) > 1 else scene["time"]["until"]


def distance(first, second):
    """D. The last step, which ends at the impact, is left out."""
    if not first or not second:
        return math.inf
    return max(math.dist(a, b) for p, q in zip(first[:-1], second[:-1]) for a, b in zip(p, q))


class Comparison:
    """One scene by all schemes until `end`; every run is made once."""

    def __init__(self, run, program, scene, limit):
        self.run, self.program, self.scene, self.limit = run, program, scene, limit
        self.step, self.made = scene["time"]["step"], {}
        self.end = end_of_comparison(scene, run(program, scene, REFERENCE, limit, "--step", repr(self.step / FINER)))

    def path(self, entry, level):
        """Positions with steps shorter by FINER^level; None if there are none."""
        key = entry["name"], level
        if key not in self.made:
            words = ["--until", repr(self.end), "--step", repr(self.step / FINER**level), *common_laws(entry)]
            ended = self.run(self.program, self.scene, entry["name"], self.limit, *words, read=positions)
            good = ended and ended["report"] and ended["report"]["outcome"] == "done"
            self.made[key] = ended["history"] if good else None
        return self.made[key]

    def distances(self, first, second):
        """[D(h), D(h/FINER), ..] until they fall or the third; None if a scheme does not run the scene."""
        if not self.path(first, 0) or not self.path(second, 0):
            return None
        found = [distance(self.path(first, level), self.path(second, level)) for level in (0, 1)]
        if not approaches(found):
            found.append(distance(self.path(first, 2), self.path(second, 2)))
        return found


def approaches(found):
    return found[-1] <= max(FLOOR, SHARE * max(found[:-1]))


def survey_one(run, program, entries, limit, scene):
    """The end of the comparison and {pair: distances}; None without a reference."""
    comparison = Comparison(run, program, scene, limit)
    if comparison.end is None or comparison.end < 3 * comparison.step:
        return None
    found = {(a["name"], b["name"]): comparison.distances(a, b) for a, b in itertools.combinations(entries, 2)}
    return comparison.end, {pair: d for pair, d in found.items() if d}


def survey(pool, run, program, entries, options, scene_of):
    """Lines: how many pairs of each two schemes approach, and the exceptions."""
    jobs = [(seed, pool.submit(survey_one, run, program, entries, options.limit, scene_of(seed))) for seed in options.seeds]
    done = [(seed, job.result()) for seed, job in jobs]
    compared = [(seed, *result) for seed, result in done if result]
    lines = ["%d of %d scenes compared, the others have no reference" % (len(compared), len(done)), "",
             "| pair | scenes | exceptions |", "|---|---|---|"]
    for pair in sorted({pair for _, _, found in compared for pair in found}):
        here = [found[pair] for _, _, found in compared if pair in found]
        lines.append("| %s, %s | %d | %s |" % (*pair, len(here), sum(not approaches(d) for d in here) or ""))
    lines.append("")
    for seed, end, found in compared:
        lines += ["seed %d, until %.4g, %s and %s: %s" % (seed, end, *pair, ", ".join("%.2e" % x for x in d))
                  for pair, d in found.items() if not approaches(d)]
    return lines
