"""A leg that hops: a body on a telescopic leg, guided upright, with a foot that is not. In stance the leg is a spring, by the force of a
motor; while the body rises it pushes by so much more that the next apex is at the height that is wanted (Raibert's idea)."""
import sys

import numpy as np
import slipstick

MASS, FOOT, REST, STIFFNESS, STROKE, WANTED = 5.0, 0.3, 0.6, 4000.0, 0.1, 0.25  # kg, kg, m, N/m, m, m
SCENE = {
    "slipstick": 1, "dimension": 2, "gravity": [0, -9.81], "time": {"until": 6, "step": 0.0005}, "scheme": {"name": "moreau"},
    "materials": [{"name": "rubber", "mu": 0.8, "e": 0}],
    "bodies": [
        {"name": "ground", "type": "fixed", "shapes": [{"type": "half_space", "normal": [0, 1], "material": "rubber"}]},
        {"name": "body", "type": "rigid", "mass": MASS, "inertia": 0.1, "position": [0, 0.05 + REST + 0.1]},
        {"name": "foot", "type": "rigid", "mass": FOOT, "inertia": 0.001, "position": [0, 0.05 + 0.1],
         "shapes": [{"type": "disk", "radius": 0.05, "material": "rubber"}]}],
    "joints": [
        {"name": "guide", "type": "prismatic", "bodies": ["world", "body"], "at": [0, 0.75], "axis": [0, 1]},
        {"name": "leg", "type": "prismatic", "bodies": ["body", "foot"], "at": [0, 0.15], "axis": [0, -1], "limits": [-0.3, 0],
         "motor": {"force": "0"}}]}


class Hopper:
    """The controller: it is asked every millisecond."""

    def __init__(self):
        self.thrust, self.lost, self.top, self.left = 0.0, 0.0, 0.0, None
        self.apexes, self.flights = [], []

    def __call__(self, sim):
        height, speed = sim.body_q("body")[1] - 0.05 - REST, sim.body_v("body")[1]
        stance = sim.contact_wrench("foot", "ground")[0][1] > 0
        length = sim.joint("leg")[0]  # 0: at its limit; negative: pressed
        self.top = max(self.top, height)
        if stance and self.left is not None and sim.t - self.left > 0.05:  # it has landed
            self.apexes.append(self.top)
            self.flights.append(sim.t - self.left)
            lacks = WANTED - self.top
            self.lost += 0.3 * lacks  # what each hop loses is learnt
            self.thrust = MASS * 9.81 * (0.6 * lacks + self.lost) / STROKE  # energy over the way that it acts
            self.left, self.top = None, 0.0
        elif not stance and self.left is None and height > 0:
            self.left = sim.t
        push = STIFFNESS * -length + (self.thrust if speed > 0 else 0)
        sim.set_motor("leg", push if stance else 30.0)  # in the air the leg is held long


def hop(seconds=8.0, record=None):
    """Heights of the apexes, times of flight, and whether every step is certified. With a name it writes a result file."""
    with slipstick.Simulation(SCENE) as sim:
        hopper = Hopper()
        if record:
            sim.record(record, every=0.02)
        sim.control(hopper, period=0.001)
        sim.advance(seconds)
        return np.array(hopper.apexes), np.array(hopper.flights), sim.summary.unconverged_steps == 0


if __name__ == "__main__":
    apexes, flights, _ = hop(record=(sys.argv + [None])[1])
    print("apexes in m: ", " ".join(f"{x:.3f}" for x in apexes))
    print("flights in s:", " ".join(f"{x:.3f}" for x in flights))
