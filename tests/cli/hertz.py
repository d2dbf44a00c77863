"""Two elastic cylinders that are pressed together, as Hertz has solved it: meshes of two sectors, and the scene.

hertz.py FOLDER N writes hertz.json and its two meshes, with N elements over half the width of the contact."""
import json
import math
import pathlib
import sys

RADIUS, MODULUS, POISSON, WIDTH = 1.0, 1000.0, 0.3, 0.06


def graded(fine, count, growth, end):
    """0 .. end: `count` steps of about `fine`, then each `growth` times the one before."""
    x, step = [0.0], fine
    while x[-1] < end:
        step *= growth if len(x) > count else 1
        x.append(x[-1] + step)
    return [value * end / x[-1] for value in x]


def sector(path, up, n):
    """A sector of a disc as a Gmsh file, n elements over half the width of the contact; its inner arc is the group `core`."""
    half, depth = graded(WIDTH / n, int(1.6 * n), 1.3, 1.0), graded(WIDTH / n, n, 1.35, 0.6)
    angle = [-a for a in half[:0:-1]] + half
    wide, sign = len(angle), 1 if up else -1
    nodes = [((RADIUS - d) * math.sin(a), sign * (RADIUS - d) * math.cos(a)) for d in depth for a in angle]
    cells = []
    for j in range(len(depth) - 1):
        for i in range(wide - 1):
            a, b, c, d = j * wide + i, j * wide + i + 1, (j + 1) * wide + i + 1, (j + 1) * wide + i
            cells += [(a, b, c), (a, c, d)] if i < (wide - 1) // 2 else [(a, b, d), (b, c, d)]
    core = [(len(nodes) - wide + i, len(nodes) - wide + i + 1) for i in range(wide - 1)]
    count = len(cells) + len(core)
    lines = ["$MeshFormat", "4.1 0 8", "$EndMeshFormat", "$PhysicalNames", "1", '1 1 "core"', "$EndPhysicalNames", "$Entities", "0 1 1 0",
             "1 0 0 0 0 0 0 1 1 0", "1 0 0 0 0 0 0 0 0", "$EndEntities", "$Nodes", "1 %d 1 %d" % (len(nodes), len(nodes)),
             "2 1 0 %d" % len(nodes)]
    lines += ["%d" % (k + 1) for k in range(len(nodes))] + ["%.17g %.17g 0" % x for x in nodes]
    lines += ["$EndNodes", "$Elements", "2 %d 1 %d" % (count, count), "1 1 1 %d" % len(core)]
    lines += ["%d %d %d" % (k + 1, a + 1, b + 1) for k, (a, b) in enumerate(core)] + ["2 1 2 %d" % len(cells)]
    lines += ["%d %d %d %d" % (k + 1, a + 1, b + 1, c + 1) for k, (a, b, c) in enumerate(cells)] + ["$EndElements"]
    path.write_text("\n".join(lines) + "\n")


def press(folder, n):
    """The scene with its meshes in a folder."""
    above = {"name": "above", "type": "triangle", "E": MODULUS, "nu": POISSON, "density": 1e-6, "mesh": "above.msh", "held": "core",
             "holder": "press", "position": [0, RADIUS]}
    below = dict(above, name="below", mesh="below.msh", holder="world", position=[0, -RADIUS])
    plunger = {"name": "press", "type": "driven", "position": ["0", "1 - 0.0025*t"]}
    sector(folder / "above.msh", False, n)
    sector(folder / "below.msh", True, n)
    return {"slipstick": 1, "name": "two cylinders pressed together", "dimension": 2, "time": {"until": 4, "step": 1},
            "scheme": {"name": "anitescu_convex"}, "bodies": [plunger], "elements": [above, below]}


def expected(force):
    """Half the width of the contact by Hertz."""
    return math.sqrt(4 * force * RADIUS * (1 - POISSON ** 2) / (math.pi * MODULUS))


if __name__ == "__main__":
    out = pathlib.Path(sys.argv[1])
    (out / "hertz.json").write_text(json.dumps(press(out, int(sys.argv[2]))))
