"""Memory of the library that Python looks at, and who frees it."""
import ctypes
from typing import Tuple

import numpy

from ._context import Context
from ._native import lib


class Owner:
    """The pointers of the library; they are freed when nobody looks at their memory any more."""

    def __init__(self):
        self.context = Context()
        self.model = None
        self.numbers = None  # the model whose numbers the simulation has; None: those of `model`
        self.sim = None

    def __del__(self):
        lib.ss_sim_destroy(self.sim)
        lib.ss_model_destroy(self.numbers)
        lib.ss_model_destroy(self.model)


class _Memory:  # pylint: disable=too-few-public-methods
    """Numbers inside the library as an array that is not copied and keeps its owner alive."""

    def __init__(self, owner: Owner, address: int, shape: Tuple[int, ...], kind: str = "<f8"):
        self.owner = owner
        self.__array_interface__ = {"version": 3, "data": (address, True), "shape": shape, "typestr": kind}


def view(owner: Owner, pointer, shape: Tuple[int, ...], kind: str = "<f8") -> numpy.ndarray:
    address = pointer if isinstance(pointer, int) else ctypes.cast(pointer, ctypes.c_void_p).value
    if address is None or 0 in shape:
        return numpy.empty(shape, dtype=kind)
    return numpy.asarray(_Memory(owner, address, shape, kind))
