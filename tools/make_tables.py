#!/usr/bin/python3
"""Fill the tables of docs/*.md from the registries, or check that they are fresh.

    tools/make_tables.py SLIPSTICK [--check]

A table stands between `<!-- table: WHAT -->` and `<!-- end -->`. WHAT is
    list KIND              one row per entry of a registry
    list KIND NAME         the options of one entry
    schema A.B.C           the keys of an object of the scene's schema
    schema $defs.NAME      the keys of one of its definitions
    schema bodies TYPE     the keys of one type of body
    file PATH              a file of the project, as a block of code
"""
import glob
import json
import os
import re
import subprocess
import sys


def call(program, *words):
    return json.loads(subprocess.run([program, *words], check=True, stdout=subprocess.PIPE, text=True).stdout)


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows])


def shown(value):
    return "" if value is None else "`%s`" % (value if isinstance(value, str) else json.dumps(value))


def bounds(field):
    low, high = field.get("min"), field.get("max")
    if low is None and high is None:
        return ""
    return "%s .. %s" % ("" if low is None else "%g" % low, "" if high is None else "%g" % high)


def registry(program, kind, name=None):
    entries = call(program, "list", kind, "--json")
    if kind == "exact":
        return table(["name", "what it is", "in", "reference"],
                     [["`%s`" % e["name"], e["title"], ", ".join("%dD" % d for d in e["dimensions"]), e["reference"]] for e in entries])
    if name is None:
        hidden = ("name", "type")
        return table(["name", "what it is", "keys of its own"],
                     [["`%s`" % e["name"], e["title"], ", ".join("`%s`" % p["name"] for p in e["params"] if p["name"] not in hidden)]
                      for e in entries])
    entry = next(e for e in entries if e["name"] == name)
    return table(["option", "default", "range", "meaning"],
                 [["`%s`" % p["name"], shown(p["default"]), bounds(p), p["doc"]] for p in entry["params"]])


def properties(program, words):
    schema = call(program, "check", "--schema")
    node = schema["properties"]
    if words[0].startswith("$defs."):
        node = schema["$defs"][words[0][len("$defs."):]]
    elif words[0] == "bodies":
        kinds = node["bodies"]["items"]["oneOf"]
        node = next(k for k in kinds if k["properties"]["type"].get("const") == words[1])
    else:
        for key in words[0].split("."):
            node = node[key]
    required = node.get("required", [])

    def described(value):
        there = schema
        for key in value.get("$ref", "#").split("/")[1:]:
            there = there[key]
        return value.get("description", there.get("description", "") if there is not schema else "")
    return table(["key", "meaning"],
                 [["`%s`%s" % (k, " (required)" if k in required else ""), described(v)] for k, v in node["properties"].items() if k != "replicate"])


def file_block(path):
    with open(path, encoding="utf-8") as file:
        return "```%s\n%s\n```" % (path.rsplit(".", 1)[-1], file.read().rstrip())


def fill(program, text):
    makers = {"list": lambda words: registry(program, *words), "schema": lambda words: properties(program, words),
              "file": lambda words: file_block(*words)}

    def make(match):
        kind, *words = match.group(1).split()
        body = makers[kind](words)
        return "<!-- table: %s -->\n%s\n<!-- end -->" % (match.group(1), body)
    return re.sub(r"<!-- table: (.*?) -->\n.*?<!-- end -->", make, text, flags=re.S)


def main():
    program = os.path.abspath(sys.argv[1])
    stale = 0
    for path in sorted(glob.glob("docs/**/*.md", recursive=True)):
        text = open(path).read()
        fresh = fill(program, text)
        if fresh != text and "--check" in sys.argv:
            print("%s: its tables are not those of the registries; run tools/make_tables.py %s" % (path, sys.argv[1]))
            stale += 1
        elif fresh != text:
            open(path, "w").write(fresh)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
