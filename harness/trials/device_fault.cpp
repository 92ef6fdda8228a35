// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/device_fault.h"

#include "engine/core/error.h"
#include "harness/faults/non_finite_loss.h"

#include <chrono>
#include <string_view>
#include <thread>

namespace dlbench::harness {
namespace {

/// Returns `error` with the text of `fault` appended ("; the GPU reported Xid 79"), as kRun where
/// the library only refused; unchanged if `fault` is empty or returns nothing, or the user
/// interrupted. Waits 0.1 s first: a call may fail before the driver's message arrives.
core::Error with_device_fault(const core::Error& error, const std::function<std::string()>& fault) {
  constexpr std::chrono::milliseconds kArrivesWithin{100};
  if (!fault || error.code() == core::ErrorCode::kInterrupted) {
    return error;
  }
  std::this_thread::sleep_for(kArrivesWithin);
  const std::string told = fault();
  if (told.empty()) {
    return error;
  }
  const bool refused = error.code() == core::ErrorCode::kLibrary;
  return {refused ? core::ErrorCode::kRun : error.code(), std::string(error.what()) + "; " + told};
}

}  // namespace

void naming_device_faults(const std::function<void()>& work,
                          const std::function<std::string()>& fault) {
  try {
    work();
  } catch (const NonFiniteLoss&) {
    throw;
  } catch (const core::Error& error) {
    const core::Error told = with_device_fault(error, fault);
    if (std::string_view(told.what()) == error.what()) {
      throw;  // it may be of a class of its own
    }
    throw core::Error(told);
  }
}

}  // namespace dlbench::harness
