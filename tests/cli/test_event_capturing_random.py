#!/usr/bin/env python3
"""event_capturing_rk on scenes that random ones were reduced to (tests/random/reduced): events come when they should, nothing
overlaps, no step is left to Moreau's scheme, and the work is counted and bounded. Bounds on the work are twice what the scenes
take today."""
from common import ROOT, check, finish, run_json

REDUCED = ROOT / "tests" / "random" / "reduced"


def check_work(name, out, evaluations, newton):
    check("%s: %d multiplier evaluations" % (name, out["multiplier_evals"]), out["multiplier_evals"] <= evaluations)
    check("%s: %d Newton iterations" % (name, out["newton"]), out["newton"] <= newton)
    check("%s: every step is certified" % name, out["unconverged_steps"] == 0)
    check("%s: no step is handed over: %s" % (name, out["remarks"]), "handed" not in out["remarks"])


def corners_of_a_box_that_lands_strike_one_after_the_other():
    """A box with a cylinder on it: rims change the points that they touch with, so that contacts begin with small overlaps."""
    out = run_json("run", REDUCED / "landing_box.json", "--quiet")
    check_work("box", out, 1300, 1900)
    impacts = [event for event in out["events"] if event["kind"] == "impact"]
    check("box: its first corner strikes at 0.17946 s: %s" % impacts[:1], abs(impacts[0]["t"] - 0.179457697) < 1e-8)
    check("box: %d events" % out["event_count"], out["event_count"] <= 60)
    check("box: overlap %g" % out["max_penetration"], out["max_penetration"] < 1e-8)


def an_impact_is_not_late_because_a_loop_has_no_solution_for_some_lengths():
    """Bodies that fall, and a closed loop of links that has nothing to do with them, near a position where it is flat."""
    out = run_json("run", REDUCED / "late_impact.json", "--quiet")
    check_work("loop", out, 400, 1200)
    check("loop: overlap %g" % out["max_penetration"], out["max_penetration"] < 1e-12)
    finer = run_json("run", REDUCED / "late_impact.json", "--quiet", "--step", "0.0025")
    late = [abs(a["t"] - b["t"]) for a, b in zip(out["events"], finer["events"])]
    check("loop: as many events with a shorter step", out["event_count"] == finer["event_count"] and out["event_count"] > 0)
    check("loop: at the same times: %s" % late, max(late) < 1e-6)


def a_four_bar_passes_its_flat_position():
    out = run_json("run", REDUCED / "dead_centre.json", "--quiet")
    check_work("four-bar", out, 500, 1200)
    check("four-bar: joint error %g" % out["max_joint_error"], out["max_joint_error"] < 1e-10)


def a_budget_is_kept_by_every_step():
    """Where a step may cost 100 evaluations, Newton's method ends soon after; steps that are not handed over take a few each."""
    out = run_json("run", REDUCED / "landing_box.json", "--quiet", "--set", "scheme.max_evaluations=100")
    handed = out["remarks"].get("handed", {}).get("steps", 0)
    check("budget: %s" % out["remarks"], 0 < handed < 5)
    check("budget: %d Newton iterations in %d steps" % (out["newton"], out["steps"]), out["newton"] < 120 * handed + 5 * out["steps"])


corners_of_a_box_that_lands_strike_one_after_the_other()
an_impact_is_not_late_because_a_loop_has_no_solution_for_some_lengths()
a_four_bar_passes_its_flat_position()
a_budget_is_kept_by_every_step()
finish()
