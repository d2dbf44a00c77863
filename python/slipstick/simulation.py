"""Simulations: steps, inputs, readings, checkpoints, results."""
import ctypes
import json
import os
from typing import Any, Callable, List, Mapping, Optional, Sequence, Union

from ._context import function, number
from ._errors import BUSY, InputError, error
from ._inputs import Inputs
from ._memory import Owner, view
from ._native import ON_STEP, UPDATE, Controller, Observer, SimOptions, lib
from ._parts import OK, closed
from ._readings import Readings
from .scene import Scene, Source


class Simulation(Inputs, Readings):
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
        self._callbacks = {}
        self._stop = ctypes.c_int(0)
        self._scene = scene if isinstance(scene, Scene) and not set else Scene(scene, set)
        self._owner = Owner()
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
        self._q = view(owner, lib.ss_sim_q(self._sim), (self.nq,))
        self._v = view(owner, lib.ss_sim_v(self._sim), (self.nv,))
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
        self._sim, self._do_step = None, closed
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

    @property
    def allocations(self) -> int:
        """How often the library has taken memory for this simulation; steps take none after the first ones."""
        return lib.ss_context_allocations(self._owner.context.pointer)

    @property
    def tol(self) -> float:
        """The tolerance that chooses the steps; 0: they are fixed."""
        return lib.ss_sim_tol(self._open())

    @property
    def tol_binds(self) -> bool:
        """Has the tolerance shortened a step?"""
        return lib.ss_sim_tol_binds(self._open())

    # ---- steps ------------------------------------------------------------------------------------

    def step(self, h: Optional[float] = None) -> None:
        """One step of length h; None: of the scene's length."""
        status = self._do_step(self._sim, self._h if h is None else number("h", h))
        if status:
            self._fail(status)

    def advance(self, until: float) -> None:
        """Advance to a time: in fixed steps, or in steps that the tolerance chooses."""
        self._stop.value = 0
        self._check(lib.ss_sim_advance(self._open(), number("until", until)))

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
        function("update", update)
        called = UPDATE(lambda _user, _sim: self._call(update, self))
        controller = Controller(None, number("period", period), called)
        self._check(lib.ss_sim_set_controller(self._open(), ctypes.byref(controller)))
        self._callbacks["update"] = called

    # ---- observing ----------------------------------------------------------------------------------

    def observe(self, on_step: Optional[Callable[["Simulation"], None]] = None,
                on_event: Optional[Callable[["Simulation", dict], None]] = None) -> None:
        """Call on_step(simulation) after every step and on_event(simulation, event) for each of its events, which is a dictionary
        as in `slipstick run --json`. They read; None: nothing is called."""
        for name, given in (("on_step", on_step), ("on_event", on_event)):
            if given is not None:
                function(name, given)
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
        return self._call(function, self) if function else OK

    def _at_event(self, _user, sim, event) -> int:
        for writer in self._writers:
            status = lib.ss_writer_event(writer, sim, event)
            if status:
                return status
        function = self._callbacks.get("on_event")
        if not function:
            return OK
        return self._call(lambda: function(self, json.loads(self._owner.context.text(lib.ss_event_to_json, sim, event))))

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
        if not isinstance(data, bytes):
            raise InputError(f"data: expected bytes that save() gave, got {data!r:.80}")
        self._check(lib.ss_sim_restore(self._open(), data, len(data)))

    def write_checkpoint(self, path: Union[str, os.PathLike]) -> None:
        """Save to a file that `slipstick run --restart` takes, too."""
        self._check(lib.ss_checkpoint_write(self._open(), self._owner.context.pointer, os.fsencode(path)))

    def read_checkpoint(self, path: Union[str, os.PathLike]) -> None:
        """Restore from a file."""
        self._check(lib.ss_checkpoint_read(self._open(), self._owner.context.pointer, os.fsencode(path)))
