#!/usr/bin/env python3
"""`pip install ./python` in a virtual environment, without network: the package runs from there, with its own library."""
import importlib.util
import os
import subprocess
import sys
import zipfile

from package import BUILD, ROOT, SANITIZED, TEMP, check, finish

if not importlib.util.find_spec("ensurepip"):
    print("SKIP: python3-venv is absent")
    sys.exit(77)
if SANITIZED or BUILD != (ROOT / "build").resolve():
    check("a wheel is made of the library of the release build, which another test run looks at", True)
    finish()

sys.path.insert(0, str(ROOT / "python" / "build_backend"))
import backend  # noqa: E402  pylint: disable=wrong-import-position,import-error

first, second = TEMP / "first", TEMP / "second"
for folder in (first, second):
    folder.mkdir()
name = backend.build_wheel(str(first))
backend.build_wheel(str(second))
check("the same sources give the same bytes", (first / name).read_bytes() == (second / name).read_bytes())
with zipfile.ZipFile(first / name) as wheel:
    check("the wheel has package, types and library",
          {"slipstick/__init__.py", "slipstick/py.typed", "slipstick/libslipstick.so"} <= set(wheel.namelist()))
check("an sdist can be made", backend.build_sdist(str(first)).endswith(".tar.gz"))

ENVIRONMENT = {key: value for key, value in os.environ.items() if not key.startswith(("SLIPSTICK", "PYTHONPATH"))}


def call(*words):
    result = subprocess.run([str(w) for w in words], capture_output=True, text=True, cwd=TEMP, env=ENVIRONMENT, check=False)
    check("%s: %s" % (" ".join(map(str, words)), (result.stdout + result.stderr)[-800:]), result.returncode == 0)
    return result.stdout.strip()


PYTHON = TEMP / "venv" / "bin" / "python3"
call("/usr/bin/python3", "-m", "venv", "--system-site-packages", TEMP / "venv")  # NumPy is Debian's
call(PYTHON, "-m", "pip", "install", "--no-index", "--disable-pip-version-check", ROOT / "python")
said = call(PYTHON, "-c", "import slipstick; from slipstick import _native; print(slipstick.__version__, _native.lib._name)")
check(f"the installed package loads its own library: {said}", said.endswith("site-packages/slipstick/libslipstick.so"))
scene = ROOT / "scenes" / "cradle.json"
time = call(PYTHON, "-c", f"import slipstick\nwith slipstick.Simulation({str(scene)!r}) as s: s.advance(0.01); print(s.t)")
check("and steps a scene", time == "0.01")

finish()
