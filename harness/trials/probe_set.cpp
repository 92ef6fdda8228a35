// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/probe_set.h"

#include "engine/core/log.h"
#include "engine/core/trace.h"
#include "probes/registry.h"

#include <filesystem>
#include <utility>

namespace dlbench::harness {
namespace {

// Opens a probe that belongs to the device of this run. Returns why it does not measure.
std::string open_for(const backend::DeviceInfo& device,
                     const std::string& record_folder,
                     probes::Probe& probe) {
  const probes::ProbeSpec& spec = probe.spec();
  if (!spec.device.empty() && spec.device != device.kind) {
    return "this run computes on " + device.kind + ", the probe watches " + spec.device;
  }
  probes::ProbeOptions options;
  for (const probes::OptionSpec& option : spec.options) {
    if (option.name == "device" && !device.address.empty()) {
      options.emplace_back("device", device.address);
    }
    if (option.name == "record" && !record_folder.empty()) {
      const auto file = std::filesystem::path(record_folder) / (spec.name + ".json");
      options.emplace_back("record", file.string());
    }
  }
  const std::string reason = probes::open_probe(probe, options);
  if (!reason.empty() && !spec.device.empty()) {
    core::log::warn("probe " + spec.name + " does not measure: " + reason);
  }
  return reason;
}

// Energy of this rank's device over the samples that this rank worked on, discarded repetitions
// included on both sides.
void add_joules_per_sample(const reports::TrialRecord& trial, reports::ValueMap& values) {
  const auto energy = values.find("energy_joules");
  if (energy == values.end()) {
    return;
  }
  std::int64_t samples = 0;
  for (const reports::RepetitionRecord& repetition : trial.repetitions) {
    samples += repetition.steps * trial.batch_size_per_rank;
  }
  const double* joules = std::get_if<double>(&energy->second.data);
  if (joules != nullptr && samples > 0) {
    values["joules_per_sample"] = *joules / static_cast<double>(samples);
  } else {
    values["joules_per_sample"] = reports::Value();
    values["joules_per_sample_reason"] = "no energy, or no sample, was counted";
  }
}

}  // namespace

reports::ValueMap probe_record(const probes::ProbeValues& values,
                               const reports::TrialRecord& trial) {
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
  }
  add_joules_per_sample(trial, map);
  return map;
}

ProbeSet::ProbeSet(const backend::DeviceInfo& device, const std::string& record_folder) {
  for (const std::string& name : probes::probe_names()) {
    if (name == "timeline") {
      continue;  // recorded apart, see TraceRecording
    }
    Entry entry{.probe = probes::make_probe(name), .unavailable = ""};
    entry.unavailable = open_for(device, record_folder, *entry.probe);
    if (core::trace::Sink* sink = entry.probe->sink();
        sink != nullptr && entry.runs_with_trials()) {
      sinks_.push_back(sink);
    }
    entries_.push_back(std::move(entry));
  }
  install_sinks();
}

ProbeSet::~ProbeSet() { core::trace::set_sink(nullptr); }

void ProbeSet::install_sinks() noexcept {
  if (sinks_.empty()) {
    core::trace::set_sink(nullptr);
    return;
  }
  fanout_ = std::make_unique<probes::SinkFanout>(sinks_);
  core::trace::set_sink(fanout_.get());
}

void ProbeSet::begin(const TrialId& id) noexcept {
  for (Entry& entry : entries_) {
    if (entry.runs_with_trials()) {
      entry.probe->begin_trial(id.to_string());
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
  return conditions;
}

void ProbeSet::collect(reports::RunRecord& record) const {
  for (const Entry& entry : entries_) {
    const std::string& name = entry.probe->spec().name;
    reports::ValueMap summary;
    summary["available"] = entry.unavailable.empty();
    if (!entry.unavailable.empty()) {
      summary["reason"] = entry.unavailable;
    }
    record.probes[name] = summary;
    if (!entry.runs_with_trials()) {
      continue;
    }
    for (reports::TrialRecord& trial : record.trials) {
      const TrialId id{trial.kind, trial.variant.value_or("")};
      trial.probes[name] = probe_record(entry.probe->collect(id.to_string()), trial);
    }
  }
}

bool ProbeSet::Entry::runs_with_trials() const {
  return unavailable.empty() && !probe->spec().own_repetition;
}

std::vector<probes::Probe*> ProbeSet::apart() const {
  std::vector<probes::Probe*> result;
  for (const Entry& entry : entries_) {
    if (entry.unavailable.empty() && entry.probe->spec().own_repetition) {
      result.push_back(entry.probe.get());
    }
  }
  return result;
}

ListeningBeside::ListeningBeside(ProbeSet& probes, const std::vector<core::trace::Sink*>& more)
    : probes_(probes) {
  std::vector<core::trace::Sink*> sinks = probes.sinks();
  for (core::trace::Sink* sink : more) {
    if (sink != nullptr) {
      sinks.push_back(sink);
    }
  }
  fanout_ = std::make_unique<probes::SinkFanout>(std::move(sinks));
  core::trace::set_sink(fanout_.get());
}

ListeningBeside::~ListeningBeside() { probes_.install_sinks(); }

TraceRecording::Stretch::Stretch(TraceRecording& recording,
                                 ProbeSet& probes,
                                 core::trace::Sink* beside)
    : listening_(probes, {recording.timeline_.sink(), beside}) {
  core::trace::name_this_thread("main");
}

TraceRecording::TraceRecording() {
  if (const std::string reason = timeline_.open({}); !reason.empty()) {
    core::log::warn("no trace: " + reason);
  }
}

void TraceRecording::write(const std::string& path, probes::DeviceTracks device) const {
  timeline_.write(path, 0, std::move(device));
}

}  // namespace dlbench::harness
