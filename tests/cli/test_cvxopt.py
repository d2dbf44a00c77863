#!/usr/bin/env python3
"""The associated law by CVXOPT, a program nobody here wrote: on small problems every solver has its velocities.

    least 1/2 v'M v - f'v   over v with  G'v + b = 0,  u = H'v + w,  u_N >= mu |u_T| contact by contact

is a cone program as it stands; CVXOPT's coneqp knows nothing of impulses, laws or contacts. Problems are steps of scenes,
dumped, and random ones in 2D and 3D, with joints. What is compared is u, which is unique."""
import sys

from common import ROOT, TEMP, check, finish, run, run_json

try:
    import cvxopt
    import cvxopt.solvers
    import h5py
    import numpy
    from fclib_matrix import matrix
except ImportError as missing:
    print("SKIP: %s is absent (packages python3-cvxopt, python3-h5py, python3-numpy)" % missing.name)
    sys.exit(77)

# |v - v*|_M <= sqrt(2 gap): for seven digits of v the gap must have fourteen
cvxopt.solvers.options.update(show_progress=False, abstol=1e-15, reltol=1e-15, feastol=1e-11, maxiters=200)
AGREE = 1e-6
farthest = []


def read(path):
    """M, f, H', w, G', b, mu and the dimension of a problem in global form."""
    with h5py.File(path) as file:
        root = file["fclib_global"]
        vectors = {key: root["vectors"][key][:] for key in root["vectors"]}
        M, H = matrix(root["M"]), matrix(root["H"])
        joints = "G" in root and int(root["G"]["n"][0]) > 0
        G, b = (matrix(root["G"]).T, vectors["b"]) if joints else (numpy.zeros((0, len(M))), numpy.zeros(0))
        return M, vectors["f"], H.T, vectors["w"], G, b, vectors["mu"], int(root["spacedim"][0])


def by_cvxopt(problem):
    """u, and whether CVXOPT is content."""
    M, f, H, w, G, b, mu, d = problem
    scale = numpy.ones((len(mu), d))
    scale[:, 1:] = mu[:, None]
    S = -scale.reshape(-1, 1) * H
    to = lambda array: cvxopt.matrix(numpy.ascontiguousarray(array, dtype=float))
    equalities = {"A": to(G), "b": to(-b)} if len(b) else {}
    answer = cvxopt.solvers.coneqp(to(M), to(-f), to(S), to(scale.ravel() * w), {"l": 0, "q": [d] * len(mu), "s": []}, **equalities)
    v = numpy.array(answer["x"]).ravel()
    # "unknown": the last digits that were asked for could not be had; the gap says how near it is
    return H @ v + w, answer["status"] == "optimal" or answer["gap"] < 1e-13 * (1 + abs(answer["primal objective"]))


def compare(name, path):
    problem = read(path)
    u, content = by_cvxopt(problem)
    check("%s: CVXOPT has a solution" % name, content)
    M, f, H, w = problem[:4]
    size = max(numpy.abs(H @ numpy.linalg.solve(M, f) + w).max(), 1)
    agreed = []
    for result in run_json("solve", path, "--law", "associated", "--solver", "all").get("results", []):
        if result["outcome"] == "not applicable":
            continue
        off = numpy.abs(numpy.array(result["u"]) - u).max() / size if result["u"] else numpy.inf
        check("%s by %s (%s): u is off by %.2g" % (name, result["solver"], result["outcome"], off), off <= AGREE)
        agreed.append(result["solver"])
        farthest.append(off)
    check("%s: the convex solvers had their turn: %s" % (name, agreed), {"auto", "nsgs", "alm", "apgd", "cone_ipm"} <= set(agreed))
    return len(problem[6]), len(problem[5])


def by_columns(root, name, dense):
    group = root.create_group(name)
    m, n = dense.shape
    for key, value in (("m", m), ("n", n), ("nz", -1), ("nzmax", m * n)):
        group[key] = numpy.array([value], "i4")
    group["p"] = numpy.arange(n + 1, dtype="i4") * m
    group["i"] = numpy.tile(numpy.arange(m, dtype="i4"), n)
    group["x"] = dense.T.ravel()


def random_problem(seed):
    """Twelve velocities, a dense M, few joints, and contacts that a common velocity opens: there is a feasible one."""
    random = numpy.random.default_rng(seed)
    d, n, contacts, joints = 2 + seed % 2, 12, 1 + seed % 5, seed % 3
    A = random.standard_normal((n, n))
    H, G, open_all = random.standard_normal((n, d * contacts)), random.standard_normal((n, joints)), random.standard_normal(n)
    mu = random.uniform(0, 1, contacts)
    mu[0] = 0 if seed % 4 == 0 else mu[0]
    w = -H.T @ open_all
    w[::d] += random.uniform(0, 1, contacts)
    path = TEMP / ("random%d.hdf5" % seed)
    with h5py.File(path, "w") as file:
        root = file.create_group("fclib_global")
        root["spacedim"] = numpy.array([d], "i4")
        by_columns(root, "M", A @ A.T + numpy.eye(n))
        by_columns(root, "H", H)
        vectors = root.create_group("vectors")
        if joints:
            by_columns(root, "G", G)
            vectors["b"] = -G.T @ open_all
        vectors["f"], vectors["w"], vectors["mu"] = 3 * random.standard_normal(n), w, mu
    return path


def steps_of_scenes_have_cvxopts_velocities():
    steps = (("particle_contact", 1), ("painleve_rod", 1), ("painleve_tip", 2), ("sliding_balls", 1))
    contacts = joints = 0
    for scene, step in steps:
        path = TEMP / ("%s.hdf5" % scene)
        result = run("run", ROOT / "papers" / "ani06" / (scene + ".json"), "--scheme", "anitescu_convex", "--until", "0.01",
                     "--quiet", "--dump-step", step, path)
        check("%s: step %d is dumped: %s" % (scene, step, result.stderr), result.returncode == 0 and path.exists())
        counts = compare(scene, path)
        contacts, joints = contacts + counts[0], joints + counts[1]
    check("contacts and joints were there: %d, %d" % (contacts, joints), contacts >= 35 and joints >= 1)


def a_heap_has_cvxopts_velocities():
    """Redundant contacts: a few spheres that have come to lie on each other."""
    scene, path = TEMP / "heap.json", TEMP / "heap.hdf5"
    made = run("generate", "pile", "--bodies", 12, "--seed", 3, "-o", scene)
    check("a heap: %s" % made.stderr, made.returncode == 0)
    result = run("run", scene, "--scheme", "anitescu_convex", "--quiet", "--dump-step", 260, path)
    check("it is dumped: %s" % result.stderr, path.exists())
    check("it has contacts", compare("heap", path)[0] >= 12)


def random_problems_have_cvxopts_velocities():
    for seed in range(12):
        compare("random %d" % seed, random_problem(seed))


steps_of_scenes_have_cvxopts_velocities()
a_heap_has_cvxopts_velocities()
random_problems_have_cvxopts_velocities()
print("test_cvxopt.py: u is off by at most %.2g" % max(farthest))
finish()
