// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What one measurement needs, opened and checked before anything big is allocated.
#pragma once

#include "data/dataset.h"
#include "data/loader/prefetch_loader.h"
#include "engine/backend/backend.h"
#include "engine/comm/rendezvous.h"
#include "engine/exec/executor.h"
#include "harness/session/batch_share.h"
#include "harness/session/locate_data.h"
#include "harness/session/memory_need.h"
#include "harness/session/session_options.h"
#include "workloads/workload.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::harness {

/// A run before anything big is allocated: enough for --dry-run.
class SessionPlan {
 public:
  /// The split that trials load.
  static constexpr data::Split kSplit = data::Split::kTrain;

  /// Opens backend and data set and builds the graph. Throws core::Error for everything that is
  /// wrong with names, sizes, files or the device, on all ranks alike. Collective over `ranks`,
  /// which must outlive the plan.
  SessionPlan(SessionOptions options, comm::Rendezvous& ranks);

  [[nodiscard]] const SessionOptions& options() const { return options_; }
  [[nodiscard]] const workloads::Workload& workload() const { return *workload_; }
  [[nodiscard]] const workloads::BuiltWorkload& built() const { return built_; }
  [[nodiscard]] const graph::Graph& training_graph() const { return training_graph_; }
  [[nodiscard]] backend::Backend& backend() const { return *backend_; }
  [[nodiscard]] const data::Dataset& dataset() const { return *dataset_; }
  /// Returns the split and folder of the samples: "split train in 'DIR'".
  [[nodiscard]] std::string split_name() const;
  [[nodiscard]] const DataSource& source() const { return source_; }
  /// The files of the data set, of all splits.
  [[nodiscard]] std::vector<std::filesystem::path> data_files() const;
  [[nodiscard]] comm::Rendezvous& ranks() const { return ranks_; }
  /// Returns the FLOP of a step, summed over the ranks' graphs, per sample of the global batch;
  /// with a single root without the optimizer of the other ranks. The same on all ranks.
  [[nodiscard]] double training_flop_per_sample() const { return training_flop_per_sample_; }
  /// Names of the ranks' devices, by rank, on rank 0; empty elsewhere.
  [[nodiscard]] const std::vector<std::string>& device_names() const { return device_names_; }
  /// PCI addresses of these devices, by rank, on rank 0; empty texts for devices other than GPUs.
  [[nodiscard]] const std::vector<std::string>& device_addresses() const {
    return device_addresses_;
  }
  /// Whether rank 0 loads the global batch and updates the parameters for all: --strategy
  /// data-parallel on several ranks.
  [[nodiscard]] bool single_root() const {
    return options_.strategy == Strategy::kDataParallel && ranks_.size() > 1;
  }
  /// Samples of this rank in a step.
  [[nodiscard]] std::int64_t batch_size() const { return batch_.local; }
  [[nodiscard]] const BatchShare& batch() const { return batch_; }
  [[nodiscard]] std::int64_t workers() const { return workers_; }
  /// Returns how many of the workers can be busy at the same time.
  [[nodiscard]] std::int64_t most_busy_workers() const;
  /// Threads of this rank that a step keeps busy on the host: those that compute, or the one that
  /// gives a GPU its work.
  [[nodiscard]] int step_threads() const { return std::max(backend_->device().threads, 1); }
  /// These and the loader workers.
  [[nodiscard]] std::int64_t own_threads() const { return step_threads() + workers_; }
  [[nodiscard]] core::DType compute_dtype() const { return dtype_; }
  /// How the ranks share a step, as far as workload and number of ranks leave a choice.
  [[nodiscard]] const workloads::ReductionOptions& reduction() const { return reduction_; }
  [[nodiscard]] backend::LoweringOptions lowering() const;
  [[nodiscard]] data::LoaderOptions loader_options() const;
  /// The memory need of a caller that does not just repeat training steps of one size as a session
  /// does: converts the session's need to the caller's.
  using MemoryNeedRule =
      std::function<MemoryNeed(std::int64_t batch_size, const MemoryNeed& of_run)>;
  /// Sets the rule; call it before memory_need().
  void set_memory_need(MemoryNeedRule rule) { memory_need_rule_ = std::move(rule); }
  /// Returns the memory need. Lowers without tuning and plans. Cached.
  [[nodiscard]] const MemoryNeed& memory_need();
  /// OpenedDevice::why_no_better.
  [[nodiscard]] const std::string& why_no_better_device() const { return why_no_better_device_; }
  /// Describes which ranks share one GPU, as comm::shared_device() does; empty: each has its own.
  [[nodiscard]] const std::string& shared_device() const { return shared_device_; }
  /// Ranks that compute on this rank's device, itself included.
  [[nodiscard]] int ranks_on_device() const { return ranks_on_device_; }
  /// Returns the memory that this rank may still take.
  [[nodiscard]] MemoryRoom memory_room() const;
  /// Throws core::Error(kMemory) if the need exceeds memory_room(), with the needed and available
  /// memory and the largest batch that fits.
  void check_memory();

 private:
  friend class Session;

  void open();
  void open_data();
  void choose_workers();
  void check_link() const;
  void check_single_root() const;
  void check_sharing() const;
  void gather_ranks();

  [[nodiscard]] MemoryNeed need_for_batch(std::int64_t batch_size) const;
  /// Adds to the `need` of a step what ranks and loader need.
  [[nodiscard]] MemoryNeed need_beside(MemoryNeed need, std::int64_t batch_size) const;

  SessionOptions options_;
  comm::Rendezvous& ranks_;
  const workloads::Workload* workload_ = nullptr;
  BatchShare batch_;
  std::unique_ptr<backend::Backend> backend_;
  std::string why_no_better_device_;
  std::string shared_device_;
  int ranks_on_device_ = 1;
  core::DType dtype_ = core::DType::kF32;
  workloads::BuiltWorkload built_;
  workloads::ReductionOptions reduction_;
  graph::Graph training_graph_;
  double training_flop_per_sample_ = 0.0;
  std::vector<std::string> device_names_;
  std::vector<std::string> device_addresses_;
  DataSource source_;
  std::unique_ptr<data::Dataset> dataset_;
  std::int64_t workers_ = 1;
  MemoryNeedRule memory_need_rule_;
  std::optional<MemoryNeed> need_;
};

}  // namespace dlbench::harness
