// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What a scaling sweep is: which workload is measured at which numbers of ranks, and which variants
// are compared. And the registry: a sweep is one file in workloads/scaling/ with one
// SweepRegistration at file scope, run by `dlbench scale --sweep NAME`. Nothing here measures.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::workloads {

/// How the batch grows with the number of ranks.
enum class BatchRule : std::uint8_t {
  kWeak,    ///< the batch per rank is fixed
  kStrong,  ///< the global batch is fixed: dealt unevenly where the ranks do not divide it
};

/// "weak", "strong".
[[nodiscard]] std::string_view name(BatchRule rule);

/// An option of `dlbench scale` by its long name, and its value as on the command line ("true" or
/// "false" for a flag).
struct OptionSetting {
  std::string option;
  std::string value;
};

/// One variant to compare: the options that it sets on top of what the user gave.
struct SweepVariant {
  std::string name;  ///< in tables and in the report: "no-overlap"
  std::vector<OptionSetting> settings;
};

/// An option and the values it takes in turn.
struct OptionAxis {
  std::string option;
  std::vector<std::string> values;
};

struct SweepSpec {
  std::string name;         ///< "ddp-options": as on the command line
  std::string description;  ///< one line for `dlbench list`
  std::string citation;     ///< who asked the question that the sweep answers
  std::string workload;     ///< default of --workload
  /// Default of --ranks; numbers above the job's size are left out. Empty: the powers of two up to
  /// the job's size, and the job's size.
  std::vector<std::int64_t> ranks;
  std::vector<BatchRule> rules = {BatchRule::kWeak};
  std::vector<std::string> trials;  ///< default of --trials, by the names of `dlbench list`
  /// Each is compared with the first. Empty: one variant that sets nothing.
  std::vector<SweepVariant> variants;
  /// Each variant is run with every combination of their values.
  std::vector<OptionAxis> axes;
};

/// Returns all combinations of variants and axes, the last axis varying fastest. Axis settings are
/// appended to the name as "option=value". Names are unique; the only combination may have none.
[[nodiscard]] std::vector<SweepVariant> expand(const SweepSpec& spec);

/// Returns the numbers of ranks for a job of `size` (>= 1, checked), ascending, each once.
[[nodiscard]] std::vector<std::int64_t> rank_counts(const SweepSpec& spec, std::int64_t size);

/// Adds a sweep at program start. A second one of the same name, one without a workload or trials,
/// or one whose variants share a name is a CheckFailure.
class SweepRegistration {
 public:
  explicit SweepRegistration(SweepSpec spec);
};

/// Returns the names of all sweeps, sorted.
[[nodiscard]] std::vector<std::string> sweep_names();

/// Returns the sweep of that name. Throws Error(kUsage) that suggests the nearest name.
[[nodiscard]] const SweepSpec& find_sweep(std::string_view name);

}  // namespace dlbench::workloads
