// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Walks a plan. The steady state neither allocates nor creates primitives nor synchronises a
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

/// Whether a step is recorded once and replayed (a CUDA graph). Where device or communicator
/// cannot, steps run as before. kAuto: they do so, with a warning, also where recording fails and
/// there is one rank; kOn, and several ranks (others may have recorded): a failure ends the run.
enum class GraphReplay : std::uint8_t { kOff, kAuto, kOn };
inline constexpr std::array<core::Named<GraphReplay>, 3> kGraphReplays{
    {{GraphReplay::kAuto, "auto"}, {GraphReplay::kOn, "on"}, {GraphReplay::kOff, "off"}}};

class Executor;

struct ExecutorOptions {
  backend::LoweringOptions lowering;
  GraphReplay replay = GraphReplay::kOff;
  std::vector<std::string> watch{};  ///< f32 outputs, told with each finished step
  /// On several ranks: a step that communicates begins by giving all of them rank 0's buffers
  /// (running statistics), as PyTorch's DistributedDataParallel does. Of phase all_reduce.
  bool broadcast_buffers = false;
  /// Computes in the arena of that one where it is large enough: no step of one may be on its way
  /// when the other begins one. Null: an arena of its own.
  const Executor* shares_arena_with = nullptr;
};

/// Device bytes of an Executor for the inputs of `graph` where the device cannot read the host's:
/// what kernels read, and two places that are filled in turn.
[[nodiscard]] std::size_t input_staging_bytes(const graph::Graph& graph);

/// One executable step: lowered graph, plan, arena. Holds references to backend, state,
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

  /// Binds an input by name for the following steps. `host` holds the input's dtype and shape,
  /// row-major, and stays valid until the step that reads it is done. On a device without host
  /// access the copy is enqueued here. Throws core::Error(kShape) for an unknown name.
  void bind_input(std::string_view name, const std::byte* host, std::size_t bytes);

  /// Whether the next steps reduce their gradients over the ranks; they do at first. Without it
  /// (trial synthetic/nocomm) the models of the ranks drift apart.
  void set_communication(bool on);
  [[nodiscard]] bool communicates() const { return communicates_; }

  /// Whether the next steps update the parameters; they do at first. Without it a step still counts
  /// itself, so that random numbers go on.
  void set_update(bool on);

  /// Whether the next steps may be recorded and replayed; they may at first. Else they run node by
  /// node, for a profiler that wants to see the host's phases and ops. Recordings are kept.
  void set_replay(bool on) { may_replay_ = on; }

  /// Runs the step. On a GPU it returns when the work is enqueued, having waited for the oldest of
  /// StepRing::kInFlight steps on their way. With replay, two steps run node by node (first uses
  /// load, connect and allocate), the third is recorded, and from then on a step is one launch:
  /// each for itself with and without communication and updates, so that who changes between them
  /// and back finds the recording again.
  void run();
  /// Steps of run() of which neither of the next two has told yet.
  [[nodiscard]] std::size_t steps_in_flight() const { return ring_.in_flight(); }
  /// The oldest of those if it is done, else nothing.
  [[nodiscard]] std::optional<FinishedStep> poll_step();
  /// The oldest of those, once it is done: blocks. Nothing where none is on its way.
  [[nodiscard]] std::optional<FinishedStep> await_step();
  /// Reduces what a step would, one after the other with nothing beside it. Where the device
  /// computes in a queue, twice, and returns the seconds that the second pass takes by the device's
  /// clock, and is done then; replayed from the second call on, where steps are. Nothing elsewhere,
  /// where the communicator has clocks of its own. Collective.
  std::optional<double> all_reduce_alone();
  /// Whether steps with the present communication and updates were recorded.
  [[nodiscard]] bool replays() const { return variant().replay != nullptr; }
  /// Why steps that may be replayed never are; empty: nothing is in the way, or nobody asked.
  [[nodiscard]] std::string why_no_replay() const;
  /// Runs the step node by node, done when it returns; node_seconds()[i] belongs to
  /// lowered().nodes[i]: from the end of the node before to its own. Where the device computes in
  /// the host's memory that is on the host's clock. Else the nodes are enqueued all at once, and it
  /// is on the device's clock between events: what the device was idle in between, since the host
  /// enqueues more slowly than it works, is in the node that it waited for.
  void run_profiled();
  [[nodiscard]] std::span<const double> node_seconds() const { return node_seconds_; }
  /// Blocks until all enqueued work is done.
  void synchronize();

  /// An output or kept value in logical layout. Synchronises: not inside a timed region, except
  /// scalars.
  [[nodiscard]] core::HostTensor read(graph::ValueId value);
  [[nodiscard]] core::HostTensor read(std::string_view output);
  /// A scalar f32 output such as "loss".
  [[nodiscard]] float read_scalar(std::string_view output);

 private:
  /// The contiguous gradients of one bucket, or the sums of a loss.
  struct Bucket {
    comm::ReduceRequest request;
    comm::Ticket ticket = 0;
    bool blocks = false;  ///< nothing is computed between its start and its wait
  };
  /// One of two places on the device to which the host's content is copied beside a running step.
  struct Staging {
    std::byte* memory = nullptr;
    std::unique_ptr<backend::Stream::Event> copied;
    std::unique_ptr<backend::Stream::Event> consumed;
    bool in_use = false;  ///< consumed was recorded
  };
  struct Input {
    graph::ValueId value = graph::kNoValue;
    std::byte* memory = nullptr;  ///< what kernels read; null where they read host memory
    std::array<Staging, 2> staging;
    std::size_t next = 0;   ///< where the next content goes
    bool arriving = false;  ///< content was bound since the last step
    bool bound = false;
  };
  /// Nodes that follow one another and belong to one phase; a broadcast, if there is one, is a
  /// first part without nodes.
  struct Part {
    graph::Phase phase = graph::Phase::kForward;
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  /// Steps with one setting of communication and updates.
  struct Variant {
    int steps = 0;  ///< run node by node that might have been recorded
    std::unique_ptr<backend::Replay> replay;
    bool launched = false;           ///< once: what fails from then on is the step itself
    std::vector<graph::NodeId> ops;  ///< of the recorded work, as probes call them
  };

  /// Of all_reduce_alone(), on a device with a queue.
  struct LoneAllReduces {
    bool connected = false;  ///< they have run once
    std::unique_ptr<backend::Stream::Event> begin;
    std::unique_ptr<backend::Stream::Event> end;
    std::unique_ptr<backend::Replay> replay;  ///< two passes, with both events about the second
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
  /// `recording`: what notes the ops of the recorded work; null while none is recorded.
  void run_nodes(Variant* recording);
  /// The work that `enqueue()` adds to the stream, which does not run; null where none may be
  /// recorded, or where that fails and go_on_without_replay() lets it.
  template <typename Enqueue>
  [[nodiscard]] std::unique_ptr<backend::Replay> recorded(const Enqueue& enqueue);
  [[nodiscard]] bool record_replay();
  /// Whether it was launched; the recording's failure is dealt with.
  [[nodiscard]] bool launch_replay();
  /// Likewise, of lone_.
  [[nodiscard]] bool launch_all_reduces();
  void rethrow_failed_collectives();
  /// From now on node by node, or the failure, where the user or other ranks count on recordings.
  void go_on_without_replay(const core::Error& failure, const char* what);
  [[nodiscard]] static std::size_t variant_index(bool communicates, bool updates);
  [[nodiscard]] Variant& variant() { return variants_[variant_index(communicates_, updates_)]; }
  [[nodiscard]] const Variant& variant() const {
    return variants_[variant_index(communicates_, updates_)];
  }
  /// Tells probes which ops the recorded work of the present variant runs.
  void tell_recorded_ops() const;
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
  std::vector<std::span<std::byte>> broadcast_;  ///< what a step takes from rank 0 first
  std::vector<Part> parts_;
  std::unique_ptr<backend::Stream> stream_;
  StepRing ring_;
  std::vector<std::span<const std::byte>> watched_;  ///< ExecutorOptions::watch, on the device
  std::unique_ptr<backend::Stream> copy_stream_;     ///< null where inputs are read in place
  std::shared_ptr<backend::Buffer> arena_;           ///< with the scratch behind it
  std::unique_ptr<backend::Buffer> input_staging_;
  backend::SlotTable slots_;
  std::map<std::string, Input, std::less<>> inputs_;
  std::vector<Bucket> buckets_;
  std::array<Variant, 4> variants_;  ///< by variant_index()
  LoneAllReduces lone_;
  bool prepared_ = false;  ///< the communicator knows the buckets
  bool communicates_ = true;
  bool updates_ = true;
  bool may_replay_ = true;
  std::string why_no_replay_;  ///< what recording met
  std::vector<double> node_seconds_;
  std::vector<std::unique_ptr<backend::Stream::Event>> node_ends_;  ///< and, first, the begin
};

}  // namespace dlbench::exec
