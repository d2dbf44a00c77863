#!/usr/bin/env python3
"""Simulations that are made and ended many times leave no memory behind.

The process takes memory until it has settled, and now and then a little more; what is forgotten would be missed every time. So the rounds
have parts, and in the best of them the resident memory may grow by less than 100 bytes a simulation, thousands of which one of them takes.
An argument sets the number of rounds."""
import gc
import os
import sys

from package import SANITIZED, TEMP, check, finish
from slipstick import Result, Scene, Simulation

ROUNDS, PARTS = int(sys.argv[1]) if len(sys.argv) > 1 else 100 if SANITIZED else 800, 5
SCENE = {
    "slipstick": 1, "dimension": 2, "gravity": [0, -10], "time": {"until": 1, "step": 0.01}, "parameters": {"g": 10},
    "bodies": [{"name": "ball", "mass": 2, "inertia": 0.01, "position": [0, 0.1], "shapes": [{"type": "disk", "radius": 0.1}]},
               {"name": "rod", "mass": 1, "inertia": 0.1, "position": [3, 2]},
               {"name": "floor", "type": "fixed", "shapes": [{"type": "half_space", "normal": [0, 1]}]}],
    "joints": [{"name": "hinge", "type": "revolute", "bodies": ["world", "rod"], "at": [2, 2]}],
    "forces": [{"name": "pull", "type": "callback", "bodies": ["world", "rod"]}],
    "outputs": [{"name": "scale", "type": "force_plate", "body": "floor"}]}
scene = Scene(SCENE)
with Simulation(scene) as sim:
    sim.set_functions("pull", lambda at: [0] * 12)
    sim.record(TEMP / "short.csv")
    sim.advance(0.02)


def once():
    """All that takes memory: a scene, a simulation, callbacks, views, checkpoints, results, an exception."""
    with Simulation(SCENE) as one:
        one.set_functions("pull", lambda at: [0] * 12)
        one.control(lambda running: running.set_wrench("rod", (0, running.output("scale.force_y"))), 0.01)
        one.step()
        one.restore(one.save())
        one.step()
        kept = one.q, one.contacts(), one.outputs()
        try:
            one.output("nothing")
        except ValueError:
            pass
    Result(TEMP / "short.csv")["ball.y"].sum()
    return kept


def resident():
    """Bytes of the process in memory."""
    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


grown = []
for _ in range(PARTS):
    before = resident()
    for _ in range(ROUNDS // PARTS):
        once()
    grown.append((resident() - before) / (ROUNDS // PARTS))
sys.stderr.write(f"bytes for each of {ROUNDS}, part by part: {[round(x) for x in grown]}\n")
check("all of them were made and ended", len(grown) == PARTS)
if not SANITIZED:  # the sanitizer keeps what is freed for a while
    check(f"{ROUNDS} simulations leave {min(grown):.0f} bytes each behind", min(grown) < 100)

finish()
