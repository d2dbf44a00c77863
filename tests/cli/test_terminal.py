#!/usr/bin/env python3
"""The terminal: version, scenes from standard input, errors as JSON, what was written, scenes from any folder, manual pages,
completion, what -v prints."""
import json
import os
import re
import shutil
import subprocess

from common import PROGRAM, ROOT, TEMP, check, finish, refused, run, run_json

CHATTER = ROOT / "papers" / "ap97" / "chatter.json"


def the_version_has_three_names():
    shown = {run(word).stdout for word in ("--version", "-V", "-v")}
    check("one line: %s" % shown, len(shown) == 1 and re.fullmatch(r"slipstick \d+\.\d+\.\d+\n", shown.pop()))


def a_scene_comes_from_standard_input():
    text = CHATTER.read_bytes()
    value = json.loads(run("run", "-", "--until", ".1", "--json", input=text).stdout)
    same = run_json("run", CHATTER, "--until", ".1")
    check("the same run", value["q"] == same["q"] and value["scene"] == "standard input")
    check("check reads it too", "dofs" in run("check", "-", "--json", input=text).stdout)
    refused("an empty one", run("run", "-", input=b""), "standard input")
    refused("a wrong one", run("run", "-", "--set", "gravity=1", input=text), "standard input", "gravity")
    large = json.loads(text)
    large["description"] = "x" * 300000  # more than one piece of reading
    check("a large one", run("check", "-", input=json.dumps(large).encode()).returncode == 0)


def studies_read_it_too():
    text = CHATTER.read_bytes()
    words = ["--scheme", "moreau,anitescu_potra", "--until", ".1"]
    steps = ["--steps", ".05:.0125", "--reference", "event_capturing_rk@.00125"]
    ends = lambda value: [r["q"] for r in value["runs"]]
    errors = lambda value: [row["error"] for scheme in value["schemes"] for row in scheme["rows"]]
    for command, more, numbers in (("compare", [], ends), ("converge", steps, errors)):
        value = json.loads(run(command, "-", *words, *more, "--json", input=text).stdout)
        same = run_json(command, CHATTER, *words, *more)
        check("%s: the same numbers" % command, numbers(value) == numbers(same) and value["scene"] == "standard input")
        refused("%s: an empty one" % command, run(command, "-", *words, *more, input=b""), "standard input")
        refused("%s: all of it is read, also behind a zero" % command, run(command, "-", *words, *more, input=text + b"\0"), "standard input")


def errors_are_json_under_json():
    for words, status, part in ((["run", "nowhere.json"], 2, "nowhere.json"), (["run", CHATTER, "--stp", "1"], 2, "did you mean --step"),
                                (["rum"], 2, "did you mean run"), (["list", "schemas"], 2, "schemas"), (["solve", "nowhere.hdf5"], 2, "nowhere"),
                                (["run", CHATTER, "-o", TEMP / "no" / "x.csv"], 2, "x.csv")):
        result = run(*words, "--json")
        value = json.loads(result.stdout)
        check("%s: %s" % (words, value), result.returncode == status == value["status"] and part in value["error"])
        check("the same line on stderr", result.stderr.strip() == value["error"])
    result = run("run", CHATTER, "--until", "-1", "--json")
    check("one value and no more", set(json.loads(result.stdout)) == {"error", "status"})
    check("without --json nothing is on stdout", run("run", "nowhere.json").stdout == "")


def commands_say_what_they_wrote():
    wall, result, plot = TEMP / "wall.json", TEMP / "wall.h5", TEMP / "wall.svg"
    said = run("generate", "wall", "--bodies", "6", "-o", wall)
    check("generate: %s" % said.stdout, said.stdout.startswith("%s: a scene of 7 bodies" % wall) and said.stderr == "")  # and the floor
    check("it is JSON alone without -o", json.loads(run("generate", "wall", "--bodies", "6").stdout)["slipstick"] == 1)
    run("run", wall, "--until", ".02", "-o", result, "--quiet")
    said = run("plot", result, "--y", "kinetic,energy", "-o", plot)
    check("plot: %s" % said.stdout, said.stdout.startswith("%s: a plot of 2 curves" % plot) and plot.exists())


def scenes_are_found_from_any_folder():
    elsewhere = TEMP / "elsewhere"
    elsewhere.mkdir()
    check("those of the source folder", run("check", "scenes/arch.json", cwd=elsewhere).returncode == 0)
    check("those of SLIPSTICK_DATA", run_with_own_data("check", "scenes/own.json", cwd=elsewhere).returncode == 0)
    refused("and only there", run("check", "scenes/own.json", cwd=elsewhere), "scenes/own.json")
    (elsewhere / "scenes").mkdir()
    shutil.copy(CHATTER, elsewhere / "scenes" / "arch.json")
    check("the user's own come first", run_json("check", "scenes/arch.json", cwd=elsewhere)["bodies"] == 2)
    refused("others are not looked for", run("check", "arch.json", cwd=elsewhere), "arch.json")
    refused("compare, too, names what is not there", run("compare", "scenes/nothing.json", "--scheme", "moreau", cwd=elsewhere), "scenes/nothing.json")


def run_with_own_data(*words, cwd):
    (TEMP / "own" / "scenes").mkdir(parents=True)
    shutil.copy(CHATTER, TEMP / "own" / "scenes" / "own.json")
    os.environ["SLIPSTICK_DATA"] = str(TEMP / "own")
    result = run(*words, cwd=cwd)
    del os.environ["SLIPSTICK_DATA"]
    return result


def verbose_runs_tell_events_as_they_happen():
    value = run_json("run", CHATTER, "--until", "1")
    lines = run("run", CHATTER, "--until", "1", "-v", "--quiet").stderr.splitlines()
    events = [l for l in lines if re.match(r"t = [\d.e-]+ s: (impact|stick|slip|takeoff|accumulation|painleve|limit)", l)]
    check("one line for each event: %s" % lines[:3], len(events) == value["event_count"] > 0)


def every_word_of_the_summary_is_in_the_glossary():
    page = (ROOT / "docs" / "glossary.md").read_text()
    headings = set(re.findall(r"^###? (.*)$", page, re.M))
    words = set()
    for scene, *more in (("scenes/arm.json", "-o", TEMP / "a.csv"), ("papers/ap97/chatter.json", "--checkpoint", TEMP / "a.ss"),
                         ("papers/ap97/painleve_rod.json", "--dump-step", "3", TEMP / "a.hdf5")):
        lines = run("run", ROOT / scene, "--until", ".05", *more).stdout.splitlines()[1:]
        words |= {re.match(r"(\S+( \S+)*?)(  | t = | \S*/)", line).group(1) for line in lines if not line.startswith(" ")}
    check("words without a heading: %s" % (words - headings), words - headings <= {"checkpoint", "contact problem"} and len(words) >= 10)
    check("these two are under results", "`checkpoint` and `contact problem` likewise" in page)
    links = re.findall(r"\(#([a-z-]+)\)", page)
    check("links of the page lead to its headings", {l.replace("-", " ") for l in links} <= {h.lower() for h in headings})


def errors_of_the_scheme_vanish_with_the_step():
    """Those of gravity and motors do not."""
    coarse, fine = (run_json("run", ROOT / "scenes" / "arm.json", "--until", ".5", "--step", h)["ledger"]["errors_of_scheme"] for h in ("4e-3", "2.5e-4"))
    check("16 times shorter steps: %g J, %g J" % (coarse, fine), abs(fine) < abs(coarse) / 8)
    value = run_json("run", ROOT / "scenes" / "arm.json", "--until", ".5")
    named = sum(value["ledger"][k] for k in ("gyroscopic", "joints", "stabilisation", "projection", "scheme", "integration_error", "position_correction"))
    check("it is the sum of its entries", abs(value["ledger"]["errors_of_scheme"] - named) < 1e-15)
    text = run("run", ROOT / "scenes" / "arm.json", "--until", ".5").stdout
    check("the summary says so", "error of the scheme: work of joint reactions" in text and "J  work of gravity" in text)


MANUAL = TEMP / "manual"


def manual_pages_come_from_the_tables_of_the_help():
    check("they are written", run("help", "--write", MANUAL).returncode == 0)
    commands = re.findall(r"^  slipstick ([a-z]+)", run("help").stdout, re.M)
    check("a page for each command", {p.name for p in (MANUAL / "man1").iterdir()} == {"slipstick.1"} | {"slipstick-%s.1" % c for c in commands})
    for command in commands:
        page = (MANUAL / "man1" / ("slipstick-%s.1" % command)).read_text().replace("\\-", "-").replace("\\e", "\\")
        options = re.findall(r"^  (?:-\w, )?--([a-z-]+)\S* *\S* +(.*)$", run("help", command).stdout, re.M)
        check("%s has its options" % command, all("\\fB--%s\\fR" % name in page for name, _ in options) and page.startswith(".TH slipstick-%s 1" % command))
    if shutil.which("groff"):
        for page in (MANUAL / "man1").iterdir():
            said = subprocess.run(["groff", "-man", "-ww", "-Tutf8", page], capture_output=True, text=True)
            check("groff has nothing to say about %s: %s" % (page.name, said.stderr), said.returncode == 0 and said.stderr == "")
    result = run("help", "--write", "/dev/null/x")
    check("a folder that cannot be made", result.returncode == 2 and "cannot be written" in result.stderr)


def complete(*words):
    """What bash would offer for the last word."""
    script = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _slipstick; printf "%s\\n" "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "-c", script, "bash", MANUAL / "completions" / "slipstick", "slipstick", *words], capture_output=True, text=True, cwd=ROOT)
    check("no complaint: %s" % done.stderr, done.stderr == "")
    return done.stdout.split()


def bash_completes_commands_options_and_names():
    check("commands", complete("re") == ["reproduce"] and "run" in complete(""))
    check("options of the command", complete("run", "--sol") == ["--solver", "--solver-tol"] and complete("plot", "--sol") == [])
    schemes = [e["name"] for e in run_json("list", "schemes")]
    check("schemes", complete("run", "x.json", "--scheme", "") == schemes)
    check("lists and kinds", complete("list", "sc") == ["schemes", "scenes"] and complete("generate", "wa") == ["wall"])
    check("files elsewhere", complete("run", "scenes/arc") == ["scenes/arch.json"] and complete("generate", "wall", "-o", "READ") == ["README.md"])


the_version_has_three_names()
a_scene_comes_from_standard_input()
studies_read_it_too()
errors_are_json_under_json()
commands_say_what_they_wrote()
scenes_are_found_from_any_folder()
verbose_runs_tell_events_as_they_happen()
every_word_of_the_summary_is_in_the_glossary()
errors_of_the_scheme_vanish_with_the_step()
manual_pages_come_from_the_tables_of_the_help()
bash_completes_commands_options_and_names()
finish()
