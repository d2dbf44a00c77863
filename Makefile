# The front door. Each target installs what it needs (Debian packages, see tools/install_packages.sh).
#
#   make build         build/slipstick
#   make run           build it and run a short showcase
#   make test          all tests; what is absent is skipped, one line each and a count
#   make test FULL=1   also sanitizers, clang, valgrind, format and layer checks; a skip is a failure
#   make install PREFIX=/usr/local   headers, libraries, program, pkg-config and CMake files (DESTDIR too); make uninstall
#   make viewer        build viewer/page.html, the page of `slipstick view`, anew (needs node, npm and their network)
#   make docs          the docs as a web site in build/site (needs python3)
#   make bench         slipstick beside ODE, Bullet and Siconos; BENCH=full for more, BENCH=scale for 1e3 to 1e6 bodies
#   make clean         remove the build folders
#
# JOBS=n sets the number of compilers and tests at a time.

JOBS ?= $(shell nproc 2>/dev/null || echo 2)
FULL ?= 0
export SLIPSTICK_FULL = $(FULL)

PREFIX ?= /usr/local
BENCH ?= quick

.PHONY: build run test test-quick test-full install uninstall viewer docs bench clean packages-run packages-test packages-full packages-bench packages-viewer
.DEFAULT_GOAL := build

build: packages-run
	@tools/build.sh release $(JOBS) slipstick

run: build
	@build/slipstick run scenes/wrecking_ball.json -o build/showcase.h5 -o build/showcase.csv
	@build/slipstick plot build/showcase.h5 --y kinetic,energy --title "wrecking ball" -o build/showcase.svg >/dev/null
	@build/slipstick view build/showcase.h5 >/dev/null
	@echo "results: build/showcase.h5 (HDF5) and build/showcase.csv"
	@echo "to look at in a browser: build/showcase.html (the motion) and build/showcase.svg (energies)"

ifeq ($(FULL),1)
test: test-full
else
test: test-quick
endif

test-quick: packages-test
	@tools/build.sh release $(JOBS) all
	@tools/run_tests.sh build $(JOBS)

test-full: packages-full packages-viewer test-quick
	@tools/full_checks.sh $(JOBS)

install: build
	@tools/build.sh release $(JOBS) libslipstick_shared
	@DESTDIR="$(DESTDIR)" cmake --install build --prefix "$(abspath $(PREFIX))" >build/install.log || { cat build/install.log; false; }
	@echo "installed below $(DESTDIR)$(abspath $(PREFIX))"

uninstall:
	@tools/uninstall.sh build/install_manifest.txt "$(DESTDIR)"

viewer:
	@cd viewer && npm ci --no-audit --no-fund --silent && npm run --silent build

docs:
	@/usr/bin/python3 -B tools/make_site.py build/site

bench: packages-bench build
	@bench/run.sh $(BENCH) $(JOBS)

packages-run packages-test packages-full packages-bench: packages-%:
	@tools/install_packages.sh $*

packages-viewer:
	@tools/install_viewer.sh

clean:
	@rm -rf build build-debug build-asan build-clang build-fuzz
