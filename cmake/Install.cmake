# What `make install` puts where, below a prefix that is free until then (everything in it can be moved as a whole):
#   bin/slipstick
#   include/slipstick/*.h
#   lib/libslipstick.a, lib/libslipstick.so
#   lib/pkgconfig/slipstick.pc, slipstick-static.pc
#   lib/cmake/slipstick/               find_package(slipstick): slipstick::slipstick (shared), slipstick::static
#   share/doc/slipstick/
#   share/slipstick/scenes, papers     found by the program from any folder (cli/data.c)
#   share/man/man1/slipstick*.1, share/bash-completion/completions/slipstick    made by the program itself: slipstick help --write
# The shared library is made of the objects of the static one and exports what is marked SS_API.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

add_library(libslipstick_shared SHARED $<TARGET_OBJECTS:libslipstick>)
set_target_properties(libslipstick_shared PROPERTIES OUTPUT_NAME slipstick LINKER_LANGUAGE C VERSION ${PROJECT_VERSION}
                                                     SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
target_link_libraries(libslipstick_shared PRIVATE ss_flags ss_thirdparty)
target_link_options(libslipstick_shared PRIVATE -Wl,--as-needed)
if(NOT SLIPSTICK_SANITIZE)
    target_link_options(libslipstick_shared PRIVATE -Wl,--no-undefined)
endif()

# ss_link_items(<target> <variable>): files and libraries that an interface target stands for
function(ss_link_items target variable)
    set(items "")
    get_target_property(libraries ${target} INTERFACE_LINK_LIBRARIES)
    foreach(library IN LISTS libraries)
        if(TARGET ${library})
            ss_link_items(${library} inner)
            list(APPEND items ${inner})
        elseif(library)
            list(APPEND items ${library})
        endif()
    endforeach()
    list(REMOVE_DUPLICATES items)
    set(${variable} "${items}" PARENT_SCOPE)
endfunction()

# what a program that links the static library must link besides
ss_link_items(ss_thirdparty SS_PRIVATE_LIBRARIES)
list(TRANSFORM SS_PRIVATE_LIBRARIES REPLACE "^([^/-].*)$" "-l\\1" OUTPUT_VARIABLE private_flags)
list(JOIN private_flags " " SS_PRIVATE_FLAGS)

# ---- pkg-config and CMake, relative to where they lie ----------------------------------------------
file(RELATIVE_PATH SS_PC_TO_PREFIX "/p/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/p")
file(RELATIVE_PATH SS_CONFIG_TO_PREFIX "/p/${CMAKE_INSTALL_LIBDIR}/cmake/slipstick" "/p")
string(REGEX REPLACE "/$" "" SS_PC_TO_PREFIX ${SS_PC_TO_PREFIX})
set(install_files ${CMAKE_BINARY_DIR}/install-files)
foreach(name slipstick.pc slipstick-static.pc slipstick-config.cmake)
    configure_file(${CMAKE_SOURCE_DIR}/cmake/${name}.in ${install_files}/${name} @ONLY)
endforeach()
write_basic_package_version_file(${install_files}/slipstick-config-version.cmake COMPATIBILITY SameMinorVersion)

# ---- places ------------------------------------------------------------------------------------------
install(TARGETS slipstick libslipstick libslipstick_shared)
install(DIRECTORY include/slipstick DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES ${install_files}/slipstick.pc ${install_files}/slipstick-static.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${install_files}/slipstick-config.cmake ${install_files}/slipstick-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/slipstick)
install(DIRECTORY scenes papers DESTINATION ${CMAKE_INSTALL_DATADIR}/slipstick FILES_MATCHING PATTERN "*.json" PATTERN "*.csv")
add_custom_command(TARGET slipstick POST_BUILD COMMAND slipstick help --write ${CMAKE_BINARY_DIR}/manual VERBATIM)
install(DIRECTORY ${CMAKE_BINARY_DIR}/manual/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
install(FILES ${CMAKE_BINARY_DIR}/manual/completions/slipstick DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
