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

std::string verdict_text(Change change, const std::string& doubt) {
  return std::string(word(change)) + (doubt.empty() ? "" : " (" + doubt + ")");
}

std::string arms_text(const std::vector<ArmComparison>& arms) {
  if (arms.empty()) {
    return "";
  }
  TextTable table({"trial", "baseline", "candidate", "ratio", "95 % interval", "n", "verdict"},
                  {6});
  for (const ArmComparison& arm : arms) {
    std::string verdict = verdict_text(arm.change, arm.doubt);
    if (arm.needed_n.has_value()) {
      verdict += fmt::format(" (about {} repetitions each would decide)", *arm.needed_n);
    }
    table.add({arm.arm,
               number_text(arm.baseline),
               number_text(arm.candidate),
               fmt::format("{:.3f}", arm.ratio),
               arm.ci95.has_value()
                   ? fmt::format("{:.3f} to {:.3f}", (*arm.ci95)[0], (*arm.ci95)[1])
                   : "none",
               fmt::format("{}/{}", arm.baseline_n, arm.candidate_n),
               verdict});
  }
  return table.text() +
         "samples/s: geometric means of the repetitions (of `train`: its epochs), whose ratio is "
         "compared. Faster and slower are decided at 99 %, so an interval at 95 % may exclude 1 "
         "beside `unsure`. The intervals are of one start each: what differs from start to start, "
         "such as "
         "where memory lies (much of `io` from memory), takes several reports to see\n";
}

std::string collectives_text(const std::vector<CollectiveComparison>& collectives) {
  if (collectives.empty()) {
    return "";
  }
  TextTable table({"collective", "baseline", "candidate", "ratio", "verdict"}, {4});
  for (const CollectiveComparison& collective : collectives) {
    table.add({collective.collective,
               seconds_text(collective.baseline_s),
               seconds_text(collective.candidate_s),
               fmt::format("{:.3f}", collective.ratio),
               verdict_text(collective.change, collective.doubt)});
  }
  return table.text() +
         "medians of the calls; the ratio is that of the speeds. Slower or faster: beyond the "
         "95th percentile of the other's calls\n";
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
  std::string text = arms_text(comparison.arms) + collectives_text(comparison.collectives);
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
