cmake_minimum_required(VERSION 3.25)
# Run at every build: writes build_id.h anew only if a header of the engine or the compiler changed.
# Plug-ins and libdlbench.so must agree on it: types in those headers cross the border between them.
file(GLOB_RECURSE headers LIST_DIRECTORIES FALSE RELATIVE ${SOURCE_DIR}
     ${SOURCE_DIR}/engine/*.h ${SOURCE_DIR}/probes/*.h ${SOURCE_DIR}/workloads/*.h)
list(SORT headers)
set(text "${COMPILER} ${BUILD_TYPE} ${SANITIZE}")
foreach(header IN LISTS headers)
  file(SHA256 ${SOURCE_DIR}/${header} hash)
  string(APPEND text "\n${header} ${hash}")
endforeach()
string(SHA256 id "${text}")
string(SUBSTRING ${id} 0 16 id)
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#pragma once\n#define DLBENCH_BUILD_ID \"@id@\"\n" @ONLY)
