"""slipstick - rigid bodies with hard contact, joints and friction, driven from Python.

    import slipstick

    with slipstick.Simulation("cart.json") as sim:
        while sim.t < 5:
            angle, rate = sim.joint("hinge")
            sim.set_motor("rail", -40 * angle - 5 * rate)
            sim.step()
        print(sim.q, sim.summary.max_residual)

Everything is a call of the C library (slipstick/drive.h, sim.h, io.h); errors are exceptions with its text.
"""
from ._errors import BusyError, InputError, Interrupted, NumericError, SlipstickError, UnsupportedError
from ._native import version
from ._readings import Contacts
from .result import Result
from .registry import entries, number, schema
from .scene import Scene
from .simulation import Simulation
from .view import View

__version__ = version()
__all__ = ["BusyError", "Contacts", "InputError", "Interrupted", "NumericError", "Result", "Scene", "Simulation", "SlipstickError",
           "UnsupportedError", "View", "__version__", "entries", "number", "schema"]
