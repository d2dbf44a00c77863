#!/bin/bash
# run_tests.sh FOLDER JOBS [CTEST OPTION...] - run the tests of a build folder, then say what was skipped.
set -uo pipefail
cd "$(dirname "$0")/.."
folder=$1 jobs=$2
shift 2
rm -f "$folder/skips.log" "$folder/times.log"
ctest --test-dir "$folder" --parallel "$jobs" --output-on-failure --no-tests=error "$@" | sed -u '/^ *Start /d; /^Internal ctest/d'
status=${PIPESTATUS[0]}

skips=$({ cat "$folder/skipped.txt"; echo; cat "$folder/skips.log"; } 2>/dev/null | sed '/^$/d' | sort)
count=$([ -z "$skips" ] && echo 0 || wc -l <<<"$skips")
[ -z "$skips" ] || sed 's/^/skipped: /' <<<"$skips"
echo "$folder: $count skipped"
if [ -s "$folder/skipped.txt" ] && [ "${SLIPSTICK_FULL:-0}" = 1 ]; then
    echo "a skip is a failure when SLIPSTICK_FULL=1"
    status=1
fi
exit $status
