// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/run_options.h"

#include "data/loader/storage_model.h"
#include "engine/core/error.h"
#include "engine/core/log.h"
#include "engine/core/parallel.h"
#include "harness/commands/option_limits.h"
#include "harness/session/cuda_graph.h"
#include "harness/session/open_device.h"
#include "harness/trials/capture.h"
#include "harness/trials/trial_id.h"
#include "probes/node/disturbance.h"
#include "workloads/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace dlbench::harness {
namespace {

using core::Error;
using core::ErrorCode;

constexpr std::array<core::Named<bool>, 2> kSwitch{{{true, "on"}, {false, "off"}}};

// Refuses options that a single root does not support.
void check_strategy(const RunOptions& run) {
  const auto refuse = [](const std::string& option) {
    throw Error(ErrorCode::kUsage,
                "--strategy data-parallel excludes " + option +
                    ": rank 0 loads, broadcasts buffers and gets the gradients as they are");
  };
  if (run.session.strategy != Strategy::kDataParallel) {
    return;
  }
  if (run.session.compression.has_value()) {
    refuse("--compression " +
           std::string(core::name_in(kGradientCompressions, run.session.compression)));
  }
  if (run.session.sync_loss) {
    refuse("--sync-loss");
  }
  if (!run.session.broadcast_buffers) {
    refuse("--broadcast-buffers off");
  }
  if (run.session.shard == data::ShardMode::kLate) {
    refuse("--shard late");
  }
}

/// Whether a trial of --trials or --capture-trial is of this kind.
bool measures_any(const RunOptions& run, bool (TrialId::*kind)() const) {
  return std::ranges::any_of(parse_trials(run.trials, SyntheticTrials::kByMemory), kind) ||
         (!run.capture_steps.empty() && (captured_trial(run.capture_trial).*kind)());
}

}  // namespace

void add_workload_options(OptionSet& options, RunOptions& run) {
  options.add_text("workload", "NAME", "what to train: see `dlbench list`", run.session.workload);
  options.add_text("device",
                   "auto|cpu|cuda[:N]|ref",
                   "where to compute; ref: plain loops, slow",
                   run.session.device);
  options.add_choice("precision",
                     "of convolutions and matrix products",
                     run.session.precision,
                     {"fp32", "tf32", "bf16", "fp16"});
  options.add_count("batch-size",
                    "N",
                    "samples per step and rank; default: the workload's",
                    run.session.batch_size,
                    kBatchSizeLimits);
  options.add_count("global-batch-size",
                    "N",
                    "samples per step over all ranks",
                    run.session.global_batch_size,
                    kBatchSizeLimits);
  options.exclude("batch-size", "global-batch-size");
  options.add_count("image-size",
                    "N",
                    "side of the network input; default: the workload's",
                    run.session.image_size,
                    kImageSizeLimits);
  options.add_count("threads",
                    "N",
                    "compute threads per rank; default: the cores of the rank",
                    run.session.threads,
                    kThreadLimits);
  options.add_count(
      "seed", "N", "of initial weights, shuffling and dropout", run.seed, kSeedLimits);
  options.add_flag("deterministic",
                   "compute the same results, bit for bit, in each run with as many --threads",
                   run.session.deterministic);
  options.add_choice("cuda-graph",
                     "record the step once and replay it; auto: on a GPU",
                     run.session.cuda_graph,
                     exec::kGraphReplays);
  options.add_choice("conv-algorithm",
                     "auto measures and takes the fastest",
                     run.session.conv_algorithm,
                     backend::kConvAlgorithms);
  options.add_choice(
      "autotune",
      "choose kernels by timing them, once per machine; off: as the libraries advise",
      run.session.autotune,
      kSwitch);
}

void add_loader_options(OptionSet& options, RunOptions& run, const std::string& cache) {
  options.add_text("data",
                   "DIR",
                   "data set folder; default: the usual one if present, else generated once",
                   run.session.data);
  options.add_count(
      "workers",
      "N",
      "loader threads per rank; default: its hardware threads, or as many as can work at a time",
      run.session.workers,
      {1, data::kMaxWorkers});
  options.add_count("prefetch",
                    "N",
                    "batches that the loader is ahead",
                    run.session.prefetch,
                    {1, data::kMaxPrefetch});
  options.add_choice(
      "cache", "state of the page cache before " + cache, run.cache, data::kCacheModes);
  options.add_choice("decode",
                     "scaled reduces JPEG by 2, 4 or 8 while decoding",
                     run.session.decode,
                     data::kDecodeModes);
  options.add_flag(
      "skip-corrupt", "replace unreadable samples, count and list them", run.session.skip_corrupt);
  options.add_choice("shard",
                     "split the files over the ranks before or after decoding",
                     run.session.shard,
                     data::kShardModes);
  options.add_text("storage",
                   "latency_ms=..,mib_per_s=..",
                   "simulate a slow storage (taint: simulated)",
                   run.storage);
}

std::vector<std::string> loader_option_names() {
  RunOptions run;
  OptionSet options;
  add_loader_options(options, run);
  std::vector<std::string> names;
  for (const OptionSpec& spec : options.specs()) {
    if (spec.name != "data") {  // the step takes the shapes of its samples
      names.push_back(spec.name);
    }
  }
  return names;
}

void add_measuring_options(OptionSet& options, RunOptions& run, const std::string& trials) {
  options.add_text("trials", "LIST", trials + "; comma separated", run.trials);
  options.add_count("repetitions", "N", "per trial, at least", run.repetitions, {2, 1000});
  options.add_seconds("min-time",
                      "S",
                      fmt::format("of a repetition, at least [{:g} s]", RunnerOptions{}.min_time_s),
                      run.min_time);
  options.add_count("steps",
                    "N",
                    "per repetition, exactly (of io 20 x prefetch at least)",
                    run.steps,
                    {1, 1 << 20});
  options.add_count("warmup-steps", "N", "per trial, at least", run.warmup_steps, {0, 200});
  options.add_number("max-noise",
                     "PCT",
                     "stop when half of the 95 % interval is less",
                     run.max_noise,
                     0.01,
                     100.0);
  options.add_seconds(
      "max-time",
      "S",
      fmt::format(
          "stop a trial after this time, once it has its --repetitions, noisy or not (taint: "
          "noise_target_missed); limits its warm-up and its recordings too [{:g} s]",
          StoppingLimits{}.max_time_s),
      run.max_time);
  options.add_seconds(
      "time-budget", "S", "of the whole command: repetitions are planned to fit", run.time_budget);
}

void add_parallel_options(OptionSet& options, RunOptions& run) {
  options.add_number(
      "bucket-cap-mib",
      "MIB",
      fmt::format("size at which a gradient bucket is reduced; the first one closes at {} MiB",
                  graph::BucketOptions{}.first_cap_bytes >> 20),
      run.bucket_cap_mib,
      kSmallestCapMib,
      kLargestCapMib);
  options.add_flag(
      "no-overlap", "reduce gradients after the backward pass, not beside it", run.no_overlap);
  options.add_flag("share-gpu",
                   "several ranks may use one GPU: gradients are reduced in host memory (taint: "
                   "oversubscribed)",
                   run.session.share_gpu);
  options.add_flag("sync-loss",
                   "compute losses that are ratios, such as Dice, over the global batch: sum both "
                   "parts over the ranks first",
                   run.session.sync_loss);
  options.add_text("link",
                   "SPEC",
                   "simulate latency_us=..,gbit_per_s=..[,jitter_us=..][,inside_latency_us=..,"
                   "inside_gbit_per_s=..] between the ranks",
                   run.link);
  options.add_count("link-node-ranks",
                    "N",
                    "ranks of a node of the simulated link, whose inside_ keys hold between them",
                    run.link_node_ranks,
                    kLinkNodeRankLimits);
  options.add_choice("compression",
                     "of gradients on the wire; the report says its error",
                     run.session.compression,
                     kGradientCompressions);
  options.add_choice("broadcast-buffers",
                     "rank 0's running statistics to all ranks before each step",
                     run.session.broadcast_buffers,
                     kSwitch);
  options.add_choice(
      "strategy",
      "data-parallel (run and scale): rank 0 scatters inputs, broadcasts parameters, gets the "
      "gradients and updates, at every step",
      run.session.strategy,
      kStrategies);
}

void add_output_options(OptionSet& options, RunOptions& run) {
  options.add_text("output", "FILE", "report; - for stdout", run.output);
  options.add_text(
      "config", "FILE", "JSON of option names and values; the command line wins", run.config);
  options.add_seconds("timeout", "S", "end the run with code 124", run.timeout);
  options.add_flag("dry-run", "show the plan, run nothing", run.dry_run);
  options.add_flag("strict", "a tainted result ends with code 4", run.strict);
  options.add_flag("quiet", "warnings and results only", run.quiet);
  options.add_flag("verbose", "progress as lines, where stderr is no terminal", run.verbose);
}

void add_trace_option(OptionSet& options, RunOptions& run) {
  options.add_text("trace", "FILE", "Chrome trace of loader, steps, phases and ops", run.trace);
}

void add_probe_option(OptionSet& options, RunOptions& run) {
  options.add_text(
      "probes",
      "LIST",
      "which probes watch: all, none, or names of `dlbench list probes`, comma separated",
      run.probes);
}

void apply_verbosity(const RunOptions& run) {
  using core::log::Level;
  core::log::set_level(run.quiet ? Level::kQuiet : run.verbose ? Level::kVerbose : Level::kNormal);
}

std::optional<int> compute_threads(const RunOptions& run) {
  // Sites set it for all jobs, often to 1: using it would turn this into a benchmark of one core.
  const char* omp = std::getenv("OMP_NUM_THREADS");
  if (!run.session.threads.has_value() && omp != nullptr && *omp != '\0') {
    core::log::info(std::string("OMP_NUM_THREADS=") + omp +
                    " is not used: --threads sets the compute threads, else all cores of the rank");
  }
  if (const std::string binding = core::unused_openmp_binding(); !binding.empty()) {
    core::log::info(binding +
                    " is not used: dlbench gives each rank its cores, and leaves threads "
                    "free on them");
  }
  return run.session.threads.has_value() ? std::optional(static_cast<int>(*run.session.threads))
                                         : std::nullopt;
}

std::optional<comm::LinkModel> simulated_link(const std::string& link,
                                              const std::optional<std::int64_t>& node_ranks) {
  if (!link.empty()) {
    return comm::parse_link_model(link, node_ranks.value_or(0));
  }
  if (node_ranks.has_value()) {
    throw Error(ErrorCode::kUsage,
                "--link-node-ranks is of a simulated --link, which is not given");
  }
  return std::nullopt;
}

void warn_missed_budget(const RunOptions& run, double took_s) {
  constexpr double kTolerance = 1.1;
  if (took_s > kTolerance * run.time_budget.value_or(took_s)) {
    core::log::warn(
        fmt::format("the run took {:.3g} s, --time-budget is {:.3g} s", took_s, *run.time_budget));
  }
}

bool runs_steps(const RunOptions& run) { return measures_any(run, &TrialId::trains); }

bool loads_data(const RunOptions& run) { return measures_any(run, &TrialId::loads); }

SessionOptions session_options(const RunOptions& run) {
  if (run.session.workload.empty()) {
    throw Error(ErrorCode::kUsage, "--workload is required: `dlbench list` shows the names");
  }
  check_strategy(run);
  SessionOptions session = run.session;
  session.seed = static_cast<std::uint64_t>(run.seed);
  session.autotune = session.autotune && runs_steps(run);
  session.buckets.cap_bytes = static_cast<std::int64_t>(run.bucket_cap_mib * (1 << 20));
  session.buckets.overlap = !run.no_overlap;
  session.link = simulated_link(run.link, run.link_node_ranks);
  if (!run.storage.empty()) {
    session.storage = data::parse_storage_options(run.storage);
  }
  return session;
}

SessionOptions session_options(const RunOptions& run,
                               const probes::RankPlacement& placement,
                               int ranks) {
  SessionOptions session = session_options(run);
  if (!session.threads.has_value()) {
    session.threads = placement.threads;
  }
  session.own_cpus = placement.workers;
  session.gpu_address = placed_gpu_address(placement, ranks);
  return session;
}

void check_session(const RunOptions& run) {
  static_cast<void>(workloads::find_workload(session_options(run).workload));
  check_device(run.session.device, run.session.precision);
  if (run.session.device == "cpu" || run.session.device == "ref") {
    const std::unique_ptr<backend::Backend> backend =
        backend::create_backend(run.session.device, {});
    check_cuda_graph(run.session.cuda_graph, *backend, "");
  } else if (is_gpu(run.session.device) && !run.link.empty()) {
    throw host_memory_refusal("cuda", "--link");
  }
}

void check_sizes(const RunOptions& run) {
  static_cast<void>(workloads::choose_params(workloads::find_workload(run.session.workload).spec(),
                                             {.batch_size = run.session.batch_size.value_or(0),
                                              .image_size = run.session.image_size.value_or(0)}));
}

void check_share(const RunOptions& run, int ranks) {
  static_cast<void>(share_batch(1, run.session.global_batch_size, 0, ranks));
}

RunnerOptions runner_options(const RunOptions& run) {
  RunnerOptions runner;
  runner.stopping.min_repetitions = run.repetitions;
  runner.stopping.max_noise = run.max_noise / 100.0;
  runner.stopping.max_time_s = run.max_time.value_or(runner.stopping.max_time_s);
  runner.min_time_s = run.min_time.value_or(runner.min_time_s);
  runner.steps = run.steps;
  runner.warmup_steps = run.warmup_steps;
  runner.cpus = probes::watched_cpus();
  return runner;
}

}  // namespace dlbench::harness
