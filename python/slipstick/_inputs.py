"""Inputs of a simulation: what a program sets between steps."""
import ctypes
from typing import Any, Callable, Mapping, Optional, Sequence, Union

import numpy

from ._context import function, number, numbers, pointer_to
from ._errors import InputError
from ._native import SLOPES, WRENCH, ForceFunctions, ForcePoints, Motion, lib
from ._parts import Part, Parts, Vector


class Points:  # pylint: disable=too-few-public-methods
    """The two points of a force, in world axes: t; position, velocity, angular_velocity (2 x 3); rotation (2 x 3 x 3)."""

    def __init__(self, at: ForcePoints):
        self.t = at.t
        self.position, self.velocity = numpy.array(at.position).reshape(2, 3), numpy.array(at.velocity).reshape(2, 3)
        self.angular_velocity = numpy.array(at.angular_velocity).reshape(2, 3)
        self.rotation = numpy.array(at.rotation).reshape(2, 3, 3)


def _put(values, shape, out) -> None:
    """Numbers that a function of the user gave, into memory of the library."""
    array = numpy.asarray(values, dtype=numpy.float64, order="C")
    if array.shape != shape:
        raise InputError(f"a function of a force gave an array of shape {array.shape}, expected {shape}")
    ctypes.memmove(out, array.ctypes.data, array.nbytes)


def _given(**values) -> list:
    """Numbers for the library, to which NAN says that one is as it was: None here."""
    out = [numpy.nan if x is None else number(name, x) for name, x in values.items()]
    for (name, given), x in zip(values.items(), out):
        if given is not None and numpy.isnan(x):
            raise InputError(f"{name}: expected a number, got {given}")
    return out


class Inputs(Parts):
    """The part of a simulation that sets inputs."""

    def set_state(self, q: Optional[Vector] = None, v: Optional[Vector] = None) -> None:
        """Set positions and velocities; None: as they are. They move to the nearest ones that the joints allow."""
        new_q = None if q is None else numbers("q", q, self.nq)
        new_v = None if v is None else numbers("v", v, self.nv)
        self._check(lib.ss_sim_set_state(self._open(), pointer_to(new_q), pointer_to(new_v)))

    def set_wrench(self, body: Part, force: Optional[Vector] = None, torque: Union[Vector, float, None] = None) -> None:
        """Push a body from now on: a force at its centre of mass and a torque, in world axes; in 2D the torque is a number."""
        turn = (0, 0, torque) if isinstance(torque, (int, float)) else torque
        index = self._find("body", body)
        self._check(lib.ss_sim_set_wrench(self._open(), index, self._three("force", force), self._three("torque", turn)))

    def set_motor(self, joint: Part, value: float) -> None:
        """Set the speed or the force of a joint's motor, whichever it has."""
        self._check(lib.ss_sim_set_motor(self._open(), self._find("joint", joint), number("value", value)))

    def set_force(self, force: Part, value: Optional[Vector] = None, torque: Union[Vector, float, None] = None) -> None:
        """Set force and torque of a force of type "constant"."""
        turn = (0, 0, torque) if isinstance(torque, (int, float)) else torque
        index = self._find("force", force)
        self._check(lib.ss_sim_set_force(self._open(), index, self._three("value", value), self._three("torque", turn)))

    def set_pair(self, a: Part, b: Part, mu: Optional[float] = None, e: Optional[float] = None) -> None:
        """Set friction and restitution of a pair of materials; None: as they are."""
        values = _given(mu=mu, e=e)
        self._check(lib.ss_sim_set_pair(self._open(), self._find("material", a), self._find("material", b), *values))

    def set_pair_moments(self, a: Part, b: Part, rolling: Optional[float] = None, spinning: Optional[float] = None) -> None:
        """Set rolling and spinning friction (m) of a pair of materials; None: as they are."""
        values = _given(rolling=rolling, spinning=spinning)
        self._check(lib.ss_sim_set_pair_moments(self._open(), self._find("material", a), self._find("material", b), *values))

    def set_numbers(self, set: Union[Sequence[str], Mapping[str, Any]]) -> None:
        """Change numbers of the scene while it runs, such as parameters: {"parameters.k": 120}, as `set` of a Scene. Gravity,
        forces, motors, limits, motions, friction and restitution may change; anything else is refused."""
        # pylint: disable=redefined-builtin
        pointer, context = ctypes.c_void_p(), self._owner.context
        scene = self._scene.changed(set)
        context.check(lib.ss_model_compile(context.pointer, scene._pointer, ctypes.byref(pointer)))
        status = lib.ss_sim_set_numbers(self._open(), pointer)
        lib.ss_model_destroy(pointer if status else self._owner.numbers)
        self._check(status)
        self._owner.numbers, self._scene = pointer.value, scene

    # ---- driven bodies ------------------------------------------------------------------------------

    def motion(self, body: Part) -> Motion:
        """Where a driven body is and how it moves: position, angle (since t = 0), velocity, rate."""
        out = Motion()
        self._check(lib.ss_sim_motion(self._open(), self._find("body", body), ctypes.byref(out)))
        return out

    def set_motion(self, body: Part, velocity: Optional[Vector] = None, rate: Optional[float] = None,
                   position: Optional[Vector] = None, angle: Optional[float] = None) -> None:
        """Move a driven body from now on with this velocity and rate of turning; None: as it is now. A place that the body is not
        at is refused, since it would jump there."""
        motion = self.motion(body)
        for name, given in (("velocity", velocity), ("position", position)):
            if given is not None:
                setattr(motion, name, self._three(name, given))
        motion.rate = motion.rate if rate is None else number("rate", rate)
        motion.angle = motion.angle if angle is None else number("angle", angle)
        self._check(lib.ss_sim_set_motion(self._open(), self._find("body", body), ctypes.byref(motion)))

    # ---- forces that the program computes ---------------------------------------------------------------

    def set_functions(self, force: Part, wrench: Optional[Callable], potential: Optional[Callable] = None,
                      jacobian: Optional[Callable] = None) -> None:
        """Give a force of type "callback" its functions of the Points it acts at: wrench gives 12 numbers (force and torque on the
        first body, then on the second), potential an energy, jacobian two arrays of 12 x 12 (by places and by velocities; without
        it, differences). They must be pure: they are called several times in a step. wrench None: no functions."""
        index = self._find("force", force)
        if wrench is None:
            self._check(lib.ss_sim_set_functions(self._open(), index, None))
            self._callbacks.pop(("force", index), None)
            return
        for name, given in (("wrench", wrench), ("potential", potential), ("jacobian", jacobian)):
            if given is not None:
                function(name, given)
        functions = ForceFunctions(None, WRENCH(lambda _, at, w: self._call(lambda: _put(wrench(Points(at[0])), (12,), w))))
        if potential:
            functions.potential = WRENCH(lambda _, at, e: self._call(lambda: _put(potential(Points(at[0])), (), e)))
        if jacobian:
            def slopes(at, by_x, by_v):
                for values, out in zip(jacobian(Points(at)), (by_x, by_v)):
                    _put(values, (12, 12), out)
            functions.jacobian = SLOPES(lambda _, at, by_x, by_v: self._call(slopes, at[0], by_x, by_v))
        self._check(lib.ss_sim_set_functions(self._open(), index, ctypes.byref(functions)))
        self._callbacks["force", index] = functions
