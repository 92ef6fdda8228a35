// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Checks what a run reports about itself: status and exit code, times, options, the job, workload
// and data. taint_arithmetic.cpp checks its taints.
#include "engine/core/error.h"
#include "engine/core/split_list.h"
#include "reports/validation/arithmetic_internal.h"
#include "reports/vocabulary.h"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace dlbench::reports {
namespace {

using core::ErrorCode;

bool is_strict(const RunRecord& record) {
  const auto found = record.config.effective.find("strict");
  return found != record.config.effective.end() && found->second == Value(true);
}

bool has_wrong_collectives(const RunRecord& record) {
  return std::any_of(record.collectives.begin(), record.collectives.end(), [](const auto& each) {
    return each.wrong.value_or(0) > 0;
  });
}

/// Returns the exit code of a run that has measured everything.
std::int64_t code_of_complete(const RunRecord& record) {
  if (has_wrong_collectives(record)) {
    return core::exit_code(ErrorCode::kGate);
  }
  return is_strict(record) && !record.run.taints.empty() ? core::kTaintedExitCode : 0;
}

bool ends_early(std::int64_t code) {
  return code == core::exit_code(ErrorCode::kTimeout) ||
         code == core::exit_code(ErrorCode::kInterrupted);
}

void check_complete(const Checker& check, const RunRecord& record) {
  const RunInfoRecord& run = record.run;
  check.expect(run.finished_at.has_value(), "is complete but has no finished_at");
  check.expect(run.exit_code.has_value(), "is complete but has no exit_code");
  check.expect(!run.failure.has_value(), "is complete but has a failure");
  const std::int64_t wanted = code_of_complete(record);
  check.at("exit_code")
      .expect(run.exit_code.value_or(wanted) == wanted,
              fmt::format("is {}, but a complete run like this one ends with {}",
                          run.exit_code.value_or(wanted),
                          wanted));
}

/// A run in progress has neither; an ended run has both, and a failure says why.
void check_partial(const Checker& check, const RunInfoRecord& run) {
  check.expect(run.exit_code.has_value() == run.finished_at.has_value(),
               "is partial with one of finished_at and exit_code: both or none");
  if (run.exit_code.has_value()) {
    check.at("exit_code")
        .expect(ends_early(*run.exit_code),
                fmt::format("is {}, but a run that was ended early ends with {} or {}",
                            *run.exit_code,
                            core::exit_code(ErrorCode::kTimeout),
                            core::exit_code(ErrorCode::kInterrupted)));
    check.expect(run.failure.has_value(),
                 "was ended early but does not say where: failure is null");
  }
}

void check_failed(const Checker& check, const RunInfoRecord& run) {
  check.expect(run.failure.has_value(), "has failed but does not say where: failure is null");
  const std::int64_t code = run.exit_code.value_or(core::exit_code(ErrorCode::kRun));
  check.at("exit_code")
      .expect(code != 0 && code != core::kTaintedExitCode && !ends_early(code),
              fmt::format("is {}, which is not that of a failed run", code));
}

/// All are UTC in the same format, see the schema, so that up to seconds their texts have the order
/// of the times.
bool is_before(const std::string& time, const std::string& other) {
  constexpr std::size_t kSeconds = std::string_view("2026-01-31T12:00:00").size();
  return time.substr(0, kSeconds) < other.substr(0, kSeconds);
}

/// Of a repetition or an epoch.
void check_within_run(const Checker& check,
                      const std::optional<std::string>& started_at,
                      const RunInfoRecord& run) {
  if (started_at.has_value()) {
    check.at("started_at")
        .expect(!is_before(*started_at, run.started_at) &&
                    !is_before(run.finished_at.value_or(*started_at), *started_at),
                fmt::format("{} is not within the run, {} to {}",
                            *started_at,
                            run.started_at,
                            run.finished_at.value_or("now")));
  }
}

void check_times(const Checker& check, const RunInfoRecord& run) {
  if (run.finished_at.has_value()) {
    check.at("finished_at")
        .expect(!is_before(*run.finished_at, run.started_at),
                fmt::format("{} is before started_at, {}", *run.finished_at, run.started_at));
  }
}

void check_times_of_parts(const Checker& root, const RunRecord& record) {
  for (std::size_t trial = 0; trial < record.trials.size(); ++trial) {
    const std::vector<RepetitionRecord>& repetitions = record.trials[trial].repetitions;
    for (std::size_t index = 0; index < repetitions.size(); ++index) {
      check_within_run(root.at("trials", trial).at("repetitions", index),
                       repetitions[index].started_at,
                       record.run);
    }
  }
  for (std::size_t epoch = 0; epoch < record.history.size(); ++epoch) {
    check_within_run(root.at("history", epoch), record.history[epoch].started_at, record.run);
  }
}

/// Whether the state is the schedulers' word for the end given by the exit code.
bool fits(std::string_view state, const RunInfoRecord& run) {
  if (run.status == RunStatus::kComplete) {
    return state == "COMPLETED";
  }
  if (run.exit_code == core::exit_code(ErrorCode::kTimeout)) {
    return state == "TIMEOUT";
  }
  if (run.exit_code == core::exit_code(ErrorCode::kInterrupted)) {
    return state == "CANCELLED";
  }
  return run.status == RunStatus::kPartial || state == "FAILED" || state == "OUT_OF_MEMORY";
}

/// Checks that the listed ranks make up the sums: all, or for a failed run the one that wrote it.
void check_job_sums(const Checker& check, const JobRecord& job) {
  double cpu_time_s = 0.0;
  std::int64_t memory_used_bytes = 0;
  for (const JobRankRecord& rank : job.per_rank) {
    if (!rank.cpu_time_s.has_value() || !rank.memory_used_bytes.has_value()) {
      return;
    }
    cpu_time_s += *rank.cpu_time_s;
    memory_used_bytes = sum_of(memory_used_bytes, *rank.memory_used_bytes);
  }
  if (job.per_rank.empty()) {
    return;
  }
  if (job.cpu_time_s.has_value()) {
    check.at("cpu_time_s").expect_close(*job.cpu_time_s, cpu_time_s, "the sum of per_rank");
  }
  check.at("memory_used_bytes")
      .expect(job.memory_used_bytes.value_or(memory_used_bytes) == memory_used_bytes,
              fmt::format("is {}, but the sum of per_rank is {}",
                          job.memory_used_bytes.value_or(memory_used_bytes),
                          memory_used_bytes));
}

/// Checks periods timed one after another in the process, whose age is wall_s, on monotonic clocks.
/// Clocks of several hosts differ, but by less than a thousandth.
void check_job_time(const Checker& check, const JobRecord& job, const RunRecord& record) {
  constexpr double kClocksApart = 1e-3;
  constexpr double kTicksS = 0.02;  // in which the kernel tells when a process began
  double timed_s = 0.0;
  for (const TrialRecord& trial : record.trials) {
    for (const RepetitionRecord& repetition : trial.repetitions) {
      timed_s += repetition.invocation == 0 ? repetition.wall_s : 0.0;  // others: other processes
    }
  }
  for (const EpochRecord& epoch : record.history) {
    timed_s += epoch.seconds;
  }
  check.at("wall_s").expect(
      timed_s <= job.wall_s * (1.0 + kClocksApart) + kTicksS,
      fmt::format("is {}, but repetitions and epochs took {} s of it", job.wall_s, timed_s));
}

void check_job(const Checker& check, const JobRecord& job, const RunRecord& record) {
  check.at("state").expect(
      fits(job.state, record.run),
      fmt::format("'{}' contradicts status and exit_code of the run", job.state));
  check_job_sums(check, job);
  check_job_time(check, job, record);
  if (!job.cores.has_value()) {
    return;
  }
  const auto cores = static_cast<double>(*job.cores);
  const double capacity = job.cpu_capacity.value_or(cores);  // older reports count whole cores
  check.at("cpu_capacity")
      .expect(0.0 < capacity && capacity <= cores,
              fmt::format("is {}, which {} cores do not have", capacity, *job.cores));
  if (job.cpu_efficiency.has_value() && job.cpu_time_s.has_value() && job.wall_s > 0.0) {
    check.at("cpu_efficiency")
        .expect_close(*job.cpu_efficiency,
                      *job.cpu_time_s / (job.wall_s * capacity),
                      "cpu_time_s / (wall_s cpu_capacity)");
  }
}

void check_config(const Checker& check, const RunRecord& record) {
  const ConfigRecord& config = record.config;
  const auto* number = held<std::int64_t>(config.effective, "seed");
  check.at("effective.seed")
      .expect(number == nullptr || static_cast<std::uint64_t>(*number) == record.run.seed,
              fmt::format("is not run.seed, {}", record.run.seed));
  for (const auto& [option, value] : config.effective) {
    check.at("source").expect(config.source.contains(option),
                              fmt::format("does not say where {} is from", option));
  }
  for (const auto& [option, source] : config.source) {
    check.at("source").expect(config.effective.contains(option),
                              fmt::format("has {}, which is no option in effect", option));
  }
}

/// Checks that the workload was built with the options in effect; in a sweep over ranks with those
/// of one series.
void check_options_of(const Checker& check,
                      const WorkloadRecord& workload,
                      const ValueMap& effective) {
  const auto expect_option = [&](const char* option, const Value& built) {
    const auto found = effective.find(option);
    const bool given =
        found != effective.end() && found->second != Value() && found->second != Value("");
    check.at(option).expect(!given || found->second == built,
                            fmt::format("is {}, but the workload was built with {}",
                                        given ? text_of(found->second) : "",
                                        text_of(built)));
  };
  expect_option("workload", workload.name);
  expect_option("batch-size", workload.batch_size_per_rank);
  expect_option("global-batch-size", workload.global_batch_size);
  expect_option("precision", workload.precision);
  const std::string device = text_in(effective, "device");
  const std::string backend = device.substr(0, device.find(':'));
  check.at("device").expect(
      device.empty() || device == "auto" || backend == workload.backend,
      fmt::format("is {}, but the workload's backend is {}", device, workload.backend));
  if (const auto size = workload.parameters.find("image_size"); size != workload.parameters.end()) {
    expect_option("image-size", size->second);
  }
}

/// Checks that a rank's parameters take at least 4 bytes each, and gradients too; and not more
/// except for gaps between tensors, whose sizes are not in the report.
void check_parameters(const Checker& check, const WorkloadRecord& workload) {
  constexpr std::int64_t kBytes = 4;
  const auto expect_room = [&](const char* key, const auto& bytes, std::int64_t numbers) {
    check.at(key).expect(
        !bytes.has_value() || *bytes / kBytes >= numbers,
        fmt::format("{} bytes do not hold {} numbers", bytes.value_or(0), numbers));
  };
  expect_room(
      "memory.parameters_bytes", workload.memory.parameters_bytes, workload.trainable_parameters);
  expect_room(
      "memory.gradients_bytes", workload.memory.gradients_bytes, workload.trainable_parameters);
}

/// Checks that the planned peak is the sum of its parts, and that a step is wholly on the host or
/// on a device. Older reports lack some parts.
void check_memory(const Checker& check, const MemoryRecord& memory) {
  const auto sum = [](std::initializer_list<std::optional<std::int64_t>> parts) {
    std::optional<std::int64_t> bytes = 0;
    for (const std::optional<std::int64_t>& part : parts) {
      bytes = bytes.has_value() && part.has_value() ? std::optional(sum_of(*bytes, *part))
                                                    : std::nullopt;
    }
    return bytes;
  };
  const auto expect_sum = [&check](const char* key,
                                   const std::optional<std::int64_t>& bytes,
                                   const std::optional<std::int64_t>& wanted,
                                   const char* parts) {
    check.at(key).expect(
        !bytes.has_value() || !wanted.has_value() || *bytes == *wanted,
        fmt::format("is {}, but {} {}", bytes.value_or(0), parts, wanted.value_or(0)));
  };
  const auto step = sum({memory.parameters_bytes,
                         memory.gradients_bytes,
                         memory.optimizer_bytes,
                         memory.activations_bytes,
                         memory.workspace_bytes});
  expect_sum("planned_peak_bytes",
             memory.planned_peak_bytes,
             sum({step, memory.loader_buffers_bytes, memory.saved_state_bytes}),
             "its parts sum to");
  expect_sum("planned_peak_bytes",
             memory.planned_peak_bytes,
             sum({memory.planned_host_bytes, memory.planned_device_bytes}),
             "host and device have");
  if (memory.planned_device_bytes != 0) {
    expect_sum("planned_device_bytes", memory.planned_device_bytes, step, "the step needs");
  }
}

/// Checks that inputs and plans have the batch of a rank; `train` has smaller plans for the last
/// batch of an epoch.
void check_shapes(const Checker& check, const WorkloadRecord& workload, bool has_trials) {
  const std::int64_t batch = workload.batch_size_per_rank;
  for (std::size_t index = 0; index < workload.inputs.size(); ++index) {
    const std::vector<std::int64_t>& shape = workload.inputs[index].shape;
    check.at("inputs", index)
        .at("shape")
        .expect(!shape.empty() && shape.front() == batch,
                fmt::format("does not begin with the {} of batch_size_per_rank", batch));
  }
  for (std::size_t index = 0; index < workload.plans.size(); ++index) {
    const std::int64_t planned = workload.plans[index].batch_size;
    check.at("plans", index)
        .at("batch_size")
        .expect(planned == batch || (!has_trials && planned < batch),
                fmt::format("is {}, but batch_size_per_rank is {}", planned, batch));
  }
}

/// Checks that trials outside a series use all ranks, and their loaders the options.
void check_launch(const Checker& root, const RunRecord& record) {
  const std::int64_t launched = launched_ranks(record.system);
  for (std::size_t index = 0; index < record.trials.size(); ++index) {
    const TrialRecord& trial = record.trials[index];
    if (trial.series.has_value()) {
      continue;
    }
    const Checker check = root.at("trials", index);
    check.at("ranks").expect(launched == 0 || trial.ranks == launched,
                             fmt::format("is {}, but system.hosts have {}", trial.ranks, launched));
    const auto expect_option = [&](const char* option, const char* key, const Value& used) {
      const auto given = record.config.effective.find(option);
      check.at("loader").at(key).expect(
          given == record.config.effective.end() || given->second == Value() ||
              given->second == used,
          fmt::format("is {}, but config.effective has {}",
                      text_of(used),
                      given == record.config.effective.end() ? "" : text_of(given->second)));
    };
    if (trial.loader.has_value()) {
      expect_option("workers", "workers", trial.loader->workers);
      expect_option("prefetch", "prefetch", trial.loader->prefetch);
      expect_option("decode", "decode", trial.loader->decode);
      expect_option("cache", "cache.mode", trial.loader->cache.mode);
    }
  }
}

/// Checks that trials outside a series have the workload's batch.
void check_batches(const Checker& root, const RunRecord& record) {
  const WorkloadRecord& workload = *record.workload;
  for (std::size_t index = 0; index < record.trials.size(); ++index) {
    const TrialRecord& trial = record.trials[index];
    if (trial.series.has_value()) {
      continue;
    }
    const Checker check = root.at("trials", index);
    check.at("batch_size_per_rank")
        .expect(trial.batch_size_per_rank == workload.batch_size_per_rank,
                fmt::format("is {}, but that of the workload is {}",
                            trial.batch_size_per_rank,
                            workload.batch_size_per_rank));
    check.at("global_batch_size")
        .expect(trial.global_batch_size == workload.global_batch_size,
                fmt::format("is {}, but that of the workload is {}",
                            trial.global_batch_size,
                            workload.global_batch_size));
  }
}

/// Checks that what a complete run was to measure is there, or why not. Compares kinds, because
/// variants of one kind may be one trial (device and host, on the CPU) and `interference` is two.
void check_trials_asked_for(const Checker& root, const RunRecord& record) {
  if (record.run.status != RunStatus::kComplete) {
    return;
  }
  for (const std::string& name : core::split_list(text_in(record.config.effective, "trials"))) {
    const std::string kind = name.substr(0, name.find('/'));
    const bool measured = std::ranges::any_of(
        record.trials, [&kind](const TrialRecord& trial) { return word(trial.kind) == kind; });
    const bool skipped = std::ranges::any_of(record.run.skipped, [&kind](const SkipRecord& skip) {
      return skip.what.starts_with("trial " + kind);
    });
    root.at("trials").expect(
        measured || skipped,
        fmt::format("has no {}, which the option trials asks for, and run.skipped does not say why",
                    kind));
  }
}

void check_workload(const Checker& root, const RunRecord& record) {
  root.at("dataset").expect(record.workload.has_value() == record.dataset.has_value(),
                            record.workload.has_value()
                                ? "is null although there is a workload, which reads one"
                                : "is not null although there is no workload to read it");
  if (!record.workload.has_value()) {
    root.at("workload").expect(record.trials.empty(), "is null although there are trials of one");
    return;
  }
  root.at("dataset").expect(
      !record.dataset.has_value() || record.dataset->samples > 0 || record.trials.empty(),
      "has no samples, but trials are of them");
  const Checker check = root.at("workload");
  check.at("memory").expect_reason("measured_rss_bytes",
                                   record.workload->memory.measured_rss_bytes);
  check_parameters(check, *record.workload);
  check_memory(check.at("memory"), record.workload->memory);
  if (record.scaling.empty()) {
    check_options_of(root.at("config.effective"), *record.workload, record.config.effective);
  }
  check_shapes(check, *record.workload, !record.trials.empty());
  check_batches(root, record);
  check_launch(root, record);
}

}  // namespace

void check_run(const Checker& root, const RunRecord& record) {
  const Checker run = root.at("run");
  switch (record.run.status) {
    case RunStatus::kComplete:
      check_complete(run, record);
      break;
    case RunStatus::kPartial:
      check_partial(run, record.run);
      break;
    case RunStatus::kFailed:
      check_failed(run, record.run);
      break;
  }
  check_times(run, record.run);
  check_times_of_parts(root, record);
  check_config(root.at("config"), record);
  check_trials_asked_for(root, record);
  check_workload(root, record);
  if (record.job.has_value()) {
    check_job(root.at("job"), *record.job, record);
  }
}

}  // namespace dlbench::reports
