// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/session.h"

#include "engine/comm/self.h"
#include "engine/core/check.h"
#include "engine/core/error.h"
#include "engine/core/log.h"
#include "engine/core/nearest_name.h"
#include "engine/core/parallel.h"
#include "probes/system_info.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
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

std::int64_t state_bytes(const backend::Backend& backend,
                         const graph::Graph& graph,
                         Storage storage) {
  std::int64_t bytes = 0;
  for (const graph::ValueId id : graph.with_storage(storage)) {
    bytes += static_cast<std::int64_t>(backend.state_layout(graph.value(id)).bytes);
  }
  return bytes;
}

std::string mib(std::int64_t bytes) {
  return std::to_string((bytes + (std::int64_t{1} << 20) - 1) >> 20) + " MiB";
}

}  // namespace

std::int64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::int64_t total_pages = 0;
  std::int64_t resident_pages = 0;
  statm >> total_pages >> resident_pages;
  return resident_pages * sysconf(_SC_PAGESIZE);
}

SessionPlan::SessionPlan(SessionOptions options)
    : options_(std::move(options)),
      workload_(&workloads::find_workload(options_.workload)),
      backend_(open_device(options_.device, options_.threads)),
      dtype_(harness::compute_dtype(options_.precision, *backend_)),
      built_(workload_->build({.batch_size = options_.batch_size.value_or(0),
                               .image_size = options_.image_size.value_or(0)},
                              graph::Mode::kTrain)),
      training_graph_(workloads::training_graph(workload_->spec(), built_, dtype_)),
      source_(locate_data(workload_->spec().dataset, options_.data)) {
  dataset_ =
      data::open_dataset(workload_->spec().dataset,
                         source_.folder,
                         options_.split,
                         {.image_size = built_.params.image_size, .decode = options_.decode});
  if (dataset_->size() < batch_size()) {
    throw Error(ErrorCode::kUsage,
                "--batch-size " + std::to_string(batch_size()) + " is larger than the " +
                    std::to_string(dataset_->size()) + " samples of split " +
                    std::string(data::name(options_.split)) + " in '" + source_.folder.string() +
                    "'; choose at most " + std::to_string(dataset_->size()));
  }
  workers_ = options_.workers.value_or(probes::usable_cpus());
}

backend::LoweringOptions SessionPlan::lowering() const {
  return {.conv_algorithm = conv_algorithm(options_.conv_algorithm),
          .deterministic = options_.deterministic,
          .tuning_cache = (cache_folder() / "tuning.txt").string()};
}

data::LoaderOptions SessionPlan::loader_options() const {
  data::LoaderOptions loader;
  loader.batch_size = batch_size();
  loader.workers = static_cast<int>(workers_);
  loader.prefetch = static_cast<int>(options_.prefetch);
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
  const graph::Graph graph = workloads::training_graph(workload_->spec(), built, dtype_);
  backend::LoweringOptions quick = lowering();
  quick.autotune = false;
  quick.tuning_cache.clear();
  const auto lowered = backend_->lower(graph, quick);
  const exec::Plan plan = exec::make_plan(graph, *lowered, {});
  MemoryNeed need;
  need.parameters = state_bytes(*backend_, graph, Storage::kParameter) +
                    state_bytes(*backend_, graph, Storage::kBuffer);
  need.gradients = state_bytes(*backend_, graph, Storage::kGradient);
  need.optimizer = state_bytes(*backend_, graph, Storage::kOptimizerState);
  need.saved_state = need.parameters + need.gradients + need.optimizer;
  need.activations = static_cast<std::int64_t>(plan.arena_bytes);
  need.workspace = static_cast<std::int64_t>(plan.peak_bytes - plan.arena_bytes);
  data::LoaderOptions loader = loader_options();
  loader.batch_size = batch_size;
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

void SessionPlan::check_memory() {
  const std::int64_t available = probes::read_memory_facts().usable_bytes;
  const std::int64_t needed = memory_need().total();
  if (needed <= available) {
    return;
  }
  // Nearly linear in the batch size: start from that guess and go down until it really fits.
  auto fitting =
      static_cast<std::int64_t>(static_cast<double>(batch_size()) * static_cast<double>(available) /
                                static_cast<double>(needed));
  while (fitting > 0 && need_for_batch(fitting).total() > available) {
    fitting = fitting * 9 / 10;
  }
  const std::string advice =
      fitting > 0 ? "the largest --batch-size that fits is " + std::to_string(fitting)
                  : "not even --batch-size 1 fits: choose a smaller --image-size";
  throw Error(ErrorCode::kMemory,
              "the plan needs " + mib(needed) + " of memory, " + mib(available) +
                  " are available; " + advice);
}

Session::Session(SessionPlan& plan) : plan_(plan) {
  const std::int64_t before = resident_bytes();
  communicator_ = std::make_unique<comm::SelfCommunicator>();
  core::log::progress("choosing kernels");
  state_ = std::make_unique<exec::ModelState>(
      plan.backend(), plan.training_graph(), plan.options().seed);
  step_ = std::make_unique<exec::Executor>(plan.backend(),
                                           *state_,
                                           *communicator_,
                                           plan.training_graph(),
                                           exec::ExecutorOptions{.lowering = plan.lowering()});
  state_->save();
  loader_ = std::make_unique<data::PrefetchLoader>(plan.dataset(), plan.loader_options());
  cached_ = loader_->next();
  DLBENCH_CHECK(static_cast<bool>(cached_)) << "an endless loader ended";
  loader_->stop();
  core::log::progress("");
  rss_growth_bytes_ = resident_bytes() - before;
}

void Session::bind(const data::Batch& batch) {
  for (const workloads::InputBinding& binding : plan_.built().inputs) {
    const data::BatchTensor& tensor = batch.tensor(binding.tensor);
    step_->bind_input(binding.input,
                      tensor.data(),
                      tensor.spec().row_bytes() * static_cast<std::size_t>(batch.samples));
  }
}

}  // namespace dlbench::harness
