// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/scaling/projection_facts.h"

#include "engine/core/check.h"
#include "engine/core/error.h"
#include "harness/trials/collective_trial.h"
#include "harness/trials/group_disturbance.h"
#include "probes/node/disturbance.h"
#include "reports/statistics.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <span>

namespace dlbench::harness {
namespace {

using reports::summarize;
using reports::Summary;

using Clock = std::chrono::steady_clock;

constexpr int kTimelineRuns = 3;
constexpr std::int64_t kWarmupCalls = 2;
constexpr std::int64_t kCalls = 10;    // per size
constexpr std::int64_t kFewCalls = 3;  // where more of them would take longer than
constexpr double kTimeOfCallsS = 1.0;
// Number of steps before an all-reduce alone, after a first one that does not count.
constexpr std::size_t kMinSteps = 3;
constexpr std::size_t kMaxSteps = 10;
constexpr double kStepsTimeS = 2.0;

// Returns the bytes of every bucket of the step, in the order in which they start.
std::vector<std::int64_t> bucket_bytes(const graph::Graph& graph) {
  std::vector<std::int64_t> sizes;
  for (const graph::Node& node : graph.nodes()) {
    if (node.op != graph::OpKind::kAllReduceStart) {
      continue;
    }
    std::int64_t bytes = 0;
    for (const graph::ValueId id : node.inputs) {
      bytes += static_cast<std::int64_t>(graph.value(id).dense_bytes());
    }
    sizes.push_back(bytes);
  }
  return sizes;
}

std::vector<double> broadcast_bytes(Session& session) {
  std::vector<double> bytes;
  if (session.plan().options().broadcast_buffers) {
    for (const std::span<std::byte> memory : session.state().memory(graph::Storage::kBuffer)) {
      bytes.push_back(static_cast<double>(memory.size()));
    }
  }
  return bytes;
}

/// Returns what others did on all ranks' processors and GPUs in between; empty: no disturbance.
std::string disturbance_of(RankGroup& group,
                           int threads,
                           DeviceFaultWatch& watch,
                           const std::function<void()>& work) {
  const auto conditions = [&watch] {
    probes::DeviceConditions device = watch.conditions();
    if (!device.reported.fault.empty()) {
      throw core::Error(core::ErrorCode::kRun, "all-reduces: " + device.reported.fault);
    }
    return device;
  };
  static_cast<void>(conditions());  // what was before does not count
  const probes::ProcSnapshot begin = probes::take_snapshot();
  work();
  const probes::DeviceConditions device = conditions();
  return judge_together(group,
                        begin,
                        probes::take_snapshot(),
                        {.cpus = probes::watched_cpus(), .threads = threads},
                        device)
      .reason;
}

}  // namespace

std::int64_t calls_of_size(const std::vector<CollectiveTime>& measured, double bytes) {
  if (measured.empty()) {
    return kCalls;
  }
  const double call_s = measured.back().time_s * bytes / measured.back().bytes;
  return call_s * static_cast<double>(kCalls) > kTimeOfCallsS
             ? std::clamp(static_cast<std::int64_t>(kTimeOfCallsS / call_s), kFewCalls, kCalls)
             : kCalls;
}

double seconds_of_facts(double computing_s, double step_s, int ranks) {
  const double timeline_s = kTimelineRuns * computing_s;
  if (ranks == 1) {
    return timeline_s;
  }
  // As measure_all_reduces_alone() counts them.
  return timeline_s + std::clamp(kStepsTimeS,
                                 static_cast<double>(kMinSteps + 1) * step_s,
                                 static_cast<double>(kMaxSteps + 1) * step_s);
}

void measure_facts(Session& session,
                   RankGroup& group,
                   RunGuard& guard,
                   DeviceFaultWatch& watch,
                   SizeFacts& facts) {
  facts.timeline = measure_timeline(session);
  facts.broadcast_bytes = broadcast_bytes(session);
  if (group.size() == 1) {
    return;
  }
  const int threads = session.plan().step_threads();
  constexpr int kAttempts = 2;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    facts.disturbed_by = disturbance_of(group, threads, watch, [&] {
      facts.all_reduces = measure_all_reduces(session, guard, all_reduce_sizes(session));
      facts.all_reduces_alone_s = measure_all_reduces_alone(session, group, guard);
    });
    if (facts.disturbed_by.empty()) {
      break;
    }
  }
  facts.compression_error = session.measure_compression_error();
}

std::optional<std::int64_t> only_node_ranks(const std::vector<comm::RankPlace>& places,
                                            const std::optional<comm::LinkModel>& link) {
  const auto ranks = static_cast<std::int64_t>(places.size());
  if (link.has_value()) {
    const bool between = link->node_ranks == 0 || link->node_ranks < ranks;
    return between ? std::nullopt : std::optional(link->node_ranks);
  }
  const bool one = std::ranges::all_of(
      places, [&places](const comm::RankPlace& place) { return place.node == places[0].node; });
  return one ? std::optional(ranks) : std::nullopt;
}

std::optional<std::int64_t> known_node_ranks(const std::vector<comm::RankPlace>& places,
                                             const std::optional<comm::LinkModel>& link) {
  if (only_node_ranks(places, link).has_value()) {
    return 0;
  }
  std::map<int, std::int64_t> ranks;
  if (!link.has_value()) {
    for (const comm::RankPlace& place : places) {
      ++ranks[place.node];
    }
  }
  const std::int64_t of_one = link.has_value() ? link->node_ranks : ranks.begin()->second;
  const bool even =
      std::ranges::all_of(ranks, [of_one](const auto& node) { return node.second == of_one; });
  if (!even) {
    return std::nullopt;
  }
  return of_one > 1 ? of_one : 0;
}

bool are_dealt_out(const std::vector<comm::RankPlace>& places) {
  return !std::ranges::is_sorted(places, {}, &comm::RankPlace::node);
}

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
          {.bytes = static_cast<std::int64_t>(gradient.dense_bytes()),
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

double bytes_per_gradient_byte(const SessionOptions& session) {
  return session.compression.has_value() ? 0.5 : 1.0;
}

std::vector<CollectiveTime> measure_all_reduces(Session& session,
                                                RunGuard& guard,
                                                const std::vector<std::int64_t>& sizes) {
  DLBENCH_CHECK(!sizes.empty());
  comm::Rendezvous& ranks = session.plan().ranks();
  CollectiveTrial trial(ranks,
                        session.communicator(),
                        session.plan().backend(),
                        static_cast<std::size_t>(*std::max_element(sizes.begin(), sizes.end())),
                        session.plan().options().cuda_graph);
  const double travelling = bytes_per_gradient_byte(session.plan().options());
  std::vector<CollectiveTime> measured;
  for (const std::int64_t bytes : sizes) {
    std::int64_t calls = calls_of_size(measured, static_cast<double>(bytes) * travelling);
    ranks.broadcast(std::as_writable_bytes(std::span(&calls, 1)));
    const CollectiveResult result =
        trial.run({.op = comm::Collective::kAllReduce,
                   .dtype = core::DType::kF32,
                   .count = static_cast<std::size_t>(bytes) / sizeof(float),
                   .warmup = calls < kCalls ? 1 : kWarmupCalls,
                   .calls = calls,
                   .check = false},
                  guard);
    if (ranks.rank() == 0) {
      const std::optional<Summary> times = summarize(result.call_s);
      measured.push_back({.op = comm::Collective::kAllReduce,
                          .ranks = ranks.size(),
                          .bytes = static_cast<double>(bytes) * travelling,
                          .time_s = times->mean,
                          .stddev_s = times->stddev.value_or(0.0)});
    }
  }
  static_cast<void>(session.communicator().take_totals());
  return measured;
}

AllReducesAlone measure_all_reduces_alone(Session& session, RankGroup& group, RunGuard& guard) {
  exec::Executor& step = session.step();
  comm::Communicator& communicator = session.communicator();
  session.state().restore();
  session.bind(session.cached_batch());
  step.set_communication(false);
  step.set_update(false);
  std::vector<double> own;
  bool clocked = true;
  const auto begin = Clock::now();
  for (bool more = true; more;) {
    step.run();
    step.synchronize();
    group.barrier();
    static_cast<void>(communicator.take_totals());
    const std::optional<double> on_device_s = step.all_reduce_alone();
    const comm::CommunicationTotals totals = communicator.take_totals();
    clocked = clocked && (on_device_s.has_value() || totals.collectives > 0);
    own.push_back(on_device_s.value_or(totals.all_reduce_s) / group.size());
    const double spent_s = std::chrono::duration<double>(Clock::now() - begin).count();
    more = group.broadcast(
        clocked && (own.size() <= kMinSteps || (own.size() <= kMaxSteps && spent_s < kStepsTimeS)));
    guard.check();
  }
  step.synchronize();  // the last all-reduces, whose gradients are about to be overwritten
  step.set_update(true);
  step.set_communication(true);
  session.state().restore();
  own.erase(own.begin());  // the first one wakes the communication thread and fills page tables
  if (group.any(!clocked)) {
    return AllReducesAlone::missing("the communicator has no clocks");
  }
  return group.sum(own);
}

}  // namespace dlbench::harness
