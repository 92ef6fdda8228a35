// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/failure.h"

#include "engine/core/check.h"

#include <new>
#include <string>
#include <system_error>

namespace dlbench::harness {

using core::Error;
using core::ErrorCode;

Error as_error(const std::exception& failure) {
  if (const auto* error = dynamic_cast<const Error*>(&failure)) {
    return *error;
  }
  if (dynamic_cast<const core::CheckFailure*>(&failure) != nullptr) {
    return {ErrorCode::kLibrary,
            std::string("internal error, please report it: ") + failure.what()};
  }
  if (dynamic_cast<const std::bad_alloc*>(&failure) != nullptr) {
    return {ErrorCode::kMemory, "out of memory; a smaller --batch-size or --image-size needs less"};
  }
  const auto* system = dynamic_cast<const std::system_error*>(&failure);
  if (system != nullptr && system->code() == std::errc::resource_unavailable_try_again) {
    return {ErrorCode::kLibrary,
            "cannot start a thread; see ulimit -u and -v, and the control group's pids.max"};
  }
  return {ErrorCode::kLibrary, failure.what()};
}

}  // namespace dlbench::harness
