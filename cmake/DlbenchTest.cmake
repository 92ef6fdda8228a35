# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
#
# Programs that ctest runs: tests, tests below an MPI launcher, fuzzers.

# For tests that run beside others: a thread that spins while it waits for its team takes the cores from
# all of them. Not for tests that measure.
set(DLBENCH_TEST_ENVIRONMENT OMP_WAIT_POLICY=passive)

# dlbench_test(<name> SOURCES ... [LABELS ...] [LINK ...]): one GoogleTest program, one ctest entry
# per test. The default label is "unit". DLBENCH_TEST_LABELS and DLBENCH_TEST_FOLDERS (folders below
# tests/) restrict which programs exist, so that a sanitizer build compiles only what it runs; a build
# with DLBENCH_SANITIZE prefixes the test names with the name of its build folder.
function(dlbench_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LABELS;LINK" ${ARGN})
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  dlbench_test_wanted(wanted "${ARG_LABELS}")
  if(NOT wanted)
    return()
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE dlbench dlbench_warnings dlbench_options
                                        dlbench_test_options GTest::gmock_main ${ARG_LINK})
  if(DLBENCH_PRECOMPILE)
    target_precompile_headers(${name} REUSE_FROM dlbench_test_precompiled)
  endif()
  set(environment ${DLBENCH_TEST_ENVIRONMENT})
  if(DLBENCH_SANITIZE MATCHES "thread")
    # libgomp is not instrumented: with more threads every parallel region reads as a race.
    set(environment OMP_NUM_THREADS=1)
  endif()
  dlbench_test_prefix(prefix)
  list(GET ARG_LABELS 0 first_label)
  # A parameter has a name of its own; its value may be printed as bytes, pointers among them.
  gtest_discover_tests(${name} TEST_PREFIX "${prefix}" DISCOVERY_TIMEOUT 60 NO_PRETTY_VALUES
                       PROPERTIES LABELS ${first_label} TIMEOUT 300 ENVIRONMENT ${environment})
  list(LENGTH ARG_LABELS labels)
  if(labels GREATER 1)
    # It hands the elements of a list on as words of their own, after which the second label is read as
    # a property's name: several labels need a file that ctest reads behind the one with the tests.
    set(label_file ${CMAKE_CURRENT_BINARY_DIR}/${name}_labels.cmake)
    file(CONFIGURE OUTPUT ${label_file} @ONLY CONTENT [[
if(@name@_TESTS)
  set_tests_properties(${@name@_TESTS} PROPERTIES LABELS "@ARG_LABELS@")
endif()
]])
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${label_file})
  endif()
endfunction()

# Whether a test with these labels in the current folder belongs to this build.
function(dlbench_test_wanted result labels)
  set(${result} TRUE PARENT_SCOPE)
  if(DLBENCH_TEST_LABELS)
    set(found FALSE)
    foreach(label IN LISTS labels)
      if(label IN_LIST DLBENCH_TEST_LABELS)
        set(found TRUE)
      endif()
    endforeach()
    if(NOT found)
      set(${result} FALSE PARENT_SCOPE)
      return()
    endif()
  endif()
  if(DLBENCH_TEST_FOLDERS)
    file(RELATIVE_PATH here ${PROJECT_SOURCE_DIR}/tests ${CMAKE_CURRENT_SOURCE_DIR})
    foreach(folder IN LISTS DLBENCH_TEST_FOLDERS)
      if("${here}/" MATCHES "^${folder}/")
        set_property(GLOBAL APPEND PROPERTY DLBENCH_TEST_FOLDERS_FOUND ${folder})
        return()
      endif()
    endforeach()
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()

# dlbench_mpi_test(<program> <family> <ranks> [NAME name] [ENVIRONMENT variable=value ...]): one ctest
# entry, label mpi, of a test program that every rank runs, see tests/engine/comm/mpi. The family is
# mpich or openmpi: launchers are called by names that belong to one library alone.
function(dlbench_mpi_test program family ranks)
  cmake_parse_arguments(ARG "" "NAME" "ENVIRONMENT" ${ARGN})
  if(NOT ARG_NAME)
    set(ARG_NAME ${program})
  endif()
  find_program(DLBENCH_MPIEXEC_mpich NAMES mpiexec.hydra mpiexec.mpich)
  find_program(DLBENCH_MPIEXEC_openmpi NAMES mpirun.openmpi mpiexec.openmpi)
  set(launch_mpich ${DLBENCH_MPIEXEC_mpich})
  set(launch_openmpi ${DLBENCH_MPIEXEC_openmpi} --allow-run-as-root --oversubscribe)
  dlbench_test_prefix(prefix)
  set(full ${prefix}${ARG_NAME}.${family}.${ranks})
  if(DLBENCH_MPIEXEC_${family})
    add_test(NAME ${full}
             COMMAND ${launch_${family}} -n ${ranks} $<TARGET_FILE:${program}> ${family})
  else()
    add_test(NAME ${full} COMMAND ${CMAKE_COMMAND} -E echo "skipped: no launcher of ${family}")
    set_tests_properties(${full} PROPERTIES SKIP_REGULAR_EXPRESSION "^skipped")
  endif()
  # More ranks than cores is what some of them test; still, they should not disturb each other.
  set_tests_properties(${full} PROPERTIES LABELS mpi TIMEOUT 300 PROCESSORS 2
                                          ENVIRONMENT "OMP_NUM_THREADS=1;${ARG_ENVIRONMENT}")
endfunction()

# "asan/" in build/asan, nothing in a build without sanitizers.
function(dlbench_test_prefix result)
  set(prefix "")
  if(DLBENCH_SANITIZE)
    get_filename_component(prefix ${PROJECT_BINARY_DIR} NAME)
    string(APPEND prefix "/")
  endif()
  set(${result} "${prefix}" PARENT_SCOPE)
endfunction()

# dlbench_fuzz(<name> SOURCES ... MODULES ... [LINK ...]): one libFuzzer program from
# LLVMFuzzerTestOneInput(data, size), linked with the named modules alone (core, reports, ...) so that a
# fuzzing build compiles little. LINK: what those modules link. ctest runs it for DLBENCH_FUZZ_SECONDS
# from the seed files in corpus/<name>/ beside the source, with a fixed random seed; what it finds stays
# in the build folder.
function(dlbench_fuzz name)
  cmake_parse_arguments(ARG "" "" "SOURCES;MODULES;LINK" ${ARGN})
  list(TRANSFORM ARG_MODULES PREPEND dlbench_)
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_MODULES} dlbench_warnings dlbench_options ${ARG_LINK})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  set_property(GLOBAL APPEND PROPERTY DLBENCH_FUZZERS ${name})
  set(found ${CMAKE_CURRENT_BINARY_DIR}/${name}_found)
  file(MAKE_DIRECTORY ${found})
  set(corpus)
  if(IS_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/corpus/${name})
    set(corpus ${CMAKE_CURRENT_SOURCE_DIR}/corpus/${name})
  endif()
  dlbench_test_prefix(prefix)
  add_test(NAME ${prefix}${name}
           COMMAND ${name} -max_total_time=${DLBENCH_FUZZ_SECONDS} -seed=1 -timeout=10
                   -rss_limit_mb=2048 -artifact_prefix=${found}/ -print_final_stats=1 ${found}
                   ${corpus})
  set_tests_properties(${prefix}${name} PROPERTIES LABELS fuzz TIMEOUT 300)
endfunction()
