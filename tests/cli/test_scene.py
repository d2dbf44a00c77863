#!/usr/bin/env python3
"""What was understood can be read again; the published schema is the program's own; check, list, generate, help."""
import json
import re
import shutil

from common import ROOT, SANITIZED, TEMP, check, finish, refused, run, run_json, write

FULL = [ROOT / "tests" / "cli" / "full_2d.json", ROOT / "tests" / "cli" / "full_3d.json"]
SCENES = sorted((ROOT / "scenes").glob("*.json")) + sorted((ROOT / "papers").glob("*/*.json"))


def a_scene_written_and_read_is_the_same_scene():
    for mesh in (ROOT / "tests" / "cli").glob("*.msh"):  # where the scene that is written looks for it
        shutil.copy(mesh, TEMP)
    for path in SCENES + FULL:
        first = run_json("check", path)
        again = run_json("check", write("again.json", first["scene"]))
        check("%s: written and read again it is the same" % path.name, again == first)


def defaults_are_filled_in():
    scene = run_json("check", ROOT / "papers" / "ap97" / "rod_impact.json")["scene"]
    check("the scheme's options are all there", scene["scheme"]["directions"] == 8 and scene["scheme"]["locate"] is True)
    check("the solver has its tolerance", scene["solver"] == {"name": "auto", "tol": 1e-10})
    check("expressions are numbers", abs(scene["bodies"][0]["inertia"] - 1 / 3) < 1e-16)
    check("free text is kept", scene["description"].startswith("AP97"))
    nameless = run_json("check", ROOT / "papers" / "ap97" / "ramp.json", "--set", 'scheme={"directions": 16}', "--set", 'solver={"tol": 1e-9}')
    check("a scheme without a name is the default", nameless["scene"]["scheme"]["name"] == "anitescu_potra" and nameless["scene"]["scheme"]["directions"] == 16)
    check("so is a solver", nameless["scene"]["solver"] == {"name": "auto", "tol": 1e-9})
    exact = run_json("check", ROOT / "papers" / "ap97" / "chatter.json")["scene"]["exact"]
    check("the exact solution is kept", exact == {"name": "bouncing_ball"})
    check("no exact solution is none", "exact" not in run_json("check", FULL[0])["scene"])


def the_schema_is_fresh():
    printed = run("check", "--schema").stdout
    stored = (ROOT / "docs" / "scene.schema.json").read_text()
    check("docs/scene.schema.json is what slipstick check --schema prints", printed == stored)
    schema = json.loads(printed)
    check("it is draft 2020-12", schema["$schema"].endswith("2020-12/schema"))
    types = [b["properties"]["type"]["const"] for b in schema["properties"]["bodies"]["items"]["oneOf"]]
    for section, default in (("scheme", "anitescu_potra"), ("solver", "auto")):
        required = {o["properties"]["name"]["enum"][0]: "name" in o["required"] for o in schema["properties"][section]["oneOf"]}
        check("%s.name may be left out for the default alone: %s" % (section, required), all(r == (n != default) for n, r in required.items()))
    check("the end is after the start", schema["properties"]["time"]["properties"]["until"]["exclusiveMinimum"] == 0)
    check("it knows the bodies", types == ["particle", "rigid", "fixed", "driven"])


def check_counts():
    chain = run_json("check", ROOT / "scenes" / "chain.json")
    check("a chain of 100 rods has 300 degrees of freedom", (chain["dofs"], chain["bodies"], chain["joints"]) == (300, 100, 100))
    check("its rods cannot touch", chain["potential_pairs"] == 0 and chain["overlaps"] == [])
    deep = run_json("check", ROOT / "papers" / "ap97" / "sliding_cube.json", "--set", "bodies.cube.position=[0,0,0.4]")
    overlap = deep["overlaps"][0]
    check("an overlap of 0.1 m is found: %s" % overlap, sorted(overlap["bodies"]) == ["cube", "floor"] and abs(overlap["depth"] - 0.1) < 1e-12)
    check("and that run will refuse it", len(deep["warnings"]) == 1 and "--allow-overlap" in deep["warnings"][0])
    words = run("check", ROOT / "papers" / "ap97" / "sliding_cube.json", "--set", "bodies.cube.position=[0,0,0.4]")
    first = words.stdout.splitlines()[0]
    check("in words too: %s" % first, words.returncode == 0 and "overlap" in first and "run refuses" in first and "--allow-overlap" in first)
    check("a scene without overlaps has no warnings", chain["warnings"] == [])
    text = run("check", ROOT / "scenes" / "chain.json")
    check("and is just valid", text.stdout.splitlines()[0].endswith(": valid"))
    check("the text says it in words", text.returncode == 0 and "100 rigid" in text.stdout)


def several_scenes_are_checked_at_once():
    good = [ROOT / "scenes" / "chain.json", ROOT / "papers" / "ap97" / "ramp.json"]
    bad = write("bad.json", {"slipstick": 1, "dimension": 5})
    both = run("check", *good)
    check("a line for each valid one", both.returncode == 0 and both.stdout.splitlines() == ["%s: valid" % p for p in good])
    mixed = run("check", good[0], bad, TEMP / "none.json", good[1])
    lines = mixed.stderr.splitlines()
    check("one that is wrong does not stop the check of the next: %s" % mixed.stdout, mixed.stdout == both.stdout and mixed.returncode == 2)
    check("a line for each that is wrong: %s" % lines, len(lines) == 2 and str(bad) in lines[0] and "dimension" in lines[0] and "No such file" in lines[1])
    array = json.loads(run("check", good[0], bad, good[1], "--json").stdout)
    single = [run_json("check", path) for path in good]
    check("as JSON an array of the valid ones with their files", array == [dict(one, file=str(path)) for one, path in zip(single, good)])
    changed = json.loads(run("check", *good, "--json", "--set", "gravity=[0,0]", "--set", "dimension=2").stdout)
    check("settings hold for each: %d are valid" % len(changed), [c["scene"]["gravity"] for c in changed] == [[0, 0]])
    wrong = run("check", bad, "--json")
    check("a single one that is wrong is an error as JSON", wrong.returncode == 2 and "dimension" in json.loads(wrong.stdout)["error"])


def set_changes_the_scene():
    ramp = ROOT / "papers" / "ap97" / "ramp.json"

    def understood(*assignments):
        words = [w for a in assignments for w in ("--set", a)]
        return run_json("check", ramp, *words)["scene"]

    check("a number by name", understood("bodies.box.mass=2.5")["bodies"][0]["mass"] == 2.5)
    check("an expression", understood("time.step=2^-5")["time"]["step"] == 0.03125)
    check("a list", understood("gravity=[0,0,-1]")["gravity"] == [0, 0, -1])
    check("an item of a list", understood("gravity.2=-3")["gravity"][2] == -3 and understood("gravity[2]=-3")["gravity"][2] == -3)
    check("a body by its index", understood("bodies.0.mass=4")["bodies"][0]["mass"] == 4)
    check("inside a shape", understood("bodies.box.shapes[0].size=[1,1,0.5]")["bodies"][0]["shapes"][0]["size"] == [1, 1, 0.5])
    check("a word", understood("scheme.restitution=newton")["scheme"]["restitution"] == "newton")
    check("a section that was not there", understood("solver.tol=1e-8")["solver"]["tol"] == 1e-8)
    check("a new key of an item", understood("materials.box.e=.25")["materials"][0]["e"] == 0.25)
    check("later settings win", understood("bodies.box.mass=2", "bodies.box.mass=3")["bodies"][0]["mass"] == 3)
    dotted = json.loads(ramp.read_text())
    dotted["bodies"][0]["name"] = "a.b"
    dotted["bodies"].append({"name": "a", "type": "particle", "mass": 1, "position": [9, 9, 9]})
    dotted["bodies"].insert(0, {"name": "x", "type": "particle", "mass": 1, "position": [9, 0, 9]})
    named = run_json("check", write("dotted.json", dotted), "--set", "bodies.a.b.mass=7", "--set", "bodies.a.mass=3")
    check("names may contain dots, the longest counts", [b.get("mass") for b in named["scene"]["bodies"]] == [1, 7, None, 3])
    for bad, part in [
        ("nothing", "PATH=VALUE"),
        ("=1", "PATH=VALUE"),
        ("bodies.bx.mass=1", 'did you mean "box"?'),
        ("bodies.5.mass=1", "no item 5 in a list of 2"),
        ("bodies.box.masss=1", 'did you mean "mass"?'),
        ("bodies.box.mass.x=1", 'nothing in the scene is called "x"'),
        ("elephants.x=1", "elephants"),
        ("bodies.box.mass=0/0", "bodies.box.mass"),
    ]:
        refused("--set %s" % bad, run("check", ramp, "--set", bad), ramp, part)


def a_scene_with_parameters_expands_to_a_plain_one():
    scene = json.loads((ROOT / "scenes" / "howto" / "cart_pole.json").read_text())
    named = json.loads(json.dumps(scene).replace("-0.1", '"-lean"').replace('"0.5+0.5*sin(0.1)"', '"0.5+0.5*sin(lean)"'))
    named["parameters"] = {"lean": "dt/2*40", "dt": "1/200"}
    path = write("named.json", named)
    plain = run("check", path, "--expand")
    check("the plain scene is the one without parameters",
          plain.returncode == 0 and json.loads(plain.stdout) == run_json("check", ROOT / "scenes" / "howto" / "cart_pole.json")["scene"])
    check("both have the same motion", run_json("run", write("plain.json", plain.stdout), "--until", "0.1")["q"] ==
          run_json("run", path, "--until", "0.1")["q"])
    other = json.loads(run("check", path, "--expand", "--set", "parameters.lean=0.2").stdout)
    check("a parameter can be set", other["bodies"][1]["angle"] == -0.2 and other["joints"][0]["start"] == -0.2)
    refused("an unknown name", run("check", path, "--set", 'bodies.pole.mass="leen"'), "bodies.pole.mass", "did you mean the parameter 'lean'")
    refused("a cycle", run("check", path, "--set", "parameters.dt=lean"), "parameters", "it depends on itself")
    refused("several scenes", run("check", path, path, "--expand"), "expected one scene")


def nodes_of_flexible_bodies_are_bodies():
    beam = {"name": "beam", "type": "beam", "size": [1, 0.1], "divisions": 4, "E": 1e6, "density": 100, "first": "world"}
    scene = {"slipstick": 1, "dimension": 2, "elements": [beam], "forces": [{"type": "constant", "body": "beam.4", "force": [0, 1]}]}
    path = write("beam.json", scene)
    seen = run_json("check", path)
    check("four of five nodes are free, without any other body", (seen["bodies"], seen["dofs"]) == (4, 12))
    for bad, part in [
        ("forces.0.body=beam.0", 'unknown body "beam.0"'),
        ("forces.0.body=beam.5", 'did you mean "beam.4"?'),
        ("forces.0.body=beam.04", 'unknown body "beam.04"'),
        ("elements.beam.nu=0.5", "elements.beam.nu: expected a number below 0.5"),
        ("elements.beam.nu=0.7", "elements.beam.nu"),
        ("elements.beam.size=[1, 0]", "elements.beam.size"),
        ("elements.beam.size=[0, 1]", "elements.beam.size"),
        ("elements.beam.divisions=0", "elements.beam.divisions"),
        ("elements.beam.position=[1e17, 0]", "the nodes of element 0 are 0 m apart"),
        ("elements.beam.first=beam.2", 'unknown body "beam.2"'),
        ("elements.beam.type=rope", "type of element"),
        ("elements=[]", "expected at least one body"),
    ]:
        refused("--set %s" % bad, run("check", path, "--set", bad), path, part)


def lists_come_from_the_registries():
    for word in ("schemes", "solvers", "joints", "forces", "shapes", "elements", "outputs"):
        entries = run_json("list", word)
        keys = {"name", "title", "reference", "laws", "needs", "params"}
        check("list %s has the keys" % word, entries and all(keys <= set(e) and ("order" in e or "class" in e) for e in entries))
        check("list %s as text names them" % word, all(e["name"] in run("list", word).stdout for e in entries))
    leaves = {"smooth", "impacts", "norm", "overlap", "joints_drift", "turning"}
    orders = [e["order"] for e in run_json("list", "schemes")]
    check("schemes say what a step leaves", all(leaves == set(o) and isinstance(o["joints_drift"], bool) for o in orders))
    text = run("list", "schemes").stdout
    check("those whose joints drift say so in words", text.count("joints drift") == sum(o["joints_drift"] for o in orders))
    check("schemes say whether they are demonstrations", [e["name"] for e in run_json("list", "schemes") if e["demonstration"]] == ["galpha_index3", "galpha_modified"])
    check("demonstrations say so in words", text.count("  demonstration\n") == 2)
    experiments = [e["name"] for e in run_json("list", "experiments", cwd=ROOT)]
    check("list experiments finds the recipes", "ap97/rod-impact" in experiments)
    scenes = [s["name"] for s in run_json("list", "scenes", cwd=ROOT)]
    check("list scenes finds the scenes", "scenes/chain.json" in scenes and "papers/ap97/ramp.json" in scenes)
    refused("an unknown list", run("list", "sheme"), "did you mean schemes?")
    refused("no list", run("list"), "nothing named")


def chains_have_any_length():
    path = TEMP / "chain.json"
    for words, bodies, dofs in (("--bodies 7", 7, 21), ("--bodies 5 --dimension 3 --seed 3 --link 0.2", 5, 30), ("--bodies 3 --seed 1", 3, 9)):
        made = run("generate", "chain", *words.split(), "-o", path)
        understood = run_json("check", path)
        check("generate chain %s" % words, made.returncode == 0 and (understood["bodies"], understood["dofs"]) == (bodies, dofs))
    first = run("generate", "chain", "--seed", 4, "--bodies", 9).stdout
    check("the same seed gives the same chain", first == run("generate", "chain", "--seed", 4, "--bodies", 9).stdout)
    check("another seed another chain", first != run("generate", "chain", "--seed", 5, "--bodies", 9).stdout)
    stored = (ROOT / "scenes" / "chain.json").read_text()
    check("scenes/chain.json is the generator's", run("generate", "chain", "--bodies", 100).stdout == stored)
    refused("an unknown kind", run("generate", "chian"), "did you mean chain?")
    refused("no bodies", run("generate", "chain", "--bodies", 0), "--bodies", "whole number >= 1")
    refused("four dimensions", run("generate", "chain", "--dimension", 4), "--dimension")
    result = run("generate", "chain", "-o", TEMP / "no" / "where.json")
    check("a path that cannot be written", result.returncode == 2 and "No such file" in result.stderr)


def help_knows_every_command():
    overview = run("help").stdout
    for word in ("run", "check", "list", "generate", "help"):
        check("help lists %s" % word, "slipstick %s" % word in overview)
        asked = run("help", word)
        check("help %s" % word, asked.stdout.startswith("slipstick %s" % word))
        for flag in ("-h", "--help"):
            shown = run(word, flag)
            check("%s %s is the same" % (word, flag), (shown.returncode, shown.stdout, shown.stderr) == (0, asked.stdout, ""))
        options = re.findall(r"^  (?:-\w, )?(--[a-z-]+)", asked.stdout, re.M)
        check("%s has options" % word, bool(options))
        check("the overview names each: %s" % options, all(re.search(re.escape(o) + r"[\] ]", overview) for o in options))
    check("among other words too", run("run", "scene.json", "--step", "1", "--help").stdout == run("help", "run").stdout)
    check("--version", run("--version").stdout.startswith("slipstick "))
    refused("an unknown command", run("rum"), "did you mean run?")
    refused("a command like no other", run("simulate"), "run, check, list, solve, generate, converge, compare, reproduce, sweep, plot, view, help")
    refused("help for an unknown command", run("help", "chek"), "did you mean check?")
    refused("check without a scene", run("check"), "no scene")


def commands_in_the_docs_work():
    """As written, but in a folder of their own, and runs end early."""
    pages = [ROOT / "README.md"] + sorted((ROOT / "docs").glob("*.md"))
    lines = [l.strip() for l in pages[0].read_text().splitlines() if l.startswith("    build/slipstick ")]
    lines += [c for page in pages for c in re.findall(r"`(slipstick (?:run|check|list|generate) [a-z][^`A-Z]*)`", page.read_text())]
    check("there are some: %d" % len(lines), len(lines) >= 10)
    (TEMP / "papers").symlink_to(ROOT / "papers")
    for line in lines:
        words = line.split("#")[0].split()[1:]
        words = [str(ROOT / w) if w.startswith(("papers/", "scenes/")) else w for w in words]
        early = ["--until", "1/50"] if words[0] == "run" and "--until" not in words else []
        result = run(*words, *early, cwd=TEMP)
        check("%s: %s" % (line, result.stderr), result.returncode == 0 and result.stderr == "")


def every_exact_solution_has_its_section_and_scenes():
    page = (ROOT / "docs" / "exact.md").read_text()
    for entry in run_json("list", "exact"):
        check("docs/exact.md tells of %s" % entry["name"], re.search(r"^### `%s`" % entry["name"], page, re.M))
        check("%s is known in some dimension" % entry["name"], set(entry["dimensions"]) <= {2, 3} and entry["dimensions"])
    for path in SCENES:
        exact = json.loads(path.read_text()).get("exact")
        row = re.search(r"^\| %s \| `(\w+)` \|" % re.escape(str(path.relative_to(ROOT))), page, re.M)
        check("docs/exact.md has %s as it is" % path.name, (row and row.group(1)) == (exact and exact["name"]))


a_scene_written_and_read_is_the_same_scene()
defaults_are_filled_in()
the_schema_is_fresh()
check_counts()
several_scenes_are_checked_at_once()
set_changes_the_scene()
a_scene_with_parameters_expands_to_a_plain_one()
nodes_of_flexible_bodies_are_bodies()
lists_come_from_the_registries()
chains_have_any_length()
help_knows_every_command()
if not SANITIZED:  # the same lines of code run in tests of their own
    commands_in_the_docs_work()
every_exact_solution_has_its_section_and_scenes()
finish()
