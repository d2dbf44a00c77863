# Fuzz targets (libFuzzer, so clang only): tests/fuzz/fuzz_<reader>.c. Everything of ours is built with the sanitizers and
# tells the fuzzer which branches it takes; tools/fuzz.sh makes the seeds and runs them.
target_compile_options(ss_flags INTERFACE -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all)
file(GLOB fuzz_sources CONFIGURE_DEPENDS tests/fuzz/fuzz_*.c)
foreach(source IN LISTS fuzz_sources)
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} ${source})
    target_link_libraries(${name} PRIVATE ss_flags libslipstick)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer,address,undefined)
endforeach()
