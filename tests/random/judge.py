"""What is wrong with a run: the program's own report, held against what its scheme and its ledger promise.

A verdict is a list of faults. Their kinds, in the order of the survey's table:

    refused     a valid scene was not accepted
    crash       the program ended by a signal, or without a report
    failed      the simulation could not go on
    slow        the limit of time was reached, or a step took more than SLOW seconds on average
    uncertified steps whose contact problems were not solved to the tolerance; `unsaid` if no remark says why
    energy      dampers and contacts together created more than PASSIVE of the energy in play, beyond what the ledger names
                as gain of impacts; or the ledger does not close
    error       the time discretisation (ERRORS: entries that vanish with the step length) created more than ERROR of the energy
                in play
    overlap     deeper than the scheme declares: FITS, or the distance that two bodies cover in a step if its order is 1
    joints      an error of joints above FITS, unless the scheme says that they drift
    nan         a number of the report is not a number"""
import csv
import math
from dataclasses import dataclass

KINDS = ["refused", "crash", "failed", "slow", "uncertified", "energy", "error", "overlap", "joints", "nan"]
PASSIVE_PARTS = ("dampers", "contact_normal", "contact_friction")
ERRORS = ("joints", "integration_error", "stabilisation", "projection", "scheme", "gyroscopic", "inertia")
SLOW = 0.1      # s for a step of at most 30 bodies
FITS = 1e-5     # m, rad: ten times what the program calls satisfied; scenes measure some metres
PASSIVE = 0.01  # of the energy in play: along curved paths contacts do work of the order of h
ERROR = 0.1     # of the energy in play
CLOSURE = 1e-8


@dataclass
class Fault:
    kind: str
    words: str
    size: float = 1.0  # seconds of a step, metres, share of the energy in play: two faults of a kind can be compared


def judge(scene, entry, run):
    """All that is wrong with one run of a scene by a scheme of the registry."""
    report = run["report"]
    if report is None:
        if run["late"]:
            return [Fault("slow", run["words"], math.inf)]
        return [Fault("refused" if run["status"] == 2 else "crash", "status %s: %s" % (run["status"], run["words"]))]
    found = []
    if report["outcome"] == "failed":
        found.append(Fault("failed", report["error"]))
    found += slowness(run) + certificate(report) + energy(report, run["history"]) + geometry(scene, entry, report, run["history"])
    return found


def slowness(run):
    report = run["report"]
    mean = run["seconds"] / max(report["steps"], 1)
    if not run["late"] and mean <= SLOW:
        return []
    return [Fault("slow", "%.3g s a step on average, %d steps, t = %.4g" % (mean, report["steps"], report["t"]), mean)]


def certificate(report):
    open_steps = report["unconverged_steps"]
    if not open_steps:
        return []
    said = ", ".join("%s %d" % (kind, remark["steps"]) for kind, remark in report["remarks"].items())
    worst = "largest residual %s" % number(report["max_residual"])
    return [Fault("uncertified", "%d steps, %s, %s" % (open_steps, worst, said or "unsaid"), report["max_residual"] or math.inf)]


def energy(report, history):
    ledger = report["ledger"]
    if any(value is None for value in ledger.values()):
        return [Fault("nan", "the ledger: " + ", ".join(key for key, value in ledger.items() if value is None))]
    found, scale = [], max(history["energy"], 1e-12)
    passive = sum(ledger[key] for key in PASSIVE_PARTS) - ledger["impact_gain"]
    if passive > PASSIVE * scale:
        entries = parts(ledger, *PASSIVE_PARTS, "impact_gain")
        found.append(Fault("energy", "passive parts created %.3g of %.3g J: %s" % (passive, scale, entries), passive / scale))
    if not ledger["closure"] <= CLOSURE:
        found.append(Fault("energy", "the ledger does not close: %.2g" % ledger["closure"], ledger["closure"]))
    error = sum(ledger[key] for key in ERRORS)
    if error > ERROR * scale:
        words = "discretisation created %.3g of %.3g J: %s" % (error, scale, parts(ledger, *ERRORS))
        found.append(Fault("error", words, error / scale))
    return found


def geometry(scene, entry, report, history):
    found, order = [], entry["order"]["overlap"]
    allowed = FITS + (2 * history["speed"] * scene["time"]["step"] ** order if order else 0)
    joints = float("inf") if entry["order"]["joints_drift"] else FITS
    for key, kind, limit in (("max_penetration", "overlap", allowed), ("max_joint_error", "joints", joints)):
        if report[key] is None:
            found.append(Fault("nan", key))
        elif report[key] > limit:
            said = ", said by a remark" if "joints" in report["remarks"] else ""
            found.append(Fault(kind, "%.3g, allowed %.3g%s" % (report[key], limit, said), report[key]))
    return found


def parts(ledger, *keys):
    return ", ".join("%s %.3g" % (key, ledger[key]) for key in keys if ledger[key])


def number(value):
    return "nan" if value is None else "%.1e" % value


# ---- what the states of a run tell -----------------------------------------------------------------------------------

def reach(body):
    """Radius about the centre that holds the shapes, roughly."""
    far = 0
    for shape in body.get("shapes", []):
        size = shape.get("size", []) + [shape.get("radius", 0), shape.get("length", 0)]
        corners = [math.hypot(*point) for point in shape.get("points", [])]
        far = max(far, math.hypot(*shape.get("position", [0])) + max(math.hypot(*size), *corners, 0))
    return far


def history(scene, path):
    """Of a CSV file: the largest speed of a point of a body, and the energy in play: most kinetic plus range of potential."""
    with open(path, newline="") as file:
        rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file) if None not in row.values()]
    speed = 0.0
    for body in scene["bodies"]:
        name = body["name"]
        linear = [key for key in (name + ".vx", name + ".vy", name + ".vz") if key in rows[0]]
        angular = [key for key in (name + ".omega", name + ".wx", name + ".wy", name + ".wz") if key in rows[0]]
        for row in rows if linear else ():
            spin = math.hypot(*(row[key] for key in angular))
            speed = max(speed, math.hypot(*(row[key] for key in linear)) + reach(body) * spin)
    potential = [row["potential"] for row in rows]
    return {"speed": speed, "energy": max(row["kinetic"] for row in rows) + max(potential) - min(potential)}
