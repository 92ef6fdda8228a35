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

void LaunchCpus::add(const comm::RankPlace& place,
                     const std::vector<int>& mask,
                     std::optional<double> quota) {
  Machine& machine = machines_[place.machine];
  machine.all.add(mask, std::nullopt);
  machine.nodes[place.node].add(mask, quota);
}

template <typename Value>
Value LaunchCpus::sum(Value (NodeCpus::*value)() const) const {
  Value sum{};
  for (const auto& [number, machine] : machines_) {
    Value of_nodes{};
    for (const auto& [node, cpus] : machine.nodes) {
      of_nodes += (cpus.*value)();
    }
    sum += std::min(of_nodes, (machine.all.*value)());
  }
  return sum;
}

int LaunchCpus::cores() const { return sum(&NodeCpus::cores); }

double LaunchCpus::capacity() const { return sum(&NodeCpus::capacity); }

}  // namespace dlbench::harness
