#!/usr/bin/python3
"""random_scene.py - a valid scene from a number.

    random_scene.py SEED [--profile KIND] [-o FILE]

The scene is a function of the seed (and the kind): the same on every machine. It has 2 to 30 bodies in 2D or 3D, out of all
shapes, joints, forces, limits and motors; nothing overlaps and no joint is violated at the start; no motor works against
another one, a limit or the ground with a force without bound. KIND is one of

    flight      bodies, closed chains and springs in free space, with and without gravity                 3 of 20 scenes
    pile        stacks, heaps and balls on a plane or a height field, between walls now and then          6
    mechanism   pendulums, closed loops, carts, sliders, ropes near the ground                            6
    mixed       all of these side by side, with driven bodies                                             5
    machine     guides, threads, wheels in mesh and racks                                                 only with --profile
    rolling     what stands, rolls and is joined, with rolling and spinning friction                      only with --profile

Without --profile the seed chooses, in these proportions. groups.py and machines.py make what stands or moves together, shapes.py
bodies."""
import argparse
import json
import math
import random
import sys

import groups
import machines
from shapes import Maker, clean

PROFILES = {"flight": 3, "pile": 6, "mechanism": 6, "mixed": 5, "machine": 0, "rolling": 0}
AIR = [groups.thrown, groups.particles, groups.ring, groups.welded, groups.coupled]
GROUND = [groups.resting, groups.stack, groups.heap, groups.pyramid, groups.thrown]
MECHANISMS = [groups.pendulum, groups.pendulum, groups.four_bar, groups.slider_crank, groups.cart, groups.pinned, groups.slider,
              groups.rope, groups.welded, groups.coupled]
MIXED = GROUND + MECHANISMS + [groups.platform, groups.platform, groups.roller, groups.obstacle, groups.obstacle,
                               groups.particles]
KINDS = {"flight": AIR, "pile": GROUND + [groups.obstacle], "mechanism": MECHANISMS, "mixed": MIXED,
         "machine": [machines.guided, machines.guided, machines.wheels], "rolling": GROUND + MIXED}
OVER_FIELD = [groups.thrown, groups.particles, groups.heap]  # what needs no plane to stand on
BODIES = 30
FIELD_TOP = 0.2  # m, of the highest hill of a height field


def materials(rng):
    """The first one is slick: platforms are made of it. Two scenes of five have no restitution at all."""
    inelastic = rng.random() < 0.4
    made = [{"name": "slick", "mu": round(rng.uniform(0, 0.4), 2), "e": 0}]
    for name in ("wood", "steel", "rubber")[:rng.randint(1, 3)]:
        mu = rng.choice([0, round(rng.uniform(0, 1), 2), round(rng.uniform(0, 2), 2)])
        e = rng.choice([0, 0, 1, round(rng.uniform(0, 1), 2)])
        made.append({"name": name, "mu": mu, "e": 0 if inelastic else e})
    return made


def roughen(m):
    """Rolling and spinning friction, m, of most materials."""
    for material in m.materials:
        if m.chance(0.8):
            material["rolling_friction"] = m.rng.choice([0.001, round(m.number(0, 0.05), 3)])
        if m.dim == 3 and m.chance(0.6):
            material["spinning_friction"] = m.rng.choice([0.001, round(m.number(0, 0.03), 3)])


def pairs(m):
    """Now and then a pair of materials with its own laws."""
    if len(m.materials) < 3 or m.chance(0.7):
        return []
    first, second = m.rng.sample(m.materials[1:], 2)
    return [{"materials": [first["name"], second["name"]], "mu": m.number(0, 2), "e": min(first["e"], second["e"])}]


def gravity(m, profile):
    if profile == "flight" and m.chance(0.6):
        return m.at(0, 0)
    if m.chance(0.25):
        lean = m.number(-0.4, 0.4)
        return m.at(9.81 * math.sin(lean), -9.81 * math.cos(lean))
    return m.at(0, -9.81)


# ---- placing groups side by side ---------------------------------------------------------------------------------

def shift(group, by):
    """Moves a group, with what it has in common with the world."""
    def moved(point):
        return [x + d for x, d in zip(point, by)]

    for body in group.bodies:
        body["position"] = moved(body["position"])
    for joint in group.joints:
        if "at" in joint:
            joint["at"] = moved(joint["at"])
    for part in group.joints + group.forces:
        if part.get("bodies", [""])[0] == "world" and "anchors" in part:
            part["anchors"][0] = moved(part["anchors"][0])


def times(a, b):
    """The product of two quaternions."""
    w, x, y, z = a
    p, q, r, s = b
    return [w * p - x * q - y * r - z * s, w * q + x * p + y * s - z * r,
            w * r - x * s + y * p + z * q, w * s + x * r - y * q + z * p]


def yaw(group, angle):
    """Turns a 3D group about the vertical through its origin, before it is shifted."""
    c, s = math.cos(angle), math.sin(angle)
    about = [math.cos(angle / 2), 0, 0, math.sin(angle / 2)]

    def turned(v):
        return [c * v[0] - s * v[1], s * v[0] + c * v[1], v[2]]

    for body in group.bodies:
        body["position"] = turned(body["position"])
        if "velocity" in body:
            body["velocity"] = turned(body["velocity"])
        if body["type"] != "particle":
            body["orientation"] = times(about, body.get("orientation", [1, 0, 0, 0]))
    for joint in group.joints:
        if "at" in joint:
            joint["at"] = turned(joint["at"])
        for key in ("axis", "second_axis"):
            if key in joint and joint["bodies"][0] == "world":
                joint[key] = turned(joint[key])
    for part in group.joints + group.forces:
        if part.get("bodies", [""])[0] == "world" and "anchors" in part:
            part["anchors"][0] = turned(part["anchors"][0])


def place(m, made, base):
    """One after the other along x, closely; returns the ends of the row."""
    x = 0.0
    for group in made:
        if m.dim == 3:
            yaw(group, m.number(-3, 3))
        x += group.half
        shift(group, m.at(x, base))
        x += group.half + m.rng.choice([0.01, groups.CLEAR, 0.3])
    return 0.0, x


# ---- the ground ----------------------------------------------------------------------------------------------------

def plane(m, normal, offset=0):
    return m.shape("half_space", normal=normal, offset=offset)


def height_field(m, left, right):
    """Hills below FIELD_TOP, wider than the row of bodies by 3 m at both ends."""
    spacing = m.number(0.3, 0.8)
    columns = math.ceil((right - left + 6) / spacing)
    rows = 1 if m.dim == 2 else math.ceil(8 / spacing)
    heights = [[m.number(0, FIELD_TOP) for _ in range(columns)] for _ in range(rows)]
    position = m.at(round((left + right) / 2, 3), 0)
    return m.shape("height_field", heights=heights[0] if m.dim == 2 else heights, spacing=spacing, position=position)


def ground(m, profile, field, left, right):
    if profile == "flight":
        return []
    shapes = [height_field(m, left, right) if field else plane(m, m.at(0, 1))]
    if profile == "pile" and m.chance(0.3):
        shapes += [plane(m, m.at(1, 0), left - 0.5), plane(m, m.at(-1, 0), -right - 0.5)]
    return [{"name": "ground", "type": "fixed", "shapes": shapes}]


# ---- the scene -----------------------------------------------------------------------------------------------------

def draw_groups(m, kinds):
    """At least two bodies, at most BODIES with the ground."""
    made, count = [], 0
    for _ in range(m.rng.randint(1, 6)):
        group = m.rng.choice(kinds)(m)
        if made and count + len(group.bodies) >= BODIES:
            break
        made.append(group)
        count += len(group.bodies)
    while count < 2:
        made.append(groups.thrown(m))
        count += 1
    return made


def forces(m, made):
    """Springs between bodies and to the world, and loads."""
    found = [force for group in made for force in group.forces]
    free = [body for group in made for body in groups.moving(group)]
    for _ in range(m.rng.choice([0, 0, 1, 2, 3])):
        found.append(groups.load(m, m.rng.choice(free)))
    for _ in range(m.rng.choice([0, 0, 0, 1, 2])):
        first, second = m.rng.sample(free, 2) if len(free) > 1 else (None, free[0])
        found.append(groups.spring(m, first if m.chance(0.7) else None, second))
    return found


def in_words(body):
    """A driven body's position as the expressions that the scene wants."""
    motion = body.pop("motion", {})
    for axis, words in motion.items():
        body["position"][axis] = "%.12g + %s" % (body["position"][axis], words)
    return body


def scene(seed, profile=None):
    rng = random.Random("slipstick scene %d" % seed)
    chosen = rng.choices(list(PROFILES), weights=PROFILES.values())[0]
    profile = profile or chosen
    dim = rng.choice([2, 3])
    step = rng.choice([0.01, 0.005, 0.005, 0.0025])
    m = Maker(rng, dim, step, materials(rng), decades=rng.choice([0.3, 0.3, 1, 2]))
    field = profile == "pile" and m.chance(0.3)
    made = draw_groups(m, OVER_FIELD if field else KINDS[profile])
    left, right = place(m, made, FIELD_TOP + 0.01 if field else 0)
    pulled = forces(m, made)
    if profile == "rolling":
        roughen(m)
    return clean({
        "slipstick": 1, "name": "random %s %d" % (profile, seed), "dimension": dim, "gravity": gravity(m, profile),
        "time": {"until": step * rng.randint(100, 200), "step": step},
        "materials": m.materials, "pairs": pairs(m),
        "bodies": ground(m, profile, field, left, right) + [in_words(body) for group in made for body in group.bodies],
        "joints": [joint for group in made for joint in group.joints],
        "forces": pulled})


def text(content):
    """JSON with one line for each body, joint and force."""
    lines = []
    for key, value in content.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            lines.append('"%s": [\n    %s ]' % (key, ",\n    ".join(json.dumps(item) for item in value)))
        else:
            lines.append('"%s": %s' % (key, json.dumps(value)))
    return "{ " + ",\n  ".join(lines) + " }\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seed", type=int)
    parser.add_argument("--profile", choices=PROFILES)
    parser.add_argument("-o", metavar="FILE", type=argparse.FileType("w"), default=sys.stdout)
    options = parser.parse_args()
    options.o.write(text(scene(options.seed, options.profile)))


if __name__ == "__main__":
    main()
