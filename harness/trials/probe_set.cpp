// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/probe_set.h"

#include "engine/core/log.h"
#include "engine/core/trace.h"
#include "probes/registry.h"

#include <utility>

namespace dlbench::harness {
namespace {

reports::ValueMap to_record(const probes::ProbeValues& values) {
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
  return map;
}

}  // namespace

ProbeSet::ProbeSet() {
  for (const std::string& name : probes::probe_names()) {
    if (name == "timeline") {
      continue;  // recorded apart, see TraceRecording
    }
    Entry entry{.probe = probes::make_probe(name), .unavailable = ""};
    entry.unavailable = probes::open_probe(*entry.probe, {});
    if (core::trace::Sink* sink = entry.probe->sink();
        sink != nullptr && entry.unavailable.empty()) {
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
    if (entry.unavailable.empty()) {
      entry.probe->begin_trial(id.to_string());
    }
  }
}

void ProbeSet::end() noexcept {
  for (Entry& entry : entries_) {
    if (entry.unavailable.empty()) {
      entry.probe->end_trial();
    }
  }
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
    if (!entry.unavailable.empty()) {
      continue;
    }
    for (reports::TrialRecord& trial : record.trials) {
      const TrialId id{trial.kind, trial.variant.value_or("")};
      trial.probes[name] = to_record(entry.probe->collect(id.to_string()));
    }
  }
}

TraceRecording::TraceRecording(ProbeSet& probes) : probes_(probes) {
  if (const std::string reason = timeline_.open({}); !reason.empty()) {
    core::log::warn("no trace: " + reason);
    return;
  }
  std::vector<core::trace::Sink*> sinks = probes.sinks();
  sinks.push_back(timeline_.sink());
  fanout_ = std::make_unique<probes::SinkFanout>(std::move(sinks));
  core::trace::set_sink(fanout_.get());
  core::trace::name_this_thread("main");
}

TraceRecording::~TraceRecording() { probes_.install_sinks(); }

void TraceRecording::write(const std::string& path) const { timeline_.write(path); }

}  // namespace dlbench::harness
