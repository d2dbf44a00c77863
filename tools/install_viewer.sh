#!/bin/bash
# install_viewer.sh - the packages of the viewer (viewer/package-lock.json), for its tests in a browser.
# Does nothing where node, npm or chromium is absent, or if they are there already. Needs the network; without it the tests
# in a browser are skipped, and this says so.
set -uo pipefail
cd "$(dirname "$0")/../viewer" || exit 1
for program in node npm chromium; do
    command -v "$program" >/dev/null || exit 0
done
[ node_modules/.package-lock.json -nt package-lock.json ] && exit 0
npm ci --no-audit --no-fund --silent >/dev/null 2>&1 || echo "the packages of the viewer could not be installed: its tests in a browser are skipped"
exit 0
