"""What the command line tests share: running slipstick, counting checks, the closing line.

The program is $SLIPSTICK, else build/slipstick. A check is a sentence and a truth value."""
import atexit
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("SLIPSTICK", str(ROOT / "build" / "slipstick"))
CACHE = pathlib.Path(os.environ.get("SLIPSTICK_BUILD", ROOT / "build")) / "CMakeCache.txt"
SANITIZED = CACHE.is_file() and "SLIPSTICK_SANITIZE:BOOL=ON" in CACHE.read_text()
TEMP = pathlib.Path(tempfile.mkdtemp(prefix="slipstick-"))
atexit.register(shutil.rmtree, TEMP, ignore_errors=True)
passed = 0
failures = []
PATIENCE = 1200  # seconds: ends what hangs; a busy machine takes many times longer than an idle one


def run(*words, timeout=PATIENCE, **options):
    """Run slipstick; the result has returncode, stdout and stderr as text."""
    environment = dict(os.environ, OPENBLAS_NUM_THREADS="1")
    result = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, timeout=timeout, env=environment, **options)
    result.stdout = result.stdout.decode("utf-8", "replace")
    result.stderr = result.stderr.decode("utf-8", "replace")
    return result


def run_json(*words, **options):
    result = run(*words, "--json", **options)
    check("%s succeeds: %s" % (" ".join(map(str, words)), result.stderr.strip()), result.returncode == 0)
    return json.loads(result.stdout) if result.returncode == 0 else {}


def check(sentence, truth):
    global passed
    if truth:
        passed += 1
    else:
        failures.append(sentence)
        print("FAILED: %s" % sentence)


def write(name, content):
    path = TEMP / name
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def refused(sentence, result, *parts):
    """Exit status 2, one line on stderr that contains every part, nothing on stdout."""
    lines = result.stderr.splitlines()
    good = result.returncode == 2 and len(lines) == 1 and result.stdout == "" and all(str(p) in lines[0] for p in parts)
    check("%s: status %d, stderr %r, expected %r" % (sentence, result.returncode, result.stderr[:300], parts), good)


def finish():
    print("%s: %d passed, %d failed" % (pathlib.Path(sys.argv[0]).name, passed, len(failures)))
    sys.exit(1 if failures else 0)
