# dlbench_module(<name> [COLD] SOURCES ... [LINK ...]): one folder of the project as an OBJECT library
# dlbench_<name> (alias dlbench::<name>). All modules are linked into libdlbench.so; an OBJECT
# library linked directly keeps self-registering objects that a STATIC one would lose.
# No two files of a target may give one name to different things, in anonymous namespaces too: with
# CMAKE_UNITY_BUILD several of them are compiled at once. COLD: none of it runs inside what is timed, so
# a release takes -O1 and up to a third less time to compile.
function(dlbench_module name)
  cmake_parse_arguments(ARG "COLD" "" "SOURCES;LINK" ${ARGN})
  add_library(dlbench_${name} OBJECT ${ARG_SOURCES})
  add_library(dlbench::${name} ALIAS dlbench_${name})
  target_include_directories(dlbench_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(dlbench_${name} PRIVATE dlbench_warnings dlbench_options ${ARG_LINK})
  if(DLBENCH_PRECOMPILE)
    target_precompile_headers(dlbench_${name} REUSE_FROM dlbench_precompiled)
  endif()
  if(ARG_COLD)
    target_compile_options(dlbench_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  set_property(GLOBAL APPEND PROPERTY DLBENCH_MODULES dlbench_${name})
  set_property(GLOBAL APPEND PROPERTY DLBENCH_MODULE_LINK ${ARG_LINK})
endfunction()

# dlbench_plugin(<name> SOURCES ... [LINK ...]): libdlbench_<name>.so beside libdlbench.so, loaded at
# run time (engine/core/plugin.h). It links libdlbench.so, so that registries exist once.
function(dlbench_plugin name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(dlbench_${name} MODULE ${ARG_SOURCES})
  add_library(dlbench::${name} ALIAS dlbench_${name})
  target_include_directories(dlbench_${name} PRIVATE ${PROJECT_SOURCE_DIR}
                                                     ${PROJECT_BINARY_DIR}/generated)
  target_link_libraries(dlbench_${name} PRIVATE dlbench dlbench_warnings dlbench_options ${ARG_LINK})
  if(DLBENCH_PRECOMPILE)
    target_precompile_headers(dlbench_${name} REUSE_FROM dlbench_precompiled)
  endif()
  add_dependencies(dlbench_${name} dlbench_build_id)
  set_property(GLOBAL APPEND PROPERTY DLBENCH_PLUGINS dlbench_${name})
  install(TARGETS dlbench_${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

# dlbench_install_library(<name>): a library with all that it needs, so that the tree runs on another
# Linux as it is. What that Linux must have: glibc and GCC's runtime libraries, not older than those of
# the build, which copies would hide from the MPI and GPU libraries there. Plug-ins bring nothing: MPI
# and the GPU libraries are those of the machine.
function(dlbench_install_library name)
  if(NOT DLBENCH_INSTALL_DEPENDENCIES)
    install(TARGETS ${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
    return()
  endif()
  install(TARGETS ${name} RUNTIME_DEPENDENCY_SET dlbench_dependencies
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(RUNTIME_DEPENDENCY_SET dlbench_dependencies
          PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|pthread|resolv|stdc\\+\\+|gcc_s)\\.so"
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(CODE "set(notices \"${CMAKE_INSTALL_DOCDIR}/notices\")
include(\"${PROJECT_SOURCE_DIR}/cmake/InstallNotices.cmake\")")
endfunction()
