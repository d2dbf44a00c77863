#!/usr/bin/env python3
"""Every FCLIB problem of $SLIPSTICK_FCLIB by every solver, beside the table of docs/limits.md: what was solved still is, and
what was not is not claimed any more once it is. Cells marked slow are not run."""
import os
import sys

from common import PROGRAM, ROOT, check, finish

sys.path.insert(0, str(ROOT / "tools"))
import fclib_table  # noqa: E402

try:
    import h5py
    import numpy
    from fclib_matrix import matrix
except ImportError:
    print("SKIP: python3-h5py or python3-numpy is absent")
    sys.exit(77)

FOLDER = os.environ.get("SLIPSTICK_FCLIB")
if not FOLDER or not os.path.isdir(FOLDER):
    print("SKIP external: SLIPSTICK_FCLIB is not a folder of FCLIB files")
    sys.exit(77)


def velocities(path, r):
    """u of impulses r, straight from the equations of the format."""
    with h5py.File(path) as file:
        root = next(file[key] for key in file if key.startswith("fclib_"))
        vectors = {key: root["vectors"][key][:] for key in root["vectors"]}
        if "W" in root:
            return matrix(root["W"]) @ r + vectors["q"], vectors["q"], vectors
        M, H = matrix(root["M"]), matrix(root["H"])
        free = H.T @ numpy.linalg.solve(M, vectors["f"]) + vectors["w"]
        return H.T @ numpy.linalg.solve(M, H @ r) + free, free, vectors


def audit(name, solver, law, found):
    """What the program says it found, by other means: u follows from r, r lies in the cones, u^ and r are complementary."""
    u, r = numpy.array(found["u"]), numpy.array(found["r"])
    true, q, vectors = velocities(os.path.join(FOLDER, name), r)
    mu, mu_r = vectors["mu"], vectors.get("mu_r", 0 * vectors["mu"])
    size = numpy.linalg.norm(q)
    # momentum is certified to 1e-6 of the impulses, each of which is of the size of q
    check("%s by %s: u follows from r" % (name, solver), numpy.linalg.norm(u - true) <= 1e-5 * size)
    u, r = true.reshape(len(mu), -1), r.reshape(len(mu), -1)
    slip, hold = numpy.linalg.norm(u[:, 1:3], axis=1), numpy.linalg.norm(r[:, 1:3], axis=1)
    turn, moment = numpy.linalg.norm(u[:, 3:], axis=1), numpy.linalg.norm(r[:, 3:], axis=1)  # of rolling friction
    scale = max(numpy.abs(r).max(), 1e-300)
    check("%s by %s: impulses lie in their cones" % (name, solver), (hold <= mu * r[:, 0] + 1e-5 * scale).all())
    check("%s by %s: moments lie in theirs" % (name, solver), (moment <= mu_r * r[:, 0] + 1e-5 * scale).all())
    # Coulomb: u_N >= 0, and the power of every contact is what friction takes: r . u = -mu r_N |u_T| - mu_r r_N |w|
    # associated: u lies in the dual cone, u_N >= mu |u_T|, and the power is zero
    lift = mu * slip if law == "associated" else 0 * slip
    check("%s by %s: nothing sinks in" % (name, solver), (u[:, 0] - lift >= -1e-4 * numpy.abs(q).max()).all())
    power = (r * u).sum(axis=1) + (mu * slip + mu_r * turn - lift) * r[:, 0]
    check("%s by %s: u^ and r are complementary, %g" % (name, solver, numpy.abs(power).max() / (scale * numpy.abs(q).max())),
          numpy.abs(power).max() <= 1e-4 * scale * numpy.abs(q).max())


def compare(name, solver, law, written):
    found = fclib_table.solve(PROGRAM, os.path.join(FOLDER, name), solver, law)
    if found["outcome"] == "converged":
        audit(name, solver, law, found)
    outcome = "-" if found["outcome"] == "not applicable" else found["outcome"]
    said = written.split(",")[0].split(":")[0]
    if said == "converged":
        check("%s by %s: was converged, is %s (%r)" % (name, solver, outcome, found.get("residual")),
              outcome == "converged" and found["residual"] <= fclib_table.TOL)
    else:
        check("%s by %s: is %s, the table says %s; run tools/fclib_table.py" % (name, solver, outcome, said), outcome == said)


table, solvers = fclib_table.read_table(), fclib_table.solvers(PROGRAM)
check("the table has the problems of the folder; run tools/fclib_table.py", sorted(table) == fclib_table.problems(FOLDER))
slow = 0
for problem in fclib_table.problems(FOLDER):
    cells = table.get(problem, {})
    check("%s: the table has the solvers %s; run tools/fclib_table.py" % (problem, ", ".join(solvers)), list(cells) == list(solvers))
    refused = next((text for text in cells.values() if text.startswith("refused")), None)
    for solver_name, text in cells.items():
        if text.endswith("slow"):
            slow += 1
        elif solver_name in solvers and (text or refused):
            compare(problem, solver_name, solvers[solver_name], text or refused)
print("test_fclib.py: %d combinations are slow and were not run" % slow)
finish()
