// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/text/measured_item.h"

#include "engine/core/split_list.h"
#include "reports/naming.h"
#include "reports/text/text_table.h"

#include <algorithm>
#include <array>
#include <set>

namespace dlbench::reports {
namespace {

/// Returns the items of an option with a list; empty: not given, or not an option of the command.
std::set<std::string> items_of(const RunRecord& record, const std::string& option) {
  const auto found = record.config.effective.find(option);
  if (found == record.config.effective.end() || found->second == Value()) {
    return {};
  }
  const std::vector<std::string> items = core::split_list(text_of(found->second));
  return {items.begin(), items.end()};
}

/// Whether `trials` names it: "synthetic" also names "synthetic/host".
bool names(const std::set<std::string>& trials, const std::string& trial) {
  return std::ranges::any_of(trials, [&](const std::string& named) {
    return trial == named || (trial.starts_with(named + "/") && trial != "synthetic/nocomm");
  });
}

bool shares_memory(const RunRecord& record) {
  return std::ranges::any_of(record.trials, [](const TrialRecord& trial) {
    return trial.kind == TrialKind::kSynthetic && !trial.variant.has_value();
  });
}

/// Whether the sizes requested by the options include the item's, as far as the measurements show.
bool has_size(const RunRecord& record, std::int64_t bytes) {
  return std::ranges::any_of(record.collectives, [bytes](const CollectiveRecord& collective) {
    return collective.bytes == bytes;
  });
}

/// Whether the option excludes the item, given that the baseline requested more with it.
bool leaves_out(const std::string& option,
                const std::set<std::string>& given,
                const MeasuredItem& item,
                const RunRecord& candidate) {
  if (option == "trials") {
    return !names(given, item.trial);
  }
  if (option == "ranks") {  // not given: by default no more than were launched
    return given.empty() ? item.ranks > launched_ranks(candidate.system)
                         : !given.contains(std::to_string(item.ranks));
  }
  if (option == "mode") {
    return !given.contains(item.series.substr(0, item.series.find(' ')));
  }
  if (option == "collectives") {
    return !given.contains(item.op);
  }
  if (option == "dtype") {
    return !given.contains(item.dtype);
  }
  return option == "sweep" || !has_size(candidate, item.bytes);
}

}  // namespace

bool asked_without(const MeasuredItem& item,
                   const RunRecord& baseline,
                   const RunRecord& candidate) {
  constexpr std::array<const char*, 4> kOfArms{"trials", "ranks", "mode", "sweep"};
  constexpr std::array<const char*, 6> kOfCollectives{
      "collectives", "ranks", "minbytes", "maxbytes", "stepfactor", "dtype"};
  const auto left_out_by = [&](const std::string& option) {
    const std::set<std::string> before = items_of(baseline, option);
    const std::set<std::string> after = items_of(candidate, option);
    const bool asked_less = before.empty() ? !after.empty() : !std::ranges::includes(after, before);
    return asked_less && leaves_out(option, after, item, candidate);
  };
  if (!item.op.empty()) {
    return std::ranges::any_of(kOfCollectives, left_out_by);
  }
  // `run` measures it on several ranks without being asked, earlier programs did not.
  if (const std::set<std::string> asked = items_of(candidate, "trials");
      item.trial == "synthetic/nocomm" && !asked.empty() && !asked.contains(item.trial)) {
    return true;
  }
  return std::ranges::any_of(kOfArms, left_out_by) ||
         (item.trial.starts_with("synthetic/") && item.trial != "synthetic/nocomm" &&
          shares_memory(candidate));
}

}  // namespace dlbench::reports
