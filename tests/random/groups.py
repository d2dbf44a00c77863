"""Groups of bodies: what stands, falls or moves together. random_scene.py puts several of them side by side.

A group is built about x = 0 on the ground at height 0, within `half` of x = 0; nothing in it overlaps at the start. Joints
are given by a point of the world, so that they fit to round-off wherever the group is put."""
import math
from dataclasses import dataclass, field

CLEAR = 0.05  # m between bodies that shall not touch at the start


@dataclass
class Group:
    half: float = 0.0
    bodies: list = field(default_factory=list)
    joints: list = field(default_factory=list)
    forces: list = field(default_factory=list)

    def add(self, body, reach):
        self.bodies.append(body)
        self.half = max(self.half, abs(body["position"][0]) + reach)
        return body

    def join(self, m, kind, first, second, at, **keys):
        """A joint of two bodies (None: the world) at a point of the world."""
        names = [body["name"] if body else "world" for body in (first, second)]
        joint = {"name": m.name(kind), "type": kind, "bodies": names, "at": at, **keys}
        if kind == "revolute" and m.dim == 3:
            joint["axis"] = [0, 1, 0]
        self.joints.append(joint)
        return joint


def moving(group):
    return [body for body in group.bodies if body["type"] in ("particle", "rigid")]


# ---- single bodies, stacks, heaps ------------------------------------------------------------------------------

def thrown(m):
    """One body in the air, turned, with a velocity and often a fast spin."""
    group, part = Group(), m.any_part()
    body = group.add(m.body(part, m.at(0, m.number(part.radius, part.radius + 0.8))), part.radius)
    m.turn(body)
    m.throw(body, 3, m.rng.choice([0, 5, 60]))
    return group


def particles(m):
    """A few in the air, one above the other, some with springs between them."""
    group, up = Group(), 0.0
    for _ in range(m.rng.randint(1, 4)):
        up += m.number(0.2, 0.5)
        body = group.add(m.particle(m.at(0, up)), 0.1)
        body["velocity"] = m.vector(2)
    for below, above in zip(group.bodies, group.bodies[1:]):
        if m.chance(0.5):
            group.forces.append(spring(m, below, above))
    return group


def resting(m):
    """One body on the ground: at rest, sliding or about to roll."""
    group, part = Group(), m.any_part()
    body = group.add(m.body(part, m.at(0, part.rest)), part.radius)
    if m.chance(0.5):
        body["velocity"] = m.at(m.number(-3, 3), 0, m.number(-1, 1))
        if len(part.shapes) == 1 and "radius" in part.shapes[0] and "length" not in part.shapes[0]:
            body["angular_velocity"] = m.number(-30, 30) if m.dim == 2 else m.vector(30)
    return group


def stack(m):
    """Flat bodies that stand on each other, the last one of any kind; now and then one is thrown at them."""
    group, up = Group(), 0.0
    for k in range(m.rng.randint(2, 5)):
        part = m.flat_part() if k < 4 else m.any_part()
        group.add(m.body(part, m.at(m.number(-0.03, 0.03), up + part.rest)), part.radius)
        up += 2 * part.rest
    if m.chance(0.3):
        group.bodies[-1]["velocity"] = m.at(m.number(-1, 1), 0)
    return group


def heap(m):
    """Bodies in cells above each other, which fall onto a heap."""
    group, parts = Group(), [m.any_part() for _ in range(m.rng.randint(3, 9))]
    cell = 2 * max(part.radius for part in parts) + 0.01
    columns = m.rng.randint(1, 3)
    for k, part in enumerate(parts):
        x, up = (k % columns - (columns - 1) / 2) * cell, cell * (k // columns + 0.5)
        body = group.add(m.body(part, m.at(x, round(up, 6))), cell / 2)
        m.turn(body)
        if m.chance(0.3):
            m.throw(body, 1, 5)
    return group


def pyramid(m):
    """Balls that touch each other and the ground, one in the saddle of two; or a row that is struck at one end."""
    group, r = Group(), m.length(0.08, 0.2)
    count = m.rng.randint(2, 5)
    for k in range(count):
        group.add(m.body(m.ball(r), m.at((2 * k - count + 1) * r, r)), r)
    if m.chance(0.6):
        group.add(m.body(m.ball(r), m.at((2 - count) * r, r + math.sqrt(3) * r)), r)
    else:
        group.bodies[0]["velocity"] = m.at(m.number(0.5, 3), 0)
    return group


def obstacle(m):
    """Something fixed, and a body that falls on it."""
    group, below, above = Group(), m.flat_part(), m.any_part()
    fixed = {"name": m.name("obstacle"), "type": "fixed", "position": m.at(0, below.rest), "shapes": below.shapes}
    group.add(fixed, below.radius)
    up = 2 * below.rest + above.radius + m.number(0, 0.3)
    body = group.add(m.body(above, m.at(m.number(-0.1, 0.1), round(up, 6))), above.radius)
    m.turn(body)
    return group


# ---- mechanisms ------------------------------------------------------------------------------------------------

def link(m, group, start, angle, length, mass=None):
    """A bar from `start`, (x, up), at an angle from the upward direction. Returns the body and its end."""
    end = (start[0] + length * math.sin(angle), start[1] + length * math.cos(angle))
    middle = m.at((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    thick = min(0.06, length / 5)
    shape = (m.shape("capsule", radius=thick / 2, length=length - thick) if m.chance(0.6) else
             m.shape("box", size=m.at(thick, length, thick)))
    body = {"name": m.name("link"), "type": "rigid", "mass": mass or m.mass(), "position": middle, "shapes": [shape]}
    if m.dim == 2:
        body["angle"] = -angle
    else:
        body["orientation"] = [math.cos(angle / 2), 0, math.sin(angle / 2), 0]
    group.add(body, length / 2 + thick)
    return body, end


def rotate(m, group, pivot, rate):
    """The whole group turns about a point (x, up): no joint in it notices."""
    for body in moving(group):
        x, up = body["position"][0] - pivot[0], body["position"][-1] - pivot[1]
        body["velocity"] = m.at(rate * up, -rate * x)
        if body["type"] == "rigid":
            body["angular_velocity"] = -rate if m.dim == 2 else [0, rate, 0]


def equip(m, joint, weight, held=False):
    """Limits, or a motor: of limited force, of given force, or (`held`) as strong as it takes, from rest."""
    kind = m.rng.choice(["none", "limits", "bounded", "force", "both"] + (["held"] if held else []))
    if kind in ("limits", "both"):
        low, high = -m.number(0.05, 1.5), m.number(0.05, 1.5)
        joint["limits"] = m.rng.choice([[low, high], [low, None], [None, high]])
    if kind in ("bounded", "both"):
        speed = m.rng.choice(["%g" % m.number(-5, 5), "%g*sin(%g*t)" % (m.number(1, 5), m.number(1, 20))])
        joint["motor"] = {"speed": speed, "max": float("%.3g" % (weight * m.rng.uniform(0.1, 3)))}
    if kind == "force":
        joint["motor"] = {"force": "%.3g*cos(%g*t)" % (weight * m.rng.uniform(0.1, 2), m.number(0, 20))}
    if kind == "held":
        rate = m.number(2, 10)
        joint["motor"] = {"speed": "%g*sin(%g*t)" % (0.4 * rate, rate)}


def pendulum(m):
    """A chain that hangs from the world or stands on its head, sometimes on a driven support: hinges or ball joints."""
    group, lengths, heading = Group(), [m.length(0.3, 0.6) for _ in range(m.rng.randint(1, 5))], m.number(0, 2 * math.pi)
    angles = [heading + m.number(-0.5, 0.5) for _ in lengths]
    lowest = min(sum(l * math.cos(a) for l, a in list(zip(lengths, angles))[:k]) for k in range(len(lengths) + 1))
    clear = m.chance(0.5)  # the ground is out of reach, so that a motor of any strength is free to turn
    top = 0.1 + (sum(lengths) if clear else m.rng.choice([0, 0.2]) - lowest)
    last, point = driven_support(m, group, top) if m.chance(0.2) else None, (0.0, top)
    hangs_on_world = last is None
    for k, (length, angle) in enumerate(zip(lengths, angles)):
        body, end = link(m, group, point, angle, length)
        kind = "revolute" if m.dim == 2 or m.chance(0.6) else "spherical"
        joint = group.join(m, kind, last, body, m.at(*point))
        if kind == "revolute":
            equip(m, joint, 10 * body["mass"] * length, held=clear and k == 0)
        last, point = body, end
    if hangs_on_world and not group.joints[0].get("motor") and m.chance(0.4):
        rotate(m, group, (0.0, top), m.number(-3, 3))
    group.half = sum(lengths) + 0.1 if clear else group.half
    return group


def driven_support(m, group, up):
    rate = m.number(2, 15)
    body = {"name": m.name("support"), "type": "driven", "position": m.at(0, up),
            "motion": {0: "%g*(1-cos(%g*t))" % (m.number(0.02, 0.1), rate)}}
    return group.add(body, 0.2)


def rope(m):
    """A body on a rod, a rope or a strut of the world; the rope is taut or slack at the start."""
    group, part, height = Group(), m.any_part(), m.number(1.2, 1.6)
    body = group.add(m.body(part, m.at(round(part.radius + 0.1, 6), round(part.radius + m.number(0, 0.3), 6))), part.radius)
    length = math.hypot(body["position"][0], height - body["position"][-1])
    joint = {"name": m.name("distance"), "type": "distance", "bodies": ["world", body["name"]],
             "anchors": [m.at(0, height), m.at(0, 0)]}
    limits = [[None, length], [None, length + 0.1], [length - 0.05, None], [length - 0.1, length + 0.1]]
    winch = {"motor": {"force": "%.3g" % (-8 * body["mass"])}}
    joint.update(m.rng.choice([{}, winch, *({"limits": each} for each in limits)]))
    group.joints.append(joint)
    return group


def four_bar(m):
    """Two cranks and a coupler: a closed loop with the world, motor at the first crank."""
    group, up, wide = Group(), m.number(0.8, 1.2), m.length(0.4, 0.8)
    lean = m.number(-0.6, 0.6)
    a, b = (-wide / 2, up), (wide / 2, up)
    size = m.length(0.2, 0.4)
    left, top_left = link(m, group, a, lean, size)
    right, top_right = link(m, group, b, lean, size)
    coupler, _ = link(m, group, top_left, math.pi / 2, wide)
    first = group.join(m, "revolute", None, left, m.at(*a))
    group.join(m, "revolute", None, right, m.at(*b))
    group.join(m, "revolute", left, coupler, m.at(*top_left))
    group.join(m, "revolute", coupler, right, m.at(*top_right))
    equip(m, first, 10 * (left["mass"] + coupler["mass"]) * size)
    group.half = wide / 2 + size + 0.1
    return group


def slider_crank(m):
    """A crank, a rod and a slider on a rail: a closed loop of two kinds of joints."""
    group, up, size, rod = Group(), m.number(0.6, 0.9), m.length(0.16, 0.3), m.length(0.5, 0.8)
    angle = m.number(0.3, 2.6)
    crank, pin = link(m, group, (0.0, up), angle, size)
    lean = math.pi - math.acos((pin[1] - up) / rod)  # down or up to the rail
    bar, end = link(m, group, pin, lean, rod)
    slider = group.add(m.body(m.box(), m.at(end[0], up), "slider"), 0.1)
    slider["shapes"] = [m.shape("box", size=m.at(0.12, 0.1, 0.1))]
    motor = group.join(m, "revolute", None, crank, m.at(0, up))
    group.join(m, "revolute", crank, bar, m.at(*pin))
    group.join(m, "revolute", bar, slider, m.at(*end))
    group.join(m, "prismatic", None, slider, m.at(end[0], up), axis=m.at(1, 0))
    equip(m, motor, 10 * (crank["mass"] + bar["mass"]) * size)
    motor.pop("limits", None)
    group.half = size + rod + 0.1
    return group


def ring(m):
    """A closed chain that flies and turns as a whole."""
    group, count, size = Group(), m.rng.randint(3, 6), m.length(0.3, 0.5)
    radius = size / 2 / math.sin(math.pi / count)
    corners = [(radius * math.sin(2 * math.pi * k / count), 0.2 + radius * (1 + math.cos(2 * math.pi * k / count)))
               for k in range(count)]
    bars = [link(m, group, corner, math.pi / 2 + 2 * math.pi * (k + 0.5) / count, size)[0] for k, corner in enumerate(corners)]
    for k in range(count):
        group.join(m, "revolute", bars[k - 1], bars[k], m.at(*corners[k]))
    rotate(m, group, (0.0, 0.2 + radius), m.number(-8, 8))
    return group


def cart(m):
    """A box on two wheels with motors, standing on the ground."""
    group, r, wide = Group(), m.length(0.08, 0.14), m.length(0.5, 0.8)
    size = m.at(wide, 0.1, 0.1)
    chassis = group.add(m.body(m.box(), m.at(0, 2 * r + 0.1), "cart"), wide / 2)
    chassis["shapes"] = [m.shape("box", size=size)]
    for x in (-wide / 3, wide / 3):
        wheel = group.add(m.body(m.ball(r), m.at(round(x, 6), r), "wheel"), r)
        joint = group.join(m, "revolute", chassis, wheel, m.at(round(x, 6), r))
        equip(m, joint, 10 * chassis["mass"] * r, held=m.chance(0.3))
        joint.pop("limits", None)
    return group


def pinned(m):
    """A bar, held by a hinge just above the ground: it falls onto the ground or lies on it."""
    group, length = Group(), m.length(0.4, 0.8)
    height = m.rng.choice([0.03, 0.05, m.number(0.04, 0.2)])
    lean = math.pi / 2 if m.chance(0.3) else m.number(0.2, 1.4)
    body, _ = link(m, group, (0.0, height), lean, length)
    joint = group.join(m, "revolute", None, body, m.at(0, height))
    equip(m, joint, 10 * body["mass"] * length / 2)
    return group


def slider(m):
    """A body on a rail of the world, with limits, a motor, or the ground in its way."""
    group, part = Group(), m.any_part()
    body = group.add(m.body(part, m.at(0, round(part.radius + m.number(0.02, 0.4), 6))), part.radius)
    axis = m.rng.choice([m.at(0, 1), m.at(1, 0), m.at(0.6, 0.8)])
    joint = group.join(m, "prismatic", None, body, body["position"], axis=axis)
    equip(m, joint, 10 * body["mass"], held=axis[0] == 1)
    if m.chance(0.4) and "speed" not in joint.get("motor", {}):
        speed = m.number(-2, 2)
        body["velocity"] = [speed * x for x in axis]
    return group


def welded(m):
    """Two bodies in one piece, thrown."""
    group, parts = Group(), [m.any_part(), m.any_part()]
    apart = parts[0].radius + parts[1].radius
    up = max(part.radius for part in parts) + m.number(0.05, 0.5)
    pair = [group.add(m.body(part, m.at(x, round(up, 6))), part.radius) for part, x in zip(parts, (-apart / 2, apart / 2))]
    group.join(m, "fixed", *pair, m.at(0, up), collide=m.chance(0.3))
    rotate(m, group, (0.0, up), m.number(-6, 6))
    return group


def coupled(m):
    """Two bodies in the air with a rod, a rope or a rail between them, which they turn with as a whole."""
    group, parts = Group(), [m.any_part(), m.any_part()]
    apart = parts[0].radius + parts[1].radius + m.number(0.02, 0.3)
    up = max(part.radius for part in parts) + m.number(0.05, 0.5)
    pair = [group.add(m.body(part, m.at(x, round(up, 6))), part.radius) for part, x in zip(parts, (-apart / 2, apart / 2))]
    if m.chance(0.5):
        rail = group.join(m, "prismatic", *pair, m.at(0, up), axis=m.at(1, 0), collide=True)
        equip(m, rail, 10 * pair[1]["mass"], held=True)
    else:
        joint = {"name": m.name("distance"), "type": "distance", "bodies": [body["name"] for body in pair], "collide": True}
        joint.update(m.rng.choice([{}, {"limits": [None, apart]}, {"limits": [0.5 * apart, 1.2 * apart]}]))
        group.joints.append(joint)
    rotate(m, group, (0.0, up), m.number(-4, 4))
    return group


# ---- driven bodies -----------------------------------------------------------------------------------------------

def platform(m):
    """A driven block, sunk into the ground, that goes up and down, or to and fro, under bodies that stand on it. It is
    slick, so that what it pushes along the ground cannot jam."""
    group, wide = Group(), m.length(0.8, 1.2)
    shape = dict(m.shape("box", size=m.at(wide, 1, wide)), material=m.materials[0]["name"])
    block = {"name": m.name("platform"), "type": "driven", "position": m.at(0, -0.15), "shapes": [shape]}
    size, rate = m.number(0.01, 0.1), m.number(2, 25)
    block["motion"] = {m.rng.choice([0, -1]): m.rng.choice(["%g*(1-cos(%g*t))", "%g*sin(%g*t)"]) % (size, rate)}
    group.add(block, wide)
    up = 0.35
    for _ in range(m.rng.randint(1, 3)):
        part = m.flat_part()
        group.add(m.body(part, m.at(m.number(-0.1, 0.1), round(up + part.rest, 6))), part.radius)
        up += 2 * part.rest
    return group


def roller(m):
    """A driven ball that turns in its place, half sunk into the ground, and a body on top of it."""
    group, r, part = Group(), m.length(0.2, 0.4), m.any_part()
    group.add({"name": m.name("roller"), "type": "driven", "position": m.at(0, 0), "angle": "%g*t" % m.number(-10, 10),
               "shapes": [m.shape("sphere", radius=r)], **({} if m.dim == 2 else {"axis": [0, 1, 0]})}, r)
    group.add(m.body(part, m.at(m.number(-0.05, 0.05), round(r + part.radius + m.rng.choice([0, 0.1]), 6))), part.radius)
    return group


# ---- forces ------------------------------------------------------------------------------------------------------

def spring(m, first, second):
    """Between two bodies (None: the world, at a point near the second). Its frequency times the step is below 1/2."""
    kind = m.rng.choice(["spring", "damper", "spring_damper"])
    mass = min(body["mass"] for body in (first, second) if body)
    rate = m.rng.uniform(3, 0.5 / m.step if m.chance(0.3) else 20)
    far = [round(x + m.number(0.1, 0.4), 3) for x in second["position"]]
    force = {"name": m.name(kind), "type": kind, "bodies": [first["name"] if first else "world", second["name"]],
             "anchors": [m.at(0, 0) if first else far, m.at(0, 0)]}
    start = math.dist(first["position"] if first else far, second["position"])
    if kind != "damper":
        force.update(stiffness=float("%.3g" % (mass * rate**2)), length=float("%.3g" % (start * m.rng.uniform(0.5, 1.2))))
    if kind != "spring":
        force["damping"] = float("%.3g" % (mass * rate * m.rng.uniform(0.05, 1)))
    return force


def load(m, body):
    """A constant, sinusoidal, tabulated or written force on one body."""
    kind, size = m.rng.choice(["constant", "sinusoid", "table", "expression"]), 10 * body["mass"] * m.rng.uniform(0.05, 1)
    push = [float("%.3g" % (size * m.rng.uniform(-1, 1))) for _ in range(m.dim)]
    force = {"name": m.name(kind), "type": kind, "body": body["name"]}
    if kind == "table":
        return dict(force, table={"t": [0, 0.1, 0.3], "force": [[0] * m.dim, push, [-x for x in push]]})
    if kind == "expression":
        push = ["%g*%s" % (x, m.rng.choice(["cos(20*t)", "t", "step(t-0.1)", "exp(-5*t)"])) for x in push]
    force["force"] = push
    if kind == "sinusoid":
        force.update(omega=m.number(1, 40), phase=m.number(0, 3))
    if body["type"] == "rigid" and m.chance(0.3):
        twist = float("%.3g" % (size * 0.02))
        force["torque"] = twist if m.dim == 2 else [0, twist, 0]
        if kind == "expression":
            force["torque"] = "%g*sin(9*t)" % twist if m.dim == 2 else ["0", "%g*sin(9*t)" % twist, "t*0"]
    return force
