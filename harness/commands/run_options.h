// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The options that run, train and scale share.
#pragma once

#include "harness/commands/option_set.h"
#include "harness/session/session_options.h"
#include "harness/session/session_plan.h"
#include "harness/trials/trial_runner.h"
#include "probes/node/placement.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dlbench::harness {

/// Values as given; the help texts in run_options.cpp explain meanings and defaults.
struct RunOptions {
  /// Options whose values need no conversion; session_options() adds `seed` and the five options
  /// below it, which do.
  SessionOptions session;
  std::int64_t seed = static_cast<std::int64_t>(SessionOptions{}.seed);
  double bucket_cap_mib = static_cast<double>(graph::BucketOptions{}.cap_bytes) / (1 << 20);
  bool no_overlap = false;
  std::string link;
  std::optional<std::int64_t> link_node_ranks;
  std::string storage;

  std::string trials = "io,synthetic,full";
  data::CacheMode cache = data::CacheMode::kAsIs;
  std::int64_t repetitions = 5;
  std::int64_t warmup_steps = 0;
  std::optional<std::int64_t> steps;
  std::optional<double> min_time;
  std::optional<double> max_time;
  std::optional<double> time_budget;
  std::optional<double> timeout;
  double max_noise = 1.0;

  std::string probes = "all";
  std::string trace;
  std::string record_probes;
  std::string capture_steps;
  std::string capture_trial = "full";

  std::string output = "report.json";
  std::string benchy;
  std::string config;
  bool dry_run = false;
  bool strict = false;
  bool quiet = false;
  bool verbose = false;
};

/// Each group is for the commands that need it.
void add_workload_options(OptionSet& options, RunOptions& run);
/// Adds the options for training with several ranks.
void add_parallel_options(OptionSet& options, RunOptions& run);
/// `cache` says what --cache prepares the page cache for.
void add_loader_options(OptionSet& options,
                        RunOptions& run,
                        const std::string& cache = "each repetition");
/// Returns the names, without dashes, of those that nothing but a loader uses.
[[nodiscard]] std::vector<std::string> loader_option_names();
/// `trials` lists the trials of the command.
void add_measuring_options(
    OptionSet& options,
    RunOptions& run,
    const std::string& trials = "io, synthetic[/device|/host|/nocomm], full, interference");
void add_output_options(OptionSet& options, RunOptions& run);
/// Adds --trace, for commands that measure at one size.
void add_trace_option(OptionSet& options, RunOptions& run);
/// Adds --probes, for commands that open probes.
void add_probe_option(OptionSet& options, RunOptions& run);

/// Sets the log level.
void apply_verbosity(const RunOptions& run);

/// Returns the simulated link of --link and --link-node-ranks; nothing without them. Throws
/// core::Error(kUsage) for invalid values.
[[nodiscard]] std::optional<comm::LinkModel> simulated_link(
    const std::string& link, const std::optional<std::int64_t>& node_ranks);

/// Returns --threads for bind_this_rank(). Says that OMP_NUM_THREADS is not used instead.
[[nodiscard]] std::optional<int> compute_threads(const RunOptions& run);
/// Warns of a run that took much longer than its time budget, if it has one.
void warn_missed_budget(const RunOptions& run, double took_s);
/// Whether a trial of --trials or --capture-trial runs steps of the network, not the loader alone.
/// Throws as parse_trials() does.
[[nodiscard]] bool runs_steps(const RunOptions& run);
/// Whether one of them loads data. Throws as parse_trials() does.
[[nodiscard]] bool loads_data(const RunOptions& run);
/// Returns the session options. Tunes kernels only if steps run. Throws core::Error(kUsage) for
/// options that exclude each other.
[[nodiscard]] SessionOptions session_options(const RunOptions& run);
/// Also sets the compute threads and loader workers of the rank's share of the node unless given by
/// the user, and its GPU if it is one of several `ranks` (a lone rank takes the first one).
[[nodiscard]] SessionOptions session_options(const RunOptions& run,
                                             const probes::RankPlacement& placement,
                                             int ranks);
/// Throws core::Error(kUsage) as session_options() does, and for an unknown workload or for a
/// device or precision that exists on no machine.
void check_session(const RunOptions& run);
/// Throws core::Error(kUsage) for sizes that the workload does not accept.
void check_sizes(const RunOptions& run);
/// Throws core::Error(kUsage) if --global-batch-size has fewer samples than `ranks`.
void check_share(const RunOptions& run, int ranks);
/// Returns all but what depends on a plan, and the time budget, which several runners share.
[[nodiscard]] RunnerOptions runner_options(const RunOptions& run);

}  // namespace dlbench::harness
