"""The shared library: where it is, its structs and its functions.

It is looked for in $SLIPSTICK_LIBRARY (a file), beside this module (a wheel has it there), in the build folder of the source tree
that this module is in, and where the system looks for libraries.
"""
import ctypes
import os
import pathlib
from ctypes import POINTER, c_bool, c_char_p, c_double, c_int, c_int64, c_size_t, c_void_p

_HERE = pathlib.Path(__file__).resolve().parent
_NAME = "libslipstick.so"


def _find() -> str:
    given = os.environ.get("SLIPSTICK_LIBRARY")
    if given:
        return given
    for path in (_HERE / _NAME, _HERE.parents[1] / "build" / _NAME):
        if path.is_file():
            return str(path)
    return _NAME


def _load() -> ctypes.CDLL:
    path = _find()
    try:
        return ctypes.CDLL(path)
    except OSError as problem:
        raise ImportError(f"slipstick: its shared library cannot be loaded ({problem}); build it with `make install`, or set "
                          "SLIPSTICK_LIBRARY to the file") from problem


# ---- structs, as in include/slipstick ----------------------------------------------------------------

class Struct(ctypes.Structure):
    """A struct of the library, with its fields as a dictionary."""

    def as_dict(self) -> dict:
        """Numbers by name; structs inside are dictionaries, arrays lists."""
        return {name: _plain(getattr(self, name)) for name, *_ in self._fields_}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.as_dict().items())})"


def _plain(value):
    if isinstance(value, Struct):
        return value.as_dict()
    if isinstance(value, ctypes.Array):
        return [_plain(x) for x in value]
    return value.decode() if isinstance(value, bytes) else value


class Residual(Struct):
    """ss_residual: how well a contact problem is solved."""
    _fields_ = [(name, c_double) for name in ("contact", "momentum", "joint", "classical")] + [("worst", c_int), ("dropped", c_int)]


class StepInfo(Struct):
    """ss_step_info: the certificate of a step."""
    _fields_ = [("step", c_int64), ("t", c_double), ("h", c_double), ("contacts", c_int), ("problems", c_int), ("outcome", c_int),
                ("residual", Residual), ("penetration", c_double), ("joint_error", c_double), ("kinetic", c_double),
                ("potential", c_double), ("certified", c_bool)]


class Ledger(Struct):
    """ss_ledger: the energy balance of a run, J."""
    _fields_ = [(name, c_double) for name in
                ("gravity", "springs", "dampers", "applied", "gyroscopic", "joints", "contact_normal", "contact_friction", "driven",
                 "stabilisation", "projection", "inertia", "scheme", "kinetic_change", "closure", "exchanged", "integration_error",
                 "position_correction", "driven_springs", "impact_gain")] + [("impact_gains", c_int), ("state_set", c_double)]


class Remarked(Struct):
    """ss_remarked: steps with a remark, the time of the first, what caused it."""
    _fields_ = [("steps", c_int64), ("t", c_double), ("contact", ctypes.c_char * 128)]


class Choices(Struct):
    """ss_choices: what a solver that can choose has chosen."""
    _fields_ = [("split", c_int64), ("first", c_int64 * 16), ("left", c_int64 * 16)]


class Summary(Struct):
    """ss_summary: counters and extremes of a run."""
    _fields_ = ([(name, c_int64) for name in
                 ("steps", "rejected", "lcps", "unconverged_steps", "fallbacks", "basis_tried", "basis_hits", "multiplier_evals",
                  "newton", "solver_iterations", "max_step_lcps", "max_step_iterations", "unmet_steps")] +
                [(name, c_double) for name in ("max_unmet_error", "accumulated_error", "shortest", "longest")] + [("remark", Remarked * 13)] +
                [(name, c_double) for name in
                 ("max_penetration", "max_joint_error", "max_residual", "energy_initial", "energy_final", "energy_max",
                  "energy_max_gain", "wall_s")] + [("max_contacts", c_int)] +
                [(name, c_int64) for name in ("events", "shared", "chosen", "contacts_found", "contacts_kept")] +
                [("answered", c_int64 * 16), ("choices", Choices)])


class SimOptions(Struct):
    """ss_sim_options."""
    _fields_ = [("scheme", c_char_p), ("solver", c_char_p), ("step", c_double), ("tol", c_double), ("solver_tol", c_double),
                ("allow_overlap", c_bool), ("strict", c_bool), ("interrupt", POINTER(c_int))]


class ContactArrays(Struct):
    """ss_contact_arrays."""
    _fields_ = [("n", c_int), ("bodies", POINTER(c_int))] + [(name, POINTER(c_double)) for name in
                                                             ("gap", "point", "normal", "tangent", "force")]


class ContactInfo(Struct):
    """ss_contact_info: a contact of the last step."""
    _fields_ = [("name", ctypes.c_char * 128), ("bodies", c_int * 2), ("gap", c_double), ("force", c_double * 3),
                ("point", c_double * 3), ("normal", c_double * 3), ("tangent", c_double * 6)]


class ResultContact(Struct):
    """ss_result_contact: a contact of a state of a result."""
    _fields_ = [("bodies", c_int * 2), ("gap", c_double), ("point", c_double * 3), ("normal", c_double * 3), ("force", c_double * 3)]


class Overlap(Struct):
    """ss_overlap: two bodies that overlap at the start."""
    _fields_ = [("bodies", c_int * 2), ("depth", c_double)]


class Moved(Struct):
    """ss_moved: how far a body was moved to close the joints of a scene."""
    _fields_ = [("body", c_int)] + [(name, c_double) for name in ("distance", "angle", "speed", "spin")]


class Order(Struct):
    """ss_order: declared order of a scheme."""
    _fields_ = [("smooth", c_double), ("impacts", c_double), ("norm", c_char_p), ("overlap", c_double), ("impact_steps", c_int),
                ("joints_drift", c_bool), ("turning", c_double)]


class Entry(Struct):
    """ss_entry: an entry of a registry."""
    _fields_ = [("name", c_char_p), ("title", c_char_p), ("reference", c_char_p), ("aliases", c_char_p), ("kind", c_char_p),
                ("order", Order), ("laws", ctypes.c_uint), ("needs", ctypes.c_uint), ("dimensions", ctypes.c_uint),
                ("massless", c_bool), ("demonstration", c_bool), ("fields", c_void_p), ("params_size", c_size_t)]


class Motion(Struct):
    """ss_motion: where a driven body is and how it moves."""
    _fields_ = [("position", c_double * 3), ("angle", c_double), ("velocity", c_double * 3), ("rate", c_double)]


class ForcePoints(Struct):
    """ss_force_points: the two points of a force."""
    _fields_ = [("t", c_double), ("position", c_double * 6), ("rotation", c_double * 18), ("velocity", c_double * 6),
                ("angular_velocity", c_double * 6), ("dimension", c_int), ("number", POINTER(c_double))]


WRENCH = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(ForcePoints), POINTER(c_double))
SLOPES = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(ForcePoints), POINTER(c_double), POINTER(c_double))
UPDATE = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p)
ON_STEP = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p)


class Controller(Struct):
    """ss_controller."""
    _fields_ = [("user", c_void_p), ("period", c_double), ("update", UPDATE)]


class ForceFunctions(Struct):
    """ss_force_functions."""
    _fields_ = [("user", c_void_p), ("wrench", WRENCH), ("potential", WRENCH), ("jacobian", SLOPES)]


class Observer(Struct):
    """ss_observer."""
    _fields_ = [("user", c_void_p), ("on_step", ON_STEP), ("on_event", ON_STEP), ("on_problem", c_void_p)]


# Structs of the library by their names there; a test compares sizes and offsets with the headers.
STRUCTS = {"ss_residual": Residual, "ss_step_info": StepInfo, "ss_ledger": Ledger, "ss_remarked": Remarked, "ss_choices": Choices,
           "ss_summary": Summary, "ss_sim_options": SimOptions, "ss_contact_arrays": ContactArrays, "ss_controller": Controller, "ss_observer": Observer,
           "ss_motion": Motion, "ss_contact_info": ContactInfo, "ss_result_contact": ResultContact, "ss_overlap": Overlap, "ss_moved": Moved,
           "ss_order": Order, "ss_entry": Entry, "ss_force_points": ForcePoints, "ss_force_functions": ForceFunctions}

# ---- functions ------------------------------------------------------------------------------------------

_P, _I, _D, _S, _NUMBERS = c_void_p, c_int, c_double, c_char_p, POINTER(c_double)
_OUT, _INDEX = POINTER(c_void_p), POINTER(c_int)
_FUNCTIONS = {  # name: (result, arguments); a status unless said otherwise
    "ss_version": (_S,), "ss_status_text": (_S, _I), "ss_last_error": (_S, _P),
    "ss_context_create": (_I, _P, _OUT), "ss_context_destroy": (None, _P), "ss_context_set_threads": (None, _P, _I),
    "ss_context_allocations": (ctypes.c_uint64, _P),
    "ss_scene_read": (_I, _P, _S, _I, POINTER(_S), _OUT), "ss_scene_parse": (_I, _P, _S, c_size_t, _S, _I, POINTER(_S), _OUT),
    "ss_scene_destroy": (None, _P), "ss_scene_to_json": (_I, _P, _P, _OUT), "ss_blob_free": (None, _P, _P),
    "ss_model_compile": (_I, _P, _P, _OUT), "ss_model_destroy": (None, _P),
    "ss_model_dimension": (_I, _P), "ss_model_nq": (_I, _P), "ss_model_nv": (_I, _P),
    "ss_model_body_count": (_I, _P), "ss_model_joint_count": (_I, _P), "ss_model_force_count": (_I, _P),
    "ss_model_material_count": (_I, _P), "ss_model_body_name": (_S, _P, _I), "ss_model_joint_name": (_S, _P, _I),
    "ss_model_force_name": (_S, _P, _I), "ss_model_material_name": (_S, _P, _I),
    "ss_model_body_q": (_I, _P, _I), "ss_model_body_v": (_I, _P, _I), "ss_model_joint_row_name": (_S, _P, _I, _I),
    "ss_model_coordinate_name": (None, _P, c_bool, _I, _S, c_size_t),
    "ss_model_find_body": (_I, _P, _P, _S, _INDEX), "ss_model_find_joint": (_I, _P, _P, _S, _INDEX),
    "ss_model_output_count": (_I, _P), "ss_model_declared_outputs": (_I, _P), "ss_model_output_name": (_S, _P, _I),
    "ss_model_output_unit": (_S, _P, _I), "ss_model_find_output": (_I, _P, _P, _S, _INDEX),
    "ss_sim_output": (_I, _P, _I, _NUMBERS), "ss_sim_outputs": (_I, _P, _NUMBERS),
    "ss_model_find_force": (_I, _P, _P, _S, _INDEX), "ss_model_find_material": (_I, _P, _P, _S, _INDEX),
    "ss_sim_options_default": (SimOptions,), "ss_sim_create": (_I, _P, _P, POINTER(SimOptions), _OUT), "ss_sim_destroy": (None, _P),
    "ss_registry_count": (_I, _I), "ss_registry_entry": (POINTER(Entry), _I, _I), "ss_registry_name": (_S, _I),
    "ss_law_names": (c_size_t, ctypes.c_uint, _S, c_size_t), "ss_scene_schema": (_I, _P, _OUT),
    "ss_number_parse": (_I, _P, _S, _NUMBERS),
    "ss_model_body_type": (_I, _P, _I), "ss_body_type_name": (_S, _I), "ss_model_joint_rows": (_I, _P, _I),
    "ss_model_initial_q": (_NUMBERS, _P), "ss_model_initial_v": (_NUMBERS, _P), "ss_model_length_scale": (_D, _P),
    "ss_model_potential_pairs": (c_int64, _P), "ss_model_stress_count": (_I, _P), "ss_model_stresses": (None, _P, _D, _NUMBERS, _NUMBERS),
    "ss_model_overlaps": (_I, _P, _P, _I, POINTER(Overlap), _INDEX), "ss_scene_assemble": (_I, _P, _P, _I, POINTER(Moved), _INDEX),
    "ss_model_solid_node_count": (_I, _P), "ss_model_solid_node": (None, _P, _I, _INDEX, _NUMBERS),
    "ss_model_solid_element_count": (_I, _P), "ss_model_solid_element": (_I, _P, _I, _INDEX), "ss_model_solid_of": (_I, _P, _I),
    "ss_model_von_mises": (None, _P, _D, _NUMBERS, _NUMBERS),
    "ss_sim_contact_count": (_I, _P), "ss_sim_contact": (_I, _P, _I, POINTER(ContactInfo)), "ss_sim_at": (_I, _P, _D, _NUMBERS, _NUMBERS),
    "ss_sim_tol": (_D, _P), "ss_sim_tol_binds": (c_bool, _P), "ss_remark_name": (_S, _I), "ss_remark_text": (_S, _I),
    "ss_outcome_name": (_S, _I), "ss_ledger_errors": (_D, POINTER(Ledger)), "ss_event_kind_name": (_S, _I),
    "ss_sim_is_busy": (c_bool, _P), "ss_sim_step": (_I, _P, _D), "ss_sim_advance": (_I, _P, _D), "ss_sim_time": (_D, _P),
    "ss_sim_q": (_P, _P), "ss_sim_v": (_P, _P), "ss_sim_scheme": (_S, _P), "ss_sim_solver": (_S, _P), "ss_sim_step_size": (_D, _P),
    "ss_sim_last_step": (POINTER(StepInfo), _P), "ss_sim_summary": (POINTER(Summary), _P), "ss_sim_ledger": (POINTER(Ledger), _P),
    "ss_sim_warning": (c_bool, _P, _I, _S, c_size_t), "ss_sim_observe": (_I, _P, POINTER(Observer)),
    "ss_sim_joint_reaction": (_I, _P, _I, _NUMBERS), "ss_event_to_json": (_I, _P, _P, _P, _OUT),
    "ss_sim_set_wrench": (_I, _P, _I, _NUMBERS, _NUMBERS), "ss_sim_set_motor": (_I, _P, _I, _D),
    "ss_sim_set_force": (_I, _P, _I, _NUMBERS, _NUMBERS), "ss_sim_set_pair": (_I, _P, _I, _I, _D, _D),
    "ss_sim_set_pair_moments": (_I, _P, _I, _I, _D, _D), "ss_sim_pair_moments": (_I, _P, _I, _I, _NUMBERS, _NUMBERS),
    "ss_sim_motion": (_I, _P, _I, POINTER(Motion)), "ss_sim_set_motion": (_I, _P, _I, POINTER(Motion)),
    "ss_sim_set_numbers": (_I, _P, _P), "ss_sim_set_functions": (_I, _P, _I, POINTER(ForceFunctions)), "ss_sim_pair": (_I, _P, _I, _I, _NUMBERS, _NUMBERS),
    "ss_sim_contact_wrench": (_I, _P, _I, _I, _NUMBERS, _NUMBERS),
    "ss_sim_body_pose": (_I, _P, _I, _NUMBERS, _NUMBERS, _NUMBERS),
    "ss_sim_set_state": (_I, _P, _NUMBERS, _NUMBERS), "ss_sim_set_controller": (_I, _P, POINTER(Controller)),
    "ss_sim_joint_motion": (_I, _P, _I, _NUMBERS, _NUMBERS), "ss_sim_net_wrench": (_I, _P, _I, _NUMBERS, _NUMBERS),
    "ss_sim_contacts": (_I, _P, POINTER(ContactArrays)), "ss_sim_gaps": (_I, _P, _D, POINTER(ContactArrays)),
    "ss_sim_mass_matrix": (_I, _P, _NUMBERS, _NUMBERS), "ss_sim_forces": (_I, _P, _NUMBERS, _NUMBERS, _NUMBERS),
    "ss_sim_joint_row_count": (_I, _P), "ss_sim_joint_jacobian": (_I, _P, _NUMBERS, _NUMBERS),
    "ss_sim_point_jacobian": (_I, _P, _I, _NUMBERS, _NUMBERS, _NUMBERS),
    "ss_sim_save": (_I, _P, _OUT, POINTER(c_size_t)), "ss_sim_restore": (_I, _P, _S, c_size_t),
    "ss_checkpoint_write": (_I, _P, _P, _S), "ss_checkpoint_read": (_I, _P, _P, _S),
    "ss_writer_create": (_I, _P, _S, _P, _P, _D, _OUT), "ss_writer_step": (_I, _P, _P, _P), "ss_writer_event": (_I, _P, _P, _P),
    "ss_writer_close": (_I, _P),
    "ss_result_open": (_I, _P, _S, _OUT), "ss_result_close": (None, _P), "ss_result_states": (c_int64, _P),
    "ss_result_nq": (_I, _P), "ss_result_nv": (_I, _P), "ss_result_columns": (_I, _P), "ss_result_column_name": (_S, _P, _I),
    "ss_result_column_unit": (_S, _P, _I), "ss_result_read_column": (_I, _P, _I, c_int64, c_int64, _NUMBERS),
    "ss_result_read": (_I, _P, c_int64, c_int64, _NUMBERS, POINTER(c_int64), _NUMBERS, _NUMBERS),
    "ss_result_dimension": (_I, _P), "ss_result_q_name": (_S, _P, _I), "ss_result_v_name": (_S, _P, _I),
    "ss_result_events": (c_int64, _P), "ss_result_read_events": (_I, _P, c_int64, c_int64, _NUMBERS, _INDEX),
    "ss_result_read_offsets": (_I, _P, c_int64, c_int64, POINTER(c_int64)),
    "ss_result_read_contacts": (_I, _P, c_int64, c_int64, POINTER(ResultContact)),
    "ss_result_scheme": (_S, _P), "ss_result_solver": (_S, _P), "ss_result_scene": (_S, _P),
}


def _declare(library: ctypes.CDLL) -> ctypes.CDLL:
    for name, (result, *arguments) in _FUNCTIONS.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    return library


lib = _declare(_load())


def version() -> str:
    """Version of the library that is loaded."""
    return lib.ss_version().decode()
