#!/usr/bin/env python3
"""The examples of examples/python: each is short, runs, and does what physics says."""
import importlib.util
import pathlib

import numpy as np
from package import ROOT, SANITIZED, TEMP, check, finish
from slipstick import Result

EXAMPLES = ROOT / "examples" / "python"


def load(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


for path in sorted(EXAMPLES.glob("*.py")):
    lines = len(pathlib.Path(path).read_text().splitlines())
    check(f"{path.name} has {lines} lines, at most 80", lines <= 80)
    check(f"{path.name} is explained in docs/control.md", f"examples/python/{path.name}" in (ROOT / "docs" / "control.md").read_text())

# ---- an inverted pendulum: gains of its own equations, which by hand are those below ---------------------------------

lqr = load("lqr")
with lqr.slipstick.Simulation(lqr.SCENE) as sim:
    A, B = lqr.linearise(sim)
# (M + m) x'' - m l a'' = F,  (I + m l^2) a'' - m l x'' = m g l a, with a to the left
M, m, length, inertia = 1, 0.3, 0.5, 0.025
left = np.array([[M + m, -m * length], [-m * length, inertia + m * length**2]])
by_hand = np.linalg.solve(left, [[0, 0, 1], [0, m * 9.81 * length, 0]])
check(f"the linear equations are those by hand: {np.abs(A - by_hand[:, :2]).max():.1e}", np.allclose(A, by_hand[:, :2], atol=1e-7))
check("and so is what the force does", np.allclose(B, by_hand[:, 2], atol=1e-9))
gains, largest, end = lqr.balance(record=TEMP / "lqr.h5")
closed = np.block([[np.zeros((2, 2)), np.eye(2)], [A - np.outer(B, gains[:2]), -np.outer(B, gains[2:])]])
check("the gains make the motion stable", np.linalg.eigvals(closed).real.max() < -0.1)
check(f"the pole stays up: at most {largest:.3f} rad, at the end {end}", largest < 0.3 and np.abs(end).max() < 1e-3)

# ---- a leg that hops -----------------------------------------------------------------------------------------------

apexes, flights, certified = load("hopper").hop(2 if SANITIZED else 8, TEMP / "hopper.h5")
free = apexes[1:] > 0.05  # the first apex is that of the start
check(f"flights are those of free fall: {flights[1:]}",
      np.allclose(flights[1:][free], np.sqrt(8 * apexes[1:][free] / 9.81), atol=0.01))
check(f"it hops as high as it should: {apexes[-1]:.3f} m", SANITIZED or abs(apexes[-1] - 0.25) < 0.01)
check("every step is certified", certified)

# ---- a gripper ------------------------------------------------------------------------------------------------------

slipped, force, ratio, certified = load("gripper").fill(TEMP / "gripper.h5")
needed = (0.2 * 9.81 + 8 * 2) / 2 / 0.6
check(f"the can does not slip: {slipped:.1e} m", abs(slipped) < 1e-6 and ratio < 1)
check(f"each finger presses with the margin over what it needs: {force:.3f} N", abs(force - 1.3 * needed) < 1e-3)
check("every step is certified", certified)

# ---- parameters from a measurement ------------------------------------------------------------------------------------

identify = load("identify")
true = np.array(list(identify.TRUE.values()))
if not SANITIZED:  # some hundred simulations
    noise = 1e-4 * np.random.default_rng(1).normal(size=len(identify.TIMES))
    found, rest = identify.identify(identify.positions(true) + noise, (0.1, 50.0, 2.0))
    check(f"the parameters are found to 0.1 %: {found}", np.abs(found / true - 1).max() < 1e-3)
    check(f"and only the noise is left: {rest:.1e} m", rest < 1.2e-4)
    check("and by hand as well", np.allclose(np.exp(identify.by_hand(
        lambda x: identify.positions(np.exp(x)) - identify.positions(true), np.log([0.1, 50.0, 2.0]))), true, rtol=1e-6))

# ---- the results that the pictures of docs/control.md are drawn from -----------------------------------------------------

for name, columns in (("lqr", ("cart.x", "pole.angle")), ("hopper", ("body.y", "foot.y")),
                      ("gripper", ("left_slide.motor.force", "left_slide.force"))):
    with Result(TEMP / f"{name}.h5") as result:
        check(f"{name} writes {columns}", all(len(result[column]) > 50 for column in columns))

finish()
