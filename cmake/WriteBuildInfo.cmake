# Run at every build: writes build_info.cpp anew only if version, commit, features or architectures
# changed.
find_package(Git QUIET)
set(DLBENCH_GIT_COMMIT "unknown")
if(GIT_FOUND)
  # Of a source archive unpacked inside another repository, that repository's commit says nothing.
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${SOURCE_DIR} ls-files --error-unmatch CMakeLists.txt
                  OUTPUT_QUIET ERROR_VARIABLE refusal ERROR_STRIP_TRAILING_WHITESPACE
                  RESULT_VARIABLE untracked)
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${SOURCE_DIR} rev-parse --short=12 HEAD
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE
                  ERROR_VARIABLE no_commit RESULT_VARIABLE failed)
  if(NOT untracked AND NOT failed)
    set(DLBENCH_GIT_COMMIT ${commit})
    execute_process(COMMAND ${GIT_EXECUTABLE} -C ${SOURCE_DIR} status --porcelain -uno
                    OUTPUT_VARIABLE changes ERROR_QUIET)
    # There CMake finds sources by pattern, and compiles new ones whether git knows them or not.
    execute_process(COMMAND ${GIT_EXECUTABLE} -C ${SOURCE_DIR} ls-files --others --exclude-standard --
                            launchers probes workloads
                    OUTPUT_VARIABLE additions ERROR_QUIET)
    if(changes OR additions)
      string(APPEND DLBENCH_GIT_COMMIT "+")
    endif()
  elseif(EXISTS ${SOURCE_DIR}/.git)
    message(STATUS "dlbench cannot tell its commit: ${refusal} ${no_commit}")
  endif()
endif()
if(DLBENCH_GIT_COMMIT STREQUAL "unknown" AND EXISTS ${SOURCE_DIR}/cmake/archived_commit.txt)
  file(STRINGS ${SOURCE_DIR}/cmake/archived_commit.txt archived LIMIT_COUNT 1)
  if(archived MATCHES "^[0-9a-f]+$")  # written there by git archive
    string(SUBSTRING ${archived} 0 12 DLBENCH_GIT_COMMIT)
  endif()
endif()
set(DLBENCH_FEATURE_MAP "")
if(EXISTS ${DLBENCH_FEATURE_MAP_FILE})
  file(READ ${DLBENCH_FEATURE_MAP_FILE} DLBENCH_FEATURE_MAP)
endif()
set(DLBENCH_CUDA_ARCHITECTURES "")
if(EXISTS ${DLBENCH_ARCHITECTURES_FILE})
  file(READ ${DLBENCH_ARCHITECTURES_FILE} DLBENCH_CUDA_ARCHITECTURES)
endif()
configure_file(${SOURCE_DIR}/engine/core/build_info.cpp.in ${OUTPUT} @ONLY)
