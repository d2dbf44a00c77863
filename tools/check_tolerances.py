#!/usr/bin/python3
"""check_tolerances.py - does the table of tolerances, src/base/tolerances.h, say the truth?

  Every entry is used by a file of src/ besides the table itself, and a comment stands above it (or above the entry before it).
  Every entry has a line in TOLERANCES of tools/mutate.py, which names a source that sees the entry: it names it itself, or one of
  its own headers does. Every line of TOLERANCES names an entry, and makes it 100 times larger or smaller.
  No file of src/ defines an SS_TOL_ of its own.

Prints one line per violation and exits 1; --self-test proves on a made-up tree that it can.
"""
import importlib.util
import re
import sys
import tempfile
from pathlib import Path

TABLE = "src/base/tolerances.h"
ENTRY = re.compile(r"^#define (SS_TOL_\w+) +\S.*$", re.M)
NAME = re.compile(r"\bSS_TOL_\w+")


def sources(root):
    """By file of src/: its text. The table is not among them."""
    files = sorted(p for p in (root / "src").rglob("*.[ch]") if p != root / TABLE)
    return {str(p.relative_to(root)): p.read_text(encoding="utf-8") for p in files}


def without_comments(text):
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def headers_of(name, text):
    """The files of src/ that `name` sees, itself too."""
    seen, todo = set(), [name]
    while todo:
        file = todo.pop()
        if file not in seen and file in text:
            seen.add(file)
            todo += ["src/" + header for header in re.findall(r'^#include "([^"]+)"', text[file], re.M)]
    return seen


def faults_in_table(table, text):
    """Entries that are not used or not explained, and definitions elsewhere."""
    code = {name: without_comments(t) for name, t in text.items()}
    used = {name for t in code.values() for name in NAME.findall(t)}
    entries = ENTRY.findall(table)
    found = [f"{TABLE}: {name} is not used" for name in entries if name not in used]
    found += [f"{TABLE}: {name} is there {entries.count(name)} times" for name in sorted(set(entries)) if entries.count(name) > 1]
    lines = table.splitlines()
    for before, line in zip(lines, lines[1:]):
        explained = before.rstrip().endswith("*/") and "----" not in before or ENTRY.match(before)
        found += [f"{TABLE}: no comment above {m[1]}" for m in [ENTRY.match(line)] if m and not explained]
    return found + [f"{name}: defines {m}; the table is {TABLE}" for name, t in code.items() for m in ENTRY.findall(t)]


def faults_in_mutations(table, text, mutations):
    """Entries without a mutation, and mutations that mutate nothing."""
    entries, found = set(ENTRY.findall(table)), []
    for name, times, unit, *_ in mutations:
        sees = any(re.search(rf"\b{name}\b", without_comments(text[file])) for file in headers_of(unit, text))
        if name not in entries:
            found.append(f"tools/mutate.py: {name} is not in {TABLE}")
        elif not sees:
            found.append(f"tools/mutate.py: {unit} does not see {name}")
        if times not in (100, 0.01):
            found.append(f"tools/mutate.py: {name} times {times}, expected 100 or 0.01")
    missing = entries - {m[0] for m in mutations}
    return found + [f"{TABLE}: {name} has no line in TOLERANCES of tools/mutate.py" for name in sorted(missing)]


def faults(root, mutations):
    table, text = (root / TABLE).read_text(encoding="utf-8"), sources(root)
    return faults_in_table(table, text) + faults_in_mutations(table, text, mutations)


# ---- self-test -----------------------------------------------------------------------------------------

FILES = {
    TABLE: "/* of the unit: closed */\n#define SS_TOL_GOOD 1e-9\n#define SS_TOL_PAIR 1e-8\n/* through a header */\n"
           "#define SS_TOL_INLINE 1e-7\n/* ---- part ---- */\n#define SS_TOL_BARE 1e-6\n/* nobody asks */\n#define SS_TOL_UNUSED 1e-5\n"
           "/* twice */\n#define SS_TOL_TWICE 1e-4\n/* twice */\n#define SS_TOL_TWICE 1e-4\n/* without a test */\n#define SS_TOL_FREE 1\n",
    "src/a/a.h": "double f(void) { return SS_TOL_INLINE; }\n",
    "src/a/a.c": '#include "a/a.h"\nx = SS_TOL_GOOD + SS_TOL_PAIR + SS_TOL_BARE + SS_TOL_TWICE + SS_TOL_FREE; /* SS_TOL_UNUSED */\n',
    "src/a/b.c": "#define SS_TOL_OWN 1e-3\n",
}
MUTATIONS = [("SS_TOL_GOOD", 100, "src/a/a.c", "", ""), ("SS_TOL_PAIR", 0.01, "src/a/a.c", "", ""),
             ("SS_TOL_INLINE", 100, "src/a/a.c", "", ""), ("SS_TOL_BARE", 10, "src/a/a.c", "", ""),
             ("SS_TOL_UNUSED", 100, "src/a/a.c", "", ""), ("SS_TOL_TWICE", 100, "src/a/b.c", "", ""),
             ("SS_TOL_GONE", 100, "src/a/a.c", "", "")]
EXPECTED = {
    f"{TABLE}: SS_TOL_UNUSED is not used",
    f"{TABLE}: SS_TOL_TWICE is there 2 times",
    f"{TABLE}: no comment above SS_TOL_BARE",
    f"{TABLE}: SS_TOL_FREE has no line in TOLERANCES of tools/mutate.py",
    f"src/a/b.c: defines SS_TOL_OWN; the table is {TABLE}",
    "tools/mutate.py: SS_TOL_BARE times 10, expected 100 or 0.01",
    "tools/mutate.py: src/a/a.c does not see SS_TOL_UNUSED",
    "tools/mutate.py: src/a/b.c does not see SS_TOL_TWICE",
    f"tools/mutate.py: SS_TOL_GONE is not in {TABLE}",
}


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        for name, text in FILES.items():
            (Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
            (Path(folder) / name).write_text(text, encoding="utf-8")
        found = set(faults(Path(folder), MUTATIONS))
    wrong = [f"not found: {line}" for line in sorted(EXPECTED - found)]
    wrong += [f"found without reason: {line}" for line in sorted(found - EXPECTED)]
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    root = Path(__file__).resolve().parent.parent
    spec = importlib.util.spec_from_file_location("mutate", root / "tools" / "mutate.py")
    mutate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(mutate)
    found = faults(root, mutate.TOLERANCES)
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
