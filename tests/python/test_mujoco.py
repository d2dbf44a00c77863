#!/usr/bin/env python3
"""M(q), k(q, v) and Jacobians of points of random trees of 12 joints, beside MuJoCo (Debian's libmujoco-dev)."""
import pathlib
import subprocess
import sys

import numpy as np
from package import COMPILER, ROOT, TEMP, check, finish, write
from slipstick import Simulation
from tree import GRAVITY, Tree, quaternion, reduced

if not pathlib.Path("/usr/include/mujoco/mujoco.h").is_file():
    print("SKIP: libmujoco-dev is absent")
    sys.exit(77)


def text(numbers):
    return " ".join(f"{x:.17g}" for x in np.ravel(numbers))


def element(tree, k):
    """A body of MuJoCo with its joint and all that hangs on it. Its frame is at the centre of mass, as ours. Principal axes are
    found here: MuJoCo finds them to 1e-8 only."""
    turn, (moments, axes) = tree.turn[k], np.linalg.eigh(tree.inertia[k])
    axes[:, 0] *= np.linalg.det(axes)
    inside = "".join(element(tree, child) for child in range(tree.n) if tree.parent[child] == k)
    return (f'<body name="b{k}" pos="{text(tree.anchor[k] + turn @ tree.arm[k])}" quat="{text(quaternion(turn))}">'
            f'<joint name="j{k}" type="{"slide" if tree.slides[k] else "hinge"}" pos="{text(-tree.arm[k])}" '
            f'axis="{text(turn.T @ tree.axis[k])}"/><inertial pos="0 0 0" quat="{text(quaternion(axes))}" '
            f'mass="{tree.mass[k]:.17g}" diaginertia="{text(moments)}"/>{inside}</body>')


def ask_mujoco(program, tree, body, point):
    """Mass matrix, bias, Jacobian of a point."""
    roots = "".join(element(tree, k) for k in range(tree.n) if tree.parent[k] < 0)
    path = write("tree.xml", f'<mujoco><compiler angle="radian"/><option gravity="{text(GRAVITY)}"/><worldbody>{roots}</worldbody></mujoco>')
    state = "\n".join(f"{a:.17g} {rate:.17g}" for a, rate in zip(tree.a, tree.rate))
    done = subprocess.run([program, path, f"b{body}", *(f"{x:.17g}" for x in point)], input=state, capture_output=True, text=True,
                          cwd=TEMP, check=False)
    check(f"MuJoCo takes the tree: {done.stderr}", done.returncode == 0)
    numbers, n = np.array(done.stdout.split(), dtype=float), tree.n
    return numbers[:n * n].reshape(n, n), numbers[n * n:n * n + n], numbers[n * n + n:].reshape(6, n)


binary = TEMP / "mujoco_tree"
subprocess.run([COMPILER, "-O1", ROOT / "tests" / "python" / "mujoco_tree.c", "-o", binary, "-lmujoco", "-lm"], check=True)
for seed in range(5):
    tree = Tree(12, seed)
    with Simulation(tree.scene()) as sim:
        point, body = np.array([0.3, -0.1, 0.2]), 11 - seed
        theirs, (M, bias, _) = ask_mujoco(binary, tree, body, point), reduced(sim, tree)
        J = sim.point_jacobian(body, point, tree.state(tree.a)) @ tree.velocities(tree.a)
        for what, ours, other in zip(("mass matrix", "bias", "Jacobian of a point"), (M, bias, J), theirs):
            off = np.abs(ours - other).max() / np.abs(other).max()
            check(f"seed {seed}: {what} agrees with MuJoCo to 1e-9: {off:.1e}", off < 1e-9)

finish()
