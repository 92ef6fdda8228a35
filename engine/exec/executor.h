// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Executes a plan. The steady state neither allocates, nor creates primitives, nor synchronises a
// device.
#pragma once

#include "engine/backend/backend.h"
#include "engine/comm/communicator.h"
#include "engine/core/error.h"
#include "engine/core/named.h"
#include "engine/exec/model_state.h"
#include "engine/exec/plan.h"
#include "engine/exec/step_ring.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::exec {

/// Whether a step is captured once and replayed (as a CUDA graph). If the device or communicator
/// does not support that, steps run node by node. If capture fails: with kAuto and one rank they do
/// so too, with a warning; with kOn or several ranks (others may have captured) the run ends.
enum class GraphReplay : std::uint8_t { kOff, kAuto, kOn };
inline constexpr std::array<core::Named<GraphReplay>, 3> kGraphReplays{
    {{GraphReplay::kAuto, "auto"}, {GraphReplay::kOn, "on"}, {GraphReplay::kOff, "off"}}};

class Executor;

struct ExecutorOptions {
  backend::LoweringOptions lowering;
  GraphReplay replay = GraphReplay::kOff;
  std::vector<std::string> watch{};  ///< f32 outputs, reported with each finished step
  /// With several ranks, a step that communicates first broadcasts rank 0's buffers (running
  /// statistics), as PyTorch's DistributedDataParallel does. Counted as phase all_reduce.
  bool broadcast_buffers = false;
  /// Uses the arena of this executor if it is large enough: no step of one may be in flight when
  /// the other begins one. Null: allocate an arena.
  const Executor* shares_arena_with = nullptr;
};

/// Device memory in bytes that an Executor needs for the inputs of `graph` if the device cannot
/// read host memory: what kernels read, and two staging places that are filled in turn.
[[nodiscard]] std::size_t input_staging_bytes(const graph::Graph& graph);

/// One executable step: lowered graph, plan, arena. Keeps references to backend, state and
/// communicator.
class Executor {
 public:
  Executor(backend::Backend& backend,
           ModelState& state,
           comm::Communicator& communicator,
           graph::Graph graph,
           const ExecutorOptions& options);
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  [[nodiscard]] const graph::Graph& graph() const { return graph_; }
  [[nodiscard]] const backend::LoweredGraph& lowered() const { return *lowered_; }
  [[nodiscard]] const Plan& plan() const { return plan_; }

  /// Binds an input by name for the following steps. `host` holds the input in its dtype and shape,
  /// row-major, and stays valid until the step that reads it is done. On a device that cannot read
  /// host memory the copy is enqueued here. Throws core::Error(kShape) for an unknown name or size.
  void bind_input(std::string_view name, const std::byte* host, std::size_t bytes);

  /// Sets whether the next steps reduce their gradients over the ranks; the default is on. Without
  /// (trial synthetic/nocomm), the models of the ranks drift apart.
  void set_communication(bool on);
  [[nodiscard]] bool communicates() const { return communicates_; }

  /// Sets whether the next steps update the parameters; the default is on. Without, a step still
  /// increments the step counter, so that random numbers advance.
  void set_update(bool on);

  /// Sets whether the next steps may be captured and replayed; the default is on. Without, they run
  /// node by node, so that a profiler sees phases and ops on the host. Captured graphs are kept.
  void set_replay(bool on) { may_replay_ = on; }

  /// Runs the step. On a GPU it returns once the work is enqueued; if StepRing::kInFlight steps are
  /// in flight it first waits for the oldest. With replay, two steps run node by node (first uses
  /// load, connect and allocate), the third is captured, and from then on a step is one launch.
  /// Graphs are captured and kept separately with and without communication and updates, so that
  /// switching back reuses the earlier capture.
  void run();
  /// The number of steps begun by run() and not yet returned by poll_step() or await_step().
  [[nodiscard]] std::size_t steps_in_flight() const { return ring_.in_flight(); }
  /// Returns the oldest of those steps if it is done, otherwise nullopt.
  [[nodiscard]] std::optional<FinishedStep> poll_step();
  /// Waits for the oldest of those steps and returns it; nullopt if there is none.
  [[nodiscard]] std::optional<FinishedStep> await_step();
  /// Runs the all-reduces of a step one after the other, with no other work. On a device with a
  /// queue: runs them twice, waits, and returns the seconds of the second pass on the device's
  /// clock; replayed from the second call on if steps are. On the host, where the communicator
  /// measures time itself, runs them once and returns nullopt. Collective.
  std::optional<double> all_reduce_alone();
  /// Whether a graph was captured for the current settings of communication and updates.
  [[nodiscard]] bool replays() const { return variant().replay != nullptr; }
  /// Why steps are never replayed although replay is on; empty if nothing prevents it or it is off.
  [[nodiscard]] std::string why_no_replay() const;
  /// Runs the step node by node and waits for it. Afterwards node_seconds()[i] is the time from the
  /// end of node i - 1 to the end of lowered().nodes[i]. On a backend that computes in host memory
  /// it is measured on the host's clock. On others all nodes are enqueued at once and measured with
  /// events on the device's clock: time in which the device was idle because the host enqueues more
  /// slowly than the device computes is included in the node it waited for.
  void run_profiled();
  [[nodiscard]] std::span<const double> node_seconds() const { return node_seconds_; }
  /// Blocks until all enqueued work is done.
  void synchronize();

  /// Returns an output or kept value in logical layout. Synchronises: do not call inside a timed
  /// region, except for scalars.
  [[nodiscard]] core::HostTensor read(graph::ValueId value);
  [[nodiscard]] core::HostTensor read(std::string_view output);
  /// Returns a scalar f32 output such as "loss".
  [[nodiscard]] float read_scalar(std::string_view output);

 private:
  /// The contiguous gradients of one bucket, or the sums of a loss.
  struct Bucket {
    comm::ReduceRequest request;
    comm::Ticket ticket = 0;
    bool blocks = false;  ///< no kernel runs between its start and its wait
  };
  /// One of two places on the device to which host memory is copied during a running step.
  struct Staging {
    std::byte* memory = nullptr;
    std::unique_ptr<backend::Stream::Event> copied;
    std::unique_ptr<backend::Stream::Event> consumed;
    bool in_use = false;  ///< `consumed` was recorded
  };
  struct Input {
    graph::ValueId value = graph::kNoValue;
    std::byte* memory = nullptr;  ///< what kernels read; null if they read host memory
    std::array<Staging, 2> staging;
    std::size_t next = 0;   ///< index of the staging place to fill next
    bool arriving = false;  ///< new content was bound since the last step
    bool bound = false;
  };
  /// Consecutive nodes of one phase, [begin, end); a broadcast, if any, is a first part without
  /// nodes.
  struct Part {
    graph::Phase phase = graph::Phase::kForward;
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  /// Steps with one setting of communication and updates.
  struct Variant {
    int steps = 0;  ///< run node by node so far although replay was allowed
    std::unique_ptr<backend::Replay> replay;
    bool launched = false;           ///< at least once: later failures are those of the step
    std::vector<graph::NodeId> ops;  ///< of the captured work, by the ids that probes use
  };

  /// State of all_reduce_alone() on a device with a queue.
  struct LoneAllReduces {
    bool connected = false;  ///< the all-reduces have run once
    std::unique_ptr<backend::Stream::Event> begin;
    std::unique_ptr<backend::Stream::Event> end;
    std::unique_ptr<backend::Replay> replay;  ///< two passes, both events around the second
  };

  [[nodiscard]] std::vector<Part> parts_of(const backend::LoweredGraph& lowered) const;
  [[nodiscard]] static std::vector<graph::Phase> phases_of(const std::vector<Part>& parts);
  void bind_state();
  void bind_arena();
  void bind_inputs();
  void bind_buckets();
  [[nodiscard]] const graph::Value& watched_value(const std::string& output) const;
  [[nodiscard]] std::size_t watched_count() const;
  void bind_watched();
  void find_blocking_buckets();
  void check_bound() const;
  [[nodiscard]] bool skips(const backend::LoweredNode& node) const;
  void take_inputs();
  /// `capturing`: where to note the ops of the captured work; null if no graph is being captured.
  void run_nodes(Variant* capturing);
  /// Captures the work that `enqueue()` adds to the stream, without running it. Null if capture is
  /// not allowed, or if it fails and go_on_without_replay() tolerates that.
  template <typename Enqueue>
  [[nodiscard]] std::unique_ptr<backend::Replay> captured(const Enqueue& enqueue);
  [[nodiscard]] bool capture_step();
  /// Launches the captured step. Returns false if its first launch failed, which is handled here.
  [[nodiscard]] bool launch_replay();
  /// Likewise for lone_.
  [[nodiscard]] bool launch_all_reduces();
  void rethrow_failed_collectives();
  /// Switches to running node by node; throws instead if the user or other ranks rely on replay.
  void go_on_without_replay(const core::Error& failure, const char* what);
  [[nodiscard]] static std::size_t variant_index(bool communicates, bool updates);
  [[nodiscard]] Variant& variant() { return variants_[variant_index(communicates_, updates_)]; }
  [[nodiscard]] const Variant& variant() const {
    return variants_[variant_index(communicates_, updates_)];
  }
  /// Tells probes which ops the captured graph of the current variant runs.
  void announce_captured_ops() const;
  void profile_on_host();
  void profile_on_device();
  void run_node(const backend::LoweredNode& node);
  void run_communication(const backend::LoweredNode& node);
  void broadcast_buffers();
  void prepare_communication();

  backend::Backend& backend_;
  ModelState& state_;
  comm::Communicator& communicator_;
  graph::Graph graph_;
  ExecutorOptions options_;
  std::unique_ptr<backend::LoweredGraph> lowered_;
  Plan plan_;
  std::vector<std::span<std::byte>> broadcast_;  ///< memory that a step first gets from rank 0
  std::vector<Part> parts_;
  std::unique_ptr<backend::Stream> stream_;
  StepRing ring_;
  std::vector<std::span<const std::byte>> watched_;  ///< ExecutorOptions::watch, on the device
  std::unique_ptr<backend::Stream> copy_stream_;     ///< null if inputs are read in place
  std::shared_ptr<backend::Buffer> arena_;           ///< followed by the scratch memory
  std::unique_ptr<backend::Buffer> input_staging_;
  backend::SlotTable slots_;
  std::map<std::string, Input, std::less<>> inputs_;
  std::vector<Bucket> buckets_;
  std::array<Variant, 4> variants_;  ///< by variant_index()
  LoneAllReduces lone_;
  bool prepared_ = false;  ///< Communicator::prepare() was called for all buckets
  bool communicates_ = true;
  bool updates_ = true;
  bool may_replay_ = true;
  std::string why_no_replay_;  ///< why capture failed
  std::vector<double> node_seconds_;
  std::vector<std::unique_ptr<backend::Stream::Event>> node_ends_;  ///< preceded by the begin
};

}  // namespace dlbench::exec
