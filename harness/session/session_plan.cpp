// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/session/session_plan.h"

#include "engine/comm/shared_device.h"
#include "engine/core/error.h"
#include "harness/cache_folder.h"
#include "harness/ranks.h"
#include "harness/session/cuda_graph.h"
#include "harness/session/open_device.h"
#include "harness/session/run_guard.h"
#include "harness/session/same_samples.h"
#include "probes/node/system_info.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

namespace dlbench::harness {
namespace {

using core::Error;
using core::ErrorCode;

}  // namespace

SessionPlan::SessionPlan(SessionOptions options, comm::Rendezvous& ranks)
    : options_(std::move(options)), ranks_(ranks) {
  OpenedDevice opened =
      open_device_on_all(ranks_, options_.device, options_.threads, options_.gpu_address);
  backend_ = std::move(opened.backend);
  why_no_better_device_ = std::move(opened.why_no_better);
  together(ranks_, [&] { open(); });
  const std::vector<std::string> devices = comm::device_addresses(ranks_, *backend_);
  shared_device_ = comm::shared_device(ranks_.places(), devices);
  ranks_on_device_ = comm::ranks_on_device(ranks_.places(), devices, ranks_.rank());
  check_sharing();
  gather_ranks();
  // One rank makes what is made only once; the others then find it.
  together(ranks_, [&] {
    if (ranks_.rank() == 0) {
      open_data();
    }
  });
  together(ranks_, [&] {
    if (ranks_.rank() != 0) {
      open_data();
    }
  });
  check_same_samples(ranks_, dataset_.get(), "split " + std::string(data::name(kSplit)));
}

void SessionPlan::open() {
  workload_ = &workloads::find_workload(options_.workload);
  check_cuda_graph(options_.cuda_graph, *backend_);
  dtype_ = harness::compute_dtype(options_.precision, *backend_);
  batch_ = share_batch(options_.batch_size.value_or(workload_->spec().batch_size),
                       options_.global_batch_size,
                       ranks_.rank(),
                       ranks_.size());
  built_ =
      workload_->build({.batch_size = batch_.local, .image_size = options_.image_size.value_or(0)},
                       graph::Mode::kTrain);
  const bool ratio = workload_->spec().loss_reduction == workloads::LossReduction::kBatchRatio;
  reduction_ = {.buckets = options_.buckets,
                .sync_loss = options_.sync_loss && ratio && ranks_.size() > 1};
  training_graph_ = workloads::training_graph(workload_->spec(), built_, dtype_, reduction_);
  check_link();
  check_single_root();
}

void SessionPlan::gather_ranks() {
  const graph::GraphTotals own = graph::totals(training_graph_);
  const bool updates = !single_root() || ranks_.rank() == 0;
  const std::vector<double> flop = ranks_.all_gather(
      static_cast<double>(own.training_flop - (updates ? 0 : own.optimizer_flop)));
  training_flop_per_sample_ =
      std::accumulate(flop.begin(), flop.end(), 0.0) / static_cast<double>(batch_.global);
  device_names_ = ranks_.gather(backend_->device().name);
  device_addresses_ = ranks_.gather(backend_->device().address);
}

void SessionPlan::check_sharing() const {
  if (shared_device_.empty()) {
    return;
  }
  if (!options_.share_gpu) {
    throw Error(ErrorCode::kUnavailable, comm::refusal_to_share(shared_device_));
  }
  check_cuda_graph(options_.cuda_graph, *backend_, shared_device_);
}

void SessionPlan::check_link() const {
  if (ranks_.size() > 1 && options_.link.has_value()) {
    require_host_memory(*backend_, "--link");
  }
}

void SessionPlan::check_single_root() const {
  if (!single_root()) {
    return;
  }
  const comm::RankPlace& place = ranks_.places()[static_cast<std::size_t>(ranks_.rank())];
  if (place.local_size < ranks_.size()) {
    throw Error(ErrorCode::kUsage,
                "--strategy data-parallel is for the ranks of one node; this launch has " +
                    std::to_string(ranks_.size()) + " of which " +
                    std::to_string(place.local_size) + " are on node " + place.host);
  }
  if (dtype_ == core::DType::kF16) {
    throw Error(ErrorCode::kUnavailable,
                "--strategy data-parallel has no loss scaling, for rank 0 alone has the gradients: "
                "choose --precision fp32 or bf16");
  }
  require_host_memory(*backend_, "--strategy data-parallel");
}

void SessionPlan::open_data() {
  source_ = locate_data(workload_->spec().dataset,
                        options_.data,
                        std::max(options_.largest_global_batch, batch_.global));
  dataset_ =
      data::open_dataset(workload_->spec().dataset,
                         source_.folder,
                         kSplit,
                         {.image_size = built_.params.image_size, .decode = options_.decode});
  if (dataset_->size() < batch_.global) {
    const std::int64_t largest = dataset_->size() / ranks_.size();
    const bool global = options_.global_batch_size.has_value();
    const std::string advice =
        largest == 0 ? "start no more ranks than samples"
                     : std::string("choose a --") + (global ? "global-batch-size" : "batch-size") +
                           " of at most " + std::to_string(global ? dataset_->size() : largest);
    throw Error(ErrorCode::kUsage,
                "a batch of " + std::to_string(batch_.global) +
                    (ranks_.size() > 1 ? " over " + std::to_string(ranks_.size()) + " ranks" : "") +
                    " is larger than the " + std::to_string(dataset_->size()) + " samples of " +
                    split_name() + "; " + advice +
                    ", or give --data with more (`dlbench data generate` writes any number)");
  }
  choose_workers();
}

std::string SessionPlan::split_name() const {
  return "split " + std::string(data::name(kSplit)) + " in '" + source_.folder.string() + "'";
}

void SessionPlan::choose_workers() {
  workers_ = options_.workers.value_or(std::min<std::int64_t>(
      options_.own_cpus.value_or(probes::usable_cpus()), most_busy_workers()));
}

std::int64_t SessionPlan::most_busy_workers() const {
  return data::most_busy_workers(dataset_->spec(), loader_options());
}

std::vector<std::filesystem::path> SessionPlan::data_files() const {
  return harness::data_files(workload_->spec().dataset, source_.folder);
}

backend::LoweringOptions SessionPlan::lowering() const {
  const std::optional<std::filesystem::path> kept = cache_folder_if_usable();
  return {.conv_algorithm = options_.conv_algorithm,
          .deterministic = options_.deterministic,
          .allow_tf32 = options_.precision == "tf32",
          .tuning_cache = kept.has_value() ? (*kept / "tuning.txt").string() : "",
          .autotune = options_.autotune,
          .check = &RunGuard::check_at_work,
          .tune_until_s = options_.tune_until_s};
}

data::LoaderOptions SessionPlan::loader_options() const {
  data::LoaderOptions loader;
  loader.batch_size = batch_.local;
  loader.global_batch_size = batch_.global;
  loader.rank = ranks_.rank();
  loader.world = ranks_.size();
  if (single_root()) {
    loader.batch_size = batch_.global;
    loader.rank = 0;
    loader.world = 1;
  }
  loader.workers = static_cast<int>(workers_);
  loader.prefetch = static_cast<int>(options_.prefetch);
  // The cached one, those of steps in flight, and the one that the next step takes.
  loader.max_leases =
      backend_->reads_host_memory() ? 2 : 2 + static_cast<int>(exec::StepRing::kInFlight);
  loader.seed = options_.seed;
  loader.shard = options_.shard;
  loader.skip_corrupt = options_.skip_corrupt;
  loader.corrupt_advice = "--skip-corrupt goes on without such files";
  loader.storage = options_.storage;
  loader.allocator = &backend_->host_allocator();
  return loader;
}

MemoryNeed SessionPlan::need_for_batch(std::int64_t batch_size) const {
  const workloads::BuiltWorkload built = workload_->build(
      {.batch_size = batch_size, .image_size = built_.params.image_size}, graph::Mode::kTrain);
  const graph::Graph graph =
      workloads::training_graph(workload_->spec(), built, dtype_, reduction_);
  const MemoryNeed need = need_beside(need_of_step(*backend_, graph, lowering()), batch_size);
  return memory_need_rule_ ? memory_need_rule_(batch_size, need) : need;
}

MemoryNeed SessionPlan::need_beside(MemoryNeed need, std::int64_t batch_size) const {
  if (ranks_.size() > 1 && options_.compression.has_value()) {
    need.workspace += need.gradients / 2;  // as they travel
  }
  need.device_reserve += nccl_reserve(ranks_.size(), need.on_device, !shared_device_.empty());
  data::LoaderOptions loader = loader_options();
  if (!single_root()) {
    loader.batch_size = batch_size;
  }
  loader.global_batch_size = 0;
  need.loader_buffers =
      static_cast<std::int64_t>(data::loader_buffer_bytes(dataset_->spec(), loader));
  return need;
}

const MemoryNeed& SessionPlan::memory_need() {
  if (!need_.has_value()) {
    need_ = need_for_batch(batch_size());
  }
  return *need_;
}

MemoryRoom SessionPlan::memory_room() const {
  const comm::RankPlace& place = ranks_.places()[static_cast<std::size_t>(ranks_.rank())];
  return read_memory_room(*backend_, {.host = place.local_size, .device = ranks_on_device_});
}

void SessionPlan::check_memory() {
  check_least(memory_room());  // what a plan needs is found by making kernels, which need some too
  const bool smaller_images = workload_->spec().image_size.min < built_.params.image_size;
  const bool global = options_.global_batch_size.has_value();
  check_room(memory_room(),
             batch_size(),
             {.smaller_images = smaller_images,
              .option = global ? "--global-batch-size" : "--batch-size",
              .ranks = global ? ranks_.size() : 1},
             [this](std::int64_t batch_size) {
               return batch_size == this->batch_size() ? memory_need() : need_for_batch(batch_size);
             });
}

}  // namespace dlbench::harness
