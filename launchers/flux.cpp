// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Flux: flux batch script with one flux run.
#include "launchers/job_script.h"
#include "launchers/launcher.h"

#include <fmt/format.h>

#include <memory>

namespace dlbench::launchers {
namespace {

constexpr const char* kName = "flux";

std::vector<std::string> directives(const LaunchRequest& request) {
  return {directive("--job-name", request.job_name),
          fmt::format("--nodes={}", request.nodes),
          "--exclusive",
          fmt::format("--time-limit={}s", request.time_s),
          directive("--bank", request.account),
          directive("--queue", request.partition),
          directive("--output", in_output_folder(request, request.job_name + "-{{id}}.log"))};
}

std::vector<std::string> run_words(const LaunchRequest& request) {
  std::vector<std::string> words = {"flux",
                                    "run",
                                    fmt::format("--nodes={}", request.nodes),
                                    fmt::format("--ntasks={}", total_ranks(request))};
  if (request.cpus_per_rank.has_value()) {
    words.push_back(fmt::format("--cores-per-task={}", *request.cpus_per_rank));
  }
  if (*request.gpus_per_node > 0 && *request.gpus_per_node % *request.ranks_per_node == 0) {
    words.push_back(
        fmt::format("--gpus-per-task={}", *request.gpus_per_node / *request.ranks_per_node));
  }
  // Each rank gets its own cores but sees all GPUs of its node, as NCCL needs. The signal goes to
  // the ranks, which then have time to write a partial report.
  words.insert(words.end(),
               {"--setopt=cpu-affinity=per-task",
                "--setopt=gpu-affinity=off",
                fmt::format("--signal=USR1@{}s", warning_s(request))});
  if (request.mpi == MpiChoice::kOpenMpi) {
    words.emplace_back("--setopt=pmi=pmix");
  }
  return words;
}

class Flux final : public Launcher {
 public:
  [[nodiscard]] const LauncherSpec& spec() const override {
    static const LauncherSpec spec{
        .name = kName,
        .description = "flux batch script with flux run",
        .submit_command = {"flux", "batch"},
        .partition_meaning = "queue",
        .counts_cores = true,
        .warns_ranks = true,
        .takes_memory = false,  // Flux gives whole nodes and counts no memory
    };
    return spec;
  }

  [[nodiscard]] std::string script(const LaunchRequest& request) const override {
    return script_head(
               request,
               kName,
               {.sentinel = "#flux:",
                .directives = directives(request),
                .variables = "^FLUX_",
                // The script runs inside of an instance of its own, which has no FLUX_JOB_ID.
                .job_id = "$(flux getattr jobid)",
                .extra_record = "flux resource list"}) +
           shell_words(run_words(request)) + rank_lines(request, kName, "FLUX_TASK_RANK");
  }

  [[nodiscard]] std::string job_id(std::string_view printed) const override {
    return std::string(printed.substr(0, printed.find('\n')));
  }
};

const LauncherRegistration kRegistration{std::make_unique<Flux>()};

}  // namespace
}  // namespace dlbench::launchers
