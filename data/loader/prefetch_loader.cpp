// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Locking: one mutex (of the pool) guards the window of open batches. A worker claims a run of rows
// under it, fills them without it, and reports under it. Only the newest open batch has unclaimed
// rows, so batches open in the sampler's order, whichever worker opens them.
#include "data/loader/prefetch_loader.h"

#include "data/loader/batch_pool.h"
#include "data/loader/loader_totals_internal.h"
#include "data/loader/sample_substitution.h"
#include "engine/core/check.h"
#include "engine/core/clock.h"
#include "engine/core/error.h"
#include "engine/core/round_up.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace dlbench::data {
namespace {

using Clock = std::chrono::steady_clock;
using core::Error;
using core::ErrorCode;

}  // namespace

SamplerOptions sampler_options(const Dataset& dataset, const LoaderOptions& options) {
  if (options.workers < 1 || options.workers > kMaxWorkers) {
    throw Error(ErrorCode::kUsage,
                fmt::format("{} workers; wanted 1 to {}", options.workers, kMaxWorkers));
  }
  if (options.prefetch < 1 || options.prefetch > kMaxPrefetch) {
    throw Error(ErrorCode::kUsage,
                fmt::format("prefetch {}; wanted 1 to {}", options.prefetch, kMaxPrefetch));
  }
  DLBENCH_CHECK(options.max_leases >= 1);
  return {.dataset_size = dataset.size(),
          .batch_size = options.batch_size,
          .global_batch_size = options.global_batch_size,
          .seed = options.seed,
          .rank = options.rank,
          .world = options.world,
          .shuffle = options.shuffle,
          .drop_last = options.drop_last};
}

class PrefetchLoader::Impl {
 public:
  Impl(const Dataset& dataset, const LoaderOptions& options);
  ~Impl() { stop(); }

  BatchLease next();
  void stop();
  void start();
  void skip_to_epoch(bool alone);
  bool running();
  LoaderStats stats();
  void reset_stats();

  const Dataset& dataset;
  const LoaderOptions options;
  const Sampler sampler;
  const std::shared_ptr<detail::BatchPool> pool;

 private:
  /// A batch from its opening to its delivery.
  struct OpenBatch {
    int slot = -1;
    BatchPlan plan;
    std::vector<std::int64_t> items;  ///< data set indices to load: ours, or (kLate) everybody's
    std::int64_t first_own = 0;       ///< item of row 0
    std::int64_t claimed = 0;
    std::int64_t done = 0;
    std::int64_t error_item = 0;
    std::exception_ptr error;  ///< of the first bad item, whoever met it
  };
  struct Ticket {
    OpenBatch* batch = nullptr;
    std::int64_t begin = 0;
    std::int64_t end = 0;
  };
  /// The state that a worker keeps across stop() and start().
  struct Worker {
    std::string thread_name;   ///< in traces
    std::string process_name;  ///< in /proc/PID/task/TID/comm, which holds 15 characters
    std::unique_ptr<SampleReader> reader;
    WorkerCounters counters;
    std::int64_t idle_since_ns = 0;  ///< under the lock; 0: it works
    std::vector<std::span<std::byte>> rows;
    std::vector<std::vector<std::byte>> foreign_rows;  ///< where kLate decodes others' samples
  };

  void work(const std::stop_token& stop, Worker& worker);
  std::optional<Ticket> claim();
  bool open_next_batch();
  void process(const Ticket& ticket, Worker& worker, LoadContext& context);
  void load_item(const Ticket& ticket, std::int64_t item, Worker& worker, LoadContext& context);
  OpenBatch& open_batch(std::int64_t number) {
    return window_[static_cast<std::size_t>(number % options.prefetch)];
  }
  static bool complete(const OpenBatch& batch) {
    return batch.done == static_cast<std::int64_t>(batch.items.size());
  }
  int ready_batches();
  BatchLease deliver();
  detail::LoaderTotals totals();

  std::optional<StorageModel> storage_;
  detail::SampleSubstitution substitution_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::mutex lifecycle_;  ///< start() and stop(), taken before the pool's mutex
  std::vector<std::jthread> threads_;
  std::atomic<std::int64_t> samples_replaced_{0};

  // Guarded by pool->mutex from here on.
  bool running_ = false;
  std::exception_ptr failure_;
  std::vector<OpenBatch> window_;
  std::int64_t next_open_ = 0;  ///< batches are numbered from 0 over all epochs
  std::int64_t next_take_ = 0;
  std::int64_t last_ = std::numeric_limits<std::int64_t>::max();  ///< the one behind all epochs
  std::int64_t end_ = last_;
  std::int64_t order_epoch_ = -1;
  std::vector<std::int64_t> order_;
  std::int64_t wait_ns_ = 0;
  std::int64_t samples_delivered_ = 0;
  std::int64_t batches_delivered_ = 0;
  detail::LoaderTotals base_;
};

PrefetchLoader::Impl::Impl(const Dataset& dataset_arg, const LoaderOptions& options_arg)
    : dataset(dataset_arg),
      options(options_arg),
      sampler(sampler_options(dataset_arg, options_arg)),
      pool(std::make_shared<detail::BatchPool>(dataset_arg.spec().tensors,
                                               sampler.options().batch_size,
                                               options_arg.prefetch + options_arg.max_leases,
                                               options_arg.allocator != nullptr
                                                   ? *options_arg.allocator
                                                   : core::default_host_allocator())),
      substitution_(dataset_arg, options_arg),
      window_(static_cast<std::size_t>(options_arg.prefetch)) {
  if (options.storage.enabled()) {
    storage_.emplace(options.storage);
  }
  if (options.epochs > 0) {
    end_ = last_ = options.epochs * sampler.batches_per_epoch();
  }
  for (int number = 0; number < options.workers; ++number) {
    auto worker = std::make_unique<Worker>();
    worker->thread_name = fmt::format("loader worker {}", number);
    worker->process_name = fmt::format("loader {}", number);
    worker->reader = dataset.make_reader();
    for (const TensorSpec& spec : dataset.spec().tensors) {
      worker->foreign_rows.emplace_back(options.shard == ShardMode::kLate ? spec.row_bytes() : 0);
    }
    worker->rows.resize(worker->foreign_rows.size());
    workers_.push_back(std::move(worker));
  }
  start();
}

void PrefetchLoader::Impl::start() {
  const std::lock_guard lifecycle(lifecycle_);
  {
    const std::lock_guard lock(pool->mutex);
    if (running_) {
      return;
    }
    running_ = true;
  }
  try {
    for (const auto& worker : workers_) {
      threads_.emplace_back(
          [this, &worker = *worker](const std::stop_token& stop) { work(stop, worker); });
    }
  } catch (const std::system_error& failure) {
    {
      const std::lock_guard lock(pool->mutex);
      running_ = false;
    }
    pool->work.notify_all();
    threads_.clear();
    throw Error(
        ErrorCode::kLibrary,
        fmt::format("cannot start {} loader threads: {}; give fewer --workers, or raise the "
                    "limit of processes (ulimit -u)",
                    options.workers,
                    failure.what()));
  }
}

void PrefetchLoader::Impl::stop() {
  const std::lock_guard lifecycle(lifecycle_);
  {
    const std::lock_guard lock(pool->mutex);
    running_ = false;
  }
  for (std::jthread& thread : threads_) {
    thread.request_stop();
  }
  pool->work.notify_all();
  pool->ready.notify_all();
  threads_.clear();  // joins
  const std::lock_guard lock(pool->mutex);
  for (; next_open_ > next_take_; --next_open_) {
    pool->free_slots.push_back(open_batch(next_open_ - 1).slot);
  }
}

void PrefetchLoader::Impl::skip_to_epoch(bool alone) {
  const std::lock_guard lock(pool->mutex);
  DLBENCH_CHECK(!running_) << "stop the loader first";
  const std::int64_t epoch = sampler.batches_per_epoch();
  next_take_ = std::min(last_, core::round_up(next_take_, epoch));
  end_ = alone ? std::min(last_, next_take_ + epoch) : last_;
  next_open_ = next_take_;
}

bool PrefetchLoader::Impl::running() {
  const std::lock_guard lock(pool->mutex);
  return running_;
}

void PrefetchLoader::Impl::work(const std::stop_token& stop, Worker& worker) {
  LoadContext context(
      worker.counters,
      {.storage = storage_ ? &*storage_ : nullptr, .delays = options.delays, .stop = stop});
  static_cast<void>(::pthread_setname_np(::pthread_self(), worker.process_name.c_str()));
  const core::trace::Sink* named_for = nullptr;
  std::int64_t cpu_before = core::thread_cpu_ns();
  std::unique_lock lock(pool->mutex);
  while (running_ && failure_ == nullptr) {
    const std::optional<Ticket> ticket = claim();
    if (!ticket) {
      if (next_open_ >= end_) {
        return;
      }
      worker.idle_since_ns = core::steady_ns();
      pool->work.wait(lock);
      worker.counters.idle_ns.fetch_add(core::steady_ns() - worker.idle_since_ns,
                                        std::memory_order_relaxed);
      worker.idle_since_ns = 0;
      continue;
    }
    lock.unlock();
    if (const core::trace::Sink* sink = core::trace::sink(); sink != named_for) {
      named_for = sink;
      core::trace::name_this_thread(worker.thread_name);
    }
    process(*ticket, worker, context);
    const std::int64_t cpu_now = core::thread_cpu_ns();
    worker.counters.cpu_ns.fetch_add(cpu_now - cpu_before, std::memory_order_relaxed);
    cpu_before = cpu_now;
    lock.lock();
    ticket->batch->done += ticket->end - ticket->begin;
    if (complete(*ticket->batch)) {
      pool->ready.notify_all();
    }
  }
}

/// Claims rows of the newest open batch, opening one if it has none left. Call under the lock.
std::optional<PrefetchLoader::Impl::Ticket> PrefetchLoader::Impl::claim() {
  while (true) {
    if (next_open_ > next_take_) {
      OpenBatch& newest = open_batch(next_open_ - 1);
      const auto items = static_cast<std::int64_t>(newest.items.size());
      if (newest.claimed < items) {
        const std::int64_t begin = newest.claimed;
        newest.claimed = std::min(items, begin + dataset.spec().samples_per_ticket);
        return Ticket{&newest, begin, newest.claimed};
      }
    }
    if (!open_next_batch()) {
      return std::nullopt;
    }
  }
}

/// Returns false without a batch left, room in the window or a free slot. Call under the lock.
bool PrefetchLoader::Impl::open_next_batch() {
  if (next_open_ >= end_ || next_open_ - next_take_ >= options.prefetch ||
      pool->free_slots.empty()) {
    return false;
  }
  const std::int64_t epoch = next_open_ / sampler.batches_per_epoch();
  const std::int64_t number_in_epoch = next_open_ % sampler.batches_per_epoch();
  if (epoch != order_epoch_) {
    sampler.order(epoch, order_);
    order_epoch_ = epoch;
  }
  OpenBatch& opened = open_batch(next_open_);
  opened.slot = pool->free_slots.back();
  pool->free_slots.pop_back();
  opened.plan = sampler.plan(number_in_epoch);
  opened.claimed = 0;
  opened.done = 0;
  opened.error = nullptr;
  const bool late = options.shard == ShardMode::kLate;
  opened.first_own = late ? opened.plan.local_begin : 0;
  const auto first =
      order_.begin() + opened.plan.global_begin + (late ? 0 : opened.plan.local_begin);
  opened.items.assign(first,
                      first + (late ? opened.plan.global_samples : opened.plan.local_samples));

  Batch& batch = pool->batch(opened.slot);
  batch.samples = opened.plan.local_samples;
  batch.indices.assign(static_cast<std::size_t>(batch.samples), -1);
  batch.epoch = epoch;
  batch.number_in_epoch = number_in_epoch;
  batch.number = next_open_;
  batch.global_row = opened.plan.local_begin;
  batch.global_samples = opened.plan.global_samples;
  ++next_open_;
  if (opened.items.empty()) {
    pool->ready.notify_all();  // a rank without a share of a kept partial batch
  } else if (static_cast<std::int64_t>(opened.items.size()) > dataset.spec().samples_per_ticket) {
    pool->work.notify_all();
  }
  return true;
}

void PrefetchLoader::Impl::process(const Ticket& ticket, Worker& worker, LoadContext& context) {
  // Surrounds its stages: rows copied from memory have no stage region of their own in a trace.
  const core::trace::Region region(
      core::trace::Category::kLoader, "load", ticket.batch->plan.global_begin + ticket.begin);
  const auto stages_ns = [&] {
    std::int64_t sum = 0;
    for (const auto& stage : worker.counters.stage_ns) {
      sum += stage.load(std::memory_order_relaxed);
    }
    return sum;
  };
  const auto start = Clock::now();
  const std::int64_t stages_before = stages_ns();
  for (std::int64_t item = ticket.begin; item < ticket.end; ++item) {
    if (context.stop_token().stop_requested()) {
      return;  // the batch is dropped anyway
    }
    try {
      load_item(ticket, item, worker, context);
    } catch (...) {
      const std::lock_guard lock(pool->mutex);
      if (ticket.batch->error == nullptr || item < ticket.batch->error_item) {
        ticket.batch->error = std::current_exception();
        ticket.batch->error_item = item;
      }
    }
  }
  // Time that no stage claimed is for assembling the batch: copying rows and bookkeeping.
  const std::int64_t collate_ns = core::nanoseconds_since(start) - (stages_ns() - stages_before);
  worker.counters.stage_ns[static_cast<std::size_t>(Stage::kCollate)].fetch_add(
      std::max<std::int64_t>(0, collate_ns), std::memory_order_relaxed);
}

void PrefetchLoader::Impl::load_item(const Ticket& ticket,
                                     std::int64_t item,
                                     Worker& worker,
                                     LoadContext& context) {
  OpenBatch& opened = *ticket.batch;
  Batch& batch = pool->batch(opened.slot);
  const std::int64_t row = item - opened.first_own;
  const bool own = row >= 0 && row < batch.samples;
  for (std::size_t i = 0; i < worker.rows.size(); ++i) {
    worker.rows[i] =
        own ? batch.tensors()[i].row(row) : std::span<std::byte>(worker.foreign_rows[i]);
  }
  const std::int64_t planned = opened.items[static_cast<std::size_t>(item)];
  const std::int64_t loaded = substitution_.load(planned, *worker.reader, context, worker.rows);
  context.apply_delays();
  if (own) {
    batch.indices[static_cast<std::size_t>(row)] = loaded;
  }
  if (loaded != planned) {
    samples_replaced_.fetch_add(1, std::memory_order_relaxed);
  }
  worker.counters.samples.fetch_add(1, std::memory_order_relaxed);
}

BatchLease PrefetchLoader::Impl::next() {
  const core::trace::Region region(core::trace::Category::kLoader, "wait");
  const auto start = Clock::now();
  std::unique_lock lock(pool->mutex);
  DLBENCH_CHECK(pool->leased < options.max_leases)
      << pool->leased << " batches are held; release one or raise LoaderOptions::max_leases";
  pool->ready.wait(lock, [&] {
    return !running_ || failure_ != nullptr || next_take_ >= end_ ||
           (next_take_ < next_open_ && complete(open_batch(next_take_)));
  });
  wait_ns_ += core::nanoseconds_since(start);
  if (failure_ != nullptr) {
    std::rethrow_exception(failure_);
  }
  if (!running_ || next_take_ >= end_) {
    return {};
  }
  return deliver();
}

/// Returns the complete batch next_take_, or throws its error. Call under the lock.
BatchLease PrefetchLoader::Impl::deliver() {
  OpenBatch& taken = open_batch(next_take_);
  if (taken.error != nullptr) {
    failure_ = taken.error;
    pool->work.notify_all();
    std::rethrow_exception(failure_);
  }
  ++next_take_;
  ++batches_delivered_;
  ++pool->leased;
  samples_delivered_ += taken.plan.local_samples;
  pool->work.notify_all();
  return {pool, taken.slot};
}

int PrefetchLoader::Impl::ready_batches() {
  int ready = 0;
  for (std::int64_t number = next_take_; number < next_open_; ++number) {
    ready += complete(open_batch(number)) ? 1 : 0;
  }
  return ready;
}

detail::LoaderTotals PrefetchLoader::Impl::totals() {
  detail::LoaderTotals sum;
  for (const auto& worker : workers_) {
    const WorkerCounters& counters = worker->counters;
    for (std::size_t stage = 0; stage < kStages; ++stage) {
      sum.stage_ns[stage] += counters.stage_ns[stage].load(std::memory_order_relaxed);
    }
    sum.idle_ns += counters.idle_ns.load(std::memory_order_relaxed);
    if (worker->idle_since_ns != 0) {
      sum.idle_ns += core::steady_ns() - worker->idle_since_ns;
    }
    sum.cpu_ns += counters.cpu_ns.load(std::memory_order_relaxed);
    sum.bytes_read += counters.bytes_read.load(std::memory_order_relaxed);
    sum.samples_loaded += counters.samples.load(std::memory_order_relaxed);
  }
  sum.wait_ns = wait_ns_;
  sum.samples_delivered = samples_delivered_;
  sum.batches_delivered = batches_delivered_;
  sum.samples_replaced = samples_replaced_.load(std::memory_order_relaxed);
  return sum;
}

LoaderStats PrefetchLoader::Impl::stats() {
  std::vector<SkippedSample> skipped = substitution_.skipped();
  const std::lock_guard lock(pool->mutex);
  LoaderStats stats = detail::stats_between(base_, totals());
  stats.skipped = std::move(skipped);
  stats.queue_ready = ready_batches();
  stats.queue_capacity = options.prefetch;
  return stats;
}

void PrefetchLoader::Impl::reset_stats() {
  const std::lock_guard lock(pool->mutex);
  base_ = totals();
}

PrefetchLoader::PrefetchLoader(const Dataset& dataset, const LoaderOptions& options)
    : impl_(std::make_unique<Impl>(dataset, options)) {}
PrefetchLoader::~PrefetchLoader() = default;

BatchLease PrefetchLoader::next() { return impl_->next(); }
void PrefetchLoader::stop() { impl_->stop(); }
void PrefetchLoader::start() { impl_->start(); }
void PrefetchLoader::skip_to_epoch() { impl_->skip_to_epoch(false); }
void PrefetchLoader::start_epoch() {
  impl_->stop();
  impl_->skip_to_epoch(true);
  impl_->start();
}
bool PrefetchLoader::running() const { return impl_->running(); }
LoaderStats PrefetchLoader::stats() const { return impl_->stats(); }
void PrefetchLoader::reset_stats() { impl_->reset_stats(); }
const Dataset& PrefetchLoader::dataset() const { return impl_->dataset; }
const LoaderOptions& PrefetchLoader::options() const { return impl_->options; }
const Sampler& PrefetchLoader::sampler() const { return impl_->sampler; }
std::size_t PrefetchLoader::buffer_bytes() const { return impl_->pool->bytes(); }

}  // namespace dlbench::data
