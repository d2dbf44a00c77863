#!/bin/bash
# run_one_test.sh NAME COMMAND... - run one test for ctest and tell a skip from a pass.
#
# A test skips with cmocka's skip() or by exit status 77; a line "SKIP: why" says why. A skip for want
# of data that lives outside the project says "SKIP external: why". With SLIPSTICK_FULL=1 any other
# skip is a failure. A test that fails has failed, whatever else it skipped. The seconds of CPU time that it took are
# added to times.log of the build folder.
set -uo pipefail
name=$1
shift
log=$(mktemp)
trap 'rm -f "$log" "$log.times"' EXIT
"$@" 2>&1 | tee "$log" # seen even if ctest ends the test for its time
status=${PIPESTATUS[0]}
times >"$log.times" # of this shell, then of what it has run: 0m1.23s 0m0.45s
awk -F'[ms ]+' -v name="$name" 'NR == 2 { printf "%.1f %s\n", 60 * ($1 + $3) + $2 + $4, name }' "$log.times" \
    >>"${SLIPSTICK_BUILD:-.}/times.log"
if [ $status -ne 0 ] && [ $status -ne 77 ]; then
    exit $status
fi
if [ $status -eq 77 ] || grep -q '^\[  SKIPPED \]' "$log"; then
    why=$(grep -m1 '^SKIP' "$log" || echo "SKIP: $name gave no reason")
    echo "$name: $why" >>"${SLIPSTICK_BUILD:-.}/skips.log"
    if [ "${SLIPSTICK_FULL:-0}" = 1 ] && [[ $why != "SKIP external:"* ]]; then
        echo "a skip is a failure when SLIPSTICK_FULL=1"
        exit 1
    fi
    exit 77
fi
exit 0
