"""Parameters from a measurement: a block on a spring with a damper slides on a table and comes to rest. From its noisy positions the
friction, the stiffness and the damping are found by least squares, with derivatives that are differences of simulations: by
scipy.optimize.least_squares, or without SciPy by a few lines. The first guess must be good enough to count the same swings."""
import sys

import numpy as np
import slipstick

try:
    from scipy.optimize import least_squares
except ImportError:
    least_squares = None

TRUE = {"mu": 0.15, "stiffness": 60.0, "damping": 1.2}
TIMES = np.arange(0.02, 2.0, 0.02)


def scene(mu, stiffness, damping):
    return {
        "slipstick": 1, "dimension": 2, "gravity": [0, -9.81], "time": {"until": 2, "step": 0.005},
        "scheme": {"name": "event_capturing_rk"}, "materials": [{"name": "wood", "mu": mu, "e": 0}],
        "bodies": [
            {"name": "table", "type": "fixed", "shapes": [{"type": "half_space", "normal": [0, 1], "material": "wood"}]},
            {"name": "block", "type": "particle", "mass": 1, "position": [0.5, 0], "shapes": [{"type": "point", "material": "wood"}]}],
        "forces": [{"type": "spring_damper", "bodies": ["world", "block"], "anchors": [[-1, 0], [0, 0]], "stiffness": stiffness,
                    "damping": damping, "length": 1}]}


def positions(values, record=None):
    """x at the times, for values of (mu, stiffness, damping); with a name, also a result file."""
    with slipstick.Simulation(scene(*values)) as sim:
        found = []
        if record:
            sim.record(record, every=0.02)
        for t in TIMES:
            sim.advance(t)
            found.append(sim.q[0])
        return np.array(found)


def by_hand(error, x, rounds=25):
    """Levenberg and Marquardt: the x of least error(x)^2."""
    now, damping = error(x), 1e-2
    for _ in range(rounds):
        J = np.array([(error(x + d) - error(x - d)) / 2e-4 for d in 1e-4 * np.eye(len(x))]).T
        normal = J.T @ J
        change = np.linalg.solve(normal + damping * np.diag(np.diag(normal)), -J.T @ now)
        better = error(x + change)
        if better @ better < now @ now:
            x, now, damping = x + change, better, damping / 5
        else:
            damping *= 8
        if np.abs(change).max() < 1e-7:
            break
    return x


def identify(measured, guess):
    """In the logarithms of the parameters, which stay positive."""
    def error(x):
        return positions(np.exp(x)) - measured
    x = least_squares(error, np.log(guess), jac="3-point", diff_step=1e-4).x if least_squares else by_hand(error, np.log(guess))
    return np.exp(x), np.sqrt(np.mean(error(x)**2))


if __name__ == "__main__":
    noise = 1e-4 * np.random.default_rng(1).normal(size=len(TIMES))
    guess = (0.1, 50.0, 2.0)
    values, rest = identify(positions(TRUE.values()) + noise, guess)
    for name, of in zip(sys.argv[1:], (guess, TRUE.values(), values)):  # result files: of the guess, the truth, what was found
        positions(of, name)
    for (name, true), value in zip(TRUE.items(), values):
        print(f"{name:10s} {value:9.5f}   (true: {true})")
    print(f"what is left is {rest:.1e} m, the noise 1.0e-04 m")
