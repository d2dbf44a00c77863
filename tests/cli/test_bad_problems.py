#!/usr/bin/env python3
"""Contact problems that `slipstick solve` must not take: foreign files, wrong sizes, numbers that are none, anywhere."""
import math
import sys

from common import ROOT, TEMP, check, finish, refused, run

try:
    import h5py
except ImportError:
    print("SKIP: python3-h5py is absent")
    sys.exit(77)

WHOLE = TEMP / "whole.hdf5"


def changed(change):
    path = TEMP / "changed.hdf5"
    path.write_bytes(WHOLE.read_bytes())
    with h5py.File(path, "r+") as file:
        change(file)
    return path


def files_of_other_kinds_are_refused():
    result = TEMP / "result.h5"
    run("run", ROOT / "scenes" / "mass_ratio.json", "--until", "0.05", "--quiet", "-o", result, "--dump-step", 2, WHOLE)
    check("the problem itself is solved", run("solve", WHOLE).returncode == 0)
    refused("a result of ours", run("solve", result), result, "fclib")
    empty = TEMP / "nothing.hdf5"
    h5py.File(empty, "w").close()
    refused("an HDF5 file with nothing in it", run("solve", empty), empty, "fclib")


def rolling_friction_has_five_rows():
    for name in ("fclib_global_rolling", "fclib_local_rolling"):
        path = changed(lambda file: file.move("fclib_global", name))
        refused(name, run("solve", path), path, name, "spacedim: is 3, expected 5")


def numbers_that_are_none_are_found_everywhere():
    with h5py.File(WHOLE) as file:
        names = ["fclib_global/" + n for n in ("M/x", "H/x", "vectors/f", "vectors/w", "vectors/mu")]
        sizes = {name: len(file[name]) for name in names}
    for name, size in sizes.items():
        for number in (math.nan, math.inf, -math.inf):
            for place in sorted({0, size // 2, size - 1}):
                def change(file):
                    file[name][place] = number
                refused("%s[%d] = %g" % (name, place, number), run("solve", changed(change)), name, "number %d is" % place)


def negative_friction_is_found_at_every_contact():
    with h5py.File(WHOLE) as file:
        size = len(file["fclib_global/vectors/mu"])
    for place in range(size):
        def change(file):
            file["fclib_global/vectors/mu"][place] = -0.1
        refused("mu[%d] < 0" % place, run("solve", changed(change)), "fclib_global/vectors/mu", "number %d is -0.1" % place)


files_of_other_kinds_are_refused()
rolling_friction_has_five_rows()
numbers_that_are_none_are_found_everywhere()
negative_friction_is_found_at_every_contact()
finish()
