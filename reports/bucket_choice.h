// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Which of several gradient bucket caps is the best, if the steps can tell.
#pragma once

#include "reports/scaling_record.h"

#include <optional>
#include <span>
#include <vector>

namespace dlbench::reports {

/// Share of a step below which modelled steps say nothing of which cap is better: about the model's
/// own error on steps that are known (docs/scaling.md).
inline constexpr double kModelTells = 0.01;

/// The cap in MiB with the shortest step by the model. Nothing where no modelled step is longer by
/// more than the share `tells`.
[[nodiscard]] std::optional<double> best_modelled_cap(std::span<const BucketCapRecord> caps,
                                                      double tells = kModelTells);

/// The cap in MiB with the shortest measured step. Nothing where no other cap is slower beyond the
/// 95 % intervals of both: what is left is noise.
[[nodiscard]] std::optional<double> best_measured_cap(std::span<const BucketCapRecord> caps);

/// The other measured caps whose interval meets that of the measured step of `best_mib`: they may
/// be as good.
[[nodiscard]] std::vector<double> caps_as_good(std::span<const BucketCapRecord> caps,
                                               double best_mib);

}  // namespace dlbench::reports
