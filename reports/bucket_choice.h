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

/// The cap in MiB with the shortest step by the model. Nothing where all modelled steps are equal:
/// such caps give the same buckets.
[[nodiscard]] std::optional<double> best_modelled_cap(std::span<const BucketCapRecord> caps);

/// The cap in MiB with the shortest measured step. Nothing where no other cap is slower beyond the
/// 95 % intervals of both: what is left is noise.
[[nodiscard]] std::optional<double> best_measured_cap(std::span<const BucketCapRecord> caps);

/// The other measured caps whose interval meets that of the measured step of `best_mib`: they may
/// be as good.
[[nodiscard]] std::vector<double> caps_as_good(std::span<const BucketCapRecord> caps,
                                               double best_mib);

}  // namespace dlbench::reports
