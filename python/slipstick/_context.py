"""A context of the library, and numbers on their way into it."""
import ctypes
from typing import Optional

import numpy

from ._errors import BUSY, InputError, error
from ._native import lib

DOUBLES = ctypes.POINTER(ctypes.c_double)


class Context:
    """An ss_context: the text of the last error and the memory of what is made with it."""

    def __init__(self, threads: int = 1):
        self.pointer = None
        pointer = ctypes.c_void_p()
        self.check(lib.ss_context_create(None, ctypes.byref(pointer)))
        self.pointer = pointer.value
        lib.ss_context_set_threads(self.pointer, threads)

    def __del__(self):
        if self.pointer:
            lib.ss_context_destroy(self.pointer)

    def check(self, status: int) -> None:
        """Raise the exception of a status that is not 0."""
        if status != 0:
            raise self.error(status)

    def error(self, status: int) -> Exception:
        """The exception of a status, with the text of the library."""
        text = lib.ss_last_error(self.pointer) if self.pointer and status != BUSY else b""
        return error(status, (text or lib.ss_status_text(status)).decode("utf-8", "replace"))

    def text(self, function, *arguments) -> str:
        """The text that a function of the library makes; it is freed."""
        pointer = ctypes.c_void_p()
        self.check(function(self.pointer, *arguments, ctypes.byref(pointer)))
        text = ctypes.string_at(pointer.value).decode()
        lib.ss_blob_free(self.pointer, pointer)
        return text


def numbers(what: str, given, count: int) -> numpy.ndarray:
    """`count` numbers in a row, as the library takes them."""
    try:
        array = numpy.ascontiguousarray(given, dtype=numpy.float64)
    except (TypeError, ValueError) as problem:
        raise InputError(f"{what}: expected {count} numbers, got {given!r:.80}") from problem
    if array.shape != (count,):
        raise InputError(f"{what}: expected {count} numbers, got an array of shape {array.shape}")
    return array


def pointer_to(array: Optional[numpy.ndarray]):
    """Its numbers, for a call; None: NULL. The caller keeps the array."""
    return None if array is None else array.ctypes.data_as(DOUBLES)


def number(what: str, given) -> float:
    """A number of the user; anything else is an InputError."""
    if isinstance(given, (int, float)):
        return given
    try:
        if isinstance(given, (str, bytes)):
            raise TypeError("text")
        return float(given)
    except (TypeError, ValueError) as problem:
        raise InputError(f"{what}: expected a number, got {given!r:.80}") from problem


def function(what: str, given):
    """A function of the user; anything else is an InputError."""
    if not callable(given):
        raise InputError(f"{what}: expected a function, got {given!r:.80}")
    return given
