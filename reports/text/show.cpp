// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// tables_text of show.h. The ten lines are in summary_text.cpp.
#include "reports/text/show.h"

#include "engine/core/log.h"
#include "reports/doubts.h"
#include "reports/merged_taints.h"
#include "reports/naming.h"
#include "reports/statistics.h"
#include "reports/text/gpu_tables.h"
#include "reports/text/job_text.h"
#include "reports/text/origin_text.h"
#include "reports/text/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace dlbench::reports {
namespace {

std::string section(const std::string& title, const std::string& body) {
  return body.empty() ? std::string() : fmt::format("\n{}\n{}", title, body);
}

/// The peaks of the workload's device and precision; nothing where unknown.
struct Peaks {
  std::optional<double> flop_per_s;
  std::optional<double> bytes_per_s;
  std::string flop_source;  ///< as PeakRecord has it
  std::string bytes_source;
};
Peaks peaks_of(const RunRecord& record) {
  Peaks peaks;
  std::set<std::string> devices;
  for (const PeakRecord& peak : record.system.peaks) {
    devices.insert(peak.device);
  }
  for (const PeakRecord& peak : record.system.peaks) {
    if (record.workload.has_value() &&
        (devices.size() == 1 || peak.device == record.workload->device)) {
      if (peak.precision == record.workload->precision && peak.flop_per_s.has_value()) {
        peaks.flop_per_s = peak.flop_per_s;
        peaks.flop_source = peak.source;
      }
      if (peak.memory_bytes_per_s.has_value()) {
        peaks.bytes_per_s = peak.memory_bytes_per_s;
        peaks.bytes_source = peak.source;
      }
    }
  }
  return peaks;
}

/// Returns the header of a column with shares of such a peak.
std::string share_head(const std::string& source) {
  return source == "datasheet"  ? "of data sheet"
         : source == "measured" ? "of measured peak"
                                : "of peak";
}

/// Whether `mfu` refers to a data sheet, as in reports::mfu_flop_per_s().
bool knows_data_sheet(const RunRecord& record) {
  return record.workload.has_value() &&
         std::ranges::any_of(record.system.peaks, [&record](const PeakRecord& peak) {
           return peak.source == "datasheet" && peak.flop_per_s.has_value() &&
                  peak.precision == record.workload->precision;
         });
}

std::string trials_table(const RunRecord& record) {
  if (record.trials.empty()) {
    return {};
  }
  const bool data_sheet = knows_data_sheet(record);
  std::vector<std::string> heads = {
      "trial", "samples/s", "+-95 %", "stddev", "n", "step median", "p95", "p99", "FLOP/s"};
  if (data_sheet) {
    heads.push_back(share_head("datasheet"));
  }
  heads.insert(heads.end(), {share_head("measured"), "overhead/step"});
  TextTable table(heads);
  for (const TrialRecord& trial : record.trials) {
    std::vector<std::string> cells = {arm_name(trial)};
    if (trial.throughput.has_value()) {
      const RateSummary& rate = trial.throughput->samples_per_second;
      cells.push_back(number_text(rate.mean));
      cells.push_back(rate.ci95.has_value() ? percent_text(noise_of(rate)) : kNone);
      cells.push_back(cell(rate.stddev, number_text));
      cells.push_back(std::to_string(rate.n));
    } else {
      cells.insert(cells.end(), {kNone, kNone, kNone, "0"});
    }
    const auto& steps = trial.step_time_s;
    cells.push_back(steps.has_value() ? seconds_text(steps->median) : kNone);
    cells.push_back(steps.has_value() ? seconds_text(steps->p95) : kNone);
    cells.push_back(steps.has_value() ? seconds_text(steps->p99) : kNone);
    cells.push_back(cell(trial.achieved_flop_per_s.value, decimal_text));
    if (data_sheet) {
      cells.push_back(cell(trial.mfu.value, percent_text));
    }
    cells.push_back(cell(trial.mfu_measured, percent_text));
    cells.push_back(cell(trial.harness_overhead_s_per_step.value, seconds_text));
    table.add(std::move(cells));
  }
  return table.text(2);
}

/// "5 on node2, NVIDIA H200 at 0000:2a:00.0"
std::string rank_cell(const RankRecord& rank) {
  return fmt::format("{} on {}{}{}{}{}",
                     rank.rank,
                     rank.host,
                     rank.device.empty() ? "" : ", ",
                     rank.device,
                     rank.device_address.has_value() ? " at " : "",
                     rank.device_address.value_or(""));
}

/// Returns the rank that most collectives waited for, with its share; none if unknown.
std::string latest_cell(const std::vector<RankRecord>& ranks) {
  const auto latest = std::ranges::max_element(ranks, {}, &RankRecord::late_share);
  return latest->late_share.value_or(0.0) > 0.0
             ? fmt::format("{}, {}", latest->rank, percent_text(*latest->late_share))
             : kNone;
}

/// Returns a line per trial with several ranks: each rank's mean step, its time over its steps.
std::string ranks_table(const RunRecord& record) {
  TextTable table({"trial", "min", "median", "max", "slowest rank", "last at collectives"}, {4, 5});
  bool any = false;
  for (const TrialRecord& trial : record.trials) {
    const std::vector<RankRecord>& ranks = trial.per_rank;
    std::int64_t steps = 0;
    for (const RepetitionRecord& repetition : trial.repetitions) {
      steps += repetition.discarded.has_value() ? 0 : repetition.steps;
    }
    if (ranks.size() < 2 || steps == 0 || !std::ranges::all_of(ranks, [](const RankRecord& rank) {
          return rank.wall_s.has_value();
        })) {
      continue;
    }
    std::vector<double> step_s;
    step_s.reserve(ranks.size());
    for (const RankRecord& rank : ranks) {
      step_s.push_back(*rank.wall_s / static_cast<double>(steps));
    }
    const std::optional<Summary> summary = summarize(step_s);
    table.add({arm_name(trial),
               seconds_text(summary->min),
               seconds_text(summary->median),
               seconds_text(summary->max),
               rank_cell(*std::ranges::max_element(ranks, {}, &RankRecord::wall_s)),
               latest_cell(ranks)});
    any = true;
  }
  return any ? table.text(2) : std::string();
}

std::string phases_table(const TrialRecord& trial) {
  if (trial.phases.empty()) {
    return {};
  }
  TextTable table({"phase", "calls", "total", "per call", "per step", "%", "source"}, {6});
  for (const PhaseRecord& phase : trial.phases) {
    if (phase.total_s == 0.0) {
      continue;  // a phase that this trial does not have
    }
    const std::string per_call =
        phase.calls > 0 ? seconds_text(phase.total_s / static_cast<double>(phase.calls)) : kNone;
    table.add({phase.name,
               std::to_string(phase.calls),
               seconds_text(phase.total_s),
               per_call,
               seconds_text(phase.s_per_step),
               fmt::format("{:.1f}", 100.0 * phase.share),
               phase.source});
  }
  return table.text(2);
}

std::string loader_table(const TrialRecord& trial) {
  if (!trial.loader.has_value()) {
    return {};
  }
  const LoaderRecord& loader = *trial.loader;
  std::string text = fmt::format("  {} workers, {} batches ahead, cache {}: {}\n",
                                 loader.workers,
                                 loader.prefetch,
                                 loader.cache.mode,
                                 loader.cache.proof);
  if (loader.bytes_from_device.value.has_value()) {
    text += fmt::format("  {} came from storage\n", bytes_text(*loader.bytes_from_device.value));
  }
  if (!loader.stages.empty()) {
    TextTable table({"stage", "per sample", "%"});
    for (const StageRecord& stage : loader.stages) {
      table.add({stage.name,
                 seconds_text(stage.s_per_sample),
                 fmt::format("{:.1f}", 100.0 * stage.share)});
    }
    text += table.text(2);
  }
  for (const SkippedSampleRecord& sample : loader.skipped_samples) {
    text += fmt::format("  left out: {}\n",
                        core::log::one_line(fmt::format("{}: {}", sample.path, sample.reason)));
  }
  if (loader.skipped > static_cast<std::int64_t>(loader.skipped_samples.size())) {
    text += fmt::format("  left out in all: {} samples\n", loader.skipped);
  }
  return text;
}

std::string share_cell(const std::optional<double>& value, const std::optional<double>& peak) {
  return value.has_value() && peak > 0.0 ? fmt::format("{:.0f} %", 100.0 * *value / *peak) : kNone;
}

std::string operators_table(const RunRecord& record, std::size_t rows) {
  if (record.operators.empty()) {
    return {};
  }
  std::vector<OperatorRecord> operators = record.operators;
  std::stable_sort(operators.begin(), operators.end(), [](const auto& left, const auto& right) {
    return left.s_per_step > right.s_per_step;
  });
  const Peaks peaks = peaks_of(record);
  TextTable table({"operator",
                   "op",
                   "phase",
                   "calls",
                   "per step",
                   "%",
                   "FLOP/s",
                   share_head(peaks.flop_source),
                   "B/s",
                   share_head(peaks.bytes_source),
                   "bound",
                   "kernel",
                   "layout"},
                  {1, 2, 10, 11, 12});
  double rest_s = 0.0;
  double rest_share = 0.0;
  for (std::size_t index = 0; index < operators.size(); ++index) {
    const OperatorRecord& op = operators[index];
    if (index >= rows) {
      rest_s += op.s_per_step;
      rest_share += op.share;
      continue;
    }
    table.add({op.name,
               op.op,
               op.phase,
               std::to_string(op.calls),
               seconds_text(op.s_per_step),
               fmt::format("{:.1f}", 100.0 * op.share),
               cell(op.flop_per_s, decimal_text),
               share_cell(op.flop_per_s, peaks.flop_per_s),
               cell(op.bytes_per_s, decimal_text),
               share_cell(op.bytes_per_s, peaks.bytes_per_s),
               op.bound.has_value() ? std::string(word(*op.bound)) : kNone,
               op.kernel,
               op.layout});
  }
  std::string text = table.text(2);
  if (operators.size() > rows) {
    text += fmt::format("  and {} more: {} per step, {}\n",
                        operators.size() - rows,
                        seconds_text(rest_s),
                        percent_text(rest_share));
  }
  return text;
}

std::string history_table(const RunRecord& record) {
  if (record.history.empty()) {
    return {};
  }
  std::vector<std::string> header = {
      "epoch", "time", "samples/s", "learning rate", "train loss", "valid loss"};
  std::vector<std::string> metrics;
  for (const auto& [name, value] : record.history.front().metrics) {
    header.push_back(name);
    metrics.push_back(name);
  }
  TextTable table(header);
  for (const EpochRecord& epoch : record.history) {
    std::vector<std::string> cells = {
        std::to_string(epoch.epoch),
        seconds_text(epoch.seconds),
        cell(epoch.samples_per_second, number_text),
        cell(epoch.learning_rate, [](double rate) { return fmt::format("{:.3g}", rate); }),
        cell(epoch.train_loss, loss_text),
        cell(epoch.valid_loss, loss_text)};
    for (const std::string& name : metrics) {
      const auto found = epoch.metrics.find(name);
      const bool defined = found != epoch.metrics.end() && std::isfinite(found->second);
      cells.push_back(defined ? loss_text(found->second) : kNone);
    }
    table.add(std::move(cells));
  }
  return table.text(2);
}

std::string memory_text(const RunRecord& record) {
  if (!record.workload.has_value()) {
    return {};
  }
  const MemoryRecord& memory = record.workload->memory;
  TextTable table({"memory", "bytes"});
  const auto add = [&table](const char* name, const std::optional<std::int64_t>& bytes) {
    if (bytes.has_value()) {
      table.add({name, bytes_text(*bytes)});
    }
  };
  add("parameters", memory.parameters_bytes);
  add("gradients", memory.gradients_bytes);
  add("optimizer", memory.optimizer_bytes);
  add("activations", memory.activations_bytes);
  add("workspace", memory.workspace_bytes);
  add("loader buffers", memory.loader_buffers_bytes);
  add("saved state", memory.saved_state_bytes);
  add("planned peak", memory.planned_peak_bytes);
  if (memory.planned_device_bytes.value_or(0) > 0) {
    add("of it on the host", memory.planned_host_bytes);
    add("on the device", memory.planned_device_bytes);
  }
  add("measured resident", memory.measured_rss_bytes.value);
  return table.text(2);
}

std::string advice_text(const RunRecord& record) {
  std::string text;
  if (record.attribution.has_value()) {
    text += fmt::format("  {}: {}\n  {}\n",
                        word(record.attribution->verdict),
                        explain(record.attribution->verdict),
                        record.attribution->explanation);
    for (const AdviceRecord& advice : record.attribution->advice) {
      text += fmt::format("  - {}\n", advice.change);
    }
  }
  return text;
}

std::string taint_text(const TaintRecord& taint, const std::string& where) {
  return fmt::format("  {}{}{}: {}{}{}\n",
                     word(taint.code),
                     where.empty() ? "" : ", ",
                     where,
                     explain(taint.code),
                     taint.detail.empty() ? "" : ": ",
                     taint.detail);
}

std::string trust_text(const RunRecord& record) {
  std::string text;
  for (const TaintRecord& taint : merged_taints(record.run.taints)) {
    text += taint_text(taint, taint.where);
  }
  for (const TrialRecord& trial : record.trials) {
    for (const TaintRecord& taint : trial.taints.value_or(std::vector<TaintRecord>{})) {
      text += taint_text(taint, "trial " + arm_name(trial));
    }
    for (const RepetitionRecord& repetition : trial.repetitions) {
      if (repetition.discarded.has_value()) {
        text += fmt::format("  discarded {} repetition {}: {}\n",
                            arm_name(trial),
                            repetition.index,
                            *repetition.discarded);
      }
    }
  }
  for (const SkipRecord& skip : record.run.skipped) {
    text += fmt::format("  skipped {}\n",
                        core::log::one_line(fmt::format("{}: {}", skip.what, skip.reason)));
  }
  if (record.run.failure.has_value()) {
    const FailureRecord& failure = *record.run.failure;
    text += fmt::format("  {} on rank {} ({}) in {}{}{}: {}\n",
                        record.run.status == RunStatus::kPartial ? "ended" : "failed",
                        failure.rank,
                        failure.host,
                        failure.phase,
                        failure.op.empty() ? "" : ", ",
                        failure.op,
                        failure.detail);
  }
  return text;
}

}  // namespace

std::string tables_text(const RunRecord& record, std::size_t operator_rows) {
  std::string text = section("Trials", trials_table(record));
  text += section("Mean step of each rank", ranks_table(record));
  text += gpu_text(record);
  for (const TrialRecord& trial : record.trials) {
    text += section("Phases of " + arm_name(trial), phases_table(trial));
    text += section("Loader of " + arm_name(trial), loader_table(trial));
  }
  text += section("Operators of the step", operators_table(record, operator_rows));
  text += kernels_text(record);
  text += scaling_text(record);
  text += collectives_text(record);
  text += section("Training", history_table(record));
  text += section("Memory of a rank", memory_text(record));
  text += section("Job", job_text(record));
  text += section("Verdict", advice_text(record));
  text += section("Where and how", origin_text(record));
  text += section("What to know before trusting it", trust_text(record));
  return text;
}

}  // namespace dlbench::reports
