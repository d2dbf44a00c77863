#!/usr/bin/python3
"""reduce.py - the least scene that still has the same fault.

    reduce.py SLIPSTICK SCENE KIND [--limit S] [-o FILE]

SCENE names its scheme, as those do that survey.py keeps; KIND is a kind of judge.py. Parts are taken away and numbers made
simple, one change at a time, as long as the program accepts the scene and the fault is at least a tenth as large. An interrupt
(Ctrl-C) ends it with what it has by then."""
import argparse
import copy
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import judge  # noqa: E402
import random_scene  # noqa: E402
import survey  # noqa: E402

KEEP = 0.1  # of the size of the fault


def without_body(scene, name):
    scene["bodies"] = [body for body in scene["bodies"] if body["name"] != name]
    for key in ("joints", "forces"):
        scene[key] = [part for part in scene[key] if name not in part.get("bodies", [part.get("body")])]


def drops(scene):
    """Changes that take something away: (words, function of a copy)."""
    for body in scene["bodies"]:
        yield "body " + body["name"], lambda s, name=body["name"]: without_body(s, name)
    for key in ("joints", "forces"):
        for k in reversed(range(len(scene[key]))):
            yield "%s %d" % (key, k), lambda s, key=key, k=k: s[key].pop(k)
    for k, joint in enumerate(scene["joints"]):
        for key in ("limits", "motor", "collide"):
            if key in joint:
                yield "joint %d %s" % (k, key), lambda s, k=k, key=key: s["joints"][k].pop(key)
    for k, body in enumerate(scene["bodies"]):
        for key in ("velocity", "angular_velocity", "orientation", "angle"):
            if key in body:
                yield "%s of %s" % (key, body["name"]), lambda s, k=k, key=key: s["bodies"][k].pop(key)
        for j in range(len(body.get("shapes", []))):
            yield "shape %d of %s" % (j, body["name"]), lambda s, k=k, j=j: s["bodies"][k]["shapes"].pop(j)


def one_material(scene):
    """All shapes of the last material; those without a use are dropped."""
    for body in scene["bodies"]:
        for shape in body.get("shapes", []):
            shape["material"] = scene["materials"][-1]["name"]
    del scene["materials"][:-1]
    scene["pairs"] = []


def simplifications(scene):
    """Changes that leave the parts: (words, function of a copy)."""
    steps = round(scene["time"]["until"] / scene["time"]["step"])
    for fewer in sorted({max(1, round(part * steps)) for part in (0.25, 0.5, 0.8, 0.95)} - {steps}):
        yield "%d steps" % fewer, lambda s, n=fewer: s["time"].update(until=float("%.4g" % (n * s["time"]["step"])))
    if len(scene["materials"]) > 1:
        yield "one material", one_material
    for k, material in enumerate(scene["materials"]):
        for key in ("mu", "e"):
            if material[key]:
                yield "%s %d = 0" % (key, k), lambda s, k=k, key=key: s["materials"][k].update({key: 0})
    for k, body in enumerate(scene["bodies"]):
        for key in ("mass", "position", "velocity", "angular_velocity", "angle"):
            if key in body and rounded(body[key]) != body[key]:
                words = "%s of %s rounded" % (key, body["name"])
                yield words, lambda s, k=k, key=key: s["bodies"][k].update({key: rounded(s["bodies"][k][key])})
        if body.get("mass", 1) != 1:
            yield "mass of %s = 1" % body["name"], lambda s, k=k: s["bodies"][k].update(mass=1)


def rounded(value):
    if isinstance(value, list):
        return [rounded(item) for item in value]
    return value if isinstance(value, str) else float("%.2g" % value)


def size(program, entry, scene, kind, limit):
    """Of the fault, 0 if there is none of this kind."""
    ended = survey.run(program, scene, entry["name"], limit)
    faults = judge.judge(scene, entry, ended) if ended else []
    return max((fault.size for fault in faults if fault.kind == kind), default=0)


def reduce(program, entry, scene, kind, limit):
    """The smallest scene that one change at a time leads to."""
    least = KEEP * size(program, entry, scene, kind, limit)
    if not least:
        sys.exit("the scene has no fault of the kind %s" % kind)
    try:
        while any([pass_over(program, entry, scene, kind, limit, least, changes) for changes in (drops, simplifications)]):
            pass
    except KeyboardInterrupt:
        pass  # as far as it got
    return scene


def pass_over(program, entry, scene, kind, limit, least, changes):
    """One pass of changes, each tried on the scene as it then is; says whether one was kept."""
    kept, words_tried = False, set()
    while True:
        pending = [(words, change) for words, change in changes(scene) if words not in words_tried]
        if not pending:
            return kept
        words, change = pending[0]
        words_tried.add(words)
        trial = copy.deepcopy(scene)
        change(trial)
        if size(program, entry, trial, kind, limit) >= least:
            scene.clear()
            scene.update(trial)
            kept = True
            print("without " + words if changes is drops else words, file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("scene", type=argparse.FileType())
    parser.add_argument("kind", choices=judge.KINDS)
    parser.add_argument("--limit", type=float, default=20)
    parser.add_argument("-o", metavar="FILE", type=argparse.FileType("w"), default=sys.stdout)
    options = parser.parse_args()
    scene = json.load(options.scene)
    program = os.path.abspath(options.program)
    entry = survey.schemes(program, scene["scheme"]["name"])[0]
    options.o.write(random_scene.text(reduce(program, entry, scene, options.kind, options.limit)))


if __name__ == "__main__":
    main()
