// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The probe nvml: power, energy, load, clocks and faults of the GPU that this run computes on.
#include "engine/core/error.h"
#include "probes/gpu/gpu_monitor.h"
#include "probes/gpu/gpu_recording.h"
#include "probes/gpu/nvml_library.h"
#include "probes/gpu_summary.h"
#include "probes/recording_copy.h"
#include "probes/registry.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace dlbench::probes {
namespace {

class NvmlProbe final : public Probe {
 public:
  NvmlProbe() = default;
  NvmlProbe(const NvmlProbe&) = delete;
  NvmlProbe& operator=(const NvmlProbe&) = delete;
  ~NvmlProbe() override {
    if (!recording_.windows.empty()) {
      keep_recording(record_, [this] { write_gpu_recording(record_, recording_); });
    }
  }

  [[nodiscard]] const ProbeSpec& spec() const override {
    static const ProbeSpec spec{
        "nvml",
        "power of the GPU ten times a second; energy, clocks, load and faults as they are cheap",
        {{"device", "PCI address, UUID or NVML's index of the GPU; without it index 0"},
         {"library", "NVML's file; without it the driver's"},
         {"processes", "of this job on that GPU; without it 1"},
         {"record", "file that keeps every sample"}},
        gpu_value_specs(),
        "cuda"};
    return spec;
  }

  [[nodiscard]] std::string open(const ProbeOptions& options) override {
    std::string device = "0";
    std::string library = kNvmlLibrary;
    std::string processes = "1";
    for (const auto& [name, value] : options) {
      (name == "device"      ? device
       : name == "library"   ? library
       : name == "processes" ? processes
                             : record_) = value;
    }
    NvmlSensors opened = open_nvml(library, device);
    reason_ = opened.reason;
    if (opened.sensors != nullptr) {
      const GpuMonitorOptions monitor{
          .keeps_samples = !record_.empty(),
          .own = {.pid = ::getpid(), .count = std::max(1, std::atoi(processes.c_str()))}};
      monitor_ = std::make_unique<GpuMonitor>(std::move(opened.sensors), monitor);
      recording_ = {.origin = "recorded", .gpu = monitor_->identity()};
    }
    return reason_;
  }

  [[nodiscard]] std::string library() const override { return nvml_text(recording_.gpu); }

  void begin_trial(std::string_view trial) noexcept override {
    if (monitor_ != nullptr) {
      trial_ = trial;
      monitor_->begin_window();
    }
  }

  void end_trial() noexcept override {
    if (monitor_ != nullptr) {
      GpuWindow window = monitor_->end_window();
      conditions_ = judge_window(recording_.gpu, monitor_->sums(), window.events);
      sums_[trial_] += monitor_->sums();
      if (!record_.empty()) {
        recording_.windows.push_back({trial_, std::move(window)});
      }
    }
  }

  [[nodiscard]] DeviceConditions last_conditions() const override { return conditions_; }

  [[nodiscard]] DeviceFault take_fault() override {
    return monitor_ != nullptr ? first_fault(recording_.gpu, monitor_->take_events())
                               : DeviceFault{};
  }

  [[nodiscard]] DeviceConditions conditions_now() override {
    if (monitor_ == nullptr) {
      return {};
    }
    DeviceConditions conditions = judge_moment(monitor_->read_clocks());
    if (const auto neighbours = monitor_->take_neighbours()) {
      note_neighbours(*neighbours, conditions);
    }
    return conditions;
  }

  [[nodiscard]] ProbeValues collect(std::string_view trial) const override {
    if (monitor_ == nullptr) {
      return ProbeValues{false, reason_, {}};
    }
    const auto found = sums_.find(trial);
    return ProbeValues{
        true, {}, gpu_values(recording_.gpu, found == sums_.end() ? GpuSums{} : found->second)};
  }

 private:
  std::string reason_;
  std::string record_;
  std::string trial_;
  std::unique_ptr<GpuMonitor> monitor_;
  std::map<std::string, GpuSums, std::less<>> sums_;  ///< by trial
  GpuRecording recording_;                            ///< its windows where they are kept
  DeviceConditions conditions_;
};

const ProbeRegistration kNvmlRegistration("nvml", [] { return std::make_unique<NvmlProbe>(); });

}  // namespace
}  // namespace dlbench::probes
