// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A counting session on the GPU that the calling thread computes on: one range, one pass.
#pragma once

#include "probes/cupti/metric_set.h"

#include <memory>
#include <string>
#include <vector>

namespace dlbench::probes {

/// Counts from begin() to end(). Both serialise the GPU's work, so nothing timed may run meanwhile.
/// Needs the driver's permission to read counters.
class RangeCounters {
 public:
  RangeCounters();
  RangeCounters(const RangeCounters&) = delete;
  RangeCounters& operator=(const RangeCounters&) = delete;
  ~RangeCounters();

  /// Throws core::Error(kUnavailable) with one sentence if counters cannot be read here.
  void begin();
  /// Returns the values in the order of metrics(). Throws core::Error(kLibrary).
  [[nodiscard]] std::vector<double> end();
  /// After begin(): returns the metrics counted, without those that this chip lacks.
  [[nodiscard]] const std::vector<Metric>& metrics() const;

 private:
  struct Session;
  std::unique_ptr<Session> session_;
};

}  // namespace dlbench::probes
