// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/node_cpus.h"

#include "probes/node/system_info.h"

#include <algorithm>

namespace dlbench::harness {

void NodeCpus::add(const std::vector<int>& mask, std::optional<double> quota) {
  cpus_.insert(mask.begin(), mask.end());
  unlimited_ = unlimited_ || !quota.has_value();
  quota_ = std::max(quota_, quota);  // none is less than any
}

int NodeCpus::cores() const { return probes::usable_cpus(static_cast<int>(cpus_.size()), quota()); }

double NodeCpus::capacity() const {
  const double all = std::max(1.0, static_cast<double>(cpus_.size()));
  return std::min(all, quota().value_or(all));
}

std::optional<double> NodeCpus::quota() const { return unlimited_ ? std::nullopt : quota_; }

}  // namespace dlbench::harness
