# dlbench_module(<name> SOURCES ... [LINK ...]): one folder of the project as an OBJECT library
# dlbench_<name> (alias dlbench::<name>). All modules are linked into libdlbench.so; an OBJECT
# library linked directly keeps self-registering objects that a STATIC one would lose.
function(dlbench_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(dlbench_${name} OBJECT ${ARG_SOURCES})
  add_library(dlbench::${name} ALIAS dlbench_${name})
  target_include_directories(dlbench_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(dlbench_${name} PRIVATE dlbench_warnings dlbench_options ${ARG_LINK})
  set_property(GLOBAL APPEND PROPERTY DLBENCH_MODULES dlbench_${name})
  set_property(GLOBAL APPEND PROPERTY DLBENCH_MODULE_LINK ${ARG_LINK})
endfunction()

# dlbench_test(<name> SOURCES ... [LABELS ...] [LINK ...]): one GoogleTest program, one ctest entry
# per test. The default label is "unit".
function(dlbench_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LABELS;LINK" ${ARGN})
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE dlbench dlbench_warnings dlbench_options GTest::gmock_main
                                        ${ARG_LINK})
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT 300)
endfunction()
