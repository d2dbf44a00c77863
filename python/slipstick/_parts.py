"""What every part of a simulation uses: its pointers, its names, errors."""
import ctypes
import operator
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import numpy

from ._errors import INTERRUPTED, InputError
from ._memory import Owner
from ._native import Overlap, lib
from .scene import Scene

Part = Union[str, int]
Vector = Union[Sequence[float], numpy.ndarray]
OK, STOPPED = 0, 5  # statuses that callbacks return: go on; an exception waits to be raised


def closed(*_):
    raise InputError("the simulation is closed")


class Parts:
    """A simulation as its parts see it: pointers of the library, numbers of bodies, joints, forces and materials by name."""
    nq: int
    nv: int
    _sim: Optional[int]
    _model: int
    _owner: Owner
    _scene: Scene
    _stop: ctypes.c_int
    _raised: Optional[BaseException]
    _callbacks: Dict[Any, Any]
    _count: Dict[str, int]
    _index: Dict[str, Dict[str, int]]

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
            closed()
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
    def dimension(self) -> int:
        """2 or 3."""
        return lib.ss_model_dimension(self._model)

    @property
    def length(self) -> float:
        """The characteristic length of the model, m: tolerances scale with it."""
        return lib.ss_model_length_scale(self._model)

    @property
    def pairs(self) -> int:
        """Number of pairs of shapes that can touch."""
        return lib.ss_model_potential_pairs(self._model)

    def body_type(self, body: Part) -> str:
        """particle, rigid, fixed, driven or block."""
        return lib.ss_body_type_name(lib.ss_model_body_type(self._model, self._find("body", body))).decode()

    def joint_rows(self, joint: Part) -> List[str]:
        """Names of the rows of a joint, whose reactions `reaction` gives."""
        index = self._find("joint", joint)
        return [lib.ss_model_joint_row_name(self._model, index, k).decode() for k in range(lib.ss_model_joint_rows(self._model, index))]

    def start(self) -> Tuple[numpy.ndarray, numpy.ndarray]:
        """q and v of the scene at t = 0."""
        q, v = lib.ss_model_initial_q(self._model), lib.ss_model_initial_v(self._model)
        return numpy.array(q[:self.nq]), numpy.array(v[:self.nv])

    def overlaps(self) -> List[Tuple[str, str, float]]:
        """Bodies that overlap at the start, deepest first: two names and a depth, at most 100."""
        found, count = (Overlap * 100)(), ctypes.c_int()
        self._check(lib.ss_model_overlaps(self._owner.context.pointer, self._model, len(found), found, ctypes.byref(count)))
        return [(self.bodies[x.bodies[0]], self.bodies[x.bodies[1]], x.depth) for x in found[:count.value]]

    @property
    def scene(self) -> Scene:
        """The scene it was made from."""
        return self._scene

    # ---- arguments and callbacks -------------------------------------------------------------------------

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

    def _call(self, function: Callable, *arguments) -> int:
        """A callback of the library: an exception is kept, to be raised when the library has returned."""
        try:
            function(*arguments)
        except BaseException as problem:  # pylint: disable=broad-except
            self._raised = problem
            return STOPPED
        return OK
