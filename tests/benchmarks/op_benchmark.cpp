// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Google Benchmarks of single ops of the cpu backend at the sizes of ResUNet++ (batch 4). Counters:
// FLOP/s and bytes/s by the op's own count of both. The input's reorder into the backend's layout
// is part of the step and left out: only the op's own node is timed.
#include "engine/backend/backend.h"
#include "engine/comm/self.h"
#include "engine/core/rng.h"
#include "engine/exec/executor.h"
#include "engine/graph/layers.h"

#include <benchmark/benchmark.h>

#include <functional>
#include <memory>
#include <string>

namespace {

using namespace dlbench;
using graph::GraphBuilder;
using graph::ValueId;

using Layer = std::function<ValueId(GraphBuilder&, ValueId)>;

/// Runs one layer over random input and times the lowered node of that name.
void time_layer(benchmark::State& state, const core::Shape& shape, const Layer& layer) {
  GraphBuilder builder(graph::Mode::kTrain);
  const ValueId x = builder.add_input("x", core::DType::kF32, shape);
  builder.mark_output("y", layer(builder, x));
  const graph::Graph graph = std::move(builder).finish();
  const auto backend = backend::create_backend("cpu", {});
  exec::ModelState model(*backend, graph, 1);
  comm::SelfCommunicator self;
  exec::Executor executor(*backend, model, self, graph, {});
  core::HostTensor input(core::DType::kF32, shape);
  core::RandomStream random(1, 1);
  for (float& element : input.as<float>()) {
    element = random.uniform(-1.0F, 1.0F);
  }
  executor.bind_input("x", input.data(), input.bytes());
  std::size_t main = 0;
  for (std::size_t i = 0; i < executor.lowered().nodes.size(); ++i) {
    if (!executor.lowered().nodes[i].is_reorder) {
      main = i;
    }
  }
  const auto& node = executor.lowered().nodes[main];
  for (auto _ : state) {
    executor.run_profiled();
    state.SetIterationTime(executor.node_seconds()[main]);
  }
  const auto rate = benchmark::Counter::kIsIterationInvariantRate;
  state.counters["FLOP/s"] = benchmark::Counter(static_cast<double>(node.cost.flop), rate);
  state.counters["bytes/s"] = benchmark::Counter(static_cast<double>(node.cost.bytes), rate);
  state.SetLabel(node.kernel_name);
}

void convolution(benchmark::State& state) {
  const graph::Conv2dParams params{
      .channels_out = state.range(1), .kernel = state.range(3), .dilation = state.range(4)};
  time_layer(
      state,
      {4, state.range(0), state.range(2), state.range(2)},
      [&](GraphBuilder& builder, ValueId x) { return graph::conv2d(builder, x, "conv", params); });
}
BENCHMARK(convolution)
    ->ArgNames({"in", "out", "side", "kernel", "dilation"})
    ->Args({16, 16, 256, 3, 1})
    ->Args({80, 32, 256, 3, 1})
    ->Args({64, 64, 128, 3, 1})
    ->Args({256, 256, 32, 3, 1})
    ->Args({128, 256, 32, 3, 12})
    ->Args({32, 16, 256, 3, 18})
    ->Args({80, 32, 256, 1, 1})
    ->Args({16, 1, 256, 1, 1})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

void batch_norm_relu(benchmark::State& state) {
  time_layer(state,
             {4, state.range(0), state.range(1), state.range(1)},
             [](GraphBuilder& builder, ValueId x) {
               return graph::relu(builder, graph::batch_norm(builder, x, "bn", {}), "relu");
             });
}
BENCHMARK(batch_norm_relu)
    ->ArgNames({"channels", "side"})
    ->Args({80, 256})
    ->Args({32, 128})
    ->Args({256, 32})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

void max_pool(benchmark::State& state) {
  time_layer(state, {4, 64, 256, 256}, [](GraphBuilder& builder, ValueId x) {
    return graph::max_pool2d(builder, x, "pool", 2);
  });
}
BENCHMARK(max_pool)->UseManualTime()->Unit(benchmark::kMillisecond);

void upsample(benchmark::State& state) {
  time_layer(state, {4, 64, 128, 128}, [](GraphBuilder& builder, ValueId x) {
    return graph::upsample2d(builder, x, "up", 2);
  });
}
BENCHMARK(upsample)->UseManualTime()->Unit(benchmark::kMillisecond);

void sigmoid(benchmark::State& state) {
  time_layer(state, {4, 16, 256, 256}, [](GraphBuilder& builder, ValueId x) {
    return graph::sigmoid(builder, x, "sigmoid");
  });
}
BENCHMARK(sigmoid)->UseManualTime()->Unit(benchmark::kMillisecond);

void linear(benchmark::State& state) {
  time_layer(state, {64, 9216}, [](GraphBuilder& builder, ValueId x) {
    return graph::linear(builder, x, "fc", {.features_out = 128});
  });
}
BENCHMARK(linear)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace
