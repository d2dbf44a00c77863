#!/usr/bin/env python3
"""The whole public interface: every function of the headers is wrapped, or stands below with the reason; every wrapped one is called
by the package; and what was not tried elsewhere is tried here."""
import re

import numpy as np
from package import ROOT, TEMP, check, finish, raises, slipstick
from slipstick import Result, Simulation, _native

# ---- headers and package -----------------------------------------------------------------------------------

LEFT_OUT = {  # functions that begin like this: why
    "ss_step_|ss_reduction_|ss_context_add_": "what is added from outside is written in C (slipstick/extend.h)",
    "ss_plot_": "pictures are made with what Python has",
    "ss_exact_|ss_norm_|ss_quantity_|ss_list_parse|ss_study_|ss_converge|ss_compar|ss_experiment_": "studies: the command line",
    "ss_problem_|ss_solver_|ss_dump_|ss_need_names": "contact problems by themselves: the command line, `slipstick solve`",
    r"ss_scene_(create|get|set|add)_?|ss_scene_settings_default|ss_\w+_desc_default|ss_block_default|ss_\w+_fields":
        "scenes are dictionaries",
    "ss_record_": "summary, ledger and on_event have what it collects",
    "ss_writer_(claim|begin|flush)|ss_checkpoint_(open|save|close|try)": "for programs that write for a long time; record and write_checkpoint do all in one",
    "ss_context_options_default|ss_context_fail|ss_nearest_name|ss_observer_default": "for programs in C",
    "ss_registry_find|ss_result_find_column|ss_ledger_is_error": "dictionaries and lists have it",
    "ss_sim_model|ss_model_settings|ss_model_body_pose|ss_model_element_": "Simulation.scene and pose have it",
}
declared = set()
for header in (ROOT / "include" / "slipstick").glob("*.h"):
    text = " ".join(re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S).split())
    declared |= set(re.findall(r"SS_API [^;{(]*?\b(ss_\w+)\(", text))
wrapped = set(_native._FUNCTIONS)
excused = {name for name in declared for pattern in LEFT_OUT if re.match(pattern, name)}
check(f"functions of the headers that Python lacks: {sorted(declared - wrapped - excused)}", declared <= wrapped | excused)
check(f"functions that are wrapped and excused: {sorted(wrapped & excused)}", not wrapped & excused)
check("every function that is wrapped is declared", wrapped <= declared)
sources = "".join(path.read_text() for path in (ROOT / "python" / "slipstick").glob("*.py") if path.name != "_native.py")
built = re.findall(r'f"(ss_model_\{kind\}_\w+|ss_model_find_\{kind\})"', sources)
used = set(re.findall(r"lib\.(ss_\w+)", sources)) | {"ss_version"}
used |= {name.replace("{kind}", kind) for name in built for kind in ("body", "joint", "force", "material", "output")}
check(f"functions that are wrapped and never called: {sorted(wrapped - used)}", wrapped <= used)

# ---- what the other tests do not try -------------------------------------------------------------------------

BALL = {"slipstick": 1, "dimension": 3, "gravity": [0, 0, -10], "time": {"until": 1, "step": 0.01}, "scheme": {"name": "event_capturing_rk"},
        "bodies": [{"name": "floor", "type": "fixed", "shapes": [{"type": "half_space", "normal": [0, 0, 1]}]},
                   {"name": "ball", "type": "rigid", "mass": 1, "inertia": [0.1, 0.1, 0.1], "position": [0, 0, 0.3],
                    "shapes": [{"type": "sphere", "radius": 0.1}]}],
        "elements": [{"name": "beam", "type": "bar", "size": [1, 0.01, 0.01], "divisions": 2, "E": 1e6, "density": 1000,
                      "position": [5, 0, 5], "contact": "none"}],
        "joints": [{"name": "pin", "type": "spherical", "bodies": ["world", "rod"], "at": [-3, 0, 3]}]}
BALL["bodies"].append({"name": "rod", "type": "rigid", "mass": 1, "inertia": [0.1, 0.1, 0.1], "position": [-3, 0, 2.5]})

dense = []
with Simulation(BALL) as sim:
    sim.observe(on_step=lambda s: dense.append((s.t, s.at(s.t - 0.005)[0][s.q_names.index("ball.z")])))
    sim.record(TEMP / "ball.h5")
    check("a model has its sizes", sim.dimension == 3 and sim.length > 0 and sim.pairs >= 1 and sim.overlaps() == [])
    check("types of bodies", [sim.body_type(b) for b in ("floor", "ball")] == ["fixed", "rigid"])
    check("rows of a joint", sim.joint_rows("pin") == ["force_x", "force_y", "force_z"])
    check("the state of the scene", np.array_equal(sim.start()[0], sim.q) and np.array_equal(sim.start()[1], sim.v))
    check("steps are fixed", sim.tol == 0 and not sim.tol_binds)
    sim.advance(0.3)
    # free fall from 0.3 m until it meets the floor after 0.2 s
    fall = [(t, z) for t, z in dense if t < 0.2]
    check("dense output is the parabola", all(abs(z - 0.3 + 5 * (t - 0.005)**2) < 1e-12 for t, z in fall) and len(fall) > 15)
    check("contacts have names", sim.contact_names() == ["ball.0-floor.0"] or sim.contact_names() == ["floor.0-ball.0"])
    check("a bar in free fall carries nothing", len(sim.stresses()) > 0 and np.abs(sim.stresses()).max() < 1e-6)
    check("the last step is solved", sim.outcome == "converged" and sim.remarks == {} and abs(sim.errors) < 1e-9)
with Result(TEMP / "ball.h5") as result:
    check("a result knows its run", (result.dimension, result.scheme, result.solver) == (3, "event_capturing_rk", "auto"))
    check("names of its columns", "ball.z" in result.q_names and "ball.vz" in result.v_names)
    check("its scene runs again", Simulation(result.scene).bodies[:3] == ["floor", "ball", "rod"])
    (t, kind), *_ = result.events()
    check("the impact is there", kind == "impact" and abs(t - 0.2) < 1e-9)
    carried = [one for one in result.contacts(len(result) - 1) if sorted(one["bodies"]) == [0, 1]]
    check("and the contact that carries the ball", len(carried) == 1 and abs(abs(carried[0]["force"][2]) - 10) < 1e-6)
    raises("a state that is not there", slipstick.InputError, "state 999: expected", result.contacts, 999)
deep = dict(BALL, bodies=[dict(body, position=[0, 0, 0.05]) if body["name"] == "ball" else body for body in BALL["bodies"]])
with Simulation(deep, allow_overlap=True) as sim:
    (a, b, depth), = sim.overlaps()
    check("an overlap has its depth", {a, b} == {"floor", "ball"} and abs(depth - 0.05) < 1e-12)

PLATE = {"slipstick": 1, "dimension": 2, "gravity": [0, 0], "time": {"step": 0.01}, "scheme": {"name": "moreau"},
         "elements": [{"name": "plate", "type": "triangle", "size": [2, 1], "divisions": [2, 1], "E": 1e6, "nu": 0.3, "density": 1000,
                       "contact": "none"}]}
with Simulation(PLATE) as sim:
    mesh = sim.solids()
    x, y = mesh.points[:, 0] + sim.q.reshape(-1, 2)[:, 0], mesh.points[:, 1] + sim.q.reshape(-1, 2)[:, 1]
    area = sum(abs((x[b] - x[a]) * (y[c] - y[a]) - (x[c] - x[a]) * (y[b] - y[a])) / 2 for a, b, c in mesh.elements)
    check("triangles cover the plate", abs(area - 2) < 1e-12 and set(mesh.of) == {0} and len(mesh.bodies) == len(x))
    check("a plate at rest has no stress", len(sim.von_mises()) == len(mesh.elements) and np.abs(sim.von_mises()).max() < 1e-6)

loose = slipstick.Scene({"slipstick": 1, "dimension": 2, "time": {"step": 0.01}, "bodies": [{"name": "bob", "type": "particle", "mass": 1,
                                                                                       "position": [1.5, 0]}],
                         "joints": [{"name": "rod", "type": "distance", "bodies": ["world", "bob"], "length": 1}]})
moved = loose.assemble()
check("a joint that does not fit is closed", list(moved) == ["bob"] and abs(moved["bob"]["distance"] - 0.5) < 1e-9)
check("in the scene itself", np.allclose(loose.to_dict()["bodies"][0]["position"], [1, 0]))

nameless = slipstick.Scene({"slipstick": 1, "dimension": 2, "time": {"step": 0.01},
                            "bodies": [{"type": "particle", "mass": 1, "position": [0, 1]},
                                       {"type": "particle", "mass": 1, "position": [1.5, 0]},
                                       {"name": "bob", "type": "particle", "mass": 1, "position": [1.5, 1]}],
                            "joints": [{"type": "distance", "bodies": ["world", "bob"], "length": 1}]})
moved = nameless.assemble()
check(f"bodies without a name do not hide the one that moved: {list(moved)}", list(moved) == ["bob"])

with Simulation(BALL, scheme="moreau") as sim:
    sim.advance(0.5)
    taken = sim.allocations
    for _ in range(20):
        sim.step()
    check("steps take no memory", sim.allocations == taken and taken > 0)

check("schemes have orders and laws", {e["name"]: e["order"]["smooth"] for e in slipstick.entries("schemes")}["moreau"] == 2
      and "coulomb" in {e["name"]: e for e in slipstick.entries("schemes")}["moreau"]["laws"])
check("joints have titles", all(e["title"] for e in slipstick.entries("joints")))
raises("a registry that is not there", slipstick.InputError, "there are schemes, solvers", slipstick.entries, "wheels")
check("the schema", slipstick.schema()["type"] == "object")
check("numbers as in scenes", slipstick.number("2^-3") == 0.125)
raises("a number that is none", slipstick.InputError, "", slipstick.number, "2^^")

# ---- the viewer inside a notebook, which IPython need not be there for ----------------------------------------

shown = slipstick.View(TEMP / "ball.h5", height=300)
text = shown._repr_html_()
check("a frame with the whole page", text.startswith('<iframe srcdoc="&lt;!') and 'height="300"' in text and "<script" not in text)
shown.save(TEMP / "page.html")
check("the page can be saved", (TEMP / "page.html").read_text() == shown.page and "<script" in shown.page)
raises("a result that is not there", slipstick.InputError, "nowhere.h5", slipstick.View, "nowhere.h5")
raises("no result at all", slipstick.InputError, "at least one", slipstick.View)

finish()
