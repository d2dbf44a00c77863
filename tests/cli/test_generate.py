#!/usr/bin/env python3
"""Every kind of scene in 2D and 3D: read strictly, nothing overlaps, the first steps are certified, the same seed gives the
same bytes. Wrong options are refused in one line."""
import csv
import json
import math
import resource
import subprocess

from common import PATIENCE, PROGRAM, ROOT, SANITIZED, TEMP, check, finish, refused, run, run_json

KINDS = ("pile", "wall", "tower", "chain", "arch", "drum", "silo", "column", "net")  # with steps of 1/240 s or less
GRAINS = ("pile", "drum", "silo", "column")
SHAPES = {entry["name"] for entry in json.loads(run("list", "shapes", "--json").stdout)}


def made(kind, *words):
    path = TEMP / "scene.json"
    result = run("generate", kind, *words, "-o", path)
    check("generate %s %s: %s" % (kind, words, result.stderr), result.returncode == 0 and result.stderr == "" and result.stdout.startswith("%s: a scene of " % path))
    return path


def can_be(kind, dimension):
    """An arch needs polygons or hulls."""
    return kind != "arch" or {2: "polygon", 3: "hull"}[dimension] in SHAPES



def every_kind_is_a_sound_scene():
    for kind in KINDS:
        for dimension in (2, 3):
            if not can_be(kind, dimension):
                continue
            path = made(kind, "--dimension", dimension, "--bodies", 12)
            label = "%s in %dD" % (kind, dimension)
            understood = run_json("check", path)
            check(label + " has 12 bodies that move", understood["dofs"] == 12 * (3 if dimension == 2 else 6))
            check(label + " has no overlaps: %s" % understood["overlaps"], not understood["overlaps"])
            short = run_json("run", path, "--until", "1/30")
            check(label + " runs certified", short["unconverged_steps"] == 0 and short["steps"] >= 8)
            scene = json.loads(path.read_text())
            check(label + " says what it is", scene["name"] and scene["time"]["until"] > 0)


def four_bar_loops_have_one_freedom_and_joints_that_hold():
    for dimension, unknowns in ((2, 3), (3, 6)):
        path = made("four_bar", "--dimension", dimension, "--loops", 3)
        scene = json.loads(path.read_text())
        understood = run_json("check", path)
        check("7 rods in %dD" % dimension, understood["dofs"] == 7 * unknowns and len(scene["joints"]) == 10)
        short = run_json("run", path, "--until", "1/50")
        check("they move certified in %dD" % dimension, short["unconverged_steps"] == 0 and short["max_joint_error"] < 1e-13)
        rates = {name: body["angular_velocity"] for name, body in short["bodies"].items()}
        turning = [r if dimension == 2 else -r[1] for name, r in rates.items() if name.startswith("crank")]
        check("all cranks turn clockwise alike, a little faster than at the start: %s" % turning,
              max(turning) - min(turning) < 1e-12 and -1.1 < turning[0] < -1)


def grains_have_sizes_and_shapes():
    for kind in GRAINS:
        for shape in sorted(SHAPES & {"sphere", "box", "capsule", "cylinder", "polygon", "hull"}):
            dimension = {"polygon": 2, "hull": 3, "cylinder": 3}.get(shape, 2)
            path = made(kind, "--shape", shape, "--dimension", dimension, "--bodies", 40, "--size-spread", "0.5", "--seed", 3)
            understood = run_json("check", path)
            check("a %s of %s has no overlaps" % (kind, shape), not understood["overlaps"])
            shapes = [b["shapes"][0]["type"] for b in json.loads(path.read_text())["bodies"] if b["type"] == "rigid"]
            check("a %s of %s is made of them" % (kind, shape), shapes == [shape] * 40)


def radii(*words):
    scene = json.loads(run("generate", "pile", "--bodies", 2000, "--dimension", 2, *words).stdout)
    return [b["shapes"][0]["radius"] for b in scene["bodies"] if b["type"] == "rigid"]


def sizes_follow_their_law():
    even = radii("--size-spread", 0.4, "--radius", 2)
    check("uniform sizes stay in their range", 1.2 <= min(even) < 1.25 and 2.75 < max(even) <= 2.8)
    # 2000 draws: the mean of the logarithm is off by sigma/sqrt(2000), 5 of which are taken
    logs = [math.log(r / 2) for r in radii("--size-spread", 0.5, "--sizes", "lognormal", "--radius", 2)]
    mean = sum(logs) / len(logs)
    sigma = math.sqrt(sum((x - mean) ** 2 for x in logs) / len(logs))
    check("lognormal sizes have their median: %g" % mean, abs(mean) < 5 * 0.5 / math.sqrt(2000))
    # the cut at 2.5 sigma takes 3 % off the spread
    check("lognormal sizes have their spread: %g" % sigma, 0.46 < sigma < 0.51)
    check("without a spread all are equal", set(radii()) == {0.1})


def the_same_seed_gives_the_same_bytes():
    for kind in GRAINS + ("tower", "chain", "net"):
        words = ["generate", kind, "--bodies", 20] + (["--size-spread", 0.3] if kind not in ("chain", "net") else [])
        first = run(*words, "--seed", 5).stdout
        check("the same seed gives the same %s" % kind, first == run(*words, "--seed", 5).stdout and len(first) > 500)
        check("another seed gives another %s" % kind, first != run(*words, "--seed", 6).stdout)


def blocks_rest_exactly():
    scene = json.loads(run("generate", "wall").stdout)
    boxes = [b for b in scene["bodies"] if b["type"] == "rigid"]
    check("a wall has 10 rows of 10", sorted({b["position"][2] for b in boxes}) == [k + 0.5 for k in range(10)])
    check("10 in each row", len({b["position"][0] for b in boxes}) == 20 and len(boxes) == 100)
    tower = [b for b in json.loads(run("generate", "tower", "--mass-ratio", 1e6).stdout)["bodies"] if b["type"] == "rigid"]
    check("the top of a tower is heavy", abs(tower[-1]["density"] / tower[0]["density"] - 1e6) < 1)


def dampers_tie_boxes_to_the_world():
    """The first at the middle of the wall; without a damper the wall is the same, byte for byte."""
    plain = run("generate", "wall").stdout
    check("no damper, the same wall", run("generate", "wall", "--dampers", 0).stdout == plain)
    one = json.loads(run("generate", "wall", "--dampers", 1).stdout)
    (damper,) = one.pop("forces")
    check("a damper is all that one damper adds", one == json.loads(plain))
    check("it is weak", damper["type"] == "damper" and damper["damping"] == 1e-3)
    boxes = {b["name"]: b["position"] for b in one["bodies"] if b["type"] == "rigid"}
    (x, _, z) = boxes[damper["bodies"][1]]
    check("it ties the middle of 10 x 10 boxes to the world: %g, %g" % (x, z), damper["bodies"][0] == "world" and abs(x) <= 1 and abs(z - 5) <= 0.5)
    check("it stands upright, longer than a side", damper["anchors"][0][:2] == [x, 0] and damper["anchors"][0][2] > z + 1)
    for dampers in (7, 100):
        tied = [f["bodies"][1] for f in json.loads(run("generate", "wall", "--dampers", dampers, "--damping", 2).stdout)["forces"]]
        check("%d dampers tie as many boxes" % dampers, len(set(tied)) == len(tied) == dampers)
    path = made("wall", "--bodies", 6, "--dampers", 2)
    result = run_json("run", path, "--scheme", "moreau", "--until", "1/30")
    check("a wall with dampers stands, certified", result["unconverged_steps"] == 0 and result["max_penetration"] < 1e-8)


def springs_of(scene):
    """The pairs of boxes that springs join, by number."""
    return {tuple(int(name[3:]) - 1 for name in f["bodies"]) for f in scene["forces"]}


def a_jelly_is_stable_although_no_step_resolves_its_springs():
    scene = json.loads(run("generate", "jelly").stdout)
    check("200 balls, 1000 springs of 1e6 N/m", len(scene["bodies"]) == 201 and len(scene["forces"]) == 1000
          and {f["stiffness"] for f in scene["forces"]} == {1e6})
    result = run_json("run", made("jelly", "--bodies", 27), "--until", 0.3)
    check("it falls certified", result["unconverged_steps"] == 0 and result["steps"] == 30 and result["event_count"] > 5)
    # an end of a step is off the circle about the other end of a spring by (h v)^2/(2 l), 3e-4 m, which is energy for a moment
    check("and gains no energy: %s" % result["energy"], result["energy"]["max"] < 1.1 * result["energy"]["initial"])
    check("nor keeps any", result["energy"]["final"] < result["energy"]["initial"])


def a_net_joins_neighbours_only():
    for bodies, columns, words in ((25, 5, ()), (12, 4, ()), (10, 3, ("--columns", 3)), (7, 7, ("--dimension", 2))):
        scene = json.loads(run("generate", "net", "--bodies", bodies, *words).stdout)
        boxes = [b for b in scene["bodies"] if b["type"] == "rigid"]
        beside = {(k, k + 1) for k in range(bodies - 1) if (k + 1) % columns}
        behind = {(k, k + columns) for k in range(bodies - columns)}
        check("a net of %d boxes, %d in a row" % (bodies, columns), len(boxes) == bodies and springs_of(scene) == beside | behind)
        check("a net of %d: as many springs as pairs" % bodies, len(scene["forces"]) == len(beside | behind))
        heights = [b["position"][-1] for b in boxes]
        check("a net of %d lies on the floor and has hills" % bodies, min(heights) == 0.05 and 0.07 < max(heights) <= 0.1)
        lengths = [f["length"] for f in scene["forces"]]
        check("a net of %d is stretched" % bodies, len(set(lengths)) == len(lengths) and 0.07 <= min(lengths) and max(lengths) < 0.09)


def a_net_let_go_loses_energy_with_every_scheme():
    path = made("net", "--bodies", 25)
    entries = json.loads(run("list", "schemes", "--json").stdout)
    for scheme in (entry["name"] for entry in entries if not entry["demonstration"]):
        result = run_json("run", path, "--scheme", scheme, "--until", "6/240")
        check("%s: every step of a net is certified" % scheme, result["unconverged_steps"] == 0 and result["steps"] == 6)
        check("%s: a net touches the floor" % scheme, result["max_contacts"] >= 4 * 7)
        check("%s: a net does not gain energy" % scheme, result["energy"]["max"] == result["energy"]["initial"] > result["energy"]["final"] > 0)
        check("%s: dampers and friction take it" % scheme, result["ledger"]["dampers"] < 0 and result["ledger"]["contact_friction"] < 0)


def boxes_of_a_net_lift_off_and_land():
    """Of 16 boxes that touch at first some are in the air later, and at the end all of the net has come down."""
    path, table = made("net", "--bodies", 25), TEMP / "net.csv"
    result = run_json("run", path, "--until", 0.3, "-o", table)
    check("0.3 s of a net are certified", result["unconverged_steps"] == 0)
    with open(table, newline="") as file:
        rows = [{key: float(x) for key, x in row.items()} for row in csv.DictReader(file)]
    flying = [sum(clearance(row, k + 1) > 1e-3 for k in range(25)) for row in rows]
    check("a net has 9 boxes on its hill: %d" % flying[0], flying[0] == 9)
    risen = {k for row in rows for k in range(25) if clearance(rows[0], k + 1) < 1e-12 and clearance(row, k + 1) > 1e-3}
    check("boxes that touched have lifted off: %s" % sorted(risen), len(risen) >= 3)
    check("nearly all have landed: %d" % flying[-1], flying[-1] <= 3)


def clearance(row, k):
    """Height of the lowest corner of a box over the floor: half a side times the sum of |z| of its axes below the centre."""
    w, x, y, z = (row["box%d.q%s" % (k, letter)] for letter in "wxyz")
    return row["box%d.z" % k] - 0.05 * (abs(2 * (x * z - w * y)) + abs(2 * (y * z + w * x)) + abs(1 - 2 * (x * x + y * y)))


def voussoirs_share_their_joints():
    """Corners of neighbours in the world: the last two of one are the first two of the next, to round-off."""
    scene = json.loads(run("generate", "arch", "--bodies", 7).stdout)
    stones = [b for b in scene["bodies"] if b["type"] == "rigid"]
    corners = []
    for b in stones:
        c, s = math.cos(b["angle"]), math.sin(b["angle"])
        (x, y) = b["position"]
        corners.append([(x + c * p - s * q, y + s * p + c * q) for p, q in b["shapes"][0]["points"]])
    for before, after in zip(corners, corners[1:]):
        apart = max(math.dist(before[3], after[0]), math.dist(before[2], after[1]))
        check("joints coincide: %g" % apart, apart < 1e-15 * 4)  # a few roundings of numbers of order one
    check("the springers stand on the floor", max(abs(y) for _, y in (corners[0][0], corners[0][1])) < 4e-15)
    area = math.pi / 2 * (1.06**2 - 0.94**2)
    check("the masses are those of the ring", abs(sum(b["mass"] for b in stones) - 2500 * area) < 1e-9)


def arches_stand_and_fall():
    """The smallest thickness that stands, by thrust lines; one percent above it and one below."""
    for bodies, limit in ((7, 0.09625), (9, 0.10213), (11, 0.10491), (20, 0.10746)):
        for factor in (1.01, 0.99):
            path = made("arch", "--bodies", bodies, "--thickness", "%g*%g" % (factor, limit))
            crown = "voussoir%d" % (bodies // 2 + 1)
            before = {b["name"]: b for b in json.loads(path.read_text())["bodies"]}[crown]["position"][1]
            result = run_json("run", path, "--until", 2)
            sunk = before - result["bodies"][crown]["position"][1]
            label = "%d voussoirs at %g of the limit: the crown sinks by %g" % (bodies, factor, sunk)
            check(label, abs(sunk) < 1e-9 if factor > 1 else sunk > 0.05)
            check("%d voussoirs: every step is certified" % bodies, result["unconverged_steps"] == 0)


def stored_scenes_are_the_generators():
    for name, words in {
        "chain": "chain --bodies 100",
        "boxes": "wall --bodies 100",
        "arch": "arch --bodies 9 --thickness 1.01*0.10213",
        "silo": "silo --bodies 300 --seed 1 --size-spread 0.2 --width 3 --outlet 1.2",
        "column_collapse": "column --bodies 200 --seed 1 --size-spread 0.2 --shape polygon",
        "drum": "drum --bodies 200 --seed 1 --size-spread 0.2 --fill 0.9 --speed 0.05",
    }.items():
        stored = (ROOT / "scenes" / (name + ".json")).read_text()
        check("scenes/%s.json is: slipstick generate %s" % (name, words), run("generate", *words.split()).stdout == stored)
    for name, seed in [("brazil_nut", 0)] + [("brazil_nut/seed%d" % k, k) for k in range(11, 21)]:
        stored = (ROOT / "papers" / "ani06" / (name + ".json")).read_text()
        check("papers/ani06/%s.json is that of the seed" % name, run("generate", "brazil_nut", "--seed", seed).stdout == stored)


def the_shaken_box_holds_one_large_grain_below_the_others():
    for dimension, turn in ((2, 1), (3, 3)):
        path = made("brazil_nut", "--dimension", dimension, "--bodies", 120, "--seed", 5)
        understood = run_json("check", path)
        check("120 grains in %dD" % dimension, understood["dofs"] == 120 * (dimension + turn) and not understood["overlaps"])
        short = run_json("run", path, "--until", 3)
        check("the box goes up, certified, in %dD" % dimension, short["unconverged_steps"] == 0 and short["steps"] == 30)
        heights = {name: body["position"][dimension - 1] for name, body in short["bodies"].items()}
        check("nothing falls through its floor, at 8 m after half a shake", min(heights.values()) > 8 - 1e-6)


def a_hundred_thousand_bodies_take_seconds_and_little_memory():
    path = TEMP / "big.json"
    # 1 GiB; the sanitizers reserve more than that for themselves
    limit = None if SANITIZED else lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
    result = subprocess.run([PROGRAM, "generate", "pile", "--bodies", "100000", "-o", str(path)], timeout=PATIENCE, preexec_fn=limit)
    check("100 000 grains are written", result.returncode == 0)
    scene = json.loads(path.read_text())
    check("all of them", len(scene["bodies"]) == 100001)


def wrong_options_are_refused():
    refused("no kind", run("generate"), "no kind given")
    refused("an unknown kind", run("generate", "pyle"), "did you mean pile?")
    refused("an option of another kind", run("generate", "wall", "--thickness", 1), "--thickness", "wall")
    refused("an unknown option", run("generate", "wall", "--bod", 1), "bod")
    refused("too much bond", run("generate", "wall", "--bond", 0.5), "--bond", "below 1/2")
    refused("more dampers than boxes", run("generate", "wall", "--bodies", 4, "--dampers", 5), "--dampers", "4 blocks")
    refused("a damper without damping", run("generate", "wall", "--damping", 0), "--damping")
    refused("dampers of another kind", run("generate", "tower", "--dampers", 1), "--dampers", "tower")
    refused("a net of several rows in 2D", run("generate", "net", "--dimension", 2, "--columns", 3), "--columns", "2D")
    refused("negative friction", run("generate", "pile", "--mu", -1), "--mu", ">= 0")
    refused("an unknown shape", run("generate", "pile", "--shape", "spere"), "did you mean sphere?")
    refused("a shape of the other dimension", run("generate", "pile", "--shape", "polygon"), "polygon", "3D")
    refused("an unknown law", run("generate", "pile", "--sizes", "normal"), "lognormal")
    refused("grains of no size", run("generate", "pile", "--size-spread", 1), "--size-spread", "below 1")
    refused("a pile that is too narrow", run("generate", "pile", "--width", 0.01), "--width")
    refused("a silo that is all outlet", run("generate", "silo", "--outlet", 5, "--width", 4), "outlet")
    refused("a box narrower than the large grain", run("generate", "brazil_nut", "--width", 5), "--width", "diameter 6")
    refused("a drum that is too small", run("generate", "drum", "--width", 1), "--width", "holds")
    refused("a drum that is too full", run("generate", "drum", "--fill", 0.95), "--fill")
    refused("an arch of two", run("generate", "arch", "--bodies", 2), "3 voussoirs")
    refused("a tower with a size of nothing", run("generate", "tower", "--size-spread", 1.5), "--size-spread")
    result = run("generate", "pile", "-o", TEMP / "no" / "where.json")
    check("a path that cannot be written", result.returncode == 2 and "No such file" in result.stderr)
    result = run("generate", "pile", "-o", "/dev/full")
    check("a full disk", result.returncode == 1 and "No space left" in result.stderr)


def the_page_knows_every_option():
    page = (ROOT / "docs" / "generate.md").read_text()
    shown = run("help", "generate").stdout
    for kind in KINDS + ("brazil_nut", "four_bar"):
        check("docs/generate.md and the help name %s" % kind, "| `%s` |" % kind in page and kind in shown)
    options = [line.split()[0] for line in shown.splitlines() if line.startswith("  --")]
    check("docs/generate.md names every option: %s" % options, len(options) > 15 and all("`%s`" % o in page for o in options))


every_kind_is_a_sound_scene()
four_bar_loops_have_one_freedom_and_joints_that_hold()
grains_have_sizes_and_shapes()
sizes_follow_their_law()
the_same_seed_gives_the_same_bytes()
blocks_rest_exactly()
dampers_tie_boxes_to_the_world()
a_jelly_is_stable_although_no_step_resolves_its_springs()
a_net_joins_neighbours_only()
a_net_let_go_loses_energy_with_every_scheme()
boxes_of_a_net_lift_off_and_land()
voussoirs_share_their_joints()
if can_be("arch", 2):
    arches_stand_and_fall()

stored_scenes_are_the_generators()
the_shaken_box_holds_one_large_grain_below_the_others()
a_hundred_thousand_bodies_take_seconds_and_little_memory()
wrong_options_are_refused()
the_page_knows_every_option()
finish()
