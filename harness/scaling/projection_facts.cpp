// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/scaling/projection_facts.h"

#include "engine/core/check.h"
#include "harness/stats/summary.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <numeric>
#include <set>

namespace dlbench::harness {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kTimelineRuns = 3;
constexpr int kCalls = 12;  // per size; the first two are not counted
constexpr int kUncounted = 2;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Bytes of every bucket of the step, in the order in which they start.
std::vector<std::int64_t> bucket_bytes(const graph::Graph& graph) {
  std::vector<std::int64_t> sizes;
  for (const graph::Node& node : graph.nodes()) {
    if (node.op != graph::OpKind::kAllReduceStart) {
      continue;
    }
    std::int64_t bytes = 0;
    for (const graph::ValueId id : node.inputs) {
      const graph::Value& value = graph.value(id);
      bytes += value.shape.elements() * static_cast<std::int64_t>(core::size_of(value.dtype));
    }
    sizes.push_back(bytes);
  }
  return sizes;
}

// The slowest rank's time of each call, on rank 0.
std::vector<double> slowest(const std::vector<std::vector<double>>& by_rank) {
  std::vector<double> times;
  for (const std::vector<double>& rank : by_rank) {
    times.resize(rank.size(), 0.0);
    std::transform(rank.begin(), rank.end(), times.begin(), times.begin(), [](double a, double b) {
      return std::max(a, b);
    });
  }
  return times;
}

}  // namespace

StepTimeline measure_timeline(Session& session) {
  exec::Executor& step = session.step();
  session.state().restore();
  session.bind(session.cached_batch());
  step.set_communication(false);
  std::vector<double> node_s(step.lowered().nodes.size(), INFINITY);
  for (int run = 0; run < kTimelineRuns; ++run) {
    step.run_profiled();
    for (std::size_t node = 0; node < node_s.size(); ++node) {
      node_s[node] = std::min(node_s[node], step.node_seconds()[node]);
    }
  }
  step.set_communication(true);

  const graph::Graph& graph = step.graph();
  std::vector<double> done_s(graph.nodes().size(), 0.0);  // by logical node
  StepTimeline timeline;
  double now_s = 0.0;
  for (std::size_t index = 0; index < node_s.size(); ++index) {
    const backend::LoweredNode& node = step.lowered().nodes[index];
    now_s += node_s[index];
    for (const graph::NodeId id : node.covers) {
      done_s.at(static_cast<std::size_t>(id)) = now_s;
    }
    if (node.phase == graph::Phase::kBackward) {
      timeline.backward_end_s = now_s;
    }
  }
  timeline.step_s = now_s;
  for (const graph::ValueId parameter : graph.with_storage(graph::Storage::kParameter)) {
    if (const graph::ValueId id = graph.gradient_of(parameter); id != graph::kNoValue) {
      const graph::Value& gradient = graph.value(id);
      timeline.gradients.push_back(
          {.bytes =
               gradient.shape.elements() * static_cast<std::int64_t>(core::size_of(gradient.dtype)),
           .ready_s = done_s.at(static_cast<std::size_t>(gradient.producer))});
    }
  }
  return timeline;
}

std::vector<std::int64_t> all_reduce_sizes(Session& session) {
  const std::vector<std::int64_t> buckets = bucket_bytes(session.step().graph());
  std::set<std::int64_t> sizes(buckets.begin(), buckets.end());
  for (std::int64_t bytes = 1024; bytes <= (std::int64_t{16} << 20); bytes *= 16) {
    sizes.insert(bytes);
  }
  return {sizes.begin(), sizes.end()};
}

std::vector<CollectiveTime> measure_all_reduces(Session& session,
                                                RankGroup& group,
                                                const std::vector<std::int64_t>& sizes) {
  DLBENCH_CHECK(!sizes.empty());
  comm::Communicator& communicator = session.communicator();
  backend::Backend& backend = session.plan().backend();
  const std::int64_t largest = *std::max_element(sizes.begin(), sizes.end());
  const auto memory = communicator.allocate(backend, static_cast<std::size_t>(largest));
  const auto stream = backend.create_stream();
  stream->fill_zero(memory->data(), memory->bytes());
  std::vector<CollectiveTime> measured;
  for (const std::int64_t bytes : sizes) {
    std::vector<double> times;
    for (int call = 0; call < kCalls; ++call) {
      group.align();
      const auto start = Clock::now();
      communicator.all_reduce({.data = memory->data(),
                               .count = static_cast<std::size_t>(bytes) / sizeof(float),
                               .dtype = core::DType::kF32},
                              *stream);
      stream->synchronize();
      times.push_back(seconds_since(start));
    }
    times.erase(times.begin(), times.begin() + kUncounted);
    const std::vector<double> slowest_s = slowest(group.gather(times));
    if (group.speaks()) {
      measured.push_back({.op = comm::Collective::kAllReduce,
                          .ranks = group.size(),
                          .bytes = static_cast<double>(bytes),
                          .time_s = summarize(slowest_s)->mean,
                          .stddev_s = summarize(slowest_s)->stddev.value_or(0.0)});
    }
  }
  static_cast<void>(communicator.take_totals());
  return measured;
}

double all_reduce_s(Session& session, const std::vector<CollectiveTime>& measured) {
  double sum_s = 0.0;
  for (const std::int64_t bytes : bucket_bytes(session.step().graph())) {
    const auto found = std::find_if(measured.begin(), measured.end(), [&](const auto& time) {
      return time.bytes == static_cast<double>(bytes);
    });
    DLBENCH_CHECK(found != measured.end()) << "no all-reduce of " << bytes << " bytes";
    sum_s += found->time_s;
  }
  return sum_s;
}

}  // namespace dlbench::harness
