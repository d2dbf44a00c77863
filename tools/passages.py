#!/usr/bin/env python3
"""passages.py - bullets, pegs and spinning rods that must not pass through what they meet, with every scheme.

    tools/passages.py SLIPSTICK [-j N] [--count N] [--seed S] [--first K] [--only K] [--scheme NAME] [--tol TOL]

Scene k is drawn from (seed, k). There is no gravity and no friction, so motion before the first collision is uniform and what
must happen is known in closed form:

    bullet   flies straight at a target, both hold a ball about their centre, and the centres pass each other by less
             than a fifth of the two radii: they meet. Or by more than the balls that hold them: they do not.
    wall     a bullet flies at a thin wall, at up to 60 degrees from its normal: it stays on its side, and a ball or a point
             leaves with v - (1 + e) (n . v) n.
    edge     a bullet flies at the edge of a thin plate, along the plate.
    rod      spins about its centre, and a peg lies within its reach, or beyond it.
    sweep    a rod that flies and spins touches a peg with its side at a given time, and not before.

Sizes go down to 1e-4 of the way in a step, targets may be fixed, driven or free, and bullets may spin by up to three radians in
a step. A body that meets something changes its velocity, with an impulse against its motion if it does not spin; one that misses
keeps its velocity to the last digits. Nothing gains energy, in the frame of a driven target, unless the run says so itself: such
gains are listed and are no faults. A step that is not certified says why. Steps are fixed, or chosen by --tol."""
import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile

TOLERANCES = (None, 1e-3)  # None: fixed steps
STEP = 0.01
SPEED = 100.0  # way in a step: 1 m
UNCHANGED = 1e-9  # of the speed: round-off of a few steps
GAIN = 0.03  # of the kinetic energy: what the rotation of a body between the ends of a substep may add in a few impacts
GAINS = {"schatzman_paoli": 0.2}  # its velocities are differences of positions: of order 1, in about six steps
REFLECTED = 1e-6  # of the speed: error of the velocity with which a ball leaves a wall
WALL = 20.0  # of it a bullet sees no end within a run


def add(a, b, factor=1.0):
    return [x + factor * y for x, y in zip(a, b)]


def norm(a):
    return math.sqrt(sum(x * x for x in a))


def random_frame(rng, dimension):
    """Orthonormal axes; the first is where the bullet flies to."""
    axes = []
    while len(axes) < dimension:
        a = [rng.gauss(0, 1) for _ in range(dimension)]
        for b in axes:
            a = add(a, b, -sum(x * y for x, y in zip(a, b)))
        if norm(a) > 0.1:
            axes.append([x / norm(a) for x in a])
    return axes


def sphere(rng, r, dimension):
    return {"type": "sphere", "radius": r}, r, r


def point(rng, r, dimension):
    return {"type": "point"}, 0.0, 0.0


def capsule(rng, r, dimension):
    length = r * rng.uniform(0.5, 6)
    return {"type": "capsule", "radius": r, "length": length}, r, r + length / 2


def box(rng, r, dimension):
    size = [2 * r * rng.uniform(1, 3) for _ in range(dimension)]
    return {"type": "box", "size": size}, min(size) / 2, norm(size) / 2


def plate(rng, r, dimension):
    size = [2 * r] + [rng.uniform(0.3, 1) for _ in range(dimension - 1)]
    return {"type": "box", "size": size}, r, norm(size) / 2


def cylinder(rng, r, dimension):
    length = 2 * r * rng.uniform(0.5, 3)
    return {"type": "cylinder", "radius": r, "length": length}, min(r, length / 2), math.hypot(r, length / 2)


def polygon(rng, r, dimension):
    n = rng.randint(3, 8)
    points = [[r * math.cos(2 * math.pi * k / n), r * math.sin(2 * math.pi * k / n)] for k in range(n)]
    return {"type": "polygon", "points": points}, r * math.cos(math.pi / n), r


def hull(rng, r, dimension):
    half = [r * rng.uniform(1, 2) for _ in range(3)]
    points = [[s * half[i] if i == k else 0 for i in range(3)] for k in range(3) for s in (1, -1)]
    return {"type": "hull", "points": points}, 1 / norm([1 / x for x in half]), max(half)


def ridge(rng, r, dimension):
    """Ground with a ridge through its origin, which a bullet meets across; the balls are only nominal."""
    height = rng.uniform(2, 5) * r
    row = [0, 0, 0, height, 0, 0, 0]
    heights = row if dimension == 2 else [row] * 5
    return {"type": "height_field", "heights": heights, "spacing": r, "position": [0] * (dimension - 1) + [-height / 2]}, r / 8, 4 * r


SOLIDS = {2: (sphere, capsule, box, polygon, plate), 3: (sphere, capsule, box, cylinder, hull, plate)}


def quaternion(rng):
    q = [rng.gauss(0, 1) for _ in range(4)]
    return [x / norm(q) for x in q]


def turn(rng, dimension, body):
    if dimension == 2:
        body["angle"] = rng.uniform(-3, 3)
    else:
        body["orientation"] = quaternion(rng)


def spin_of(rng, dimension, most):
    rate = rng.uniform(0, most) / STEP
    return rate if dimension == 2 else [rate * x for x in random_frame(rng, 3)[0]]


def draw_size(rng):
    return 10 ** rng.uniform(-4, -0.7)


def bullet_scene(rng, dimension):
    """Returns the scene and what is expected of it."""
    field = rng.random() < 0.15
    make = ridge if field else rng.choice(SOLIDS[dimension])
    make_bullet = rng.choice((point,) + SOLIDS[dimension][:-1])
    target_shape, inner, outer = make(rng, draw_size(rng), dimension)
    bullet_shape, inner_b, outer_b = make_bullet(rng, draw_size(rng) if not field else inner, dimension)
    hits = rng.random() < 0.75
    axes = [[1, 0], [0, 1]] if dimension == 2 else [[1, 0, 0], [0, 0, 1], [0, 1, 0]]
    axes = axes if field else random_frame(rng, dimension)
    off = rng.uniform(0, 0.2) * (inner + inner_b) if hits else rng.uniform(1.05, 2) * (outer + outer_b)
    start = add([0.0] * dimension, axes[0], -rng.uniform(0.4, 3.6) * SPEED * STEP - outer - outer_b)
    start = add(start, axes[1], off)
    velocity = [SPEED * x for x in axes[0]]
    moves = rng.choice(("fixed", "fixed", "driven", "free")) if not field else "fixed"
    target = {"name": "target", "type": "fixed", "shapes": [dict(target_shape, material="m")]}
    drift = [rng.uniform(-1, 1) * SPEED * x for x in axes[0]] if moves != "fixed" else [0.0] * dimension
    if not field:
        turn(rng, dimension, target)
    velocity = add(velocity, drift)
    if moves == "driven":
        target["type"] = "driven"
        target["position"] = ["%.17g*t" % x for x in drift]
        target.pop("angle", None)
    elif moves == "free":
        target.update(type="rigid", density=1000, velocity=drift)
    bullet = {"name": "bullet", "type": "rigid", "position": start, "velocity": velocity,
              "shapes": [dict(bullet_shape, material="m")]}
    spins = False
    if make_bullet is point:
        bullet.update(type="particle", mass=1)
    else:
        bullet["density"] = 1000
        turn(rng, dimension, bullet)
        spins = make_bullet is not sphere and rng.random() < 0.5
        if spins:
            bullet["angular_velocity"] = spin_of(rng, dimension, 3)
    words = "%dD %s at %s %s, sizes %.1e %.1e" % (dimension, make_bullet.__name__, moves, make.__name__, inner_b, inner)
    return [bullet, target], 6, {"hits": hits, "against": not spins and not field, "axis": axes[0], "words": words,
                                 "drift": drift if moves == "driven" else None, "centred": dimension == 3 and spins}


def frame_rotation(axes, dimension):
    """Angle or quaternion of the rotation that takes the x axis to axes[0], and y to axes[1]."""
    if dimension == 2:
        return {"angle": math.atan2(axes[0][1], axes[0][0])}
    x, y = axes[0], axes[1]
    z = [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]
    q = [1 + x[0] + y[1] + z[2], y[2] - z[1], z[0] - x[2], x[1] - y[0]]
    return {"orientation": [a / norm(q) for a in q]} if norm(q) > 1e-3 else {"orientation": [0, 0, 0, 1]}


def draw_bullet(rng, dimension, start, velocity):
    """A bullet that may spin, the balls in it and about it, and whether it is a ball or a point."""
    make = rng.choice((point,) + SOLIDS[dimension][:-1])
    shape, inner, outer = make(rng, draw_size(rng), dimension)
    bullet = {"name": "bullet", "type": "rigid", "density": 1000, "velocity": velocity, "shapes": [dict(shape, material="m")]}
    if make is point:
        bullet.pop("density")
        bullet.update(type="particle", mass=1)
    elif make is not sphere:
        turn(rng, dimension, bullet)
        if rng.random() < 0.5:
            bullet["angular_velocity"] = spin_of(rng, dimension, 3)
    bullet["position"] = start(outer)
    return bullet, inner, make.__name__


def wall_scene(rng, dimension):
    """A bullet and a thin wall, which has its normal along the first axis."""
    axes = random_frame(rng, dimension)
    steep = rng.uniform(0, math.pi / 3)
    velocity = add([SPEED * math.cos(steep) * x for x in axes[0]], axes[1], SPEED * math.sin(steep))
    half, ahead = draw_size(rng), rng.uniform(0.4, 3.6) * STEP
    bullet, inner, name = draw_bullet(rng, dimension,
                                      lambda outer: add([-(outer + half) * x for x in axes[0]], velocity, -ahead), velocity)
    target = {"name": "target", "type": "fixed", **frame_rotation(axes, dimension),
              "shapes": [{"type": "box", "size": [2 * half] + [WALL] * (dimension - 1), "material": "m"}]}
    free = rng.random() < 0.3
    if free:
        target.update(type="rigid", density=1000)
    spins = "angular_velocity" in bullet
    words = "%dD %s at %s wall, sizes %.1e %.1e" % (dimension, name, "free" if free else "fixed", inner, half)
    return [bullet, target], 6, {"hits": True, "against": not spins, "axis": axes[0], "words": words, "centred": spins,
                                 "side": not free, "reflects": not free and name in ("sphere", "point")}


def edge_scene(rng, dimension):
    """A bullet at the edge of a thin plate, along the plate."""
    axes = random_frame(rng, dimension)
    half = draw_size(rng)
    size = [rng.uniform(0.3, 1), 2 * half] + [rng.uniform(0.3, 1)] * (dimension - 2)
    off = rng.uniform(0, 0.8) * half
    ahead = rng.uniform(0.4, 3.6) * SPEED * STEP
    velocity = [SPEED * x for x in axes[0]]
    bullet, inner, name = draw_bullet(rng, dimension,
                                      lambda outer: add([-(ahead + outer + size[0] / 2) * x for x in axes[0]], axes[1], off),
                                      velocity)
    target = {"name": "target", "type": "fixed", **frame_rotation(axes, dimension),
              "shapes": [{"type": "box", "size": size, "material": "m"}]}
    if rng.random() < 0.3:
        target.update(type="rigid", density=1000)
    words = "%dD %s at the edge of a plate (%s), sizes %.1e %.1e" % (dimension, name, target["type"], inner, half)
    return [bullet, target], 6, {"hits": True, "against": False, "axis": None, "words": words,
                                 "centred": "angular_velocity" in bullet}


def rod_distance(at, angle, centre):
    """Distance of a point from the segment of length 1 at an angle about a centre, in the plane."""
    x, y = at[0] - centre[0], at[1] - centre[1]
    along = min(max(x * math.cos(angle) + y * math.sin(angle), -0.5), 0.5)
    return math.hypot(x - along * math.cos(angle), y - along * math.sin(angle))


def sweep_scene(rng, dimension):
    """A rod that flies and spins, and a peg at the origin that it touches with its side at a time in the second or third step."""
    thin, peg = draw_size(rng) / 4, draw_size(rng) / 8
    when = rng.uniform(1.2, 2.8) * STEP
    while True:
        station, angle = rng.uniform(-0.45, 0.45), rng.uniform(-3, 3)
        spin, flight = rng.uniform(-2.5, 2.5) / STEP, rng.uniform(-3, 3)
        speed = rng.uniform(0, 1) * SPEED
        velocity = [speed * math.cos(flight), speed * math.sin(flight)]
        normal = [-math.sin(angle), math.cos(angle)]  # from the rod to the peg
        centre = [-station * math.cos(angle) - (thin + peg) * normal[0], -station * math.sin(angle) - (thin + peg) * normal[1]]
        closes = sum(a * b for a, b in zip(velocity, normal)) + spin * station
        pose = lambda t: (angle + spin * (t - when), add(centre, velocity, t - when))
        before = min(rod_distance((0, 0), *pose(when * k / 2000)) for k in range(1990))
        if closes > 0.1 * SPEED and before > 1.001 * (thin + peg):
            break
    shape = {"type": "capsule", "radius": thin, "length": 1.0}
    shape.update({"angle": math.pi / 2} if dimension == 2 else {"orientation": [math.sqrt(0.5), 0, math.sqrt(0.5), 0]})
    at, place = pose(0)
    rod = {"name": "bullet", "type": "rigid", "density": 1000, "position": place + [0.0] * (dimension - 2),
           "velocity": velocity + [0.0] * (dimension - 2), "shapes": [dict(shape, material="m")]}
    rod.update({"angle": at, "angular_velocity": spin} if dimension == 2 else
               {"orientation": [math.cos(at / 2), 0, 0, math.sin(at / 2)], "angular_velocity": [0, 0, spin]})
    target = {"name": "target", "type": "fixed", "position": [0.0] * dimension,
              "shapes": [{"type": "sphere", "radius": peg, "material": "m"}]}
    words = "%dD rod that flies and turns by %.2g rad, sizes %.1e %.1e" % (dimension, spin * STEP, thin, peg)
    return [rod, target], 4, {"hits": True, "against": False, "axis": None, "words": words, "centred": False}


def rod_scene(rng, dimension):
    """A rod that spins about the z axis through its centre, and a peg."""
    hits = rng.random() < 0.75
    thin, peg = draw_size(rng) / 4, draw_size(rng) / 8
    along = rng.choice((True, False))
    if along:
        shape = {"type": "capsule", "radius": thin, "length": 1.0}
        shape.update({"angle": math.pi / 2} if dimension == 2 else {"orientation": [math.sqrt(0.5), 0, math.sqrt(0.5), 0]})
        reach = 0.5 + thin
    else:
        shape = {"type": "box", "size": [1.0] + [2 * thin] * (dimension - 1)}
        reach = math.hypot(0.5, thin)
    kinds = (sphere, box) if dimension == 2 else (sphere, box, cylinder)
    peg_shape, inner, outer = rng.choice(kinds)(rng, peg, dimension)
    per_step = 10 ** rng.uniform(-1, 0.45)
    far = rng.uniform(0.2, 0.45) if hits else (reach + outer) * rng.uniform(1.01, 1.5)
    clear = min(math.asin(min(1, (2 * thin + outer) / 0.2)) + 0.1, 1.4)
    angle = rng.uniform(clear, math.pi - clear)
    place = [far * math.cos(angle), far * math.sin(angle), 0.0][:dimension]
    spin = per_step / STEP
    rod = {"name": "bullet", "type": "rigid", "density": 1000, "position": [0.0] * dimension,
           "angular_velocity": spin if dimension == 2 else [0, 0, spin], "shapes": [dict(shape, material="m")]}
    target = {"name": "target", "type": "fixed", "position": place, "shapes": [dict(peg_shape, material="m")]}
    words = "%dD rod that turns by %.2g rad at %s, sizes %.1e %.1e" % (dimension, per_step, peg_shape["type"], thin, inner)
    return [rod, target], math.ceil(4 / per_step) + 1, {"hits": hits, "against": False, "axis": None, "words": words,
                                                        "centred": False}


KINDS = (bullet_scene,) * 4 + (wall_scene,) * 2 + (edge_scene, sweep_scene) + (rod_scene,) * 2


def draw(seed, k, scheme):
    rng = random.Random("%d-%d" % (seed, k))
    dimension = rng.choice((2, 3))
    bodies, steps, expected = rng.choice(KINDS)(rng, dimension)
    e = 0 if scheme == "anitescu_convex" else rng.choice((0, 0.5, 1))
    return {"slipstick": 1, "dimension": dimension, "gravity": [0] * dimension, "bodies": bodies,
            "time": {"until": steps * STEP, "step": STEP}, "materials": [{"name": "m", "mu": 0, "e": e}]}, expected


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def changed(before, after, speed):
    flat = lambda x: x if isinstance(x, list) else [x]
    return max(abs(a - b) for a, b in zip(flat(before), flat(after))) > UNCHANGED * speed


def energy_gain(given, expected, result, found):
    """Final over initial kinetic energy, in the frame of a driven target; None where the mass is not at hand."""
    first, last = result["energy"]["initial"], result["energy"]["final"]
    drift = expected.get("drift")
    if drift:
        if "angular_velocity" in given:
            return None
        mass = 2 * first / dot(given["velocity"], given["velocity"])
        first -= mass * (dot(given["velocity"], drift) - dot(drift, drift) / 2)
        last -= mass * (dot(found["velocity"], drift) - dot(drift, drift) / 2)
    return last / first


def motion_fault(scene, expected, found):
    """What is wrong with the end of a run: whether it met its target, and how it left it."""
    given = scene["bodies"][0]
    dimension = scene["dimension"]
    v0 = given.get("velocity", [0.0] * dimension)
    w0 = given.get("angular_velocity", 0.0 if dimension == 2 else [0.0] * 3)
    met = changed(v0, found["velocity"], SPEED)
    if given["type"] == "rigid" and not expected["centred"]:
        met = met or changed(w0, found["angular_velocity"], SPEED)
    if met != expected["hits"]:
        return "passes through" if expected["hits"] else "collides with what it misses"
    if expected["hits"] and expected["against"] and not dot(add(found["velocity"], v0, -1), expected["axis"]) < 0:
        return "is pushed forward"
    if expected.get("side") and not dot(found["position"], expected["axis"]) < 0:
        return "is on the other side"
    if expected.get("reflects"):
        e = scene["materials"][0]["e"]
        left = add(v0, expected["axis"], -(1 + e) * dot(v0, expected["axis"]))
        error = norm(add(found["velocity"], left, -1))
        return "is not reflected: %.1e" % (error / SPEED) if error > REFLECTED * SPEED else ""
    return ""


def fault_of(scene, expected, scheme, result):
    """What is wrong with a run, '' if nothing; and whether the run says so itself."""
    if result["outcome"] != "done":
        return "ends with: %s" % result["error"], False
    found = result["bodies"]["bullet"]
    fault = motion_fault(scene, expected, found)
    if fault:
        return fault, False
    gain = energy_gain(scene["bodies"][0], expected, result, found)
    remarks = result["remarks"]
    if gain is not None and not gain <= 1 + GAINS.get(scheme, GAIN):
        return "gains energy: %.4g times [%s]" % (gain, ", ".join(remarks)), result["unconverged_steps"] > 0 and len(remarks) > 0
    silent = result["unconverged_steps"] > 0 and not remarks
    return "is not certified, and does not say why" if silent else "", False


def run_scene(program, path, scheme, tol):
    words = [program, "run", str(path), "--scheme", scheme, "--json", "--quiet"] + (["--tol", "%g" % tol] if tol else [])
    try:
        done = subprocess.run(words, capture_output=True, timeout=120, env=dict(os.environ, OPENBLAS_NUM_THREADS="1"))
    except subprocess.TimeoutExpired:
        return {"outcome": "late", "error": "more than 120 s"}
    text = done.stdout.decode()
    return {"outcome": "error", "error": done.stderr.decode().strip(), **(json.loads(text) if text else {})}


def schemes(program):
    """All schemes but those that show what is wrong with them."""
    listed = subprocess.run([program, "list", "schemes", "--json"], check=True, stdout=subprocess.PIPE, text=True)
    return [entry["name"] for entry in json.loads(listed.stdout) if not entry.get("demonstration")]


def judge(program, folder, seed, k, scheme, tol):
    """A line about one run, '' if there is nothing to say; and whether it is a fault."""
    scene, expected = draw(seed, k, scheme)
    path = folder / ("scene%d.json" % k)
    path.write_text(json.dumps(scene))
    fault, said = fault_of(scene, expected, scheme, run_scene(program, path, scheme, tol))
    line = "%d %s%s: %s (%s) %s" % (k, scheme, " --tol %g" % tol if tol else "", expected["words"],
                                    "hit" if expected["hits"] else "miss", fault)
    return (line + (" - and says so" if said else ""), not said) if fault else ("", False)


def judge_all(options, folder, k):
    """One scene with every scheme and tolerance."""
    return [judge(options.program, folder, options.seed, k, scheme, tol)
            for scheme in options.scheme for tol in options.tol]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first scene")
    parser.add_argument("--only", type=int, help="number of the only scene")
    parser.add_argument("--scheme", action="append")
    parser.add_argument("--tol", action="append", type=lambda x: float(x) or None,
                        help="a tolerance of the step control, 0: fixed steps; by default 0 and 1e-3")
    parser.add_argument("--keep", help="write the scene of --only to this file")
    parser.add_argument("-j", type=int, default=1, help="scenes at the same time")
    options = parser.parse_args()
    options.tol = options.tol or TOLERANCES
    options.scheme = options.scheme or schemes(options.program)
    numbers = range(options.first, options.first + options.count) if options.only is None else [options.only]
    if options.keep:
        scene = draw(options.seed, options.only, options.scheme[0])[0]
        pathlib.Path(options.keep).write_text(json.dumps(scene, indent=1))
    faults = said = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        for found in pool.map(lambda k: judge_all(options, pathlib.Path(folder), k), numbers):
            faults += sum(fault for line, fault in found)
            said += sum(line != "" and not fault for line, fault in found)
            for line in (line for line, _ in found if line):
                print(line, flush=True)
    print("%d of %d runs at fault, %d say so themselves" % (faults, len(numbers) * len(options.scheme) * len(options.tol), said))
    return faults > 0


if __name__ == "__main__":
    sys.exit(main())
