"""A random tree of bodies on hinges and sliders, in joint coordinates: kinematics and equations of motion by complex steps.

With joint coordinates a and rates a' the velocities of all bodies (world linear, body angular) are v = S(a) a', so that

    S' M S a'' + S' (M S' a' - k) = 0          mass matrix and bias of robotics, from M and k in the coordinates of all bodies

The reference is Lagrange's: T = a' m(a) a' / 2, bias_i = sum_jk (dm_ij/da_k - dm_jk/da_i / 2) a'_j a'_k + dU/da_i. Derivatives are
imaginary parts of values at a + 1e-30 i, exact to round-off. """
import numpy as np

GRAVITY = np.array([0.3, -0.2, -9.81])


def rotation(axis, angle):
    """Matrix of a turn about a unit axis; the angle may be complex."""
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * (K @ K)


def quaternion(R):
    """w, x, y, z of a rotation matrix: the eigenvector of the largest eigenvalue."""
    (a, b, c), (d, e, f), (g, h, i) = R
    K = np.array([[a + e + i, h - f, c - g, d - b], [h - f, a - e - i, b + d, c + g], [c - g, b + d, e - a - i, f + h],
                  [d - b, c + g, f + h, i - a - e]])
    return np.linalg.eigh(K)[1][:, 3]


class Tree:
    """n bodies; body k hangs on an earlier one, or on the world (-1)."""

    def __init__(self, n, seed):
        draw = np.random.default_rng(seed)
        unit = lambda x: x / np.linalg.norm(x)  # noqa: E731
        self.n = n
        self.parent = [int(draw.integers(-1, k)) for k in range(n)]
        self.slides = [bool(draw.random() < 0.4) for _ in range(n)]
        self.axis = [unit(draw.normal(size=3)) for _ in range(n)]  # in the frame of the parent
        self.anchor = draw.normal(size=(n, 3)) * 0.3  # likewise
        self.arm = draw.normal(size=(n, 3)) * 0.2  # from the joint to the centre of mass, in the frame of the body
        self.turn = [rotation(unit(draw.normal(size=3)), draw.uniform(-3, 3)) for _ in range(n)]  # body in parent, at a = 0
        self.mass = draw.uniform(0.5, 2, size=n)
        roots = [draw.normal(size=(3, 3)) for _ in range(n)]
        self.inertia = [0.05 * (np.trace(A @ A.T) * np.eye(3) - A @ A.T + 0.2 * np.eye(3)) for A in roots]
        self.a, self.rate = draw.uniform(-2, 2, size=n), draw.normal(size=n)

    def frames(self, a):
        """Centre of mass and rotation of each body; axis of its joint in the world, and a point of it."""
        out = []
        for k in range(self.n):
            x, R = (np.zeros(3), np.eye(3)) if self.parent[k] < 0 else out[self.parent[k]][:2]
            axis, along = R @ self.axis[k], self.axis[k] * (a[k] if self.slides[k] else 0)
            own = R @ (np.eye(3) if self.slides[k] else rotation(self.axis[k], a[k])) @ self.turn[k]
            point = x + R @ (self.anchor[k] + along)
            out.append((point + own @ self.arm[k], own, axis, point))
        return out

    def above(self, k):
        """The joints that carry a body."""
        while k >= 0:
            yield k
            k = self.parent[k]

    def jacobian(self, a, body, point):
        """Velocity of a point of a body and its angular velocity, world axes: 6 x n."""
        frames = self.frames(a)
        x = frames[body][0] + frames[body][1] @ point
        J = np.zeros((6, self.n), dtype=np.result_type(a, float))
        for k in self.above(body):
            _, _, axis, place = frames[k]
            J[:3, k] = axis if self.slides[k] else np.cross(axis, x - place)
            J[3:, k] = 0 if self.slides[k] else axis
        return J

    def velocities(self, a):
        """S: 6 n x n, angular velocities in the frames of the bodies."""
        frames, parts = self.frames(a), []
        for k in range(self.n):
            J = self.jacobian(a, k, np.zeros(3))
            parts += [J[:3], frames[k][1].T @ J[3:]]
        return np.concatenate(parts)

    def masses(self, a):
        S, m = self.velocities(a), 0
        for k in range(self.n):
            v, w = S[6 * k:6 * k + 3], S[6 * k + 3:6 * k + 6]
            m = m + self.mass[k] * v.T @ v + w.T @ self.inertia[k] @ w
        return m

    def potential(self, a):
        return -sum(self.mass[k] * GRAVITY @ frame[0] for k, frame in enumerate(self.frames(a)))

    def bias(self):
        """Lagrange's, see above."""
        step, slope, pull = 1e-30, [], np.zeros(self.n)
        for k in range(self.n):
            moved = self.a + 1j * step * np.eye(self.n)[k]
            slope.append(self.masses(moved).imag / step)
            pull[k] = self.potential(moved).imag / step
        slope = np.array(slope)  # [k, i, j]: dm_ij/da_k
        return np.einsum("kij,j,k", slope, self.rate, self.rate) - 0.5 * np.einsum("ijk,j,k", slope, self.rate, self.rate) + pull

    def state(self, a):
        """q of all bodies."""
        return np.concatenate([np.concatenate([x, quaternion(R)]) for x, R, _, _ in self.frames(a)])

    def scene(self):
        name = lambda k: "world" if k < 0 else f"b{k}"  # noqa: E731
        bodies, joints = [], []
        for k, (x, R, _, _) in enumerate(self.frames(np.zeros(self.n))):
            I = self.inertia[k]
            six = [I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]]
            bodies.append({"name": name(k), "type": "rigid", "mass": self.mass[k], "inertia": six, "position": list(x),
                           "orientation": list(quaternion(R))})
            joints.append({"name": f"j{k}", "type": "prismatic" if self.slides[k] else "revolute",
                           "bodies": [name(self.parent[k]), name(k)], "anchors": [list(self.anchor[k]), list(-self.arm[k])],
                           "axis": list(self.axis[k])})
        return {"slipstick": 1, "dimension": 3, "gravity": list(GRAVITY), "time": {"until": 1, "step": 0.01}, "bodies": bodies,
                "joints": joints}


def reduced(sim, tree):
    """Mass matrix and bias in joint coordinates from the interface of the simulation, and |G S|."""
    q, step = tree.state(tree.a), 1e-30
    S, v = tree.velocities(tree.a), tree.velocities(tree.a) @ tree.rate
    along = (tree.velocities(tree.a + 1j * step * tree.rate) @ tree.rate).imag / step  # (dS/dt) a'
    M, k = sim.mass_matrix(q), sim.forces(q, v)
    return S.T @ M @ S, S.T @ (M @ along - k), np.abs(sim.joint_jacobian(q) @ S).max()
