// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What the timed loop of a trial adds to its steps: the same steps alone and in the loop, on an
// empty graph (side 0) and on one of about a millisecond. Run with --benchmark_repetitions=N
// --benchmark_enable_random_interleaving=true and compare medians: steps of a millisecond vary by
// more than the loop costs.
#include "engine/backend/backend.h"
#include "engine/graph/layers.h"
#include "harness/session/run_guard.h"
#include "harness/trials/graph_arm.h"
#include "harness/trials/step_loop.h"

#include <benchmark/benchmark.h>

#include <optional>
#include <string>

namespace {

using namespace dlbench;

constexpr std::int64_t kStepsPerIteration = 100;

/// Ten ReLUs in turn over side x side numbers; nothing for side 0.
graph::Graph make_graph(std::int64_t side) {
  graph::GraphBuilder builder(graph::Mode::kTrain);
  if (side > 0) {
    graph::ValueId value =
        builder.add_state(graph::Storage::kBuffer, "x", core::DType::kF32, {1, 1, side, side}, {});
    for (int i = 0; i < 10; ++i) {
      value = graph::relu(builder, value, "relu" + std::to_string(i));
    }
    builder.mark_output("y", value);
  }
  return std::move(builder).finish();
}

void steps_alone(benchmark::State& state) {
  const auto backend = backend::create_backend("cpu", {.threads = 1});
  harness::GraphArm arm(*backend, make_graph(state.range(0)));
  for (auto _ : state) {
    for (std::int64_t step = 0; step < kStepsPerIteration; ++step) {
      benchmark::DoNotOptimize(arm.step());
    }
  }
  state.SetItemsProcessed(state.iterations() * kStepsPerIteration);
}
BENCHMARK(steps_alone)->ArgName("side")->Arg(0)->Arg(640)->Unit(benchmark::kMicrosecond);

void steps_in_a_trial(benchmark::State& state) {
  const auto backend = backend::create_backend("cpu", {.threads = 1});
  harness::GraphArm arm(*backend, make_graph(state.range(0)));
  harness::RunGuard guard(std::nullopt);
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        harness::time_steps(arm, harness::RepetitionLength::exactly(kStepsPerIteration), &guard));
  }
  state.SetItemsProcessed(state.iterations() * kStepsPerIteration);
}
BENCHMARK(steps_in_a_trial)->ArgName("side")->Arg(0)->Arg(640)->Unit(benchmark::kMicrosecond);

}  // namespace
