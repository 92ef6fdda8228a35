// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// OpenPBS and PBS Professional: qsub script with one chunk per node and mpiexec.
#include "engine/core/error.h"
#include "launchers/job_script.h"
#include "launchers/launcher.h"

#include <fmt/format.h>

#include <memory>

namespace dlbench::launchers {
namespace {

constexpr const char* kName = "pbs";

// One chunk is one node: its ranks, their CPUs, its GPUs.
std::string select(const LaunchRequest& request) {
  const int ranks = *request.ranks_per_node;
  std::string chunk = fmt::format("-l select={}:ncpus={}:mpiprocs={}",
                                  request.nodes,
                                  ranks * request.cpus_per_rank.value_or(1),
                                  ranks);
  if (*request.gpus_per_node > 0) {
    chunk += fmt::format(":ngpus={}", *request.gpus_per_node);
  }
  if (request.memory_bytes.has_value()) {
    constexpr std::int64_t kMib = 1 << 20;
    chunk += fmt::format(":mem={}mb", (*request.memory_bytes + kMib - 1) / kMib);
  }
  return chunk;
}

// With a folder as -o, PBS names the log itself, starting with the job's number. A text before a
// colon there would name a host.
std::vector<std::string> directives(const LaunchRequest& request) {
  if (request.output_folder.find(':') != std::string::npos) {
    throw core::Error(core::ErrorCode::kUsage,
                      fmt::format("--output-dir '{}' has a colon, before which PBS reads the name "
                                  "of a host; choose a folder without it",
                                  request.output_folder));
  }
  return {spaced_directive("-N", request.job_name),
          select(request),
          "-l place=scatter",
          "-l walltime=" + clock_text(request.time_s),
          spaced_directive("-A", request.account),
          spaced_directive("-q", request.partition),
          "-j oe",
          request.output_folder == "." ? std::string() : "-o " + in_output_folder(request, "")};
}

std::vector<std::string> mpiexec_words(const LaunchRequest& request) {
  const std::string ranks = std::to_string(*request.ranks_per_node);
  std::vector<std::string> words = {"mpiexec", "-n", std::to_string(total_ranks(request))};
  if (request.mpi == MpiChoice::kOpenMpi) {
    // dlbench binds by itself.
    words.insert(words.end(), {"--map-by", "ppr:" + ranks + ":node", "--bind-to", "none"});
  } else {
    words.insert(words.end(), {"-ppn", ranks});  // hydra and PALS
  }
  return words;
}

class Pbs final : public Launcher {
 public:
  [[nodiscard]] const LauncherSpec& spec() const override {
    static const LauncherSpec spec{
        .name = kName,
        .description = "qsub script with mpiexec",
        .submit_command = {"qsub"},
        .partition_meaning = "queue",
    };
    return spec;
  }

  [[nodiscard]] std::string script(const LaunchRequest& request) const override {
    const bool open_mpi = request.mpi == MpiChoice::kOpenMpi;
    return script_head(request,
                       kName,
                       {.sentinel = "#PBS",
                        .directives = directives(request),
                        .variables = "^PBS_",
                        .secrets = "^PBS_JOBCOOKIE=",
                        .job_id = "$PBS_JOBID",
                        .go_to = "cd \"$PBS_O_WORKDIR\"",  // jobs start in the home folder
                        .extra_record = "sort \"$PBS_NODEFILE\" | uniq -c"}) +
           shell_words(mpiexec_words(request)) +
           rank_lines(request, kName, open_mpi ? "OMPI_COMM_WORLD_RANK" : "PMI_RANK");
  }

  // "123.server"
  [[nodiscard]] std::string job_id(std::string_view printed) const override {
    return std::string(printed.substr(0, printed.find('\n')));
  }
};

const LauncherRegistration kRegistration{std::make_unique<Pbs>()};

}  // namespace
}  // namespace dlbench::launchers
