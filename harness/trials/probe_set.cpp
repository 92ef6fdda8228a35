// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/probe_set.h"

#include "engine/core/error.h"
#include "engine/core/log.h"
#include "engine/core/nearest_name.h"
#include "engine/core/split_list.h"
#include "engine/core/trace.h"
#include "harness/trials/open_probe.h"
#include "probes/registry.h"
#include "reports/naming.h"
#include "reports/vocabulary.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

namespace dlbench::harness {
namespace {

constexpr const char* kTimeline = "timeline";

// Whether the probe can keep its observations in a file.
bool records(const probes::Probe& probe) {
  const std::vector<probes::OptionSpec>& options = probe.spec().options;
  return std::any_of(options.begin(), options.end(), [](const probes::OptionSpec& option) {
    return option.name == "record";
  });
}

// Returns how long rank 0 computed, whose probes these are; wall_s of several ranks is the slowest
// one's, which may be longer than rank 0 was watched.
double own_seconds(const reports::RepetitionRecord& repetition, std::int64_t ranks) {
  const std::vector<double>& steps = repetition.step_wall_s;
  return ranks == 1 || steps.empty()
             ? repetition.wall_s
             : std::min(repetition.wall_s, std::accumulate(steps.begin(), steps.end(), 0.0));
}

// Computes power of this rank's device over the rate of its samples, including discarded
// repetitions in both. A window is longer than its steps, because ranks line up and batches that
// were ready are consumed.
void add_joules_per_sample(const reports::TrialRecord& trial,
                           bool shares_device,
                           reports::ValueMap& values) {
  if (!values.contains("energy_joules")) {
    return;
  }
  std::int64_t samples = 0;
  double steps_s = 0.0;
  for (const reports::RepetitionRecord& repetition : trial.repetitions) {
    samples += repetition.steps * trial.batch_size_per_rank;
    steps_s += own_seconds(repetition, trial.ranks);
  }
  const auto* joules = reports::held<double>(values, "energy_joules");
  const auto* windows_s = reports::held<double>(values, "window_seconds");
  const auto reason = values.find("energy_joules_reason");
  const auto missing = [&values](reports::Value why) {
    values["joules_per_sample"] = reports::Value();
    values["joules_per_sample_reason"] = std::move(why);
  };
  if (trial.kind == reports::TrialKind::kInterference && !trial.trains()) {
    missing("steps of the network ran beside these batches");
  } else if (shares_device) {
    missing("ranks share the GPU, whose energy is of the samples of all of them");
  } else if (joules == nullptr && reason != values.end()) {
    missing(reason->second);
  } else if (joules == nullptr || windows_s == nullptr || !(*windows_s > 0.0) || samples == 0) {
    missing("no sample was counted");
  } else {
    values["joules_per_sample"] = *joules / *windows_s * steps_s / static_cast<double>(samples);
  }
}

}  // namespace

reports::ValueMap probe_record(const probes::ProbeValues& values) {
  reports::ValueMap map;
  map["available"] = values.available;
  if (!values.reason.empty()) {
    map["reason"] = values.reason;
  }
  for (const probes::ProbeValue& value : values.values) {
    map[value.name] = value.value;
    if (!value.reason.empty()) {
      map[value.name + "_reason"] = value.reason;
    }
    if (!value.source.empty()) {
      map[value.name + "_source"] = value.source;
    }
  }
  return map;
}

reports::ValueMap probe_record(const probes::ProbeValues& values,
                               const reports::TrialRecord& trial,
                               bool shares_device) {
  reports::ValueMap map = probe_record(values);
  add_joules_per_sample(trial, shares_device, map);
  return map;
}

reports::ValueMap unavailable_record(const std::string& reason) {
  return {{"available", false}, {"reason", reason}};
}

ProbeChoice::ProbeChoice(std::string_view text) : text_(text) {
  if (text == "all") {
    return;
  }
  std::vector<std::string>& names = names_.emplace();
  if (text == "none") {
    return;
  }
  std::vector<std::string> known = probes::probe_names();
  for (const std::string_view name : probes::kPluginProbes) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      known.emplace_back(name);
    }
  }
  known.insert(known.end(), {"all", "none"});
  std::erase(known, kTimeline);
  for (std::string& name : text.empty() ? std::vector<std::string>{""} : core::split_list(text)) {
    if (name == kTimeline) {
      throw core::Error(core::ErrorCode::kUsage,
                        "--probes: the timeline is recorded where --trace FILE asks for it");
    }
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw core::Error(core::ErrorCode::kUsage,
                        "--probes: " + core::unknown_name_message("probe", name, known));
    }
    if (name == "all" || name == "none") {
      throw core::Error(core::ErrorCode::kUsage,
                        "--probes: '" + name + "' stands alone, not in a list");
    }
    names.push_back(std::move(name));
  }
}

bool ProbeChoice::names(std::string_view probe) const {
  return names_.has_value() && std::find(names_->begin(), names_->end(), probe) != names_->end();
}

bool ProbeChoice::contains(const std::string& probe) const {
  return !names_.has_value() || names(probe);
}

std::vector<std::string> recorded_files(const std::string& folder) {
  std::vector<std::string> files;
  const auto add = [&](std::string_view probe) {
    files.push_back((std::filesystem::path(folder) / probe).string() + ".json");
  };
  if (!folder.empty()) {
    std::ranges::for_each(probes::probe_names(), add);
    std::ranges::for_each(probes::kPluginProbes, add);
  }
  return files;
}

ProbeSet::ProbeSet(const backend::DeviceInfo& device, const ProbeSetOptions& options)
    : shares_device_(options.shares_device) {
  for (const std::string& name : probes::probe_names()) {
    if (name == kTimeline) {
      continue;  // recorded apart, see TraceRecording
    }
    Entry entry{.probe = probes::make_probe(name), .unavailable = ""};
    entry.unavailable =
        options.choice.contains(name)
            ? open_on_device(device, options.record_folder, options.processes, *entry.probe)
            : options.choice.why_not();
    const std::string& watched = entry.probe->spec().device;
    if (options.choice.names(name) && !watched.empty() && watched != device.kind) {
      core::log::warn("probe " + name + " does not measure: " + entry.unavailable);
    }
    if (core::trace::Sink* sink = entry.probe->sink();
        sink != nullptr && entry.runs_with_trials()) {
      sinks_.push_back(sink);
    }
    entries_.push_back(std::move(entry));
  }
  if (!options.choice.contains(kDeviceMonitor)) {
    watch_.emplace(device, options.processes, OpenFailure::kIsSilent);  // nobody asked for it
  }
  install_sinks();
  add_absent(device.kind, options);
  if (!options.record_folder.empty() &&
      std::none_of(entries_.begin(), entries_.end(), [](const Entry& entry) {
        return entry.unavailable.empty() && records(*entry.probe);
      })) {
    core::log::warn("--record-probes keeps nothing: no probe that records watches this run");
  }
}

// The report covers all of them; a warning is only for those requested by name.
void ProbeSet::add_absent(const std::string& device_kind, const ProbeSetOptions& options) {
  absent_.emplace(kTimeline,
                  options.traces ? "the run ended before anything was recorded for --trace"
                                 : "not asked for: no --trace");
  const auto loaded = [&](std::string_view name) {
    return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
      return entry.probe->spec().name == name;
    });
  };
  for (const std::string_view name : probes::kPluginProbes) {
    if (loaded(name)) {
      continue;
    }
    std::string reason = !options.choice.contains(std::string(name)) ? options.choice.why_not()
                         : device_kind == "cuda"                     ? "this build has no CUPTI"
                                                 : other_device_reason(device_kind, "cuda");
    if (options.choice.names(name)) {
      core::log::warn("probe " + std::string(name) + " does not measure: " + reason);
    }
    absent_.emplace(name, std::move(reason));
  }
}

ProbeSet::~ProbeSet() { core::trace::set_sink(nullptr); }

// Without listeners installs none, so that regions cost nothing.
void ProbeSet::install_sinks(const std::vector<core::trace::Sink*>& more) noexcept {
  std::vector<core::trace::Sink*> sinks = sinks_;
  std::ranges::copy_if(more, std::back_inserter(sinks), [](const core::trace::Sink* sink) {
    return sink != nullptr;
  });
  core::trace::set_sink(sinks.empty() ? nullptr : &fanouts_.emplace_back(std::move(sinks)));
}

probes::Timeline& ProbeSet::add_timeline(std::size_t max_events) {
  return timelines_.emplace_back(max_events);
}

void ProbeSet::begin(std::string_view window) noexcept {
  if (watch_.has_value()) {
    watch_->begin();
  }
  for (Entry& entry : entries_) {
    if (entry.runs_with_trials()) {
      entry.probe->begin_trial(window);
    }
  }
}

probes::DeviceConditions ProbeSet::end() noexcept {
  probes::DeviceConditions conditions;
  for (Entry& entry : entries_) {
    if (entry.runs_with_trials()) {
      entry.probe->end_trial();
      if (!entry.probe->spec().device.empty()) {
        conditions = entry.probe->last_conditions();
      }
    }
  }
  return watch_.has_value() ? watch_->conditions() : conditions;
}

probes::DeviceFault ProbeSet::take_fault() {
  if (watch_.has_value()) {
    return watch_->take_fault();
  }
  for (const Entry& entry : entries_) {
    if (!entry.unavailable.empty()) {
      continue;
    }
    probes::DeviceFault reported = entry.probe->take_fault();
    if (!reported.possible_cause.empty()) {
      return reported;
    }
  }
  return {};
}

void ProbeSet::collect(reports::RunRecord& record) const {
  for (const auto& [name, reason] : absent_) {
    record.probes.try_emplace(name, unavailable_record(reason));  // TraceRecording tells of its own
  }
  for (const Entry& entry : entries_) {
    const std::string& name = entry.probe->spec().name;
    record.probes[name] = entry.state();
    if (!entry.runs_with_trials()) {
      continue;
    }
    for (reports::TrialRecord& trial : record.trials) {
      const TrialId id{trial.kind, trial.variant.value_or("")};
      trial.probes[name] =
          probe_record(entry.probe->collect(id.to_string()), trial, shares_device_);
    }
  }
}

reports::ValueMap ProbeSet::collect(std::string_view window) const {
  reports::ValueMap values;
  for (const auto& [name, reason] : absent_) {
    values[name] = unavailable_record(reason);
  }
  for (const Entry& entry : entries_) {
    const probes::ProbeSpec& spec = entry.probe->spec();
    if (entry.runs_with_trials()) {
      values[spec.name] = probe_record(entry.probe->collect(window));
    } else if (entry.unavailable.empty()) {
      values[spec.name] = unavailable_record("it wants repetitions of its own: see dlbench run");
    } else {
      values[spec.name] = entry.state();
    }
  }
  return values;
}

reports::ValueMap ProbeSet::Entry::state() const {
  if (!unavailable.empty()) {
    return unavailable_record(unavailable);
  }
  reports::ValueMap state{{"available", true}};
  if (const std::string library = probe->library(); !library.empty()) {
    state["library"] = library;
  }
  return state;
}

bool ProbeSet::Entry::runs_with_trials() const {
  return unavailable.empty() && !probe->spec().own_repetition;
}

std::vector<probes::Probe*> ProbeSet::with_own_repetition() const {
  std::vector<probes::Probe*> result;
  for (const Entry& entry : entries_) {
    if (entry.unavailable.empty() && entry.probe->spec().own_repetition) {
      result.push_back(entry.probe.get());
    }
  }
  return result;
}

std::map<std::string, std::string> ProbeSet::own_repetition_reasons() const {
  std::map<std::string, std::string> reasons;
  for (const Entry& entry : entries_) {
    if (const probes::ProbeSpec& spec = entry.probe->spec(); spec.own_repetition) {
      reasons.emplace(spec.name, entry.unavailable);
    }
  }
  return reasons;
}

TraceRecording::Scope::Scope(TraceRecording& recording, core::trace::Sink* extra_sink)
    : sinks_(recording.probes_, {recording.timeline_.sink(), extra_sink}) {
  core::trace::name_this_thread("main");
}

TraceRecording::TraceRecording(ProbeSet& probes, std::size_t max_events)
    : probes_(probes), timeline_(probes.add_timeline(max_events)) {
  if (const std::string reason = timeline_.open({}); !reason.empty()) {
    core::log::warn("no trace: " + reason);
  }
}

void TraceRecording::collect(reports::RunRecord& record) const {
  record.probes[kTimeline] = probe_record(timeline_.collect({}));
  const std::int64_t dropped = timeline_.dropped_events();
  if (dropped == 0) {
    return;
  }
  const reports::TaintRecord taint{
      reports::Taint::kDroppedProfilerRecords,
      kTimeline,
      reports::count_text(dropped, "region") + " did not fit into the trace"};
  std::vector<reports::TaintRecord>& taints = record.run.taints;
  const auto known = std::find_if(taints.begin(), taints.end(), [&](const auto& other) {
    return other.code == taint.code && other.where == taint.where;
  });
  if (known != taints.end()) {
    *known = taint;
  } else {
    taints.push_back(taint);
  }
}

void TraceRecording::write(const std::string& path, probes::DeviceTracks device) const {
  timeline_.write(path, 0, std::move(device));
}

void TraceRecording::rescue(const std::string& path, probes::DeviceTracks device) const noexcept {
  try {
    write(path, std::move(device));
  } catch (const std::exception& error) {
    core::log::warn(error.what());
  }
}

}  // namespace dlbench::harness
