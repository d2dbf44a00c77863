#!/bin/bash
# build.sh PRESET JOBS TARGET - configure if needed and build, quietly: what is printed is worth reading.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1 jobs=$2 target=$3
folder=build
[ "$preset" = release ] || folder=build-$preset

# Configure the first time, and whenever the tests are wanted: what was missing may be installed now.
if [ ! -f "$folder/Makefile" ] || [ "$target" = all ]; then
    mkdir -p "$folder"
    if ! cmake --preset "$preset" >"$folder/configure.log" 2>&1; then
        cat "$folder/configure.log" >&2
        exit 1
    fi
fi
[ -f "$folder/libslipstick.a" ] || echo "building in $folder/ (the first time takes a minute or two)"
exec cmake --build "$folder" --target "$target" --parallel "$jobs" -- --silent --no-print-directory
