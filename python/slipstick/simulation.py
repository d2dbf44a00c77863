"""Simulations: steps, inputs, readings, checkpoints, results."""
import ctypes
import json
import operator
import os
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy

from ._context import Context, numbers, pointer_to
from ._errors import BUSY, INTERRUPTED, InputError, error
from ._native import (ON_STEP, UPDATE, ContactArrays, Controller, Ledger, Observer, SimOptions, StepInfo, Summary, lib)
from .scene import Scene, Source

Part = Union[str, int]
Vector = Union[Sequence[float], numpy.ndarray]
_OK, _STOPPED = 0, 5  # statuses that callbacks return: go on; an exception waits to be raised


class Contacts(NamedTuple):
    """Contacts as arrays, n long: numbers of the bodies (n x 2, -1 is the world), gaps, points, normals (n x 3, from the second
    body to the first), tangents (n x 2 x 3), forces along normal and tangents (n x 3)."""
    bodies: numpy.ndarray
    gap: numpy.ndarray
    point: numpy.ndarray
    normal: numpy.ndarray
    tangent: numpy.ndarray
    force: numpy.ndarray


class _Owner:
    """The pointers of the library; they are freed when nobody looks at their memory any more."""

    def __init__(self):
        self.context = Context()
        self.model = None
        self.sim = None

    def __del__(self):
        lib.ss_sim_destroy(self.sim)
        lib.ss_model_destroy(self.model)


class _Memory:  # pylint: disable=too-few-public-methods
    """Numbers inside the library as an array that is not copied and keeps its owner alive."""

    def __init__(self, owner: _Owner, address: int, shape: Tuple[int, ...], kind: str = "<f8"):
        self.owner = owner
        self.__array_interface__ = {"version": 3, "data": (address, True), "shape": shape, "typestr": kind}


def _view(owner: _Owner, pointer, shape: Tuple[int, ...], kind: str = "<f8") -> numpy.ndarray:
    address = pointer if isinstance(pointer, int) else ctypes.cast(pointer, ctypes.c_void_p).value
    if address is None or 0 in shape:
        return numpy.empty(shape, dtype=kind)
    return numpy.asarray(_Memory(owner, address, shape, kind))


def _closed(*_):
    raise InputError("the simulation is closed")


class Simulation:
    """A simulation of a scene, at the scene's time 0.

    scene                 a Scene, a dictionary, or the path of a file
    scheme, solver        names; None: as the scene says
    step, tol, solver_tol step length, or a tolerance that chooses the steps; None: as the scene says
    allow_overlap         start even if bodies overlap
    strict                stop at the first step that is not certified
    threads               of the library; results do not depend on it

    Parts (bodies, joints, forces, materials) are given by name or number. It can be used in a `with` statement, and belongs to
    one thread at a time: other threads, and its own callbacks, get BusyError. Steps release the interpreter's lock.
    """

    def __init__(self, scene: Source, *, scheme: Optional[str] = None, solver: Optional[str] = None, step: Optional[float] = None,
                 tol: Optional[float] = None, solver_tol: Optional[float] = None, allow_overlap: bool = False,
                 strict: bool = False, threads: int = 1, set: Union[Sequence[str], Mapping[str, Any]] = ()):
        # pylint: disable=redefined-builtin
        self._raised: Optional[BaseException] = None
        self._writers: List[int] = []
        self._callbacks: Dict[str, Any] = {}
        self._stop = ctypes.c_int(0)
        self._scene = scene if isinstance(scene, Scene) and not set else Scene(scene, set)
        self._owner = _Owner()
        lib.ss_context_set_threads(self._owner.context.pointer, threads)
        options = lib.ss_sim_options_default()
        options.scheme = scheme.encode() if scheme is not None else None
        options.solver = solver.encode() if solver is not None else None
        for name, value in (("step", step), ("tol", tol), ("solver_tol", solver_tol)):
            if value is not None:
                setattr(options, name, float(value))
        options.allow_overlap, options.strict = allow_overlap, strict
        options.interrupt = ctypes.pointer(self._stop)
        self._build(options)

    def _build(self, options: SimOptions) -> None:
        owner, pointer = self._owner, ctypes.c_void_p()
        context = owner.context
        context.check(lib.ss_model_compile(context.pointer, self._scene._pointer, ctypes.byref(pointer)))
        owner.model, pointer = pointer.value, ctypes.c_void_p()
        context.check(lib.ss_sim_create(context.pointer, owner.model, ctypes.byref(options), ctypes.byref(pointer)))
        owner.sim = self._sim = pointer.value
        self._model = owner.model
        self._do_step, self._h = lib.ss_sim_step, lib.ss_sim_step_size(self._sim)
        self.nq, self.nv = lib.ss_model_nq(self._model), lib.ss_model_nv(self._model)
        self._q = _view(owner, lib.ss_sim_q(self._sim), (self.nq,))
        self._v = _view(owner, lib.ss_sim_v(self._sim), (self.nv,))
        names = {kind: self._names(kind) for kind in ("body", "joint", "force", "material")}
        self._count = {kind: len(found) for kind, found in names.items()}
        self._index = {kind: {name: k for k, name in enumerate(found)} for kind, found in names.items()}
        self._q_of = self._parts(self._q, lib.ss_model_body_q)
        self._v_of = self._parts(self._v, lib.ss_model_body_v)

    # ---- life -------------------------------------------------------------------------------------

    def close(self) -> None:
        """End the simulation. Result files are closed; views of its memory stay readable. Twice is fine."""
        if self._sim is None:
            return
        if lib.ss_sim_is_busy(self._sim):
            raise error(BUSY, lib.ss_status_text(BUSY).decode())
        self._sim, self._do_step = None, _closed
        self._callbacks.clear()
        while self._writers:
            self._owner.context.check(lib.ss_writer_close(self._writers.pop()))

    def __enter__(self) -> "Simulation":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def __del__(self):
        for writer in getattr(self, "_writers", ()):
            lib.ss_writer_close(writer)

    def _fail(self, status: int) -> None:
        raised, self._raised = self._raised, None
        if status == INTERRUPTED:
            self._stop.value = 0
        raise raised if raised is not None else self._owner.context.error(status)

    def _check(self, status: int) -> None:
        if status:
            self._fail(status)

    def _open(self) -> int:
        if self._sim is None:
            _closed()
        return self._sim

    # ---- parts by name ----------------------------------------------------------------------------

    def _names(self, kind: str) -> List[str]:
        count, name = getattr(lib, f"ss_model_{kind}_count"), getattr(lib, f"ss_model_{kind}_name")
        return [name(self._model, k).decode() for k in range(count(self._model))]

    def _find(self, kind: str, part: Part) -> int:
        if isinstance(part, str) and part not in self._index[kind]:
            index = ctypes.c_int()
            find = getattr(lib, f"ss_model_find_{kind}")
            self._check(find(self._owner.context.pointer, self._model, part.encode(), ctypes.byref(index)))
        return self._index[kind][part] if isinstance(part, str) else self._number(kind, part)

    def _number(self, kind: str, part: int) -> int:
        count = self._count[kind]
        try:
            number = operator.index(part)
        except TypeError as problem:
            raise InputError(f"{kind}: expected a name or a number, got {part!r:.80}") from problem
        if not 0 <= number < count:
            raise InputError(f"{kind} {number}: expected a number from 0 to {count - 1}" if count else f"the scene has no {kind}")
        return number

    @property
    def bodies(self) -> List[str]:
        """Names of the bodies, in scene order."""
        return list(self._index["body"])

    @property
    def joints(self) -> List[str]:
        """Names of the joints, in scene order."""
        return list(self._index["joint"])

    def _coordinates(self, velocity: bool, count: int) -> List[str]:
        text, names = ctypes.create_string_buffer(256), []
        for k in range(count):
            lib.ss_model_coordinate_name(self._model, velocity, k, text, len(text))
            names.append(text.value.decode("utf-8", "replace"))
        return names

    @property
    def q_names(self) -> List[str]:
        """Names of the numbers of q, as in result files: "ball.x"."""
        return self._coordinates(False, self.nq)

    @property
    def v_names(self) -> List[str]:
        """Names of the numbers of v, as in result files: "ball.vx"."""
        return self._coordinates(True, self.nv)

    @property
    def scene(self) -> Scene:
        """The scene it was made from."""
        return self._scene

    @property
    def scheme(self) -> str:
        """Name of the scheme."""
        return lib.ss_sim_scheme(self._open()).decode()

    @property
    def solver(self) -> str:
        """Name of the solver."""
        return lib.ss_sim_solver(self._open()).decode()

    @property
    def step_size(self) -> float:
        """The fixed step; with a tolerance the first one."""
        return self._h

    # ---- steps ------------------------------------------------------------------------------------

    def step(self, h: Optional[float] = None) -> None:
        """One step of length h; None: of the scene's length."""
        status = self._do_step(self._sim, self._h if h is None else h)
        if status:
            self._fail(status)

    def advance(self, until: float) -> None:
        """Advance to a time: in fixed steps, or in steps that the tolerance chooses."""
        self._stop.value = 0
        self._check(lib.ss_sim_advance(self._open(), until))

    def interrupt(self) -> None:
        """End the step or advance under way with Interrupted, or the next step if it has no time to; for other threads and
        callbacks. The simulation can be used on."""
        self._stop.value = 1

    def control(self, update: Optional[Callable[["Simulation"], None]], period: float = 0) -> None:
        """Call update(simulation) at the times 0, period, 2 period, .., before the step that begins there, to read the state and
        set inputs; period 0: before every step (fixed steps only); None: nothing is called any more. An exception that it raises
        ends the step or advance and comes out of it."""
        if update is None:
            self._check(lib.ss_sim_set_controller(self._open(), None))
            self._callbacks.pop("update", None)
            return
        function = UPDATE(lambda _user, _sim: self._call(update, self))
        self._check(lib.ss_sim_set_controller(self._open(), ctypes.byref(Controller(None, period, function))))
        self._callbacks["update"] = function

    def _call(self, function: Callable, *arguments) -> int:
        """A callback of the library: an exception is kept, to be raised when the library has returned."""
        try:
            function(*arguments)
        except BaseException as problem:  # pylint: disable=broad-except
            self._raised = problem
            return _STOPPED
        return _OK

    # ---- observing ----------------------------------------------------------------------------------

    def observe(self, on_step: Optional[Callable[["Simulation"], None]] = None,
                on_event: Optional[Callable[["Simulation", dict], None]] = None) -> None:
        """Call on_step(simulation) after every step and on_event(simulation, event) for each of its events, which is a dictionary
        as in `slipstick run --json`. They read; None: nothing is called."""
        self._set_observer()
        self._callbacks["on_step"], self._callbacks["on_event"] = on_step, on_event

    def record(self, path: Union[str, os.PathLike], every: float = 0) -> None:
        """Write states from now on to a file: .csv, .h5 or .pvd; every: seconds between them, 0: each step. Closed by close."""
        self._set_observer()
        pointer = ctypes.c_void_p()
        self._check(lib.ss_writer_create(self._owner.context.pointer, os.fsencode(path), self._scene._pointer, self._open(), every,
                                         ctypes.byref(pointer)))
        self._writers.append(pointer.value)

    def _set_observer(self) -> None:
        """The library calls back from now on; BusyError, before anything has changed, if it is stepping."""
        observer = Observer(None, ON_STEP(self._after_step), ON_STEP(self._at_event), None)
        self._check(lib.ss_sim_observe(self._open(), ctypes.byref(observer)))
        self._callbacks["observer"] = observer

    def _after_step(self, _user, sim, info) -> int:
        for writer in self._writers:
            status = lib.ss_writer_step(writer, sim, info)
            if status:
                return status
        function = self._callbacks.get("on_step")
        return self._call(function, self) if function else _OK

    def _at_event(self, _user, sim, event) -> int:
        for writer in self._writers:
            status = lib.ss_writer_event(writer, sim, event)
            if status:
                return status
        function = self._callbacks.get("on_event")
        if not function:
            return _OK
        return self._call(lambda: function(self, json.loads(self._owner.context.text(lib.ss_event_to_json, sim, event))))

    # ---- state --------------------------------------------------------------------------------------

    @property
    def t(self) -> float:
        """Time, s."""
        return lib.ss_sim_time(self._open())

    @property
    def q(self) -> numpy.ndarray:
        """Positions: a view, not a copy, that always shows the present state and cannot be written."""
        return self._q

    @property
    def v(self) -> numpy.ndarray:
        """Velocities: a view, not a copy, that always shows the present state and cannot be written."""
        return self._v

    def body_q(self, body: Part) -> numpy.ndarray:
        """The part of q that belongs to a body; empty for fixed and driven ones."""
        return self._q_of[self._find("body", body)]

    def body_v(self, body: Part) -> numpy.ndarray:
        """The part of v that belongs to a body; empty for fixed and driven ones."""
        return self._v_of[self._find("body", body)]

    def _parts(self, whole: numpy.ndarray, place: Callable) -> List[numpy.ndarray]:
        """The part of each body: from its place to the next one that is larger."""
        first = [place(self._model, k) for k in range(self._count["body"])]
        places = sorted(k for k in first if k >= 0) + [len(whole)]
        end = dict(zip(places, places[1:]))
        return [whole[k:end[k]] if k >= 0 else whole[:0] for k in first]

    def set_state(self, q: Optional[Vector] = None, v: Optional[Vector] = None) -> None:
        """Set positions and velocities; None: as they are. They move to the nearest ones that the joints allow."""
        new_q = None if q is None else numbers("q", q, self.nq)
        new_v = None if v is None else numbers("v", v, self.nv)
        self._check(lib.ss_sim_set_state(self._open(), pointer_to(new_q), pointer_to(new_v)))

    # ---- inputs -------------------------------------------------------------------------------------

    @staticmethod
    def _three(what: str, given: Optional[Vector]):
        if given is None:
            return None
        try:
            if len(given) in (2, 3):
                return (ctypes.c_double * 3)(*given)
        except TypeError:
            pass
        raise InputError(f"{what}: expected 2 or 3 numbers, got {given!r:.80}")

    def set_wrench(self, body: Part, force: Optional[Vector] = None, torque: Union[Vector, float, None] = None) -> None:
        """Push a body from now on: a force at its centre of mass and a torque, in world axes; in 2D the torque is a number."""
        turn = (0, 0, torque) if isinstance(torque, (int, float)) else torque
        index = self._find("body", body)
        self._check(lib.ss_sim_set_wrench(self._open(), index, self._three("force", force), self._three("torque", turn)))

    def set_motor(self, joint: Part, value: float) -> None:
        """Set the speed or the force of a joint's motor, whichever it has."""
        self._check(lib.ss_sim_set_motor(self._open(), self._find("joint", joint), value))

    def set_force(self, force: Part, value: Optional[Vector] = None, torque: Union[Vector, float, None] = None) -> None:
        """Set force and torque of a force of type "constant"."""
        turn = (0, 0, torque) if isinstance(torque, (int, float)) else torque
        index = self._find("force", force)
        self._check(lib.ss_sim_set_force(self._open(), index, self._three("value", value), self._three("torque", turn)))

    def set_pair(self, a: Part, b: Part, mu: Optional[float] = None, e: Optional[float] = None) -> None:
        """Set friction and restitution of a pair of materials; None: as they are."""
        values = [numpy.nan if x is None else x for x in (mu, e)]
        if any(x is not None and numpy.isnan(x) for x in (mu, e)):
            raise InputError(f"mu, e: expected numbers, got {mu} and {e}")
        self._check(lib.ss_sim_set_pair(self._open(), self._find("material", a), self._find("material", b), *values))

    # ---- readings -----------------------------------------------------------------------------------

    def joint(self, joint: Part) -> Tuple[float, float]:
        """Coordinate of a joint (angle over any number of turns, or length) and its rate."""
        position, rate = ctypes.c_double(), ctypes.c_double()
        self._check(lib.ss_sim_joint_motion(self._open(), self._find("joint", joint), ctypes.byref(position), ctypes.byref(rate)))
        return position.value, rate.value

    def reaction(self, joint: Part) -> Dict[str, float]:
        """Mean reaction of a joint on its second body over the last step, by row: {"force_x": .., "motor.torque": ..}."""
        index, values = self._find("joint", joint), (ctypes.c_double * 6)()
        rows = lib.ss_sim_joint_reaction(self._open(), index, values)
        return {lib.ss_model_joint_row_name(self._model, index, k).decode(): values[k] for k in range(rows)}

    def net_wrench(self, body: Part) -> Tuple[numpy.ndarray, numpy.ndarray]:
        """Force and torque that changed the momentum of a body in the last step, in world axes."""
        force, torque = numpy.empty(3), numpy.empty(3)
        index = self._find("body", body)
        self._check(lib.ss_sim_net_wrench(self._open(), index, pointer_to(force), pointer_to(torque)))
        return force, torque

    def pose(self, body: Part) -> Tuple[numpy.ndarray, numpy.ndarray, float]:
        """Position, orientation (w x y z) and, in 2D, angle of any body."""
        position, orientation, angle = numpy.empty(3), numpy.empty(4), ctypes.c_double()
        index = self._find("body", body)
        lib.ss_model_body_pose(self._model, index, self.t, pointer_to(self._q), pointer_to(position), pointer_to(orientation),
                               ctypes.byref(angle))
        return position, orientation, angle.value

    def _contacts(self, arrays: ContactArrays, copy: bool) -> Contacts:
        n, shapes = arrays.n, {"gap": (), "point": (3,), "normal": (3,), "tangent": (2, 3), "force": (3,)}
        bodies = _view(self._owner, arrays.bodies, (n, 2), "<i4")
        views = [bodies] + [_view(self._owner, getattr(arrays, name), (n, *shape)) for name, shape in shapes.items()]
        return Contacts(*(view.copy() for view in views) if copy else views)

    def contacts(self, copy: bool = True) -> Contacts:
        """Contacts of the last step. Without copy: views that are valid until the next call."""
        arrays = ContactArrays()
        self._check(lib.ss_sim_contacts(self._open(), ctypes.byref(arrays)))
        return self._contacts(arrays, copy)

    def gaps(self, reach: float, copy: bool = True) -> Contacts:
        """Contacts of the present state whose gap is below `reach`, and all limits of joints; without forces."""
        arrays = ContactArrays()
        self._check(lib.ss_sim_gaps(self._open(), reach, ctypes.byref(arrays)))
        return self._contacts(arrays, copy)

    # ---- equations of motion --------------------------------------------------------------------------

    def _at(self, q: Optional[Vector]):
        return None if q is None else numbers("q", q, self.nq)

    def mass_matrix(self, q: Optional[Vector] = None) -> numpy.ndarray:
        """M(q); None: at the present positions."""
        at, out = self._at(q), numpy.empty((self.nv, self.nv))
        self._check(lib.ss_sim_mass_matrix(self._open(), pointer_to(at), pointer_to(out)))
        return out

    def forces(self, q: Optional[Vector] = None, v: Optional[Vector] = None) -> numpy.ndarray:
        """k(q, v) of M dv/dt = k + G' lam: all forces but reactions; the bias of robotics is -k."""
        at, speed, out = self._at(q), None if v is None else numbers("v", v, self.nv), numpy.empty(self.nv)
        self._check(lib.ss_sim_forces(self._open(), pointer_to(at), pointer_to(speed), pointer_to(out)))
        return out

    def joint_jacobian(self, q: Optional[Vector] = None) -> numpy.ndarray:
        """G(q), the rows of all joints: G v = c."""
        at, out = self._at(q), numpy.empty((lib.ss_sim_joint_row_count(self._open()), self.nv))
        self._check(lib.ss_sim_joint_jacobian(self._open(), pointer_to(at), pointer_to(out)))
        return out

    def point_jacobian(self, body: Part, point: Vector = (0, 0, 0), q: Optional[Vector] = None) -> numpy.ndarray:
        """J (6 x nv): velocity of a point fixed in a body, then the angular velocity of the body, in world axes, are J v."""
        at, out = self._at(q), numpy.empty((6, self.nv))
        index = self._find("body", body)
        self._check(lib.ss_sim_point_jacobian(self._open(), index, pointer_to(at), self._three("point", point), pointer_to(out)))
        return out

    # ---- account ------------------------------------------------------------------------------------

    @property
    def last_step(self) -> StepInfo:
        """The certificate of the last step: a copy."""
        return StepInfo.from_buffer_copy(lib.ss_sim_last_step(self._open()).contents)

    @property
    def summary(self) -> Summary:
        """Counters and extremes of the run so far: a copy."""
        return Summary.from_buffer_copy(lib.ss_sim_summary(self._open()).contents)

    @property
    def ledger(self) -> Ledger:
        """The energy balance of the run so far: a copy."""
        return Ledger.from_buffer_copy(lib.ss_sim_ledger(self._open()).contents)

    @property
    def warnings(self) -> List[str]:
        """Warnings about the run so far."""
        found, text = [], ctypes.create_string_buffer(1024)
        while lib.ss_sim_warning(self._open(), len(found), text, len(text)):
            found.append(text.value.decode("utf-8", "replace"))
        return found

    # ---- checkpoints ----------------------------------------------------------------------------------

    def save(self) -> bytes:
        """The whole state with all inputs: a simulation restored from it goes on with the same bits."""
        blob, size = ctypes.c_void_p(), ctypes.c_size_t()
        self._check(lib.ss_sim_save(self._open(), ctypes.byref(blob), ctypes.byref(size)))
        data = ctypes.string_at(blob.value, size.value)
        lib.ss_blob_free(self._owner.context.pointer, blob)
        return data

    def restore(self, data: bytes) -> None:
        """Go back, or on, to a state that was saved by a simulation of the same scene and scheme."""
        self._check(lib.ss_sim_restore(self._open(), data, len(data)))

    def write_checkpoint(self, path: Union[str, os.PathLike]) -> None:
        """Save to a file that `slipstick run --restart` takes, too."""
        self._check(lib.ss_checkpoint_write(self._open(), self._owner.context.pointer, os.fsencode(path)))

    def read_checkpoint(self, path: Union[str, os.PathLike]) -> None:
        """Restore from a file."""
        self._check(lib.ss_checkpoint_read(self._open(), self._owner.context.pointer, os.fsencode(path)))
