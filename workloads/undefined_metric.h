// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Why a metric may have no value.
#pragma once

#include <string>
#include <string_view>

namespace dlbench::workloads {

/// What it means that the ratio of a metric of metric_names() is 0 / 0, as the end of a sentence.
[[nodiscard]] std::string undefined_metric_reason(std::string_view metric);

}  // namespace dlbench::workloads
