#!/usr/bin/env python3
"""Driven bodies that a program moves, forces that it computes, contacts of a pair: from Python."""
import gc
import weakref

import numpy as np

from package import TEMP, check, finish, raises, slipstick
from slipstick import Result, Simulation

LIFT = {
    "slipstick": 1, "dimension": 2, "gravity": [0, -9.81], "time": {"until": 1, "step": 0.01},
    "materials": [{"name": "wood", "mu": 0.4}],
    "bodies": [
        {"name": "table", "type": "driven", "position": ["0", "0"],
         "shapes": [{"type": "box", "size": [2, 0.2], "material": "wood"}]},
        {"name": "box", "type": "rigid", "mass": 2, "inertia": 0.1, "position": [0, 0.2],
         "shapes": [{"type": "box", "size": [0.2, 0.2], "material": "wood"}]},
        {"name": "bob", "type": "particle", "mass": 0.5, "position": [5, 0]}],
    "forces": [{"name": "tie", "type": "callback", "bodies": ["world", "bob"], "anchors": [[5, 1], [0, 0]]}]}
STIFFNESS = 50.0


def pull(at):
    """A spring of length 0 to the anchor: force on the bob."""
    return np.concatenate([np.zeros(6), STIFFNESS * (at.position[0] - at.position[1]), np.zeros(3)])


def energy(at):
    return 0.5 * STIFFNESS * np.sum((at.position[1] - at.position[0])**2)


def slopes(_):
    by_x = np.zeros((12, 12))
    by_x[6:9, 0:3], by_x[6:9, 6:9] = STIFFNESS * np.eye(3), -STIFFNESS * np.eye(3)
    return by_x, np.zeros((12, 12))


def start(**options):
    sim = Simulation(LIFT, **options)
    sim.set_functions("tie", pull, energy, slopes)
    return sim


# ---- driven bodies ------------------------------------------------------------------------------------------

with start() as sim:
    sim.record(TEMP / "lift.h5")
    sim.advance(0.1)
    sim.set_motion("table", velocity=(0, 0.5))
    sim.advance(0.3)
    check("the table is where its speed has brought it", np.allclose(sim.pose("table")[0], [0, 0.1, 0], atol=1e-12))
    check("and the box on it", abs(sim.body_q("box")[1] - 0.3) < 1e-6 and abs(sim.body_v("box")[1] - 0.5) < 1e-6)
    check("the contacts of the pair carry the weight", abs(sim.contact_wrench("box", "table")[0][1] - 2 * 9.81) < 1e-6)
    check("and nothing else touches the table", np.allclose(sim.contact_wrench("table")[0], [0, -2 * 9.81, 0], atol=1e-6))
    sim.set_motion("table", velocity=(0, 0), rate=0, position=sim.pose("table")[0])
    check("a motion can be read", sim.motion("table").velocity[1] == 0 and sim.motion("table").as_dict()["rate"] == 0)
    raises("a jump", slipstick.InputError, "its motion jumps by 1 m", sim.set_motion, "table", position=(1, 0.1))
    raises("a body that is not driven", slipstick.InputError, "expected a driven body", sim.set_motion, "box", (1, 0))
    check("friction of a pair", sim.pair("wood", "wood") == (0.4, 0))
with Result(TEMP / "lift.h5") as result:
    check("results have the motion that was set", np.allclose(result["table.y"][-1], 0.1) and result["table.y"][10] == 0)

# ---- forces that the program computes --------------------------------------------------------------------------

for scheme in ("anitescu_potra", "moreau", "event_capturing_rk"):
    with start(scheme=scheme, step=0.001) as sim, Simulation(LIFT, scheme=scheme, step=0.001) as plain:
        plain.set_functions("tie", pull)
        sim.advance(0.2)
        plain.advance(0.2)
        # m y'' = -k (y - 1) - m g from rest: about the middle y0 = 1 - m g/k, with the frequency sqrt(k/m)
        middle = 1 - 0.5 * 9.81 / STIFFNESS
        exact = middle * (1 - np.cos(np.sqrt(STIFFNESS / 0.5) * 0.2))
        check(f"{scheme}: the bob swings: {sim.body_q('bob')[1]} for {exact}", abs(sim.body_q("bob")[1] - exact) < 0.02)
        check(f"{scheme}: differences do the same", np.allclose(sim.q, plain.q, atol=1e-8))
        check(f"{scheme}: with an energy it is a spring", sim.ledger.applied == 0 and sim.ledger.springs != 0)
        check(f"{scheme}: without one an applied force", abs(plain.ledger.applied - sim.ledger.springs) < 0.5)

with start() as sim:
    saved, before = sim.save(), sim.t

    def torn(_):
        raise KeyError("the rope is torn")

    sim.set_functions("tie", torn)
    raises("an exception of a function comes out", KeyError, "the rope is torn", sim.step)
    sim.set_functions("tie", lambda at: np.zeros(11))
    raises("numbers of a wrong shape", slipstick.InputError, "an array of shape (11,), expected (12,)", sim.step)
    sim.set_functions("tie", lambda at: np.full(12, np.nan))
    raises("a nan", slipstick.NumericError, "force tie: its function `wrench` gave nan", sim.step)
    sim.set_functions("tie", lambda at: sim.step())
    raises("a function that steps", slipstick.BusyError, "the simulation is busy", sim.step)
    sim.set_functions("tie", None)
    raises("a force without functions", slipstick.InputError, "no program has given it functions", sim.step)
    check("the state is that of the last step", sim.t == before)
    sim.set_functions("tie", pull, energy, slopes)
    sim.step()
    check("and the simulation goes on", sim.t > before and sim.last_step.certified)
    with Simulation(LIFT) as other:
        raises("a checkpoint of a force with functions", slipstick.InputError, "force tie had a callback", other.restore, saved)
        other.set_functions("tie", pull, energy, slopes)
        other.restore(saved)
        other.step()
        check("restarted with the same bits", np.array_equal(other.q, sim.q))

# ---- numbers of the scene, by their names --------------------------------------------------------------------------

SPRING = {"slipstick": 1, "dimension": 2, "gravity": [0, "-g"], "time": {"until": 1, "step": 0.001}, "scheme": {"name": "moreau"},
          "parameters": {"k": 100, "g": 9.81, "m": 2},
          "bodies": [{"name": "bob", "type": "particle", "mass": "m", "position": [0, "-1 - m*g/100"]}],
          "forces": [{"type": "spring", "bodies": ["world", "bob"], "stiffness": "k", "length": 1}]}
with Simulation(SPRING) as sim:
    sim.advance(0.2)
    check("the bob hangs at rest", abs(sim.v[1]) < 1e-12)
    sim.set_numbers({"forces[0].stiffness": 400})
    before = sim.q[1]
    sim.advance(0.2 + np.pi / np.sqrt(400 / 2))  # half a swing about the new place of rest, which is m g/k below 1 m
    check("a stiffer spring lifts it by twice what it has less to stretch",
          abs(sim.q[1] - before - 2 * 2 * 9.81 * (1 / 100 - 1 / 400)) < 1e-4)
    check("energy that came with it is accounted for", sim.ledger.state_set > 0 and sim.summary.unconverged_steps == 0)
    raises("a mass", slipstick.InputError, "numbers: the model differs in more", sim.set_numbers, {"bodies.bob.mass": 3})
    check("what is refused changes nothing", sim.mass_matrix()[0, 0] == 2)
with Simulation(dict(SPRING, bodies=[{"name": "bob", "type": "particle", "mass": 2, "position": [0, -1]}])) as sim:
    for value in (100, 50, 25):
        sim.set_numbers({"parameters.k": value})
        sim.set_state(q=[0, -1.5], v=[0, 0])
        check(f"the parameter is {value}", abs(sim.forces()[1] - value * 0.5 + 2 * 9.81) < 1e-12)
    sim.set_numbers(["parameters.g=0"])
    check("gravity is a parameter, too", abs(sim.forces()[1] - 12.5) < 1e-12)

# ---- what is no number, no function, no name ------------------------------------------------------------------------

with Simulation(SPRING) as sim:
    before = sim.save()
    for what, call, wrong in (("h", sim.step, "a"), ("until", sim.advance, None), ("reach", sim.gaps, "x"), ("t", sim.at, [1, 2])):
        raises(f"{what} = {wrong!r}", slipstick.InputError, f"{what}: expected a number, got {wrong!r}", call, wrong)
    for what, call in (("update", sim.control), ("on_step", sim.observe)):
        raises(f"{what} = 3", slipstick.InputError, f"{what}: expected a function, got 3", call, 3)
    raises("a period", slipstick.InputError, "period: expected a number, got 'x'", sim.control, print, "x")
    raises("a checkpoint", slipstick.InputError, "data: expected bytes that save() gave, got 'abc'", sim.restore, "abc")
    raises("a parameter that nobody has", slipstick.InputError, 'unknown name in the path: "kk"; did you mean "k"?', sim.set_numbers,
           {"parameters.kk": 1})
    check("what is refused changes nothing", sim.save() == before)
    sim.step()
with start() as sim:
    raises("functions", slipstick.InputError, "wrench: expected a function, got 3", sim.set_functions, "tie", 3)

# ---- memory: functions hold the simulation, and both are freed ----------------------------------------------------

alive = weakref.ref(start())
gc.collect()
check("a simulation with functions that is dropped is freed", alive() is None)

# ---- arrays that are not in one piece -----------------------------------------------------------------------------

with start() as sim, start() as twin:
    every_second, reversed_v = np.zeros(2 * sim.nq), -sim.v[::-1]
    every_second[::2] = sim.q
    every_second[1::2] = np.nan  # what lies between is not read
    sim.set_state(every_second[::2], reversed_v[::-1])
    twin.set_state(np.array(sim.q), np.array(reversed_v[::-1]))
    twin.set_functions("tie", lambda at: np.stack([pull(at), np.full(12, np.nan)], axis=1)[:, 0], energy,
                       lambda at: tuple(np.asfortranarray(x) for x in slopes(at)))
    sim.advance(0.1)
    twin.advance(0.1)
    check("strided and reversed arrays are what they show", np.array_equal(sim.q, twin.q) and np.array_equal(sim.v, twin.v))

finish()
