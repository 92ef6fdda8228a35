// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums per trial over many windows, for every counting probe.
#pragma once

#include "probes/probe.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::probes {

/// For each trial one sum per value of a spec. A value missing in any window has no sum.
class WindowSums {
 public:
  explicit WindowSums(std::size_t values) : values_(values) {}

  /// Adds the differences of one window; `differences` has one entry per value.
  void add(std::string_view trial, const std::vector<std::optional<double>>& differences) {
    Sum& sum =
        sums_
            .try_emplace(std::string(trial),
                         Sum{std::vector<double>(values_, 0.0), std::vector<bool>(values_, false)})
            .first->second;
    for (std::size_t index = 0; index < values_; ++index) {
      if (differences[index].has_value()) {
        sum.value[index] += *differences[index];
      } else {
        sum.incomplete[index] = true;
      }
    }
  }

  /// Returns one entry per value of `spec`, in order. `reason` explains values without a number.
  [[nodiscard]] ProbeValues collect(std::string_view trial,
                                    const ProbeSpec& spec,
                                    const std::string& reason) const {
    ProbeValues result;
    result.available = true;
    const auto found = sums_.find(std::string(trial));
    for (std::size_t index = 0; index < values_; ++index) {
      ProbeValue value{spec.values[index].name, std::nullopt, {}};
      if (found == sums_.end()) {
        value.reason = "no window of this trial";
      } else if (found->second.incomplete[index]) {
        value.reason = reason;
      } else {
        value.value = found->second.value[index];
      }
      result.values.push_back(std::move(value));
    }
    return result;
  }

 private:
  struct Sum {
    std::vector<double> value;
    std::vector<bool> incomplete;
  };

  std::size_t values_;
  std::map<std::string, Sum> sums_;
};

}  // namespace dlbench::probes
