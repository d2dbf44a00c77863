#!/usr/bin/env python3
"""Every field of the schema wrong in turn, and files that are no scenes: status 2, one line with file and path.

The two sample scenes use every key of the schema (checked first); schemes and solvers are written from the schema,
with every option at its default. Each value in them is then replaced by values
of the wrong type or out of bounds, each required key removed, an unknown key put into each object.

These thousands of scenes are checked by few processes, `slipstick check SCENE...`, which must say one line about each. Of every
key and of every wrong value one is checked by a process of its own too, as users do."""
import copy
import json
import shutil

from common import ROOT, TEMP, check, finish, refused, run, write

SCHEMA = json.loads(run("check", "--schema").stdout)
SECTIONS = ("scheme", "solver")
SAMPLES = {d: json.loads((ROOT / "tests" / "cli" / ("full_%dd.json" % d)).read_text()) for d in (2, 3)}
for d in (2, 3):  # the meshes that they name, beside every scene that is made of them
    shutil.copy(ROOT / "tests" / "cli" / ("sample_%dd.msh" % d), TEMP)
write("part.json", {"parameters": {"from_file": 1}})
LISTS = ("materials", "pairs", "bodies", "elements", "joints", "forces", "outputs")


def group(d, inner=()):
    """A group with all its keys."""
    turn = {"angle": 0.1} if d == 2 else {"orientation": {"euler": [0.1, 0, 0], "order": "zyx"}}
    body = {"name": "part", "type": "rigid", "mass": 1, "inertia": 1 if d == 2 else [1, 1, 1], "position": [200] * d}
    return {"name": "group", "position": [0] * d, "replicate": {"copy": ["a"]}, "parameters": {"here": 1}, "include": "part.json", **turn,
            "defaults": {kind: {} for kind in LISTS + ("shapes",)}, "materials": [{"name": "glass", "mu": 0.1}],
            "pairs": [{"materials": ["glass", "glass"], "mu": 0.2}], "bodies": [body],
            "elements": [{"name": "stick", "type": "bar", "size": [1] * d, "divisions": 2, "E": 1e6, "density": 100, "position": [300] * d}],
            "joints": [{"name": "string", "type": "distance", "bodies": ["world", "part"]}],
            "forces": [{"name": "pull", "type": "constant", "body": "part", "force": [1] * d}],
            "outputs": [{"name": "length", "type": "coordinate", "joint": "string"}], "groups": list(inner)}


def authored(scene):
    """The scene with the keys of docs/authoring.md: a group in a group, an included file, copies of everything."""
    d = scene["dimension"]
    scene.update({"groups": [group(d, [{"name": "inner"}])], "include": "part.json", "defaults": {kind: {} for kind in LISTS + ("shapes",)}})
    for item in [item for kind in LISTS for item in scene[kind]] + [s for body in scene["bodies"] for s in body.get("shapes", [])]:
        item["replicate"] = {"copy": 1}
    if d == 3:
        scene["friction_frame"] = {"axis": [0, 0, 1], "angle": "pi/8"}
        scene["bodies"][0]["shapes"][0]["orientation"] = {"matrix": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}
    return scene


SAMPLES = {d: authored(scene) for d, scene in SAMPLES.items()}


# ---- walking scene and schema side by side -------------------------------------------------------


def pointed(place):
    """What "#/a/b" refers to."""
    node = SCHEMA
    for key in place.split("/")[1:]:
        node = node[key]
    return node


def resolve(schema, value):
    """Follow $ref; of several objects take the one whose "type" or "name" fits the value, or whose keys do."""
    if "$ref" in schema:
        return resolve(pointed(schema["$ref"]), value)
    for option in schema.get("anyOf", []) if "properties" not in schema else []:
        if isinstance(value, dict) and set(value) <= set(option.get("properties", {})):
            return option
        if isinstance(value, list) and "items" in option:
            return option
    for option in schema.get("oneOf", []) if "properties" not in schema else []:
        key = "type" if "type" in option["properties"] else "name"
        if key not in option.get("properties", {}) or not isinstance(value, dict):
            continue
        names = option["properties"][key]
        if value.get(key) in names.get("enum", [names.get("const")]):
            return option
    return schema


def walk(value, schema, path=()):
    """Yield (path, value, schema) of everything below, objects before what they hold."""
    schema = resolve(schema, value)
    yield path, value, schema
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in schema.get("properties", {}):
                yield from walk(inner, schema["properties"][key], path + (key,))
    elif isinstance(value, list) and "items" in schema:
        for k, inner in enumerate(value):
            yield from walk(inner, schema["items"], path + (k,))


def method_samples():
    """For every scheme and solver a small scene that gives all its options."""
    base = {"slipstick": 1, "dimension": 2, "bodies": [{"name": "dust", "type": "particle", "mass": 1, "position": [0, 0]}]}
    for section in SECTIONS:
        for option in SCHEMA["properties"][section]["oneOf"]:
            name = option["properties"]["name"]["enum"][0]
            values = {k: p.get("default", p.get("minimum", 1)) for k, p in option["properties"].items() if k != "name"}
            yield section, dict(base, **{section: dict(values, name=name)})


def places():
    """Every (scene, path, value, schema) to be spoilt."""
    for scene in SAMPLES.values():
        for path, value, schema in walk(scene, SCHEMA):
            if path[:1] not in [(s,) for s in SECTIONS]:
                yield scene, path, value, schema
    for section, scene in method_samples():
        for path, value, schema in walk(scene, SCHEMA):
            if path[:1] == (section,):
                yield scene, path, value, schema


def name_of(place):
    """A list of the scene is the same list in a group."""
    return place.replace("#/properties/", ".")


def keys_of(schema, name, found):
    """All "object.key" that the schema knows."""
    if isinstance(schema, dict):
        if "properties" in schema:
            kind = schema["properties"].get("type", schema["properties"].get("name", {}))
            label = name + ":" + str(kind.get("enum", [kind.get("const", "")])[0])
            for key, inner in schema["properties"].items():
                found.add(label + "." + key)
                keys_of(inner, name + "." + key, found)
        for key in ("items", "oneOf", "anyOf"):
            inner = schema.get(key, [])
            for option in inner if isinstance(inner, list) else [inner]:
                keys_of(option, name, found)
        if "$ref" in schema and schema["$ref"] not in found:  # goes by the place it refers to, once
            found.add(schema["$ref"])
            keys_of(pointed(schema["$ref"]), name_of(schema["$ref"]), found)
    return found


def keys_used(value, schema, name, found):
    """Those of them that a scene uses."""
    if "$ref" in schema:
        found.add(schema["$ref"])
        name = name_of(schema["$ref"])
    schema = resolve(schema, value)
    if isinstance(value, dict):
        kind = schema.get("properties", {}).get("type", schema.get("properties", {}).get("name", {}))
        label = name + ":" + str(kind.get("enum", [kind.get("const", "")])[0])
        for key, inner in value.items():
            if key in schema.get("properties", {}):
                found.add(label + "." + key)
                keys_used(inner, schema["properties"][key], name + "." + key, found)
    elif isinstance(value, list):
        for inner in value:
            keys_used(inner, schema.get("items", {}), name, found)
    return found


# ---- wrong values --------------------------------------------------------------------------------


def wrong_values(path, value, schema):
    """Values that cannot stand here, whatever the rest of the scene says."""
    key = path[-1]
    free_text = key in ("description",) or (key == "name" and "exact" not in path and "scheme" not in path and "solver" not in path)
    if isinstance(value, bool):
        return ["yes", 2, None, []]
    if free_text:
        return [5, True, None, []] + ([] if key == "description" or len(path) == 1 else [""])
    if isinstance(value, dict):
        return [5, "text", True, None, []]
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return [5, "text", True, None, {}, [5]]
    if isinstance(key, int):
        return [True, "0/0"]
    bad = [True, None, {}, "no such word", "1/0", "sin("]
    if isinstance(value, list):
        any_length = key in ("points", "heights")
        return bad + [[], [True] * len(value)] + ([] if any_length else [[1], value + [value[-1]] * 7])
    if path == ("slipstick",) or path == ("dimension",):
        return bad + [0, 4, -1, 1.5]
    numeric = isinstance(value, (int, float)) or key in ("step", "mass", "radius", "length")
    low, high = schema.get("minimum"), schema.get("maximum")
    if numeric and low is not None:
        bad.append(low - 1)
    if numeric and "exclusiveMinimum" in schema:
        bad += [schema["exclusiveMinimum"], schema["exclusiveMinimum"] - 1]
    if numeric and high is not None:
        bad.append(high * 2 + 1)
    if "integer" in schema.get("type", []):
        bad.append(3.5)
    return bad


def put(scene, path, value):
    scene = copy.deepcopy(scene)
    at = scene
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return scene


def remove(scene, path):
    scene = copy.deepcopy(scene)
    at = scene
    for key in path[:-1]:
        at = at[key]
    del at[path[-1]]
    return scene


def last_key(path):
    """The last key of a path; items of lists go by name or index in messages."""
    return [key for key in path if isinstance(key, str)][-1]


def try_scene(sentence, scene, *parts):
    path = write("scene.json", scene)
    refused(sentence, run("check", path), path, *parts)


class Batch:
    """Bad scenes that one process checks, a good one after them."""

    LIMIT = 300
    good = write("good.json", SAMPLES[2])

    def __init__(self):
        self.cases = []
        self.alone = set()

    def add(self, kind, sentence, scene, *parts):
        """The first one of its kind is checked alone as well."""
        if kind not in self.alone:
            self.alone.add(kind)
            try_scene(sentence, scene, *parts)
        path = write("scene%03d.json" % len(self.cases), scene)
        self.cases.append((sentence, path, parts))
        if len(self.cases) == self.LIMIT:
            self.close()

    def close(self):
        """Check those that were added."""
        paths = [path for _, path, _ in self.cases]
        result = run("check", *paths, self.good)
        lines = result.stderr.splitlines()
        check("%d bad scenes: status %d, %d lines" % (len(paths), result.returncode, len(lines)),
              result.returncode == 2 and len(lines) == len(paths))
        check("the good one after them is valid: %r" % result.stdout[:300], result.stdout == "%s: valid\n" % self.good)
        for (sentence, path, parts), line in zip(self.cases, lines + ["nothing"] * len(paths)):
            check("%s: %r, expected %r" % (sentence, line[:300], parts), line.startswith("%s: " % path) and all(p in line for p in parts))
        self.cases = []


# ---- the tests -----------------------------------------------------------------------------------


def samples_cover_the_schema():
    used = set()
    for scene in list(SAMPLES.values()) + [scene for _, scene in method_samples()]:
        keys_used(scene, SCHEMA, "", used)
    missing = keys_of(SCHEMA, "", set()) - used
    check("the sample scenes use every key of the schema, not: %s" % sorted(missing), not missing)


def wrong_values_are_refused():
    batch = Batch()
    for scene, path, value, schema in places():
        if not path:
            continue
        for bad in wrong_values(path, value, schema):
            sentence = "%dD %s = %r" % (scene["dimension"], ".".join(map(str, path)), bad)
            kind = last_key(path) if isinstance(bad, (bool, list)) else repr(bad)
            batch.add(kind, sentence, put(scene, path, bad), last_key(path))
    batch.close()


def required_keys_are_missed():
    batch = Batch()
    for scene, path, value, schema in places():
        for key in schema.get("required", []) if isinstance(value, dict) and path not in [(s,) for s in SECTIONS] else []:
            if key == "type" and path[-2:-1] == ("bodies",):  # without a type a body is rigid
                continue
            batch.add(key, "%s without %s" % (path, key), remove(scene, path + (key,)), key)
    batch.close()


def unknown_keys_are_refused():
    batch = Batch()
    for scene, path, value, schema in places():
        if isinstance(value, dict) and path[-1:] not in (("parameters",), ("replicate",)):  # whose keys are the scene's own
            batch.add(path[:1], "unknown key in %s" % (path,), put(scene, path + ("zzzz",), 1), 'unknown key "zzzz"')
    batch.close()


def near_names_are_offered():
    flat = SAMPLES[2]
    for path, word, near in [
        (("bodies", 0, "masss"), 1, "mass"),
        (("gravty",), [0, 0], "gravity"),
        (("scheme", "name"), "anitescu_potr", "anitescu_potra"),
        (("solver", "name"), "lemk", "lemke"),
        (("exact", "name"), "bouncing_bal", "bouncing_ball"),
        (("joints", 0, "type"), "distanse", "distance"),
        (("joints", 0, "bodies", 1), "dusty", "dust"),
        (("forces", 0, "type"), "sprng", "spring"),
        (("bodies", 1, "shapes", 0, "type"), "spere", "sphere"),
        (("bodies", 1, "shapes", 0, "material"), "wod", "wood"),
        (("pairs", 0, "materials", 0), "stel", "steel"),
        (("bodies", 0, "type"), "partical", "particle"),
    ]:
        try_scene("%s = %s" % (path, word), put(flat, path, word), 'did you mean "%s"?' % near)


def contradictions_are_refused():
    flat = SAMPLES[2]
    base = {"slipstick": 1, "dimension": 2, "time": {"until": 1, "step": 0.1}}
    ball = {"name": "ball", "type": "rigid", "mass": 1, "inertia": 1, "position": [0, 1]}
    arm = {"name": "arm", "type": "rigid", "mass": 1, "inertia": 1, "position": [1, 1]}
    pin = {"name": "pin", "type": "revolute", "bodies": ["ball", "arm"], "anchors": [[0.5, 0], [-0.5, 0]]}
    try_scene("a scene without bodies", base, "bodies")
    try_scene("a scene with no body in it", dict(base, bodies=[]), "bodies")
    try_scene("a scene with fixed bodies alone", dict(base, bodies=[{"name": "a", "type": "fixed"}]), "at least one")
    try_scene("two bodies of one name", dict(base, bodies=[ball, ball]), "ball")
    try_scene("a body called world", dict(base, bodies=[dict(ball, name="world")]), "world")
    try_scene("a joint that dangles", dict(base, bodies=[ball], joints=[pin]), "arm")
    try_scene("a joint of a body with itself", dict(base, bodies=[ball, arm], joints=[dict(pin, bodies=["arm", "arm"])]), "pin")
    try_scene("a joint that does not fit", dict(base, bodies=[ball, dict(arm, position=[5, 1])], joints=[pin]), "pin")
    try_scene("velocities that tear a joint", dict(base, bodies=[ball, dict(arm, velocity=[1, 0])], joints=[pin]), "pin")
    try_scene("no mass at all", dict(base, bodies=[{"name": "ball", "type": "rigid", "position": [0, 0]}]), "ball")
    try_scene("negative inertia", dict(base, bodies=[dict(ball, inertia=-1)]), "bodies.ball.inertia")
    loose = write("scene.json", dict(base, bodies=[dict(ball, inertia=0)]))
    for scheme, why in (("galpha_ggl", "its joints leave it free to move"), ("moreau", "scheme moreau divides by masses")):
        refused("zero inertia with " + scheme, run("run", loose, "--scheme", scheme), loose, "bodies.ball.inertia: 0", why)
    try_scene("negative mass", dict(base, bodies=[dict(ball, mass=-1)]), "bodies.ball.mass", "expected a number >= 0, got -1")
    try_scene("a 3D key in 2D", dict(base, bodies=[dict(ball, orientation=[1, 0, 0, 0])]), "orientation")
    try_scene("a block in a file", dict(base, bodies=[{"name": "b", "type": "block"}]), "bodies.b.type")
    try_scene("an item without a name goes by its index", dict(base, bodies=[{"type": "particle", "mass": 1}]), "bodies[0].position")
    try_scene("times that go back", put(flat, ("forces", 5, "table", "t"), [0, 2, 1]), "forces.curve.table.t")


def files_that_are_no_scenes_are_refused():
    good = (ROOT / "papers" / "ap97" / "ramp.json").read_bytes()
    for k in range(0, len(good) - 2, 131):
        path = write("cut.json", good[:k])
        refused("a scene cut after %d bytes" % k, run("check", path), path)
    for name, content in [
        ("empty.json", b""),
        ("garbage.json", bytes(range(256)) * 40000),
        ("braces.json", b"[" * 5000000),
        ("deep.json", b'{"a":' * 3000 + b"1" + b"}" * 3000),
        ("nan.json", b'{"slipstick": 1, "dimension": 2, "gravity": [0, NaN]}'),
        ("infinity.json", b'{"slipstick": 1, "dimension": 2, "gravity": [0, -Infinity]}'),
        ("huge.json", b'{"slipstick": 1, "dimension": 2, "gravity": [0, 1e999]}'),
        ("twice.json", b'{"slipstick": 1, "slipstick": 1}'),
        ("tail.json", good + b"x"),
        ("list.json", b"[1, 2]"),
        ("number.json", b"17"),
        ("bytes.json", b'{"slipstick": 1, "name": "\xff\xfe"}'),
        ("newline.json", b'{"slipstick": 1, "two\\nlines": 1}'),
        ("zero.json", b'{"slipstick": 1, "a\\u0000b": 1}'),
    ]:
        path = write(name, content)
        refused("%s" % name, run("check", path), path)
        refused("%s" % name, run("run", path), path)
    refused("a folder", run("check", TEMP), TEMP)
    refused("a file that is not there", run("check", TEMP / "nothing.json"), "nothing.json", "No such file")
    refused("a syntax error says where", run("check", write("comma.json", '{"slipstick": 1,\n "dimension": 2,,}')), "line 2")


samples_cover_the_schema()
required_keys_are_missed()
unknown_keys_are_refused()
near_names_are_offered()
contradictions_are_refused()
files_that_are_no_scenes_are_refused()
wrong_values_are_refused()
finish()
