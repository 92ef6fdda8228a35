// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What a batch job shall run and on which resources, independent of the scheduler.
#pragma once

#include "launchers/node_preset.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::launchers {

/// The MPI that the job's dlbench uses. Schedulers and mpiexec need different options for each.
enum class MpiChoice : std::uint8_t {
  kSiteDefault,  ///< the site's default: no option is passed
  kMpich,
  kOpenMpi,
};

/// A job. All counts are at least 1 unless noted; complete_request() fills in the optional counts
/// that a preset or the number of GPUs determines.
struct LaunchRequest {
  std::string job_name = "dlbench";
  int nodes = 1;
  std::optional<int> gpus_per_node;  ///< 0: none
  std::optional<int> ranks_per_node;
  std::optional<int> cpus_per_rank;  ///< CPUs as the scheduler counts them; empty: its default
  bool counts_cores = false;         ///< it counts physical cores, not hardware threads
  std::int64_t time_s = 0;
  std::optional<std::int64_t> memory_bytes;  ///< per node
  std::string account;
  std::string partition;  ///< queue, or namespace
  MpiChoice mpi = MpiChoice::kSiteDefault;
  std::optional<NodePreset> preset;

  std::string container;          ///< image; empty: none
  std::string container_runtime;  ///< apptainer, singularity, shifter or pyxis
  std::string volume;             ///< Kubernetes: claim that is mounted as the output folder

  std::vector<std::string> directives;  ///< further options for the scheduler, one line each
  std::string setup;                    ///< shell text run before the ranks start, as given
  std::string output_folder = ".";      ///< for log, report and profiles
  bool nsys = false;                    ///< wrap each rank in nsys profile
  bool captures_steps = false;          ///< the command has --capture-steps: nsys records those

  std::string program = "dlbench";
  std::vector<std::string> command;  ///< arguments of dlbench: "scale", "--workload", ...
  bool writes_report = false;        ///< the command has --output and was not given it
  bool takes_timeout = false;        ///< the command has --timeout and was not given it
  bool is_warned = false;            ///< the scheduler's, see LauncherSpec::warns_ranks
  /// Options of the command that name an output file or folder, each with its path.
  std::vector<std::pair<std::string, std::string>> written;
};

/// Fills in what the preset determines, and one rank per GPU (one rank without GPUs). Throws
/// core::Error(kUsage) for a request that no node of the preset can serve, for more ranks than an
/// int can hold, and for texts that would break a directive or a file name.
void complete_request(LaunchRequest& request);

/// Returns one line if the ranks use GPUs but no CPUs per rank are given: most schedulers then give
/// each a single CPU, for its loader too. Empty if all is well. Takes a completed request.
[[nodiscard]] std::string missing_cpus_hint(const LaunchRequest& request);

/// Returns the number of ranks of a completed request.
[[nodiscard]] int total_ranks(const LaunchRequest& request);

/// Parses "30min", "2h", "90s", "1d", "00:30:00" or "1-12:00:00" into seconds. A bare number is
/// refused: Slurm and Flux would read minutes, PBS seconds. Throws core::Error(kUsage).
[[nodiscard]] std::int64_t parse_walltime(const std::string& text);

}  // namespace dlbench::launchers
