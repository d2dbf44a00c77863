#!/usr/bin/python3
"""Break the code on purpose, one place at a time, and demand that a named test turns red.

    tools/mutate.py [SOURCE_DIR] [-j JOBS]

Each mutation replaces one piece of text in one file of a copy of the tree, builds one test there and runs
it. A mutation that survives, or whose text is no longer found, is a failure of the test suite.
"""
import os
import shutil
import subprocess
import sys
import tempfile

# (what it breaks, file, text, replacement, test that must fail)
MUTATIONS = [
    ("one impulse times 1 + 1e-6", "src/kernels/assembly.c",
     "    a->info.fallbacks += fallbacks;\n",
     "    a->info.fallbacks += fallbacks;\n    if (a->problem.nc) {\n        a->solution.r[0] *= 1 + 1e-6;\n    }\n",
     "conformance.schemes"),
    ("friction dropped from the ledger", "src/sim/ledger.c",
     "        *entry += motor ? work : work + drive + stab;\n",
     "        *entry += entry == &ledger->contact_friction ? 0 : motor ? work : work + drive + stab;\n",
     "conformance.schemes"),
    ("joint work dropped from the ledger", "src/sim/ledger.c",
     "        ledger->stabilisation += stab;\n", "        ledger->stabilisation += 0 * stab;\n",
     "conformance.schemes"),
    ("|u_T| instead of the polygon's gauge", "src/problem/residual.c",
     "return p->mu[k] * ss_polygon_slip(p->dimension, p->dir[k + 1] - p->dir[k], d, u + 1);",
     "return p->mu[k] * (d && p->dimension == 3 ? hypot(u[1], u[2]) : fabs(u[1]));",
     "unit.problem.residual"),
    ("a contact frame swapped", "src/contact/contact.c",
     "SS_TRY(push_direction(ctx, m, c, contact->body, value->point, value->tangent[k], H, &drive[1 + k]));",
     "SS_TRY(push_direction(ctx, m, c, contact->body, value->point, value->tangent[m->dimension == 3 ? 1 - k : k], H, &drive[1 + k]));",
     "unit.schemes.anitescu_potra"),
    ("restitution off by a hundredth", "src/kernels/impact.c",
     "x->given[p->row[k]] = unilateral ? e[k] * x->compression[p->row[k]] : 0;",
     "x->given[p->row[k]] = unilateral ? 0.99 * e[k] * x->compression[p->row[k]] : 0;",
     "unit.schemes.anitescu_potra"),
    ("stabilisation counted twice", "src/schemes/anitescu_potra.c",
     "            a->problem.w[row] += a->w_stabilise[row];\n", "            a->problem.w[row] += 2 * a->w_stabilise[row];\n",
     "unit.schemes.mechanisms"),
]


def run(command, **kwargs):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **kwargs)


def copy_tree(source, target):
    files = run(["git", "-C", source, "ls-files", "-co", "--exclude-standard"]).stdout.split("\n")
    for name in filter(None, files):
        path = os.path.join(target, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if os.path.isfile(os.path.join(source, name)):
            shutil.copy2(os.path.join(source, name), path)


def build(tree, jobs, target):
    return run(["cmake", "--build", os.path.join(tree, "build"), "-j", str(jobs), "--target", target])


def run_test(tree, name):
    environment = dict(os.environ, OPENBLAS_NUM_THREADS="1")
    return run(["ctest", "--test-dir", os.path.join(tree, "build"), "-R", "^" + name + "$", "--no-tests=error", "--timeout", "300"],
               env=environment)


def try_mutation(tree, jobs, mutation):
    what, file, old, new, test = mutation
    path = os.path.join(tree, file)
    text = open(path).read()
    if text.count(old) != 1:
        return "the text to replace was found %d times in %s" % (text.count(old), file)
    open(path, "w").write(text.replace(old, new))
    try:
        built = build(tree, jobs, test)
        if built.returncode != 0:
            return "does not compile:\n" + built.stdout[-2000:]
        return None if run_test(tree, test).returncode != 0 else "survived: %s stays green" % test
    finally:
        open(path, "w").write(text)


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("-")]
    jobs = sys.argv[sys.argv.index("-j") + 1] if "-j" in sys.argv else "2"
    source = os.path.abspath(arguments[0] if arguments and arguments[0] != jobs else ".")
    failures = 0
    with tempfile.TemporaryDirectory(prefix="slipstick-mutate-") as tree:
        copy_tree(source, tree)
        configured = run(["cmake", "-S", tree, "-B", os.path.join(tree, "build")])
        if configured.returncode != 0:
            print(configured.stdout)
            return 1
        for test in sorted({m[4] for m in MUTATIONS}):
            if build(tree, jobs, test).returncode != 0 or run_test(tree, test).returncode != 0:
                print("mutate: %s is not green to begin with" % test)
                return 1
        for mutation in MUTATIONS:
            problem = try_mutation(tree, jobs, mutation)
            print("mutate: %-55s %s" % (mutation[0], "caught" if problem is None else problem), flush=True)
            failures += problem is not None
    print("%d passed, %d failed" % (len(MUTATIONS) - failures, failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
