#!/usr/bin/env python3
"""Result files: what is in them, which states, who may write them, and what is left of them after kill -9 or on a full disk."""
import csv
import json
import math
import os
import resource
import signal
import subprocess
import sys
import time

from common import PROGRAM, ROOT, TEMP, check, finish, run, run_json

try:
    import h5py
except ImportError:
    print("test_results.py: skipped: python3-h5py is absent")
    sys.exit(77)

AP97 = ROOT / "papers" / "ap97"


def table(path):
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    return rows[0], rows[1:]


def column(path, name):
    header, rows = table(path)
    return [float(r[header.index(name)]) for r in rows]


def texts(dataset):
    return [t.decode() for t in dataset[()]]


def csv_holds_the_states():
    out = TEMP / "chatter.csv"
    value = run_json("run", AP97 / "chatter.json", "-o", out)
    header, rows = table(out)
    expected = "t ball.x ball.y ball.angle ball.vx ball.vy ball.omega kinetic potential residual penetration joint_error contacts certified"
    check("the header names the columns", header == expected.split())
    check("one row per step and the first state", len(rows) == value["steps"] + 1)
    check("the last row has the bits of the JSON value", [float(x) for x in rows[-1][:7]] == [value["t"]] + value["q"] + value["v"])
    run("run", ROOT / "scenes" / "slip_to_roll.json", "-o", out, "--until", ".01", "--quiet")
    check("3D names", table(out)[0][1:14] == ["ball." + n for n in "x y z qw qx qy qz vx vy vz wx wy wz".split()])


def every_picks_the_first_step_at_or_after_each_multiple():
    out = TEMP / "every.csv"
    run("run", AP97 / "chatter.json", "--until", ".1", "--step", ".003", "--every", ".01", "-o", out, "--quiet")
    steps = [round(t / 0.003, 6) for t in column(out, "t")]
    # multiples of 0.01 in steps of 0.003: 0, 4 (.012), 7 (.021), 10 (.03), ...; and the end at 0.1
    check("steps %s" % steps, steps == [0, 4, 7, 10, 14, 17, 20, 24, 27, 30, round(0.1 / 0.003, 6)])
    run("run", AP97 / "chatter.json", "--until", ".1", "--step", ".001", "--every", ".02", "-o", out, "--quiet")
    check("multiples that are steps", [round(t, 9) for t in column(out, "t")] == [0, 0.02, 0.04, 0.06, 0.08, 0.1])
    run("run", AP97 / "chatter.json", "--until", ".1", "--step", ".001", "--every", "7", "-o", out, "--quiet")
    check("at least the first and the last state", [round(t, 9) for t in column(out, "t")] == [0, 0.1])


def hdf5_holds_the_run():
    out, text = TEMP / "cradle.h5", TEMP / "cradle.csv"
    value = run_json("run", ROOT / "scenes" / "cradle.json", "-o", out, "-o", text)
    with h5py.File(out) as f:
        check("it says what it is", f.attrs["format"] == b"slipstick_result" and f.attrs["version"] == 2)
        n = value["steps"] + 1
        check("a row per state", all(len(f[k]) == n for k in ("time", "step", "q", "v", "energy", "certificate", "joints/reaction")))
        check("the last state", list(f["q"][-1]) == value["q"] and list(f["v"][-1]) == value["v"] and f["time"][-1] == value["t"])
        check("as in the CSV file", list(f["q"][:, 0]) == column(text, texts(f["names/q"])[0]))
        offset = f["contacts/offset"][()]
        check("contacts by offsets", len(offset) == n + 1 and offset[0] == 0 and offset[-1] == len(f["contacts/gap"]))
        check("of all kinds as many", len({len(f["contacts/" + k]) for k in "name bodies gap force point normal tangent".split()}) == 1)
        energy = [str(c, "ascii") if isinstance(c, bytes) else c for c in f["energy"].attrs["columns"]]
        check("the ledger's last row", all(f["energy"][-1][energy.index(k)] == value["ledger"][k] for k in value["ledger"] if k in energy))
        check("energies", f["energy"][-1][0] + f["energy"][-1][1] == value["energy"]["final"])
        check("reactions have names", texts(f["names/reaction"])[0] == "string1.force" and list(f["joints/reaction"][-1][:1]) == value["joints"]["string1"]["reaction"])
        details = [json.loads(d) for d in texts(f["events/details"])]
        check("events as in the JSON value", details == value["events"] and len(details) > 4)
        check("kinds of events", texts(f["events/kind"]) == [e["kind"] for e in details])
        contacts = texts(f["contacts/names"])
        check("contacts of events by number", [contacts[k] if k >= 0 else None for k in f["events/contact"][()]] == [e["contact"] for e in details])
        check("a name once", len(contacts) == len(set(contacts)) and len(contacts) == 4)
        names = texts(f["names/bodies"])
        check("bodies of events", [[names[b] for b in row] for row in f["events/bodies"][()]] == [e["bodies"] for e in details])
        check("the scene is in it", json.loads(f["scene"][()])["name"] == "Newton's cradle")


def everything_has_its_unit():
    out = TEMP / "units.h5"
    run("run", ROOT / "scenes" / "arm.json", "--until", ".02", "-o", out, "--quiet")
    bare, units = [], {}

    def look(name, item):
        if isinstance(item, h5py.Dataset):
            one, many = item.attrs.get("unit"), item.attrs.get("units")
            if one is None and (many is None or len(many) != item.shape[1]):
                bare.append(name)
            units[name] = one.decode() if one is not None else [u.decode() for u in many]

    with h5py.File(out) as f:
        f.visititems(look)
        names = {k: texts(f["names/" + k]) for k in ("q", "v", "reaction", "driven")}
        pose = dict(zip(names["driven"], f["driven/pose"][-1]))
        t = f["time"][-1]
    check("datasets without a unit: %s" % bare, bare == [])
    check("one for all", units["time"] == "s" and units["contacts/force"] == "N" and units["names/q"] == "none")
    check("of coordinates", dict(zip(names["q"], units["q"]))["hand.z"] == "m" and dict(zip(names["v"], units["v"]))["hand.wx"] == "rad/s")
    reaction = dict(zip(names["reaction"], units["joints/reaction"]))
    check("of reactions, by joint and row: %s" % reaction, reaction["shoulder.force_x"] == "N" and reaction["shoulder.torque_1"] == "N m"
          and reaction["lift.motor.force"] == "N")
    angle = 0.3 * (1 - math.cos(2 * t))  # the scene: the base turns about z
    check("driven bodies are where they are told to be: %s" % pose, abs(pose["base.x"] - 0.05 * (1 - math.cos(2 * t))) < 1e-15
          and abs(pose["base.qz"] - math.sin(angle / 2)) < 1e-15 and pose["base.z"] == 0.1)
    plot = TEMP / "plot.svg"
    check("plots know them", run("plot", out, "--y", "base.x,lift.motor.force", "-o", plot).returncode == 0 and "[N]" in plot.read_text())


def elements_have_their_stresses():
    """a bar on a wall, pulled at its free end by 7 N until it rests: 7 N in every element, in both formats, with units"""
    scene = TEMP / "pulled.json"
    scene.write_text(json.dumps({
        "slipstick": 1, "dimension": 2, "time": {"until": 40, "step": 0.2}, "scheme": {"name": "moreau", "theta": 1},
        "elements": [{"name": "bar", "type": "bar", "size": [2, 0.1], "divisions": 3, "E": 1000, "density": 4, "first": "world", "mass_damping": 5},
                     {"name": "beam", "type": "beam", "size": [1, 0.1], "divisions": 2, "E": 1000, "density": 4}],
        "forces": [{"type": "constant", "body": "bar.3", "force": [7, 0]}]}))
    h5, text = TEMP / "pulled.h5", TEMP / "pulled.csv"
    run("run", scene, "-o", h5, "-o", text, "--quiet")
    wanted = ["bar.0.force", "bar.1.force", "bar.2.force"] + ["beam.%d.%s" % (i, what) for i in (0, 1) for what in ("force", "shear", "moment")]
    with h5py.File(h5) as f:
        names, stress, units = texts(f["names/stress"]), f["elements/stress"][-1], [u.decode() for u in f["elements/stress"].attrs["units"]]
    check("names of stresses: %s" % names, names == wanted and units == ["N"] * 5 + ["N m", "N", "N", "N m"])
    check("every element carries the pull: %s" % stress, all(abs(x - 7) < 1e-9 for x in stress[:3]) and all(abs(x) < 1e-9 for x in stress[3:]))
    lines = text.read_text().splitlines()
    check("the last columns of the CSV file", lines[0].split(",")[-9:] == wanted and [float(x) for x in lines[-1].split(",")[-9:]] == list(stress))
    for result in (h5, text):
        plot = TEMP / "stress.svg"
        check("plots know them", run("plot", result, "--y", "bar.1.force", "-o", plot).returncode == 0 and "[N]" in plot.read_text())


def contacts_are_those_of_the_last_step():
    out = TEMP / "ramp.hdf5"
    value = run_json("run", AP97 / "ramp.json", "--until", ".1", "-o", out)
    with h5py.File(out) as f:
        first, last = f["contacts/offset"][-2:]
        names = texts(f["contacts/names"])
        ours = [(names[f["contacts/name"][k]], list(f["contacts/force"][k]), list(f["contacts/normal"][k])) for k in range(first, last)]
    check("name, force and normal", ours == [(c["name"], c["force"], c["normal"]) for c in value["contacts"]] and len(ours) == 4)


def only_the_details_of_events_are_texts_of_any_length():
    out = TEMP / "texts.h5"
    run("run", AP97 / "chatter.json", "--until", ".1", "-o", out, "--quiet")
    found = []
    with h5py.File(out) as f:
        f.visititems(lambda name, item: found.append(name) if isinstance(item, h5py.Dataset) and item.dtype.kind == "O" else None)
    check("texts of any length: %s" % found, found == ["events/details"])


def hash_of(text):
    """docs/results.md: FNV-1a of 64 bits, then the mixing of splitmix64."""
    mask = 2**64 - 1
    h = 0xCBF29CE484222325
    for byte in text:
        h = (h ^ byte) * 0x100000001B3 & mask
    h = (h ^ h >> 30) * 0xBF58476D1CE4E5B9 & mask
    h = (h ^ h >> 27) * 0x94D049BB133111EB & mask
    return h ^ h >> 31


def everything_has_a_check_sum():
    out = TEMP / "sums.h5"
    run("run", AP97 / "chatter.json", "--until", ".6", "-o", out, "--quiet")
    bare = []
    with h5py.File(out) as f:
        def look(name, item):
            if isinstance(item, h5py.Dataset) and not item.fletcher32 and item.id.get_create_plist().get_layout() != h5py.h5d.COMPACT:
                bare.append(name)
        f.visititems(look)
        check("neither a filter nor in a header: %s" % bare, bare == ["events/details"])
        check("details have their hashes", len(f["events/hash"]) > 0 and list(f["events/hash"]) == [hash_of(t) for t in f["events/details"]])
        address = f["q"].id.get_chunk_info(0).byte_offset
    scene = json.loads((AP97 / "chatter.json").read_text())
    scene["description"] = "x" * 70000
    (TEMP / "large.json").write_text(json.dumps(scene))
    large = TEMP / "large.h5"
    run("run", TEMP / "large.json", "--until", ".1", "-o", large, "--quiet")
    with h5py.File(large) as f:
        check("a large scene has its hash", f["scene"].attrs["hash"] == hash_of(f["scene"][()]))
        scene_address = f["scene"].id.get_offset()
    for path, at, name in ((out, address + 50, "q"), (large, scene_address + 1000, "scene")):
        bytes_of = bytearray(path.read_bytes())
        bytes_of[at] ^= 4
        path.write_bytes(bytes_of)
        result = run("plot", path, "--y", "ball.y", "-o", TEMP / "damaged.svg")
        check("%s: one line that names it: %s" % (name, result.stderr),
              result.returncode == 2 and result.stderr.startswith("%s: %s: damaged" % (path, name)) and result.stderr.count("\n") == 1)


def long_names_fit():
    out, scene = TEMP / "long.h5", json.loads((AP97 / "chatter.json").read_text())
    for body in scene["bodies"]:
        body["name"] = body["name"] + "_" * 40
    (TEMP / "long.json").write_text(json.dumps(scene))
    value = run_json("run", TEMP / "long.json", "--until", ".5", "-o", out)
    with h5py.File(out) as f:
        names = texts(f["contacts/names"])
    check("a name of %d letters" % len(names[0]), names == [value["events"][0]["contact"]] and len(names[0]) > 80)


def start(out, *words):
    arguments = [PROGRAM, "run", str(AP97 / "ramp.json"), "--until", "1e6", "-o", str(out), "--quiet", *words]
    return subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=dict(os.environ, OPENBLAS_NUM_THREADS="1"))


def wait_for_size(size, *paths):
    """Until every file has this many bytes, however long a busy machine takes for them."""
    for _ in range(6000):
        if all(path.exists() and path.stat().st_size >= size for path in paths):
            return
        time.sleep(0.02)
    check("files grow: %s" % (paths,), False)


def whole_states(path):
    """How many states an HDF5 file has; 0 if some of its datasets are longer than others."""
    with h5py.File(path, "r") as f:
        rows = {len(f[key]) for key in ("time", "step", "q", "v", "energy", "certificate")}
        n = len(f["time"])
        good = len(rows) == 1 and (f["time"][1:] > f["time"][:-1]).all() and f["step"][-1] == n - 1
        good = good and f["contacts/offset"][-1] == len(f["contacts/force"]) and len(f["contacts/offset"]) == n + 1
        return n if good else 0


def kill_leaves_readable_files():
    """docs/results.md: a kill within a flush (HDF5), or between two pages of one line (CSV), may leave more than whole rows. On
    a busy machine one of five may be such a kill."""
    states, cut = [], 0
    for k, delay in enumerate((0, 0.3, 0.7, 1.1, 1.85)):
        out, text = TEMP / ("killed%d.h5" % k), TEMP / ("killed%d.csv" % k)
        process = start(out, "-o", str(text))
        wait_for_size(100000, out, text)
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait()
        states.append(whole_states(out))
        lines = text.read_text().splitlines(keepends=True)
        whole = [line for line in lines if line.endswith("\n")]
        check("no line but the last is cut short", len(whole) >= len(lines) - 1 and {l.count(",") for l in whole} == {lines[0].count(",")})
        check("the CSV file has its rows: %d" % len(whole), len(whole) > 100)
        cut += len(lines) - len(whole)
    check("lines that are cut short: %d of 5" % cut, cut <= 1)
    check("whole states after a kill: %s" % states, sorted(states)[1] > 100)


def wait_for(truth):
    """Until it holds, however long a busy machine takes for it."""
    for _ in range(6000):
        if truth():
            return True
        time.sleep(0.02)
    return False


def states_of(path):
    """States in an HDF5 file that is being written; -1: it cannot be read just now."""
    try:
        with h5py.File(path, "r") as f:
            return len(f["time"])
    except (OSError, KeyError, RuntimeError):
        return -1


def rows_do_not_wait_for_the_end_of_a_step():
    """The first step cannot end: the residual never comes below 1e-300. The state before it is in the files all the same."""
    wall, out, text = TEMP / "wall.json", TEMP / "slow.h5", TEMP / "slow.csv"
    run("generate", "wall", "--bodies", 50, "-o", wall)
    words = ["--solver", "nsgs", "--solver-tol", "1e-300", "--set", "solver.max_sweeps=1000000000"]
    process = subprocess.Popen([PROGRAM, "run", str(wall), "--until", "1", "-o", str(out), "-o", str(text), "--quiet", *words])
    check("a line in the CSV file", wait_for(lambda: text.exists() and text.read_bytes().count(b"\n") == 2))
    check("a state in the HDF5 file", wait_for(lambda: out.exists() and states_of(out) == 1))
    check("the step goes on", process.poll() is None)
    process.kill()
    process.wait()
    check("and they stay there", text.read_bytes().count(b"\n") == 2 and whole_states(out) == 1)


def refused_as_taken(sentence, name, *words):
    result = run("run", AP97 / "chatter.json", "--until", ".1", "--quiet", *words)
    said = result.stderr.splitlines()
    check("%s is refused: %r %d" % (sentence, said, result.returncode),
          result.returncode == 1 and len(said) == 1 and name in said[0] and "already being written" in said[0])


def one_run_at_a_time_writes_a_file():
    out, text, state, problem = (TEMP / ("mine." + e) for e in ("h5", "csv", "ss", "hdf5"))
    process = start(out, "-o", str(text), "--checkpoint", str(state), "--dump-step", "3", str(problem))
    wait_for_size(100000, out, text)
    check("the step was dumped", wait_for(lambda: problem.exists() and problem.stat().st_size > 0))
    dumped = problem.read_bytes()
    refused_as_taken("a result that another run writes", "mine.h5", "-o", out)
    refused_as_taken("the same as CSV", "mine.csv", "-o", text)
    refused_as_taken("a checkpoint", "mine.ss", "--checkpoint", state)
    refused_as_taken("a contact problem", "mine.hdf5", "--dump-step", 2, problem)
    refused_as_taken("a file that is given twice", "twice.csv", "-o", TEMP / "twice.csv", "-o", TEMP / "twice.csv")
    other, new = TEMP / "other.csv", TEMP / "new.h5"
    other.write_text("kept\n")
    refused_as_taken("one of several results", "mine.h5", "-o", other, "-o", new, "-o", out)
    check("and the others are as they were", other.read_text() == "kept\n" and not new.exists())
    check("the first run goes on", process.poll() is None and problem.read_bytes() == dumped)
    process.send_signal(signal.SIGTERM)
    process.wait()
    lines = text.read_text().splitlines(keepends=True)
    check("with whole files", whole_states(out) == len(lines) - 1 and {l.count(",") for l in lines} == {lines[0].count(",")})
    again = start(out)
    wait_for_size(100000, out)
    again.kill()
    again.wait()
    check("who was killed keeps no file", run("run", AP97 / "chatter.json", "--until", ".1", "-o", out, "--quiet").returncode == 0)


def a_running_file_can_be_read():
    out = TEMP / "live.h5"
    process = start(out)
    wait_for_size(100000, out)
    check("it can be opened", wait_for(lambda: states_of(out) > 100))
    process.kill()
    process.wait()


def limited(size):
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def a_full_disk_is_an_error_and_keeps_what_was_written():
    for name, sizes in (("full.csv", (0, 4096, 100000)), ("full.h5", (0, 1000, 100000, 700000, 1000000))):
        for size in sizes:
            out = TEMP / name
            if out.exists():
                out.unlink()
            result = run("run", AP97 / "chatter.json", "-o", out, "--quiet", preexec_fn=limited(size))
            said = result.stderr.splitlines()
            check("%s limited to %d bytes: %r %d" % (name, size, said, result.returncode),
                  result.returncode == 1 and len(said) == 1 and name in said[0] and "File too large" in said[0])
            if name == "full.csv" and size > 0:
                lines = out.read_text().splitlines(keepends=True)
                whole = all(l.endswith("\n") and l.count(",") == lines[0].count(",") for l in lines)
                check("whole lines only, and as many as fit: %d bytes" % out.stat().st_size, whole and size - 400 < out.stat().st_size <= size)
            if name == "full.h5" and size >= 700000:
                with h5py.File(out, "r") as f:
                    check("what was written stays", len(f["time"]) >= 256 and len(f["q"]) == len(f["time"]))
    if os.path.exists("/dev/full"):
        os.symlink("/dev/full", TEMP / "device.csv")
        result = run("run", AP97 / "chatter.json", "-o", TEMP / "device.csv", "--quiet")
        check("a full device", result.returncode == 1 and "No space left" in result.stderr)


def unwritable_paths_are_errors():
    for name in ("a.csv", "a.h5"):
        result = run("run", AP97 / "chatter.json", "-o", TEMP / "no" / name, "--quiet")
        check("%s in no folder" % name, result.returncode == 2 and "No such file" in result.stderr and len(result.stderr.splitlines()) == 1)
        (TEMP / "folder").mkdir(exist_ok=True)
        (TEMP / "folder" / name).mkdir()
        result = run("run", AP97 / "chatter.json", "-o", TEMP / "folder" / name, "--quiet")
        check("%s is a folder" % name, result.returncode == 2 and "Is a directory" in result.stderr)


def a_step_is_dumped_as_a_problem():
    import numpy

    out = TEMP / "problem.hdf5"
    for scene, step in ((AP97 / "sliding_cube.json", 3), (ROOT / "scenes" / "mass_ratio.json", 5), (ROOT / "scenes" / "cradle.json", 7)):
        result = run("run", scene, "--until", ".1", "--dump-step", step, out, "--quiet")
        check("%s: %s" % (scene.name, result.stderr), result.returncode == 0)
        with h5py.File(out) as f:
            g = f["fclib_global"]
            M, H = dense(g["M"]), dense(g["H"])
            dim, vectors, solution = g["spacedim"][0], g["vectors"], f["solution"]
            v, r, u = solution["v"][()], solution["r"][()], solution["u"][()]
            rest = M @ v - H @ r - vectors["f"][()]
            G = dense(g["G"]) if "G" in g else numpy.zeros((len(v), 0))
            rest -= G @ solution["l"][()] if G.shape[1] else 0
            scale = 1 + abs(M @ v).max() + abs(vectors["f"][()]).max()
            check("%s: momentum %g" % (scene.name, abs(rest).max()), abs(rest).max() < 1e-11 * scale)
            check("%s: u = H' v + w" % scene.name, len(u) == 0 or abs(u - H.T @ v - vectors["w"][()]).max() < 1e-11)
            if G.shape[1]:
                check("%s: G' v + b = 0" % scene.name, abs(G.T @ v + vectors["b"][()]).max() < 1e-9)
            check("%s: sizes" % scene.name, len(vectors["mu"]) * dim == len(u) == H.shape[1])
            check("%s: laws" % scene.name, len(f["slipstick/law"]) == len(vectors["mu"]))
    result = run("run", AP97 / "ramp.json", "--until", ".1", "--dump-step", 5000, out, "--quiet")
    check("a step that never came", result.returncode == 1 and "step 5000" in result.stderr)


def dense(group):
    """A matrix of an FCLIB file: by rows (nz = -2) or columns (nz = -1)."""
    import numpy

    m, n, nz = (group[k][0] for k in ("m", "n", "nz"))
    A = numpy.zeros((m, n))
    p, i, x = group["p"][()], group["i"][()], group["x"][()]
    for k in range(len(p) - 1):
        for e in range(p[k], p[k + 1]):
            A[(k, i[e]) if nz == -2 else (i[e], k)] += x[e]
    return A


def the_same_run_writes_the_same_bytes():
    files = [TEMP / "first.h5", TEMP / "second.h5"]
    for path in files:
        run_json("run", ROOT / "scenes" / "slip_to_roll.json", "--until", 0.05, "-o", path)
        time.sleep(1.1)  # HDF5 counts the time of day in seconds
    check("two runs write the same file", files[0].read_bytes() == files[1].read_bytes())


def smaller_files_hold_the_same_run():
    scene, plain, small, bare = TEMP / "pile.json", TEMP / "plain.h5", TEMP / "small.h5", TEMP / "bare.h5"
    run("generate", "pile", "--bodies", "30", "-o", scene)
    words = ["run", scene, "--until", ".5", "--quiet", "-o"]
    run(*words, plain)
    run(*words, small, "--precision", "single", "--compress", "4")
    run(*words, bare, "--precision", "single", "--compress", "4", "--set", "results.contacts=false")
    with h5py.File(plain) as a, h5py.File(small) as b, h5py.File(bare) as c:
        for key in ("q", "v", "contacts/force", "contacts/point", "contacts/gap"):
            exact, single = a[key][()], b[key][()]
            check("%s: half a bit" % key, single.dtype == "float32" and (abs(single - exact) <= 5.97e-8 * abs(exact) + 1e-38).all())
            check("%s: compressed, with a check sum" % key, b[key].compression == "gzip" and b[key].fletcher32 and b[key].shuffle)
        for key in ("time", "energy", "certificate"):
            check("%s: as it is" % key, b[key].dtype == "float64" and (a[key][()] == b[key][()]).all())
        check("the file says so", b.attrs["precision"] == b"single" and b.attrs["compress"] == 4 and a.attrs["precision"] == b"double")
        check("no contacts", len(c["contacts/gap"]) == 0 and not c["contacts/offset"][()].any() and len(a["contacts/gap"]) > 0)
        each = sum(c[key].id.get_storage_size() for key in ("q", "v")) / 30 / len(c["time"])
        check("bytes per body and state: %.1f" % each, each <= 60)
    sizes = [path.stat().st_size for path in (plain, small, bare)]
    check("sizes %s" % sizes, sizes[2] < 0.6 * sizes[1] and sizes[1] < 0.4 * sizes[0])
    for path in (plain, small):
        drawn = run("plot", path, "--y", "grain7.z", "-o", TEMP / (path.name + ".svg"))
        check("plot reads %s" % path.name, drawn.returncode == 0)
    check("view reads it", run("view", small, "-o", TEMP / "small.html").returncode == 0)
    bad = run("run", scene, "--precision", "half", "-o", small)
    check("another word is refused", bad.returncode == 2 and "results.precision" in bad.stderr)


csv_holds_the_states()
smaller_files_hold_the_same_run()
the_same_run_writes_the_same_bytes()
every_picks_the_first_step_at_or_after_each_multiple()
hdf5_holds_the_run()
everything_has_its_unit()
elements_have_their_stresses()
contacts_are_those_of_the_last_step()
only_the_details_of_events_are_texts_of_any_length()
everything_has_a_check_sum()
long_names_fit()
kill_leaves_readable_files()
rows_do_not_wait_for_the_end_of_a_step()
one_run_at_a_time_writes_a_file()
a_running_file_can_be_read()
a_full_disk_is_an_error_and_keeps_what_was_written()
unwritable_paths_are_errors()
a_step_is_dumped_as_a_problem()
finish()
