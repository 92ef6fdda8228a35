// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/error.h"

#include <cerrno>
#include <system_error>

namespace dlbench::core {

int exit_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUsage:
    case ErrorCode::kUnavailable:
      return 2;
    case ErrorCode::kFile:
    case ErrorCode::kData:
    case ErrorCode::kShape:
    case ErrorCode::kMemory:
    case ErrorCode::kLibrary:
      return 1;
    case ErrorCode::kGate:
      return 3;
    case ErrorCode::kRun:
      return 5;
    case ErrorCode::kTimeout:
      return 124;
    case ErrorCode::kInterrupted:
      return 130;
  }
  return 1;
}

std::string errno_text(int errno_value) {
  return std::generic_category().message(errno_value) +
         (errno_value == EFBIG ? " (ulimit -f, or what the file system takes at most)" : "");
}

}  // namespace dlbench::core
