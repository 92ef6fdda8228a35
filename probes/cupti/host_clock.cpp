// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/cupti/host_clock.h"

#include "probes/cupti/cupti_status.h"

#include <cupti.h>

#include <chrono>

namespace dlbench::probes {
namespace {

std::uint64_t CUPTIAPI steady_ns() { return static_cast<std::uint64_t>(host_clock_ns()); }

}  // namespace

std::int64_t host_clock_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::string set_host_clock() {
  static bool done = false;  // probes begin and end on one thread
  if (done) {
    return "";
  }
  const CUptiResult status = cuptiActivityRegisterTimestampCallback(steady_ns);
  done = status == CUPTI_SUCCESS;
  return done ? "" : cupti_refusal("cuptiActivityRegisterTimestampCallback", status);
}

}  // namespace dlbench::probes
