#!/usr/bin/python3
"""slipstick view: the page holds the numbers of the result, keeps to its size, and cannot be made to run anything; bad input
is refused in one line. What the page shows is tested in a browser (test_viewer.py)."""
import base64
import json
import math
import os
import re
import shutil
import signal
import subprocess
import urllib.error
import urllib.request

import h5py
import numpy

from common import PATIENCE, PROGRAM, ROOT, TEMP, check, finish, refused, run, write

TYPES = {"f32": "<f4", "f64": "<f8", "u16": "<u2", "u32": "<u4", "i32": "<i4", "u8": "u1"}
ARRAY = re.compile(r'<script type="application/base64" data-result="(\d+)" data-name="(\w+)" data-type="(\w+)">([A-Za-z0-9+/=]*)</script>')
HEAD = re.compile(r'<script type="application/json" class="result">(.*)</script>')


def make(name, scene, *words):
    path = TEMP / name
    result = run("run", scene, "--quiet", "-o", path, *words)
    check("%s runs: %s" % (name, result.stderr), result.returncode == 0)
    return path


def view(*words):
    result = run("view", *words)
    check("view %s succeeds: %s" % (words, result.stderr), result.returncode == 0 and result.stderr == "")
    return result


def read_page(path):
    """The heads and arrays of a page, result by result."""
    text = path.read_text()
    heads = [json.loads(head) for head in HEAD.findall(text)]
    arrays = [{} for _ in heads]
    for which, name, kind, letters in ARRAY.findall(text):
        arrays[int(which)][name] = numpy.frombuffer(base64.b64decode(letters, validate=True), TYPES[kind])
    return heads, arrays


def named_columns(path):
    with h5py.File(path) as file:
        return {name: file["q"][:, k] for k, name in enumerate(file["names/q"].asstr()[:])}


# ---- numbers ---------------------------------------------------------------------------------------------

def the_page_holds_the_states_of_a_plane_result():
    path = make("show.h5", ROOT / "scenes" / "showcase.json", "--until", "1.2")
    said = view(path)
    page = TEMP / "show.html"
    check("the page is named after the result and said: %r" % said.stdout, said.stdout.startswith(str(page)) and page.exists())
    heads, arrays = read_page(page)
    with h5py.File(path) as file:
        q, v, t = file["q"][:], file["v"][:], file["time"][:]
        offset, gap = file["contacts/offset"][:], file["contacts/gap"][:]
        impacts = file["events/time"][:]
    check("times are those of the result, to the bit", (arrays[0]["time"] == t).all())
    check("poses are its coordinates as 32-bit numbers", (arrays[0]["pose"] == q.astype("f4").ravel()).all())
    check("velocities are its own as 32-bit numbers", (arrays[0]["velocity"] == v.astype("f4").ravel()).all())
    check("every state has its contacts", (arrays[0]["contact_offset"] == offset).all())
    least = [min(gap[a:b], default=math.nan) for a, b in zip(offset, offset[1:])]
    check("the smallest gap is that of the state's contacts", numpy.array_equal(arrays[0]["gap"], least, equal_nan=True))
    check("impacts are marked", len(impacts) > 3 and set(arrays[0]["event_time"]) <= set(impacts))
    head = heads[0]
    check("the head says what it is", (head["dimension"], head["states"], head["frames"], head["compact"]) == (2, len(t), len(t), False))
    check("the scene is in the page", head["scene"]["bodies"][2]["name"] == "hammer")


def forces_hold_what_rests():
    """A cube of 1 kg: the forces of its contacts in the page sum up to its weight."""
    path = make("cube.h5", ROOT / "papers" / "ap97" / "sliding_cube.json", "--until", "0.1")
    view(path)
    heads, (a,) = read_page(TEMP / "cube.html")
    first, end = a["contact_offset"][-2:]
    vectors, bodies = a["contact_vectors"].reshape(-1, 6)[first:end], a["contact_bodies"].reshape(-1, 2)[first:end]
    cube = [body["name"] for body in heads[0]["scene"]["bodies"]].index("cube")
    sign = numpy.where(bodies[:, 0] == cube, 1, -1)
    scene = heads[0]["scene"]
    weight = -scene["gravity"][2] * scene["bodies"][cube].get("mass", 1)
    up = float((sign * vectors[:, 5]).sum())
    check("contact forces carry the cube: %g of %g N" % (up, weight), abs(up - weight) < 1e-5 * weight)  # 32-bit numbers


def driven_bodies_are_where_their_scene_says():
    path = make("arm.h5", ROOT / "scenes" / "arm.json", "--until", "0.5")
    view(path)
    heads, (a,) = read_page(TEMP / "arm.html")
    moving = heads[0]["moving"]
    names = [heads[0]["scene"]["bodies"][m["body"]]["name"] for m in moving]
    row = a["pose"].reshape(len(a["time"]), -1)
    k = names.index("base")
    start = sum(3 + 4 * m["turns"] for m in moving[:k])
    t = a["time"]
    check("the base sways as its expression says", abs(row[:, start] - 0.05 * (1 - numpy.cos(2 * t))).max() < 1e-8)
    half = 0.15 * (1 - numpy.cos(2 * t))
    check("and turns about z", abs(row[:, start + 3] - numpy.cos(half)).max() < 1e-7 and abs(row[:, start + 6] - numpy.sin(half)).max() < 1e-7)
    check("a joint's limits and motors are not shown as contacts", set(a["contact_bodies"]) <= {0, 6})


def elements_are_rods_also_at_a_held_end():
    path = make("held.h5", ROOT / "papers" / "flexible" / "stop.json", "--until", "0.01", "--set", "elements.beam.last=world")
    view(path)
    heads, _ = read_page(TEMP / "held.html")
    rods = [(j["bodies"], j["anchors"]) for j in heads[0]["scene"]["joints"] if j["type"] == "distance"]
    check("a rod for every element: %s" % rods, [bodies for bodies, _ in rods] == [["shaker", "beam.1"], ["beam.1", "beam.2"], ["beam.2", "beam.3"], ["beam.3", "world"]])
    check("from where the holder has the node", rods[0][1] == [[0, 0, 0], [0, 0, 0]] and rods[3][1] == [[0, 0, 0], [1, 0, 0]])


# ---- size ------------------------------------------------------------------------------------------------

def grow(path, states, motion):
    """The states of a result made many: time and q as motion(k, rows) says, all else as in the first state."""
    with h5py.File(path, "r+") as file:
        for name in ("time", "step", "q", "v", "energy", "certificate", "joints/reaction", "driven/pose", "elements/stress", "outputs/value"):
            first = file[name][0:1]
            file[name].resize(states, axis=0)
            file[name][:] = numpy.repeat(first, states, axis=0)
        file["contacts/offset"].resize(states + 1, axis=0)
        file["contacts/offset"][:] = 0
        file["time"][:] = numpy.arange(states) / 100
        file["q"][:] = motion(file["q"][0], states)


def crowd(n):
    shapes = [{"type": "sphere", "radius": 0.1}, {"type": "box", "size": [0.1, 0.2, 0.3]}]
    bodies = [{"name": "b%d" % k, "type": "rigid", "density": 1, "position": [k % 25, k // 25, k % 7], "shapes": [shapes[k % 2]]} for k in range(n)]
    return {"slipstick": 1, "dimension": 3, "gravity": [0, 0, 0], "time": {"until": 0.02, "step": 0.01}, "bodies": bodies}


def turning(q, rows):
    """All bodies move along x and turn about z."""
    out = numpy.repeat(q[None], rows, axis=0).reshape(rows, -1, 7)
    angle = numpy.linspace(0, 3, rows)[:, None]
    out[:, :, 0] += angle
    out[:, :, 3], out[:, :, 6] = numpy.cos(angle), numpy.sin(angle)
    return out.reshape(rows, -1)


def compact_poses_are_near(head, a, q, t):
    """Balls have 3 numbers, boxes 7, in turn."""
    check("times are those of the frames", numpy.array_equal(a["time"], t))
    check("boxes turn in it and balls do not", [m["turns"] for m in head["moving"][:2]] == [False, True])
    row = a["pose"].reshape(len(t), -1, 10).astype(float)
    low, high = numpy.array(head["low"]), numpy.array(head["high"])
    bound = (high - low) / 131070 * 1.0001  # half a unit of 1/65535
    for which, at in ((0, 0), (1, 3)):
        position = low + (high - low) * row[:, :, at : at + 3] / 65535
        check("positions are right to 1/131070 of the box", (abs(position - q[:, which::2, :3]) <= bound).all())
    check("quaternions are right to 1/65534", abs(row[:, :, 6:] / 32767 - 1 - q[:, 1::2, 3:]).max() < 1 / 65534 * 1.01)


def large_results_are_made_compact_and_then_thin():
    n, states = 500, 1600
    path = make("crowd.h5", write("crowd.json", crowd(n)))
    grow(path, states, turning)
    with h5py.File(path) as file:
        q, t = file["q"][:].reshape(states, n, 7), file["time"][:]
    for copies, stride in ((1, 1), (8, 2)):
        page = TEMP / ("crowd%d.html" % copies)
        view(*[path] * copies, "-o", page)
        check("the page is below 60 MB: %d" % page.stat().st_size, page.stat().st_size < 60e6)
        heads, arrays = read_page(page)
        kept = [*range(0, states - 1, stride), states - 1]
        check("it is compact, and has every %d-th state and the last" % stride,
              heads[-1]["compact"] and heads[-1]["frames"] == len(kept) and "velocity" not in arrays[-1])
        compact_poses_are_near(heads[-1], arrays[-1], q[kept], t[kept])


# ---- names, several results ------------------------------------------------------------------------------

def nothing_of_a_scene_is_read_as_html():
    evil = "</script><script>alert(1)</script><!-- "
    scene = {"slipstick": 1, "name": evil, "dimension": 2, "time": {"until": 0.02, "step": 0.01},
             "bodies": [{"name": evil, "type": "particle", "mass": 1, "position": [0, 0]}]}
    path = make("evil.h5", write("evil.json", scene))
    view(path, "-o", TEMP / "evil-page.html")
    text = (TEMP / "evil-page.html").read_text()
    heads, _ = read_page(TEMP / "evil-page.html")
    check("the name arrives", heads[0]["scene"]["name"] == evil and heads[0]["scene"]["bodies"][0]["name"] == evil)
    check("but not as HTML", "alert(1)</script>" not in text and text.count("<!--") == 0)
    check("and the page lets no other script run", "script-src 'sha256-" in text and "default-src 'none'" in text)


def several_results_are_on_one_page():
    view(TEMP / "show.h5", TEMP / "cube.h5", "-o", TEMP / "both.HTML")
    heads, arrays = read_page(TEMP / "both.HTML")
    check("two results, in order", [head["dimension"] for head in heads] == [2, 3] and all("pose" in a for a in arrays))


# ---- other ways to see it --------------------------------------------------------------------------------

def run_can_write_the_page_too():
    scene, path = ROOT / "papers" / "ap97" / "sliding_cube.json", TEMP / "at-once.h5"
    result = run("run", scene, "--until", "0.05", "--quiet", "-o", path, "--view")
    check("run --view succeeds in silence", result.returncode == 0 and result.stdout + result.stderr == "")
    view(path, "-o", TEMP / "later.html")
    check("and its page is that of view", (TEMP / "at-once.html").read_bytes() == (TEMP / "later.html").read_bytes())
    refused("--view without a result", run("run", scene, "--view", "-o", TEMP / "only.csv"), "--view", "-o FILE.h5")
    check("before the run", not (TEMP / "only.csv").exists())


def status_of(address, **headers):
    try:
        with urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=PATIENCE) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, b""


def the_server_knows_one_page_and_one_host():
    environment = dict(os.environ, OPENBLAS_NUM_THREADS="1")
    server = subprocess.Popen([PROGRAM, "view", TEMP / "cube.h5", "--serve"], stdout=subprocess.PIPE, text=True, env=environment)
    address = re.match(r"http://127\.0\.0\.1:\d+/", server.stdout.readline())[0]
    status, body = status_of(address)
    check("it serves the page of view", status == 200 and body == (TEMP / "cube.html").read_bytes())
    check("and nothing else", status_of(address + "etc/passwd")[0] == 404)
    check("and nobody under another name", status_of(address, Host="example.org")[0] == 403)
    server.send_signal(signal.SIGINT)
    check("SIGINT ends it", server.wait(timeout=PATIENCE) == 0)


def programs_that_are_absent_are_named():
    for option, name, program in (("--png", "p.png", "chromium"), ("--film", "f.mp4", "ffmpeg")):
        command, environment = [os.path.abspath(PROGRAM), "view", TEMP / "cube.h5", option, TEMP / name], {"PATH": "/nowhere", "OPENBLAS_NUM_THREADS": "1"}
        result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE)
        lines = result.stderr.splitlines()
        check("%s without %s: %r" % (option, program, lines), result.returncode == 1 and len(lines) == 1 and program in lines[0])
        check("and leaves nothing", not (TEMP / name).exists())


# ---- bad input -------------------------------------------------------------------------------------------

def bad_input_is_refused_in_one_line():
    good = TEMP / "cube.h5"
    refused("no result", run("view"), "no result given")
    refused("a missing file", run("view", TEMP / "none.h5"), "none.h5", "cannot be opened")
    refused("another kind of page", run("view", good, "-o", TEMP / "page.txt"), "page.txt", ".html")
    refused("another kind of picture", run("view", good, "--png", TEMP / "p.jpg"), "p.jpg", ".png")
    refused("another kind of film", run("view", good, "--film", TEMP / "f.avi"), "f.avi", ".mp4 or .gif")
    refused("an unwritable path", run("view", good, "-o", "/nowhere/page.html"), "/nowhere/page.html", "cannot be written")
    if shutil.which("ffmpeg") and shutil.which("chromium"):
        for option, path in (("--png", "/nowhere/x.png"), ("--film", "/nowhere/x.mp4")):
            refused("an unwritable path of %s" % option, run("view", good, option, path), path, "cannot be written")
    refused("a folder", run("view", good, "-o", write_folder("folder.html")), "folder.html", "cannot be written")
    refused("a foreign file", run("view", write("foreign.h5", b"not HDF5 at all")), "foreign.h5", "not an HDF5 file")
    refused("a CSV result", run("view", write("run.csv", "t\n0\n")), "run.csv", "write an .h5 one")
    bytes_ = good.read_bytes()
    refused("a file cut in half", run("view", write("cut.h5", bytes_[: len(bytes_) // 2])), "cut.h5")
    refused("an unknown option", run("view", good, "--nothing"), "--nothing")
    refused("too many results", run("view", *[good] * 9), "view")
    check("none of these left a page", not list(TEMP.glob("cut.html")) and not (TEMP / "page.txt").exists())


def write_folder(name):
    (TEMP / name).mkdir(exist_ok=True)
    return TEMP / name


def newer_foreign_and_damaged_results_are_refused():
    newer = TEMP / "newer.h5"
    shutil.copy(TEMP / "cube.h5", newer)
    with h5py.File(newer, "r+") as file:
        file.attrs["version"] = numpy.int32(3)
    refused("a newer layout", run("view", newer), "newer.h5", "layout 3", "layout 2")
    with h5py.File(TEMP / "other.h5", "w") as file:
        file["x"] = 1
    refused("a foreign HDF5 file", run("view", TEMP / "other.h5"), "other.h5", "not a result of slipstick")
    bare = TEMP / "bare.h5"
    shutil.copy(TEMP / "cube.h5", bare)
    with h5py.File(bare, "r+") as file:
        del file["contacts/force"]
    refused("a result without its forces", run("view", bare), "bare.h5", "contacts/force", "missing")
    check("no page is left of it", not (TEMP / "bare.html").exists())


def a_full_disk_is_reported():
    if not os.path.exists("/dev/full"):
        return
    (TEMP / "full.html").symlink_to("/dev/full")
    refused("a full disk", run("view", TEMP / "cube.h5", "-o", TEMP / "full.html"), "full.html", "cannot be written", "No space")


the_page_holds_the_states_of_a_plane_result()
forces_hold_what_rests()
driven_bodies_are_where_their_scene_says()
elements_are_rods_also_at_a_held_end()
large_results_are_made_compact_and_then_thin()
nothing_of_a_scene_is_read_as_html()
several_results_are_on_one_page()
run_can_write_the_page_too()
the_server_knows_one_page_and_one_host()
programs_that_are_absent_are_named()
bad_input_is_refused_in_one_line()
newer_foreign_and_damaged_results_are_refused()
a_full_disk_is_reported()
finish()
