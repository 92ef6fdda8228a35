// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/probes/cupti/fake_range_counters.h"

#include "probes/cupti/range_counters.h"

#include <vector>

namespace dlbench::probes {

FakeRangeCounters& FakeRangeCounters::instance() {
  static FakeRangeCounters counters;
  return counters;
}

struct RangeCounters::Session {};
RangeCounters::RangeCounters() = default;
RangeCounters::~RangeCounters() = default;
void RangeCounters::begin() {}
std::vector<double> RangeCounters::end() { return FakeRangeCounters::instance().values; }
const std::vector<Metric>& RangeCounters::metrics() const {
  return FakeRangeCounters::instance().metrics;
}

}  // namespace dlbench::probes
