// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/analysis/step_estimate.h"

#include "engine/graph/passes.h"
#include "workloads/workload.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace dlbench::harness {
namespace {

graph::Graph training_step(core::DType precision) {
  const workloads::Workload& workload = workloads::find_workload("mnist_cnn");
  const workloads::BuiltWorkload built = workload.build({.batch_size = 4}, graph::Mode::kTrain);
  return workloads::training_graph(workload.spec(), built, precision);
}

reports::PeakRecord peak(const std::string& precision, double flop_per_s, double bytes_per_s) {
  reports::PeakRecord record;
  record.precision = precision;
  record.flop_per_s = flop_per_s;
  record.memory_bytes_per_s = bytes_per_s;
  return record;
}

constexpr double kAlmostFree = 1e30;

TEST(StepEstimate, IsTheFlopWhereMemoryCostsNothingAndTheReverse) {
  const graph::Graph step = training_step(core::DType::kF32);
  const graph::GraphTotals totals = graph::totals(step);
  const double flop_s = *estimate_step_s(step, {peak("fp32", 1e9, kAlmostFree)});
  EXPECT_NEAR(flop_s * 1e9 / static_cast<double>(totals.training_flop), 1.0, 1e-9);
  const double bytes_s = *estimate_step_s(step, {peak("fp32", kAlmostFree, 1e9)});
  EXPECT_NEAR(bytes_s * 1e9 / static_cast<double>(totals.bytes), 1.0, 1e-9);
}

TEST(StepEstimate, TakesTheSlowerOfBothNodeByNode) {
  const graph::Graph step = training_step(core::DType::kF32);
  const graph::GraphTotals totals = graph::totals(step);
  const double flop_s = static_cast<double>(totals.training_flop) / 1e10;
  const double bytes_s = static_cast<double>(totals.bytes) / 1e9;
  const double seconds = *estimate_step_s(step, {peak("fp32", 1e10, 1e9)});
  EXPECT_GT(seconds, std::max(flop_s, bytes_s));
  EXPECT_LT(seconds, flop_s + bytes_s);
}

TEST(StepEstimate, TakesEachNodesPrecision) {
  const graph::Graph step = training_step(core::DType::kBF16);
  const reports::PeakRecord fp32 = peak("fp32", 1e9, kAlmostFree);
  const double slow = *estimate_step_s(step, {fp32, peak("bf16", 1e9, kAlmostFree)});
  const double fast = *estimate_step_s(step, {fp32, peak("bf16", 1e12, kAlmostFree)});
  EXPECT_LT(fast, 0.5 * slow) << "contractions are most of the work";
  EXPECT_GT(fast, 0.0);
  EXPECT_FALSE(estimate_step_s(step, {fp32}).has_value());
}

TEST(StepEstimate, TakesWhatF32IsComputedIn) {
  const graph::Graph step = training_step(core::DType::kF32);
  const std::vector<reports::PeakRecord> peaks = {peak("fp32", 1e9, kAlmostFree),
                                                  peak("tf32", 4e9, kAlmostFree)};
  EXPECT_NEAR(*estimate_step_s(step, peaks) / *estimate_step_s(step, peaks, "tf32"), 4.0, 1e-9);
}

TEST(StepEstimate, IsNothingWithoutPeaks) {
  EXPECT_FALSE(estimate_step_s(training_step(core::DType::kF32), {}).has_value());
}

TEST(StepEstimate, HalfPrecisionHasItsOwnPeak) {
  const graph::Graph step = training_step(core::DType::kF16);
  const reports::PeakRecord fp32 = peak("fp32", 1e9, kAlmostFree);
  const reports::PeakRecord bf16 = peak("bf16", 1e9, kAlmostFree);
  const double slow = *estimate_step_s(step, {fp32, bf16, peak("fp16", 1e9, kAlmostFree)});
  const double fast = *estimate_step_s(step, {fp32, bf16, peak("fp16", 1e12, kAlmostFree)});
  EXPECT_LT(fast, 0.5 * slow);
  EXPECT_FALSE(estimate_step_s(step, {fp32, bf16}).has_value());
}

}  // namespace
}  // namespace dlbench::harness
