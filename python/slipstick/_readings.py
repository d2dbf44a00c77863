"""Readings of a simulation: state, joints, contacts, equations of motion, account."""
import ctypes
from typing import Callable, Dict, List, NamedTuple, Optional, Tuple, Union

import numpy

from ._context import number, numbers, pointer_to
from ._memory import view
from ._native import ContactArrays, ContactInfo, Ledger, StepInfo, Summary, lib
from ._parts import Part, Parts, Vector


class Contacts(NamedTuple):
    """Contacts as arrays, n long: numbers of the bodies (n x 2, -1 is the world), gaps, points, normals (n x 3, from the second
    body to the first), tangents (n x 2 x 3), forces along normal and tangents (n x 3)."""
    bodies: numpy.ndarray
    gap: numpy.ndarray
    point: numpy.ndarray
    normal: numpy.ndarray
    tangent: numpy.ndarray
    force: numpy.ndarray


class Solids(NamedTuple):
    """Meshes: bodies whose places the nodes are (-1 is the world) and these places in their frames (n x 3), nodes of every element,
    and the place of its solid in the scene's list `elements`."""
    bodies: numpy.ndarray
    points: numpy.ndarray
    elements: List[Tuple[int, ...]]
    of: List[int]


class Readings(Parts):
    """The part of a simulation that reads it."""
    _q: numpy.ndarray
    _v: numpy.ndarray
    _q_of: List[numpy.ndarray]
    _v_of: List[numpy.ndarray]
    _several: Optional[Dict[str, List[int]]] = None

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

    @property
    def output_names(self) -> List[str]:
        """Columns of the outputs: those that the scene declares, then those of joints, "crank.angle", "crank.rate"."""
        return self._names("output")

    def output_unit(self, name: str) -> str:
        """Unit of a column of the outputs."""
        return lib.ss_model_output_unit(self._model, self._column(name)).decode()

    def output(self, name: str) -> Union[float, numpy.ndarray]:
        """What an output reads: a number, or an array if it has several columns ("tip" of "tip.x", "tip.y")."""
        places = self._places().get(name)
        if places is None:
            value = ctypes.c_double()
            self._check(lib.ss_sim_output(self._open(), self._column(name), ctypes.byref(value)))
            return value.value
        return self.outputs()[places]

    def outputs(self) -> numpy.ndarray:
        """All columns, in the order of output_names."""
        out = numpy.empty(lib.ss_model_output_count(self._model))
        self._check(lib.ss_sim_outputs(self._open(), pointer_to(out)))
        return out

    def _column(self, name: str) -> int:
        index = ctypes.c_int()
        self._check(lib.ss_model_find_output(self._owner.context.pointer, self._model, name.encode(), ctypes.byref(index)))
        return index.value

    def _places(self) -> Dict[str, List[int]]:
        """Columns of the outputs of the scene that have several."""
        if self._several is None:
            names = self.output_names
            parts = [one["name"] for one in self._scene.to_dict().get("outputs", [])]
            columns = range(lib.ss_model_declared_outputs(self._model))
            self._several = {part: [k for k in columns if names[k].rpartition(".")[0] == part and names[k] not in parts]
                             for part in parts if part not in names}
        return self._several

    def net_wrench(self, body: Part) -> Tuple[numpy.ndarray, numpy.ndarray]:
        """Force and torque that changed the momentum of a body in the last step, in world axes."""
        force, torque = numpy.empty(3), numpy.empty(3)
        index = self._find("body", body)
        self._check(lib.ss_sim_net_wrench(self._open(), index, pointer_to(force), pointer_to(torque)))
        return force, torque

    def contact_wrench(self, body: Part, other: Optional[Part] = None) -> Tuple[numpy.ndarray, numpy.ndarray]:
        """Mean force, and torque about the centre of the body, of its contacts with another body over the last step; None: with
        all others."""
        force, torque = numpy.empty(3), numpy.empty(3)
        index, second = self._find("body", body), -1 if other is None else self._find("body", other)
        self._check(lib.ss_sim_contact_wrench(self._open(), index, second, pointer_to(force), pointer_to(torque)))
        return force, torque

    def pair(self, a: Part, b: Part) -> Tuple[float, float]:
        """Friction and restitution of a pair of materials."""
        mu, e = ctypes.c_double(), ctypes.c_double()
        first, second = self._find("material", a), self._find("material", b)
        self._check(lib.ss_sim_pair(self._open(), first, second, ctypes.byref(mu), ctypes.byref(e)))
        return mu.value, e.value

    def pair_moments(self, a: Part, b: Part) -> Tuple[float, float]:
        """Rolling and spinning friction (m) of a pair of materials."""
        rolling, spinning = ctypes.c_double(), ctypes.c_double()
        first, second = self._find("material", a), self._find("material", b)
        self._check(lib.ss_sim_pair_moments(self._open(), first, second, ctypes.byref(rolling), ctypes.byref(spinning)))
        return rolling.value, spinning.value

    def pose(self, body: Part) -> Tuple[numpy.ndarray, numpy.ndarray, float]:
        """Position, orientation (w x y z) and, in 2D, angle of any body."""
        position, orientation, angle = numpy.empty(3), numpy.empty(4), ctypes.c_double()
        index = self._find("body", body)
        self._check(lib.ss_sim_body_pose(self._open(), index, pointer_to(position), pointer_to(orientation), ctypes.byref(angle)))
        return position, orientation, angle.value

    def _contacts(self, arrays: ContactArrays, copy: bool) -> Contacts:
        n, shapes = arrays.n, {"gap": (), "point": (3,), "normal": (3,), "tangent": (2, 3), "force": (3,)}
        bodies = view(self._owner, arrays.bodies, (n, 2), "<i4")
        views = [bodies] + [view(self._owner, getattr(arrays, name), (n, *shape)) for name, shape in shapes.items()]
        return Contacts(*(view.copy() for view in views) if copy else views)

    def contacts(self, copy: bool = True) -> Contacts:
        """Contacts of the last step. Without copy: views that are valid until the next call."""
        arrays = ContactArrays()
        self._check(lib.ss_sim_contacts(self._open(), ctypes.byref(arrays)))
        return self._contacts(arrays, copy)

    def contact_names(self) -> List[str]:
        """Names of the contacts of the last step, in the order of contacts(): "rod.0-floor.0"."""
        names, info = [], ContactInfo()
        for k in range(lib.ss_sim_contact_count(self._open())):
            self._check(lib.ss_sim_contact(self._sim, k, ctypes.byref(info)))
            names.append(info.name.decode("utf-8", "replace"))
        return names

    def stresses(self) -> numpy.ndarray:
        """What the elements of flexible bodies carry, in the order of their columns in results."""
        out = numpy.empty(lib.ss_model_stress_count(self._model))
        lib.ss_model_stresses(self._model, self.t, pointer_to(self._q), pointer_to(out))
        return out

    def solids(self) -> Solids:
        """The mesh of all solids."""
        body, point, corners = ctypes.c_int(), (ctypes.c_double * 3)(), (ctypes.c_int * 4)()
        bodies, points = [], []
        for k in range(lib.ss_model_solid_node_count(self._model)):
            lib.ss_model_solid_node(self._model, k, ctypes.byref(body), point)
            bodies.append(body.value)
            points.append(list(point))
        elements, of = [], []
        for k in range(lib.ss_model_solid_element_count(self._model)):
            count = lib.ss_model_solid_element(self._model, k, corners)
            elements.append(tuple(corners[:count]))
            of.append(lib.ss_model_solid_of(self._model, k))
        return Solids(numpy.array(bodies, dtype=int), numpy.array(points).reshape(-1, 3), elements, of)

    def von_mises(self) -> numpy.ndarray:
        """Von Mises' stress of every element of solids(), N/m^2."""
        out = numpy.empty(lib.ss_model_solid_element_count(self._model))
        lib.ss_model_von_mises(self._model, self.t, pointer_to(self._q), pointer_to(out))
        return out

    def gaps(self, reach: float, copy: bool = True) -> Contacts:
        """Contacts of the present state whose gap is below `reach`, and all limits of joints; without forces."""
        arrays = ContactArrays()
        self._check(lib.ss_sim_gaps(self._open(), number("reach", reach), ctypes.byref(arrays)))
        return self._contacts(arrays, copy)

    def at(self, t: float) -> Tuple[numpy.ndarray, numpy.ndarray]:
        """q and v at a time within the step just made: dense output, in on_step."""
        q, v = numpy.empty(self.nq), numpy.empty(self.nv)
        self._check(lib.ss_sim_at(self._open(), number("t", t), pointer_to(q), pointer_to(v)))
        return q, v

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
    def errors(self) -> float:
        """Energy that the scheme has made, or lost, J: all entries of the ledger that are errors of it."""
        return lib.ss_ledger_errors(lib.ss_sim_ledger(self._open()))

    @property
    def outcome(self) -> str:
        """The worst outcome of the contact problems of the last step: "converged", .."""
        return lib.ss_outcome_name(self.last_step.outcome).decode()

    @property
    def remarks(self) -> Dict[str, str]:
        """Remarks on steps so far, by name, and what they mean."""
        seen = [k for k, remark in enumerate(self.summary.remark) if remark.steps > 0]
        return {lib.ss_remark_name(k).decode(): lib.ss_remark_text(k).decode() for k in seen}

    @property
    def warnings(self) -> List[str]:
        """Warnings about the run so far."""
        found, text = [], ctypes.create_string_buffer(1024)
        while lib.ss_sim_warning(self._open(), len(found), text, len(text)):
            found.append(text.value.decode("utf-8", "replace"))
        return found
