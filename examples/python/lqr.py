"""An inverted pendulum on a cart, balanced by the linear quadratic regulator of its own equations of motion.

M(q), k(q, v) and G(q) come from the simulation: at rest, the accelerations of all bodies solve

    M a - G' lam = k(q, 0),    G a = 0

so the linear equations of the joint coordinates z = (position, angle), z'' = A z + B force, are differences of these a at places
beside the upright one. Gains are those of the discrete Riccati equation."""
import sys

import numpy as np
import slipstick

SCENE = {
    "slipstick": 1, "dimension": 2, "gravity": [0, -9.81], "time": {"until": 5, "step": 0.002}, "scheme": {"name": "moreau"},
    "bodies": [{"name": "cart", "type": "rigid", "mass": 1, "inertia": 0.01, "position": [0, 0]},
               {"name": "pole", "type": "rigid", "mass": 0.3, "inertia": 0.025, "position": [0, 0.5]}],
    "joints": [{"name": "rail", "type": "prismatic", "bodies": ["world", "cart"], "at": [0, 0], "axis": [1, 0], "motor": {"force": "0"}},
               {"name": "hinge", "type": "revolute", "bodies": ["cart", "pole"], "at": [0, 0]}]}
PERIOD, PLACES = 0.01, [0, 5]  # of the controller; where z is in q: cart.x, pole.angle


def accelerations(sim, q):
    """Of the bodies at rest in q."""
    M, G, k = sim.mass_matrix(q), sim.joint_jacobian(q), sim.forces(q, np.zeros(sim.nv))
    system = np.block([[M, -G.T], [G, np.zeros((len(G), len(G)))]])
    return np.linalg.solve(system, np.concatenate([k, np.zeros(len(G))]))[:sim.nv]


def linearise(sim):
    """A and B of z'' = A z + B force at the present place."""
    q, d = sim.q.copy(), 1e-6
    free = np.linalg.svd(sim.joint_jacobian())[2][-2:].T  # motions that the joints allow
    free = free @ np.linalg.inv(free[PLACES])  # such that z moves by 1 in each
    A = np.array([accelerations(sim, q + d * s) - accelerations(sim, q - d * s) for s in free.T]).T[PLACES] / (2 * d)
    before = accelerations(sim, q)
    sim.set_motor("rail", 1)
    B = (accelerations(sim, q) - before)[PLACES]
    sim.set_motor("rail", 0)
    return A, B


def regulator(A, B, state, force):
    """Gains of (z, z') for the cost z' diag(state) z + force u^2, u held for a period."""
    n = len(B)
    F = np.block([[np.zeros((n, n)), np.eye(n), np.zeros((n, 1))], [A, np.zeros((n, n)), B[:, None]], [np.zeros((1, 2 * n + 1))]])
    power = whole = np.eye(2 * n + 1)
    for k in range(1, 20):  # exp(F T): the motion over a period
        power = power @ F * PERIOD / k
        whole = whole + power
    a, b, P = whole[:-1, :-1], whole[:-1, -1:], np.diag(state)
    for _ in range(5000):  # Riccati
        K = np.linalg.solve(force + b.T @ P @ b, b.T @ P @ a)
        P = np.diag(state) + a.T @ P @ (a - b @ K)
    return K[0]


def balance(start=0.25, record=None):
    """Balance from an angle; returns the gains, the largest angle, and where it ends. With a name it writes a result file."""
    with slipstick.Simulation(SCENE) as sim:
        gains = regulator(*linearise(sim), state=[10, 1, 1, 0.1], force=0.1)
        sim.set_state(q=[0, 0, 0, -0.5 * np.sin(start), 0.5 * np.cos(start), start])
        sim.control(lambda s: s.set_motor("rail", -gains @ np.concatenate([s.q[PLACES], s.v[PLACES]])), period=PERIOD)
        if record:
            sim.record(record, every=0.02)
        largest = 0
        while sim.t < 5 - 1e-9:
            sim.step()
            largest = max(largest, abs(sim.q[5]))
        return gains, largest, sim.q[PLACES].copy()


if __name__ == "__main__":
    print("gains %s; the angle is at most %.3f rad; at the end position and angle are %s" % balance(record=(sys.argv + [None])[1]))
