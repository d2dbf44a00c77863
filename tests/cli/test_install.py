#!/usr/bin/env python3
"""make install: a program of some lines is compiled and run against the installed tree, found by pkg-config and by CMake,
with the shared and with the static library; the tree may be moved; DESTDIR; uninstall."""
import json
import os
import pathlib
import re
import shutil
import subprocess

from common import CACHE, PATIENCE, ROOT, SANITIZED, TEMP, check, finish

BUILD = pathlib.Path(os.environ.get("SLIPSTICK_BUILD", ROOT / "build"))
COMPILER = re.search(r"^CMAKE_C_COMPILER:\w+=(.*)$", CACHE.read_text(), re.M).group(1)
FLAGS = ["-fsanitize=address,undefined"] if SANITIZED else []
SOURCE = ROOT / "tests" / "install"
PREFIX = TEMP / "a prefix"


def call(*words, **options):
    options.setdefault("env", dict(os.environ, OPENBLAS_NUM_THREADS="1", ASAN_OPTIONS="detect_leaks=0"))
    result = subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=PATIENCE, **options)
    check("%s: %s" % (" ".join(str(w) for w in words)[:200], (result.stdout + result.stderr)[-600:]), result.returncode == 0)
    return result.stdout


def environment(**extra):
    return dict(os.environ, **extra)


def install():
    call("cmake", "--install", BUILD, "--prefix", PREFIX)
    for name in ("bin/slipstick", "include/slipstick/slipstick.h", "lib/libslipstick.a", "lib/libslipstick.so",
                 "lib/pkgconfig/slipstick.pc", "lib/cmake/slipstick/slipstick-config.cmake", "share/doc/slipstick/scene.md",
                 "share/slipstick/scenes/arch.json", "share/man/man1/slipstick.1", "share/man/man1/slipstick-run.1",
                 "share/bash-completion/completions/slipstick"):
        check("%s is installed" % name, (PREFIX / name).exists())
    ours = {p.name for p in (ROOT / "include" / "slipstick").glob("*.h")}
    check("all public headers and no others", ours == {p.name for p in (PREFIX / "include" / "slipstick").iterdir()})
    check("the installed program runs", call(PREFIX / "bin" / "slipstick", "--version").startswith("slipstick "))


def scenes_and_papers_are_found_from_any_folder():
    program = PREFIX / "bin" / "slipstick"
    call(program, "check", "scenes/arch.json", cwd=TEMP)
    call(program, "reproduce", "ap97/rod-impact", cwd=TEMP)
    listed = json.loads(call(program, "list", "scenes", "--json", cwd=TEMP))
    check("all are listed", {s["name"] for s in listed} >= {"scenes/arch.json", "papers/ap97/ramp.json"})


def only_the_interface_is_exported():
    symbols = call("nm", "-D", "--defined-only", PREFIX / "lib" / "libslipstick.so").split("\n")
    names = {line.split()[-1] for line in symbols if line and line.split()[-2] in "TDBRV"}
    text = "".join(p.read_text() for p in (PREFIX / "include" / "slipstick").glob("*.h"))
    promised = set(re.findall(r"^SS_API[^;(]*?(\w+)\(", text, re.M))
    check("every function of the headers is exported, not: %s" % sorted(promised - names), promised <= names)
    own = ("_init", "_fini", "__asan", "__odr_asan", "_edata", "_end", "__bss")  # the linker's
    extra = {n for n in names - promised if not n.startswith(own)}
    check("nothing else is: %s" % sorted(extra)[:5], SANITIZED or not extra)
    paths = call("readelf", "-d", PREFIX / "lib" / "libslipstick.so", PREFIX / "bin" / "slipstick")
    check("no library path of the build is left in", "RPATH" not in paths and "RUNPATH" not in paths)
    check("the library has its name and version", re.search(r"SONAME.*libslipstick\.so\.\d+\.\d+\]", paths))


def pkg_config(prefix, package):
    # spaces in the path come escaped, as for a shell
    found = environment(PKG_CONFIG_PATH=str(prefix / "lib" / "pkgconfig"))
    words = call("pkg-config", "--cflags", "--libs", package, env=found).strip()
    program = TEMP / package
    command = "'%s' -std=c17 %s '%s' -o '%s' %s -lm" % (COMPILER, " ".join(FLAGS), SOURCE / "falling_ball.c", program, words)
    call("sh", "-c", command)
    return program


def found_by_pkg_config(prefix):
    shared, static = pkg_config(prefix, "slipstick"), pkg_config(prefix, "slipstick-static")
    library = str(prefix / "lib")
    loaded = call("ldd", shared, env=environment(LD_LIBRARY_PATH=library))
    check("the shared library is the installed one: %s" % loaded, library + "/libslipstick.so" in loaded and "not found" not in loaded)
    out = call(shared, env=environment(LD_LIBRARY_PATH=library, ASAN_OPTIONS="detect_leaks=0"))
    check("the ball lies: %s" % out, "lies at 0.1" in out)
    check("the static program needs no libslipstick", "libslipstick" not in call("ldd", static))
    check("and gives the same", call(static) == out)


def found_by_cmake(prefix):
    folder = TEMP / "outside"
    shutil.rmtree(folder, ignore_errors=True)
    call("cmake", "-S", SOURCE, "-B", folder, "-DCMAKE_PREFIX_PATH=%s" % prefix, "-DCMAKE_C_COMPILER=%s" % COMPILER,
         "-DCMAKE_C_FLAGS=%s" % " ".join(FLAGS))
    call("cmake", "--build", folder)
    check("both programs give the same", call(folder / "ball_shared") == call(folder / "ball_static"))


def the_tree_can_be_moved():
    moved = TEMP / "moved"
    PREFIX.rename(moved)
    found_by_pkg_config(moved)
    found_by_cmake(moved)
    moved.rename(PREFIX)


def destdir_and_uninstall():
    stage = TEMP / "stage"
    call("cmake", "--install", BUILD, "--prefix", "/opt/slip", env=environment(DESTDIR=str(stage)))
    check("DESTDIR is put before the prefix", (stage / "opt" / "slip" / "bin" / "slipstick").exists())
    call("sh", ROOT / "tools" / "uninstall.sh", BUILD / "install_manifest.txt", stage)
    left = [p for p in stage.rglob("*") if not p.is_dir()]
    check("uninstall leaves no file: %s" % left[:3], not left)
    check("nor a folder of ours", not list(stage.rglob("slipstick")))


if not (BUILD / "libslipstick.so").exists():
    print("the shared library was not built: make test builds it")
    raise SystemExit(77)
install()
scenes_and_papers_are_found_from_any_folder()
only_the_interface_is_exported()
found_by_pkg_config(PREFIX)
found_by_cmake(PREFIX)
the_tree_can_be_moved()
destdir_and_uninstall()
finish()
