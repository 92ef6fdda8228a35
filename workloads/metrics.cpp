// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "workloads/metrics.h"

#include "engine/core/check.h"

namespace dlbench::workloads {
namespace {

void add_ratio(std::map<std::string, double>& metrics,
               const std::string& name,
               double numerator,
               double denominator) {
  if (denominator > 0.0) {
    metrics.emplace(name, numerator / denominator);
  }
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

}  // namespace dlbench::workloads
