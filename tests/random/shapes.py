"""Random bodies: a part is one body's shapes with what placing it needs to know.

Every number that is drawn has few digits, so that bodies which are made to touch do so to round-off. A part knows

    radius   of the sphere (2D: circle) about the centre that holds all its shapes
    rest     distance from the centre down to the ground on which it stands, not turned
    flat     whether another part can stand on it; its top is then `rest` above the centre
    inertia  per mass, 2D a number, 3D three numbers; None: the program computes it from the shapes"""
import math
from dataclasses import dataclass

DIGITS = 12  # of numbers that are computed; the last bits of sin and cos differ from machine to machine


def clean(value):
    """Numbers, in lists too, rounded to DIGITS significant digits."""
    if isinstance(value, (list, tuple)):
        return [clean(item) for item in value]
    if isinstance(value, dict):
        return {key: clean(item) for key, item in value.items()}
    if not isinstance(value, float):
        return value
    short = float("%.*g" % (DIGITS, value))
    return 0 if abs(short) < 1e-15 else int(short) if short == int(short) else short


@dataclass
class Part:
    shapes: list
    radius: float
    rest: float
    flat: bool = False
    inertia: object = None


class Maker:
    """The source of randomness of one scene, with its dimension, step length, materials and the names given so far."""

    def __init__(self, rng, dim, step, materials, decades):
        self.rng, self.dim, self.step, self.materials, self.decades = rng, dim, step, materials, decades
        self.names = {}

    # ---- numbers --------------------------------------------------------------------------------------

    def length(self, low, high):
        """A multiple of 2 mm, so that its half has few digits too."""
        return 2 * self.rng.randint(round(low * 500), round(high * 500)) / 1000

    def number(self, low, high):
        return round(self.rng.uniform(low, high), 3)

    def chance(self, part):
        return self.rng.random() < part

    def mass(self):
        """10^decades times more or less than 1 kg."""
        return float("%.3g" % 10 ** self.rng.uniform(-self.decades, self.decades))

    def name(self, kind):
        self.names[kind] = self.names.get(kind, 0) + 1
        return "%s%d" % (kind, self.names[kind])

    # ---- vectors: x, in 3D y, and up ------------------------------------------------------------------------

    def at(self, x, up, y=0):
        return [x, up] if self.dim == 2 else [x, y, up]

    def vector(self, size):
        return [self.number(-size, size) for _ in range(self.dim)]

    def material(self):
        return self.rng.choice(self.materials)["name"]

    # ---- parts --------------------------------------------------------------------------------------------

    def ball(self, radius=None):
        r = radius or self.length(0.08, 0.3)
        return Part([self.shape("sphere", radius=r)], r, r)

    def box(self):
        size = [self.length(0.1, 0.5) for _ in range(self.dim)]
        return Part([self.shape("box", size=size)], math.hypot(*size) / 2, size[-1] / 2, flat=True)

    def capsule(self):
        """Standing on one of its round ends."""
        r, length = self.length(0.04, 0.12), self.length(0.1, 0.5)
        return Part([self.shape("capsule", radius=r, length=length)], r + length / 2, r + length / 2)

    def cylinder(self):
        r, length = self.length(0.06, 0.2), self.length(0.1, 0.4)
        return Part([self.shape("cylinder", radius=r, length=length)], math.hypot(r, length / 2), length / 2, flat=True)

    def polygon(self):
        """A regular polygon, stretched: its centre of mass stays at 0."""
        n, a, b = self.rng.choice([3, 4, 5, 6, 8]), self.length(0.1, 0.3), self.length(0.06, 0.2)
        turn = -math.pi / 2 + math.pi / n  # stands on a side
        points = [[a * math.cos(turn + 2 * math.pi * k / n), b * math.sin(turn + 2 * math.pi * k / n)] for k in range(n)]
        return Part([self.shape("polygon", points=points)], max(a, b), b * math.cos(math.pi / n))

    def hull(self):
        """A prism, or points that come in pairs p, -p: the centre of mass is 0."""
        if self.chance(0.5):
            base, up = self.polygon_points(), self.length(0.1, 0.3) / 2
            points = [[x, y, z] for z in (-up, up) for x, y in base]
            return Part([self.shape("hull", points=points)], max(math.hypot(*p) for p in points), up, flat=True)
        half = [[self.number(-0.2, 0.2), self.number(-0.2, 0.2), self.number(0.08, 0.2)] for _ in range(3)]
        half += [[0.15, 0, 0], [0, 0.15, 0]]
        points = half + [[-x for x in p] for p in half]
        return Part([self.shape("hull", points=points)], max(math.hypot(*p) for p in points), max(p[2] for p in points))

    def polygon_points(self):
        n, a, b = self.rng.choice([3, 4, 6]), self.length(0.1, 0.25), self.length(0.1, 0.25)
        return [[a * math.cos(2 * math.pi * k / n), b * math.sin(2 * math.pi * k / n)] for k in range(n)]

    def dumbbell(self):
        """Two balls and the bar between them, in one body."""
        r, arm = self.length(0.06, 0.14), self.length(0.2, 0.4)
        bar = self.shape("box", size=[2 * arm] + [r / 2] * (self.dim - 1))
        ends = [self.shape("sphere", radius=r, position=self.at(x, 0)) for x in (-arm, arm)]
        return Part([bar, *ends], arm + r, r)

    def lopsided(self):
        """A plate with a post at one end and a point at the other; mass and inertia do not follow from the shapes."""
        width, post = self.length(0.3, 0.5), self.length(0.2, 0.4)
        plate = self.shape("box", size=self.at(width, 0.04, 0.2), position=self.at(0.02, -0.06))
        upright = self.shape("box", size=self.at(0.04, post, 0.04), position=self.at(0.02 - width / 2 + 0.02, post / 2 - 0.04))
        tip = self.shape("point", position=self.at(0.02 + width / 2, -0.08))
        size = math.hypot(width / 2 + 0.02, max(post, 0.1), 0.1)
        inertia = 0.1 * size**2
        return Part([plate, upright, tip], size, 0.08, inertia=inertia if self.dim == 2 else [inertia, 1.2 * inertia, inertia])

    def feet(self):
        """Points only: a stool."""
        wide, up = self.length(0.1, 0.3), self.length(0.1, 0.3)
        places = [self.at(x, -up, y) for x in (-wide, wide) for y in ((0,) if self.dim == 2 else (-wide, wide))]
        inertia = 0.5 * wide * wide + 0.1 * up * up
        shapes = [self.shape("point", position=p) for p in places]
        return Part(shapes, math.hypot(wide, wide, up), up, inertia=inertia if self.dim == 2 else [inertia] * 3)

    def any_part(self):
        kinds = [self.ball, self.ball, self.box, self.box, self.capsule, self.dumbbell, self.lopsided, self.feet]
        kinds += [self.polygon, self.polygon] if self.dim == 2 else [self.cylinder, self.hull]
        return self.rng.choice(kinds)()

    def flat_part(self):
        return self.rng.choice([self.box, self.box, self.box if self.dim == 2 else self.cylinder])()

    def shape(self, kind, **keys):
        if self.dim == 2 and kind == "sphere" and self.chance(0.5):
            kind = "disk"
        return {"type": kind, "material": self.material(), **keys}

    # ---- bodies -------------------------------------------------------------------------------------------

    def body(self, part, position, kind="body", mass=None):
        """A rigid body at rest, not turned."""
        body = {"name": self.name(kind), "type": "rigid", "mass": mass or self.mass(), "position": position}
        if part.inertia is not None:
            scale = body["mass"]
            body["inertia"] = scale * part.inertia if self.dim == 2 else [scale * x for x in part.inertia]
        body["shapes"] = part.shapes
        return body

    def particle(self, position):
        shape = self.shape("sphere", radius=self.length(0.04, 0.1)) if self.chance(0.5) else self.shape("point")
        return {"name": self.name("particle"), "type": "particle", "mass": self.mass(), "position": position, "shapes": [shape]}

    def turn(self, body):
        """Any orientation."""
        if self.dim == 2:
            body["angle"] = self.number(-3, 3)
            return
        w = [self.rng.gauss(0, 1) for _ in range(4)]
        size = math.hypot(*w)
        body["orientation"] = [x / size for x in w]

    def throw(self, body, speed, spin):
        body["velocity"] = self.vector(speed)
        if body["type"] == "rigid":
            body["angular_velocity"] = self.number(-spin, spin) if self.dim == 2 else self.vector(spin)
