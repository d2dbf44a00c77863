#!/usr/bin/env python3
"""Nothing passes through anything: a peg, a bullet, random ones of both and spinning rods, with every scheme and with --tol."""
import os
import pathlib
import sys

from common import PROGRAM, ROOT, SANITIZED, TEMP, check, finish, run, run_json, write

sys.path.insert(0, str(ROOT / "tools"))
import passages  # noqa: E402

CASES = ROOT / "tests" / "cli"
RANDOM = 8 if SANITIZED else 60 if os.environ.get("SLIPSTICK_FULL") == "1" else 20
MOREAU = ("moreau", "moreau_projected")


def restitution(scheme, e):
    """anitescu_convex takes inelastic contact only."""
    return 0 if scheme == "anitescu_convex" else e


def a_point_bounces_off_a_peg_as_wide_as_two_steps():
    for scheme in passages.schemes(PROGRAM):
        for tol in (), ("--tol", "1e-6"):
            for at in 5.0, 5.004321:
                e = restitution(scheme, 1)
                result = run_json("run", CASES / "peg.json", "--scheme", scheme, "--until", "6", "--set", "materials.0.e=%g" % e,
                                  "--set", "bodies.1.position=[%g,0]" % at, *tol)
                # schatzman_paoli's impact takes two steps; positions are off by no more than those
                check("%s %s: v' = -e v, not %s" % (scheme, tol, result["v"]), abs(result["v"][0] + e) < 1e-9)
                place = at - 0.01 - e * (6 - at + 0.01)
                check("%s %s: at %g, not %g" % (scheme, tol, place, result["q"][0]), abs(result["q"][0] - place) < 0.03)


def a_bullet_bounces_off_a_thin_wall():
    for scheme in passages.schemes(PROGRAM):
        for tol in (), ("--tol", "1e-6"):
            e = restitution(scheme, 0.5)
            result = run_json("run", CASES / "bullet.json", "--scheme", scheme, "--set", "materials.0.e=%g" % e, *tol)
            check("%s %s: v' = -e v, not %s" % (scheme, tol, result["v"][0]), abs(result["v"][0] + 50 * e) < 1e-6)
            check("%s %s: it is on its side of the wall" % (scheme, tol), result["q"][0] < -0.0059)


def random_bullets_and_rods_pass_through_nothing():
    folder = pathlib.Path(TEMP)
    for k in range(RANDOM):
        for scheme in passages.schemes(PROGRAM):
            line, fault = passages.judge(PROGRAM, folder, 7, k, scheme, 1e-3 if k % 3 == 2 else None)
            check("random scene " + line, not fault)


def an_impact_of_a_spinning_body_creates_no_energy():
    for scheme in MOREAU + ("galpha_ggl",):
        spin = run_json("run", CASES / "spin_box.json", "--scheme", scheme)["energy"]
        # three impacts, each of which may have an approach wrong by a hundredth
        check("%s: a spinning box keeps its energy: %s" % (scheme, spin), spin["max"] < 1.05 * spin["initial"])
        one = run_json("run", CASES / "one_collision.json", "--scheme", scheme)["energy"]
        check("%s: two thin bodies collide: %s" % (scheme, one), one["max"] < 1.001 * one["initial"])


def a_driven_body_that_jumps_is_refused():
    scene = {"slipstick": 1, "dimension": 2, "gravity": [0, 0], "time": {"until": 2, "step": 0.01}, "bodies": [
        {"name": "ball", "type": "particle", "mass": 1, "position": [0.5, 0], "shapes": [{"type": "sphere", "radius": 0.05}]},
        {"name": "ram", "type": "driven", "position": ["floor(t)", "0"], "shapes": [{"type": "sphere", "radius": 0.01}]}]}
    for tol in (), ("--tol", "1e-6"):
        result = run("run", write("jump.json", scene), *tol)
        for part in "driven body ram", "position x jumps by 1 m", "t = 1 s":
            check("%s is said: %s" % (part, result.stderr), result.returncode != 0 and part in result.stderr)
    scene["bodies"][1]["position"] = ["0", "abs(t-1)"]
    check("a kink is no jump", run("run", write("kink.json", scene)).returncode == 0)
    scene["bodies"][1].update(position=["9", "0"], angle="3*step(t-0.5)")
    result = run("run", write("turn.json", scene))
    check("an angle that jumps: %s" % result.stderr, "angle jumps by 3 rad at t = 0.5 s" in result.stderr)


os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
a_point_bounces_off_a_peg_as_wide_as_two_steps()
a_bullet_bounces_off_a_thin_wall()
random_bullets_and_rods_pass_through_nothing()
an_impact_of_a_spinning_body_creates_no_energy()
a_driven_body_that_jumps_is_refused()
finish()
