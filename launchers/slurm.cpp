// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Slurm: sbatch script with one srun.
#include "launchers/job_script.h"
#include "launchers/launcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace dlbench::launchers {
namespace {

constexpr const char* kName = "slurm";

std::string count(const char* key, const std::optional<int>& number) {
  return number.value_or(0) > 0 ? fmt::format("{}={}", key, *number) : std::string();
}

std::string memory(const LaunchRequest& request) {
  constexpr std::int64_t kMib = 1 << 20;
  return request.memory_bytes.has_value()
             ? fmt::format("--mem={}M", (*request.memory_bytes + kMib - 1) / kMib)
             : std::string();
}

// All attempts of a job share its number, so a second one would overwrite log and report of the
// first. The user's own setting takes precedence, also among other options on one line.
std::string no_requeue(const LaunchRequest& request) {
  const bool chosen = std::ranges::any_of(request.directives, [](const std::string& line) {
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      if (word == "--requeue" || word == "--no-requeue") {
        return true;
      }
    }
    return false;
  });
  return chosen ? std::string() : "--no-requeue";
}

std::vector<std::string> directives(const LaunchRequest& request) {
  std::vector<std::string> lines = {
      directive("--job-name", request.job_name),
      fmt::format("--nodes={}", request.nodes),
      fmt::format("--ntasks-per-node={}", *request.ranks_per_node),
      count("--cpus-per-task", request.cpus_per_rank),
      count("--gpus-per-node", request.gpus_per_node),
      memory(request),
      directive("--time", clock_text(request.time_s)),
      directive("--account", request.account),
      directive("--partition", request.partition),
      directive("--output", in_output_folder(request, request.job_name + "-%j.log")),
      no_requeue(request),
      // To the ranks, not to this script: they then have time to write a partial report.
      fmt::format("--signal=USR1@{}", warning_s(request))};
  if (on_own_machine(request, kName)) {
    for (const std::string& line : request.preset->directives) {
      if (request.partition.empty() || !line.starts_with("--partition=")) {
        lines.push_back(line);
      }
    }
  }
  return lines;
}

std::vector<std::string> srun_words(const LaunchRequest& request) {
  // A failed rank ends the others. srun does not take --cpus-per-task from sbatch.
  std::vector<std::string> words = {"srun", "--kill-on-bad-exit=1"};
  if (request.mpi != MpiChoice::kSiteDefault) {
    words.emplace_back(request.mpi == MpiChoice::kMpich ? "--mpi=pmi2" : "--mpi=pmix");
  }
  if (request.cpus_per_rank.has_value()) {
    words.push_back(count("--cpus-per-task", request.cpus_per_rank));
  }
  if (on_own_machine(request, kName)) {
    const NodePreset& preset = *request.preset;
    const bool mask = preset.cpu_bind.starts_with("mask_cpu");  // one for each rank, or none
    if (!preset.cpu_bind.empty() && (!mask || *request.ranks_per_node == preset.ranks)) {
      words.push_back(directive("--cpu-bind", preset.cpu_bind));
    }
  }
  return words;
}

// In a pyxis container a relative folder is inside the image, which is deleted with the job, and
// the report with it. The job's shell knows the folder, wherever the job was submitted.
std::string container_words(const LaunchRequest& request) {
  if (request.container.empty() || request.container_runtime != "pyxis") {
    return "";
  }
  return " " + shell_words({"--container-image=" + request.container, "--container-mount-home"}) +
         R"( --container-mounts="$PWD:$PWD" --container-workdir="$PWD")";
}

class Slurm final : public Launcher {
 public:
  [[nodiscard]] const LauncherSpec& spec() const override {
    static const LauncherSpec spec{
        .name = kName,
        .description = "sbatch script with srun",
        .submit_command = {"sbatch", "--parsable"},
        .partition_meaning = "partition",
        .warns_ranks = true,
    };
    return spec;
  }

  [[nodiscard]] std::string script(const LaunchRequest& request) const override {
    return script_head(request,
                       kName,
                       {.sentinel = "#SBATCH",
                        .directives = directives(request),
                        .variables = "^SLURM_",
                        .secrets = "^SLURM_JWT=",  // a token
                        .job_id = "$SLURM_JOB_ID"}) +
           shell_words(srun_words(request)) + container_words(request) +
           rank_lines(request, kName, "SLURM_PROCID");
  }

  // --parsable: "123", or "123;cluster".
  [[nodiscard]] std::string job_id(std::string_view printed) const override {
    return std::string(printed.substr(0, printed.find_first_of(";\n")));
  }
};

const LauncherRegistration kRegistration{std::make_unique<Slurm>()};

}  // namespace
}  // namespace dlbench::launchers
