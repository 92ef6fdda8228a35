// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// dlbench launch SCHEDULER ... -- COMMAND: a batch job that runs another command of dlbench on many
// ranks, printed or submitted.
#include "engine/core/error.h"
#include "engine/core/log.h"
#include "engine/core/own_program.h"
#include "harness/commands/child_process.h"
#include "harness/commands/command.h"
#include "harness/commands/command_line.h"
#include "harness/session/open_device.h"
#include "launchers/job_script.h"
#include "launchers/launcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::harness {
namespace {

using core::Error;
using core::ErrorCode;
using launchers::Launcher;
using launchers::LauncherSpec;
using launchers::LaunchRequest;
namespace fs = std::filesystem;

constexpr std::int64_t kMaxNodes = 1'000'000;
constexpr std::int64_t kMaxPerNode = 4096;
// dlbench needs at least this: a bare 1500 would be megabytes to Slurm.
constexpr std::int64_t kMinMemory = std::int64_t{64} << 20;
constexpr std::int64_t kMaxMemory = std::int64_t{1} << 50;

std::optional<int> to_int(const std::optional<std::int64_t>& number) {
  return number.has_value() ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

/// Returns this program's path, which is the same on the nodes, or inside an image its name.
std::string program_for_job(bool in_container) {
  const fs::path program = core::own_program();
  return in_container || program.empty() ? std::string("dlbench") : program.string();
}

std::vector<std::string> split_directives(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(';', begin), text.size());
    const std::size_t first = text.find_first_not_of(' ', begin);
    if (first < end) {
      lines.push_back(text.substr(first, end - first));
    }
    begin = end + 1;
  }
  return lines;
}

void check_ends_in_time(const char* option, std::optional<double> seconds, std::int64_t walltime) {
  if (seconds.value_or(0.0) >= static_cast<double>(walltime)) {
    throw Error(ErrorCode::kUsage,
                fmt::format("{} of {} s: the walltime (--time) ends the job after {} s, before it; "
                            "give less, or leave it out",
                            option,
                            *seconds,
                            walltime));
  }
}

// A command plans its whole budget, and leaves a partial report if it is ended earlier.
void check_budget(const CheckedCommandLine& checked, bool is_default, std::int64_t working_s) {
  const double end_s =
      std::min(static_cast<double>(working_s), checked.timeout_s.value_or(INFINITY));
  if (checked.time_budget_s.value_or(0.0) > end_s) {
    throw Error(
        ErrorCode::kUsage,
        fmt::format("--time-budget of {} s{}: the job is told to end after {} s; give a "
                    "smaller one, or a longer {}",
                    *checked.time_budget_s,
                    is_default ? ", the default" : "",
                    end_s,
                    end_s < static_cast<double>(working_s) ? "--timeout" : "walltime (--time)"));
  }
}

class LaunchCommand final : public Command {
 public:
  explicit LaunchCommand(const Launcher& launcher) : launcher_(launcher) {}

  [[nodiscard]] std::string name() const override { return "launch " + spec().name; }
  [[nodiscard]] std::string summary() const override {
    return spec().description + ": print or submit it";
  }
  [[nodiscard]] bool launches() const override { return true; }
  [[nodiscard]] std::string details() const override {
    std::string presets;
    for (const std::string& preset : launchers::preset_names()) {
      presets += fmt::format("  {:<15} {}\n", preset, launchers::find_preset(preset).description);
    }
    return "What follows -- is the command that each rank runs; it is checked here, before the "
           "job\n"
           "waits. With --submit the job's number is printed, else the text for `" +
           spec().submit_command.front() + "`.\nExample:\n  dlbench launch " + spec().name +
           " --nodes 2 --gpus-per-node 4 --cpus-per-task 8 --time 30min" +
           (spec().needs_container ? " --container IMAGE" : "") +
           " -- run --workload resunetpp\nPresets:\n" + presets +
           "Exit codes: 0 printed or submitted, 1 the scheduler refused the job,\n"
           "  2 command line, or no " +
           spec().submit_command.front() + " here";
  }
  void add_options(OptionSet& options) override;
  int run(const OptionSet& options, const Invocation& invocation) override;

 private:
  [[nodiscard]] const LauncherSpec& spec() const { return launcher_.spec(); }
  void add_container_options(OptionSet& options);
  [[nodiscard]] LaunchRequest request(const OptionSet& options, const Invocation& invocation) const;
  [[nodiscard]] int submit(const LaunchRequest& request, const std::string& script) const;

  const Launcher& launcher_;
  std::int64_t nodes_ = 1;
  std::optional<std::int64_t> gpus_per_node_;
  std::optional<std::int64_t> ranks_per_node_;
  std::optional<std::int64_t> cpus_per_task_;
  std::optional<std::int64_t> memory_;
  std::string time_;
  std::string preset_;
  std::string mpi_ = "auto";
  std::string container_runtime_ = "auto";
  std::string directives_;
  std::string program_;
  bool submit_ = false;
  LaunchRequest request_;  // the options that need no change
};

void LaunchCommand::add_options(OptionSet& options) {
  options.add_count("nodes", "N", "nodes", nodes_, {1, kMaxNodes});
  options.add_count("gpus-per-node", "N", "GPUs of each node", gpus_per_node_, {0, kMaxPerNode});
  options.add_count("ranks-per-node",
                    "N",
                    "ranks on each node (default: the preset's, one per GPU, or one)",
                    ranks_per_node_,
                    {1, kMaxPerNode});
  options.add_count("tasks-per-node",
                    "N",
                    "the same, as Slurm's users call it",
                    ranks_per_node_,
                    {1, kMaxPerNode});
  options.add_count("cpus-per-task",
                    "N",
                    "CPUs of each rank, as the scheduler counts them (default: its own)",
                    cpus_per_task_,
                    {1, kMaxPerNode});
  options.add_text(
      "time", "TIME", "walltime, required: 30min, 2h, 1d, HH:MM:SS, D-HH:MM:SS", time_);
  options.add_choice(
      "preset", "nodes of a known machine (see below)", preset_, launchers::preset_names());
  options.add_text("partition", "NAME", spec().partition_meaning, request_.partition);
  if (spec().takes_account) {
    options.add_text("account", "NAME", "project that pays for the job", request_.account);
  }
  if (spec().takes_memory) {
    options.add_bytes("memory",
                      "memory of each node; K, M, G and T are powers of 2^10",
                      memory_,
                      {kMinMemory, kMaxMemory});
  }
  options.add_choice("mpi",
                     "MPI of the nodes; auto: whatever the site's default is",
                     mpi_,
                     {"auto", "mpich", "openmpi"});
  options.add_text("job-name", "NAME", "of the job, its log and report", request_.job_name);
  options.add_text("output-dir", "DIR", "for log, report and profiles", request_.output_folder);
  add_container_options(options);
  options.add_text("program", "FILE", "dlbench on the nodes (default: this one)", program_);
  options.add_flag("nsys", "profile with Nsight Systems, one file per rank", request_.nsys);
  options.add_flag("submit", "submit the job and print its number", submit_);
}

void LaunchCommand::add_container_options(OptionSet& options) {
  options.add_text("container", "IMAGE", "image that has dlbench in it", request_.container);
  if (spec().takes_volume) {
    options.add_text(
        "volume", "CLAIM", "persistent volume claim mounted at --output-dir", request_.volume);
  }
  if (!spec().needs_container) {
    options.add_choice("container-runtime",
                       "what runs the image; auto: the preset's, or apptainer",
                       container_runtime_,
                       {"auto", "apptainer", "singularity", "shifter", "pyxis"});
    options.add_text(
        "directives", "TEXT", "more options for the scheduler, separated by ;", directives_);
    options.add_text(
        "setup", "TEXT", "shell line before the ranks start: module load ...", request_.setup);
  }
}

/// NCCL needs a GPU for each rank. Commands without --share-gpu (info) do not use NCCL.
void check_gpus(const LaunchRequest& request, const CheckedCommandLine& checked) {
  if (checked.device.has_value() && is_gpu(*checked.device) && *request.gpus_per_node == 0 &&
      request.directives.empty()) {
    core::log::warn("--device " + *checked.device +
                    ", and the job asks for no GPU: give --gpus-per-node, unless the site gives "
                    "them without");
  }
  const bool wants_own = std::ranges::find(checked.unset, "share-gpu") != checked.unset.end();
  if (!wants_own || !checked.device.has_value() || *request.ranks_per_node == 1) {
    return;
  }
  if (checked.device->starts_with("cuda:")) {
    throw Error(ErrorCode::kUsage,
                fmt::format("--device {} is one GPU for all {} ranks of a node: leave the number "
                            "away, or give --share-gpu",
                            *checked.device,
                            *request.ranks_per_node));
  }
  const bool may_use_gpus = *checked.device == "auto" || *checked.device == "cuda";
  if (may_use_gpus && *request.gpus_per_node > 0 &&
      *request.ranks_per_node > *request.gpus_per_node) {
    throw Error(ErrorCode::kUsage,
                fmt::format("{} ranks per node are more than its {} GPUs: at most one rank per "
                            "GPU, or give the command --share-gpu or --device cpu",
                            *request.ranks_per_node,
                            *request.gpus_per_node));
  }
}

LaunchRequest LaunchCommand::request(const OptionSet& options, const Invocation& invocation) const {
  if (!options.is_default("ranks-per-node") && !options.is_default("tasks-per-node")) {
    throw Error(ErrorCode::kUsage,
                "--ranks-per-node and --tasks-per-node are two names of one number: give one");
  }
  if (invocation.launched.empty()) {
    throw Error(ErrorCode::kUsage,
                "nothing to launch: add -- and a command, such as -- run --workload resunetpp");
  }
  if (time_.empty()) {
    throw Error(ErrorCode::kUsage, "--time is required: every job needs a walltime, such as 30min");
  }
  LaunchRequest request = request_;
  request.nodes = static_cast<int>(nodes_);
  request.gpus_per_node = to_int(gpus_per_node_);
  request.ranks_per_node = to_int(ranks_per_node_);
  request.cpus_per_rank = to_int(cpus_per_task_);
  request.memory_bytes = memory_;
  request.time_s = launchers::parse_walltime(time_);
  if (!preset_.empty()) {
    request.preset = launchers::find_preset(preset_);
  }
  request.mpi = mpi_ == "mpich"     ? launchers::MpiChoice::kMpich
                : mpi_ == "openmpi" ? launchers::MpiChoice::kOpenMpi
                                    : launchers::MpiChoice::kSiteDefault;
  request.container_runtime = container_runtime_ == "auto" ? "" : container_runtime_;
  request.directives = split_directives(directives_);
  request.program = program_.empty() ? program_for_job(!request.container.empty()) : program_;
  request.command = invocation.launched;
  request.counts_cores = spec().counts_cores;
  complete_request(request);
  const CheckedCommandLine checked = check_command_line(invocation.launched, total_ranks(request));
  request.is_warned = spec().warns_ranks;
  request.written = checked.written;
  check_gpus(request, checked);
  check_ends_in_time("--timeout", checked.timeout_s, request.time_s);
  const auto is_unset = [&checked](const char* option) {
    return std::find(checked.unset.begin(), checked.unset.end(), option) != checked.unset.end();
  };
  check_budget(checked, is_unset("time-budget"), launchers::working_s(request));
  request.writes_report = is_unset("output");
  request.takes_timeout = is_unset("timeout");
  request.captures_steps =
      std::find(checked.set.begin(), checked.set.end(), "capture-steps") != checked.set.end();
  return request;
}

int LaunchCommand::submit(const LaunchRequest& request, const std::string& script) const {
  if (!spec().needs_container) {
    // Schedulers open the log before the script runs, and discard it if the folder is missing.
    std::error_code error;
    fs::create_directories(request.output_folder, error);
    if (error) {
      throw Error(ErrorCode::kFile,
                  fmt::format("--output-dir '{}': {}", request.output_folder, error.message()));
    }
  }
  const std::string& program = spec().submit_command.front();
  const ChildResult result =
      run_child(spec().submit_command, {.input = script, .capture_output = true});
  if (result.start_error != 0) {
    throw Error(
        ErrorCode::kUnavailable,
        fmt::format("cannot submit: '{}': {}; run this where {} jobs are submitted, or leave "
                    "--submit away and keep the printed text",
                    program,
                    core::errno_text(result.start_error),
                    spec().name));
  }
  if (result.code != 0) {
    throw Error(ErrorCode::kLibrary,
                fmt::format("{} refused the job (code {}){}{}",
                            program,
                            result.code,
                            result.output.empty() ? "" : ": ",
                            result.output.substr(0, result.output.find('\n'))));
  }
  const std::string id = launcher_.job_id(result.output);
  std::fputs((id.empty() ? result.output : id + "\n").c_str(), stdout);
  return 0;
}

int LaunchCommand::run(const OptionSet& options, const Invocation& invocation) {
  const LaunchRequest wanted = request(options, invocation);
  const std::string script = launcher_.script(wanted);
  if (const std::string hint = missing_cpus_hint(wanted);
      !spec().needs_container && !hint.empty()) {  // a pod without a limit has them all
    core::log::warn(hint);
  }
  if (submit_) {
    return submit(wanted, script);
  }
  std::fputs(script.c_str(), stdout);
  std::error_code ignored;
  if (!spec().needs_container && !fs::is_directory(wanted.output_folder, ignored)) {
    core::log::warn(
        fmt::format("--output-dir '{}' is not there: make it before the job is "
                    "submitted, or the scheduler drops the log",
                    wanted.output_folder));
  }
  return 0;
}

}  // namespace

std::vector<std::unique_ptr<Command>> make_launch_commands() {
  std::vector<std::unique_ptr<Command>> commands;
  for (const std::string& name : launchers::launcher_names()) {
    commands.push_back(std::make_unique<LaunchCommand>(launchers::find_launcher(name)));
  }
  return commands;
}

}  // namespace dlbench::harness
