"""Results in motion, inside a notebook."""
import html
import os
import pathlib
import shutil
import subprocess
import tempfile
from typing import Union

from ._errors import FileError, InputError

_BUILT = pathlib.Path(__file__).resolve().parents[2] / "build" / "slipstick"


def _program() -> str:
    """The command line: $SLIPSTICK, that of the source tree, or one that the system finds."""
    found = os.environ.get("SLIPSTICK") or (str(_BUILT) if _BUILT.is_file() else shutil.which("slipstick"))
    if not found:
        raise FileError("view: the program `slipstick` is not found; set SLIPSTICK to its path")
    return found


class View:
    """The page that `slipstick view` makes of result files (.h5), for the last line of a notebook's cell:

        sim.record("out.h5"); sim.advance(2); sim.close(); slipstick.View("out.h5")

    Notebooks call _repr_html_; nothing of IPython is needed. The page is whole: it can be saved and mailed.
    """

    def __init__(self, *results: Union[str, os.PathLike], width: Union[int, str] = "100%", height: int = 480):
        if not results:
            raise InputError("view: expected at least one result file")
        self.width, self.height = width, height
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "page.html"
            done = subprocess.run([_program(), "view", *map(os.fspath, results), "-o", str(page)], capture_output=True, text=True,
                                  check=False)
            if done.returncode != 0:
                raise InputError(f"view: {done.stderr.strip()}")
            self.page = page.read_text(encoding="utf-8")

    def save(self, path: Union[str, os.PathLike]) -> None:
        """Write the page to a file."""
        pathlib.Path(path).write_text(self.page, encoding="utf-8")

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{html.escape(self.page, quote=True)}" width="{self.width}" height="{self.height}" '
                'style="border: 0"></iframe>')
