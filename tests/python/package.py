"""What the tests of the Python package share: the package of the source tree, with the library of the build folder.

A sanitized library needs the runtime of the sanitizer before everything else: the test then starts itself again with it."""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "cli"), str(ROOT / "python")]
from common import CACHE, SANITIZED, TEMP, check, finish, write  # noqa: E402,F401  pylint: disable=wrong-import-position

BUILD = pathlib.Path(os.environ.get("SLIPSTICK_BUILD", ROOT / "build")).resolve()
COMPILER = re.search(r"^CMAKE_C_COMPILER:\w+=(.*)$", CACHE.read_text(), re.M).group(1)
LIBRARY = BUILD / "libslipstick.so"
os.environ["SLIPSTICK_LIBRARY"] = str(LIBRARY)

if SANITIZED and "LD_PRELOAD" not in os.environ:
    runtime = subprocess.run([COMPILER, "-print-file-name=libasan.so"], capture_output=True, text=True, check=True).stdout.strip()
    os.execve(sys.executable, [sys.executable, *sys.argv], dict(os.environ, LD_PRELOAD=runtime, ASAN_OPTIONS="detect_leaks=0"))

import slipstick  # noqa: E402  pylint: disable=wrong-import-position


def raises(sentence, kind, part, function, *arguments, **options):
    """The call raises this exception, whose text contains the part."""
    try:
        function(*arguments, **options)
    except kind as problem:
        check(f"{sentence}: \"{problem}\"", part in str(problem))
    except Exception as problem:  # pylint: disable=broad-except
        check(f"{sentence}: {type(problem).__name__} \"{problem}\"", False)
    else:
        check(f"{sentence}: nothing is raised", False)
