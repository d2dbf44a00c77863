#!/usr/bin/env python3
"""event_capturing_rk: orders through impacts, joints and friction; events at their times; what a tolerance buys."""
import json
import math

import h5py
import numpy

from common import ROOT, TEMP, check, finish, run_json, write

ACA09 = ROOT / "papers" / "aca09"
SCHEME = "event_capturing_rk"
ORDER = {"radau_iia_3": 3, "radau_iia_5": 5, "lobatto_iiia_2": 2, "lobatto_iiia_4": 4, "lobatto_iiia_6": 6,
         "half_explicit_heun_2": 2, "half_explicit_heun_3": 3, "half_explicit_kutta_4": 4, "half_explicit_dormand_prince_5": 5}


def converge(scene, method, *words):
    value = run_json("converge", scene, "--scheme", SCHEME, "--set", "scheme.method=%s" % method, *words)
    return value["schemes"][0]


def events(scene, *words):
    """The run, and its events as (t, kind, contact) by their time."""
    value = run_json("run", scene, "--scheme", SCHEME, *words)
    return value, [(event["t"], event["kind"], event["contact"]) for event in value["events"]]


def times(found, *kinds):
    """When events of these kinds happened; those of one instant count once."""
    out = []
    for t, kind, _ in found:
        if kind in kinds and not (out and t - out[-1] < 1e-9):
            out.append(t)
    return out


def root(f, low, high):
    """Where f changes its sign, to the last digit."""
    rising = f(high) > 0
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if (f(middle) > 0) == rising else (middle, high)
    return high


# ---- orders ---------------------------------------------------------------------------------------

def orders_hold(scene, steps, *words):
    """Orders fitted over the steps, which are given by the order of the method."""
    for method, order in ORDER.items():
        result = converge(scene, method, "--steps", steps[order], "--norm", "l1", *words)
        errors = ["%.2e" % row["error"] for row in result["rows"]]
        good = result["order"] > 5.4 if order == 6 else abs(result["order"] - order) < 0.25
        check("%s, %s: order %.3f is %d; %s" % (scene.name, method, result["order"], order, errors), good)


def orders_through_impacts():
    orders_hold(ACA09 / "oscillator.json", dict.fromkeys(range(2, 7), "5/27:5/216"))


def orders_with_a_joint():
    orders_hold(ACA09 / "pendulum_stop.json", dict.fromkeys(range(2, 7), "5/54:5/432"))


def orders_with_sliding_and_sticking():
    """Where forces depend on time alone a method is the quadrature of its weights. With a spring and a damper it is more than
    that; there the reference is a run of order 6."""
    steps = {2: "5/103:5/824", 3: "5/54:5/432", 4: "5/103:5/824", 5: "5/27:5/216", 6: "5/16:5/128"}
    orders_hold(ACA09 / "sliding_block.json", steps)
    scene = json.loads((ACA09 / "sliding_block.json").read_text())
    scene["forces"].append({"type": "spring_damper", "bodies": ["world", "box"], "anchors": [[-7, 0.1], [0, 0]],
                            "stiffness": 30, "damping": 1, "length": 10})
    scene["forces"][0].update(force=[16, 0], omega=2)
    scene["scheme"] = {"name": SCHEME, "method": "lobatto_iiia_6"}
    del scene["exact"]
    path, fine = write("sprung_block.json", scene), TEMP / "sprung_block.h5"
    value = run_json("run", path, "--step", "5/3456", "-o", fine)
    kinds = [event["kind"] for event in value["events"]]
    check("it slips and sticks: %s" % kinds, kinds.count("stick") >= 4 and kinds.count("slip") >= 4)
    orders_hold(path, dict.fromkeys(range(2, 7), "5/54:5/432"), "--reference", fine)


# ---- events at their times -------------------------------------------------------------------------

def stick_and_slip_come_at_their_times():
    """8 cos t against mu g = 7.848: the box slips at once, stops, sticks until the force has turned, slips back, stops."""
    mu_g = 0.8 * 9.81
    stop = root(lambda t: 8 * math.sin(t) - mu_g * t, 0.1, 1)
    slip = math.acos(-mu_g / 8)
    back = root(lambda t: 8 * (math.sin(t) - math.sin(slip)) + mu_g * (t - slip), slip + 0.1, 5)
    for method in ("radau_iia_5", "half_explicit_dormand_prince_5"):
        value, found = events(ACA09 / "sliding_block.json", "--step", "5/54", "--set", "scheme.method=%s" % method)
        sticks, slips = times(found, "stick"), [t for t in times(found, "slip") if t > 0]
        check("%s: sticks at %.9f, %.9f: %s" % (method, stop, back, sticks),
              len(sticks) == 2 and abs(sticks[0] - stop) < 1e-7 and abs(sticks[1] - back) < 1e-7)
        check("%s: slips at %.9f: %s" % (method, slip, slips), len(slips) == 1 and abs(slips[0] - slip) < 1e-7)
        check("%s: nothing else" % method, {kind for _, kind, _ in found} == {"stick", "slip"})
        check("%s: every step is certified" % method, value["unconverged_steps"] == 0 and value["max_residual"] < 1e-10)


def a_contact_opens_where_its_force_ends():
    """The table's acceleration 20 cos 10 t reaches -g = -10 at pi/15 and 4 pi/15; in between the mass flies and lands."""
    leaves, again = math.pi / 15, 4 * math.pi / 15
    lands = root(lambda t: 0.2 * (1 - math.cos(10 * t)) - 0.3 - math.sqrt(3) * (t - leaves) + 5 * (t - leaves) ** 2, 0.5, 0.8)
    value, found = events(ACA09 / "shaking_table.json", "--step", "1/64", "--set", "scheme.method=radau_iia_5")
    off, impacts = times(found, "takeoff"), times(found, "impact")
    check("it leaves at %.9f, %.9f: %s" % (leaves, again, off),
          len(off) == 2 and abs(off[0] - leaves) < 1e-7 and abs(off[1] - again) < 1e-7)
    check("it lands at %.9f: %s" % (lands, impacts), len(impacts) == 1 and abs(impacts[0] - lands) < 1e-7)
    flight = 1 - again
    y = 0.3 + 2 * math.sin(10 * again) * flight - 5 * flight ** 2
    check("and flies on: y = %.9f is %.9f" % (value["q"][1], y), abs(value["q"][1] - y) < 1e-7)


def impacts_accumulate_and_end():
    """The ball's flights are parabolas, which every method integrates without error: impacts at 1, 2, 2.5, 2.75 .. 3."""
    value, found = events(ACA09 / "ball.json", "--step", "5/27", "--set", "scheme.method=radau_iia_3")
    impacts, closed = times(found, "impact"), times(found, "accumulation")
    check("impacts at 3 - 2^(1 - n): %s" % impacts[:8],
          len(impacts) >= 8 and all(abs(t - 3 + 2.0 ** (1 - n)) < 1e-9 for n, t in enumerate(impacts[:8])))
    check("one accumulation, near 3: %s" % closed, len(closed) == 1 and abs(closed[0] - 3) < 1e-2)
    check("then it lies still", abs(value["q"][1]) < 1e-9 and value["v"][1] == 0)


def a_painleve_configuration_is_handed_on():
    """A rod that slides where rigid friction has no acceleration: an impulse stops the slip, v jumps as in AP97."""
    limit = (-0.851302115, 0.276604824608, 0.895112015337)
    value, found = events(ROOT / "papers" / "ap97" / "painleve_rod.json", "--step", "1e-6")
    check("a painleve event at once: %s" % found, any(kind == "painleve" and t <= 1e-6 for t, kind, _ in found))
    check("the velocity of the limit: %s" % value["v"], all(abs(a - b) < 2e-5 for a, b in zip(value["v"], limit)))
    falls = ROOT / "papers" / "ani06" / "painleve_rod.json"
    value, found = events(falls, "--step", "1/200")
    check("reported once: %s" % found, len(times(found, "painleve")) == 1)
    for scheme in ("moreau", "anitescu_potra"):
        other = run_json("run", falls, "--scheme", scheme, "--step", "1e-5")
        off = max(abs(a - b) for a, b in zip(value["q"], other["q"]))
        check("what follows agrees with %s to %.1e" % (scheme, off), off < 1e-4)


# ---- many contacts at once, joints -----------------------------------------------------------------

OPEN, STICK, SLIP = range(3)
NAME_OF = {(OPEN, SLIP): "impact", (OPEN, STICK): "impact", (SLIP, STICK): "stick", (STICK, SLIP): "slip",
           (SLIP, OPEN): "takeoff", (STICK, OPEN): "takeoff"}


def states_of_contacts(path, at_rest):
    """By contact, its state after every step of a run in 2D with fixed ground: open without force, else stick or slip by the
    velocity of its point."""
    with h5py.File(path) as file:
        t, q, v, first = (file[key][:] for key in ("time", "q", "v", "contacts/offset"))
        name, body, force, point = (file["contacts/" + key][:] for key in ("name", "bodies", "force", "point"))
        names = [text.decode() for text in file["contacts/names"][:]]
    state = numpy.zeros((len(names), len(t)), dtype=int)
    for k in range(len(t)):
        for c in range(first[k], first[k + 1]):
            b = 3 * body[c][0]
            slip = v[k][b] - v[k][b + 2] * (point[c][1] - q[k][b + 1])
            state[name[c]][k] = OPEN if force[c][0] <= 0 else SLIP if abs(slip) > at_rest else STICK
    return t, dict(zip(names, state))


def events_of_moreau(path, at_rest=1e-3, steps=5):
    """moreau reports no events: a change of state that lasts for some steps is one."""
    t, states = states_of_contacts(path, at_rest)
    out = []
    for contact, state in states.items():
        now = state[0]
        for k in range(1, len(t) - steps):
            if state[k] != now and (state[k:k + steps] == state[k]).all():
                out.append((t[k], NAME_OF[now, state[k]], contact))
                now = state[k]
    return sorted(out)


def instants(found, apart=2e-3):
    """[(t, {(kind, contact), ..}), ..]: events of one instant have no order."""
    out = []
    for t, kind, contact in found:
        if not out or t - out[-1][0] > apart:
            out.append((t, set()))
        out[-1][1].add((kind, contact))
    return out


# by an event-driven integration that shares nothing with slipstick (Kutta's method, bisection, steps of 2.5e-4 and 5e-4 s)
WALKER = [(0.03613968892, {"impact"}), (0.06813356168, {"impact"}), (0.07701860166, {"impact"}), (0.18277149780, {"stick"}),
          (0.28337787831, {"takeoff"}), (0.45295273320, {"slip"}), (0.54056104033, {"takeoff"}), (0.60977194736, {"takeoff"})]
WALKER_Q = [0.43054280298, 0.22360242610, 0.1347638477, 0.57150246469, 0.17999073002, -1.030055238, 0.33048660092, 0.51972583740,
            0.29287359799]


def a_walkers_foot_goes_through_its_events():
    """Three frictional contacts at once, two joints: strikes of heel, ball and tip, slip, stick, heel-off, slip, take-off."""
    scene, fine = ACA09 / "walker_foot.json", TEMP / "walker.h5"
    law = run_json("run", scene, "--step", "2.5e-5", "-o", fine)
    expected = instants(events_of_moreau(fine), apart=1e-3)
    check("moreau has eight instants: %s" % expected, len(expected) == 8)
    value, found = events(scene, "--step", "1/200", "--set", "scheme.method=radau_iia_5")
    order = instants(found, apart=1e-6)
    check("the same events in the same order: %s" % order, [e for _, e in order] == [e for _, e in expected])
    # a slip is told from the velocity, which grows from zero: late by the time it takes to 1e-3 m/s
    off = [abs(a[0] - b[0]) for a, b in zip(order, expected)]
    check("at the same times: %s" % off, all(d < (1e-2 if b[0] == "slip" else 3e-4)
                                             for d, (_, e) in zip(off, expected) for b in e))
    off = max(abs(a - b) for a, b in zip(value["q"], law["q"]))
    check("the final state is moreau's to %.1e" % off, off < 1e-3)  # radians of the toe, 1e-4 m elsewhere
    for (t, kinds), (exact, kind) in zip(order, WALKER):
        check("%s at %.10f, %.10f" % (kind, t, exact), {k for k, _ in kinds} == kind and abs(t - exact) < 1e-7)
    coarse, _ = events(scene, "--step", "1/100", "--set", "scheme.method=radau_iia_5")
    errors = [max(abs(a - b) for a, b in zip(one["q"], WALKER_Q)) for one in (coarse, value)]
    check("order 5 through all of them: %s" % errors, errors[1] < 4e-6 and 4.7 < math.log2(errors[0] / errors[1]) < 5.4)
    check("every step is certified", value["unconverged_steps"] == 0)


def a_stool_slides_and_stops_in_space():
    """Slip has a direction there, and none at its end."""
    scene = ACA09 / "stool.json"
    law = run_json("run", scene, "--step", "1e-4")
    for method in ("radau_iia_5", "half_explicit_kutta_4"):
        value, found = events(scene, "--step", "1/200", "--set", "scheme.method=%s" % method)
        check("%s: three strikes: %s" % (method, found), len(times(found, "impact")) == 3)
        stops = times(found, "stick")
        check("%s: it stops with all legs at once: %s" % (method, found), len(stops) == 1 and abs(stops[0] - 0.3463) < 3e-4)
        off = max(abs(a - b) for a, b in zip(value["q"], law["q"]))
        check("%s: the final state is moreau's to %.1e" % (method, off), off < 1e-4)


def a_run_in_two_parts_has_the_same_bits():
    """The scheme carries nothing from step to step but the state."""
    scene, saved = ACA09 / "walker_foot.json", TEMP / "walker.ck"
    words = ("run", scene, "--scheme", SCHEME, "--step", "1/200")
    straight = run_json(*words)
    run_json(*words, "--until", "0.35", "--checkpoint", saved)
    rest = run_json(*words, "--restart", saved)
    check("q and v", (rest["q"], rest["v"]) == (straight["q"], straight["v"]))
    check("the events after it", rest["events"] == [event for event in straight["events"] if event["t"] > 0.35])


# ---- tolerances --------------------------------------------------------------------------------------

def evaluations_at(rows, error):
    """The least number of multiplier evaluations that gave that error or a smaller one."""
    return min((row["multiplier_evals"] for row in rows if row["error"] <= error), default=math.inf)


def a_tolerance_saves_work():
    """The schemes of order 1 pay as much for a digit as for all before it; their work at 1e-4 follows from coarser steps."""
    scene = ACA09 / "oscillator.json"
    known = {entry["name"] for entry in run_json("list", "schemes")}
    fixed = math.inf
    for scheme in known & {"moreau", "moreau_projected", "schatzman_paoli", "anitescu_potra"}:
        result = run_json("converge", scene, "--scheme", scheme, "--steps", "5/4321,5/5003,5/6007", "--norm", "l1")["schemes"][0]
        fixed = min(fixed, min(row["multiplier_evals"] * row["error"] for row in result["rows"]) / 1e-4)
    for method in ("radau_iia_3", "radau_iia_5", "half_explicit_dormand_prince_5"):
        own = evaluations_at(converge(scene, method, "--tols", "1e-3,1e-4,1e-5,1e-6,1e-7", "--norm", "l1")["rows"], 1e-4)
        check("%s: %.0f by a tolerance, %.0f by fixed steps of order 1" % (method, own, fixed), 10 * own < fixed)


def errors_fall_with_the_tolerance_through_the_accumulation():
    """A weight on the spring of the oscillator: impacts accumulate, and no method is exact on the flights between them."""
    tols = "1e-3,1e-4,1e-5,1e-6,1e-7,1e-8"
    words = ("--set", "gravity=[0,-2]", "--set", "scheme.method=radau_iia_3")
    _, found = events(ACA09 / "oscillator.json", *words, "--tol", "1e-8")
    closed = times(found, "accumulation")
    check("one accumulation in the run: %s" % closed, len(closed) == 1 and 1 < closed[0] < 4)
    errors = [row["error"] for row in
              converge(ACA09 / "oscillator.json", "radau_iia_3", *words[:2], "--tols", tols, "--norm", "l1")["rows"]]
    check("errors %s" % errors, all(b < a / 1.5 for a, b in zip(errors, errors[1:])) and errors[-1] < 1e-3 * errors[0])
    errors = [row["error"] for row in converge(ACA09 / "ball.json", "radau_iia_3", "--tols", tols, "--norm", "l1")["rows"]]
    check("the ball's parabolas are exact at any tolerance: %s" % errors, max(errors) < 1e-9)


orders_through_impacts()
orders_with_a_joint()
orders_with_sliding_and_sticking()
stick_and_slip_come_at_their_times()
a_contact_opens_where_its_force_ends()
impacts_accumulate_and_end()
a_painleve_configuration_is_handed_on()
a_walkers_foot_goes_through_its_events()
a_stool_slides_and_stops_in_space()
a_run_in_two_parts_has_the_same_bits()
a_tolerance_saves_work()
errors_fall_with_the_tolerance_through_the_accumulation()
finish()
