// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Everything one measurement needs, opened and checked: workload, data set, backend, model state,
// training step, loader. Commands and trials work on it.
#pragma once

#include "data/dataset.h"
#include "data/loader/page_cache.h"
#include "data/loader/prefetch_loader.h"
#include "engine/backend/backend.h"
#include "engine/comm/compressed.h"
#include "engine/comm/link_model.h"
#include "engine/comm/rendezvous.h"
#include "engine/exec/executor.h"
#include "engine/exec/model_state.h"
#include "harness/trials/memory_need.h"
#include "harness/trials/root_inputs.h"
#include "workloads/workload.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dlbench::harness {

/// What to open. Absent values: the workload's or the machine's.
/// The GPU of a rank's share of its node, see probes::RankPlacement.
struct GpuPlace {
  std::string address;  ///< PCI; empty: none was chosen
  int of = 0;           ///< how many GPUs the node has
};

struct SessionOptions {
  std::string workload;
  std::string device = "auto";             ///< auto, cpu, cuda[:N]; ref: the oracle, by name only
  std::string precision = "fp32";          ///< fp32, tf32, bf16, fp16
  std::optional<std::int64_t> batch_size;  ///< per rank
  std::optional<std::int64_t> global_batch_size;  ///< over all ranks; excludes the former
  std::optional<std::int64_t> image_size;
  std::optional<std::int64_t> threads;
  std::optional<std::int64_t> workers;
  std::int64_t prefetch = 2;
  std::uint64_t seed = 1;
  bool deterministic = false;
  bool share_gpu = false;  ///< several ranks may have one GPU: gradients go through host memory
  std::string conv_algorithm = "auto";
  bool autotune = true;
  GpuPlace gpu;
  std::string cuda_graph =
      "auto";        ///< auto: where the device can; on: refused where it cannot; off
  std::string data;  ///< empty: the usual folder, else generated once
  data::Split split = data::Split::kTrain;
  data::DecodeMode decode = data::DecodeMode::kExact;
  data::StorageOptions storage;
  data::ShardMode shard = data::ShardMode::kEarly;
  bool skip_corrupt = false;
  graph::BucketOptions buckets;
  bool sync_loss = false;  ///< a loss that is a batch ratio is that of the global batch
  std::optional<comm::LinkModel> link;  ///< simulated, in front of the real one
  std::string compression = "none";     ///< none, bf16, fp16: gradients on the wire
  bool broadcast_buffers = true;  ///< rank 0's running statistics to all ranks before each step
  /// ddp: every rank loads, reduces and updates; data-parallel: rank 0 loads and updates for all.
  std::string strategy = "ddp";
};

/// A batch and its parts on the ranks.
struct BatchShare {
  std::int64_t local = 0;   ///< samples of this rank
  std::int64_t global = 0;  ///< of all ranks
  std::int64_t first = 0;   ///< of this rank's samples in the global batch
};

/// The samples of rank `rank` of `ranks`: `per_rank` each, or shares of `global` of which the first
/// ranks get one sample more where it does not divide. Throws core::Error(kUsage) if a rank would
/// get none.
[[nodiscard]] BatchShare share_batch(std::int64_t per_rank,
                                     std::optional<std::int64_t> global,
                                     int rank,
                                     int ranks);

/// Where the data came from.
struct DataSource {
  std::filesystem::path folder;
  bool generated = false;  ///< taint generated_data
};

/// What is known of a run before anything big is allocated: enough for --dry-run.
class SessionPlan {
 public:
  /// Opens backend and data set, builds the graph. Throws core::Error for everything that is wrong
  /// with names, sizes, files or the device, on all ranks alike. Collective over `ranks`, which
  /// outlive the plan.
  SessionPlan(SessionOptions options, comm::Rendezvous& ranks);

  [[nodiscard]] const SessionOptions& options() const { return options_; }
  [[nodiscard]] const workloads::Workload& workload() const { return *workload_; }
  [[nodiscard]] const workloads::BuiltWorkload& built() const { return built_; }
  [[nodiscard]] const graph::Graph& training_graph() const { return training_graph_; }
  [[nodiscard]] backend::Backend& backend() const { return *backend_; }
  [[nodiscard]] const data::Dataset& dataset() const { return *dataset_; }
  [[nodiscard]] const DataSource& source() const { return source_; }
  /// The files of the data set, of all splits.
  [[nodiscard]] std::vector<std::filesystem::path> data_files() const;
  [[nodiscard]] comm::Rendezvous& ranks() const { return ranks_; }
  /// FLOP of a step of all ranks over the samples of the global batch: the sum of what each rank's
  /// graph has, without the optimizer where the single root alone updates. The same on all ranks.
  [[nodiscard]] double training_flop_per_sample() const { return training_flop_per_sample_; }
  /// Names of the ranks' devices, by rank, on rank 0; empty elsewhere.
  [[nodiscard]] const std::vector<std::string>& device_names() const { return device_names_; }
  /// Whether rank 0 loads the global batch and updates the parameters for all: --strategy
  /// data-parallel on several ranks.
  [[nodiscard]] bool single_root() const {
    return options_.strategy == "data-parallel" && ranks_.size() > 1;
  }
  /// Samples of this rank in a step.
  [[nodiscard]] std::int64_t batch_size() const { return batch_.local; }
  [[nodiscard]] const BatchShare& batch() const { return batch_; }
  [[nodiscard]] std::int64_t workers() const { return workers_; }
  [[nodiscard]] core::DType compute_dtype() const { return dtype_; }
  /// How the ranks share a step, as far as the workload and their number leave a choice.
  [[nodiscard]] const workloads::ReductionOptions& reduction() const { return reduction_; }
  [[nodiscard]] backend::LoweringOptions lowering() const;
  /// By --cuda-graph.
  [[nodiscard]] exec::GraphReplay replay() const;
  [[nodiscard]] data::LoaderOptions loader_options() const;
  /// Lowers without tuning and plans. Cached.
  [[nodiscard]] const MemoryNeed& memory_need();
  /// Which ranks have one GPU, as comm::shared_device() says it; empty: each has its own.
  [[nodiscard]] const std::string& shared_device() const { return shared_device_; }
  /// What this rank may still take.
  [[nodiscard]] MemoryRoom memory_room() const;
  /// Throws core::Error(kMemory) when the need exceeds that: needed, available, largest batch that
  /// fits.
  void check_memory();

 private:
  friend class Session;

  void open();
  void open_data();
  void check_link() const;
  void check_single_root() const;
  void check_sharing() const;
  void gather_ranks();

  [[nodiscard]] MemoryNeed need_for_batch(std::int64_t batch_size) const;
  /// `need` of a step, and what ranks and loader need beside it.
  [[nodiscard]] MemoryNeed need_beside(MemoryNeed need, std::int64_t batch_size) const;

  SessionOptions options_;
  comm::Rendezvous& ranks_;
  const workloads::Workload* workload_ = nullptr;
  BatchShare batch_;
  std::unique_ptr<backend::Backend> backend_;
  std::string shared_device_;
  int ranks_on_device_ = 1;
  core::DType dtype_ = core::DType::kF32;
  workloads::BuiltWorkload built_;
  workloads::ReductionOptions reduction_;
  graph::Graph training_graph_;
  double training_flop_per_sample_ = 0.0;
  std::vector<std::string> device_names_;
  DataSource source_;
  std::unique_ptr<data::Dataset> dataset_;
  std::int64_t workers_ = 1;
  std::optional<MemoryNeed> need_;
};

/// A plan made real: state initialised, step lowered, tuned and bound, loader made (and stopped).
/// On several ranks rank 0 tunes, all lower from its decisions, and start from its parameters.
class Session {
 public:
  /// Collective. Throws core::Error(kRun) if the ranks' plans differ.
  explicit Session(SessionPlan& plan);

  [[nodiscard]] SessionPlan& plan() { return plan_; }
  [[nodiscard]] exec::ModelState& state() { return *state_; }
  [[nodiscard]] exec::Executor& step() { return *step_; }
  [[nodiscard]] comm::Communicator& communicator() { return *communicator_; }
  /// Relative error that --compression brought into the gradients of one step on this rank; none
  /// without compression. Makes a step: not inside of a timed region. Collective.
  [[nodiscard]] std::optional<double> measure_compression_error();
  /// Stopped; start() it to use it, stop() it before measuring without it.
  [[nodiscard]] data::PrefetchLoader& loader() { return *loader_; }
  /// A real batch kept for the synthetic trials; of a single root the global one, on all ranks.
  [[nodiscard]] const data::Batch& cached_batch() const { return *cached_; }
  /// Whether this rank takes batches from the loader: all do, or the single root.
  [[nodiscard]] bool loads() const { return !plan_.single_root() || communicator_->rank() == 0; }
  /// Binds a batch, or this rank's part of a single root's, to the step's inputs; it must stay
  /// leased until the step is done.
  void bind(const data::Batch& batch);
  /// Before the step of a single root, in place of bind(): to each rank its part of the root's
  /// `batch` and the root's parameters. No step is on its way. Collective.
  void send_out(const data::Batch& batch);
  /// After the step of a single root, which gets the predictions of all ranks and the mean loss.
  /// Collective.
  [[nodiscard]] float collect_outputs(float own_loss);
  /// What the root got so: those of the global batch.
  [[nodiscard]] std::span<const std::byte> collected_predictions() const {
    return root_outputs_->predictions();
  }
  /// As SessionPlan::memory_need(), of the state that was made and the plan that tuning found.
  [[nodiscard]] MemoryNeed memory_need() const;
  /// Resident set grown by the allocation of state, step and loader, in bytes.
  [[nodiscard]] std::int64_t rss_growth_bytes() const { return rss_growth_bytes_; }

 private:
  void make_step();
  void make_root_exchange();
  void check_same_plan();

  SessionPlan& plan_;
  std::unique_ptr<backend::Stream> stream_;
  std::unique_ptr<comm::Communicator> communicator_;
  comm::CompressedCommunicator* compressed_ = nullptr;  ///< communicator_, if it compresses
  std::unique_ptr<exec::ModelState> state_;
  std::unique_ptr<exec::Executor> step_;
  std::unique_ptr<data::PrefetchLoader> loader_;
  data::BatchLease cached_;
  std::unique_ptr<RootInputs> root_inputs_;    ///< of a single root, on all ranks
  std::unique_ptr<RootOutputs> root_outputs_;  ///< the same
  std::int64_t rss_growth_bytes_ = 0;
};

/// `data` if given, else the format's usual folder if it is there, else nothing.
[[nodiscard]] std::optional<std::filesystem::path> present_data(const std::string& dataset,
                                                                const std::string& data);
/// The files of a data set in its folder, of all splits, and what says that it was generated: none
/// of them is for results.
[[nodiscard]] std::vector<std::filesystem::path> data_files(const std::string& dataset,
                                                            const std::filesystem::path& folder);
/// Those of the workload's data set that present_data() finds; none without it.
[[nodiscard]] std::vector<std::filesystem::path> present_data_files(const std::string& workload,
                                                                    const std::string& data);
/// As present_data(), or else 64 generated samples in the cache folder. Throws core::Error(kFile)
/// that names DLBENCH_CACHE_DIR if they cannot be put there.
[[nodiscard]] DataSource locate_data(const std::string& dataset, const std::string& data);

/// fp32, tf32, bf16, fp16 -> dtype of contractions. Throws core::Error(kUsage / kUnavailable).
[[nodiscard]] core::DType compute_dtype(const std::string& precision,
                                        const backend::Backend& backend);

/// auto, cpu, cuda[:N], ref -> a backend. With auto the reason why a better one was not taken is
/// logged. Of several GPUs a rank takes the one that it was placed at, or where
/// CUDA_VISIBLE_DEVICES hides some, the one of its number on its host. Throws
/// core::Error(kUnavailable).
[[nodiscard]] std::unique_ptr<backend::Backend> open_device(const std::string& device,
                                                            std::optional<std::int64_t> threads,
                                                            int local_rank = 0,
                                                            const GpuPlace& gpu = {});

/// Throws what open_device() and compute_dtype() would throw on every machine, without a look at
/// this one.
void check_device(const std::string& device, const std::string& precision);

/// Throws core::Error(kUnavailable) if `option`, which works in host memory between the ranks, is
/// given for a backend with a memory of its own.
void require_host_memory(const backend::Backend& backend, const std::string& option);

/// Resident set of this process in bytes, from /proc/self/statm, after what was freed but kept by
/// the C library (the buffers in which kernels were tried, for example) has been given back.
[[nodiscard]] std::int64_t resident_bytes();

}  // namespace dlbench::harness
