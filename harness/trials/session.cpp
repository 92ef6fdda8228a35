// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/session.h"

#include "engine/comm/shared_device.h"
#include "engine/core/check.h"
#include "engine/core/error.h"
#include "engine/core/host_allocator.h"
#include "engine/core/log.h"
#include "engine/core/nearest_name.h"
#include "engine/core/parallel.h"
#include "harness/cache_folder.h"
#include "harness/ranks.h"
#include "harness/trials/cuda_graph.h"
#include "harness/trials/make_step.h"
#include "harness/trials/plan_record.h"
#include "harness/trials/run_guard.h"
#include "probes/system_info.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <numeric>
#include <string>
#include <utility>

namespace dlbench::harness {
namespace {

using core::Error;
using core::ErrorCode;
using graph::Storage;

backend::ConvAlgorithm conv_algorithm(const std::string& name) {
  if (name == "direct") {
    return backend::ConvAlgorithm::kDirect;
  }
  return name == "winograd" ? backend::ConvAlgorithm::kWinograd : backend::ConvAlgorithm::kAuto;
}

}  // namespace

std::int64_t resident_bytes() {
  core::release_free_memory();
  std::ifstream statm("/proc/self/statm");
  std::int64_t total_pages = 0;
  std::int64_t resident_pages = 0;
  statm >> total_pages >> resident_pages;
  return resident_pages * sysconf(_SC_PAGESIZE);
}

BatchShare share_batch(std::int64_t per_rank,
                       std::optional<std::int64_t> global,
                       int rank,
                       int ranks) {
  if (!global.has_value()) {
    return {.local = per_rank, .global = per_rank * ranks, .first = per_rank * rank};
  }
  if (*global < ranks) {
    throw Error(ErrorCode::kUsage,
                "--global-batch-size " + std::to_string(*global) + " is less than one sample for " +
                    "each of " + std::to_string(ranks) + " ranks");
  }
  const std::int64_t more = *global % ranks;
  const std::int64_t share = *global / ranks;
  return {.local = share + (rank < more ? 1 : 0),
          .global = *global,
          .first = rank * share + std::min<std::int64_t>(rank, more)};
}

SessionPlan::SessionPlan(SessionOptions options, comm::Rendezvous& ranks)
    : options_(std::move(options)), ranks_(ranks) {
  together(ranks_, [&] { open(); });
  const std::vector<std::string> devices = comm::device_addresses(ranks_, *backend_);
  shared_device_ = comm::shared_device(ranks_.places(), devices);
  ranks_on_device_ = comm::ranks_on_device(ranks_.places(), devices, ranks_.rank());
  check_sharing();
  gather_ranks();
  // One rank makes what is made once; the others find it.
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
}

void SessionPlan::open() {
  workload_ = &workloads::find_workload(options_.workload);
  backend_ = open_device(options_.device,
                         options_.threads,
                         ranks_.places()[static_cast<std::size_t>(ranks_.rank())].local_rank,
                         options_.gpu);
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
  workers_ = options_.workers.value_or(probes::usable_cpus());
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
  source_ = locate_data(workload_->spec().dataset, options_.data);
  dataset_ =
      data::open_dataset(workload_->spec().dataset,
                         source_.folder,
                         options_.split,
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
                    " is larger than the " + std::to_string(dataset_->size()) +
                    " samples of split " + std::string(data::name(options_.split)) + " in '" +
                    source_.folder.string() + "'; " + advice);
  }
}

std::vector<std::filesystem::path> SessionPlan::data_files() const {
  return harness::data_files(workload_->spec().dataset, source_.folder);
}

backend::LoweringOptions SessionPlan::lowering() const {
  const std::optional<std::filesystem::path> kept = cache_folder_if_usable();
  return {.conv_algorithm = conv_algorithm(options_.conv_algorithm),
          .deterministic = options_.deterministic,
          .allow_tf32 = options_.precision == "tf32",
          .tuning_cache = kept.has_value() ? (*kept / "tuning.txt").string() : "",
          .autotune = options_.autotune,
          .check = &RunGuard::check_current};
}

exec::GraphReplay SessionPlan::replay() const { return graph_replay(options_.cuda_graph); }

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
  // The cached one, those of steps on their way, and the one that the next step takes.
  loader.max_leases =
      backend_->reads_host_memory() ? 2 : 2 + static_cast<int>(exec::StepRing::kInFlight);
  loader.seed = options_.seed;
  loader.shard = options_.shard;
  loader.skip_corrupt = options_.skip_corrupt;
  loader.storage = options_.storage;
  loader.allocator = &backend_->host_allocator();
  return loader;
}

MemoryNeed SessionPlan::need_for_batch(std::int64_t batch_size) const {
  const workloads::BuiltWorkload built = workload_->build(
      {.batch_size = batch_size, .image_size = built_.params.image_size}, graph::Mode::kTrain);
  const graph::Graph graph =
      workloads::training_graph(workload_->spec(), built, dtype_, reduction_);
  return need_beside(need_of_step(*backend_, graph, lowering()), batch_size);
}

MemoryNeed SessionPlan::need_beside(MemoryNeed need, std::int64_t batch_size) const {
  if (ranks_.size() > 1 && options_.compression != "none") {
    need.workspace += need.gradients / 2;  // as they travel
  }
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
  check_room(memory_room(), batch_size(), smaller_images, [this](std::int64_t batch_size) {
    return batch_size == this->batch_size() ? memory_need() : need_for_batch(batch_size);
  });
}

Session::Session(SessionPlan& plan) : plan_(plan), stream_(plan.backend().create_stream()) {
  const std::int64_t before = resident_bytes();
  communicator_ = make_communicator(plan);
  compressed_ = dynamic_cast<comm::CompressedCommunicator*>(communicator_.get());
  core::log::progress("choosing kernels");
  std::vector<Storage> shared = {Storage::kGradient};
  if (plan.single_root()) {
    shared.push_back(Storage::kParameter);
  }
  state_ = std::make_unique<exec::ModelState>(plan.backend(),
                                              plan.training_graph(),
                                              plan.options().seed,
                                              communicator_.get(),
                                              std::move(shared));
  make_step();
  state_->broadcast_all();
  // A mean over the samples of this rank counts as much as it has samples; the ratio of global sums
  // is every rank's whole loss.
  const BatchShare& batch = plan.batch();
  state_->set_scalar("loss_gradient",
                     plan.reduction().sync_loss
                         ? 1.0
                         : static_cast<double>(batch.local) / static_cast<double>(batch.global));
  if (state_->contains("first_sample")) {
    state_->set_scalar("first_sample", static_cast<double>(batch.first));
  }
  state_->save();
  together(plan.ranks(), [&] {
    loader_ = std::make_unique<data::PrefetchLoader>(plan.dataset(), plan.loader_options());
    cached_ = loader_->next();
    DLBENCH_CHECK(static_cast<bool>(cached_)) << "an endless loader ended";
    loader_->stop();
  });
  if (plan.single_root()) {
    make_root_exchange();
  }
  core::log::progress("");
  rss_growth_bytes_ = resident_bytes() - before;
}

MemoryNeed Session::memory_need() const {
  const auto held = [this](Storage storage) {  // with the gaps between tensors
    return static_cast<std::int64_t>(state_->bytes(storage));
  };
  MemoryNeed need = need_of_plan(plan_.backend(), step_->graph(), step_->plan());
  need.parameters = held(Storage::kParameter) + held(Storage::kBuffer);
  need.gradients = held(Storage::kGradient);
  need.optimizer = held(Storage::kOptimizerState);
  need.saved_state = need.parameters + need.gradients + need.optimizer;
  return plan_.need_beside(need, plan_.batch_size());
}

void Session::make_root_exchange() {
  std::vector<std::size_t> first_samples;
  first_samples.reserve(static_cast<std::size_t>(plan_.ranks().size()));
  for (int rank = 0; rank < plan_.ranks().size(); ++rank) {
    first_samples.push_back(static_cast<std::size_t>(
        share_batch(plan_.batch().local, plan_.batch().global, rank, plan_.ranks().size()).first));
  }
  first_samples.push_back(static_cast<std::size_t>(plan_.batch().global));
  root_inputs_ = std::make_unique<RootInputs>(
      plan_.built().inputs, *cached_, first_samples, *communicator_, plan_.backend());
  root_outputs_ =
      std::make_unique<RootOutputs>(*step_, first_samples, *communicator_, plan_.backend());
  step_->set_update(communicator_->rank() == 0);
}

std::optional<double> Session::measure_compression_error() {
  if (compressed_ == nullptr) {
    return std::nullopt;
  }
  state_->restore();
  double error = 0.0;
  bool skipped = true;
  while (skipped) {  // of the first step that updates: an overflow says nothing of rounding
    const auto before = loss_scaling_record(*state_);
    bind(*cached_);
    compressed_->measure_error(true);
    step_->run_profiled();  // node by node: a replayed step would not pass by here
    compressed_->measure_error(false);
    error = compressed_->take_relative_error();
    skipped = before.has_value() && before->loss_scale >= 1.0 &&
              loss_scaling_record(*state_, before->skipped_steps)->skipped_steps > 0;
  }
  return error;
}

void Session::make_step() {
  const auto lower = [&](const backend::LoweringOptions& options) {
    step_ = std::make_unique<exec::Executor>(
        plan_.backend(),
        *state_,
        *communicator_,
        plan_.training_graph(),
        exec::ExecutorOptions{.lowering = options,
                              .replay = plan_.replay(),
                              .watch = {std::string(workloads::kLossOutput)},
                              .broadcast_buffers = plan_.options().broadcast_buffers});
    return step_->lowered().decisions;
  };
  lower_together(plan_.ranks(), plan_.lowering(), plan_.batch().local, false, lower);
  if (plan_.ranks().size() > 1) {
    check_same_plan();
  }
}

void Session::check_same_plan() {
  const std::string mine = std::to_string(step_->plan().hash);
  const BatchShare& batch = plan_.batch();
  const bool even = batch.global % plan_.ranks().size() == 0;  // else shapes differ by a sample
  const std::string first = plan_.ranks().broadcast_text(mine);
  together(plan_.ranks(), [&] {
    if (even && first != mine) {
      throw Error(ErrorCode::kUnavailable,
                  "this rank's plan of the step differs from rank 0's: are options, build and "
                  "libraries the same on all nodes?");
    }
  });
}

void Session::send_out(const data::Batch& batch) {
  root_inputs_->scatter(batch, *step_);
  state_->broadcast_parameters();
}

float Session::collect_outputs(float own_loss) {
  root_outputs_->gather();
  const BatchShare& batch = plan_.batch();
  float loss = own_loss * static_cast<float>(batch.local) / static_cast<float>(batch.global);
  communicator_->reduce(
      {.data = reinterpret_cast<std::byte*>(&loss), .count = 1, .dtype = core::DType::kF32},
      0,
      *stream_);
  return loss;
}

void Session::bind(const data::Batch& batch) {
  const BatchShare& share = plan_.batch();
  const bool part = plan_.single_root();
  for (const workloads::InputBinding& binding : plan_.built().inputs) {
    const data::BatchTensor& tensor = batch.tensor(binding.tensor);
    const std::size_t row_bytes = tensor.spec().row_bytes();
    const auto rows = static_cast<std::size_t>(part ? share.local : batch.samples);
    const auto first = static_cast<std::size_t>(part ? share.first : 0);
    step_->bind_input(binding.input, tensor.data() + first * row_bytes, rows * row_bytes);
  }
}

}  // namespace dlbench::harness
