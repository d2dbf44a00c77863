#!/usr/bin/env python3
"""The whole examples of docs/extending.md, taken out of the page, compiled, linked and run.

Each example becomes a file of its own and a line of its list, in a folder beside the sources. Only the example and the file
that expands the list are compiled; the rest of the program comes from the build folder. Objects given to the linker come before
members of the library with the same names."""
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

import common
from common import ROOT, TEMP, check, finish, refused, run, run_json, write

BUILD = pathlib.Path(os.environ.get("SLIPSTICK_BUILD", ROOT / "build"))
COMMANDS = BUILD / "compile_commands.json"
LINK = BUILD / "CMakeFiles" / "slipstick.dir" / "link.txt"
LISTS = {"scheme": ("schemes/schemes.def", "SS_SCHEME"), "solver": ("solvers/solvers.def", "SS_SOLVER"),
         "exact": ("exact/exact.def", "SS_EXACT")}


# ---- out of the page, into a program ------------------------------------------------------------------

def examples():
    """(kind, name, text) of every block that opens with the comment of a file and defines an entry of a registry."""
    page = (ROOT / "docs" / "extending.md").read_text()
    for text in re.findall(r"^```c\n(.*?)^```$", page, re.M | re.S):
        name = re.match(r"/\* (\w+)\.c - ", text)
        entry = re.search(r"^const ss_(\w+)_type ss_\w+ = ", text, re.M)
        check("a block of code opens with the name of its file: %r" % text[:60], name is not None)
        check("a block of code defines an entry: %r" % text[:60], entry is not None)
        if name and entry:
            yield entry.group(1), name.group(1), text


def put(kind, name, text, folder):
    """The example and its line; returns the new file and the files that expand the list."""
    path, macro = LISTS[kind]
    own, lines = folder / os.path.dirname(path) / (name + ".c"), folder / path
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text(text)
    lines.write_text((ROOT / "src" / path).read_text() + "%s(%s)\n" % (macro, name))
    users = [p for p in (ROOT / "src").rglob("*.[ch]") if '#include "%s"' % path in p.read_text()]
    check("files that include %s are sources: %s" % (path, users), users and all(p.suffix == ".c" for p in users))
    return [own] + users


def compile_one(source, commands, folder):
    """As the build folder compiles a file of the same folder of src/, with the new lists in front of the old ones."""
    relative = source.relative_to(folder if folder in source.parents else ROOT / "src")
    command = next(c for c in commands if pathlib.Path(c["file"]).parent == ROOT / "src" / relative.parent)
    words = shlex.split(command["command"])
    words = words[:words.index("-o")]
    target = folder / ("%s.o" % source.stem)
    words += ["-iquote", str(folder), "-o", str(target), "-c", str(source)]
    done = subprocess.run(words, cwd=BUILD, capture_output=True, text=True)
    check("%s compiles; a warning is an error: %s" % (source.name, done.stderr[:2000]), done.returncode == 0)
    return target


def link(objects, program):
    words = shlex.split(LINK.read_text())
    words[words.index("-o") + 1] = str(program)
    place = words.index("-o")
    done = subprocess.run(words[:place] + [str(o) for o in objects] + words[place:], cwd=BUILD, capture_output=True, text=True)
    check("the program links: %s" % done.stderr[:2000], done.returncode == 0)


def build_with_examples():
    """The names by kind of what was added. From here on run() runs the program that has them."""
    folder, program, names = TEMP / "src", TEMP / "slipstick", {}
    sources = set()
    for kind, name, text in examples():
        names[kind] = name
        sources.update(put(kind, name, text, folder))
    commands = [c for c in json.loads(COMMANDS.read_text()) if "/src/" in c["file"]]
    link([compile_one(source, commands, folder) for source in sorted(sources)], program)
    common.PROGRAM = str(program)
    return names


# ---- the scheme ----------------------------------------------------------------------------------------

# a rod of length 2 and mass 3 on a hinge at its end, level, at rest: angle'' = 3 g cos(angle) / (2 length)
ROD = {"slipstick": 1, "dimension": 2, "gravity": [0, -9.81], "time": {"until": 0.5, "step": 0.01},
       "scheme": {"name": "explicit_euler"},
       "bodies": [{"name": "rod", "type": "rigid", "mass": 3, "inertia": 1, "position": [1, 0]}],
       "joints": [{"name": "hinge", "type": "revolute", "bodies": ["world", "rod"], "anchors": [[0, 0], [-1, 0]]}]}
RATE = 1.5 * 9.81 / 2


def the_scheme_is_listed(name):
    lines = [line for line in run("list", "schemes").stdout.splitlines() if line.startswith(name + " ")]
    check("%s is listed once, with its title: %s" % (name, lines), len(lines) == 1 and "explicit Euler without contact" in lines[0])


def one_step_is_that_of_the_formula(scene):
    """From rest the place stays and the velocity is h times the acceleration under the hinge: the equations of the page."""
    step = run_json("run", scene, "--until", "0.01", "--step", "0.01")
    check("the place stays: %s" % step["q"], step["q"] == [1, 0, 0])
    # round-off of the solution of one small system
    good = all(abs(a - b) <= 1e-15 for a, b in zip(step["v"], [0, -0.01 * RATE, -0.01 * RATE]))
    check("the velocity is h times the acceleration: %s" % step["v"], good)


def the_ledger_closes_and_nothing_is_uncertified(scene):
    whole = run_json("run", scene)
    check("the ledger closes: %g" % whole["ledger"]["closure"], whole["ledger"]["closure"] <= 1e-12)  # round-off of 50 steps
    check("every step is certified", whole["unconverged_steps"] == 0 and whole["steps"] == 50)
    joints, gravity = whole["ledger"]["joints"], whole["ledger"]["gravity"]
    check("the hinge does little work, that of its drift: %g beside %g" % (joints, gravity), abs(joints) < 0.1 * abs(gravity))


def errors_are_of_first_order(scene):
    """Against a scheme of order 4 with a step in which its error is below 1e-9."""
    value = run_json("converge", scene, "--steps", "2^-6:2^-9", "--reference", "event_capturing_rk@2^-11")
    (scheme,) = value["schemes"]
    check("the order is 1: %s" % scheme["order"], abs(scheme["order"] - 1) < 0.1)
    check("the error is large enough to be measured", scheme["rows"][-1]["error"] > 1e-4)


def a_scene_whose_bodies_can_touch_is_refused():
    """The entry declares no law of contact, and the program says so before the first step."""
    ball = {"name": "ball", "type": "particle", "mass": 1, "position": [0, 1], "shapes": [{"type": "point", "material": "m"}]}
    floor = {"name": "floor", "type": "fixed", "shapes": [{"type": "half_space", "normal": [0, 1], "material": "m"}]}
    scene = write("touches.json", dict(ROD, materials=[{"name": "m"}], bodies=[ball, floor], joints=[]))
    refused("a floor", run("run", scene), "explicit_euler does not treat contact")


# ---- the exact solution ----------------------------------------------------------------------------------

PARTICLE = {"slipstick": 1, "dimension": 3, "gravity": [1, 0, -10], "time": {"until": 1, "step": 0.125},
            "scheme": {"name": "anitescu_potra"},
            "bodies": [{"name": "p", "type": "particle", "mass": 2, "position": [0, 1, 2], "velocity": [3, 4, 5]}],
            "exact": {"name": "free_particle"}}


def the_exact_solution_is_listed(name):
    lines = [line for line in run("list", "exact").stdout.splitlines() if line.startswith(name + " ")]
    check("%s is listed once, with its title: %s" % (name, lines), len(lines) == 1 and "particle that flies" in lines[0])


def errors_against_it_have_their_closed_form():
    """q_n - q(t_n) is g h t/2 by semi-implicit Euler and its opposite by explicit Euler; neither has an error in v."""
    scene = write("flies.json", PARTICLE)
    value = run_json("converge", scene, "--scheme", "anitescu_potra,explicit_euler", "--steps", "2^-3:2^-6")
    for scheme in value["schemes"]:
        for row in scheme["rows"]:
            expected = 0.5 * row["h"] * 101 ** 0.5
            check("%s, h = %g: error %.17g is %.17g" % (scheme["scheme"], row["h"], row["error"], expected),
                  abs(row["error"] - expected) < 1e-13)  # round-off of 64 steps of some metres
    value = run_json("converge", scene, "--steps", "2^-3:2^-4", "--quantity", "v")
    check("no error of the velocity", all(row["error"] < 1e-13 for row in value["schemes"][0]["rows"]))


def what_is_not_its_problem_is_refused():
    shaped = json.loads(json.dumps(PARTICLE))
    shaped["bodies"][0]["shapes"] = [{"type": "point"}]
    scene = write("shaped.json", shaped)
    refused("a shape", run("converge", scene, "--steps", "2^-3:2^-4"), "expected one particle without shapes, joints or forces")


# ---- parts from outside ------------------------------------------------------------------------------------

def a_result_with_parts_from_outside_is_shown_without_them():
    """The cross is made of boxes, which every viewer knows; the page says that joint and force are missing in it."""
    result, page = TEMP / "wire.h5", TEMP / "wire.html"
    done = subprocess.run([BUILD / "examples" / "extend_parts", result], capture_output=True, text=True)
    check("the example runs: %s" % done.stdout, done.returncode == 0)
    shown = run("view", result, "-o", page)
    check("its result is shown: %s" % shown.stderr, shown.returncode == 0 and page.is_file())
    for words in ('joints.0 is of type "on_ellipse"', 'forces.0 is of type "magnet"'):
        check("the program says what is not shown: %s" % words, words in shown.stderr)
    curve = run("plot", result, "--y", "bead.y", "-o", TEMP / "wire.svg")
    check("and plotted: %s" % curve.stderr, curve.returncode == 0)


def main():
    if not COMMANDS.is_file() or not LINK.is_file():
        print("SKIP: %s was not made by make" % BUILD)
        sys.exit(77)
    names = build_with_examples()
    check("a scheme and an exact solution are there: %s" % names, {"scheme", "exact"} <= set(names))
    if not common.failures:
        the_scheme_is_listed(names["scheme"])
        rod = write("rod.json", ROD)
        one_step_is_that_of_the_formula(rod)
        the_ledger_closes_and_nothing_is_uncertified(rod)
        errors_are_of_first_order(rod)
        a_scene_whose_bodies_can_touch_is_refused()
        the_exact_solution_is_listed(names["exact"])
        errors_against_it_have_their_closed_form()
        what_is_not_its_problem_is_refused()
        a_result_with_parts_from_outside_is_shown_without_them()
    finish()


main()
