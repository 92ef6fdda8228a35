// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// summary_text of show.h: the ten lines.
#include "engine/core/log.h"
#include "reports/doubts.h"
#include "reports/naming.h"
#include "reports/text/show.h"
#include "reports/text/text_table.h"
#include "reports/value.h"
#include "reports/verdict_reason.h"
#include "reports/verdict_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

namespace dlbench::reports {
namespace {

constexpr std::size_t kLabelWidth = 18;

std::string line(const std::string& label,
                 const std::string& text,
                 std::size_t width = kLabelWidth) {
  return fmt::format("{:<{}}{}\n", label, width, text);
}

std::string device_name(const RunRecord& record) {
  if (record.workload.has_value()) {
    return record.workload->device;
  }
  return record.collectives.empty() ? "cpu" : record.collectives.front().device.value_or("cpu");
}

/// The least and the most that one of the hosts leaves to the job.
std::pair<std::int64_t, std::int64_t> usable_cores(const RunRecord& record) {
  const auto [least, most] = std::ranges::minmax(
      record.system.hosts, {}, [](const HostRecord& host) { return host.cpu.usable_cores; });
  return {least.cpu.usable_cores, most.cpu.usable_cores};
}

bool hosts_differ(const RunRecord& record) {
  const auto [least, most] = usable_cores(record);
  return least != most;
}

/// "2 cores"; where threads of them compute "1 thread on 2 cores", "1 thread per rank on 2 cores".
std::string cores_text(const RunRecord& record, const HostRecord& host) {
  const bool has_threads = host.cpu.threads.value_or(0) > host.cpu.cores.value_or(0);
  const std::string cores =
      count_text(host.cpu.usable_cores, has_threads ? "hardware thread" : "core");
  const std::optional<double> threads = number_in(record.config.effective, "threads");
  if (!threads.has_value()) {
    return cores;
  }
  return fmt::format("{:.0f} {}{} on {}",
                     *threads,
                     *threads == 1.0 ? "thread" : "threads",
                     launched_ranks(record.system) <= 1 ? ""
                     : hosts_differ(record)             ? " of rank 0"
                                                        : " per rank",
                     cores);
}

/// "Example CPU (2 threads on 2 cores)", "Example GPU (Example CPU, 8 cores, 2 hosts)".
std::string device_text(const RunRecord& record) {
  std::string text = device_name(record);
  if (record.system.hosts.empty()) {
    return text;
  }
  const HostRecord& host = record.system.hosts.front();
  const bool named = text.find(host.cpu.model) != std::string::npos;
  text += fmt::format(
      " ({}{}{}", named ? "" : host.cpu.model, named ? "" : ", ", cores_text(record, host));
  if (record.system.hosts.size() > 1) {
    text += fmt::format(", {} hosts", record.system.hosts.size());
  }
  if (hosts_differ(record)) {
    const auto [least, most] = usable_cores(record);
    text += fmt::format(" of {} to {}", least, most);
  }
  return text + ")";
}

/// "batch 4"; "8 ranks, batch 4 per rank (32 in all)"; of shares that differ "8 ranks, batch 30 in
/// all".
std::string batch_text(const WorkloadRecord& workload, std::int64_t ranks) {
  if (ranks <= 1) {
    return fmt::format("batch {}", workload.global_batch_size);
  }
  return workload.batch_size_per_rank * ranks == workload.global_batch_size
             ? fmt::format("{} ranks, batch {} per rank ({} in all)",
                           ranks,
                           workload.batch_size_per_rank,
                           workload.global_batch_size)
             : fmt::format("{} ranks, batch {} in all", ranks, workload.global_batch_size);
}

std::string workload_line(const RunRecord& record) {
  if (!record.workload.has_value()) {
    return line("workload", "none, on " + device_text(record));
  }
  const WorkloadRecord& workload = *record.workload;
  return line("workload",
              fmt::format("{} on {}, {}, {}, seed {}",
                          workload.name,
                          device_text(record),
                          workload.precision,
                          batch_text(workload, launched_ranks(record.system)),
                          record.run.seed));
}

std::string dataset_line(const RunRecord& record) {
  if (!record.dataset.has_value()) {
    return line("data", "none");
  }
  const DatasetRecord& data = *record.dataset;
  return line(
      "data",
      fmt::format("{}, {} samples ({}, {})", data.name, data.samples, data.format, data.origin));
}

/// For `dlbench comm`, which trains nothing.
std::string collectives_line(const RunRecord& record) {
  std::int64_t ranks = 0;
  std::int64_t wrong = 0;
  bool checked = true;
  for (const CollectiveRecord& collective : record.collectives) {
    ranks = std::max(ranks, collective.ranks);
    wrong += collective.wrong.value_or(0);
    checked = checked && collective.wrong.has_value();
  }
  return line(
      "collectives",
      fmt::format("{} measurements over up to {} on {}, {}",
                  record.collectives.size(),
                  count_text(ranks, "rank"),
                  device_text(record),
                  checked ? fmt::format("{} wrong elements", wrong) : "values not checked (-c 0)"));
}

std::string trial_line(const TrialRecord& trial, std::size_t width) {
  if (!trial.throughput.has_value()) {
    return line(arm_name(trial), "not measured", width);
  }
  const RateSummary& rate = trial.throughput->samples_per_second;
  std::string text = fmt::format("{:>9} samples/s", number_text(rate.mean));
  if (rate.ci95.has_value()) {
    const auto [lower, upper] = *rate.ci95;
    text += fmt::format("  95 % interval {} to {} (+-{})",
                        number_text(lower),
                        number_text(upper),
                        percent_text(noise_of(rate)));
  } else {
    text += "  no interval";
  }
  text += fmt::format(", n={}", rate.n);
  if (trial.step_time_s.has_value()) {
    text += fmt::format(", {} {}",
                        trial.trains() ? "step" : "median batch",
                        seconds_text(trial.step_time_s->median));
  }
  return line(arm_name(trial), text, width);
}

std::string verdict_lines(const RunRecord& record) {
  if (!record.attribution.has_value()) {
    return line("verdict", "none: " + record.attribution_reason.value_or(why_no_verdict(record)));
  }
  const AttributionRecord& attribution = *record.attribution;
  std::string verdict(word(attribution.verdict));
  const std::optional<IntervalRecord>& ci95 = attribution.margin_ci95;
  if (ci95.has_value() && tells_nothing((*ci95)[0], (*ci95)[1])) {
    verdict += " (margin not known: its 95 % interval is wider than the full time)";
  } else if (attribution.margin.has_value()) {
    verdict += fmt::format(" (margin {}", percent_text(*attribution.margin));
    if (ci95.has_value()) {
      verdict += fmt::format(
          ", 95 % interval {} to {}", percent_text((*ci95)[0]), percent_text((*ci95)[1]));
    }
    verdict += ")";
  }
  if (attribution.overlap_efficiency.has_value()) {
    verdict +=
        fmt::format(", full is {} of predicted", percent_text(*attribution.overlap_efficiency));
  }
  return line("verdict", verdict) + line("because", attribution.explanation) +
         line(
             "advice",
             attribution.advice.empty() ? "nothing computable" : attribution.advice.front().change);
}

std::string known_loss(const std::optional<double>& loss) {
  return loss.has_value() && std::isfinite(*loss) ? loss_text(*loss) : "none";
}

std::string metrics_text(const EpochRecord& epoch) {
  std::string text;
  for (const auto& [name, value] : epoch.metrics) {
    text += fmt::format(", {} {}", name, known_loss(value));
  }
  return text;
}

std::string history_lines(const RunRecord& record) {
  const auto epoch_line = [](const char* label, const EpochRecord& epoch) {
    std::string text = fmt::format("epoch {}, {}", epoch.epoch, seconds_text(epoch.seconds));
    if (epoch.samples_per_second.has_value()) {
      text += fmt::format(", {} samples/s", number_text(*epoch.samples_per_second));
    }
    text += fmt::format(", train loss {}, valid loss {}{}",
                        known_loss(epoch.train_loss),
                        known_loss(epoch.valid_loss),
                        metrics_text(epoch));
    return line(label, text);
  };
  std::string text = epoch_line("first", record.history.front());
  const auto best = std::min_element(
      record.history.begin(), record.history.end(), [](const auto& left, const auto& right) {
        return left.valid_loss.has_value() &&
               (!right.valid_loss.has_value() || *left.valid_loss < *right.valid_loss);
      });
  if (best->valid_loss.has_value()) {
    text += epoch_line("lowest valid loss", *best);
  }
  return text + epoch_line("last", record.history.back());
}

void add_codes(const std::vector<TaintRecord>& taints, std::vector<std::string>& codes) {
  for (const TaintRecord& taint : taints) {
    std::string code(word(taint.code));
    if (std::find(codes.begin(), codes.end(), code) == codes.end()) {
      codes.push_back(std::move(code));
    }
  }
}

/// Lists the taints of the run, separate from those implied by the purpose of single trials.
std::string taints_line(const RunRecord& record) {
  std::vector<std::string> of_run;
  add_codes(record.run.taints, of_run);
  std::vector<std::string> by_purpose;
  for (const TrialRecord& trial : record.trials) {
    add_codes(trial.taints.value_or(std::vector<TaintRecord>{}), by_purpose);
  }
  std::string text = of_run.empty() ? "none" : fmt::format("{}", fmt::join(of_run, ", "));
  if (!by_purpose.empty()) {
    text += fmt::format("; a trial by its purpose: {}", fmt::join(by_purpose, ", "));
  }
  return line("taints", text);
}

/// For `run --compression`; the tables of `scale` have their own.
std::string compression_line(const RunRecord& record) {
  if (!record.workload.has_value()) {
    return {};
  }
  const auto* error = held<double>(record.workload->parameters, "compression_relative_error");
  return error == nullptr
             ? std::string()
             : line("compression", fmt::format("relative error of the gradients {:.2e}", *error));
}

std::string skipped_lines(const RunRecord& record) {
  std::string text;
  for (const SkipRecord& skip : record.run.skipped) {
    text += line("left out", core::log::one_line(fmt::format("{}: {}", skip.what, skip.reason)));
  }
  return text;
}

}  // namespace

std::string summary_text(const RunRecord& record, const std::string& path) {
  const bool collectives_alone = !record.workload.has_value() && !record.collectives.empty();
  std::string text =
      collectives_alone ? collectives_line(record) : workload_line(record) + dataset_line(record);
  // Trials of `scale` belong to a series, whose tables show the measurements.
  if (!record.trials.empty() && record.trials.front().series.has_value()) {
    text += scaling_text(record) + skipped_lines(record);
  } else {
    std::size_t width = kLabelWidth;
    for (const TrialRecord& trial : record.trials) {
      width = std::max(width, arm_name(trial).size() + 1);
    }
    for (const TrialRecord& trial : record.trials) {
      text += trial_line(trial, width);
    }
    if (!record.history.empty()) {
      text += history_lines(record) + skipped_lines(record);
    }
    if (!record.trials.empty()) {
      text += verdict_lines(record);
      text += compression_line(record);
    }
  }
  text += taints_line(record);
  std::string report = path == "-" ? "on the standard output" : path;
  report += fmt::format(
      " ({}, dlbench {} {})", word(record.run.status), record.tool.version, record.tool.git_commit);
  return text + line("report", report);
}

}  // namespace dlbench::reports
