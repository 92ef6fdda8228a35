// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/text/compare.h"
#include "reports/text/text_table.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

namespace dlbench::reports {
namespace {

std::string verdict_text(const RateComparison& compared, CompareUnit unit) {
  std::string text(word(compared.change));
  if (!compared.doubt.empty()) {
    text += " (" + compared.doubt + ")";
  }
  if (compared.needed_n.has_value()) {
    text += fmt::format(" (about {} {} each would decide)",
                        *compared.needed_n,
                        unit == CompareUnit::kStart ? "starts" : "repetitions");
  }
  return text;
}

/// "0.951 to 1.020"; an end of which nothing is known to speak of has no digits.
std::string interval_text(const RateComparison& compared) {
  constexpr double kFar = 1000.0;
  if (!compared.ci95.has_value()) {
    return "none";
  }
  const auto [lower, upper] = *compared.ci95;
  return (lower < 1.0 / kFar ? std::string("0") : fmt::format("{:.3f}", lower)) + " to " +
         (upper > kFar ? std::string("any") : fmt::format("{:.3f}", upper));
}

std::string counts_text(const RateComparison& compared) {
  return fmt::format("{}/{}", compared.baseline_n, compared.candidate_n);
}

constexpr const char* kLevels =
    "Faster and slower are decided at 99 %, so an interval at 95 % may exclude 1 beside `unsure`. ";

std::string arms_text(const std::vector<ArmComparison>& arms, CompareUnit unit) {
  if (arms.empty()) {
    return "";
  }
  TextTable table({"trial", "baseline", "candidate", "ratio", "95 % interval", "n", "verdict"},
                  {6});
  for (const ArmComparison& arm : arms) {
    table.add({arm.arm,
               number_text(arm.baseline),
               number_text(arm.candidate),
               fmt::format("{:.3f}", arm.ratio),
               interval_text(arm),
               counts_text(arm),
               verdict_text(arm, unit)});
  }
  if (unit == CompareUnit::kStart) {
    return table.text() +
           "samples/s: geometric means over the starts of those of their repetitions (of `train`: "
           "epochs), whose ratio is compared. " +
           kLevels + "n counts starts: what differs from start to start is in the intervals\n";
  }
  return table.text() +
         "samples/s: geometric means of the repetitions (of `train`: its epochs), whose ratio is "
         "compared. " +
         kLevels +
         "The intervals are of one start each: what differs from start to start, such as where "
         "memory lies (much of `io` from memory), takes several reports to see (--before, "
         "--after)\n";
}

std::string collectives_text(const std::vector<CollectiveComparison>& collectives,
                             CompareUnit unit) {
  if (collectives.empty()) {
    return "";
  }
  const bool starts = unit == CompareUnit::kStart;
  std::vector<std::string> heads = {"collective", "baseline", "candidate", "ratio"};
  if (starts) {
    heads.insert(heads.end(), {"95 % interval", "n"});
  }
  heads.emplace_back("verdict");
  TextTable table(heads, {heads.size() - 1});
  for (const CollectiveComparison& collective : collectives) {
    std::vector<std::string> cells = {collective.collective,
                                      seconds_text(collective.baseline_s),
                                      seconds_text(collective.candidate_s),
                                      fmt::format("{:.3f}", collective.ratio)};
    if (starts) {
      cells.insert(cells.end(), {interval_text(collective), counts_text(collective)});
    }
    cells.push_back(verdict_text(collective, unit));
    table.add(cells);
  }
  return table.text() + (starts
                             ? "geometric means over the starts of the medians of the calls; the "
                               "ratio is that of the speeds\n"
                             : "medians of the calls; the ratio is that of the speeds. Slower or "
                               "faster: beyond the 95th percentile of the other's calls\n");
}

}  // namespace

std::string_view word(Change change) {
  switch (change) {
    case Change::kSame:
      return "same";
    case Change::kFaster:
      return "faster";
    case Change::kSlower:
      return "slower";
    case Change::kUnsure:
      return "unsure";
  }
  return "unsure";
}

std::string comparison_text(const Comparison& comparison) {
  std::string text = arms_text(comparison.arms, comparison.unit) +
                     collectives_text(comparison.collectives, comparison.unit);
  for (const std::string& line : comparison.only_in_one) {
    text += line + '\n';
  }
  for (const std::string& name : comparison.missing) {
    text += name + ": missing, for the candidate was to measure it too\n";
  }
  for (const std::string& line : comparison.wrong) {
    text += "the candidate computed wrong results: " + line + '\n';
  }
  if (!comparison.incomplete.empty()) {
    text += "the candidate is not complete: " + comparison.incomplete + '\n';
  }
  if (!comparison.differences.empty()) {
    TextTable differences({"differs", "baseline", "candidate"}, {1, 2});
    for (const Difference& difference : comparison.differences) {
      differences.add({difference.what, difference.baseline, difference.candidate});
    }
    text += '\n' + differences.text();
  }
  return text;
}

}  // namespace dlbench::reports
