"""Results: the CSV and HDF5 files that runs write."""
import ctypes
import json
import os
from typing import Dict, List, Optional, Tuple, Union

import numpy

from ._context import Context, pointer_to
from ._errors import InputError
from ._native import ResultContact, lib
from .scene import Scene


def _text(found: Optional[bytes]) -> Optional[str]:
    return found.decode() if found else None


class Result:
    """A result file; columns are arrays by name: result["ball.x"], result["energy"]."""

    def __init__(self, path: Union[str, os.PathLike]):
        self._context = Context()
        self._pointer = None
        pointer = ctypes.c_void_p()
        self._context.check(lib.ss_result_open(self._context.pointer, os.fsencode(path), ctypes.byref(pointer)))
        self._pointer = pointer.value
        names = [lib.ss_result_column_name(self._pointer, k).decode() for k in range(lib.ss_result_columns(self._pointer))]
        self._columns: Dict[str, int] = {name: k for k, name in enumerate(names)}

    def close(self) -> None:
        """Close the file. Arrays that were read stay."""
        if self._pointer:
            lib.ss_result_close(self._pointer)
        self._pointer = None

    def __enter__(self) -> "Result":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def __del__(self):
        if getattr(self, "_pointer", None):
            self.close()

    def _open(self) -> int:
        if not self._pointer:
            raise InputError("the result is closed")
        return self._pointer

    def __len__(self) -> int:
        """Number of states, the initial one included."""
        return lib.ss_result_states(self._open())

    @property
    def columns(self) -> List[str]:
        """Names of the columns."""
        return list(self._columns)

    def __getitem__(self, name: str) -> numpy.ndarray:
        """A column by name."""
        self._open()
        if name not in self._columns:
            raise InputError(f"no column is called \"{name}\"; there are {', '.join(self._columns)}"[:400])
        out = numpy.empty(len(self))
        self._context.check(lib.ss_result_read_column(self._pointer, self._columns[name], 0, len(self), pointer_to(out)))
        return out

    def unit(self, name: str) -> str:
        """Unit of a column; "" if it has none."""
        return lib.ss_result_column_unit(self._open(), self._columns[name]).decode()

    def _states(self):
        t, q, v = (numpy.empty((len(self), n)) for n in (1, lib.ss_result_nq(self._pointer), lib.ss_result_nv(self._pointer)))
        self._context.check(lib.ss_result_read(self._pointer, 0, len(self), pointer_to(t), None, pointer_to(q), pointer_to(v)))
        return t[:, 0], q, v

    @property
    def dimension(self) -> int:
        """2 or 3; 0 if the file does not say (CSV)."""
        return lib.ss_result_dimension(self._open())

    @property
    def q_names(self) -> List[str]:
        """Names of the columns of q."""
        return [lib.ss_result_q_name(self._open(), k).decode() for k in range(lib.ss_result_nq(self._open()))]

    @property
    def v_names(self) -> List[str]:
        """Names of the columns of v."""
        return [lib.ss_result_v_name(self._open(), k).decode() for k in range(lib.ss_result_nv(self._open()))]

    @property
    def scheme(self) -> Optional[str]:
        """Name of the scheme; None: the file does not say."""
        return _text(lib.ss_result_scheme(self._open()))

    @property
    def solver(self) -> Optional[str]:
        """Name of the solver; None: the file does not say."""
        return _text(lib.ss_result_solver(self._open()))

    @property
    def scene(self) -> Optional[Scene]:
        """The scene of the run; None: the file has none (CSV)."""
        text = _text(lib.ss_result_scene(self._open()))
        return Scene(json.loads(text)) if text else None

    def events(self) -> List[Tuple[float, str]]:
        """Times and kinds of the events."""
        n = lib.ss_result_events(self._open())
        t, kind = (ctypes.c_double * n)(), (ctypes.c_int * n)()
        self._context.check(lib.ss_result_read_events(self._pointer, 0, n, t, kind))
        return [(t[k], lib.ss_event_kind_name(kind[k]).decode()) for k in range(n)]

    def contacts(self, state: int) -> List[dict]:
        """Contacts of a state: bodies (numbers, -1 is the world), gap, point, normal, force on the first body; world axes."""
        if not 0 <= state < len(self):
            raise InputError(f"state {state}: expected a number from 0 to {len(self) - 1}")
        offset = (ctypes.c_int64 * 2)()
        self._context.check(lib.ss_result_read_offsets(self._pointer, state, 1, offset))
        found = (ResultContact * (offset[1] - offset[0]))()
        self._context.check(lib.ss_result_read_contacts(self._pointer, offset[0], len(found), found))
        return [one.as_dict() for one in found]

    @property
    def t(self) -> numpy.ndarray:
        """Times of the states."""
        return self["t"]

    @property
    def q(self) -> numpy.ndarray:
        """Positions: a row for each state."""
        self._open()
        return self._states()[1]

    @property
    def v(self) -> numpy.ndarray:
        """Velocities: a row for each state."""
        self._open()
        return self._states()[2]
