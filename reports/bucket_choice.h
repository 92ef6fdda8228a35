// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Chooses the best of several gradient bucket caps, if their steps differ enough.
#pragma once

#include "reports/scaling_record.h"

#include <optional>
#include <span>
#include <vector>

namespace dlbench::reports {

/// Relative difference below which modelled steps do not tell which cap is better: about the
/// model's error on known steps (docs/scaling.md).
inline constexpr double kModelTells = 0.01;

/// Returns the cap in MiB with the shortest modelled step. Nothing if no modelled step is longer by
/// more than the share `tells`.
[[nodiscard]] std::optional<double> best_modelled_cap(std::span<const BucketCapRecord> caps,
                                                      double tells = kModelTells);

/// Returns the cap in MiB with the shortest measured step. Nothing if no other cap is slower beyond
/// the 95 % intervals of both, i.e. by more than noise.
[[nodiscard]] std::optional<double> best_measured_cap(std::span<const BucketCapRecord> caps);

/// Returns the other measured caps whose interval overlaps that of `best_mib`, which may be as
/// good.
[[nodiscard]] std::vector<double> caps_as_good(std::span<const BucketCapRecord> caps,
                                               double best_mib);

}  // namespace dlbench::reports
