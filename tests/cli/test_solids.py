#!/usr/bin/python3
"""Solids of triangles and tetrahedra with five schemes: a block that slides and stops, a cube dropped on its edge, a ball between nodes,
two solids on each other, two cylinders against Hertz, stiff bodies, meshes that are wrong."""
import csv
import math
import os
import sys

from common import TEMP, check, finish, refused, run, run_json, write

try:
    import h5py
except ImportError:
    print("test_solids.py: skipped: python3-h5py is absent")
    sys.exit(0)

SCHEMES = ["moreau", "anitescu_convex", "trapezoidal", "galpha_ggl", "event_capturing_rk"]
FULL = os.environ.get("SLIPSTICK_FULL", "0") == "1"
RUBBER = [{"name": "rubber", "mu": 0.5}]


def scene(dimension, bodies, elements, until, step=0.002):
    gravity = [0] * (dimension - 1) + [-9.81]
    return {"slipstick": 1, "name": "solid", "dimension": dimension, "gravity": gravity, "materials": RUBBER, "bodies": bodies,
            "time": {"until": until, "step": step}, "elements": [dict({"material": "rubber"}, **e) for e in elements]}


def floor(dimension):
    normal = [0] * (dimension - 1) + [1]
    return {"name": "floor", "type": "fixed", "shapes": [{"type": "half_space", "normal": normal, "material": "rubber"}]}


def table(name, scheme, content, *words):
    """Run a scene: its report, and the rows of its CSV."""
    path, out = write("%s.json" % name, content), TEMP / ("%s.%s.csv" % (name, scheme))
    report = run_json("run", path, "--scheme", scheme, "-o", out, *words)
    with open(out, newline="") as file:
        return report, [{k: float(v) for k, v in row.items()} for row in csv.DictReader(file)]


# ---- experiments -------------------------------------------------------------------------------------

def a_soft_block_slides_as_far_as_a_rigid_one():
    """Its centre of mass is slowed down by mu g, whatever the block does inside: it stops after v^2/(2 mu g)."""
    block = {"name": "b", "type": "triangle", "size": [0.2, 0.1], "divisions": [6, 2], "E": 1e6, "nu": 0.3, "density": 1000,
             "stiffness_damping": 0.001, "velocity": [1, 0]}
    for scheme in SCHEMES:
        report, rows = table("slide", scheme, scene(2, [floor(2)], [block], 0.25))
        nodes = [k for k in rows[0] if k.startswith("b.") and k.endswith(".x")]
        way = sum(rows[-1][k] - rows[0][k] for k in nodes) / len(nodes)
        check("%s: the block slides by %.5f m" % (scheme, way), abs(way - 1 / 9.81) < 0.0015)
        check("%s: it has stopped" % scheme, abs(sum(rows[-1][k[:-1] + "vx"] for k in nodes)) < 0.01 * len(nodes))
        check("%s: no energy is made" % scheme, rows[-1]["kinetic"] + rows[-1]["potential"] < rows[0]["kinetic"] + rows[0]["potential"])


def a_cube_dropped_on_its_edge_bounces():
    cube = {"name": "c", "type": "tetrahedron", "size": [0.2, 0.2, 0.2], "divisions": [2, 2, 2], "E": 1e5, "nu": 0.3, "density": 1000,
            "position": [0, 0, 0.02], "orientation": [math.cos(math.pi / 8), math.sin(math.pi / 8), 0, 0], "stiffness_damping": 0.002}
    for scheme in SCHEMES:
        report, rows = table("cube", scheme, scene(3, [floor(3)], [cube], 0.12, 0.004))
        nodes = [k for k in rows[0] if k.startswith("c.") and k.endswith(".z")]
        least = min(min(row[k] for k in nodes) for row in rows)
        energy = [row["kinetic"] + row["potential"] for row in rows]
        check("%s: the cube stays above the floor: %g" % (scheme, least), least > -0.004)
        check("%s: it is stopped at the floor" % scheme, max(row["contacts"] for row in rows) >= 3)
        check("%s: no energy is made: %g of %g" % (scheme, max(energy), energy[0]), max(energy) < energy[0] * (1 + 1e-9))


def a_ball_and_a_corner_do_not_fall_between_nodes():
    ball = {"name": "ball", "type": "rigid", "mass": 2, "inertia": 0.002, "position": [0.55, 0.25],
            "shapes": [{"type": "sphere", "radius": 0.02, "material": "rubber"}]}
    brick = {"name": "brick", "type": "rigid", "mass": 2, "inertia": 0.01, "position": [0.25, 0.3], "angle": math.pi / 4,
             "shapes": [{"type": "box", "size": [0.1, 0.1], "material": "rubber"}]}
    plate = {"name": "p", "type": "triangle", "size": [1, 0.2], "divisions": [10, 2], "E": 2e4, "nu": 0.3, "density": 100,
             "bottom": "world", "stiffness_damping": 0.01}
    for scheme in SCHEMES:
        report, rows = table("ball", scheme, scene(2, [ball, brick], [plate], 0.25))
        check("%s: the ball rests on the side between two nodes" % scheme, 0.15 < rows[-1]["ball.y"] < 0.225)
        check("%s: the brick's corner does so too" % scheme, rows[-1]["brick.y"] > 0.2)
        check("%s: overlaps are small" % scheme, max(row["penetration"] for row in rows) < 1e-3)


def a_ball_does_not_fall_through_the_edge_of_a_cube_between_its_nodes():
    ball = {"name": "ball", "type": "rigid", "mass": 0.3, "inertia": [1e-4] * 3, "position": [0.05, 0, 0.33],
            "shapes": [{"type": "sphere", "radius": 0.03, "material": "rubber"}]}
    cube = {"name": "c", "type": "tetrahedron", "size": [0.2, 0.2, 0.2], "divisions": [2, 2, 2], "E": 1e5, "nu": 0.3, "density": 1000,
            "orientation": [math.cos(math.pi / 8), math.sin(math.pi / 8), 0, 0], "bottom": "world", "stiffness_damping": 0.002}
    report, rows = table("ridge", "moreau", scene(3, [ball], [cube], 0.1))
    ridge = 0.2 * math.sqrt(2)
    check("the ball is stopped at the ridge: %g" % rows[-1]["ball.z"], rows[-1]["ball.z"] > ridge + 0.01)
    check("overlaps are small", max(row["penetration"] for row in rows) < 2e-3)


def two_solids_rest_on_each_other():
    below = {"name": "p", "type": "triangle", "size": [1, 0.2], "divisions": [10, 2], "E": 2e4, "nu": 0.3, "density": 100,
             "bottom": "world", "stiffness_damping": 0.01}
    above = dict(below, name="q", size=[0.23, 0.2], position=[0.33, 0.21], divisions=[3, 3])
    del above["bottom"]
    for scheme in SCHEMES[:3]:
        report, rows = table("two", scheme, scene(2, [], [below, above], 0.3))
        low = min(rows[-1][k] for k in rows[0] if k.startswith("q.") and k.endswith(".y"))
        check("%s: the upper one rests on the lower one: %g" % (scheme, low), 0.15 < low < 0.2)
        check("%s: overlaps are small" % scheme, max(row["penetration"] for row in rows) < 1e-3)


def stiff_bodies_are_solved_in_a_few_iterations():
    """Stresses of steel cannot be told to 1e-10 of its weight: a solver that asks for it never ends."""
    beam = {"name": "b", "type": "triangle", "size": [2, 0.2], "divisions": [20, 2], "E": 2e11, "nu": 0.3, "density": 7800, "left": "world"}
    for scheme in SCHEMES:
        result = run("run", write("steel.json", scene(2, [], [beam], 0.04, 0.01)), "--scheme", scheme, "--strict", timeout=60)
        check("%s: steel is certified: %s" % (scheme, result.stderr[:200]), result.returncode == 0)


# ---- two cylinders ------------------------------------------------------------------------------------

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


def half_width(n):
    """By the spread of the forces (a semi-ellipse of half width b has the mean square b^2/4), and by Hertz."""
    above = {"name": "above", "type": "triangle", "E": MODULUS, "nu": POISSON, "density": 1e-6, "mesh": "above.msh", "held": "core",
             "holder": "press", "position": [0, RADIUS]}
    below = dict(above, name="below", mesh="below.msh", holder="world", position=[0, -RADIUS])
    press = {"name": "press", "type": "driven", "position": ["0", "-0.0025*t"]}
    sector(TEMP / "above.msh", False, n)
    sector(TEMP / "below.msh", True, n)
    content = {"slipstick": 1, "name": "hertz", "dimension": 2, "time": {"until": 4, "step": 1}, "bodies": [press],
               "elements": [above, below]}
    run_json("run", write("hertz.json", content), "--scheme", "anitescu_convex", "-o", TEMP / "hertz.h5")
    with h5py.File(TEMP / "hertz.h5") as file:
        first, last = file["contacts/offset"][-2:]
        force, place = file["contacts/force"][first:last, 0], file["contacts/point"][first:last, 0]
    found = 2 * math.sqrt((force * place ** 2).sum() / force.sum())
    return found, math.sqrt(4 * force.sum() * RADIUS * (1 - POISSON ** 2) / (math.pi * MODULUS))


def two_cylinders_touch_as_wide_as_hertz_says():
    for n, tolerance in [(4, 0.03)] + ([(8, 0.02)] if FULL else []):
        found, expected = half_width(n)
        check("half width %.5f, Hertz %.5f" % (found, expected), abs(found / expected - 1) < tolerance)


# ---- results --------------------------------------------------------------------------------------------

def a_block_pulled_evenly_has_its_stress_in_every_cell():
    """sigma = E e where nothing hinders the sides (nu = 0), in the .vtu files that the list of frames names."""
    try:
        from vtkmodules.util.numpy_support import vtk_to_numpy
        from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader
    except ImportError:
        return
    for dimension in (2, 3):
        block = {"name": "b", "type": "triangle" if dimension == 2 else "tetrahedron", "size": [0.2, 0.1, 0.1][:dimension],
                 "divisions": [4, 2, 2][:dimension], "E": 1000, "density": 1e-6, "left": "world", "right": "clamp"}
        clamp = {"name": "clamp", "type": "driven", "position": ["0.002*t"] + ["0"] * (dimension - 1)}
        content = dict(scene(dimension, [clamp], [block], 1, 0.5), gravity=[0] * dimension)
        out = TEMP / ("pulled%d.pvd" % dimension)
        run_json("run", write("pulled.json", content), "--scheme", "anitescu_convex", "-o", out)
        reader = vtkXMLUnstructuredGridReader()
        reader.SetFileName(str(TEMP / ("pulled%d_vtk" % dimension) / "solids_000002.vtu"))
        reader.Update()
        grid = reader.GetOutput()
        cells = grid.GetCellData()
        stress, mises = (vtk_to_numpy(cells.GetArray(name)) for name in ("stress", "von_mises"))
        check("%dD: %d cells" % (dimension, len(stress)), len(stress) == (16 if dimension == 2 else 80))
        check("%dD: the stress is E e" % dimension, abs(stress[:, 0] - 10).max() < 0.01 and abs(stress[:, 1:]).max() < 0.05)
        check("%dD: so is von Mises' stress" % dimension, abs(mises - 10).max() < 0.05)
        check("%dD: the list names the file" % dimension, "solids_000002.vtu" in out.read_text())


# ---- bad input -----------------------------------------------------------------------------------------

def meshes_that_are_wrong_are_refused():
    solid = {"name": "s", "type": "triangle", "mesh": "absent.msh", "E": 1, "density": 1}
    result = run("run", write("absent.json", scene(2, [], [solid], 1)))
    check("a mesh that is not there: %s" % result.stderr, result.returncode != 0 and "absent.msh: cannot be opened" in result.stderr)
    sector(TEMP / "whole.msh", False, 2)
    text = (TEMP / "whole.msh").read_text()
    (TEMP / "cut.msh").write_text(text[:len(text) // 2])
    cut = write("cut.json", scene(2, [], [dict(solid, mesh="cut.msh")], 1))
    refused("a mesh that is cut", run("run", cut), "elements.s.mesh: ", "cut.msh: line ")
    group = write("group.json", scene(2, [], [dict(solid, mesh="whole.msh", held="rim")], 1))
    refused("a group that is not there", run("run", group), "elements.s.held: ", "whole.msh: no physical group with nodes is called \"rim\"")
    grid = write("grid.json", scene(2, [], [{"name": "s", "type": "triangle", "size": [1, 1], "E": 1, "density": 1}], 1))
    refused("a grid without divisions", run("run", grid), "elements.s.divisions: expected 2 whole numbers")


a_soft_block_slides_as_far_as_a_rigid_one()
a_cube_dropped_on_its_edge_bounces()
a_ball_and_a_corner_do_not_fall_between_nodes()
a_ball_does_not_fall_through_the_edge_of_a_cube_between_its_nodes()
two_solids_rest_on_each_other()
stiff_bodies_are_solved_in_a_few_iterations()
two_cylinders_touch_as_wide_as_hertz_says()
a_block_pulled_evenly_has_its_stress_in_every_cell()
meshes_that_are_wrong_are_refused()
finish()
