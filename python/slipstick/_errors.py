"""Exceptions: one for each status of the library, with the text that the library gives."""


class SlipstickError(Exception):
    """A call failed. `status` is the number of its ss_status."""
    status = 0


class InputError(SlipstickError, ValueError):
    """Bad input: a wrong name (the text has the nearest one), a wrong size, a number that is not finite."""


class UnsupportedError(SlipstickError, NotImplementedError):
    """The scheme or the model does not support what was asked for."""


class NumericError(SlipstickError, ArithmeticError):
    """The simulation cannot go on."""


class Interrupted(SlipstickError):
    """Simulation.interrupt was called. The state is that of the last step."""


class BusyError(SlipstickError, RuntimeError):
    """The simulation is stepping: on another thread, or this call comes from one of its callbacks."""


class FileError(SlipstickError, OSError):
    """Input or output failed."""


class OutOfMemory(SlipstickError, MemoryError):
    """The library could not take memory."""


KINDS = {1: OutOfMemory, 2: InputError, 3: UnsupportedError, 4: FileError, 5: NumericError, 6: Interrupted, 7: BusyError}
INTERRUPTED, BUSY = 6, 7


def error(status: int, text: str) -> SlipstickError:
    """The exception of a status."""
    raised = KINDS.get(status, SlipstickError)(text)
    raised.status = status
    return raised
