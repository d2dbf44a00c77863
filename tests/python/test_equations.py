#!/usr/bin/env python3
"""M(q), k(q, v), G(q) and Jacobians of points of random trees of 12 joints, beside Lagrange's equations in joint coordinates."""
import numpy as np
from package import check, finish
from slipstick import Simulation
from tree import Tree, reduced

for seed in range(3):
    tree = Tree(12, seed)
    with Simulation(tree.scene()) as sim:
        M, bias, open_rows = reduced(sim, tree)
        mass, pull = tree.masses(tree.a), tree.bias()
        off = np.abs(M - mass).max() / np.abs(mass).max()
        check(f"seed {seed}: the mass matrix is Lagrange's to round-off: {off:.1e}", off < 1e-12)
        off = np.abs(bias - pull).max() / np.abs(pull).max()
        check(f"seed {seed}: the bias, too: {off:.1e}", off < 1e-11)
        check(f"seed {seed}: what the joints allow satisfies their rows: {open_rows:.1e}", open_rows < 1e-12)
        rank = np.linalg.matrix_rank(sim.joint_jacobian(tree.state(tree.a)))
        check(f"seed {seed}: 12 joints leave 12 of 72 velocities: {rank}", rank == 72 - 12 and sim.nv == 72)
        point, q = np.array([0.3, -0.1, 0.2]), tree.state(tree.a)
        for body in (0, 5, 11):
            J = sim.point_jacobian(body, point, q) @ tree.velocities(tree.a)
            off = np.abs(J - tree.jacobian(tree.a, body, point)).max()
            check(f"seed {seed}: the Jacobian of a point of body {body}: {off:.1e}", off < 1e-12)

finish()
