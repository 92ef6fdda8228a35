// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "workloads/sweep.h"

#include "engine/core/check.h"
#include "engine/core/named_registry.h"

#include <set>
#include <utility>

namespace dlbench::workloads {
namespace {

core::NamedRegistry<SweepSpec>& sweep_registry() {
  static core::NamedRegistry<SweepSpec> sweeps("sweep");
  return sweeps;
}

}  // namespace

std::string_view name(BatchRule rule) { return rule == BatchRule::kWeak ? "weak" : "strong"; }

std::vector<SweepVariant> expand(const SweepSpec& spec) {
  std::vector<SweepVariant> variants = spec.variants;
  if (variants.empty()) {
    variants.emplace_back();
  }
  for (const OptionAxis& axis : spec.axes) {
    std::vector<SweepVariant> combined;
    for (const SweepVariant& variant : variants) {
      for (const std::string& value : axis.values) {
        SweepVariant next = variant;
        next.name += (next.name.empty() ? "" : " ") + axis.option + "=" + value;
        next.settings.push_back({axis.option, value});
        combined.push_back(std::move(next));
      }
    }
    variants = std::move(combined);
  }
  return variants;
}

std::vector<std::int64_t> rank_counts(const SweepSpec& spec, std::int64_t size) {
  DLBENCH_CHECK(size >= 1) << size << " ranks";
  std::set<std::int64_t> counts;
  for (const std::int64_t count : spec.ranks) {
    if (count <= size) {
      counts.insert(count);
    }
  }
  if (spec.ranks.empty()) {
    for (std::int64_t count = 1; count < size; count *= 2) {
      counts.insert(count);
    }
    counts.insert(size);
  }
  return {counts.begin(), counts.end()};
}

SweepRegistration::SweepRegistration(SweepSpec spec) {
  DLBENCH_CHECK(!spec.workload.empty() && !spec.trials.empty() && !spec.rules.empty())
      << "sweep '" << spec.name << "' lacks a workload, trials or a rule";
  std::set<std::string> names;
  for (const SweepVariant& variant : expand(spec)) {
    DLBENCH_CHECK(names.insert(variant.name).second)
        << "sweep '" << spec.name << "' has two variants '" << variant.name << "'";
  }
  DLBENCH_CHECK(names.size() == 1 || !names.contains(""))
      << "sweep '" << spec.name << "' has a variant without a name";
  const std::string name = spec.name;
  sweep_registry().add(name, std::move(spec));
}

std::vector<std::string> sweep_names() { return sweep_registry().names(); }

const SweepSpec& find_sweep(std::string_view name) { return sweep_registry().find(name); }

}  // namespace dlbench::workloads
