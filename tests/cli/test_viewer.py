#!/usr/bin/python3
"""The page of slipstick view in a browser: runs viewer/tests/run.mjs, which needs node, chromium and the packages of the viewer."""
import os
import shutil
import subprocess
import sys

from common import PROGRAM, ROOT

missing = [name for name in ("node", "chromium") if not shutil.which(name)]
if not (ROOT / "viewer" / "node_modules").is_dir():
    missing.append("the packages of the viewer (make viewer)")
if missing:
    print("SKIP external: tests in a browser need %s" % " and ".join(missing))
    sys.exit(77)
environment = dict(os.environ, SLIPSTICK=os.path.abspath(PROGRAM))
sys.exit(subprocess.run(["node", ROOT / "viewer" / "tests" / "run.mjs"], env=environment).returncode)
