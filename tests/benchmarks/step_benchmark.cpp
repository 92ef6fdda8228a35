// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Times the training step of a workload on synthetic data, and each of its nodes. No loader and no
// harness: what remains is the engine. Prints one line that tests/peers/step_compare.py reads:
//   step_ms min=... median=... plan_mib=... rss_mib=... minor_faults=... loss=...
#include "engine/backend/backend.h"
#include "engine/comm/self.h"
#include "engine/core/check.h"
#include "engine/core/clock.h"
#include "engine/core/named.h"
#include "engine/core/rng.h"
#include "engine/exec/executor.h"
#include "workloads/workload.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace dlbench;

struct Options {
  std::string workload = "resunetpp";
  std::string backend = "cpu";
  std::string precision = "f32";
  std::string algorithm = "auto";
  std::string cache;
  std::int64_t batch = 4;
  std::int64_t size = 0;
  int threads = 2;
  int steps = 8;
  bool table = false;
  bool losses = false;
};

Options parse(int count, char** arguments) {
  std::map<std::string, std::string> given;
  for (int i = 1; i + 1 < count; i += 2) {
    given[arguments[i]] = arguments[i + 1];
  }
  Options o;
  const auto text = [&](const char* key, std::string& value) {
    if (const auto found = given.find(key); found != given.end()) {
      value = found->second;
    }
  };
  const auto number = [&](const char* key, auto& value) {
    if (const auto found = given.find(key); found != given.end()) {
      value = static_cast<std::remove_reference_t<decltype(value)>>(std::stol(found->second));
    }
  };
  text("--workload", o.workload);
  text("--backend", o.backend);
  text("--precision", o.precision);
  text("--algorithm", o.algorithm);
  text("--cache", o.cache);
  number("--batch", o.batch);
  number("--size", o.size);
  number("--threads", o.threads);
  number("--steps", o.steps);
  number("--table", o.table);
  number("--losses", o.losses);
  return o;
}

backend::ConvAlgorithm algorithm_of(const std::string& name) {
  const auto* const found =
      std::ranges::find(backend::kConvAlgorithms, name, &core::Named<backend::ConvAlgorithm>::name);
  DLBENCH_CHECK(found != backend::kConvAlgorithms.end()) << name;
  return found->value;
}

/// Random bytes for images; masks and labels are made valid.
core::HostTensor make_input(const graph::Value& value, const workloads::WorkloadSpec& spec) {
  core::HostTensor tensor(value.dtype, value.shape);
  core::RandomStream random(1, 7);
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    const bool image = value.shape.rank() == 4;
    const auto limit =
        image ? 256U : static_cast<std::uint32_t>(spec.classes > 0 ? spec.classes : 2);
    tensor.set(i, random.below(limit));
  }
  return tensor;
}

void print_table(exec::Executor& executor) {
  std::vector<double> best(executor.lowered().nodes.size(), 1e9);
  for (int round = 0; round < 5; ++round) {
    executor.run_profiled();
    for (std::size_t i = 0; i < best.size(); ++i) {
      best[i] = std::min(best[i], executor.node_seconds()[i]);
    }
  }
  std::vector<std::size_t> order(best.size());
  double total = 0.0;
  std::map<std::string, std::pair<double, double>> by_op;
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
    total += best[i];
    const auto& node = executor.lowered().nodes[i];
    auto& entry = by_op[node.is_reorder ? "reorder" : std::string(graph::name(node.op))];
    entry.first += best[i];
    entry.second += static_cast<double>(node.cost.flop);
  }
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return best[a] > best[b]; });
  std::printf("%8s %8s %8s  %-34s %s\n", "ms", "GFLOP/s", "GB/s", "node", "kernel");
  for (std::size_t rank = 0; rank < std::min<std::size_t>(order.size(), 70); ++rank) {
    const auto& node = executor.lowered().nodes[order[rank]];
    const double time = best[order[rank]];
    std::printf("%8.3f %8.1f %8.1f  %-34s %s\n",
                time * 1e3,
                static_cast<double>(node.cost.flop) / time * 1e-9,
                static_cast<double>(node.cost.bytes) / time * 1e-9,
                (node.name + " [" + std::string(graph::name(node.op)).substr(0, 24) + "]").c_str(),
                node.kernel_name.c_str());
  }
  for (const auto& [op, entry] : by_op) {
    std::printf("%8.2f ms %5.1f %% %8.1f GFLOP/s  %s\n",
                entry.first * 1e3,
                entry.first / total * 100,
                entry.second / entry.first * 1e-9,
                op.c_str());
  }
  std::printf("%8.2f ms in %zu nodes\n", total * 1e3, best.size());
}

core::DType precision_named(const std::string& name) {
  for (const core::DType dtype : {core::DType::kF32, core::DType::kBF16, core::DType::kF16}) {
    if (core::name(dtype) == name) {
      return dtype;
    }
  }
  throw std::invalid_argument("--precision " + name + "; wanted f32, bf16 or f16");
}

int run(const Options& options) {
  const auto& workload = workloads::find_workload(options.workload);
  const auto built = workload.build({.batch_size = options.batch, .image_size = options.size},
                                    graph::Mode::kTrain);
  const graph::Graph graph =
      workloads::training_graph(workload.spec(), built, precision_named(options.precision));
  const auto backend = backend::create_backend(options.backend, {.threads = options.threads});
  exec::ModelState state(*backend, graph, 1);
  comm::SelfCommunicator self;
  exec::ExecutorOptions executor_options;
  executor_options.lowering.conv_algorithm = algorithm_of(options.algorithm);
  executor_options.lowering.tuning_cache = options.cache;
  const double begin = core::steady_seconds();
  exec::Executor executor(*backend, state, self, graph, executor_options);
  const double built_s = core::steady_seconds() - begin;
  std::vector<core::HostTensor> inputs;
  for (const graph::ValueId id : graph.inputs()) {
    inputs.push_back(make_input(graph.value(id), workload.spec()));
    executor.bind_input(graph.value(id).name, inputs.back().data(), inputs.back().bytes());
  }
  std::vector<double> times;
  rusage before{};
  for (int step = -2; step < options.steps; ++step) {
    if (step == 0) {
      getrusage(RUSAGE_SELF, &before);
    }
    const double start = core::steady_seconds();
    executor.run();
    if (step >= 0) {
      times.push_back(core::steady_seconds() - start);
    }
    if (options.losses) {
      std::printf("loss %.7f\n", static_cast<double>(executor.read_scalar("loss")));
    }
  }
  rusage after{};
  getrusage(RUSAGE_SELF, &after);
  std::sort(times.begin(), times.end());
  if (options.table) {
    print_table(executor);
  }
  std::printf(
      "step_ms min=%.3f median=%.3f plan_mib=%zu rss_mib=%ld minor_faults=%ld lower_s=%.1f "
      "loss=%.7f\n",
      times.front() * 1e3,
      times[times.size() / 2] * 1e3,
      executor.plan().peak_bytes >> 20U,
      after.ru_maxrss / 1024,
      after.ru_minflt - before.ru_minflt,
      built_s,
      static_cast<double>(executor.read_scalar("loss")));
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return run(parse(count, arguments));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "step_benchmark: %s\n", error.what());
    return 1;
  }
}
