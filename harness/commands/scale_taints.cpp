// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/scale_taints.h"

#include "reports/merged_taints.h"
#include "reports/naming.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

namespace dlbench::harness {
namespace {

using reports::Taint;
using reports::TaintRecord;

void add_new(const std::vector<TaintRecord>& found, std::vector<TaintRecord>& taints) {
  for (const TaintRecord& taint : found) {
    const bool known = std::ranges::any_of(taints, [&taint](const TaintRecord& other) {
      return other.code == taint.code && other.where == taint.where;
    });
    if (!known) {
      taints.push_back(taint);
    }
  }
}

void add_trial(const TrialResult& result,
               const std::string& series,
               int ranks,
               std::vector<TaintRecord>& into) {
  for (TaintRecord& taint : reports::merged_taints(result.all_taints())) {
    taint.where = fmt::format(
        "trial {} ({}, {})", result.id.to_string(), series, reports::count_text(ranks, "rank"));
    into.push_back(std::move(taint));
  }
}

}  // namespace

std::vector<TaintRecord> planned_taints(const ScaleRun& scale, const PlannedParts& parts) {
  std::vector<TaintRecord> taints;
  for (auto member = scale.members().rbegin(); member != scale.members().rend(); ++member) {
    if (*member != nullptr) {
      add_new(planned_taints((*member)->plan(), parts), taints);
    }
  }
  return taints;
}

std::vector<TaintRecord> measured_taints(const ScaleRun& scale) {
  std::vector<TaintRecord> taints;
  if (!scale.unknown_cache().empty()) {
    taints.push_back({Taint::kCacheStateUnknown, "data set", scale.unknown_cache()});
  }
  for (std::size_t index = 0; index < scale.sizes().size(); ++index) {
    const ScaleSize& size = scale.sizes()[index];
    ScaleMember& member = *scale.members()[index];
    if (member.plan_taint().has_value()) {
      add_new({*member.plan_taint()}, taints);
    }
    const std::string series = series_name(scale.series()[size.series]);
    for (const TrialResult& result : member.runner().results()) {
      add_trial(result, series, size.ranks, taints);
    }
    if (const std::string& by = scale.facts()[index].disturbed_by; !by.empty()) {
      taints.push_back(
          {Taint::kDisturbed,
           fmt::format("all-reduces ({}, {})", series, reports::count_text(size.ranks, "rank")),
           by});
    }
  }
  return taints;
}

}  // namespace dlbench::harness
