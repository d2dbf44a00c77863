#!/usr/bin/env python3
"""Scenes that are short to write (docs/authoring.md): the plain scene that they stand for, the motion of what is placed in
groups, files that include each other, and clear errors."""
import json
import math
import os
import shutil

from common import ROOT, TEMP, check, finish, refused, run, run_json, write

SHORT = ROOT / "tests" / "cli" / "short"


def plain(path, *words):
    """The plain scene that a scene stands for."""
    result = run("check", path, "--expand", *words)
    check("%s is valid: %s" % (path, result.stderr), result.returncode == 0)
    return json.loads(result.stdout) if result.returncode == 0 else {}


def same(sentence, short, long):
    check(sentence, plain(write("short.json", short)) == plain(write("long.json", long)))


# ---- short forms of long scenes --------------------------------------------------------------------------------


def the_cart():
    """On a slope of pi/12: what stands in the file, written out."""
    along = lambda x, z: ["%r*cos(pi/12)+%r*sin(pi/12)" % (x, z), "-(%r)*sin(pi/12)+%r*cos(pi/12)" % (x, z)]
    place = lambda x, y, z: [along(x, z)[0], y, along(x, z)[1]]
    turned = {"type": "rigid", "orientation": ["cos(pi/24)", 0, "sin(pi/24)", 0]}
    plane = {"type": "half_space", "material": "rubber"}
    wheel = {"type": "cylinder", "radius": 0.1, "length": 0.05, "orientation": ["cos(pi/4)", "sin(pi/4)", 0, 0], "material": "rubber"}
    wheels = {x + y: place(-1.25 if x == "f" else -1.75, 0.2 if y == "l" else -0.2, 0.1) for x in "fr" for y in "lr"}
    box = {"type": "box", "size": [0.8, 0.3, 0.1], "material": "steel"}
    return {
        "slipstick": 1, "name": "cart", "dimension": 3, "gravity": [0, 0, -9.81], "time": {"until": 3, "step": 0.002},
        "materials": [{"name": "rubber", "mu": 0.8, "e": 0.1}, {"name": "steel", "mu": 0.3, "e": 0.4}],
        "bodies": [{"name": "ground", "type": "fixed", "shapes": [
            dict(plane, normal=["sin(pi/12)", 0, "cos(pi/12)"]), dict(plane, normal=[0, 0, 1]),
            dict(plane, normal=[-1, 0, 0], offset=-2, material="steel")]},
            dict(turned, name="chassis", mass=10, position=place(-1.5, 0, 0.18), shapes=[box])]
        + [dict(turned, name=name, mass=1, position=at, shapes=[wheel]) for name, at in wheels.items()],
        "joints": [{"name": "axle_" + name, "type": "revolute", "bodies": ["chassis", name], "at": at, "axis": [0, 1, 0]}
                   for name, at in wheels.items()]}


def dominoes(material, first):
    box = {"type": "box", "size": [0.008, 0.02, 0.04], "material": material}
    row = [{"name": "d%d" % i, "type": "rigid", "density": 700, "position": [i / 50, 0, 0.02], "shapes": [box]} for i in range(20)]
    return [dict(row[0], **first)] + row[1:]


def short_scenes_are_the_long_ones():
    check("the cart is the same to the last bit", plain(SHORT / "cart.json") == plain(write("long.json", the_cart())))
    table = {"type": "fixed", "shapes": [{"type": "half_space", "normal": [0, 0, 1], "material": "oak"}]}
    row = {"slipstick": 1, "dimension": 3, "gravity": [0, 0, -9.81], "materials": [{"name": "oak", "mu": 0.3}], "bodies": [table] + dominoes("oak", {})}
    check("so are the dominoes", plain(SHORT / "dominoes.json") == plain(write("long.json", row)))
    pushed = json.loads((SHORT / "table.json").read_text())
    pushed["bodies"] += dominoes("d", {"velocity": [0.1, 0, 0], "angular_velocity": [0, 5, 0]})
    check("and those on a table from another file", plain(SHORT / "row.json") == plain(write("long.json", pushed)))
    sizes = {name: len((SHORT / name).read_bytes()) for name in ("cart.json", "dominoes.json", "row.json")}
    check("they are short: %s" % sizes, sizes["cart.json"] < 1000 and sizes["dominoes.json"] < 350 and sizes["row.json"] < 350)
    for name in sizes:
        again = write("again.json", plain(SHORT / name))
        check("the plain scene of %s stands for itself" % name, plain(again) == plain(SHORT / name))


# ---- motion ------------------------------------------------------------------------------------------------------


def mechanism(dimension):
    """One of everything that has a place: masses on joints, springs and rods to the world, driven and flexible bodies."""
    flat = dimension == 2
    v = lambda x, y, z: [x, y] if flat else [x, y, z]
    inertia = 0.1 if flat else [0.1, 0.2, 0.3]
    arm = {"name": "arm", "mass": 1, "inertia": inertia, "position": v(1, 0, 0), "velocity": v(0, 0.5, 0), "angular_velocity": 0.5 if flat else [0, 0, 0.5]}
    axis = {} if flat else {"axis": [0, 0, 1]}
    return {
        "bodies": [arm, {"name": "slider", "mass": 2, "inertia": inertia, "position": v(3, 0, 0), "velocity": v(0.2, 0, 0)},
                   {"name": "bob", "type": "particle", "mass": 1, "position": v(5, -1, 0)},
                   {"name": "hand", "type": "driven", "position": v("7+0.1*sin(t)", "t", 0), "angle": "0.3*t"},
                   {"name": "held", "mass": 1, "inertia": inertia, "position": v(7.5, 0, 0), "velocity": v(0.1, 1.15, 0), "angular_velocity": 0.3 if flat else [0, 0, 0.3]}],
        "elements": [{"name": "rod", "type": "beam", "size": v(1, 0.1, 0.1), "divisions": 2, "E": 1e4, "density": 10, "position": v(9, 0, 0), "first": "world"}],
        "joints": [dict(axis, name="pin", type="revolute", bodies=["world", "arm"], at=v(0, 0, 0)),
                   {"name": "rail", "type": "prismatic", "bodies": ["world", "slider"], "anchors": [v(3, 0, 0), v(0, 0, 0)], "axis": v(1, 0, 0)},
                   {"name": "string", "type": "distance", "bodies": ["world", "bob"], "anchors": [v(5, 0, 0), v(0, 0, 0)]},
                   dict(axis, name="grip", type="revolute", bodies=["hand", "held"], anchors=[v(0.5, 0, 0), v(0, 0, 0)])],
        "forces": [{"type": "spring", "bodies": ["world", "slider"], "anchors": [v(2, 1, 0), v(0, 0, 0)], "stiffness": 5},
                   {"type": "constant", "body": "arm", "force": v(1, 2, 0), "torque": 0.1 if flat else [0, 0, 0.1]},
                   {"type": "expression", "body": "bob", "force": v("t", "cos(t)", 0)},
                   {"type": "sinusoid", "body": "arm", "force": v(0, 1, 0), "omega": 3},
                   {"type": "table", "body": "arm", "table": {"t": [0, 1], "force": [v(0, 1, 0), v(1, 0, 0)]}}]}


def what_is_in_a_group_moves_as_without_it_turned_and_shifted():
    """Two groups inside each other against none; gravity is turned, too. The axes of friction are not in play."""
    a, b = 0.4, 0.3  # radians
    for dimension in (2, 3):
        scene = {"slipstick": 1, "dimension": dimension, "time": {"until": 0.2, "step": 0.01}, "scheme": {"name": "moreau"}}
        shift, deep = ([1, 2], [3, -1]) if dimension == 2 else ([1, 2, 3], [3, -1, 2])
        turn = lambda angle: {"angle": angle} if dimension == 2 else {"orientation": {"axis": [0, 0, 1], "angle": angle}}
        down = [9 * math.sin(a + b), -9 * math.cos(a + b), 0][:dimension]
        inner = dict(mechanism(dimension), position=deep, **turn(b))
        moved = dict(scene, gravity=down, groups=[dict(turn(a), position=shift, groups=[inner])])
        still = dict(scene, gravity=[0, -9, 0][:dimension], **mechanism(dimension))
        first, second = (run_json("run", write(name, s))["bodies"] for name, s in (("still.json", still), ("moved.json", moved)))
        origin = [shift[0] + deep[0] * math.cos(a) - deep[1] * math.sin(a), shift[1] + deep[0] * math.sin(a) + deep[1] * math.cos(a)]
        for name in first:
            for key, shifted in (("position", origin), ("velocity", [0, 0])):
                x, y = first[name].get(key, [0, 0])[:2]
                there = [x * math.cos(a + b) - y * math.sin(a + b) + shifted[0], x * math.sin(a + b) + y * math.cos(a + b) + shifted[1]]
                got = second[name].get(key, shifted)[:2]
                error = max(abs(p - q) for p, q in zip(there, got))
                check("%dD, %s of %s: off by %g" % (dimension, key, name, error), error < 1e-8)  # 20 solves to 1e-10 of speeds of order 1
        angle = lambda arm: arm["angle"] if dimension == 2 else 2 * math.atan2(arm["orientation"][3], arm["orientation"][0])
        turned = angle(second["arm"]) - angle(first["arm"])
        check("%dD, the arm is turned by %g" % (dimension, turned), abs(turned - a - b) < 1e-8)


# ---- files ---------------------------------------------------------------------------------------------------------


def files_include_others_beside_them():
    (TEMP / "parts").mkdir()
    leg = {"slipstick": 1, "dimension": 2, "gravity": [0, -1], "parameters": {"r": 0.1, "m": 2}, "materials": [{"name": "sole", "mu": 0.5}],
           "bodies": [{"name": "foot", "mass": "m", "shapes": [{"type": "disk", "radius": "r", "material": "sole"}]}]}
    write("parts/leg.json", leg)
    write("parts/pair.json", {"groups": [{"name": side, "include": "leg.json", "position": [x, 1]} for side, x in (("left", 0), ("right", 1))]})
    scene = {"slipstick": 1, "dimension": 2, "gravity": [0, -9.81], "include": "parts/pair.json",
             "groups": [{"name": "third", "include": "parts/leg.json", "parameters": {"r": 0.2}, "position": [2, 1]}],
             "joints": [{"type": "distance", "bodies": ["left.foot", "third.foot"]}]}
    got = plain(write("robot.json", scene))
    check("parts of files have the names of their groups", [b["name"] for b in got["bodies"]] == ["left.foot", "right.foot", "third.foot"])
    check("and their places", [b["position"] for b in got["bodies"]] == [[0, 1], [1, 1], [2, 1]])
    check("names in a file mean its own parts", [b["shapes"][0]["material"] for b in got["bodies"]] == ["left.sole", "right.sole", "third.sole"])
    check("parameters of a file can be given where it is included", [b["shapes"][0]["radius"] for b in got["bodies"]] == [0.1, 0.1, 0.2])
    check("those that are not keep their values", got["bodies"][2]["mass"] == 2)
    check("gravity is the scene's own", got["gravity"] == [0, -9.81])
    world = write("world.json", {"slipstick": 1, "include": "parts/leg.json", "time": {"step": 0.5}, "parameters": {"m": 3}})
    check("a scene takes what it does not give", plain(world)["gravity"] == [0, -1] and plain(world)["bodies"][0]["mass"] == 3)
    check("parameters of an included file can be set", plain(world, "--set", "parameters.r=0.3")["bodies"][0]["shapes"][0]["radius"] == 0.3)
    shutil.copy(ROOT / "tests" / "cli" / "sample_2d.msh", TEMP / "parts")
    write("parts/solid.json", {"elements": [{"name": "lump", "type": "triangle", "mesh": "sample_2d.msh", "E": 1e6, "density": 100}]})
    lump = plain(write("lump.json", {"slipstick": 1, "dimension": 2, "include": "parts/solid.json"}))
    check("a mesh is beside the file that names it", lump["elements"][0]["mesh"] == "parts/sample_2d.msh")
    check("so can its parts", plain(world, "--set", "include.bodies.foot.mass=7")["bodies"][0]["mass"] == 7)


def bad_files_are_refused():
    base = {"slipstick": 1, "dimension": 2, "bodies": [{"name": "p", "type": "particle", "mass": 1, "position": [0, 0]}]}

    def including(content, **more):
        write("other.json", content)
        return write("main.json", dict(base, include="other.json", **more))

    for word, part in (("none.json", "No such file"), (".", "is not a file"), ("/dev/null", "is not a file"), ("", "the path of a file")):
        path = write("main.json", dict(base, include=word))
        refused("include %r" % word, run("check", path), path, "include", part)
    refused("a file that includes itself", run("check", write("main.json", dict(base, include="main.json"))), "main.json", "includes itself")
    write("a.json", {"include": "b.json"})
    refused("two files in a circle", run("check", write("b.json", dict(base, include="a.json"))), "a.json: include", "b.json: includes itself")
    path = including('{"bodies": [\n{"name": }]}')
    refused("what is no JSON says where", run("check", path), path, "include", "other.json: line 2")
    refused("a list", run("check", including([1])), "other.json", "expected an object")
    refused("an unknown key", run("check", including({"bodys": []})), "other.json", 'unknown key "bodys"; did you mean "bodies"?')
    refused("a wrong value names the file", run("check", including({"bodies": [{"name": "x", "mass": -1}]})), "other.json: bodies.x.mass")
    refused("another dimension", run("check", including({"dimension": 3})), "other.json: dimension")
    refused("deep chains of files", run("check", chain_of_files(30)), "more than 16 files")
    path = including({"bodies": []})
    refused("an include that is set", run("check", path, "--set", "include=x.json"), "include", "given in the scene itself")
    path = including({"bodies": [], "parameters": {"m": 1}, "gravity": [0, -1]}, parameters={"r": 2}, groups=[{"name": "g", "include": "other.json"}])
    for word, where in (("include.parameters.m", "parameters.m"), ("include.gravity", "gravity"), ("groups.g.include.parameters.m", "parameters.m")):
        refused("--set %s" % word, run("check", path, "--set", word + "=3"), "has been taken by what includes it", 'set "%s" there' % where)
    os.truncate(TEMP / "other.json", 600 << 20)  # a hole: takes no room on the disk
    refused("a huge file", run("check", path), "other.json", "larger than 512 MB")
    os.truncate(TEMP / "other.json", 0)


def chain_of_files(n):
    for k in range(n):
        write("chain%d.json" % k, {"include": "chain%d.json" % (k + 1)})
    write("chain%d.json" % n, {})
    return TEMP / "chain0.json"


# ---- what is wrong in one file -----------------------------------------------------------------------------------------


def bad_words_are_refused():
    def scene(**more):
        body = {"name": "p{i}", "type": "particle", "mass": 1, "position": ["i", 0], "replicate": {"i": 2}}
        return dict({"slipstick": 1, "dimension": 2, "bodies": [body]}, **more)

    def spoilt(**more):
        return scene(bodies=[dict(scene()["bodies"][0], **more)])

    deep = {"bodies": []}
    for _ in range(40):
        deep = {"groups": [deep]}
    for sentence, bad, parts in [
        ("no copies", spoilt(replicate={"i": 0}), ("bodies.p{i}.replicate.i", "[1, 100000]", "got 0")),
        ("less than none", spoilt(replicate={"i": -1}), ("replicate.i", "got -1")),
        ("too many copies", spoilt(replicate={"i": 1e9}), ("replicate.i", "[1, 100000]")),
        ("too many in all", spoilt(replicate={"i": 10000, "j": 10000}), ("replicate.j", "more than 100000 copies")),
        ("half a copy", spoilt(replicate={"i": 1.5}), ("replicate.i",)),
        ("NaN copies", spoilt(replicate={"i": "0/0"}), ("replicate.i", "not finite")),
        ("copies over time", spoilt(replicate={"i": "t"}), ("replicate.i", "depends on t")),
        ("no index", spoilt(replicate={}), ("replicate", "1 to 8 indices")),
        ("an index called t", spoilt(replicate={"t": 2}), ("replicate.t", "has a meaning")),
        ("labels that are none", spoilt(replicate={"i": [1, 2]}), ("replicate.i[0]", "a label in quotes")),
        ("no labels", spoilt(replicate={"i": []}), ("replicate.i",)),
        ("an unknown index", spoilt(position=["k", 0]), ("bodies.p0.position[0]", "unknown name 'k'")),
        ("a similar parameter", dict(spoilt(position=["spase*i", 0]), parameters={"space": 1}), ("unknown name 'spase'", "'space'")),
        ("division by an index", spoilt(position=["1/i", 0]), ("bodies.p0.position[0]", "1/(0)", "not finite")),
        ("one name for all", spoilt(name="p"), ("p",)),
        ("half a name", spoilt(name="p{i/2}"), ("bodies.p{i/2}", "a whole number in braces")),
        ("a brace too few", spoilt(name="p{i"), ("opening brace",)),
        ("an unknown default", scene(defaults={"bodies": {"masss": 1}}), ("defaults.bodies", 'did you mean "mass"?')),
        ("defaults of nothing", scene(defaults={"bodys": {}}), ("defaults", 'did you mean "bodies"?')),
        ("a default of the wrong type", dict(spoilt(), defaults={"bodies": {"velocity": 3}}), ("bodies.p0.velocity (from defaults)",)),
        ("a group with an unknown key", scene(groups=[{"bodys": []}]), ("groups[0]", 'did you mean "bodies"?')),
        ("a part of another group", scene(groups=[{"name": "a", "bodies": []}], forces=[{"type": "constant", "body": "a.p0"}]), ("forces[0].body", 'unknown body "a.p0"')),
        ("groups inside each other", scene(groups=[deep]), ("more than 32 groups",)),
        ("an axis of no length", rotated({"axis": [0, 0, 0], "angle": 1}), ("orientation.axis", "not all zero")),
        ("an angle alone", rotated({"angle": 1}), ("orientation.axis", "missing")),
        ("axes that do not exist", rotated({"euler": [1, 2, 3], "order": "xyw"}), ("orientation.order",)),
        ("an axis twice in a row", rotated({"euler": [1, 2, 3], "order": "xxz"}), ("orientation.order",)),
        ("a mirror", rotated({"matrix": [[1, 0, 0], [0, 1, 0], [0, 0, -1]]}), ("orientation.matrix", "not a rotation")),
        ("a matrix that is bent", rotated({"matrix": [[1, 0.01, 0], [0, 1, 0], [0, 0, 1]]}), ("orientation.matrix", "not a rotation")),
        ("a matrix without a row", rotated({"matrix": [[1, 0, 0], [0, 1, 0]]}), ("orientation.matrix", "3 rows")),
        ("two ways at once", rotated({"euler": [0, 0, 0], "matrix": []}), ("orientation", 'unknown key "matrix"')),
    ]:
        path = write("bad.json", bad)
        refused(sentence, run("check", path), path, *parts)


def rotated(orientation):
    return {"slipstick": 1, "dimension": 3, "bodies": [{"name": "b", "mass": 1, "inertia": [1, 1, 1], "orientation": orientation}]}


# ---- assembling -------------------------------------------------------------------------------------------------------------


def joints_that_do_not_fit_are_closed():
    arm = {"name": "arm", "mass": 2, "inertia": 0.3, "position": [0.7, 0]}
    pin = {"name": "pin", "type": "revolute", "bodies": ["world", "arm"], "anchors": [[0, 0], [-0.5, 0]], "motor": {"speed": 4}}
    path = write("loose.json", {"slipstick": 1, "dimension": 2, "time": {"until": 0.1, "step": 0.01}, "bodies": [arm], "joints": [pin]})
    refused("a joint that is open", run("check", path), "joints.pin: positions violate the joint by 0.2", "--assemble closes it")
    result = run("run", path, "--assemble", "--json")
    line = "assembled: arm moved by 0.2 m, velocity changed by 2 m/s and 4 rad/s\n"
    check("what has moved is said: %r" % result.stderr, result.returncode == 0 and result.stderr.endswith(line))
    check("the motor turns it from the start", abs(json.loads(result.stdout)["q"][2] - 0.4) < 1e-12)  # 10 steps of 0.04 rad
    quiet = run("run", path, "--assemble", "--quiet")
    check("nothing is said quietly: %r" % quiet.stderr, quiet.returncode == 0 and quiet.stderr == "")
    closed = write("closed.json", plain(path, "--assemble"))
    check("the closed scene is plain", run("check", closed).returncode == 0)
    check("and stays as it is", "nothing was moved" in run("check", closed, "--assemble").stderr)
    torn = write("torn.json", {"slipstick": 1, "dimension": 2, "bodies": [arm], "joints": [pin, dict(pin, name="far", anchors=[[9, 0], [0.5, 0]])]})
    refused("joints that cannot be closed", run("check", torn, "--assemble"), torn, "cannot be closed")


short_scenes_are_the_long_ones()
joints_that_do_not_fit_are_closed()
what_is_in_a_group_moves_as_without_it_turned_and_shifted()
files_include_others_beside_them()
bad_files_are_refused()
bad_words_are_refused()
finish()
