// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "workloads/metrics.h"

#include "engine/core/check.h"

#include <limits>

namespace dlbench::workloads {
namespace {

void add_ratio(std::map<std::string, double>& metrics,
               const std::string& name,
               double numerator,
               double denominator) {
  metrics.emplace(
      name, denominator > 0.0 ? numerator / denominator : std::numeric_limits<double>::quiet_NaN());
}

}  // namespace

std::size_t count_size(MetricKind kind) { return kind == MetricKind::kSegmentation ? 4 : 2; }

std::vector<std::string> metric_names(MetricKind kind) {
  if (kind == MetricKind::kSegmentation) {
    return {"dice", "iou", "precision", "recall"};
  }
  return {"accuracy"};
}

std::map<std::string, double> metrics_of_counts(MetricKind kind, std::span<const double> counts) {
  DLBENCH_CHECK(counts.size() == count_size(kind)) << counts.size() << " counts";
  std::map<std::string, double> metrics;
  if (kind == MetricKind::kClassification) {
    add_ratio(metrics, "accuracy", counts[0], counts[1]);
    return metrics;
  }
  const double tp = counts[0];
  const double fp = counts[1];
  const double fn = counts[2];
  add_ratio(metrics, "dice", 2.0 * tp, 2.0 * tp + fp + fn);
  add_ratio(metrics, "iou", tp, tp + fp + fn);
  add_ratio(metrics, "precision", tp, tp + fp);
  add_ratio(metrics, "recall", tp, tp + fn);
  return metrics;
}

std::string undefined_metric_reason(std::string_view metric) {
  if (metric == "precision") {
    return "0 / 0: nothing was predicted";
  }
  if (metric == "recall") {
    return "0 / 0: there is nothing to find";
  }
  return metric == "accuracy" ? "0 / 0: no samples"
                              : "0 / 0: there is nothing to find, and nothing was predicted";
}

}  // namespace dlbench::workloads
