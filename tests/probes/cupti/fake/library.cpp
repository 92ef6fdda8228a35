// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Where `missing=1` says that a machine has no CUPTI, the plug-in opens none: its dlopen() is this
// one.
#include "tests/probes/cupti/fake/recorder.h"

#include <cstring>

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the linker's names.
extern "C" {

void* __real_dlopen(const char* file, int mode);

void* __wrap_dlopen(const char* file, int mode) {
  const bool hidden = file != nullptr && std::strstr(file, "libcupti.so") != nullptr &&
                      dlbench::fake::cupti_setting().missing;
  return __real_dlopen(hidden ? "/nowhere/libcupti.so.13" : file, mode);
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
