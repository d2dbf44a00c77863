#!/usr/bin/python3
"""check_sizes.py - is every file short enough to read in one go, and every struct small enough to hold in mind?

  No .c or .h file of src/, cli/, include/ and tests/ has more than LINES lines, but those of LONG_FILES.
  No struct of src/ and cli/ has more than FIELDS fields, but those that are filled once and constant in a step (WIDE_STRUCTS).
  Fields between the comments "constant in a step" and "changes in a step" of a struct are not counted.
  A struct inside a struct is one field if it has a name; without one its fields are those of the outer. An exception that is
  not needed (any more) is a violation too.

Prints one line per violation and exits 1; --self-test proves on a made-up tree that it can.
"""
import re
import sys
import tempfile
from pathlib import Path

LINES = 500
FIELDS = 15
LONG_FILES = {}  # file: why it is one
WIDE_STRUCTS = {  # file: {struct: why it is one}
    "src/geom/polytope.h": {"ss_polytope": "corners, edges and faces of a shape, constant once it is built"},
    "src/model/model.h": {"ss_model": "the compiled scene, constant from then on"},
    "src/model/scene.h": {"ss_scene": "what the file says, list by list"},
    "cli/generate.h": {"gen_options": "options of the command line"},
    "cli/run.h": {"run_options": "options of the command line"},
}


# ---- files -------------------------------------------------------------------------------------------

def long_files(root, allowed):
    found, seen = [], set()
    for folder in ("src", "cli", "include", "tests"):
        for path in sorted((root / folder).rglob("*.[ch]")):
            name, lines = str(path.relative_to(root)), len(path.read_text(encoding="utf-8").splitlines())
            if lines > LINES and name in allowed:
                seen.add(name)
            elif lines > LINES:
                found.append(f"{name}: {lines} lines, at most {LINES}")
    return found + [f"{name}: an exception of check_sizes.py, but not over {LINES} lines" for name in sorted(set(allowed) - seen)]


# ---- structs -------------------------------------------------------------------------------------------

def without(text):
    """Comments, strings and directives blanked; the ends of lines stay, to be counted."""
    blank = lambda match: re.sub(r"[^\n]", " ", match[0])
    text = re.sub(r"/\* constant in a step \*/.*?/\* changes in a step \*/", blank, text, flags=re.S)
    return re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#(?:\\\n|[^\n])*', blank, text, flags=re.S | re.M)


def end_of(text, start):
    """The place of the brace that closes the one before `start`."""
    depth = 1
    for match in re.finditer(r"[{}]", text[start:]):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return start + match.start()
    raise ValueError("a brace is not closed")


def count_fields(body):
    """Declarators between the braces of a struct."""
    count, place = 0, 0
    while inner := re.compile(r"\b(struct|union)\b[^;{}()]*\{").search(body, place):
        end = end_of(body, inner.end())
        nameless = re.match(r"\s*;", body[end + 1:])
        count += count_fields(body[inner.end():end]) if nameless else 0
        body = body[:inner.start()] + ("" if nameless else "struct") + body[end + 1:].lstrip("; " if nameless else "")
        place = inner.start()
    body = re.sub(r"\benum\b[^;{}()]*\{[^{}]*\}", "enum", body)
    while "(" in body:  # parameters of functions have commas of their own
        body, changed = re.subn(r"\([^()]*\)|\[[^][()]*\]", "", body)
        if not changed:
            raise ValueError("a bracket is not closed")
    return count + sum(part.count(",") + 1 for part in body.split(";") if part.strip())


def structs_of(text):
    """(name, line, number of fields) of every struct that is defined."""
    text = without(text)
    for match in re.finditer(r"\bstruct\s+(\w+)?\s*\{", text):
        end = end_of(text, match.end())
        after = re.match(r"\s*(\w+)", text[end + 1:])
        name = match[1] or (after[1] if after else "without a name")
        yield name, text.count("\n", 0, match.start()) + 1, count_fields(text[match.end():end])


def wide_structs(root, allowed):
    found, seen = [], set()
    for folder in ("src", "cli"):
        for path in sorted((root / folder).rglob("*.[ch]")):
            file = str(path.relative_to(root))
            for name, line, fields in structs_of(path.read_text(encoding="utf-8")):
                if fields > FIELDS and name in allowed.get(file, {}):
                    seen.add((file, name))
                elif fields > FIELDS:
                    found.append(f"{file}:{line}: struct {name} has {fields} fields, at most {FIELDS}")
    known = {(file, name) for file, names in allowed.items() for name in names}
    needless = "is an exception of check_sizes.py, but not over"
    return found + [f"{file}: struct {name} {needless} {FIELDS} fields" for file, name in sorted(known - seen)]


# ---- self-test -----------------------------------------------------------------------------------------

def fields(first, last):
    return "".join(f"    int x{k}; /* a, b; c */\n" for k in range(first, last + 1))


GOOD = {
    "src/a/full.c": "x\n" * LINES,
    "src/a/table.c": "x\n" * (LINES + 1),
    "src/a/fifteen.h": "typedef struct fifteen {\n" + fields(1, 14) + "    int (*f)(int a, int (*b)(int c, int d), char s[2]);\n} fifteen;",
    "src/a/named_inside.h": "struct outer {\n" + fields(1, 14) + "    struct { int a, b, c; } *one;\n};",
    "src/a/not_a_struct.c": "int f(struct outer *o) {\n" + fields(1, 20) + "}",
    "src/a/wide.h": "typedef struct wide {\n" + fields(1, 16) + "} wide;",
    "include/wide.h": "typedef struct description {\n" + fields(1, 16) + "} description;",
    "src/a/marked.h": "struct marked {\n    /* constant in a step */\n" + fields(1, 9) + "    /* changes in a step */\n" + fields(10, 20) + "};",
    "tests/quoted.c": "char *s = \"struct big {\";",
}
BAD = {
    "src/a/long.c": ("x\n" * (LINES + 1), f"{LINES + 1} lines, at most {LINES}"),
    "tests/unit/long.h": ("x\n" * (LINES + 7), f"{LINES + 7} lines, at most {LINES}"),
    "cli/sixteen.h": ("\n\ntypedef struct sixteen {\n" + fields(1, 16) + "} sixteen;", "3: struct sixteen has 16 fields"),
    "src/a/in_a_row.c": ("struct row { int a, b, c, d, e, f, g, h, i, j, k, l, m, *n[3], o, p; };", "1: struct row has 16 fields"),
    "src/a/open_mark.h": ("struct open {\n    /* constant in a step */\n" + fields(1, 16) + "};", "1: struct open has 16 fields"),
    "src/a/nameless.h": ("struct outer {\n" + fields(1, 14) + "    union { int a; double b; };\n};", "1: struct outer has 16 fields"),
    "src/a/later_name.h": ("static const struct {\n" + fields(1, 17) + "} list[] = { { 0 } };", "1: struct list has 17 fields"),
    "src/a/inner.h": ("struct outer {\n    struct inner {\n" + fields(1, 18) + "    } one;\n};", "2: struct inner has 18 fields"),
    "src/a/needless.c": ("x\n", f"but not over {LINES} lines"),
    "src/a/small.h": ("typedef struct small {\n    int x;\n} small;", "struct small is an exception of check_sizes.py"),
}


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name, text in [*GOOD.items(), *((name, text) for name, (text, _) in BAD.items())]:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text if text.endswith("\n") else text + "\n", encoding="utf-8")
        lines = long_files(root, {"src/a/table.c": "", "src/a/needless.c": ""})
        lines += wide_structs(root, {"src/a/wide.h": {"wide": ""}, "src/a/small.h": {"small": ""}})
    wrong = [f"not found: {name}: {text}" for name, (_, text) in BAD.items()
             if not any(line.startswith(name + ":") and text in line for line in lines)]
    wrong += [f"found without reason: {line}" for line in lines if line.split(":")[0] not in BAD]
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    root = Path(__file__).resolve().parent.parent
    found = long_files(root, LONG_FILES) + wide_structs(root, WIDE_STRUCTS)
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
