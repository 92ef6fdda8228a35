// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/backend/step_bits.h"

#include "engine/comm/self.h"
#include "engine/core/rng.h"
#include "workloads/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

namespace dlbench {
namespace {

/// Of all steps: they stay until the last one is done.
using Batches = std::vector<std::vector<core::HostTensor>>;

Batches draw_batches(const graph::Graph& graph, int steps, std::uint32_t classes) {
  Batches batches(static_cast<std::size_t>(steps));
  core::RandomStream random(7, 11);
  for (auto& batch : batches) {
    for (const graph::ValueId id : graph.inputs()) {
      const graph::Value& value = graph.value(id);
      batch.emplace_back(value.dtype, value.shape);
      const std::uint32_t limit = value.shape.rank() == 4 ? 256 : classes;
      for (std::int64_t i = 0; i < batch.back().elements(); ++i) {
        batch.back().set(i, random.below(limit));
      }
    }
  }
  return batches;
}

bool same(const core::HostTensor& a, const core::HostTensor& b) {
  return a.bytes() == b.bytes() && std::memcmp(a.data(), b.data(), a.bytes()) == 0;
}

}  // namespace

StepBits run_step_bits(backend::Backend& backend, const StepBitsCase& test) {
  const auto& workload = workloads::find_workload(test.workload);
  const auto built =
      workload.build({.batch_size = test.batch, .image_size = test.size}, graph::Mode::kTrain);
  const graph::Graph graph = workloads::training_graph(workload.spec(), built, test.precision);
  const auto classes =
      static_cast<std::uint32_t>(std::max<std::int64_t>(2, workload.spec().classes));
  const Batches batches = draw_batches(graph, test.steps, classes);
  exec::ModelState state(backend, graph, 1);
  comm::SelfCommunicator self;
  exec::ExecutorOptions options{.replay = test.replay, .watch = {"loss"}};
  options.lowering.allow_tf32 = test.tf32;
  options.lowering.autotune = false;  // which kernel is fastest may differ from run to run
  options.lowering.deterministic = test.deterministic;
  exec::Executor executor(backend, state, self, graph, options);
  StepBits result;
  const auto keep_one = [&] {
    const auto step = executor.await_step();
    if (step.has_value()) {
      result.losses.push_back(step->watched.front());
    }
    return step.has_value();
  };
  for (const auto& batch : batches) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      executor.bind_input(graph.value(graph.inputs()[i]).name, batch[i].data(), batch[i].bytes());
    }
    if (executor.steps_in_flight() == exec::StepRing::kInFlight) {
      static_cast<void>(keep_one());
    }
    executor.run();
  }
  while (keep_one()) {
  }
  executor.synchronize();
  result.replayed = executor.replays();
  result.steps_made = static_cast<std::int64_t>(state.scalar("step"));
  result.state = state.export_tensors({graph::Storage::kParameter,
                                       graph::Storage::kGradient,
                                       graph::Storage::kOptimizerState,
                                       graph::Storage::kBuffer,
                                       graph::Storage::kScalar});
  return result;
}

std::string difference(const StepBits& a, const StepBits& b) {
  constexpr int kMax = 4;
  std::string found;
  if (a.losses.size() != b.losses.size()) {
    found += fmt::format("{} and {} losses; ", a.losses.size(), b.losses.size());
  }
  for (std::size_t step = 0; step < std::min(a.losses.size(), b.losses.size()); ++step) {
    if (std::bit_cast<std::uint32_t>(a.losses[step]) !=
        std::bit_cast<std::uint32_t>(b.losses[step])) {
      found += fmt::format("loss of step {}: {} and {}; ", step, a.losses[step], b.losses[step]);
      break;
    }
  }
  int tensors = 0;
  for (const auto& [name, tensor] : a.state) {
    const auto other = b.state.find(name);
    if (other == b.state.end()) {
      found += fmt::format("{} is in one of them only; ", name);
    } else if (!same(tensor, other->second) && ++tensors <= kMax) {
      found += fmt::format("{} differs; ", name);
    }
  }
  if (a.state.size() != b.state.size() || tensors > kMax) {
    found +=
        fmt::format("{} tensors differ, of {} and {}", tensors, a.state.size(), b.state.size());
  }
  return found;
}

}  // namespace dlbench
