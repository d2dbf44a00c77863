"""Groups of bodies with the joints that groups.py does not have: guides and threads of single bodies, wheels and racks that are
coupled. Only the profile `machine` of random_scene.py makes them, so that the scenes of the other profiles stay as they are."""
from groups import Group, equip


def guided(m):
    """A body on a guide of the world: a wire, and in 3D a shaft, a thread, a plane or a cross."""
    group, part = Group(), m.any_part()
    body = group.add(m.body(part, m.at(0, round(part.radius + m.number(0.02, 0.4), 6))), part.radius)
    kind = m.rng.choice(["point_on_line"] if m.dim == 2 else ["point_on_line", "cylindrical", "screw", "planar", "universal"])
    axis = m.rng.choice([m.at(0, 1), m.at(1, 0), m.at(0.6, 0.8)])
    joint = group.join(m, kind, None, body, body["position"], axis=axis)
    if kind == "universal":
        joint["second_axis"] = [0, 1, 0]
    elif kind == "screw":
        joint["pitch"] = m.number(-0.2, 0.2)
    if kind not in ("universal", "planar"):
        equip(m, joint, 10 * body["mass"] * (part.radius if kind == "screw" else 1))
        joint["limits"] = joint.get("limits", [-0.3, 0.3])
    return group


def wheels(m):
    """Two wheels in mesh in the air, driven by a torque, and a rack that the second one moves up and down."""
    group, radii, hinges = Group(), [m.length(0.1, 0.2), m.length(0.1, 0.2)], []
    up = round(max(radii) + 0.6, 6)
    for x, r in zip((-radii[0], radii[1]), radii):
        wheel = group.add(m.body(m.ball(round(0.9 * r, 6)), m.at(round(x, 6), up), "wheel"), r)
        hinges.append(group.join(m, "revolute", None, wheel, wheel["position"])["name"])
    weight = 10 * wheel["mass"] * radii[1]
    group.joints[0]["motor"] = {"force": "%.3g*cos(%g*t)" % (weight * m.rng.uniform(0.1, 2), m.number(0, 20))}
    group.joints.append({"name": m.name("gear"), "type": "gear", "joints": hinges, "ratio": round(-radii[0] / radii[1], 6)})
    bar = group.add(m.body(m.ball(0.05), m.at(round(2 * radii[1] + 0.06, 6), up), "bar"), 0.06)
    rail = group.join(m, "prismatic", None, bar, bar["position"], axis=m.at(0, 1))
    group.joints.append({"name": m.name("rack"), "type": "rack", "joints": [hinges[1], rail["name"]], "radius": radii[1]})
    return group
