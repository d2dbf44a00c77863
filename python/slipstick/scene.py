"""Scenes: dictionaries or files, as docs/scene.md describes them."""
import ctypes
import json
import os
from typing import Any, Mapping, Sequence, Union

from ._context import Context
from ._errors import InputError
from ._native import lib

Source = Union["Scene", Mapping[str, Any], str, os.PathLike]


class Scene:
    """A scene that has been read and checked.

    source   a dictionary, the path of a JSON file, or another scene
    set      values that replace those of the source: ["materials.steel.mu=0.3", ..] or {"materials.steel.mu": 0.3, ..}
    """

    def __init__(self, source: Source, set: Union[Sequence[str], Mapping[str, Any]] = ()):  # pylint: disable=redefined-builtin
        self._context = Context()
        self._pointer = None
        words = [f"{key}={json.dumps(value)}" for key, value in set.items()] if isinstance(set, Mapping) else list(set)
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

    def to_json(self) -> str:
        """The scene as understood, defaults filled in, as JSON text."""
        return self._context.text(lib.ss_scene_to_json, self._pointer)

    def to_dict(self) -> dict:
        """The scene as understood, defaults filled in."""
        return json.loads(self.to_json())


def _encode(source: Mapping[str, Any]) -> str:
    try:
        return json.dumps(source, allow_nan=False)
    except (TypeError, ValueError) as problem:
        raise InputError(f"scene: expected a path or a dictionary that can be written as JSON: {problem}") from problem
