"""What the library has: schemes, solvers, joints, forces, shapes, elements, outputs, exact solutions."""
import ctypes
import json
from typing import Any, Dict, List

from ._context import Context
from ._errors import InputError
from ._native import lib

_KINDS = {lib.ss_registry_name(k).decode(): k for k in range(7)}


def entries(kind: str) -> List[Dict[str, Any]]:
    """The entries of a registry ("schemes", "solvers", "joints", "forces", "shapes", "elements", "exact", "outputs"): name, title, reference,
    laws; of schemes the declared order."""
    if kind not in _KINDS:
        raise InputError(f"no registry is called \"{kind}\"; there are {', '.join(_KINDS)}")
    text, found = ctypes.create_string_buffer(256), []
    for k in range(lib.ss_registry_count(_KINDS[kind])):
        entry = lib.ss_registry_entry(_KINDS[kind], k).contents
        lib.ss_law_names(entry.laws, text, len(text))
        one = {name: value for name, value in entry.as_dict().items() if name in ("name", "title", "reference", "order")}
        found.append(dict(one, laws=[word for word in text.value.decode().replace(" ", "").split(",") if word]))
    return found


def schema() -> Dict[str, Any]:
    """The JSON Schema of scenes."""
    return json.loads(Context().text(lib.ss_scene_schema))


def number(text: str) -> float:
    """The value of a constant expression, as scenes may have it: "2^-5", "pi/3"."""
    context, value = Context(), ctypes.c_double()
    context.check(lib.ss_number_parse(context.pointer, text.encode(), ctypes.byref(value)))
    return value.value
