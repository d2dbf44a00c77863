#!/usr/bin/env python3
"""The certificate on whole runs: bodies of very different mass rest, and what is at rest is certified.

Every scene is also run with other masses, turned, and in millimetres and grams: all of that drops out."""
import copy
import math

from common import check, finish, run_json, write

FALL = 9.81


def turned(vector, angle):
    """In the plane of the first and the last component, which is that of gravity."""
    x, z = vector[0], vector[-1]
    return [math.cos(angle) * x - math.sin(angle) * z, *vector[1:-1], math.sin(angle) * x + math.cos(angle) * z]


def scaled(scene, length, mass):
    """The scene in units that are smaller by these factors."""
    scene = copy.deepcopy(scene)
    scene["gravity"] = [length * g for g in scene["gravity"]]
    for body in scene["bodies"]:
        body["position"] = [length * x for x in body.get("position", [0] * scene["dimension"])]
        if "mass" in body:
            body["mass"] *= mass
        if "inertia" in body:
            body["inertia"] *= mass * length * length
        for shape in body.get("shapes", []):
            if "size" in shape:
                shape["size"] = [length * x for x in shape["size"]]
    for joint in scene.get("joints", []):
        if "at" in joint:
            joint["at"] = [length * x for x in joint["at"]]
    return scene


def certified(what, scene, *words):
    result = run_json("run", write("scene.json", scene), *words)
    check("%s: every step is certified (%s of %s are not, residual %s)"
          % (what, result.get("unconverged_steps"), result.get("steps"), result.get("max_residual")),
          result.get("unconverged_steps") == 0)
    return result


# ---- heavy on light ----------------------------------------------------------------------------------


def stack(masses, step, until):
    """Cubes of 1 m on the floor."""
    body = [{"name": "b%d" % k, "type": "rigid", "mass": m, "position": [0, 0, k + 0.5],
             "shapes": [{"type": "box", "size": [1, 1, 1], "material": "m"}]} for k, m in enumerate(masses)]
    floor = {"name": "floor", "type": "fixed", "shapes": [{"type": "half_space", "normal": [0, 0, 1], "material": "m"}]}
    return {"slipstick": 1, "dimension": 3, "gravity": [0, 0, -FALL], "time": {"until": until, "step": step},
            "materials": [{"name": "m", "mu": 0.3, "e": 0}], "bodies": [*body, floor]}


def stacks_of_light_and_heavy_cubes_rest():
    step = 0.00358
    until = 18 * step * (1 + 1e-8 / 18)  # a last step of 1e-8 h: overlaps that a solver leaves must not become velocities there
    for masses in ([1, 4000, 1, 3000], [0.7, 1e6], [0.98, 2700, 1000, 2000, 0.64, 4800, 1700, 4000], [4 ** k for k in range(9)]):
        for k, scheme in enumerate(("moreau", "anitescu_potra", "anitescu_convex", "schatzman_paoli", "event_capturing_rk")):
            length, mass, units = ((1, 1, "m and kg"), (1e3, 1e3, "mm and g"))[k % 2]
            scene = scaled(stack(masses, step, until), length, mass)
            what = "cubes of %s kg with %s in %s" % (masses, scheme, units)
            bodies = certified(what, scene, "--scheme", scheme)["bodies"]
            # a body may be off by 100 tolerances of the speed that gravity gives it in a step; more by the levers of a tower
            fastest = max(abs(x) for body in bodies.values() for x in body.get("velocity", [0])) / length
            check("%s rest: %.2g m/s" % (what, fastest), fastest < 100 * 1e-8 * FALL * step)
            moved = max(abs(x - y) for body in scene["bodies"][:-1]
                        for x, y in zip(bodies[body["name"]]["position"], body["position"])) / length
            check("%s stay where they are: %.2g m" % (what, moved), moved < 2e-9)


# ---- at rest -----------------------------------------------------------------------------------------


def falling_limit(masses, angle):
    """Two bodies that fall together; the limit of their joint is reached and presses nothing."""
    first, second = masses
    return {"slipstick": 1, "dimension": 2, "gravity": turned([0, -FALL], angle), "time": {"until": 0.5, "step": 0.01},
            "bodies": [{"name": "a", "type": "rigid", "mass": first, "inertia": 0.1 * first, "position": turned([0.5, 0], angle)},
                       {"name": "b", "type": "rigid", "mass": second, "inertia": 0.1 * second,
                        "position": turned([1.5, 0.3], angle)}],
            "joints": [{"name": "j", "type": "revolute", "bodies": ["a", "b"], "at": turned([1, 0.2], angle),
                        "limits": [0, 1]}]}


def resting_rod(masses):
    """Two small boxes fall on the floor and come to rest, with a rod between them that then carries nothing."""
    box = [{"name": n, "type": "rigid", "mass": m, "position": p, "orientation": o,
            "shapes": [{"type": "box", "size": s, "material": "m"}]}
           for n, m, p, o, s in (("a", masses[0], [0, 0, 0.006], [1, 0.3, 0.2, 0.1], [0.004, 0.003, 0.005]),
                                 ("b", masses[1], [0.02, 0.001, 0.007], [1, 0.1, 0.4, 0.1], [0.004, 0.006, 0.005]))]
    floor = {"name": "floor", "type": "fixed", "shapes": [{"type": "half_space", "normal": [0, 0, 1], "material": "m"}]}
    return {"slipstick": 1, "dimension": 3, "gravity": [0, 0, -FALL], "time": {"until": 0.15, "step": 0.001},
            "materials": [{"name": "m", "mu": 0, "e": 0}], "bodies": [floor, *box],
            "joints": [{"name": "rod", "type": "distance", "bodies": ["a", "b"], "anchors": [[0, 0, 0], [0, 0, 0]]}]}


def what_rests_or_falls_together_is_certified():
    for masses in ((1, 2), (1e-3, 5), (700, 0.3)):
        for length, mass in ((1, 1), (1e3, 1e3)):
            for angle in (0, 0.7):
                what = "a joint of %g kg and %g kg that falls at its limit, turned by %g, unit %g" % (*masses, angle, length)
                certified(what, scaled(falling_limit(masses, angle), length, mass))
            what = "a rod between boxes of %g kg and %g kg at rest, unit %g" % (*masses, length)
            certified(what, scaled(resting_rod([0.1 * m for m in masses]), length, mass), "--scheme", "event_capturing_rk")


stacks_of_light_and_heavy_cubes_rest()
what_rests_or_falls_together_is_certified()
finish()
