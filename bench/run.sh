#!/bin/bash
# run.sh quick|full|scale JOBS - build the benchmark against build/ and run it; tables on stdout, CSV in build/bench/results.
# scale: piles of 1e3 to 1e6 spheres only.
# FCLIB=folder adds the FCLIB files there, PARTS=lcp,wall,pile,equal,friction,convex,springs,mechanisms,flexible leaves the others out,
# ENGINES=slipstick,ODE,Bullet too. One thread each, BLAS included.
set -euo pipefail
cd "$(dirname "$0")/.."
size=$1 jobs=$2
tools/build.sh release "$jobs" slipstick
tools/build.sh release "$jobs" libslipstick_shared
mkdir -p build/bench/results
if ! cmake -S bench -B build/bench -DSLIPSTICK_BUILD="$PWD/build" >build/bench/configure.log 2>&1; then
    cat build/bench/configure.log >&2
    exit 1
fi
cmake --build build/bench --parallel "$jobs" -- --silent --no-print-directory
OPENBLAS_NUM_THREADS=1 build/bench/slipstick-bench build/slipstick build/bench/results "$size" "${FCLIB:-}" "${PARTS:-}" "${ENGINES:-}" |
    tee build/bench/results/tables.txt
echo "results: build/bench/results/*.csv"
