"""Scenes: dictionaries or files, as docs/scene.md describes them."""
import ctypes
import json
import os
from typing import Any, Dict, List, Mapping, Sequence, Union

from ._context import Context
from ._errors import InputError
from ._native import Moved, lib

Source = Union["Scene", Mapping[str, Any], str, os.PathLike]


class Scene:
    """A scene that has been read and checked.

    source   a dictionary, the path of a JSON file, or another scene
    set      values that replace those of the source: ["materials.steel.mu=0.3", ..] or {"materials.steel.mu": 0.3, ..}
    """

    def __init__(self, source: Source, set: Union[Sequence[str], Mapping[str, Any]] = ()):  # pylint: disable=redefined-builtin
        self._context = Context()
        self._pointer = None
        self._source = json.loads(source.to_json()) if isinstance(source, Scene) else source
        self._words = words = _words(set)
        sets = (ctypes.c_char_p * len(words))(*(word.encode() for word in words))
        pointer = ctypes.c_void_p()
        if isinstance(source, (str, os.PathLike)):
            status = lib.ss_scene_read(self._context.pointer, os.fsencode(source), len(words), sets, ctypes.byref(pointer))
        else:
            text = (source.to_json() if isinstance(source, Scene) else _encode(source)).encode()
            status = lib.ss_scene_parse(self._context.pointer, text, len(text), b"scene", len(words), sets, ctypes.byref(pointer))
        self._context.check(status)
        self._pointer = pointer.value

    def __del__(self):
        if getattr(self, "_pointer", None):
            lib.ss_scene_destroy(self._pointer)

    def changed(self, set: Union[Sequence[str], Mapping[str, Any]]) -> "Scene":  # pylint: disable=redefined-builtin
        """The same source, read again with further values: {"parameters.k": 120}."""
        return Scene(self._source, self._words + _words(set))

    def assemble(self) -> Dict[str, Dict[str, float]]:
        """Close the joints that do not fit by the least motion: {body: {"distance", "angle", "speed", "spin"}} of those that moved."""
        names = [body.get("name", str(k)) for k, body in enumerate(self.to_dict().get("bodies", []))]
        moved, count = (Moved * max(len(names), 1))(), ctypes.c_int()
        self._context.check(lib.ss_scene_assemble(self._context.pointer, self._pointer, len(names), moved, ctypes.byref(count)))
        self._source, self._words = self.to_dict(), []
        return {names[one.body]: {key: getattr(one, key) for key in ("distance", "angle", "speed", "spin")} for one in moved[:count.value]}

    def to_json(self) -> str:
        """The scene as understood, defaults filled in, as JSON text."""
        return self._context.text(lib.ss_scene_to_json, self._pointer)

    def to_dict(self) -> dict:
        """The scene as understood, defaults filled in."""
        return json.loads(self.to_json())


def _words(given: Union[Sequence[str], Mapping[str, Any]]) -> List[str]:
    return [f"{key}={json.dumps(value)}" for key, value in given.items()] if isinstance(given, Mapping) else list(given)


def _encode(source: Mapping[str, Any]) -> str:
    try:
        return json.dumps(source, allow_nan=False)
    except (TypeError, ValueError) as problem:
        raise InputError(f"scene: expected a path or a dictionary that can be written as JSON: {problem}") from problem
