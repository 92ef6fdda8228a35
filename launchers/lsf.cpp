// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// IBM Spectrum LSF: bsub script. Machines like Summit reserve whole nodes (-nnodes) and start ranks
// with jsrun; elsewhere a job has slots and mpiexec.
#include "engine/core/error.h"
#include "launchers/job_script.h"
#include "launchers/launcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace dlbench::launchers {
namespace {

constexpr const char* kName = "lsf";

bool uses_jsrun(const LaunchRequest& request) {
  return on_own_machine(request, kName) && request.preset->uses_jsrun;
}

// -W counts in minutes, [hour:]minute.
std::string walltime(std::int64_t seconds) {
  const std::int64_t minutes = (seconds + 59) / 60;
  return fmt::format("-W {}:{:02}", minutes / 60, minutes % 60);
}

std::vector<std::string> size_directives(const LaunchRequest& request) {
  if (uses_jsrun(request)) {
    return {fmt::format("-nnodes {}", request.nodes)};
  }
  std::vector<std::string> lines = {fmt::format("-n {}", total_ranks(request)),
                                    fmt::format(R"(-R "span[ptile={}]")", *request.ranks_per_node)};
  if (request.cpus_per_rank.has_value()) {
    lines.push_back(fmt::format(R"(-R "affinity[core({})]")", *request.cpus_per_rank));
  }
  if (*request.gpus_per_node > 0) {
    lines.push_back(fmt::format(R"(-gpu "num={}/host")", *request.gpus_per_node));
  }
  return lines;
}

std::vector<std::string> directives(const LaunchRequest& request) {
  std::vector<std::string> lines = {spaced_directive("-J", request.job_name)};
  const auto size = size_directives(request);
  lines.insert(lines.end(), size.begin(), size.end());
  lines.insert(lines.end(),
               {walltime(request.time_s),
                spaced_directive("-P", request.account),
                spaced_directive("-q", request.partition),
                spaced_directive("-o", in_output_folder(request, request.job_name + "-%J.log"))});
  if (on_own_machine(request, kName)) {
    const auto& own = request.preset->directives;
    lines.insert(lines.end(), own.begin(), own.end());
  }
  return lines;
}

// One resource set per node, so that ranks of a node see each other's GPUs; within it each rank has
// its own cores, packed next to each other.
std::vector<std::string> jsrun_words(const LaunchRequest& request) {
  const int ranks = *request.ranks_per_node;
  const int cores = *request.cpus_per_rank;
  return {"jsrun",
          fmt::format("--nrs={}", request.nodes),
          "--rs_per_host=1",
          fmt::format("--tasks_per_rs={}", ranks),
          fmt::format("--cpu_per_rs={}", ranks * cores),
          fmt::format("--gpu_per_rs={}", *request.gpus_per_node),
          "--launch_distribution=packed",
          fmt::format("--bind=packed:{}", cores)};
}

std::vector<std::string> mpiexec_words(const LaunchRequest& request) {
  std::vector<std::string> words = {"mpiexec", "-n", std::to_string(total_ranks(request))};
  if (request.mpi == MpiChoice::kOpenMpi) {
    words.insert(words.end(), {"--bind-to", "none"});  // dlbench binds by itself
  }
  return words;
}

class Lsf final : public Launcher {
 public:
  [[nodiscard]] const LauncherSpec& spec() const override {
    static const LauncherSpec spec{
        .name = kName,
        .description = "bsub script with jsrun (Summit) or mpiexec",
        .submit_command = {"bsub"},
        .partition_meaning = "queue",
        .counts_cores = true,
        .takes_memory = false,  // its unit is a setting of the site
    };
    return spec;
  }

  [[nodiscard]] std::string script(const LaunchRequest& request) const override {
    const bool jsrun = uses_jsrun(request);
    const char* rank_variable = jsrun                                ? "JSM_NAMESPACE_RANK"
                                : request.mpi == MpiChoice::kOpenMpi ? "OMPI_COMM_WORLD_RANK"
                                                                     : "PMI_RANK";
    return script_head(request,
                       kName,
                       {.sentinel = "#BSUB",
                        .directives = directives(request),
                        .variables = "^LS[BF]_",
                        .job_id = "$LSB_JOBID"}) +
           shell_words(jsrun ? jsrun_words(request) : mpiexec_words(request)) +
           rank_lines(request, kName, rank_variable);
  }

  // "Job <123> is submitted to queue <batch>."
  [[nodiscard]] std::string job_id(std::string_view printed) const override {
    const std::size_t begin = printed.find('<');
    const std::size_t end = printed.find('>', begin);
    return begin == std::string_view::npos || end == std::string_view::npos
               ? std::string()
               : std::string(printed.substr(begin + 1, end - begin - 1));
  }
};

const LauncherRegistration kRegistration{std::make_unique<Lsf>()};

}  // namespace
}  // namespace dlbench::launchers
