// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Which CUPTI there is. Where `missing=1` says that a machine has none, the plug-in opens none: its
// dlopen() is this one.
#include "tests/probes/cupti/fake/recorder.h"

#include <cupti.h>

#include <cstdint>
#include <cstring>

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the linker's names.
extern "C" {

CUptiResult cuptiGetVersion(std::uint32_t* version) {
  const std::uint32_t asked = dlbench::fake::cupti_setting().version;
  if (dlbench::fake::cupti_setting().missing) {
    return CUPTI_ERROR_NOT_SUPPORTED;
  }
  *version = asked != 0 ? asked : CUPTI_API_VERSION;
  return CUPTI_SUCCESS;
}

void* __real_dlopen(const char* file, int mode);

void* __wrap_dlopen(const char* file, int mode) {
  const bool hidden = file != nullptr && std::strstr(file, "libcupti.so") != nullptr &&
                      dlbench::fake::cupti_setting().missing;
  return __real_dlopen(hidden ? "/nowhere/libcupti.so.13" : file, mode);
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
