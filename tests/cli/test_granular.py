#!/usr/bin/env python3
"""Grains flow as grains do: a silo empties at a steady rate, a column collapses as far as others have measured, the surface
in a drum leans by 20 to 40 degrees; none are lost, none overlap. docs/granular.md has the numbers.
SLIPSTICK_FULL=1 runs the stored scenes too, SLIPSTICK_GRANULAR=1 the sweeps of the tables of docs/granular.md, which it prints; these
take some fifteen minutes."""
import csv
import json
import math
import os

from common import ROOT, TEMP, check, finish, run, run_json

SWEEP = os.environ.get("SLIPSTICK_GRANULAR") == "1"
FULL = SWEEP or os.environ.get("SLIPSTICK_FULL") == "1"
G = 9.81
D = 0.2  # m, mean diameter of the grains
SCHEMES = {"convex": {"name": "anitescu_convex"}, "coulomb": {"name": "anitescu_potra", "locate": False}}


class Flow:
    """The states of a run: `states` holds (t, [(x, y) of every grain])."""

    def __init__(self, path, *options):
        table = TEMP / "grains.csv"
        self.scene = json.loads(path.read_text())
        self.label = "%s %s" % (self.scene["name"], " ".join(map(str, options)))
        self.result = run_json("run", path, "-o", table, "--every", "0.05", *options)
        grains = [b for b in self.scene["bodies"] if b["type"] == "rigid"]
        shapes = [b["shapes"][0] for b in grains]
        # of hexagons the circle inside
        self.radius = [s["radius"] if s["type"] == "sphere" else math.hypot(*s["points"][0]) * math.sqrt(0.75) for s in shapes]
        self.area = [math.pi * r * r for r in self.radius]
        with open(table, newline="") as file:
            rows = csv.reader(file)
            head = next(rows)
            column = [head.index(b["name"] + ".x") for b in grains]
            self.states = [(float(row[0]), [(float(row[i]), float(row[i + 1])) for i in column]) for row in rows]

    def body(self, name):
        return next(b for b in self.scene["bodies"] if b["name"] == name)

    def opens_at(self):
        """From the motion of the gate."""
        return float(next(x for x in self.body("gate")["position"] if "(t - " in x).split("(t - ")[1].split(")")[0])

    def sound(self):
        check(self.label + ": every step is certified", self.result["unconverged_steps"] == 0)
        depth = max(overlap(places, self.radius) for _, places in self.states)
        # the solver's tolerance of 1e-4 leaves 1e-4 m and less
        check(self.label + ": grains overlap by %g" % depth, depth < 1e-3)
        check(self.label + ": overlaps are reported", depth < self.result["max_penetration"] + 1e-9)

    def inside(self, floor, left, right):
        lost = [
            (t, p) for t, places in self.states for p, r in zip(places, self.radius)
            if p[1] < floor + r - 1e-3 or p[0] < left + r - 1e-3 or p[0] > right - r + 1e-3
        ]
        check(self.label + ": no grain is outside: %s" % lost[:3], not lost)


def overlap(places, radius):
    """The deepest, by the pairs of a grid of cells."""
    side = 2 * max(radius)
    cells = {}
    for i, (x, y) in enumerate(places):
        cells.setdefault((math.floor(x / side), math.floor(y / side)), []).append(i)
    depth = 0
    for (column, row), here in cells.items():
        for around in [(column + i, row + j) for i in (-1, 0, 1) for j in (-1, 0, 1)]:
            for j in cells.get(around, ()):
                for i in here:
                    if i < j:
                        depth = max(depth, radius[i] + radius[j] - math.dist(places[i], places[j]))
    return depth


def line(points):
    """Slope and value at 0 of the line that fits best."""
    n = len(points)
    x = sum(p[0] for p in points) / n
    y = sum(p[1] for p in points) / n
    slope = sum((p[0] - x) * (p[1] - y) for p in points) / sum((p[0] - x) ** 2 for p in points)
    return slope, y - slope * x


def made(kind, *words):
    path = TEMP / "scene.json"
    result = run("generate", kind, "--seed", 1, "--size-spread", 0.2, *words, "-o", path)
    check("generate %s: %s" % (kind, result.stderr), result.returncode == 0)
    return path


def with_scheme(name, step="1/240"):
    return ["--set", "scheme=" + json.dumps(SCHEMES[name]), "--step", step]


def report(*words):
    if SWEEP:
        print("  ", *words, flush=True)


# ---- the silo ------------------------------------------------------------------------------------------


def walls(flow):
    floor, left, right = (s.get("offset", 0) for s in flow.body("container")["shapes"])
    return floor, left, -right


def out(flow):
    """(t, the part of all grains, by area, that is below the outlet)"""
    whole = sum(flow.area)
    return [(t, sum(a for a, (_, y) in zip(flow.area, places) if y < 0) / whole) for t, places in flow.states]


def rate(flow, low, high):
    """m^2/s while the part that is out goes from low to high"""
    return sum(flow.area) * line([(t, part) for t, part in out(flow) if low < part < high])[0]


def the_silo_empties(path, *options):
    flow = Flow(path, *options)
    flow.sound()
    flow.inside(*walls(flow))
    before = max(part for t, part in out(flow) if t < flow.opens_at())
    check(flow.label + ": closed until the gate opens", before == 0)
    check(flow.label + ": %g is out at the end" % out(flow)[-1][1], out(flow)[-1][1] > 0.95)
    early, late = rate(flow, 0.1, 0.4), rate(flow, 0.4, 0.7)
    # height does not matter: Torricelli's water would lose 20 to 40 % from one window to the next; grains fluctuate as much
    # as their small number lets them
    check(flow.label + ": a steady rate: %g, then %g m^2/s" % (early, late), abs(early - late) < 0.25 * (early + late))


def flat_silo(outlet, seed):
    return made("silo", "--bodies", 400, "--width", 3.6, "--slope", 0, "--outlet", outlet, "--seed", seed)


def discharge(outlet, seed, *options):
    """m^2/s from a flat bottom, between 15 and 55 % out"""
    until = 2.1 + 5 / outlet**1.5  # when some 60 % are out
    flow = Flow(flat_silo(outlet, seed), "--until", until, *options)
    flow.sound()
    q = rate(flow, 0.15, 0.55)
    report("silo, outlet %g m, seed %d, %s: %.3f m^2/s, %.0f s" % (outlet, seed, options, q, flow.result["wall_s"]))
    return q


def the_rate_is_beverloos():
    """Q = C sqrt(g) (D - k d)^(3/2), C with the density of the packing in it: Q^(2/3) is a line in D."""
    rates = [(outlet, discharge(outlet, seed)) for outlet in (1.0, 1.2, 1.4, 1.6) for seed in (1, 2)]
    slope, value = line([(outlet, q ** (2 / 3)) for outlet, q in rates])
    c, k = slope**1.5 / math.sqrt(G), -value / slope / D
    report("silo: C = %.2f, k = %.2f" % (c, k))
    misfit = max(abs(q / (c * math.sqrt(G) * (outlet - k * D) ** 1.5) - 1) for outlet, q in rates)
    check("the power law holds to %g" % misfit, misfit < 0.2)
    check("its constants are those of grains: %g, %g" % (c, k), 0.4 < c < 0.9 and 0 < k < 2.5)
    coulomb = discharge(1.4, 1, *with_scheme("coulomb"))
    finer = discharge(1.4, 1, *with_scheme("convex", "1/480"))
    usual = next(q for outlet, q in rates if outlet == 1.4)
    check("Coulomb's law: %g instead of %g" % (coulomb, usual), abs(coulomb / usual - 1) < 0.2)
    check("half the step: %g instead of %g" % (finer, usual), abs(finer / usual - 1) < 0.2)


# ---- the column ----------------------------------------------------------------------------------------


def height(flow, left, width, places):
    """of the top, the mean over strips of a diameter"""
    strips = max(1, round(width / D))
    top = [0.0] * strips
    for (x, y), r in zip(places, flow.radius):
        k = min(max(int((x - left) / width * strips), 0), strips - 1)
        top[k] = max(top[k], y + r)
    return sum(top) / strips


def front(flow, left, places):
    """How far the shadow of the heap on the floor reaches without a gap of half a diameter: a hole under a bridge is no end."""
    ends = sorted((x - r, x + r) for (x, _), r in zip(places, flow.radius))
    reach = ends[0][1]
    for start, end in ends:
        if start > reach + D / 2:
            break
        reach = max(reach, end)
    return reach - left


def collapse(path, *options):
    """Height over width before, run-out over width after."""
    flow = Flow(path, *options)
    flow.sound()
    floor, left, right = walls(flow)
    flow.inside(floor, left, right)
    gate = flow.body("gate")
    width = float(gate["position"][0].split(" + ")[0]) - gate["shapes"][0]["size"][0] / 2 - left
    before = [places for t, places in flow.states if t <= flow.opens_at()][-1]
    aspect = height(flow, left, width, before) / width
    reach = [front(flow, left, places) for t, places in flow.states]
    runout = reach[-1] / width - 1
    report("column, %s: a = %.2f, run-out %.2f, %.0f s" % (flow.label, aspect, runout, flow.result["wall_s"]))
    check(flow.label + ": it stands before", front(flow, left, before) < width + D / 100)
    highest = max(y for _, y in before)
    thrown = max(y for t, places in flow.states for _, y in places if t > flow.opens_at())
    check(flow.label + ": nothing is thrown up: %g from %g" % (thrown, highest), thrown < highest + D)
    check(flow.label + ": it has come to rest", abs(reach[-1] - reach[-11]) < D / 2)
    return aspect, runout


def column(bodies, aspect):
    return made("column", "--shape", "polygon", "--bodies", bodies, "--aspect", aspect)


def the_column_collapses(path, *options):
    aspect, runout = collapse(path, *options)
    # 1.2 a in experiments, for a below 2 or 3, and 2.5 a for disks that roll
    check("run-out %g of a column of aspect %g" % (runout, aspect), 0.6 < runout / aspect < 2.5)


def the_run_out_grows_with_the_aspect():
    found = [collapse(column(200, aspect)) for aspect in (1, 2, 3.5)]
    ratios = [runout / aspect for aspect, runout in found]
    check("linear in a: %s" % ratios, all(0.6 < r < 1.8 for r in ratios))
    _, coulomb = collapse(column(200, 2), *with_scheme("coulomb"))
    _, finer = collapse(column(200, 2), *with_scheme("convex", "1/480"))
    check("Coulomb's law: %g instead of %g" % (coulomb, found[1][1]), abs(coulomb - found[1][1]) < 0.4)
    check("half the step: %g instead of %g" % (finer, found[1][1]), abs(finer - found[1][1]) < 0.4)


# ---- the drum ------------------------------------------------------------------------------------------


def leaning(flow, start):
    """Degrees of the surface, mean and spread: it is normal to the line from the axis to the centre of mass."""
    angles = []
    for t, places in flow.states:
        x, y = (sum(a * p[k] for a, p in zip(flow.area, places)) for k in (0, 1))
        angles += [math.degrees(math.atan2(x, -y))] if t >= start else []
    mean = sum(angles) / len(angles)
    return mean, math.sqrt(sum((a - mean) ** 2 for a in angles) / len(angles))


def the_surface_leans(path, start, *options):
    flow = Flow(path, *options)
    flow.sound()
    farthest = max(math.hypot(*p) + r for _, places in flow.states for p, r in zip(places, flow.radius))
    sides = flow.body("drum")["shapes"]
    ring = max(math.hypot(*s["position"]) - s["size"][0] / 2 for s in sides) / math.cos(math.pi / len(sides))
    check(flow.label + ": no grain leaves the drum: %g of %g" % (farthest, ring), farthest < ring + 1e-3)
    mean, spread = leaning(flow, start)
    report("drum, %s: %.1f +- %.1f degrees, %.0f s" % (flow.label, mean, spread, flow.result["wall_s"]))
    check(flow.label + ": it leans by %g degrees" % mean, 20 < mean < 40)
    check(flow.label + ": and stays so, but for avalanches: %g" % spread, spread < 10)  # 2.2 to 7.5 for 5 seeds and 4 ways to solve
    return mean


def the_drum_does_not_depend_on_scheme_and_step():
    path = ROOT / "scenes" / "drum.json"
    usual = the_surface_leans(path, 8)
    coulomb = the_surface_leans(path, 8, *with_scheme("coulomb"))
    finer = the_surface_leans(path, 8, *with_scheme("convex", "1/480"))
    check("Coulomb's law: %g, half the step: %g, not %g" % (coulomb, finer, usual), max(abs(coulomb - usual), abs(finer - usual)) < 5)


the_silo_empties(made("silo", "--bodies", 100, "--width", 2.4, "--outlet", 1.4))
the_column_collapses(column(100, 2))
the_surface_leans(made("drum", "--bodies", 100, "--fill", 0.9, "--speed", 0.05), 5, "--until", 12)
if FULL:
    the_silo_empties(ROOT / "scenes" / "silo.json")
    the_column_collapses(ROOT / "scenes" / "column_collapse.json")
if SWEEP:
    the_rate_is_beverloos()
    the_run_out_grows_with_the_aspect()
    the_drum_does_not_depend_on_scheme_and_step()
finish()
