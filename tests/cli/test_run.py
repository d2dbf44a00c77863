#!/usr/bin/env python3
"""Running a scene: the JSON value, options, what is refused, interruption, checkpoints and restarts."""
import json
import math
import os
import signal
import subprocess
import time

from common import PATIENCE, PROGRAM, ROOT, TEMP, check, finish, refused, run, run_json, write

AP97 = ROOT / "papers" / "ap97"
SCENES = ROOT / "scenes"
STARVED = ["--solver", "nsgs", "--set", "solver.max_sweeps=1"]  # one sweep over a pile: no step is certified
KEYS = """scene scheme solver step steps rejected t q v bodies energy max_penetration max_joint_error max_residual
unconverged_steps fallbacks lcps events contacts joints wall_s ledger certificate basis outcome warnings""".split()


def near(a, b, tolerance):
    return abs(a - b) <= tolerance


def the_json_value_has_its_keys():
    rod = run_json("run", AP97 / "rod_impact.json")
    check("every key is there: %s" % [k for k in KEYS if k not in rod], all(k in rod for k in KEYS))
    check("energy has its keys", set(rod["energy"]) == {"initial", "final", "max", "max_gain"})
    check("bodies by name", set(rod["bodies"]["rod"]) == {"position", "angle", "velocity", "angular_velocity"})
    check("q and v are flat", len(rod["q"]) == 3 and rod["bodies"]["rod"]["velocity"] == rod["v"][:2])
    check("contacts", all({"bodies", "gap", "force"} <= set(c) and len(c["force"]) == 2 for c in rod["contacts"]))
    slide = run_json("run", AP97 / "sliding_cube.json", "--until", ".1")
    check("3D bodies", set(slide["bodies"]["cube"]) == {"position", "orientation", "velocity", "angular_velocity"})
    check("3D contact forces have 3 numbers", all(len(c["force"]) == 3 for c in slide["contacts"]))
    chain = run_json("run", ROOT / "scenes" / "chain.json", "--until", ".1")
    check("a reaction per joint", len(chain["joints"]) == 100 and len(chain["joints"]["hinge1"]["reaction"]) == 2)


def the_summary_says_what_auto_chose_and_what_failed():
    boxes = run_json("run", SCENES / "boxes.json", "--until", ".05", "--set", "scheme.cone=circular")
    choices = boxes["choices"]
    check("choices has its keys", set(choices) == {"split", "first", "left"})
    check("every problem has a first solver", sum(choices["first"].values()) >= sum(boxes["answered_by"].values()))
    check("what was left adds up to the fallbacks", sum(choices["left"].values()) == boxes["fallbacks"])
    words = run("run", SCENES / "boxes.json", "--until", ".05").stdout
    check("the words name it", "chosen for groups of islands: " in words)
    named = run_json("run", SCENES / "boxes.json", "--until", ".02", "--solver", "nsgs")
    check("a solver that was named chooses nothing", named["choices"] == {"split": 0, "first": {}, "left": {}})


def the_rod_impact_is_that_of_the_paper():
    # digits as printed, so half a unit of the last one
    event = run_json("run", AP97 / "rod_impact.json")["events"][0]
    rows = [
        (event["v_minus"], [1, -2, 0.5], 0),
        (event["v_compression"], [1.10376588, -0.63725953, -1.27451905], 5e-9),
        (event["v_plus"], [1.10376588, 0.04411071, -2.29657441], 5e-9),
        (event["kinetic"], [2.54166667, 1.08293254, 1.48916477], 5e-9),
        (event["impulse"]["rod.0-floor.0"][:1], [1.3627404736], 5e-11),
    ]
    for ours, published, tolerance in rows:
        check("%s is %s" % (ours, published), all(near(a, b, tolerance) for a, b in zip(ours, published)))
    check("it names its contact and bodies", event["kind"] == "impact" and event["bodies"] == ["rod", "floor"] and event["t"] == 0)


def options_reach_the_run():
    chatter = AP97 / "chatter.json"
    short = run_json("run", "--until", "1/4", chatter, "--step", "2^-6", "--scheme", "anitescu_potra", "--solver", "lemke")
    check("step, until and solver", (short["steps"], short["step"], short["solver"]) == (16, 1 / 64, "lemke"))
    check("t is the end", near(short["t"], 0.25, 1e-12))
    check("--threads is accepted", run("run", chatter, "--until", ".01", "--threads", 4, "--quiet").returncode == 0)
    check("--set", run_json("run", chatter, "--until", ".01", "--set", "bodies.ball.velocity=[3,0]")["v"][0] == 3)
    quiet = run("run", chatter, "--until", ".01", "--quiet")
    check("--quiet says nothing", quiet.stdout == "" and quiet.stderr == "")
    text = run("run", chatter, "--until", ".01")
    words = ("certificate", "penetration", "joint error", "energy", "ledger", "contacts", "events", "contact problems", "steps certified")
    check("the summary shows the certificate and the ledger", all(w in text.stdout for w in words) and text.stderr == "")


def bad_options_are_refused():
    ramp = AP97 / "ramp.json"
    for words, part in [
        ("--step 0", "--step: expected a number > 0, got 0"),
        ("--step -1", "--step: expected a number > 0, got -1"),
        ("--step nan", "--step"),
        ("--step t", "--step"),
        ("--step 1/0", "--step"),
        ("--step", "--step takes H"),
        ("--until -1", "--until"),
        ("--every 0", "--every"),
        ("--solver-tol -1", "--solver-tol"),
        ("--tol 1", "time.tol: expected a number > 0 and < 1, got 1"),
        ("--stepp 1", "did you mean --step?"),
        ("--json=3", "--json"),
        ("--threads 0", "--threads"),
        ("--dump-step 3 --quiet", "--dump-step takes"),
        ("--dump-step x f.hdf5", "--dump-step"),
        ("other.json", "other.json"),
        ("--scheme anitescu", "scheme.name"),
        ("--solver lemk", 'did you mean "lemke"?'),
        ("--set bodies.box.mass=-1", "bodies.box.mass: expected a number >= 0, got -1"),
        ("-o result.txt", ".csv"),
        ("--restart %s" % ramp, "not a checkpoint"),
        ("--restart nothing.ss", "No such file"),
        ("--checkpoint-every 1", "--checkpoint FILE"),
        ("--step 1e-18", "time.step: 1e-18 s is lost in until = 10 s"),
        ("--step 1e-320", "time.step"),
        ("--until 1e308", "time.step: 0.01 s is lost in until = 1e+308 s"),
        ("--set time.until=0", "time.until: expected a number > 0, got 0"),
    ]:
        refused("run %s" % words, run("run", ramp, *words.split()), part)
    refused("run without a scene", run("run"), "no scene")
    refused("no step anywhere", run("run", ramp, "--set", 'time={"until": 1}'), ramp, "time.step")
    # the next number after 10 is 10 + 2^-49: a step of that length still counts, a quarter of it does not
    check("a step that counts at the end is valid", run("check", ramp, "--set", "time.step=2^-49").returncode == 0)
    refused("one that is rounded away is not", run("check", ramp, "--set", "time.step=2^-51"), ramp, "time.step")
    refused("no end anywhere", run("run", ramp, "--set", 'time={"step": 1}'), ramp, "time.until")


def overlap_needs_leave():
    cube = AP97 / "sliding_cube.json"
    low = ("--set", "bodies.cube.position=[0,0,0.4]", "--until", ".01")
    refused("bodies that overlap", run("run", cube, *low), cube, "cube", "floor", "0.1")
    check("--allow-overlap runs", run("run", cube, *low, "--allow-overlap", "--quiet").returncode == 0)


def strict_ends_at_the_first_uncertified_step():
    result = run("run", SCENES / "boxes.json", "--strict", *STARVED, "--json")
    value = json.loads(result.stdout)
    check("status 1 and a reason", result.returncode == 1 and "not certified" in result.stderr and len(result.stderr.splitlines()) == 1)
    check("the JSON value says so too", value["outcome"] == "failed" and "not certified" in value["error"])


def same_state(a, b):
    keys = "t q v steps lcps energy ledger contacts joints max_penetration max_residual basis event_count warnings".split()
    return all(a[k] == b[k] for k in keys)


def a_restart_continues_with_the_same_bits():
    state = TEMP / "state.ss"
    for scene, middle in ((AP97 / "chatter.json", "1"), (AP97 / "ramp.json", "5"), (ROOT / "scenes" / "cradle.json", "1"), (ROOT / "scenes" / "slip_to_roll.json", ".3")):
        straight = run_json("run", scene)
        run("run", scene, "--until", middle, "--checkpoint", state, "--quiet")
        check("%s: split run = straight run" % scene.name, same_state(run_json("run", scene, "--restart", state), straight))
        noted = run_json("run", scene, "--checkpoint", state, "--checkpoint-every", ".1")
        check("%s: writing checkpoints changes nothing" % scene.name, same_state(noted, straight))


def foreign_checkpoints_are_refused():
    state = TEMP / "ramp.ss"
    run("run", AP97 / "ramp.json", "--until", ".1", "--checkpoint", state, "--quiet")
    blob = state.read_bytes()
    refused("of another scene", run("run", AP97 / "chatter.json", "--restart", state), state, "another scene")
    for cut in (0, 3, 20, 40, len(blob) // 2, len(blob) - 1):
        state.write_bytes(blob[:cut])
        refused("cut to %d bytes" % cut, run("run", AP97 / "ramp.json", "--restart", state), state)
    for place in range(0, len(blob), max(1, len(blob) // 40)):
        damaged = bytearray(blob)
        damaged[place] ^= 0x10
        state.write_bytes(bytes(damaged))
        refused("with byte %d changed" % place, run("run", AP97 / "ramp.json", "--restart", state), state)


def checkpoints_that_cannot_be_written_are_noticed_at_once():
    (TEMP / "folder.ss").mkdir()
    kept = TEMP / "kept.csv"
    for place, why in ((TEMP / "no" / "where.ss", "No such file"), (TEMP / "folder.ss", "Is a directory")):
        kept.write_text("old results")
        # 1e6 s would take hours
        result = run("run", AP97 / "ramp.json", "--until", "1e6", "--checkpoint", place, "-o", kept, "--json")
        said = result.stderr.splitlines()
        check("%s: %s" % (place.name, said), result.returncode == 2 and len(said) == 1 and str(place) in said[0] and why in said[0])
        check("nothing else was touched", json.loads(result.stdout) == {"error": said[0], "status": 2} and kept.read_text() == "old results")
    state = TEMP / "there.ss"
    state.write_bytes(b"old")
    refused("of a run that does not start", run("run", AP97 / "ramp.json", "--checkpoint", state, "-o", "x.txt"), ".csv")
    check("the old checkpoint is still there, and nothing beside it", state.read_bytes() == b"old" and not (TEMP / "there.ss.new").exists())


def a_checkpoint_after_the_end_is_refused():
    state = TEMP / "late.ss"
    run("run", AP97 / "ramp.json", "--until", "1", "--checkpoint", state, "--quiet")
    refused("later than the end", run("run", AP97 / "ramp.json", "--restart", state, "--until", ".5"), state, "t = 1 s", "0.5 s", "--until")
    at_end = run_json("run", AP97 / "ramp.json", "--restart", state, "--until", "1")
    check("at the end there is nothing to do", at_end.get("t") == 1 and at_end["outcome"] == "done")


def pinch(law):
    """A disk on the floor, hit from above at 40 degrees by one that is 100 times heavier."""
    a, r, R = math.radians(40), 0.1, 0.5
    disk = lambda name, mass, radius, **more: dict(name=name, type="rigid", mass=mass, shapes=[{"type": "disk", "radius": radius, "material": "m"}], **more)
    floor = {"name": "floor", "type": "fixed", "shapes": [{"type": "half_space", "normal": [0, 1], "material": "m"}]}
    heavy = disk("heavy", 100, R, position=[(r + R) * math.sin(a), r + (r + R) * math.cos(a)], velocity=[0, -1])
    return write("pinch.json", {"slipstick": 1, "dimension": 2, "time": {"until": 0.001, "step": 0.001}, "scheme": {"restitution": law},
                                "materials": [{"name": "m", "mu": 0.6, "e": 0.5}], "bodies": [disk("ball", 1, r, position=[0, r]), heavy, floor]})


def impact_laws_that_create_energy_are_warned_of():
    result = run("run", pinch("poisson"), "--json")
    value, said = json.loads(result.stdout), result.stderr.splitlines()
    gain = value["ledger"]["kinetic_change"]
    check("Poisson's law creates energy here: %g J" % gain, gain > 50 and value["ledger"]["impact_gains"] == 1)
    check("one line says so: %s" % said, said == ["warning: the impact law created %.3g J of kinetic energy in 1 impact; scheme.restitution=simplified never does" % gain])
    check("the JSON value has it", ["warning: " + w for w in value["warnings"]] == said)
    check("--quiet does not say it", run("run", pinch("poisson"), "--quiet").stderr == "")
    simplified = run_json("run", pinch("simplified"))
    check("the simplified law creates none", simplified["warnings"] == [] and simplified["ledger"]["kinetic_change"] < 0)


def driven_bodies_are_not_called_a_fault_of_the_law():
    ball = {"name": "ball", "type": "particle", "mass": 1, "position": [0.5, 0], "shapes": [{"type": "point"}]}
    bat = {"name": "bat", "type": "driven", "position": ["t", 0], "shapes": [{"type": "half_space", "normal": [1, 0]}]}
    result = run("run", write("bat.json", {"slipstick": 1, "dimension": 2, "time": {"until": 1, "step": 0.01}, "bodies": [ball, bat]}), "--json")
    check("no word of laws that create energy: %s" % result.stderr, result.returncode == 0 and "created" not in result.stderr)


def steps_without_a_certificate_are_warned_of():
    result = run("run", SCENES / "boxes.json", "--until", "1/48", *STARVED, "--json")
    value, said = json.loads(result.stdout), result.stderr.splitlines()
    check("one line says so: %s" % said, said and said[-1].startswith("warning: 5 of 5 steps not certified"))
    check("the run went through", result.returncode == 0 and ["warning: " + w for w in value["warnings"]] == said)
    # unsolved problems count against the step, however few their iterations: 510, and 794 if only iterations counted
    check("no step goes on for long without a solution: %d problems" % value["max_step_lcps"], value["max_step_lcps"] < 650)


def wait_for_text(path):
    """Until the run has written some states; signals are caught before that."""
    for _ in range(6000):
        if path.exists() and path.read_bytes().count(b"\n") > 2:
            return
        time.sleep(0.02)
    check("a file with text: %s" % path, False)


def interrupted(number):
    """Send a signal to a run that would last for hours; its status, output, and the files it left."""
    out, state = TEMP / "cut.csv", TEMP / "cut.ss"
    out.unlink(missing_ok=True)
    words = [PROGRAM, "run", str(AP97 / "ramp.json"), "--until", "1e6", "-o", str(out), "--checkpoint", str(state), "--json", "--every", "1"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ, OPENBLAS_NUM_THREADS="1"))
    wait_for_text(out)
    process.send_signal(number)
    stdout, stderr = process.communicate(timeout=PATIENCE)
    return process.returncode, stdout.decode(), stderr.decode(), out, state


def signals_end_a_run_cleanly():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        code, stdout, stderr, out, state = interrupted(number)
        value = json.loads(stdout)
        check("%s: status 130, the time and the files: %s" % (number.name, stderr),
              code == 130 and "interrupted at t = " in stderr and "saved up to this time: %s, %s" % (out, state) in stderr)
        check("%s: the JSON value says so" % number.name, value["outcome"] == "interrupted")
        rows = out.read_text().splitlines()
        last = float(rows[-1].split(",")[0])
        check("%s: the last row is the last state" % number.name, last == value["t"] and rows[0].startswith("t,"))
        back = run_json("run", AP97 / "ramp.json", "--restart", state, "--until", repr(value["t"]))
        check("%s: the checkpoint holds that state" % number.name, back["q"] == value["q"] and back["steps"] == value["steps"])


def nohup_is_respected():
    ignore = lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)
    out = TEMP / "nohup.csv"
    process = subprocess.Popen([PROGRAM, "run", str(AP97 / "ramp.json"), "--until", "1e6", "--quiet", "-o", str(out)],
                               preexec_fn=ignore, stderr=subprocess.DEVNULL, env=dict(os.environ, OPENBLAS_NUM_THREADS="1"))
    wait_for_text(out)
    process.send_signal(signal.SIGHUP)
    time.sleep(0.2)
    check("a run under nohup goes on", process.poll() is None)
    process.send_signal(signal.SIGTERM)
    check("until it is told to end", process.wait() == 130)


def the_sliding_cube_stops_where_it_must():
    # exact: v^2 / (2 mu g); the scheme is of order 1, so an error below v h
    cube = run_json("run", AP97 / "sliding_cube.json")
    check("it stops near 3.6697", near(cube["q"][0], 3.66972477, 6 * 0.01) and math.hypot(*cube["v"][:3]) < 1e-12)


the_json_value_has_its_keys()
the_summary_says_what_auto_chose_and_what_failed()
the_rod_impact_is_that_of_the_paper()
options_reach_the_run()
bad_options_are_refused()
overlap_needs_leave()
strict_ends_at_the_first_uncertified_step()
a_restart_continues_with_the_same_bits()
foreign_checkpoints_are_refused()
checkpoints_that_cannot_be_written_are_noticed_at_once()
a_checkpoint_after_the_end_is_refused()
impact_laws_that_create_energy_are_warned_of()
driven_bodies_are_not_called_a_fault_of_the_law()
steps_without_a_certificate_are_warned_of()
signals_end_a_run_cleanly()
nohup_is_respected()
the_sliding_cube_stops_where_it_must()
finish()
