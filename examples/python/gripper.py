"""A gripper with force control: two fingers hold a can that is being filled. The program feels how much each contact carries along the
fingers and presses just as hard as friction needs, with a margin. Nothing tells it what the can weighs."""
import sys

import numpy as np
import slipstick

MU, MARGIN, POUR = 0.6, 1.3, 8.0  # N/s of water
SCENE = {
    "slipstick": 1, "dimension": 2, "gravity": [0, -9.81], "time": {"until": 3, "step": 0.002}, "scheme": {"name": "moreau"},
    "materials": [{"name": "rubber", "mu": MU, "e": 0}],
    "bodies": [{"name": "can", "type": "rigid", "mass": 0.2, "inertia": 0.001, "position": [0, 1],
                "shapes": [{"type": "box", "size": [0.1, 0.2], "material": "rubber"}]}],
    "joints": []}
for name, side in (("left", -1), ("right", 1)):
    SCENE["bodies"].append({"name": name, "type": "rigid", "mass": 0.3, "inertia": 0.001, "position": [0.06 * side, 1],
                            "shapes": [{"type": "box", "size": [0.02, 0.1], "material": "rubber"}]})
    SCENE["joints"].append({"name": f"{name}_slide", "type": "prismatic", "bodies": ["world", name], "at": [0.06 * side, 1],
                            "axis": [-side, 0], "motor": {"force": "5"}})


class Grip:
    """Asked every 4 ms: each finger presses with what its contact carries, over mu, times the margin."""

    def __init__(self):
        self.pressed, self.ratio = [], []

    def __call__(self, sim):
        sim.set_wrench("can", (0, -POUR * min(sim.t, 2)))  # the water, which the program does not feel by itself
        if sim.t < 0.02:
            return  # the first touch
        for name in ("left", "right"):
            across, along, _ = sim.contact_wrench(name, "can")[0]
            force = max(1.0, MARGIN * abs(along) / MU)
            sim.set_motor(f"{name}_slide", force)
            self.pressed.append(force)
            self.ratio.append(abs(along) / (MU * max(abs(across), 1e-9)))  # 1: it slips


def fill(record=None):
    """How far the can has slipped, the last force, and the largest ratio of friction to what it can bear. With a name it writes a
    result file."""
    with slipstick.Simulation(SCENE) as sim:
        grip = Grip()
        if record:
            sim.record(record, every=0.02)
        sim.control(grip, period=0.004)
        sim.advance(3)
        return 1 - sim.body_q("can")[1], grip.pressed[-1], np.max(grip.ratio), sim.summary.unconverged_steps == 0


if __name__ == "__main__":
    slipped, force, worst, _ = fill((sys.argv + [None])[1])
    print(f"the can slipped by {slipped:.2e} m; at the end each finger presses with {force:.2f} N; friction used up to {worst:.0%}")
