// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/gpu/gpu_recording.h"

#include "engine/core/error.h"
#include "probes/gpu/recorded_file_internal.h"

#include <nlohmann/json.hpp>

#include <array>
#include <utility>

namespace dlbench::probes {
namespace {

using nlohmann::json;

constexpr RecordedFormat kRecordingFormat{.name = "dlbench.gpu_recording", .text = "GPU recording"};
constexpr std::array kFaults{
    GpuFault::kXid, GpuFault::kEccCorrected, GpuFault::kEccUncorrected, GpuFault::kLost};

// Calls visit(name, member) for every optional member: one list for reading and writing.
template <typename Sample, typename Visit>
void visit_sample(Sample& sample, const Visit& visit) {
  visit("power_watt", sample.power_watt);
  visit("power_average_watt", sample.power_average_watt);
  visit("power_limit_watt", sample.power_limit_watt);
  visit("energy_joules", sample.energy_joules);
  visit("busy_share", sample.busy_share);
  visit("memory_busy_share", sample.memory_busy_share);
  visit("memory_used_bytes", sample.memory_used_bytes);
  visit("temperature_celsius", sample.temperature_celsius);
  visit("memory_temperature_celsius", sample.memory_temperature_celsius);
  visit("sm_clock_mhz", sample.sm_clock_mhz);
  visit("memory_clock_mhz", sample.memory_clock_mhz);
  visit("clock_reasons", sample.clock_reasons);
}

template <typename Identity, typename Visit>
void visit_identity(Identity& gpu, const Visit& visit) {
  visit("memory_bytes", gpu.memory_bytes);
  visit("power_limit_watt", gpu.power_limit_watt);
  visit("max_sm_clock_mhz", gpu.max_sm_clock_mhz);
  visit("pcie_generation", gpu.pcie_generation);
  visit("pcie_lanes", gpu.pcie_lanes);
}

// Members that are absent are left out.
auto writer(json& object) {
  return [&object](const char* name, const auto& value) {
    if (value.has_value()) {
      object[name] = *value;
    }
  };
}

auto reader(const json& object) {
  return [&object](const char* name, auto& value) {
    if (const auto found = object.find(name); found != object.end()) {
      value = found->get<typename std::remove_reference_t<decltype(value)>::value_type>();
    }
  };
}

json to_json(const RecordedWindow& recorded) {
  const GpuWindow& window = recorded.window;
  json object{{"trial", recorded.trial},
              {"begin_ns", window.begin_ns},
              {"end_ns", window.end_ns},
              {"monitor_cpu_s", window.monitor_cpu_s},
              {"samples", json::array()},
              {"watched_faults", json::array()},
              {"events", json::array()}};
  for (const GpuSample& sample : window.samples) {
    json entry{{"time_ns", sample.time_ns}};
    visit_sample(sample, writer(entry));
    object["samples"].push_back(std::move(entry));
  }
  for (const GpuFault fault : window.watched_faults) {
    object["watched_faults"].push_back(fault_name(fault));
  }
  for (const GpuEvent& event : window.events) {
    object["events"].push_back(
        {{"time_ns", event.time_ns}, {"fault", fault_name(event.fault)}, {"code", event.code}});
  }
  if (window.neighbours.has_value()) {
    object["neighbours"] = {{"busy_share", window.neighbours->busy_share},
                            {"count", window.neighbours->count},
                            {"pids", window.neighbours->pids}};
  }
  return object;
}

GpuFault fault_from_name(const std::string& name) {
  for (const GpuFault fault : kFaults) {
    if (fault_name(fault) == name) {
      return fault;
    }
  }
  throw core::Error(core::ErrorCode::kData, "a GPU fault '" + name + "' is not known");
}

RecordedWindow window_from_json(const json& object) {
  RecordedWindow recorded;
  recorded.trial = object.at("trial").get<std::string>();
  GpuWindow& window = recorded.window;
  window.begin_ns = object.at("begin_ns").get<std::int64_t>();
  window.end_ns = object.at("end_ns").get<std::int64_t>();
  window.monitor_cpu_s = object.at("monitor_cpu_s").get<double>();
  for (const json& entry : object.at("samples")) {
    GpuSample sample{.time_ns = entry.at("time_ns").get<std::int64_t>()};
    visit_sample(sample, reader(entry));
    window.samples.push_back(sample);
  }
  for (const json& fault : object.at("watched_faults")) {
    window.watched_faults.push_back(fault_from_name(fault.get<std::string>()));
  }
  for (const json& entry : object.at("events")) {
    window.events.push_back({entry.at("time_ns").get<std::int64_t>(),
                             fault_from_name(entry.at("fault").get<std::string>()),
                             entry.at("code").get<std::int64_t>()});
  }
  if (const auto found = object.find("neighbours"); found != object.end()) {
    window.neighbours = {.busy_share = found->at("busy_share").get<double>(),
                         .pids = found->at("pids").get<std::vector<std::int64_t>>(),
                         .count = found->at("count").get<std::int64_t>()};
  }
  return recorded;
}

}  // namespace

std::vector<GpuWindow> GpuRecording::of_trial(const std::string& trial) const {
  std::vector<GpuWindow> result;
  for (const RecordedWindow& recorded : windows) {
    if (recorded.trial == trial) {
      result.push_back(recorded.window);
    }
  }
  return result;
}

GpuRecording read_gpu_recording(const std::filesystem::path& path) {
  GpuRecording recording;
  read_recorded_file(path, kRecordingFormat, [&recording](const json& object) {
    recording.origin = object.at("origin").get<std::string>();
    const json& gpu = object.at("gpu");
    recording.gpu.name = gpu.at("name").get<std::string>();
    recording.gpu.uuid = gpu.at("uuid").get<std::string>();
    recording.gpu.address = gpu.at("address").get<std::string>();
    recording.gpu.driver = gpu.at("driver").get<std::string>();
    visit_identity(recording.gpu, reader(gpu));
    for (const json& window : object.at("windows")) {
      recording.windows.push_back(window_from_json(window));
    }
  });
  return recording;
}

void write_gpu_recording(const std::filesystem::path& path, const GpuRecording& recording) {
  json object{{"origin", recording.origin},
              {"gpu",
               {{"name", recording.gpu.name},
                {"uuid", recording.gpu.uuid},
                {"address", recording.gpu.address},
                {"driver", recording.gpu.driver}}},
              {"windows", json::array()}};
  visit_identity(recording.gpu, writer(object["gpu"]));
  for (const RecordedWindow& window : recording.windows) {
    object["windows"].push_back(to_json(window));
  }
  write_recorded_file(path, kRecordingFormat, std::move(object), 1);
}

}  // namespace dlbench::probes
