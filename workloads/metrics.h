// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Metrics as ratios of counts. The graph counts per batch; the counts of all batches are summed and
// the ratios taken at the end, so a metric does not depend on how the data was cut into batches.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::workloads {

/// What the graph's output "counts" contains.
enum class MetricKind : std::uint8_t {
  kSegmentation,    ///< pixels: true positives, false positives, false negatives, true negatives
  kClassification,  ///< correct predictions, samples
};

/// Returns how many numbers "counts" of this kind contains.
[[nodiscard]] std::size_t count_size(MetricKind kind);

/// Returns the names in display order: "dice", "iou", "precision", "recall"; or "accuracy".
[[nodiscard]] std::vector<std::string> metric_names(MetricKind kind);

/// Computes metrics from summed counts, each in [0, 1]. With tp, fp, fn: dice = 2 tp / (2 tp + fp +
/// fn), iou = tp / (tp + fp + fn), precision = tp / (tp + fp), recall = tp / (tp + fn); accuracy =
/// correct / samples. A ratio 0 / 0 is NaN. Passing a number of counts other than count_size() is a
/// programmer error.
[[nodiscard]] std::map<std::string, double> metrics_of_counts(MetricKind kind,
                                                              std::span<const double> counts);

/// Explains what a ratio 0 / 0 of a metric of metric_names() means, as the end of a sentence.
[[nodiscard]] std::string undefined_metric_reason(std::string_view metric);

}  // namespace dlbench::workloads
