// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// In place of the session that counts on a GPU: a test says what was counted.
#pragma once

#include "probes/cupti/metric_set.h"

#include <vector>

namespace dlbench::probes {

struct FakeRangeCounters {
  std::vector<Metric> metrics;
  std::vector<double> values;

  static FakeRangeCounters& instance();
};

}  // namespace dlbench::probes
