// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/profiling.h"

#include "engine/core/log.h"
#include "harness/analysis/gpu_activity.h"
#include "harness/analysis/gpu_sampling.h"
#include "probes/gpu_tracks.h"

#include <algorithm>
#include <deque>
#include <utility>

namespace dlbench::harness {
namespace {

// What one probe gave in one pass over the arms. The traces stay where they are: tracks of the
// timeline point into them.
class Pass {
 public:
  Pass(probes::Probe& probe, const ProfilingRequest& request) : probe_(probe), request_(request) {}

  [[nodiscard]] TrialRunner::Around around() {
    return {.begin =
                [this](const TrialId& id) {
                  if (watches(id)) {
                    probe_.begin_trial(id.to_string());
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

  /// Trials continue each other's tracks.
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
    return found != records_.end() ? found->second : reports::ValueMap{};
  }

  /// The first reason of a trial that the probe was refused in; empty: of none.
  [[nodiscard]] std::string refusal() const {
    for (const auto& [trial, values] : records_) {
      if (!is_available(values)) {
        return text_of(values, "reason");
      }
    }
    return "";
  }

  [[nodiscard]] bool measured_anything() const {
    return std::any_of(records_.begin(), records_.end(), [](const auto& record) {
      return is_available(record.second);
    });
  }

  [[nodiscard]] std::int64_t dropped(const std::string& trial) const {
    const auto found = dropped_.find(trial);
    return found != dropped_.end() ? found->second : 0;
  }

  [[nodiscard]] std::optional<double> idle_share(const std::string& trial) const {
    const auto found = idle_.find(trial);
    return found != idle_.end() ? std::optional(found->second) : std::nullopt;
  }

 private:
  [[nodiscard]] static bool is_available(const reports::ValueMap& values) {
    const auto found = values.find("available");
    const bool* available =
        found != values.end() ? std::get_if<bool>(&found->second.data) : nullptr;
    return available == nullptr || *available;
  }

  [[nodiscard]] static std::string text_of(const reports::ValueMap& values,
                                           const std::string& name) {
    const auto found = values.find(name);
    const std::string* text =
        found != values.end() ? std::get_if<std::string>(&found->second.data) : nullptr;
    return text != nullptr ? *text : "";
  }

  template <typename Track>
  static Track* named(std::vector<Track>& tracks, const std::string& name) {
    const auto found = std::find_if(
        tracks.begin(), tracks.end(), [&](const Track& track) { return track.name == name; });
    return found != tracks.end() ? &*found : nullptr;
  }

  [[nodiscard]] bool watches(const TrialId& id) const {
    return probe_.spec().device.empty() || id.kind != reports::TrialKind::kIo;
  }

  void keep(const TrialId& id) {
    const std::string trial = id.to_string();
    if (const probes::GpuTrace* recorded = probe_.device_trace(); recorded != nullptr) {
      keep_activity(trial, *recorded);
    } else if (const probes::GpuSamples* samples = probe_.device_samples(); samples != nullptr) {
      samples_.push_back(*samples);
      records_[trial] = sampling_record(*samples);
      dropped_[trial] = samples->lost();
    } else {
      records_[trial] = probe_record(probe_.collect(trial), {});
    }
  }

  void keep_activity(const std::string& trial, const probes::GpuTrace& recorded) {
    traces_.push_back(recorded);
    probes::GpuTrace& trace = traces_.back();
    trace.ops.insert(request_.ops.begin(), request_.ops.end());
    const GpuActivitySummary summary = summarize_activity(trace);
    records_[trial] = activity_record(summary);
    dropped_[trial] = summary.dropped;
    if (summary.window_s > 0.0) {
      idle_[trial] = 1.0 - summary.busy_s / summary.window_s;
    }
  }

  probes::Probe& probe_;
  const ProfilingRequest& request_;
  std::deque<probes::GpuTrace> traces_;
  std::vector<probes::GpuSamples> samples_;
  std::map<std::string, reports::ValueMap> records_;
  std::map<std::string, std::int64_t> dropped_;
  std::map<std::string, double> idle_;
};

probes::DeviceTracks tracks_of(const std::deque<Pass>& passes) {
  probes::DeviceTracks tracks;
  for (const Pass& pass : passes) {
    pass.add_tracks(tracks);
  }
  return tracks;
}

reports::Value slowdown(const reports::TrialRecord& trial,
                        const reports::RepetitionRecord& profiled) {
  if (!trial.step_time_s.has_value() || trial.step_time_s->median <= 0.0 || profiled.steps == 0) {
    return {};
  }
  const double step_s = profiled.wall_s / static_cast<double>(profiled.steps);
  return step_s / trial.step_time_s->median - 1.0;
}

void fill_trials(const std::string& probe,
                 const Pass& pass,
                 const std::vector<std::unique_ptr<Arm>>& arms,
                 const std::vector<reports::RepetitionRecord>& repetitions,
                 reports::RunRecord& record) {
  for (reports::TrialRecord& trial : record.trials) {
    reports::ValueMap values = pass.record_of(trial);
    if (values.empty()) {
      continue;
    }
    const TrialId id{trial.kind, trial.variant.value_or("")};
    for (std::size_t index = 0; index < arms.size(); ++index) {
      if (arms[index]->id() == id) {
        values["slowdown_share"] = slowdown(trial, repetitions[index]);
      }
    }
    trial.probes[probe] = std::move(values);
    if (const std::int64_t dropped = pass.dropped(id.to_string()); dropped > 0) {
      record.run.taints.push_back({reports::Taint::kDroppedProfilerRecords,
                                   "trial " + id.to_string(),
                                   std::to_string(dropped) + " records of " + probe + " are lost"});
    }
  }
}

// Some refusals show only when recording begins, long after the probe was opened: counters that an
// administrator keeps, a profiler that another tool owns. They are said where the others are.
void note_refusal(const std::string& probe, const Pass& pass, reports::RunRecord& record) {
  const std::string reason = pass.refusal();
  if (reason.empty()) {
    return;
  }
  core::log::warn_once("probe " + probe + " does not measure: " + reason);
  if (!pass.measured_anything()) {
    record.probes[probe] = reports::ValueMap{{"available", false}, {"reason", reason}};
  }
}

}  // namespace

std::map<std::int64_t, probes::GpuOpLabel> op_labels(const graph::Graph& graph) {
  std::map<std::int64_t, probes::GpuOpLabel> labels;
  for (const graph::Node& node : graph.nodes()) {
    labels[node.id] = {node.name, std::string(graph::name(node.phase))};
  }
  return labels;
}

std::optional<double> profile_arms(ProbeSet& probes,
                                   TrialRunner& runner,
                                   const std::vector<std::unique_ptr<Arm>>& arms,
                                   const ProfilingRequest& request,
                                   reports::RunRecord& record) {
  std::optional<double> idle;
  std::optional<TraceRecording> timeline;
  if (!request.trace_file.empty()) {
    timeline.emplace();
  }
  bool drawn = false;
  std::deque<Pass> passes;
  for (probes::Probe* probe : probes.apart()) {
    Pass& pass = passes.emplace_back(*probe, request);
    std::vector<reports::RepetitionRecord> repetitions;
    if (timeline.has_value() && probe->spec().on_timeline) {
      {
        const TraceRecording::Stretch stretch(*timeline, probes, probe->sink());
        repetitions = runner.run_untimed(arms, request.seconds, pass.around());
      }
      // Each time anew: a later repetition that fails leaves what there is.
      timeline->write(request.trace_file, tracks_of(passes));
      drawn = true;
    } else {
      const ListeningBeside listening(probes, {probe->sink()});
      repetitions = runner.run_untimed(arms, request.seconds, pass.around());
    }
    fill_trials(probe->spec().name, pass, arms, repetitions, record);
    note_refusal(probe->spec().name, pass, record);
    if (!idle.has_value()) {
      idle = pass.idle_share("synthetic/device");
    }
  }
  if (timeline.has_value() && !drawn) {
    {
      const TraceRecording::Stretch stretch(*timeline, probes);
      static_cast<void>(runner.run_untimed(arms, request.seconds));
    }
    timeline->write(request.trace_file);
  }
  return idle;
}

}  // namespace dlbench::harness
