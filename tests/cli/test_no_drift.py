#!/usr/bin/env python3
"""galpha_ggl on all examples: nothing overlaps and no joint opens by more than round-off in any step, every step is certified, and
Newton's method takes few iterations [BAC14 sections 8 and 10]. Each example runs for its first steps. A wall and an arch, whose
contacts depend on each other, stand."""
import json
import os

from common import ROOT, SANITIZED, TEMP, check, finish, run, run_json

ROUND_OFF = 1e-12  # m, rad: lengths are about 1 m
ITERATIONS = 5  # of Newton's method, mean of all steps
STEPS = 20 if SANITIZED else 1000 if os.environ.get("SLIPSTICK_FULL") == "1" else 200

# docs/galpha_ggl.md: examples for which other schemes are better
OTHERS = {"papers/pagt06/rover.json", "papers/ani06/brazil_nut.json", "scenes/boxes.json"}


def examples():
    """Scenes and their paths. Those that ask their solver for less than 1e-8 do not ask for round-off: piles of grains."""
    for path in sorted([*ROOT.glob("scenes/**/*.json"), *ROOT.glob("papers/*/*.json")]):
        scene, name = json.loads(path.read_text()), str(path.relative_to(ROOT))
        if scene.get("solver", {}).get("tol", 0) <= 1e-8 and name not in OTHERS:
            yield name, path


def number(text):
    """A number or a constant expression of a scene."""
    return float(eval(str(text).replace("^", "**"), {"__builtins__": {}}))


def until(path):
    time = json.loads(path.read_text())["time"]
    return min(number(time["until"]), STEPS * number(time["step"]))


count = 0
for name, path in examples():
    result = run_json("run", path, "--scheme", "galpha_ggl", "--quiet", "--until", repr(until(path)))
    if result:
        count += 1
        gap, joint, newton = result["max_penetration"], result["max_joint_error"], result["newton"] / result["steps"]
        print("%-36s %5d steps, overlap %.0e m, joint error %.0e, %.2f iterations" % (name, result["steps"], gap, joint, newton))
        check("%s: bodies overlap by %g" % (name, gap), gap <= ROUND_OFF)
        check("%s: joints open by %g" % (name, joint), joint <= ROUND_OFF)
        if not SANITIZED:  # the mean of a run: its first 20 steps may take more
            check("%s: %g Newton iterations a step" % (name, newton), newton <= ITERATIONS)
        check("%s: %d steps are not certified" % (name, result["unconverged_steps"]), result["unconverged_steps"] == 0)
check("there are examples: %d" % count, count >= 40)


def stands(path, seconds):
    """No body moves by more than 1e-8 m, the solver's tolerance of these scenes times their lengths of about 1 m."""
    before = run_json("run", path, "--scheme", "galpha_ggl", "--quiet", "--until", "1e-9", "--step", "1e-9")
    after = run_json("run", path, "--scheme", "galpha_ggl", "--quiet", "--until", seconds)
    if before and after:
        ways = [abs(x - y) for name, body in before["bodies"].items()
                for x, y in zip(body["position"], after["bodies"][name]["position"])]
        check("%s moves by %g" % (path.name, max(ways)), max(ways) <= 1e-8)
        check("%s: %d steps are not certified" % (path.name, after["unconverged_steps"]), after["unconverged_steps"] == 0)


wall = TEMP / "wall.json"
run("generate", "wall", "--bodies", 100, "--dimension", 2, "-o", wall)
stands(wall, 0.02 if SANITIZED else 0.5)
stands(ROOT / "scenes" / "arch.json", 0.02 if SANITIZED else 0.5)
finish()
