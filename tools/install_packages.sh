#!/bin/bash
# install_packages.sh run|test|full|bench - install the Debian 12 packages of a tier that are missing.
# Prints nothing if all are there. Without root (or sudo without a password) it prints one line to copy.
set -euo pipefail

run_tier="gcc make cmake pkg-config libc6-dev libopenblas-dev liblapacke-dev libsuitesparse-dev libmumps-seq-dev libjansson-dev libhdf5-dev libqhull-dev"
test_tier="libcmocka-dev libmujoco-dev python3 python3-venv python3-numpy python3-h5py python3-cvxopt"
full_tier="g++ clang clang-format libclang-rt-14-dev valgrind python3-vtk9"
bench_tier="g++ libode-dev libbullet-dev libsiconos-numerics-dev"

case "${1:-}" in
run) wanted=$run_tier ;;
test) wanted="$run_tier $test_tier" ;;
full) wanted="$run_tier $test_tier $full_tier" ;;
bench) wanted="$run_tier $bench_tier" ;;
*)
    echo "usage: install_packages.sh run|test|full|bench" >&2
    exit 2
    ;;
esac

if ! command -v dpkg-query >/dev/null; then
    echo "not a Debian system: make sure that the equivalents of these are installed: $wanted" >&2
    exit 0
fi

# shellcheck disable=SC2086  # a list of words
installed=" $(dpkg-query --show --showformat '${db:Status-Status}=${Package} ' $wanted 2>/dev/null || true)"
missing=""
for package in $wanted; do
    [[ $installed == *" installed=$package "* ]] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=""
if [ "$(id -u)" -ne 0 ]; then
    as_root="sudo -n"
    if ! command -v sudo >/dev/null || ! sudo -n true 2>/dev/null; then
        echo "packages are missing; install them with:  sudo apt-get install -y --no-install-recommends$missing" >&2
        exit 1
    fi
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
install()
{
    # shellcheck disable=SC2086
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >"$log" 2>&1
}

echo "installing$missing"
# The package lists are fetched only if the first attempt fails: absent or out of date.
if ! install; then
    $as_root apt-get update -qq >/dev/null 2>&1 || true
    if ! install; then
        tail -n 20 "$log" >&2
        echo "could not install; try:  ${as_root:+sudo }apt-get update && ${as_root:+sudo }apt-get install -y --no-install-recommends$missing" >&2
        exit 1
    fi
fi
