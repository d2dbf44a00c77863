#!/usr/bin/python3
"""tolerance_scene.py - random systems whose motion can be computed to many digits, to measure what a tolerance is worth.

    tolerance_scene.py SEED     prints the scene

A seed gives one of KINDS in 2D or 3D with 1 to 8 bodies. All have length_scale 1, so that errors are those of step control."""
import json
import math
import random
import sys

GRAVITY = 9.81


def particle(name, position, velocity, radius=0):
    shapes = [{"type": "sphere", "radius": radius}] if radius else []
    return {"name": name, "type": "particle", "mass": 1, "position": position, "velocity": velocity, "shapes": shapes}


def vector(rng, dimension, size):
    return [rng.uniform(-size, size) for _ in range(dimension)]


def up(dimension):
    return [0, 1] if dimension == 2 else [0, 0, 1]


def plane(dimension, **more):
    return dict({"name": "floor", "type": "fixed", "shapes": [{"type": "half_space", "normal": up(dimension)}]}, **more)


def at(dimension, x, height):
    return [x, height] if dimension == 2 else [x, 0, height]


def materials(mu, e):
    return [{"name": "m", "mu": mu, "e": e}]


def with_material(bodies):
    for body in bodies:
        for shape in body.get("shapes", []):
            shape["material"] = "m"
    return bodies


def chain(rng, dimension):
    """Particles on rods, from a point of the world: smooth; short enough not to be chaotic."""
    bodies, joints, place = [], [], [0.0] * dimension
    for k in range(rng.randint(1, 3)):
        direction = vector(rng, dimension, 1)
        direction[-1] = -abs(direction[-1]) - 0.5
        size, length = math.hypot(*direction), rng.uniform(0.4, 1)
        place = [a + length * d / size for a, d in zip(place, direction)]
        bodies.append(particle("b%d" % k, place, [0] * dimension))
        joints.append({"type": "distance", "bodies": ["b%d" % (k - 1) if k else "world", "b%d" % k]})
    return {"bodies": bodies, "joints": joints, "until": rng.uniform(1, 2)}


def bouncing(rng, dimension):
    """Balls that fall on a floor and hang on springs."""
    e, bodies, forces = rng.choice([0, 0.5, 0.8, 1]), [plane(dimension)], []
    for k in range(rng.randint(1, 8)):
        place = at(dimension, 2.0 * k, rng.uniform(0.3, 1))
        bodies.append(particle("b%d" % k, place, [0] * dimension, 0.1))
        forces.append({"name": "f%d" % k, "type": "spring", "bodies": ["world", "b%d" % k], "length": 1,
                       "anchors": [at(dimension, 2.0 * k, 1.5), [0] * dimension], "stiffness": 10 ** rng.uniform(0.5, 2.5)})
    return {"bodies": bodies, "forces": forces, "materials": materials(0, e), "until": rng.uniform(0.8, 1.6)}


def striking(rng, dimension):
    """A ball strikes a row of others, the last of which is on a stiff spring."""
    bodies, x = [], 0.0
    count = rng.randint(2, 4)
    for k in range(count):
        bodies.append(particle("b%d" % k, at(dimension, x, 0), at(dimension, rng.uniform(0.5, 2) if k == 0 else 0, 0), 0.1))
        bodies[-1]["mass"] = rng.uniform(0.5, 3)
        x += rng.uniform(0.25, 0.5)
    spring = {"name": "f", "type": "spring", "bodies": ["world", "b%d" % (count - 1)], "length": 2,
              "stiffness": 10 ** rng.uniform(2, 4),
              "anchors": [at(dimension, bodies[-1]["position"][0] + 2, 0), [0] * dimension]}
    return {"bodies": bodies, "forces": [spring], "materials": materials(0, rng.choice([0.5, 0.9])), "gravity": 0,
            "until": rng.uniform(0.8, 1.5)}


def sticking(rng, dimension):
    """Blocks on a floor with friction, pushed to and fro: slips that begin and end."""
    mu, bodies, forces = rng.uniform(0.2, 0.8), [plane(dimension)], []
    for k in range(rng.randint(1, 8)):
        bodies.append(particle("b%d" % k, at(dimension, 2.0 * k, 0), [0] * dimension))
        bodies[-1]["shapes"] = [{"type": "point"}]
        forces.append({"name": "f%d" % k, "type": "sinusoid", "body": "b%d" % k, "omega": rng.uniform(1, 6), "phase": rng.uniform(0, 6),
                       "force": at(dimension, mu * GRAVITY * rng.uniform(1.01, 1.6), 0)})
    return {"bodies": bodies, "forces": forces, "materials": materials(mu, 0), "until": rng.uniform(2, 5)}


def driven(rng, dimension):
    """A ball on a plate that shakes: it is thrown and comes back."""
    omega, size = rng.uniform(4, 9), rng.uniform(0.1, 0.2)
    motion = ["0"] * (dimension - 1) + ["%.6f*sin(%.6f*t)" % (size, omega)]
    plate = {"name": "plate", "type": "driven", "position": motion, "shapes": [{"type": "half_space", "normal": up(dimension)}]}
    ball = particle("b", at(dimension, 0, 0.1 + rng.choice([0, 0.2])), [0] * dimension, 0.1)
    return {"bodies": [plate, ball], "materials": materials(0, rng.choice([0, 0.3])), "until": rng.uniform(1, 2)}


def rolling(rng, dimension):
    """Discs or balls that slip on a floor until they roll."""
    mu, bodies = rng.uniform(0.1, 0.5), [plane(dimension)]
    for k in range(rng.randint(1, 8)):
        radius = 0.25
        body = {"name": "b%d" % k, "type": "rigid", "density": 100, "position": at(dimension, 3.0 * k, radius),
                "velocity": at(dimension, rng.uniform(0.5, 2), 0), "shapes": [{"type": "sphere", "radius": radius}],
                "angular_velocity": rng.uniform(-4, 4) if dimension == 2 else vector(rng, 3, 4)}
        bodies.append(body)
    return {"bodies": bodies, "materials": materials(mu, 0), "until": rng.uniform(0.6, 1.2)}


KINDS = (chain, bouncing, striking, sticking, driven, rolling)


def scene(seed):
    rng = random.Random(seed)
    kind, dimension = KINDS[seed % len(KINDS)], rng.choice([2, 3])
    made = kind(rng, dimension)
    gravity = [-made.get("gravity", GRAVITY) * x for x in up(dimension)]
    return {"slipstick": 1, "name": "%s %d" % (kind.__name__, seed), "dimension": dimension, "gravity": gravity, "length_scale": 1,
            "time": {"until": made["until"]}, "materials": made.get("materials", materials(0, 0)), "bodies": with_material(made["bodies"]),
            "joints": made.get("joints", []), "forces": made.get("forces", [])}


if __name__ == "__main__":
    print(json.dumps(scene(int(sys.argv[1])), indent=1))
