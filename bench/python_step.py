#!/usr/bin/python3
"""python_step.py - what a step costs more from Python than from C, in CPU time: the same steps by Simulation.step(), one by one, and by one
call of ss_sim_advance. PYTHONPATH=python bench/python_step.py, after `make install` or with build/libslipstick.so."""
import time

import slipstick

SCENE = {"slipstick": 1, "dimension": 2, "gravity": [0, -9.81], "time": {"until": 1, "step": 0.001}, "scheme": {"name": "moreau"},
         "bodies": [{"name": "p", "type": "particle", "mass": 2, "position": [0, 0]}]}
STEPS, ROUNDS = 20000, 5


def one_by_one(sim):
    for _ in range(STEPS):
        sim.step()


def at_once(sim):
    sim.advance(sim.t + 0.001 * STEPS)


def microseconds(way, sim):
    begin = time.process_time()
    way(sim)
    return (time.process_time() - begin) / STEPS * 1e6


with slipstick.Simulation(SCENE) as sim:
    rounds = [(microseconds(one_by_one, sim), microseconds(at_once, sim)) for _ in range(ROUNDS)]  # in turns
python, c = (min(times) for times in zip(*rounds))
print(f"a step takes {python:.2f} us from Python, {c:.2f} us from C: {python - c:.2f} us more")
