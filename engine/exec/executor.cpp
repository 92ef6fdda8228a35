// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/exec/executor.h"

#include "engine/comm/device_watch.h"
#include "engine/core/check.h"
#include "engine/core/clock.h"
#include "engine/core/error.h"
#include "engine/core/log.h"
#include "engine/core/trace.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>

namespace dlbench::exec {
namespace {

namespace trace = core::trace;

using backend::LoweredNode;
using backend::SlotId;
using Clock = std::chrono::steady_clock;

constexpr std::string_view kHostToDevice = "host_to_device";  // the phase before the graph's own

/// The id by which probes identify the node.
graph::NodeId op_id(const LoweredNode& node) {
  return node.covers.empty() ? graph::kNoNode : node.covers.front();
}

/// The same for recorded work, of which a probe sees no region that would tell its phase.
graph::NodeId captured_id(const LoweredNode& node) {
  return node.covers.empty() ? graph::id_outside_nodes(node.phase) : op_id(node);
}

}  // namespace

Executor::Executor(backend::Backend& backend,
                   ModelState& state,
                   comm::Communicator& communicator,
                   graph::Graph graph,
                   const ExecutorOptions& options)
    : backend_(backend),
      state_(state),
      communicator_(communicator),
      graph_(std::move(graph)),
      options_(options),
      lowered_(backend.lower(graph_, options.lowering)),
      plan_(make_plan(graph_, *lowered_, options.lowering.keep)),
      broadcast_(options.broadcast_buffers && communicator.size() > 1
                     ? state.memory(graph::Storage::kBuffer)
                     : std::vector<std::span<std::byte>>{}),
      parts_(parts_of(*lowered_)),
      stream_(backend.create_stream()),
      ring_(backend, *stream_, phases_of(parts_), watched_count()),
      slots_(lowered_->slots.size()),
      node_seconds_(lowered_->nodes.size(), 0.0) {
  bind_state();
  bind_inputs();
  bind_arena();
  bind_buckets();
  find_blocking_buckets();
  bind_watched();
}

Executor::~Executor() = default;

std::vector<Executor::Part> Executor::parts_of(const backend::LoweredGraph& lowered) const {
  std::vector<Part> parts;
  if (!broadcast_.empty()) {
    parts.push_back({.phase = graph::Phase::kAllReduce});
  }
  for (std::size_t index = 0; index < lowered.nodes.size(); ++index) {
    const graph::Phase phase = lowered.nodes[index].phase;
    if (parts.empty() || parts.back().phase != phase) {
      parts.push_back({.phase = phase, .begin = index});
    }
    parts.back().end = index + 1;
  }
  return parts;
}

std::vector<graph::Phase> Executor::phases_of(const std::vector<Part>& parts) {
  std::vector<graph::Phase> phases(parts.size());
  std::transform(
      parts.begin(), parts.end(), phases.begin(), [](const Part& part) { return part.phase; });
  return phases;
}

void Executor::bind_input(std::string_view name, const std::byte* host, std::size_t bytes) {
  const auto found = inputs_.find(name);
  if (found == inputs_.end()) {
    throw core::Error(core::ErrorCode::kShape,
                      "the network has no input named '" + std::string(name) + "'");
  }
  Input& input = found->second;
  const graph::Value& value = graph_.value(input.value);
  if (bytes != value.dense_bytes()) {
    throw core::Error(core::ErrorCode::kShape,
                      "input '" + std::string(name) + "' has " + std::to_string(bytes) +
                          " bytes, the network wants " + std::to_string(value.dense_bytes()) +
                          " for " + value.shape.to_string());
  }
  if (input.memory != nullptr) {
    const trace::Region region(trace::Category::kPhase, kHostToDevice);
    Staging& staging = input.staging[input.next];
    if (staging.in_use) {
      copy_stream_->wait_for(*staging.consumed);
    }
    copy_stream_->copy_to_device(staging.memory, host, bytes);
    copy_stream_->record(*staging.copied);
    input.arriving = true;
  } else {
    // Kernels read inputs only; the slot table has one pointer type for all slots.
    slots_.set(lowered_->slot_of_value.at(static_cast<std::size_t>(input.value)),
               const_cast<std::byte*>(host));
  }
  input.bound = true;
}

void Executor::check_bound() const {
  for (const auto& [name, input] : inputs_) {
    DLBENCH_CHECK(input.bound) << "input '" << name << "' was never bound";
  }
}

void Executor::run_communication(const LoweredNode& node) {
  if (!communicates_) {
    return;
  }
  const auto& attributes = graph_.node(node.covers.front()).as<graph::AllReduceAttributes>();
  Bucket& bucket = buckets_[static_cast<std::size_t>(attributes.bucket)];
  const bool starts = node.op == graph::OpKind::kAllReduceStart;
  if (bucket.blocks) {
    // Starting it asynchronously would gain nothing.
    if (starts) {
      communicator_.all_reduce(bucket.request, *stream_);
    }
  } else if (starts) {
    bucket.ticket = communicator_.start_all_reduce(bucket.request, *stream_);
  } else {
    communicator_.wait(bucket.ticket, *stream_);
  }
}

void Executor::broadcast_buffers() {
  if (!communicates_) {
    return;
  }
  const trace::Region region(trace::Category::kOp, "broadcast/buffers", graph::kNoNode);
  for (const std::span<std::byte> memory : broadcast_) {
    communicator_.broadcast(memory.data(), memory.size(), 0, *stream_);
  }
}

bool Executor::skips(const LoweredNode& node) const {
  return !updates_ && node.phase == graph::Phase::kOptimizer &&
         node.op != graph::OpKind::kOptimizerAdvance;
}

void Executor::run_node(const LoweredNode& node) {
  if (skips(node)) {
    return;
  }
  const trace::Region region(trace::Category::kOp, node.name, op_id(node));
  if (node.kernel != nullptr) {
    node.kernel->run(*stream_);
  } else {
    run_communication(node);
  }
}

// Kernels read inputs at a fixed address, so that a captured step can be replayed; the extra copy
// on the device is cheap compared with the copy from the host.
void Executor::take_inputs() {
  for (auto& [name, input] : inputs_) {
    if (!input.arriving) {
      continue;
    }
    const trace::Region region(trace::Category::kPhase, kHostToDevice);
    Staging& staging = input.staging[input.next];
    stream_->wait_for(*staging.copied);
    stream_->copy_on_device(input.memory, staging.memory, graph_.value(input.value).dense_bytes());
    stream_->record(*staging.consumed);
    staging.in_use = true;
    input.next = (input.next + 1) % input.staging.size();
    input.arriving = false;
  }
}

void Executor::run_nodes(Variant* capturing) {
  for (std::size_t index = 0; index < parts_.size(); ++index) {
    const Part& part = parts_[index];
    stream_->record_time(*ring_.part_begins()[index]);
    const trace::Region region(trace::Category::kPhase, graph::name(part.phase));
    if (part.begin == part.end) {
      broadcast_buffers();
      if (capturing != nullptr) {
        capturing->ops.resize(static_cast<std::size_t>(stream_->captured_work()),
                              graph::id_outside_nodes(part.phase));
      }
    }
    for (std::size_t node = part.begin; node < part.end; ++node) {
      run_node(lowered_->nodes[node]);
      if (capturing != nullptr) {
        capturing->ops.resize(static_cast<std::size_t>(stream_->captured_work()),
                              captured_id(lowered_->nodes[node]));
      }
    }
  }
}

std::size_t Executor::variant_index(bool communicates, bool updates) {
  return (communicates ? 1U : 0U) + (updates ? 2U : 0U);
}

void Executor::announce_captured_ops() const {
  for (std::size_t work = 0; work < variant().ops.size(); ++work) {
    trace::map_captured_node(work, variant().ops[work]);
  }
}

template <typename Enqueue>
std::unique_ptr<backend::Replay> Executor::captured(const Enqueue& enqueue) {
  // If the communicator cannot be captured, steps without communication are not captured either:
  // otherwise steps with and without communication would differ in more than that.
  if (options_.replay == GraphReplay::kOff || !may_replay_ || !communicator_.capturable() ||
      !stream_->begin_capture()) {
    return nullptr;
  }
  try {
    enqueue();
    return stream_->end_capture();
  } catch (const core::Error& failure) {
    stream_->abandon_capture();
    if (core::ended_early(failure.code())) {
      throw;
    }
    go_on_without_replay(failure, "captured");
    return nullptr;
  } catch (...) {
    stream_->abandon_capture();
    throw;
  }
}

bool Executor::capture_step() {
  constexpr int kStepsBefore = 2;
  Variant& variant = this->variant();
  if (variant.steps < kStepsBefore) {
    return false;
  }
  variant.ops.clear();
  variant.replay = captured([&] { run_nodes(&variant); });
  if (variant.replay == nullptr) {
    return false;
  }
  announce_captured_ops();
  return true;
}

bool Executor::launch_replay() {
  Variant& variant = this->variant();
  try {
    variant.replay->launch(ring_.part_begins());
  } catch (const core::Error& failure) {
    if (variant.launched || core::ended_early(failure.code())) {
      throw;
    }
    variant.replay.reset();
    go_on_without_replay(failure, "launched as a graph");
  }
  variant.launched = variant.replay != nullptr;
  return variant.launched;
}

std::string Executor::why_no_replay() const {
  if (options_.replay == GraphReplay::kOff || communicator_.capturable()) {
    return why_no_replay_;
  }
  return "collectives by " + std::string(communicator_.name()) + " cannot be captured";
}

void Executor::go_on_without_replay(const core::Error& failure, const char* what) {
  if (options_.replay == GraphReplay::kOn || communicator_.size() > 1) {
    const bool no_memory = failure.code() == core::ErrorCode::kMemory;
    throw core::Error(no_memory ? failure.code() : core::ErrorCode::kRun,
                      std::string("the step cannot be ") + what + ": " + failure.what() +
                          "; --cuda-graph off runs it node by node");
  }
  options_.replay = GraphReplay::kOff;
  why_no_replay_ = std::string("it cannot be ") + what + ": " + failure.what();
  core::log::warn_once(std::string("the step cannot be ") + what +
                       " and runs node by node: " + failure.what());
}

// Not done by the constructor, which the ranks run in turn. Done even if the first steps do not
// communicate, since the first step that does may be the one that is captured.
void Executor::prepare_communication() {
  if (!std::exchange(prepared_, true)) {
    for (const Bucket& bucket : buckets_) {
      communicator_.prepare(bucket.request);
    }
  }
}

void Executor::run() {
  check_bound();
  rethrow_failed_collectives();
  prepare_communication();
  // All of it is watched, since not only StepRing waits: enqueueing blocks if the queue is full.
  comm::watched(communicator_, [&] {
    // Captured before the step begins, so that the time it takes is not part of the step.
    const bool replays = may_replay_ && (variant().replay != nullptr || capture_step());
    ring_.begin();
    take_inputs();
    if (!replays || !launch_replay()) {
      run_nodes(nullptr);
      variant().steps += may_replay_ ? 1 : 0;
    }
    ring_.end(watched_);
  });
}

std::optional<FinishedStep> Executor::poll_step() {
  std::optional<FinishedStep> step;
  comm::watched(communicator_, [&] { step = ring_.poll(); });
  return step;
}

std::optional<FinishedStep> Executor::await_step() {
  std::optional<FinishedStep> step;
  comm::watched(communicator_, [&] { step = ring_.await(); });
  return step;
}

std::optional<double> Executor::all_reduce_alone() {
  const auto reduce_all = [&] {
    for (const Bucket& bucket : buckets_) {
      communicator_.all_reduce(bucket.request, *stream_);
    }
  };
  if (backend_.reads_host_memory()) {
    reduce_all();
    return std::nullopt;
  }
  rethrow_failed_collectives();
  if (lone_.begin == nullptr) {
    lone_.begin = stream_->create_event();
    lone_.end = stream_->create_event();
  }
  // The untimed first pass synchronises the ranks. Captured, because the time to enqueue the second
  // pass (a thread of NCCL per call) is not part of a replayed step.
  const auto time_second_pass = [&] {
    reduce_all();
    stream_->record_time(*lone_.begin);
    reduce_all();
    stream_->record_time(*lone_.end);
  };
  comm::watched(communicator_, [&] {
    // The first use of a communicator connects and allocates, which cannot be captured.
    const bool connected = std::exchange(lone_.connected, true);
    if (connected && lone_.replay == nullptr) {
      lone_.replay = captured(time_second_pass);
    }
    if (lone_.replay == nullptr || !launch_all_reduces()) {
      time_second_pass();
    }
    stream_->synchronize();
  });
  return lone_.end->seconds_since(*lone_.begin);
}

bool Executor::launch_all_reduces() {
  const std::array<backend::Stream::Event*, 2> times{lone_.begin.get(), lone_.end.get()};
  try {
    lone_.replay->launch(times);
  } catch (const core::Error& failure) {
    if (core::ended_early(failure.code())) {
      throw;
    }
    lone_.replay.reset();
    go_on_without_replay(failure, "launched as a graph");
  }
  return lone_.replay != nullptr;
}

void Executor::rethrow_failed_collectives() {
  if (const comm::DeviceWatch* watch = communicator_.watch(); watch != nullptr) {
    watch->rethrow_failure();  // captured work would be launched with aborted collectives
  }
}

void Executor::set_update(bool on) {
  if (std::exchange(updates_, on) != on) {
    announce_captured_ops();
  }
}

void Executor::set_communication(bool on) {
  if (std::exchange(communicates_, on) != on) {
    announce_captured_ops();
  }
}

void Executor::run_profiled() {
  check_bound();
  take_inputs();
  backend_.reads_host_memory() ? profile_on_host() : profile_on_device();
}

void Executor::profile_on_host() {
  auto last = Clock::now();
  for (std::size_t index = 0; index < lowered_->nodes.size(); ++index) {
    run_node(lowered_->nodes[index]);
    synchronize();
    const auto now = Clock::now();
    node_seconds_[index] = core::seconds(now - last);
    last = now;
  }
}

// Waiting for the device after each node would add the launch and the wake-up of the host to each
// node: ten to twenty microseconds, more than many nodes take.
void Executor::profile_on_device() {
  while (node_ends_.size() <= lowered_->nodes.size()) {
    node_ends_.push_back(stream_->create_event());
  }
  comm::watched(communicator_, [&] {
    stream_->record_time(*node_ends_.front());
    for (std::size_t index = 0; index < lowered_->nodes.size(); ++index) {
      run_node(lowered_->nodes[index]);
      stream_->record_time(*node_ends_[index + 1]);
    }
    stream_->synchronize();
  });
  for (std::size_t index = 0; index < lowered_->nodes.size(); ++index) {
    node_seconds_[index] = node_ends_[index + 1]->seconds_since(*node_ends_[index]);
  }
}

void Executor::synchronize() {
  comm::watched(communicator_, [&] {
    stream_->synchronize();
    if (copy_stream_ != nullptr) {
      copy_stream_->synchronize();  // the step that waits for a copy may not have been started yet
    }
  });
}

core::HostTensor Executor::read(graph::ValueId id) {
  const graph::Value& value = graph_.value(id);
  const SlotId slot = lowered_->slot_of_value.at(static_cast<std::size_t>(id));
  DLBENCH_CHECK(slot != backend::kNoSlot) << value.name << " was fused away: keep it";
  const std::size_t bytes = lowered_->slots[static_cast<std::size_t>(slot)].bytes;
  std::vector<std::byte> physical(bytes);
  stream_->copy_to_host(physical.data(), slots_[slot], bytes);
  synchronize();
  core::HostTensor logical(value.dtype, value.shape);
  lowered_->export_value(id, physical.data(), logical);
  return logical;
}

core::HostTensor Executor::read(std::string_view output) {
  const auto found = graph_.outputs().find(std::string(output));
  DLBENCH_CHECK(found != graph_.outputs().end()) << "no output named " << output;
  return read(found->second);
}

float Executor::read_scalar(std::string_view output) {
  return static_cast<float>(read(output).at(0));
}

}  // namespace dlbench::exec
