#!/usr/bin/env python3
"""Outputs from Python: by name, as arrays, in results; a controller that reads them."""
import numpy as np

from package import TEMP, check, finish, raises, slipstick
from slipstick import Result, Simulation

SCENE = {
    "slipstick": 1, "dimension": 2, "gravity": [0, -10], "time": {"until": 1, "step": 0.005},
    "bodies": [{"name": "crank", "mass": 3, "inertia": 1, "position": [1, 0]},
               {"name": "ball", "mass": 2, "inertia": 0.01, "position": [5, 0.1], "shapes": [{"type": "disk", "radius": 0.1}]},
               {"name": "floor", "type": "fixed", "shapes": [{"type": "half_space", "normal": [0, 1]}]}],
    "joints": [{"name": "axle", "type": "revolute", "bodies": ["world", "crank"], "at": [0, 0], "motor": {"force": 0}}],
    "outputs": [{"name": "tip", "type": "position", "body": "crank", "point": [1, 0]},
                {"name": "tip.turn", "type": "rate", "joint": "axle"},
                {"name": "scale", "type": "force_plate", "body": "floor"},
                {"name": "imu", "type": "accelerometer", "body": "ball"}]}
NAMES = ["tip.x", "tip.y", "tip.turn", "scale.force_x", "scale.force_y", "scale.point_x", "scale.point_y", "imu.ax", "imu.ay",
         "axle.angle", "axle.rate", "axle.motor.torque"]

with Simulation(SCENE) as sim:
    sim.record(TEMP / "outputs.h5")
    sim.record(TEMP / "outputs.csv")
    check(f"columns have names: {sim.output_names}", sim.output_names == NAMES)
    check("and units", [sim.output_unit(name) for name in ("tip.x", "scale.force_y", "imu.ay", "axle.rate")] == ["m", "N", "m/s^2", "rad/s"])
    kept = []

    def brake(running):
        """A torque against the turn, read and set every 10 ms."""
        running.set_motor("axle", -5 * running.output("axle.rate"))
        kept.append(running.output("tip"))

    sim.control(brake, 0.01)
    sim.advance(0.5)
    angle, rate = sim.joint("axle")
    check("a joint's angle and rate need no declaration", (sim.output("axle.angle"), sim.output("axle.rate")) == (angle, rate))
    check("an output of one column is a number", isinstance(sim.output("tip.turn"), float) and sim.output("tip.turn") == rate)
    check("one of several is an array", np.allclose(sim.output("tip"), [2 * np.cos(angle), 2 * np.sin(angle)], atol=1e-6))
    check("a part of it a number again", sim.output("tip.x") == sim.output("tip")[0])
    check("the ball stands on the scale", np.allclose(sim.output("scale"), [0, -20, 5, 0], atol=1e-9))
    check("and the accelerometer reads 1 g", np.allclose(sim.output("imu"), [0, 10], atol=1e-9))
    check("the motor's torque is what was set last", abs(sim.output("axle.motor.torque")) > 0.1)
    check("all at once", np.array_equal(sim.outputs(), [sim.output(name) for name in NAMES]))
    check("arrays are copies", len(kept) == 50 and not np.array_equal(kept[0], kept[-1]))
    raises("an unknown name", slipstick.InputError, 'the nearest is "axle.rate"', sim.output, "axle.rat")
    raises("an unknown unit", slipstick.InputError, "no output is called", sim.output_unit, "nothing at all")
    last, saved = sim.outputs(), sim.save()
with Simulation(SCENE) as other:
    other.restore(saved)
    check("a restored simulation reads the same", np.array_equal(other.outputs(), last))
    closed = other
raises("after the end", slipstick.InputError, "closed", closed.output, "tip.x")

with Result(TEMP / "outputs.h5") as result:
    check("a result has all of them as arrays", all(abs(result[name][-1] - last[k]) == 0 for k, name in enumerate(NAMES)))
    check("with their units", [result.unit(name) for name in ("tip.turn", "imu.ax", "axle.angle")] == ["rad/s", "m/s^2", "rad"])
    momentum = 2 * (result["ball.vy"][-1] - result["ball.vy"][0]) + 2 * 10 * result["t"][-1]
    check("impulses on the scale add up", abs(np.sum(result["scale.force_y"][1:] * np.diff(result["t"])) + momentum) < 1e-9)
with Result(TEMP / "outputs.csv") as result:
    check("a table has those of the scene", [name for name in result.columns if name in NAMES] == NAMES[:9])
    check("bit by bit", all(result[name][-1] == last[k] for k, name in enumerate(NAMES[:9])))

# rows between the ends of steps: a flywheel in space that turns at 20 rad/s, and a ball that flies
SPUN = {"slipstick": 1, "dimension": 3, "gravity": [0, 0, -10], "time": {"until": 1, "step": 0.01, "tol": 1e-4}, "scheme": {"name": "moreau"},
        "bodies": [{"name": "wheel", "mass": 1, "inertia": [0.1, 0.1, 0.2], "position": [0, 0, 0], "angular_velocity": [0, 0, 20]},
                   {"name": "ball", "mass": 1, "inertia": [0.1, 0.1, 0.1], "position": [5, 0, 0], "velocity": [1, 2, 3]}],
        "joints": [{"name": "axle", "type": "revolute", "bodies": ["world", "wheel"], "at": [0, 0, 0], "axis": [0, 0, 1]}],
        "outputs": [{"name": "flies", "type": "position", "body": "ball"}, {"name": "speed", "type": "velocity", "body": "ball"},
                    {"name": "felt", "type": "accelerometer", "body": "ball"}]}
with Simulation(SPUN) as sim:
    sim.record(TEMP / "spun.h5", every=0.013)
    sim.advance(1)
with Result(TEMP / "spun.h5") as result:
    t = result["t"]
    check("there are rows at their times", len(t) > 70 and np.allclose(t[:-1], 0.013 * np.arange(len(t) - 1)))
    check("outputs are those of the row", all(np.array_equal(result[f"flies.{k}"], result[f"ball.{k}"]) for k in "xyz")
          and np.array_equal(result["speed.vz"], result["ball.vz"]))
    check("a hinge counts its turns in between", np.allclose(result["axle.angle"], 20 * t, atol=1e-6) and np.allclose(result["axle.rate"], 20))
    check("in free fall nothing is felt", max(np.abs(result[f"felt.a{k}"]).max() for k in "xyz") < 1e-9)

wrong = dict(SCENE, outputs=[{"name": "turn", "type": "coordinate", "joint": "axel"}])
raises("a joint that is not there", slipstick.InputError, 'outputs.turn.joint: no joint is called "axel"; the nearest is "axle"', Simulation, wrong)

finish()
