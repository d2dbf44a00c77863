#!/usr/bin/python3
"""check_includes.py - is every #include in src/ and cli/ one that its layer may make?

  src/<layer>/ may include its own headers and those of the layers below it (ALLOWED, closed under
  "below"). In solvers/ and schemes/ one file may not include another's header: what two share moves
  down. src/schemes/<name>/ and src/solvers/<name>/ belong to that scheme or solver alone: nobody else
  includes their headers. From outside solvers/ only solver.h is seen. HDF5 belongs to io/, jansson to
  io/, study/ and cli/. cli/ sees its own headers and <slipstick/...>, nothing of src/.
  A header of kernels/ has at least two schemes among those that use it, directly or through other
  kernels (or the layers above use it): what one scheme alone uses lives in the scheme's own folder.
  A kernel in AHEAD has its unit test in place of the second scheme: the list says why.
  No include guard and no type name of src/ is defined twice.

Prints one line per violation and exits 1; --self-test proves on a made-up tree that it can.
"""
import re
import sys
import tempfile
from pathlib import Path

ALLOWED = {  # layer: the layers directly below it
    "base": [],
    "math": ["base"],
    "geom": ["math"],
    "problem": ["math"],
    "solvers": ["problem"],
    "model": ["geom"],
    "exact": ["model"],
    "contact": ["model", "problem"],
    "events": ["contact"],
    "kernels": ["events", "solvers"],
    "schemes": ["kernels"],
    "sim": ["schemes", "exact"],
    "io": ["model", "problem", "sim"],
    "plot": ["base"],
    "study": ["sim", "io", "plot"],
}
NO_SIDEWAYS = {"solvers": {"solver.h"}, "schemes": set()}  # layer: its common headers
ONLY_SEEN = {"solvers": {"solver.h"}}  # layer: what other layers may see of it
THIRD_PARTY = {"hdf5.h": {"io"}, "hdf5_hl.h": {"io"}, "jansson.h": {"io", "study", "cli"}}  # header: who may

AHEAD = {  # kernel made for more schemes than there are yet: why
    "located_step": "the loop around any scheme that locates collisions; its unit test has a client of its own",
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def below(layer):
    """All layers that `layer` may include, itself too."""
    found, todo = set(), [layer]
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo += ALLOWED[name]
    return found


def fault_in_src(layer, path, target):
    """Why src/<layer>/... may not have #include "target"; None if it may."""
    head, _, rest = target.partition("/")
    if head not in ALLOWED:
        return f'write it as "layer/header.h"; "{head}" is no layer'
    if head not in below(layer):
        return f"{layer} may not use {head}"
    if target.endswith(".def"):
        return None
    if head == layer and layer in NO_SIDEWAYS and rest not in NO_SIDEWAYS[layer]:
        if "/" in rest:  # the room of one owner
            return None if path.parent.name == rest.split("/")[0] else f"{head}/{rest.split('/')[0]}/ belongs to its owner alone"
        return None if rest == path.with_suffix(".h").name else f"sideways inside {layer}: what two share moves down"
    if head != layer and head in ONLY_SEEN and rest not in ONLY_SEEN[head]:
        return f"of {head} only {', '.join(sorted(ONLY_SEEN[head]))} is seen from outside"
    return None


def fault(root, path, mark, target):
    parts = path.relative_to(root).parts
    layer = parts[1] if parts[0] == "src" else "cli"
    if target in THIRD_PARTY and layer not in THIRD_PARTY[target]:
        return f"{target} belongs to {', '.join(sorted(THIRD_PARTY[target]))}"
    if mark == "<":
        return None
    if layer == "cli":
        return None if (root / "cli" / target).is_file() else "cli sees its own headers and <slipstick/...> only"
    if layer not in ALLOWED:
        return f'"{layer}" is no layer: add it to the table of check_includes.py'
    return fault_in_src(layer, path, target)


def bad_includes(root):
    found = []
    for folder in ("src", "cli"):
        for path in sorted((root / folder).rglob("*.[ch]")):
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                match = INCLUDE.match(line)
                why = match and fault(root, path, match[1], match[2])
                if why:
                    found.append(f"{path.relative_to(root)}:{number}: {match[2]}: {why}")
    return found


def users_of_headers(root):
    """For every header of src/: the schemes (or other layers than kernels) that reach it through kernels."""
    includes = {}  # file, without its ending: headers it includes
    for path in (root / "src").rglob("*.[ch]"):
        name = str(path.relative_to(root / "src").with_suffix(""))
        text = path.read_text(encoding="utf-8")
        includes.setdefault(name, set()).update(
            target[: -len(".h")] for mark, target in re.findall(INCLUDE.pattern, text, re.M) if mark == '"' and target.endswith(".h"))
    users = {name: set() for name in includes}
    for name in includes:
        parts = name.split("/")
        if parts[0] == "kernels":
            continue
        user = "/".join(parts[:2]) if parts[0] == "schemes" else parts[0]
        todo, seen = [name], set()
        while todo:
            for target in includes.get(todo.pop(), ()):
                if target.startswith("kernels/") and target not in seen:
                    seen.add(target)
                    users.setdefault(target, set()).add(user)
                    todo.append(target)
    return users


def stands_in(root, name):
    """Does the unit test of this kernel count as a scheme that uses it?"""
    test = root / "tests" / "unit" / "kernels" / f"test_{name}.c"
    return name in AHEAD and test.is_file() and f'#include "kernels/{name}.h"' in test.read_text(encoding="utf-8")


def kernels_of_one(root):
    found = []
    users = users_of_headers(root)
    for path in sorted((root / "src" / "kernels").rglob("*.h")):
        mine = users[str(path.relative_to(root / "src").with_suffix(""))]
        if len(mine) + stands_in(root, path.stem) < 2:
            found.append(f"{path.relative_to(root)}:1: used by {', '.join(mine) or 'nobody'} alone: kernels are what two schemes share")
    return found


GUARD = re.compile(r"^#ifndef (SS_\w+)", re.M)
TYPE = re.compile(r"^(?:typedef (?:struct|enum|union)\b[^;{]*\{.*?^\} (ss_\w+);|struct (ss_\w+) \{)", re.M | re.S)


def named_twice(root):
    found = []
    for what, pattern, files in (("guard", GUARD, "*.h"), ("type", TYPE, "*.[ch]")):
        seen = {}
        for path in sorted((root / "src").rglob(files)) + sorted((root / "include").rglob("*.h")):
            text = path.read_text(encoding="utf-8")
            names = {a if isinstance(a, str) else next(filter(None, a)) for a in pattern.findall(text)[: 1 if what == "guard" else None]}
            for name in sorted(names):
                if name in seen:
                    found.append(f"{path.relative_to(root)}:1: {what} {name} is that of {seen[name].relative_to(root)} too")
                seen[name] = path
    return found


def violations(root):
    return bad_includes(root) + kernels_of_one(root) + named_twice(root)


GOOD = {
    "src/base/base.c": '#include "base/base.h"\n#include <slipstick/base.h>\n#include <math.h>',
    "src/contact/contact.c": '#include "model/model.h"\n#include "problem/kkt.h"\n#include "math/vec.h"',
    "src/solvers/pgs.c": '#include "solvers/pgs.h"\n#include "solvers/solver.h"\n#include "solvers/solvers.def"',
    "src/solvers/lemke/lemke.c": '#include "solvers/lemke/lcp.h"\n#include "solvers/solver.h"',
    "src/solvers/lemke/lcp.h": "#ifndef SS_LCP_H\ntypedef struct ss_lcp {\n    int n;\n} ss_lcp;",
    "src/schemes/one.c": '#include "kernels/shared.h"\n#include "solvers/solver.h"',
    "src/schemes/three/three.c": '#include "kernels/shared.h"\n#include "schemes/three/part.h"',
    "src/schemes/three/part.h": "#ifndef SS_PART_H",
    "src/kernels/shared.h": '#include "kernels/inner.h"',
    "src/kernels/inner.h": "#ifndef SS_INNER_H",
    "src/kernels/located_step.h": "#ifndef SS_LOCATED_STEP_H",
    "tests/unit/kernels/test_located_step.c": '#include "kernels/located_step.h"',
    "src/schemes/five.c": '#include "kernels/located_step.h"',
    "tests/unit/kernels/test_private.c": '#include "kernels/private.h"',
    "src/model/joints/fixed.c": '#include "model/model.h"\n#include "model/joints/common.h"',
    "src/io/scene.c": '#include <jansson.h>\n#include <hdf5.h>\n#include "sim/sim.h"',
    "cli/main.c": '#include "cli.h"\n#include <jansson.h>\n#include <slipstick/slipstick.h>',
    "cli/cli.h": "",
}
BAD = {
    "src/base/up.c": '#include "math/vec.h"',
    "src/geom/side.c": '#include "problem/kkt.h"',
    "src/math/relative.c": '#include "../base/base.h"',
    "src/math/bare.c": '#  include "vec.h"',
    "src/solvers/sor.c": '#include "solvers/pgs.h"',
    "src/solvers/jacobi.c": '#include "solvers/lemke/lcp.h"',
    "src/schemes/four.c": '#include "schemes/three/part.h"\n#include "kernels/private.h"',
    "src/kernels/private.h": "",
    "src/problem/twice.h": "#ifndef SS_INNER_H",
    "src/solvers/solver.h": "#ifndef SS_SOLVER_H\ntypedef struct ss_lcp {\n    int m;\n} ss_lcp;",
    "src/schemes/two.c": '#include "schemes/one.h"',
    "src/kernels/theta.c": '#include "solvers/lemke.h"',
    "src/sim/result.c": "#include <hdf5.h>",
    "src/model/reader.c": "#include <jansson.h>",
    "src/extra/new.c": '#include "base/base.h"',
    "cli/run.c": '#include "sim/sim.h"',
    "cli/plot.c": "#include <hdf5.h>",
}


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name, text in {**GOOD, **BAD}.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text + "\n", encoding="utf-8")
        seen = {line.split(":")[0] for line in violations(root)}
    wrong = [f"not found: {name}" for name in BAD if name not in seen]
    wrong += [f"found without reason: {name}" for name in GOOD if name in seen]
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    found = violations(Path(__file__).resolve().parent.parent)
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
