# Tests, found by their place:
#   tests/unit/<layer>/test_<topic>.c    ctest unit.<layer>.<topic>, label unit
#   tests/conformance/test_<topic>.c     ctest conformance.<topic>, label conformance; also .py
#   tests/cli/test_<topic>.py            ctest cli.<topic>, label cli
#   tests/python/test_<topic>.py         ctest python.<topic>, label python: the package of python/ with the shared library
#   examples/<name>.c                    builds with the public headers and exits with 0: ctest example.<name>, label example
#   include/slipstick/<name>.h           alone, as C17 and as C++17: ctest header.<name>.c, header.<name>.cpp
# They run in the source folder with SLIPSTICK set to the command line. What cannot be built or run
# here is listed in skipped.txt of the build folder, one line each.

set(skipped "")
set(test_environment "SLIPSTICK=${CMAKE_BINARY_DIR}/slipstick" "SLIPSTICK_BUILD=${CMAKE_BINARY_DIR}" "OPENBLAS_NUM_THREADS=1"
                     "PYTHONDONTWRITEBYTECODE=1" "UBSAN_OPTIONS=print_stacktrace=1")

set(test_timeout 1800) # seconds: ends what hangs; a machine that is busy with other things may take many times longer than an idle one
if(SLIPSTICK_SANITIZE)
    set(test_timeout 3600)
    list(APPEND test_environment "SLIPSTICK_SANITIZED=1")
endif()

# The longest tests start first, so that no core waits for one of them at the end: seconds of CPU time with SLIPSTICK_FULL=1,
# roughly (times.log of the build folder has them after a run).
set(long_tests cli.reproduce 180 cli.benchmarks 140 conformance.schemes 100 conformance.pairs 55 cli.granular 45 conformance.order 25
               conformance.invariance 20 conformance.symmetry 15 conformance.tolerance 25 cli.scene 15 cli.fclib 10 cli.generate 10 cli.random 10 cli.bad_input 7 cli.event_capturing 7 cli.control 7 cli.viewer 60 cli.docs 12 unit.schemes.joint_drives 12)

# ss_test(<name> <label> <command...>)
function(ss_test name label)
    add_test(NAME ${name} COMMAND ${CMAKE_SOURCE_DIR}/tools/run_one_test.sh ${name} ${ARGN} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES LABELS ${label} SKIP_RETURN_CODE 77 TIMEOUT ${test_timeout} ENVIRONMENT "${test_environment}")
    list(FIND long_tests ${name} place)
    if(place GREATER -1)
        math(EXPR place "${place} + 1")
        list(GET long_tests ${place} seconds)
        set_tests_properties(${name} PROPERTIES COST ${seconds})
    endif()
endfunction()

# ---- C tests -----------------------------------------------------------------------------------
file(GLOB_RECURSE c_tests CONFIGURE_DEPENDS tests/unit/test_*.c)
file(GLOB conformance_tests CONFIGURE_DEPENDS tests/conformance/test_*.c)
list(APPEND c_tests ${conformance_tests})
find_path(SS_cmocka_INCLUDE cmocka.h)
find_library(SS_cmocka_LIBRARY cmocka)
if(NOT SS_cmocka_INCLUDE OR NOT SS_cmocka_LIBRARY)
    list(LENGTH c_tests count)
    list(APPEND skipped "${count} files of C tests: libcmocka-dev is absent")
    set(c_tests "")
endif()
foreach(source IN LISTS c_tests)
    file(RELATIVE_PATH relative ${CMAKE_SOURCE_DIR}/tests ${source})
    string(REGEX REPLACE "test_([^/]*)\\.c$" "\\1" name "${relative}")
    string(REPLACE "/" "." name "${name}")
    string(REGEX REPLACE "\\..*" "" label "${name}")
    add_executable(${name} ${source})
    target_include_directories(${name} PRIVATE tests src)
    target_include_directories(${name} SYSTEM PRIVATE ${SS_cmocka_INCLUDE})
    target_link_libraries(${name} PRIVATE ss_flags libslipstick ss_thirdparty ${SS_cmocka_LIBRARY})
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    ss_test(${name} ${label} $<TARGET_FILE:${name}>)
endforeach()

# ---- tests of the command line -------------------------------------------------------------------
file(GLOB cli_tests CONFIGURE_DEPENDS tests/cli/test_*.py tests/conformance/test_*.py tests/python/test_*.py)
if(EXISTS /usr/bin/python3)
    foreach(source IN LISTS cli_tests)
        string(REGEX REPLACE ".*/([a-z]*)/test_([^/]*)\\.py$" "\\1" label ${source})
        string(REGEX REPLACE ".*/([a-z]*)/test_([^/]*)\\.py$" "\\1.\\2" name ${source})
        ss_test(${name} ${label} /usr/bin/python3 ${source})
    endforeach()
elseif(cli_tests)
    list(LENGTH cli_tests count)
    list(APPEND skipped "${count} tests of the command line: python3 is absent")
endif()

# ---- examples ------------------------------------------------------------------------------------
file(GLOB examples CONFIGURE_DEPENDS examples/*.c)
foreach(source IN LISTS examples)
    get_filename_component(name ${source} NAME_WE)
    add_executable(example.${name} ${source})
    target_link_libraries(example.${name} PRIVATE ss_flags libslipstick m)
    set_target_properties(example.${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/examples OUTPUT_NAME ${name})
    ss_test(example.${name} example $<TARGET_FILE:example.${name}>)
endforeach()

# ---- public headers ------------------------------------------------------------------------------
file(GLOB headers CONFIGURE_DEPENDS include/slipstick/*.h)
find_program(SS_CXX NAMES g++ c++ clang++)
set(strict -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I${CMAKE_SOURCE_DIR}/include)
foreach(header IN LISTS headers)
    get_filename_component(name ${header} NAME_WE)
    ss_test(header.${name}.c header ${CMAKE_C_COMPILER} -x c -std=c17 ${strict} ${header})
    if(SS_CXX)
        ss_test(header.${name}.cpp header ${SS_CXX} -x c++ -std=c++17 ${strict} ${header})
    endif()
endforeach()
if(NOT SS_CXX)
    list(APPEND skipped "public headers as C++17: g++ is absent")
endif()

list(JOIN skipped "\n" skipped_text)
file(WRITE ${CMAKE_BINARY_DIR}/skipped.txt "${skipped_text}")
