#!/usr/bin/python3
"""Solids of triangles and tetrahedra with five schemes: a block that slides and stops, a cube dropped on its edge, a ball between nodes,
two solids on each other, two cylinders against Hertz, stiff bodies, meshes that are wrong."""
import csv
import math
import os
import sys

from common import TEMP, check, finish, refused, run, run_json, write
from hertz import press, sector
from hertz import expected as by_hertz

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


def bars_that_cross_rest_on_each_others_edges():
    """A bar on its edge across a soft bar on its edge: no corner and no node is near the place where they touch."""
    turn = [math.cos(math.pi / 8), math.sin(math.pi / 8)]
    below = {"name": "b", "type": "tetrahedron", "size": [0.4, 0.1, 0.1], "divisions": [4, 1, 1], "E": 2e5, "nu": 0.3, "density": 1000,
             "orientation": [turn[0], turn[1], 0, 0], "left": "world", "right": "world", "stiffness_damping": 0.002}
    rigid = {"name": "bar", "type": "rigid", "mass": 0.5, "inertia": [0.005, 0.0005, 0.005], "position": [0.17, 0, 0.18],
             "orientation": [turn[0], 0, turn[1], 0], "shapes": [{"type": "box", "size": [0.04, 0.6, 0.04], "material": "rubber"}]}
    soft = dict(below, name="s", size=[0.1, 0.6, 0.1], divisions=[1, 6, 1], position=[0.17, -0.25, 0.145], orientation=[turn[0], 0, -turn[1], 0],
                density=100)
    del soft["left"], soft["right"]
    for scheme in SCHEMES:
        report, rows = table("crossed", scheme, scene(3, [rigid], [below], 0.2))
        least = min(row["bar.z"] for row in rows)
        check("%s: the bar is stopped at the edge: %g" % (scheme, least), least > 0.155)
        check("%s: every step is certified" % scheme, report["unconverged_steps"] == 0)
    report, rows = table("crossed", "moreau", scene(3, [], [below, soft], 0.1))
    least = min(min(row[k] for row in rows) for k in rows[0] if k.startswith("s.") and k.endswith(".z"))
    check("a soft bar is stopped likewise: %g" % least, least > 0.1)


def what_flies_through_a_plate_within_a_step_is_stopped_or_said():
    """A spike that goes ten times the height of the plate in a step, between two nodes."""
    spike = {"name": "spike", "type": "rigid", "mass": 1, "inertia": 0.01, "position": [0.55, 0.33], "angle": math.pi / 4, "velocity": [0, -100],
             "shapes": [{"type": "box", "size": [0.02, 0.02], "material": "rubber"}]}
    plate = {"name": "p", "type": "triangle", "size": [1, 0.1], "divisions": [10, 1], "E": 1e6, "density": 100, "left": "world", "right": "world"}
    for scheme in SCHEMES:
        content = scene(2, [spike], [plate], 0.01, 0.01)
        tried = run("run", write("spike.json", content), "--scheme", scheme)
        if tried.returncode != 0:  # a plate that a spike turns inside out ends the run by name
            check("%s: %s" % (scheme, tried.stderr), "elements.p: element" in tried.stderr and "is inverted at t =" in tried.stderr)
            continue
        report, rows = table("spike", scheme, content)
        said = report["remarks"].get("unfollowed", {}).get("contact", "")
        stopped = rows[-1]["spike.y"] > -0.1  # the plate gives way by its height; without it the spike would be at -0.67
        check("%s: y = %g, %s" % (scheme, rows[-1]["spike.y"], report["remarks"]), stopped or said.startswith("spike.0-p#"))
        check("%s: only what has passed is said to have" % scheme, not stopped or not said)


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

def half_width(n):
    """By the spread of the forces (a semi-ellipse of half width b has the mean square b^2/4), and by Hertz."""
    run_json("run", write("hertz.json", press(TEMP, n)), "-o", TEMP / "hertz.h5")
    with h5py.File(TEMP / "hertz.h5") as file:
        first, last = file["contacts/offset"][-2:]
        force, place = file["contacts/force"][first:last, 0], file["contacts/point"][first:last, 0]
    return 2 * math.sqrt((force * place ** 2).sum() / force.sum()), by_hertz(force.sum())


def two_cylinders_touch_as_wide_as_hertz_says():
    for n, tolerance in [(4, 0.03)] + ([(8, 0.02)] if FULL else []):
        found, expected = half_width(n)
        check("half width %.5f, Hertz %.5f" % (found, expected), abs(found / expected - 1) < tolerance)


# ---- results --------------------------------------------------------------------------------------------

def pulled(dimension, divisions):
    """A block drawn out by 1 %: sigma_xx = E e = 10 N/m^2 where nothing hinders the sides (nu = 0)."""
    block = {"name": "b", "type": "triangle" if dimension == 2 else "tetrahedron", "size": [0.2, 0.1, 0.1][:dimension],
             "divisions": divisions[:dimension], "E": 1000, "density": 1e-6, "left": "world", "right": "clamp"}
    clamp = {"name": "clamp", "type": "driven", "position": ["0.002*t"] + ["0"] * (dimension - 1)}
    return dict(scene(dimension, [clamp], [block], 1, 0.5), gravity=[0] * dimension)


def a_block_pulled_evenly_has_its_stress_in_every_cell():
    """In the .vtu files that the list of frames names."""
    try:
        from vtkmodules.util.numpy_support import vtk_to_numpy
        from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader
    except ImportError:
        return
    for dimension in (2, 3):
        out = TEMP / ("pulled%d.pvd" % dimension)
        run_json("run", write("pulled.json", pulled(dimension, [4, 2, 2])), "--scheme", "anitescu_convex", "-o", out)
        reader = vtkXMLUnstructuredGridReader()
        reader.SetFileName(str(TEMP / ("pulled%d_vtk" % dimension) / "solids_000002.vtu"))
        reader.Update()
        grid = reader.GetOutput()
        cells = grid.GetCellData()
        stress, mises = (vtk_to_numpy(cells.GetArray(name)) for name in ("stress", "von_mises"))
        check("%dD: %d cells" % (dimension, len(stress)), len(stress) == (16 if dimension == 2 else 80))
        check("%dD: %d nodes, held ones too" % (dimension, grid.GetNumberOfPoints()), grid.GetNumberOfPoints() == (15 if dimension == 2 else 45))
        check("%dD: the stress is E e" % dimension, abs(stress[:, 0] - 10).max() < 0.01 and abs(stress[:, 1:]).max() < 0.05)
        check("%dD: so is von Mises' stress" % dimension, abs(mises - 10).max() < 0.05)
        check("%dD: the list names the file" % dimension, "solids_000002.vtu" in out.read_text())


def places_of_nodes(file, state):
    """Where the nodes are: /solids says which body has them, /q and /driven/pose where that is."""
    q, driven = ({name.decode(): x for name, x in zip(file["names"][names], file[table][state])}
                 for names, table in (("q", "q"), ("driven", "driven/pose")))
    bodies = [name.decode() for name in file["names/bodies"]]
    out = []
    for body, point in zip(file["solids/node_body"], file["solids/node_point"]):
        of = driven if body >= 0 and bodies[body] + ".x" in driven else q
        out.append([point[k] + (of.get("%s.%s" % (bodies[body], "xyz"[k]), 0) if body >= 0 else 0) for k in range(3)])
    return out


def the_mesh_of_a_pulled_block_is_in_hdf5_and_its_stress_in_every_column():
    for dimension in (2, 3):
        h5, text = TEMP / "pulled.h5", TEMP / "pulled.csv"
        run_json("run", write("pulled.json", pulled(dimension, [4, 2, 2])), "--scheme", "anitescu_convex", "-o", h5, "-o", text)
        elements = 16 if dimension == 2 else 80
        parts = ["xx", "yy", "zz", "xy"] + (["yz", "xz"] if dimension == 3 else [])
        wanted = ["b.von_mises"] + ["b.%d.%s" % (i, what) for i in range(elements) for what in ["stress_" + p for p in parts] + ["von_mises"]]
        with h5py.File(h5) as file:
            x, cells = places_of_nodes(file, -1), file["solids/element"][:]
            names, row = [name.decode() for name in file["names/stress"]], file["elements/stress"][-1]
            units = [unit.decode() for unit in file["elements/stress"].attrs["units"]]
            check("%dD: every element is of the first solid" % dimension, (file["solids/solid"][:] == 0).all() and len(cells) == elements)
        volume = sum(abs(determinant([[x[n][k] - x[cell[0]][k] for k in range(dimension)] for n in cell[1:]])) for cell in cells)
        volume /= 2 if dimension == 2 else 6
        check("%dD: the elements fill what the block has become: %g" % (dimension, volume), abs(volume / (0.202 * 0.1 ** (dimension - 1)) - 1) < 1e-4)
        check("%dD: names and units of stresses" % dimension, names == wanted and set(units) == {"N/m^2"})
        stress = row[1:].reshape(elements, len(parts) + 1)
        check("%dD: E e along the block, nothing across it" % dimension, abs(stress[:, [0, -1]] - 10).max() < 0.01 and abs(stress[:, 1:-1]).max() < 0.05)
        check("%dD: the largest of a solid comes first" % dimension, row[0] == stress[:, -1].max())
        with open(text, newline="") as file:
            last = list(csv.DictReader(file))[-1]
        check("%dD: the same numbers in CSV" % dimension, [float(last[name]) for name in wanted] == list(row))
        for result in (h5, text):
            plot = run("plot", result, "--y", "b.3.von_mises", "-o", TEMP / "mises.svg")
            check("%dD: plots know them: %s" % (dimension, plot.stderr), plot.returncode == 0 and "[N/m^2]" in (TEMP / "mises.svg").read_text())


def determinant(m):
    if len(m) == 2:
        return m[0][0] * m[1][1] - m[0][1] * m[1][0]
    return sum(m[0][k] * (m[1][(k + 1) % 3] * m[2][(k + 2) % 3] - m[1][(k + 2) % 3] * m[2][(k + 1) % 3]) for k in range(3))


def a_csv_file_has_the_largest_stress_alone_where_elements_are_many():
    text, h5 = TEMP / "many.csv", TEMP / "many.h5"
    run_json("run", write("many.json", pulled(2, [21, 10])), "--scheme", "anitescu_convex", "-o", text, "-o", h5)
    with open(text, newline="") as file:
        rows = list(csv.DictReader(file))
    with h5py.File(h5) as file:
        largest, count = file["elements/stress"][-1, 0], file["elements/stress"].shape[1]
    check("420 elements have 2100 columns in HDF5 and none in CSV", count == 2101 and list(rows[0])[-1] == "b.von_mises")
    check("the largest is there", float(rows[-1]["b.von_mises"]) == largest)
    check("the file is read back", run("plot", text, "--y", "b.von_mises", "-o", TEMP / "many.svg").returncode == 0)


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
bars_that_cross_rest_on_each_others_edges()
what_flies_through_a_plate_within_a_step_is_stopped_or_said()
two_solids_rest_on_each_other()
stiff_bodies_are_solved_in_a_few_iterations()
two_cylinders_touch_as_wide_as_hertz_says()
a_block_pulled_evenly_has_its_stress_in_every_cell()
the_mesh_of_a_pulled_block_is_in_hdf5_and_its_stress_in_every_column()
a_csv_file_has_the_largest_stress_alone_where_elements_are_many()
meshes_that_are_wrong_are_refused()
finish()
