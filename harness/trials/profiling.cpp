// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/profiling.h"

#include "engine/core/atomic_file.h"
#include "engine/core/log.h"
#include "harness/analysis/gpu_sampling.h"
#include "probes/gpu_tracks.h"
#include "reports/naming.h"
#include "reports/peak_rates.h"
#include "reports/statistics_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <sstream>
#include <utility>

namespace dlbench::harness {
namespace {

using reports::step_time_record;

constexpr const char* kTrialOfTheVerdict = "synthetic/device";
// Values of cupti_counters.
constexpr const char* kBytesRead = "dram_read_bytes_per_step";
constexpr const char* kBytesWritten = "dram_written_bytes_per_step";

bool is_available(const reports::ValueMap& values) {
  const auto* available = reports::held<bool>(values, "available");
  return available == nullptr || *available;
}

// The results of one probe in one pass over the arms. The traces stay in place, because tracks of
// the timeline point into them.
class Pass {
 public:
  Pass(probes::Probe& probe, const ProfilingRequest& request, RankGroup& ranks)
      : probe_(probe), request_(request), ranks_(ranks) {}

  /// `all`: also records arms on the timeline that the probe does not watch. A probe that is
  /// refused for good on the reporting rank watches no further arms.
  [[nodiscard]] ArmListeners listeners(bool all) {
    return {.wants =
                [this, all](const TrialId& id) {
                  refused_ =
                      refused_ || ranks_.broadcast(!records_.empty() && probe_.refused_for_good());
                  return all || watches(id);
                },
            .begin =
                [this](const TrialId& id) {
                  if (watches(id)) {
                    probe_.begin_trial(id.to_string());
                  }
                },
            .begin_steps =
                [this](const TrialId& id) {
                  if (watches(id)) {
                    probe_.begin_steps();
                  }
                },
            .end =
                [this](const TrialId& id) {
                  if (watches(id)) {
                    probe_.end_trial();
                    keep(id);
                  }
                }};
  }

  /// A trial's tracks continue those of earlier trials.
  void add_tracks(probes::DeviceTracks& all) const {
    for (const probes::GpuTrace& trace : traces_) {
      for (probes::TraceTrack& track : probes::gpu_tracks(trace)) {
        if (probes::TraceTrack* same = named(all.streams, track.name); same != nullptr) {
          same->events.insert(same->events.end(), track.events.begin(), track.events.end());
        } else {
          track.number = probes::kFirstGpuTrack + static_cast<int>(all.streams.size());
          all.streams.push_back(std::move(track));
        }
      }
    }
    for (const probes::GpuSamples& samples : samples_) {
      for (probes::CounterTrack& track : probes::counter_tracks(samples)) {
        if (probes::CounterTrack* same = named(all.counters, track.name); same != nullptr) {
          same->points.insert(same->points.end(), track.points.begin(), track.points.end());
        } else {
          all.counters.push_back(std::move(track));
        }
      }
    }
  }

  [[nodiscard]] reports::ValueMap record_of(const reports::TrialRecord& trial) const {
    const TrialId id{trial.kind, trial.variant.value_or("")};
    const auto found = records_.find(id.to_string());
    return found != records_.end()                     ? found->second
           : refused_ && sees_trial(probe_.spec(), id) ? unavailable_record(refusal())
                                                       : reports::ValueMap{};
  }

  /// Returns the reason of the first trial in which the probe was refused; empty: none.
  [[nodiscard]] std::string refusal() const {
    for (const auto& [trial, values] : records_) {
      if (!is_available(values)) {
        return reports::text_in(values, "reason");
      }
    }
    return "";
  }

  [[nodiscard]] bool measured_anything() const {
    return std::any_of(records_.begin(), records_.end(), [](const auto& record) {
      return is_available(record.second);
    });
  }

  /// Returns what a trial's records lack, for its taint; empty: nothing important.
  [[nodiscard]] std::string loss(const std::string& trial) const {
    const auto found = losses_.find(trial);
    return found != losses_.end() ? found->second : "";
  }

  /// Returns what the device did in a trial, or nullptr.
  [[nodiscard]] const GpuActivitySummary* activity(const std::string& trial) const {
    const auto found = summaries_.find(trial);
    return found != summaries_.end() ? &found->second : nullptr;
  }

 private:
  template <typename Track>
  static Track* named(std::vector<Track>& tracks, const std::string& name) {
    const auto found = std::find_if(
        tracks.begin(), tracks.end(), [&](const Track& track) { return track.name == name; });
    return found != tracks.end() ? &*found : nullptr;
  }

  [[nodiscard]] bool watches(const TrialId& id) const {
    return !refused_ && sees_trial(probe_.spec(), id);
  }

  void keep(const TrialId& id) {
    const std::string trial = id.to_string();
    if (const probes::GpuTrace* recorded = probe_.device_trace(); recorded != nullptr) {
      keep_activity(trial, *recorded);
    } else if (const probes::GpuSamples* samples = probe_.device_samples(); samples != nullptr) {
      samples_.push_back(*samples);
      records_[trial] = sampling_record(*samples);
      if (samples->has_gaps()) {
        losses_[trial] = lost_text(samples->lost(), "sample") + ": its means are of the others";
      }
    } else {
      records_[trial] = probe_record(probe_.collect(trial), {});
    }
  }

  [[nodiscard]] std::string lost_text(std::int64_t count, std::string_view noun) const {
    return fmt::format("{} of {} {} lost",
                       reports::count_text(count, noun),
                       probe_.spec().name,
                       count == 1 ? "is" : "are");
  }

  void keep_activity(const std::string& trial, const probes::GpuTrace& recorded) {
    traces_.push_back(recorded);
    probes::GpuTrace& trace = traces_.back();
    trace.ops.insert(request_.ops.begin(), request_.ops.end());
    const GpuActivitySummary summary = summarize_activity(trace);
    records_[trial] = activity_record(summary);
    if (summary.dropped > 0) {
      losses_[trial] = lost_text(summary.dropped, "record");
    }
    if (const std::string reason = summary.graph_nodes.untied_reason(); !reason.empty()) {
      core::log::warn_once("probe " + probe_.spec().name + ": " + reason);
    }
    summaries_[trial] = summary;
  }

  probes::Probe& probe_;
  const ProfilingRequest& request_;
  RankGroup& ranks_;
  bool refused_ = false;
  std::deque<probes::GpuTrace> traces_;
  std::vector<probes::GpuSamples> samples_;
  std::map<std::string, reports::ValueMap> records_;
  std::map<std::string, std::string> losses_;
  std::map<std::string, GpuActivitySummary> summaries_;
};

probes::DeviceTracks tracks_of(const std::deque<Pass>& passes) {
  probes::DeviceTracks tracks;
  for (const Pass& pass : passes) {
    pass.add_tracks(tracks);
  }
  return tracks;
}

// Adds the timeline to the record and writes it to `file`, if given, after `repetitions`, even if
// an error ends them: a regular file each time, so that a failing later repetition leaves the
// earlier ones, a pipe only at the `last`.
template <typename Repetitions>
void record_on(const TraceRecording& timeline,
               const std::string& file,
               const std::deque<Pass>& passes,
               bool last,
               reports::RunRecord& record,
               const Repetitions& repetitions) {
  try {
    repetitions();
  } catch (...) {
    timeline.collect(record);
    if (!file.empty()) {
      timeline.rescue(file, tracks_of(passes));
    }
    throw;
  }
  timeline.collect(record);
  if (!file.empty() && (last || !core::is_stream(file))) {
    timeline.write(file, tracks_of(passes));
  }
}

std::int64_t count_on_timeline(const std::vector<probes::Probe*>& probes) {
  return std::count_if(probes.begin(), probes.end(), [](const probes::Probe* probe) {
    return probe->spec().on_timeline;
  });
}

// Returns the length of a probe's repetition: the start of recording (loading instrumented code,
// making buffers) is over in a few steps, and a median needs several. The device is up to two steps
// behind the host, so fewer than three steps may contain no whole one.
UntimedLength length_for_probe(const probes::ProbeSpec& probe, const ProfilingRequest& request) {
  constexpr std::int64_t kSettlingSteps = 10;
  constexpr std::int64_t kSteps = 50;
  constexpr std::int64_t kMinSteps = 3;
  return {.min_s = request.seconds,
          .steps = kSteps,
          .max_s = request.max_seconds,
          .min_steps = kMinSteps,
          .settling_steps = kSettlingSteps,
          .waits_for_settling = probe.counts_all_work};
}

// Returns how the device spends a step of the trial that the verdict uses.
std::optional<UntracedShares> fill_trials(const std::string& probe,
                                          const Pass& pass,
                                          const std::vector<std::unique_ptr<Arm>>& arms,
                                          const std::vector<reports::RepetitionRecord>& repetitions,
                                          reports::RunRecord& record) {
  std::optional<UntracedShares> of_the_verdict;
  for (reports::TrialRecord& trial : record.trials) {
    reports::ValueMap values = pass.record_of(trial);
    if (values.empty()) {
      continue;
    }
    const TrialId id{trial.kind, trial.variant.value_or("")};
    std::optional<double> slowdown_share;
    for (std::size_t index = 0; index < arms.size(); ++index) {
      if (arms[index]->id() == id) {
        slowdown_share = slowdown(trial, repetitions[index].step_wall_s);
      }
    }
    if (is_available(values)) {
      values["slowdown_share"] = slowdown_share;
      if (values.contains(kBytesRead)) {
        const auto share = memory_share(trial, values, record.system.peaks);
        values["dram_share_of_measured_copy"] = share;
        if (!share.has_value()) {
          values["dram_share_of_measured_copy_reason"] =
              "no copy on this device was measured (dlbench info --measure-peaks), or a counter or "
              "the time of a step is missing";
        }
      }
    }
    if (const GpuActivitySummary* summary = pass.activity(id.to_string()); summary != nullptr) {
      const auto untraced = untraced_shares(*summary, timed_step_s(trial));
      values["untraced"] = untraced_record(untraced);
      if (id.to_string() == kTrialOfTheVerdict) {
        of_the_verdict = untraced;
      }
    }
    trial.probes[probe] = std::move(values);
    if (const std::string loss = pass.loss(id.to_string()); !loss.empty()) {
      record.run.taints.push_back(
          {reports::Taint::kDroppedProfilerRecords, "trial " + id.to_string(), loss});
    }
  }
  return of_the_verdict;
}

using Reasons = std::map<std::string, std::string>;  // by probe

Reasons parse_reasons(const std::string& text) {
  Reasons reasons;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t tab = line.find('\t');
    reasons.emplace(line.substr(0, tab), line.substr(tab + 1));
  }
  return reasons;
}

std::string text_of(const Reasons& reasons) {
  std::string text;
  for (const auto& [probe, reason] : reasons) {
    text += probe + '\t' + core::log::one_line(reason) + '\n';
  }
  return text;
}

// Returns, on all ranks, the probes that are closed on some rank, and the reason on the first one.
Reasons closed_on_a_rank(RankGroup& ranks, const ProbeSet& probes) {
  const std::vector<std::string> texts =
      ranks.gather_texts(text_of(probes.own_repetition_reasons()));
  Reasons loaded;  // on any rank
  for (const std::string& text : texts) {
    loaded.merge(parse_reasons(text));
  }
  Reasons closed;
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    Reasons own = parse_reasons(texts[rank]);
    for (const auto& [probe, unused] : loaded) {
      const std::string reason = own.contains(probe) ? own.at(probe) : "not loaded";
      if (!reason.empty()) {
        closed.emplace(probe, "rank " + std::to_string(rank) + ": " + reason);
      }
    }
  }
  return parse_reasons(ranks.broadcast_text(text_of(closed)));
}

// If only some ranks made these repetitions, ranks would wait for each other.
void drop_probes_of_some_ranks(RankGroup& ranks,
                               const ProbeSet& probes,
                               std::vector<probes::Probe*>& chosen,
                               reports::RunRecord& record) {
  if (ranks.size() == 1) {
    return;
  }
  const Reasons closed = closed_on_a_rank(ranks, probes);
  std::erase_if(chosen, [&](const probes::Probe* probe) {
    const std::string& name = probe->spec().name;
    const auto found = closed.find(name);
    if (found == closed.end()) {
      return false;
    }
    record.probes[name] = unavailable_record(found->second);
    core::log::warn("probe " + name + " is left out on all ranks: " + found->second);
    return true;
  });
}

// Returns probes that may run; others get their reason in the record, and one line for all.
std::vector<probes::Probe*> probes_to_run(RankGroup& ranks,
                                          const ProbeSet& probes,
                                          const ProfilingRequest& request,
                                          reports::RunRecord& record) {
  std::vector<probes::Probe*> result = probes.with_own_repetition();
  drop_probes_of_some_ranks(ranks, probes, result, record);
  if (request.profiler_taken.empty()) {
    return result;
  }
  std::string left_out;
  std::erase_if(result, [&](const probes::Probe* probe) {
    const probes::ProbeSpec& spec = probe->spec();
    if (spec.needs_profiler) {
      left_out += (left_out.empty() ? "" : ", ") + spec.name;
      record.probes[spec.name] = unavailable_record(request.profiler_taken);
    }
    return spec.needs_profiler;
  });
  if (!left_out.empty()) {
    core::log::warn("probes left out (" + left_out + "): " + request.profiler_taken);
  }
  return result;
}

// Some refusals show only when recording begins, long after the probe was opened: counters reserved
// for administrators, a profiler owned by another tool. They are reported like the others.
void note_refusal(const std::string& probe, const Pass& pass, reports::RunRecord& record) {
  const std::string reason = pass.refusal();
  if (reason.empty()) {
    return;
  }
  core::log::warn_once("probe " + probe + " does not measure: " + reason);
  if (!pass.measured_anything()) {
    record.probes[probe] = unavailable_record(reason);
  }
}

}  // namespace

bool sees_trial(const probes::ProbeSpec& probe, const TrialId& trial) {
  return probe.device.empty() || trial.trains();
}

std::optional<double> slowdown(const reports::TrialRecord& timed,
                               std::span<const double> profiled_step_s) {
  const auto profiled = step_time_record(profiled_step_s);
  if (!timed.step_time_s.has_value() || timed.step_time_s->median <= 0.0 || !profiled.has_value()) {
    return std::nullopt;
  }
  return profiled->median / timed.step_time_s->median - 1.0;
}

std::optional<double> timed_step_s(const reports::TrialRecord& trial) {
  double wall_s = 0.0;
  std::int64_t steps = 0;
  for (const reports::RepetitionRecord& repetition : trial.repetitions) {
    if (!repetition.discarded.has_value()) {
      wall_s += repetition.wall_s;
      steps += repetition.steps;
    }
  }
  return steps > 0 && wall_s > 0.0 ? std::optional(wall_s / static_cast<double>(steps))
                                   : std::nullopt;
}

std::optional<double> memory_share(const reports::TrialRecord& timed,
                                   const reports::ValueMap& counters,
                                   const std::vector<reports::PeakRecord>& peaks) {
  double bytes = 0.0;
  for (const char* name : {kBytesRead, kBytesWritten}) {
    const auto* of_step = reports::held<double>(counters, name);
    if (of_step == nullptr) {
      return std::nullopt;
    }
    bytes += *of_step;
  }
  const std::optional<double> peak = reports::measured_bytes_per_s(peaks);
  const std::optional<double> step_s = timed_step_s(timed);
  if (!step_s.has_value() || !peak.has_value()) {
    return std::nullopt;
  }
  return bytes / *step_s / *peak;
}

std::optional<UntracedShares> profile_arms(RankGroup& ranks,
                                           ProbeSet& probes,
                                           UntimedRunner& runner,
                                           const std::vector<std::unique_ptr<Arm>>& arms,
                                           const ProfilingRequest& request,
                                           reports::RunRecord& record) {
  std::optional<UntracedShares> shares;
  std::optional<TraceRecording> timeline;
  if (!request.trace_file.empty()) {
    timeline.emplace(probes, request.max_events);
  }
  // All ranks make the same repetitions; one writes the file.
  const std::string file = ranks.speaks() ? request.trace_file : "";
  std::deque<Pass> passes;
  const std::vector<probes::Probe*> chosen = probes_to_run(ranks, probes, request, record);
  std::int64_t yet_to_draw = count_on_timeline(chosen);
  const bool drawn = yet_to_draw > 0;
  for (probes::Probe* probe : chosen) {
    probe->name_ops(request.ops);
    Pass& pass = passes.emplace_back(*probe, request, ranks);
    std::vector<reports::RepetitionRecord> repetitions;
    if (timeline.has_value() && probe->spec().on_timeline) {
      const bool first = yet_to_draw == count_on_timeline(chosen);
      const bool last = --yet_to_draw == 0;
      record_on(*timeline, file, passes, last, record, [&] {
        const TraceRecording::Scope recording(*timeline, probe->sink());
        repetitions =
            runner.run(arms, length_for_probe(probe->spec(), request), pass.listeners(first));
      });
    } else {
      const ScopedSinks listening(probes, {probe->sink()});
      repetitions =
          runner.run(arms, length_for_probe(probe->spec(), request), pass.listeners(false));
    }
    const auto found = fill_trials(probe->spec().name, pass, arms, repetitions, record);
    note_refusal(probe->spec().name, pass, record);
    shares = shares.has_value() ? shares : found;
    if (request.after_probe) {
      request.after_probe();
    }
  }
  if (timeline.has_value() && !drawn) {
    record_on(*timeline, file, passes, true, record, [&] {
      const TraceRecording::Scope recording(*timeline);
      static_cast<void>(runner.run(arms, {.min_s = request.seconds}));
    });
  }
  return shares;
}

}  // namespace dlbench::harness
