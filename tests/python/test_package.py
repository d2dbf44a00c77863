#!/usr/bin/env python3
"""The Python package: scenes, steps, inputs, readings, results, errors, threads, memory."""
import gc
import resource
import threading

import numpy as np
from package import ROOT, SANITIZED, TEMP, check, finish, raises, slipstick, write
from slipstick import Result, Scene, Simulation

DISCS = {
    "slipstick": 1, "dimension": 2, "gravity": [0, -9.81], "time": {"until": 1, "step": 0.01},
    "materials": [{"name": "wood", "mu": 0.3, "e": 0}, {"name": "stone", "mu": 0.3, "e": 0}],
    "bodies": [{"name": "floor", "type": "fixed", "shapes": [{"type": "half_space", "normal": [0, 1], "material": "stone"}]},
               {"name": "disc", "type": "rigid", "mass": 2, "inertia": 0.01, "position": [0, 0.1],
                "shapes": [{"type": "disk", "radius": 0.1, "material": "wood"}]},
               {"name": "bob", "type": "rigid", "mass": 1, "inertia": 0.01, "position": [3, 2]}],
    "joints": [{"name": "hinge", "type": "revolute", "bodies": ["world", "bob"], "at": [3, 3], "motor": {"force": "0"}}],
    "forces": [{"name": "push", "type": "constant", "body": "disc", "force": [0, 0]}]}


# ---- scenes and steps -----------------------------------------------------------------------------------

path = write("discs.json", DISCS)
check("the version is that of the library", slipstick.__version__.count(".") == 2)
scene = Scene(DISCS)
check("a scene is as the library has understood it", scene.to_dict()["bodies"][1]["name"] == "disc")
check("values replace those of the source", Scene(path, {"gravity": [0, -1]}).to_dict()["gravity"] == [0, -1])
check("a scene can be made of a scene", Scene(scene, ["materials.wood.mu=0.7"]).to_dict()["materials"][0]["mu"] == 0.7)
raises("a wrong key", slipstick.InputError, "did you mean", Scene, dict(DISCS, gravitty=[0, 1]))
raises("a missing file", slipstick.SlipstickError, "nowhere.json", Scene, "nowhere.json")
raises("what is no JSON", slipstick.InputError, "can be written as JSON", Scene, {"slipstick": {1, 2}})

a, b = Simulation(path), Simulation(DISCS, scheme="moreau", step=0.005)
check("a file and a dictionary give the same scene", a.bodies == b.bodies == ["floor", "disc", "bob"] and a.joints == ["hinge"])
check("coordinates have names", a.q_names == ["disc.x", "disc.y", "disc.angle", "bob.x", "bob.y", "bob.angle"] and a.v_names[1] == "disc.vy")
check("options reach the library", b.scheme == "moreau" and b.step_size == 0.005)
raises("an unknown scheme", slipstick.InputError, "did you mean \"moreau\"", Simulation, DISCS, scheme="moreo")
raises("an overlap", slipstick.InputError, "overlap", Simulation, DISCS, set={"bodies.disc.position": [0, 0.05]})

with Simulation(DISCS) as sim:
    q, v = sim.q, sim.v
    sim.step()
    sim.step(0.004)
    check("the time is the sum of the steps", abs(sim.t - 0.014) < 1e-15)
    sim.advance(0.05)
    check("views show the present state", q is sim.q and q[3] > 3 - 1e-9 and sim.last_step.t == sim.t == 0.05)
    raises("views cannot be written", ValueError, "read-only", q.__setitem__, 0, 1)
    check("parts of the state", list(sim.body_q("disc")) == list(q[:3]) and len(sim.body_v("floor")) == 0)
    check("a disc at rest does not move", abs(sim.q[1] - 0.1) < 1e-12 and sim.summary.unconverged_steps == 0)
kept = q[1]
del sim
gc.collect()
check("a view keeps its memory alive", q[1] == kept)

# ---- inputs ---------------------------------------------------------------------------------------------

sim = Simulation(DISCS)
sim.set_wrench("disc", (4, 0))
sim.set_wrench("disc", (4, 0), 0)
sim.set_motor("hinge", 1.5)
sim.set_pair("wood", "stone", mu=0)
sim.step(0.001)
check("a wrench accelerates: v = F h / m", abs(sim.body_v("disc")[0] - 4 * 0.001 / 2) < 1e-14)
check("a motor turns: w = tau h / (I + m l^2)", abs(sim.joint("hinge")[1] - 1.5 * 0.001 / 1.01) < 1e-12)
force, torque = sim.net_wrench("disc")
check("the net wrench is the force that acts", np.allclose(force, [4, 0, 0], atol=1e-9) and np.allclose(torque, 0, atol=1e-9))
sim.set_wrench("disc")
sim.set_force("push", (-4, 0))
sim.step(0.001)
check("a force of the scene takes its value back", abs(sim.body_v("disc")[0]) < 1e-14)
check("its work is in the ledger", sim.ledger.applied > 0)
sim.set_state(q=[0, 0.3, 0, 3, 2, 0], v=np.zeros(6))
check("the state can be set", sim.body_q("disc")[1] == 0.3 and sim.ledger.state_set > 0)

# ---- readings -------------------------------------------------------------------------------------------

rest = Simulation(DISCS)
rest.advance(0.1)
contacts = rest.contacts()
check("the contact carries the weight", contacts.force.shape == (1, 3) and abs(contacts.force[0, 0] - 2 * 9.81) < 1e-8)
check("its bodies are the floor and the disc", sorted(contacts.bodies[0]) == [0, 1] and contacts.tangent.shape == (1, 2, 3))
check("views of contacts are the same numbers", np.array_equal(rest.contacts(copy=False).point, contacts.point))
check("gaps within reach", len(rest.gaps(0.5).gap) == 1 and np.all(rest.gaps(0.5).force == 0))
check("the reaction of the hinge carries the bob", abs(rest.reaction("hinge")["force_y"] - 9.81) < 1e-6)
M, k, J = rest.mass_matrix(), rest.forces(), rest.point_jacobian("bob", (0, 1))
check("M is the masses", np.array_equal(M, np.diag([2, 2, 0.01, 1, 1, 0.01])))
check("k is the weight", np.allclose(k, [0, -2 * 9.81, 0, 0, -9.81, 0], atol=1e-12))
check("a point above the centre moves against a turn", np.allclose(J[:3, 3:], [[1, 0, -1], [0, 1, 0], [0, 0, 0]]))
check("the hinge holds that point", np.allclose(np.abs(rest.joint_jacobian()[:, 3:]), np.abs(J[:2, 3:])))
position, orientation, angle = rest.pose("bob")
check("the pose of a body", np.allclose(position, [3, 2, 0]) and abs(orientation[0] - 1) < 1e-9 and abs(angle) < 1e-9)
check("summary and ledger are dictionaries, too", rest.summary.as_dict()["steps"] == 10 and "applied" in repr(rest.ledger))
check("there is nothing to warn of", rest.warnings == [])

# ---- callbacks, results, checkpoints ----------------------------------------------------------------------

times, events = [], []
sim = Simulation(DISCS, set={"bodies.disc.position": [0, 0.2]})
sim.control(lambda s: (times.append(s.t), s.set_motor("hinge", s.joint("hinge")[0])), period=0.05)
sim.observe(on_event=lambda s, event: events.append(event["kind"]))
sim.record(TEMP / "out.h5")
sim.record(TEMP / "out.csv", every=0.1)
sim.advance(0.3)
saved = sim.save()
sim.write_checkpoint(TEMP / "state.ckpt")
check("the controller is called at its times", np.allclose(times, 0.05 * np.arange(6)))
sim.advance(0.4)
end = sim.q.copy()
sim.close()
sim.close()
with Result(TEMP / "out.h5") as result, Result(TEMP / "out.csv") as table:
    check("the result has every step", len(result) == 41 and result.t[-1] == 0.4 and result.q.shape == (41, 6))
    check("columns by name", np.array_equal(result["disc.y"], result.q[:, 1]) and result.unit("disc.y") == "m")
    check("the last state is the one that was there", np.array_equal(result.q[-1], end) and result.v.shape == (41, 6))
    check("columns have the names of the coordinates", set(a.q_names + a.v_names) <= set(result.columns))
    check("a table has its rows", len(table) == 5 and "disc.x" in table.columns)
    raises("an unknown column", slipstick.InputError, "no column is called", result.__getitem__, "disk.y")
raises("a result that is closed", slipstick.InputError, "closed", len, result)
for way in ("restore", "read_checkpoint"):
    with Simulation(DISCS, set={"bodies.disc.position": [0, 0.2]}) as again:
        again.control(lambda s: s.set_motor("hinge", s.joint("hinge")[0]), period=0.05)
        getattr(again, way)(saved if way == "restore" else TEMP / "state.ckpt")
        again.advance(0.4)
        check(f"after {way} a run goes on with the same bits", np.array_equal(again.q, end))

# ---- errors ---------------------------------------------------------------------------------------------

raises("a wrong name", slipstick.InputError, "no body is called \"disk\"; the nearest is \"disc\"", rest.set_wrench, "disk", (1, 0))
raises("a wrong joint", slipstick.InputError, "the nearest is \"hinge\"", rest.joint, "hing")
raises("a wrong number", slipstick.InputError, "body 7", rest.set_wrench, 7, (1, 0))
for number in (3, -1, 10**7, 2**32):
    for read in (rest.body_q, rest.body_v, rest.pose, rest.net_wrench, rest.point_jacobian, rest.set_wrench):
        raises(f"{read.__name__} of a body that is not there", slipstick.InputError, f"body {number}: expected a number from 0 to 2",
               read, number)
    for read in (rest.joint, rest.reaction):
        raises("a joint that is not there", slipstick.InputError, f"joint {number}: expected a number from 0 to 0", read, number)
    raises("a force that is not there", slipstick.InputError, f"force {number}: expected", rest.set_force, number, (1, 0))
    raises("a material that is not there", slipstick.InputError, f"material {number}: expected", rest.set_pair, 0, number, 0.1)
raises("a number with a fraction", slipstick.InputError, "body: expected a name or a number, got 1.5", rest.pose, 1.5)
check("a number of NumPy", np.array_equal(rest.body_q(np.int64(2)), rest.q[3:6]) and len(rest.body_q(0)) == 0)
for short in ((), (1,), 1.0, "ab", (1, "b")):
    raises(f"a force {short!r}", slipstick.InputError, "force: expected 2 or 3 numbers", rest.set_wrench, "disc", short)
raises("a wrong size", slipstick.InputError, "expected 6 numbers, got an array of shape (2,)", rest.set_state, [0, 1])
raises("a force of four numbers", slipstick.InputError, "force: expected 2 or 3 numbers", rest.set_wrench, "disc", (1, 2, 3, 4))
raises("no numbers", slipstick.InputError, "v: expected 6 numbers", rest.set_state, None, "fast")
raises("NaN", slipstick.InputError, "q[1] is nan", rest.set_state, [0, np.nan, 0, 0, 0, 0])
rest.set_pair_moments("wood", "stone", rolling=0)
check("moments of a pair", rest.pair_moments("wood", "stone") == (0, 0))
raises("NaN as a moment", slipstick.InputError, "rolling: expected a number, got nan", rest.set_pair_moments, "wood", "stone", np.nan)
raises("NaN as a law", slipstick.InputError, "mu: expected a number, got nan", rest.set_pair, "wood", "stone", np.nan)
raises("a step of no length", slipstick.InputError, "step: expected a number > 0", rest.step, 0)
raises("a foreign checkpoint", slipstick.InputError, "not a checkpoint", rest.restore, b"x" * 500)
raises("a closed simulation steps", slipstick.InputError, "the simulation is closed", sim.step)
raises("a closed simulation is read", slipstick.InputError, "the simulation is closed", lambda: sim.t)


def fail(_):
    raise KeyError("from the controller")


rest.control(fail, period=0.01)
before = rest.t
raises("an exception of the controller comes out", KeyError, "from the controller", rest.advance, 1)
check("and the state is that of the last step", rest.t == before)
rest.control(lambda s: s.step(), period=0.01)
raises("a controller that steps", slipstick.BusyError, "the simulation is busy", rest.advance, 1)
rest.control(lambda s: s.close(), period=0.01)
raises("a controller that closes", slipstick.BusyError, "the simulation is busy", rest.advance, 1)
rest.control(lambda s: s.interrupt(), period=0.01)
raises("an interrupt", slipstick.Interrupted, "interrupted", rest.advance, 1)
rest.control(None)
rest.interrupt()
raises("an interrupt before a step", slipstick.Interrupted, "interrupted", rest.step)
rest.step()
check("an interrupt ends one step, not the next", rest.last_step.t == rest.t)
raises("a period that is too short", slipstick.InputError, "too short", rest.control, fail, 1e-17)

# what is refused in a callback has changed nothing
called = []
rest.observe(on_step=lambda s: called.append("old"))
rest.control(lambda s: s.observe(on_step=lambda s: called.append("new")))
raises("a callback that observes", slipstick.BusyError, "the simulation is busy", rest.step)
rest.control(lambda s: s.record(TEMP / "refused.csv"))
raises("a callback that records", slipstick.BusyError, "the simulation is busy", rest.step)
rest.control(None)
rest.step()
check("the old callback is called and nothing is recorded", called == ["old"] and not (TEMP / "refused.csv").exists())
rest.observe()
rest.advance(rest.t + 0.02)
check("after all of this it goes on", rest.summary.unconverged_steps == 0 and rest.t > before)

# ---- threads: the lock is released in steps, a second thread is refused ----------------------------------------

seen = []


def intrude(simulation):
    """From a thread of its own, while the simulation waits in its controller."""
    def work():
        try:
            simulation.step()
        except slipstick.BusyError as problem:
            seen.append(str(problem))
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


rest.control(intrude)
rest.step()
check("a second thread is refused", len(seen) == 1 and "busy" in seen[0])
rest.control(None)
others = [Simulation(DISCS) for _ in range(4)]
threads = [threading.Thread(target=one.advance, args=(0.3,)) for one in others]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
check("simulations on threads of their own agree", all(np.array_equal(one.q, others[0].q) and one.t == 0.3 for one in others))

# ---- memory ----------------------------------------------------------------------------------------------


def make_and_drop(count):
    for _ in range(count):
        with Simulation(scene) as one:
            one.control(lambda s: None)
            one.step()
    gc.collect()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


if not SANITIZED:  # which keeps freed memory for a while
    first, last = make_and_drop(300), make_and_drop(1200)
    check(f"simulations that are dropped leave nothing behind: {first} kB, then {last} kB", last - first < 2000)

finish()
