// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/profiling.h"

#include "engine/core/log.h"
#include "harness/analysis/gpu_activity.h"
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

  [[nodiscard]] std::vector<probes::TraceTrack> tracks() const {
    std::vector<probes::TraceTrack> all;
    for (const probes::GpuTrace& trace : traces_) {
      std::vector<probes::TraceTrack> tracks = probes::gpu_tracks(trace);
      for (probes::TraceTrack& track : tracks) {
        const auto same = std::find_if(
            all.begin(), all.end(), [&](const auto& other) { return other.name == track.name; });
        if (same == all.end()) {
          track.number += static_cast<int>(all.size());
          all.push_back(std::move(track));
        } else {
          same->events.insert(same->events.end(), track.events.begin(), track.events.end());
        }
      }
    }
    return all;
  }

  [[nodiscard]] reports::ValueMap record_of(const reports::TrialRecord& trial) const {
    const TrialId id{trial.kind, trial.variant.value_or("")};
    const auto found = records_.find(id.to_string());
    return found != records_.end() ? found->second : reports::ValueMap{};
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
  [[nodiscard]] bool watches(const TrialId& id) const {
    return probe_.spec().device.empty() || id.kind != reports::TrialKind::kIo;
  }

  void keep(const TrialId& id) {
    const std::string trial = id.to_string();
    const probes::GpuTrace* recorded = probe_.device_trace();
    if (recorded == nullptr) {
      records_[trial] = probe_record(probe_.collect(trial), {});
      return;
    }
    traces_.push_back(*recorded);
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
  std::map<std::string, reports::ValueMap> records_;
  std::map<std::string, std::int64_t> dropped_;
  std::map<std::string, double> idle_;
};

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
  bool traced = request.trace_file.empty();
  for (probes::Probe* probe : probes.apart()) {
    Pass pass(*probe, request);
    std::vector<reports::RepetitionRecord> repetitions;
    if (!std::exchange(traced, true)) {
      const TraceRecording recording(probes, probe->sink());
      repetitions = runner.run_untimed(arms, request.seconds, pass.around());
      recording.write(request.trace_file, pass.tracks());
    } else {
      const ListeningBeside listening(probes, {probe->sink()});
      repetitions = runner.run_untimed(arms, request.seconds, pass.around());
    }
    fill_trials(probe->spec().name, pass, arms, repetitions, record);
    if (!idle.has_value()) {
      idle = pass.idle_share("synthetic/device");
    }
  }
  if (!traced) {
    const TraceRecording recording(probes);
    static_cast<void>(runner.run_untimed(arms, request.seconds));
    recording.write(request.trace_file);
  }
  return idle;
}

}  // namespace dlbench::harness
