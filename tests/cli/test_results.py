#!/usr/bin/env python3
"""Result files: what is in them, which states, and what is left of them after kill -9 or on a full disk."""
import csv
import json
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
        check("reactions have names", texts(f["names/reaction"])[0] == "string1.0" and list(f["joints/reaction"][-1][:1]) == value["joints"]["string1"]["reaction"])
        details = [json.loads(d) for d in texts(f["events/details"])]
        check("events as in the JSON value", details == value["events"] and len(details) > 4)
        check("kinds of events", texts(f["events/kind"]) == [e["kind"] for e in details])
        contacts = texts(f["contacts/names"])
        check("contacts of events by number", [contacts[k] if k >= 0 else None for k in f["events/contact"][()]] == [e["contact"] for e in details])
        check("a name once", len(contacts) == len(set(contacts)) and len(contacts) == 4)
        names = texts(f["names/bodies"])
        check("bodies of events", [[names[b] for b in row] for row in f["events/bodies"][()]] == [e["bodies"] for e in details])
        check("the scene is in it", json.loads(f["scene"][()])["name"] == "Newton's cradle")


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
    """docs/results.md: only a kill during a write leaves a last line that is cut short, or datasets of different length. On a
    busy machine one of five may be such a kill."""
    states = []
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
    check("whole states after a kill: %s" % states, sorted(states)[1] > 100)


def a_running_file_can_be_read():
    out = TEMP / "live.h5"
    process = start(out)
    wait_for_size(100000, out)
    time.sleep(1.2)  # flushed at least once a second
    with h5py.File(out, "r") as f:
        check("rows so far", len(f["time"]) > 100)
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
        check("%s in no folder" % name, result.returncode == 1 and "No such file" in result.stderr and len(result.stderr.splitlines()) == 1)
        (TEMP / "folder").mkdir(exist_ok=True)
        (TEMP / "folder" / name).mkdir()
        result = run("run", AP97 / "chatter.json", "-o", TEMP / "folder" / name, "--quiet")
        check("%s is a folder" % name, result.returncode == 1 and "Is a directory" in result.stderr)


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


csv_holds_the_states()
the_same_run_writes_the_same_bytes()
every_picks_the_first_step_at_or_after_each_multiple()
hdf5_holds_the_run()
contacts_are_those_of_the_last_step()
only_the_details_of_events_are_texts_of_any_length()
long_names_fit()
kill_leaves_readable_files()
a_running_file_can_be_read()
a_full_disk_is_an_error_and_keeps_what_was_written()
unwritable_paths_are_errors()
a_step_is_dumped_as_a_problem()
finish()
