#!/bin/bash
# full_checks.sh JOBS - what `make test FULL=1` does beyond the tests: layers, format, leaks, sanitizers, clang.
# Every check runs even if one before it failed; the last lines say which did.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
jobs=$1
failed=build/checks-failed.txt
: >"$failed"

# what a check prints is shown when it has ended, so that two at a time do not mix
check() # NAME COMMAND...
{
    local name=$1 start=$SECONDS log
    shift
    log=$(mktemp)
    if "$@" >"$log" 2>&1; then
        echo "ok      $name ($((SECONDS - start)) s)" >>"$log"
    else
        echo "FAILED  $name ($((SECONDS - start)) s)" >>"$log"
        echo "failed: $name" >>"$failed"
    fi
    cat "$log"
    rm -f "$log"
}

format_check()
{
    find . -path './build*' -prune -o \( -name '*.c' -o -name '*.h' \) -print0 | xargs -0 clang-format --dry-run -Werror
}

# without one bad access or lost byte: memory itself, a run in which every request for memory is refused in turn, and
# a whole scheme with a dump. What HDF5 keeps until the end of the process is its own affair.
leak_check()
{
    cat >build/hdf5.supp <<'END'
{
   kept by HDF5 for each thread
   Memcheck:Leak
   match-leak-kinds: reachable
   ...
   obj:*/libhdf5*
}
END
    local test
    for test in unit.base.memory unit.sim.refused_memory conformance.spine; do
        valgrind --quiet --leak-check=full --show-leak-kinds=all --errors-for-leak-kinds=all --error-exitcode=1 \
            --suppressions=build/hdf5.supp "build/tests/$test" >build/valgrind.log 2>&1 || { cat build/valgrind.log; return 1; }
    done
}

# checks that keep one core busy each
small_checks()
{
    local tool
    for tool in tools/check_*.py; do
        check "$tool" /usr/bin/python3 -B "$tool"
        check "$tool --self-test" /usr/bin/python3 -B "$tool" --self-test
    done
    check "tables of the docs" /usr/bin/python3 -B tools/make_tables.py build/slipstick --check
    check "clang-format" format_check
    check "valgrind" leak_check
    check "fuzz, 20 s each" tools/fuzz.sh build/slipstick 20 1
}

builds()
{
    check "clang, warnings are errors" tools/build.sh clang "$jobs" all
    check "build with sanitizers" tools/build.sh asan "$jobs" all
}

# every line once is enough here: the long random sweeps have run without the sanitizers, and so have the tests that do
# nothing but run every scheme many times over to compare numbers, show pages in a browser, or follow the docs
sanitized_tests()
{
    SLIPSTICK_FULL=0 tools/run_tests.sh build-asan "$jobs" --label-exclude header --exclude-regex 'conformance\.(order|invariance)|cli\.(benchmarks|reproduce|viewer|docs)'
}

# the small checks keep one core busy, and the builds what is left
if [ "$jobs" -gt 1 ]; then
    small_checks &
    builds
    wait
else
    small_checks
    builds
fi
check "mutations" /usr/bin/python3 -B tools/mutate.py . -j "$jobs"
check "address and undefined-behaviour sanitizers" sanitized_tests

if [ -s "$failed" ]; then
    cat "$failed"
    exit 1
fi
echo "all checks passed"
