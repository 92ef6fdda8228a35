# Run at every build: writes build_info.cpp anew only if version, commit, features or architectures
# changed.
find_package(Git QUIET)
set(DLBENCH_GIT_COMMIT "unknown")
if(GIT_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${SOURCE_DIR} rev-parse --short=12 HEAD
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
                  RESULT_VARIABLE failed)
  if(NOT failed)
    set(DLBENCH_GIT_COMMIT ${commit})
    execute_process(COMMAND ${GIT_EXECUTABLE} -C ${SOURCE_DIR} status --porcelain -uno
                    OUTPUT_VARIABLE changes OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(changes)
      string(APPEND DLBENCH_GIT_COMMIT "+")
    endif()
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
