// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// One of a probe's values by its name.
#pragma once

#include "probes/probe.h"

#include <optional>
#include <string>
#include <vector>

namespace dlbench::probes {

inline std::optional<double> number(const std::vector<ProbeValue>& values,
                                    const std::string& name) {
  for (const ProbeValue& value : values) {
    if (value.name == name) {
      return value.value;
    }
  }
  return std::nullopt;
}

}  // namespace dlbench::probes
