// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/cupti/host_clock.h"

#include "engine/core/clock.h"
#include "probes/cupti/cupti_status.h"

#include <cupti.h>

#include <cstdint>

namespace dlbench::probes {
namespace {

std::uint64_t CUPTIAPI timestamp() { return static_cast<std::uint64_t>(core::steady_ns()); }

}  // namespace

std::string set_host_clock() {
  static bool done = false;  // probes begin and end on one thread
  if (done) {
    return "";
  }
  const CUptiResult status = cuptiActivityRegisterTimestampCallback(timestamp);
  done = status == CUPTI_SUCCESS;
  return done ? "" : cupti_refusal("cuptiActivityRegisterTimestampCallback", status);
}

}  // namespace dlbench::probes
