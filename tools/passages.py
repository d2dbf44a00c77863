#!/usr/bin/env python3
"""passages.py - bullets, pegs and spinning rods that must not pass through what they meet, with every scheme.

    tools/passages.py SLIPSTICK [--count N] [--seed S] [--only K] [--scheme NAME]

Scene k is drawn from (seed, k). There is no gravity and no friction, so motion before the first collision is uniform and what
must happen is known in closed form:

    bullet   flies straight at a target, both hold a ball about their centre, and the centres pass each other by less
             than a fifth of the two radii: they meet. Or by more than the balls that hold them: they do not.
    rod      spins about its centre, and a peg lies within its reach, or beyond it.

Sizes go down to 1e-4 of the way in a step, targets may be fixed, driven or free, and bullets may spin by up to three radians in
a step. A body that meets something changes its velocity, with an impulse against its motion if it does not spin, and gains no
energy from a fixed target (Moreau's schemes and event_capturing_rk are held to that); one that misses keeps its velocity to the
last digits. Steps are fixed, or chosen by --tol."""
import argparse
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile

SCHEMES = ("anitescu_potra", "anitescu_convex", "moreau", "moreau_projected", "schatzman_paoli", "event_capturing_rk")
CONSERVING = ("moreau", "moreau_projected", "event_capturing_rk")
STEP = 0.01
SPEED = 100.0  # way in a step: 1 m
UNCHANGED = 1e-9  # of the speed: round-off of a few steps
GAIN = 0.03  # of the kinetic energy: what the rotation of a body between the ends of a substep may add in a few impacts


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
                                 "conserves": moves != "driven", "centred": dimension == 3 and spins}


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
                                                        "conserves": True, "centred": False}


def draw(seed, k, scheme):
    rng = random.Random("%d-%d" % (seed, k))
    dimension = rng.choice((2, 3))
    bodies, steps, expected = (rod_scene if rng.random() < 0.3 else bullet_scene)(rng, dimension)
    e = 0 if scheme == "anitescu_convex" else rng.choice((0, 0.5, 1))
    return {"slipstick": 1, "dimension": dimension, "gravity": [0] * dimension, "bodies": bodies,
            "time": {"until": steps * STEP, "step": STEP}, "materials": [{"name": "m", "mu": 0, "e": e}]}, expected


def changed(before, after, speed):
    flat = lambda x: x if isinstance(x, list) else [x]
    return max(abs(a - b) for a, b in zip(flat(before), flat(after))) > UNCHANGED * speed


def fault_of(scene, expected, scheme, result):
    """What is wrong with a run; '' if nothing."""
    if result["outcome"] != "done":
        return "ends with: %s" % result["error"]
    given = scene["bodies"][0]
    found = result["bodies"]["bullet"]
    dimension = scene["dimension"]
    v0 = given.get("velocity", [0.0] * dimension)
    w0 = given.get("angular_velocity", 0.0 if dimension == 2 else [0.0] * 3)
    met = changed(v0, found["velocity"], SPEED)
    if given["type"] == "rigid" and not expected["centred"]:
        met = met or changed(w0, found["angular_velocity"], SPEED)
    if met != expected["hits"]:
        return "passes through" if expected["hits"] else "collides with what it misses"
    push = sum((a - b) * c for a, b, c in zip(found["velocity"], v0, expected["axis"] or v0))
    if expected["hits"] and expected["against"] and not push < 0:
        return "is pushed forward"
    if expected["conserves"] and scheme in CONSERVING and result["energy"]["final"] > (1 + GAIN) * result["energy"]["initial"]:
        return "gains energy: %.4g times" % (result["energy"]["final"] / result["energy"]["initial"])
    return ""


def run_scene(program, path, scheme, tol):
    words = [program, "run", str(path), "--scheme", scheme, "--json", "--quiet"] + (["--tol", "1e-3"] if tol else [])
    try:
        done = subprocess.run(words, capture_output=True, timeout=120, env=dict(os.environ, OPENBLAS_NUM_THREADS="1"))
    except subprocess.TimeoutExpired:
        return {"outcome": "late", "error": "more than 120 s"}
    text = done.stdout.decode()
    return json.loads(text) if text else {"outcome": "error", "error": done.stderr.decode().strip()}


def judge(program, folder, seed, k, scheme, tol):
    scene, expected = draw(seed, k, scheme)
    path = folder / "scene.json"
    path.write_text(json.dumps(scene))
    fault = fault_of(scene, expected, scheme, run_scene(program, path, scheme, tol))
    return "%d %s%s: %s (%s) %s" % (k, scheme, " --tol" if tol else "", expected["words"],
                                  "hit" if expected["hits"] else "miss", fault) if fault else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int)
    parser.add_argument("--scheme", action="append")
    parser.add_argument("--keep", help="write the scene of --only to this file")
    options = parser.parse_args()
    faults, runs = 0, 0
    numbers = range(options.count) if options.only is None else [options.only]
    if options.keep:
        scene = draw(options.seed, options.only, (options.scheme or SCHEMES)[0])[0]
        pathlib.Path(options.keep).write_text(json.dumps(scene, indent=1))
    with tempfile.TemporaryDirectory() as folder:
        for k in numbers:
            for scheme in options.scheme or SCHEMES:
                for tol in (False, True):
                    line = judge(options.program, pathlib.Path(folder), options.seed, k, scheme, tol)
                    runs += 1
                    faults += line != ""
                    if line:
                        print(line, flush=True)
    print("%d of %d runs at fault" % (faults, runs))
    return faults > 0


if __name__ == "__main__":
    sys.exit(main())
