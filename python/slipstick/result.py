"""Results: the CSV and HDF5 files that runs write."""
import ctypes
import os
from typing import Dict, List, Union

import numpy

from ._context import Context, pointer_to
from ._errors import InputError
from ._native import lib


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
