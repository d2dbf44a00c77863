#!/usr/bin/env python3
"""Mechanisms with closed loops against their references: the N four-bar mechanism and Bricard's mechanism [IFToMM benchmarks A02
and A04] against equations of motion in their one coordinate, Andrews' squeezing mechanism against the numbers of the IVP test set.
Joint errors, redundant joints, positions in which all links lie in one line."""
import json
import math

from common import ROOT, TEMP, check, finish, run, run_json

ROUND_OFF = 1e-12  # of joint errors: lengths are about 1 m


def integrate(rates, state, until, steps):
    """The classical Runge-Kutta method."""
    h = until / steps
    for _ in range(steps):
        a = rates(state)
        b = rates([x + h / 2 * d for x, d in zip(state, a)])
        c = rates([x + h / 2 * d for x, d in zip(state, b)])
        d = rates([x + h * d for x, d in zip(state, c)])
        state = [x + h / 6 * (p + 2 * q + 2 * r + s) for x, p, q, r, s in zip(state, a, b, c, d)]
    return state


# ---- N four-bar mechanism ------------------------------------------------------------------------------------------


def four_bar_angle(loops, until):
    """Of the first crank from the vertical, clockwise, and its rate: a pendulum in an unstable start."""
    pull = ((loops + 1) / 2 + loops) * 9.81 / ((loops + 1) / 3 + loops)
    return integrate(lambda s: [s[1], pull * math.sin(s[0])], [0, 1], until, 4000)


def four_bar(loops, **changes):
    """The scene, with the angle of the cranks from the x axis and their rate changed."""
    scene = json.loads(run("generate", "four_bar", "--loops", loops).stdout)
    angle, rate = changes.get("angle", math.pi / 2), changes.get("rate", -1)
    c, s = math.cos(angle), math.sin(angle)
    for body in scene["bodies"]:
        arm, place = (0.5, 0) if body["name"].startswith("crank") else (1, 0.5)
        number = int(body["name"].lstrip("crankouple")) - 1
        body["position"] = [number + place + arm * c, arm * s]
        body["velocity"] = [-arm * s * rate, arm * c * rate]
        if place == 0:
            body.update(angle=angle, angular_velocity=rate)
    if "motor" in changes:
        scene["joints"][0]["motor"] = {"speed": changes["motor"]}
    path = TEMP / "four_bar.json"
    path.write_text(json.dumps(scene))
    return path


def crank_angle(result):
    return result["bodies"]["crank1"]["angle"]


def four_bar_error(loops, scheme, step, until):
    result = run_json("run", four_bar(loops), "--scheme", scheme, "--step", step, "--until", until)
    angle, rate = four_bar_angle(loops, until)
    first = result["bodies"]["crank1"]
    return result, max(abs(math.pi / 2 - first["angle"] - angle), abs(-first["angular_velocity"] - rate))


def forty_loops_pass_two_flat_positions_as_a_pendulum_does():
    # all rods lie in one line at t = 0.59 and 1.12 s
    for scheme, bound in (("galpha_ggl", 4e-3), ("moreau", 3e-3), ("event_capturing_rk", 1e-9)):
        result, error = four_bar_error(40, scheme, 0.008, 1.2)
        check("40 loops by %s: angle and rate are off by %.2g" % (scheme, error), error < bound)
        check("40 loops by %s: joints %.2g" % (scheme, result["max_joint_error"]), result["max_joint_error"] < ROUND_OFF)
        check("40 loops by %s: every step is certified" % scheme, result["unconverged_steps"] == 0)


def the_error_of_two_loops_falls_at_order_two():
    for scheme in ("galpha_ggl", "moreau", "schatzman_paoli", "trapezoidal"):
        errors = [four_bar_error(2, scheme, h, 1.2)[1] for h in (0.01, 0.005)]
        order = math.log2(errors[0] / errors[1])
        check("two loops by %s: errors %.2g, %.2g, order %.2f" % (scheme, *errors, order), 1.75 < order < 2.6)


def a_flat_start_is_left_without_drift():
    for rate in (0, 1):
        path = four_bar(3, angle=0, rate=rate)
        for scheme in ("galpha_ggl", "moreau"):
            result = run_json("run", path, "--scheme", scheme, "--step", 0.002, "--until", 0.3)
            label = "flat start at %g rad/s by %s" % (rate, scheme)
            check(label + " is certified", result["unconverged_steps"] == 0)
            check(label + ": joints %.2g" % result["max_joint_error"], result["max_joint_error"] < (ROUND_OFF if scheme == "galpha_ggl" else 1e-10))
            tilt = max(abs(b["angle"]) for name, b in result["bodies"].items() if name.startswith("coupler"))
            check(label + ": couplers keep their direction, %.2g" % tilt, tilt < 1e-9)


def a_motor_drives_loops_through_the_flat_position():
    """Steps end where all rods lie in one line, to round-off; the force that carries the other cranks grows without bound
    before."""
    path = four_bar(3, rate=-math.pi / 2, motor=-math.pi / 2)
    for scheme in ("galpha_ggl", "moreau"):
        result = run_json("run", path, "--scheme", scheme, "--step", 0.01, "--until", 1.2)
        check("driven through the flat position by %s, certified: %s" % (scheme, result["remarks"]), result["unconverged_steps"] == 0)
        check("and without drift: %.2g" % result["max_joint_error"], result["max_joint_error"] < ROUND_OFF)
        check("at the speed of the motor", abs(crank_angle(result) - (math.pi / 2 - 1.2 * math.pi / 2)) < 1e-9)


def loops_in_space_have_redundant_joints():
    path = TEMP / "space.json"
    run("generate", "four_bar", "--loops", 4, "--dimension", 3, "-o", path)
    angle, _ = four_bar_angle(4, 0.7)
    for scheme in ("galpha_ggl", "moreau"):
        result = run_json("run", path, "--scheme", scheme, "--step", 0.005, "--until", 0.7)
        height = 2 * result["bodies"]["crank1"]["position"][2]
        check("4 loops in space by %s: height off by %.2g" % (scheme, height - math.cos(angle)), abs(height - math.cos(angle)) < 1e-4)
        check("12 redundant rows, no drift: %.2g" % result["max_joint_error"], result["max_joint_error"] < ROUND_OFF)
        check("4 loops in space by %s, certified" % scheme, result["unconverged_steps"] == 0)


# ---- Andrews' squeezing mechanism -----------------------------------------------------------------------------------

# beta, Theta, gamma, Phi, delta, Omega, epsilon at t = 0.03 s [IVP test set]
ANGLES = (15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948, 0.5244099658805304, 0.5347301163226948,
          1.048080741042263)
RATES = (1139.920302151208, -1424.379294994111, 11.03291221937134, 19.29337464421385, 0.5735699284790808, -19.29337464421385,
         0.3231791658026955)


def squeezer_error(scheme, step):
    result = run_json("run", ROOT / "scenes" / "squeezer.json", "--scheme", scheme, "--step", step)
    errors = []
    for key, published, unit in (("angle", ANGLES, 1), ("angular_velocity", RATES, 1000)):
        of = [result["bodies"]["K%d" % k][key] for k in range(1, 8)]
        relative = (of[0], of[1] - of[0], of[2], of[3] - of[4], of[4], of[5] - of[6], of[6])
        errors += [abs(a - b) / unit for a, b in zip(relative, published)]
    check("squeezer by %s: certified, joints %.2g" % (scheme, result["max_joint_error"]),
          result["unconverged_steps"] == 0 and (scheme == "trapezoidal" or result["max_joint_error"] < ROUND_OFF))
    return max(errors)


def the_squeezer_ends_where_the_test_set_says():
    error = squeezer_error("event_capturing_rk", 1e-4)
    check("the squeezer by event_capturing_rk is off by %.2g" % error, error < 1e-6)
    for scheme in ("galpha_ggl", "moreau", "schatzman_paoli", "trapezoidal"):
        errors = [squeezer_error(scheme, h) for h in (1e-4, 5e-5)]
        order = math.log2(errors[0] / errors[1])
        check("the squeezer by %s: errors %.2g, %.2g" % (scheme, *errors), errors[1] < 5e-3 and 1.75 < order < 2.5)


# ---- Bricard's mechanism --------------------------------------------------------------------------------------------


def turned(axis, angle):
    c, s = math.cos(angle), math.sin(angle)
    return {"x": ((1, 0, 0), (0, c, -s), (0, s, c)), "y": ((c, 0, s), (0, 1, 0), (-s, 0, c)), "z": ((c, -s, 0), (s, c, 0), (0, 0, 1))}[axis]


def times(A, B):
    return [[sum(A[i][k] * B[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


def bricard_rods(a):
    """Centres and directions of the five rods and the end of the last. The hinges turn by a and b in turn, and the loop is closed
    where (1 + sin a)(1 + sin b) = 1."""
    b = math.asin(1 / (1 + math.sin(a)) - 1)
    R, end, centres, turns = ((1, 0, 0), (0, 1, 0), (0, 0, 1)), [0, 0, 0], [], []
    for along, axis, angle in zip(((1, 0, 0), (0, -1, 0), (0, 0, 1), (-1, 0, 0), (0, 1, 0)), "yzxyz", (a, b, a, b, a)):
        R = times(R, turned(axis, angle))
        rod = [sum(R[i][k] * along[k] for k in range(3)) for i in range(3)]
        centres.append([p + d / 2 for p, d in zip(end, rod)])
        turns.append([R, along])
        end = [p + d for p, d in zip(end, rod)]
    return centres, turns, end


def bricard_inertia(a):
    """M(a) of the energy M(a) (da/dt)^2 / 2: differences in a, of order 2."""
    d = 1e-5
    left, right = bricard_rods(a - d), bricard_rods(a + d)
    here, sum_ = bricard_rods(a), 0
    for k in range(5):
        sum_ += sum(((p - q) / (2 * d)) ** 2 for p, q in zip(right[0][k], left[0][k]))
        rate = [[(p - q) / (2 * d) for p, q in zip(r, s)] for r, s in zip(right[1][k][0], left[1][k][0])]
        R, along = here[1][k]
        omega = times([[R[j][i] for j in range(3)] for i in range(3)], rate)
        omega = (omega[2][1], omega[0][2], omega[1][0])
        sum_ += sum((0.01 / 6 if u else 1.01 / 12) * w * w for w, u in zip(omega, along))
    return sum_


def bricard_rates(state):
    """M a'' + M' a'^2 / 2 + V' = 0"""
    a, rate = state
    d = 1e-4
    pull = 9.81 * (sum(c[1] for c in bricard_rods(a + d)[0]) - sum(c[1] for c in bricard_rods(a - d)[0])) / (2 * d)
    change = (bricard_inertia(a + d) - bricard_inertia(a - d)) / (2 * d)
    return [rate, -(pull + change * rate * rate / 2) / bricard_inertia(a)]


def bricards_mechanism_moves_as_its_one_coordinate_says():
    check("the loop is closed", max(abs(p - q) for p, q in zip(bricard_rods(0.4)[2], (0, 0, 1))) < 1e-14)
    until = 1.0
    centre = bricard_rods(integrate(bricard_rates, [0, 0], until, 100)[0])[0][2]
    for scheme, bound in (("event_capturing_rk", 1e-7), ("galpha_ggl", 3e-5), ("moreau", 3e-6), ("schatzman_paoli", 2e-5)):
        result = run_json("run", ROOT / "scenes" / "bricard.json", "--scheme", scheme, "--until", until, "--step", 0.005)
        error = max(abs(p - q) for p, q in zip(result["bodies"]["rod3"]["position"], centre))
        check("Bricard by %s: off by %.2g" % (scheme, error), error < bound)
        check("Bricard by %s: joints %.2g" % (scheme, result["max_joint_error"]), result["max_joint_error"] < ROUND_OFF)
        check("Bricard by %s: certified" % scheme, result["unconverged_steps"] == 0)
        change = result["energy"]["final"] - result["energy"]["initial"]
        check("Bricard by %s: energy changes by %.2g J of 9 J in motion" % (scheme, change), abs(change) < 2e-4)


forty_loops_pass_two_flat_positions_as_a_pendulum_does()
the_error_of_two_loops_falls_at_order_two()
a_flat_start_is_left_without_drift()
a_motor_drives_loops_through_the_flat_position()
loops_in_space_have_redundant_joints()
the_squeezer_ends_where_the_test_set_says()
bricards_mechanism_moves_as_its_one_coordinate_says()
finish()
