// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/gpu/nvml_library.h"

#include "engine/core/clock.h"
#include "engine/core/plugin.h"
#include "probes/gpu/nvml_api_internal.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <map>
#include <optional>
#include <span>
#include <utility>

namespace dlbench::probes {
namespace {

using nvml::Device;
using nvml::Field;
using nvml::kSuccess;
using nvml::Nvml;

constexpr std::array<std::pair<unsigned long long, GpuFault>, 3> kFaultEvents{
    {{0x1, GpuFault::kEccCorrected}, {0x2, GpuFault::kEccUncorrected}, {0x8, GpuFault::kXid}}};

double field_number(const Field& field) {
  switch (field.type) {
    case 0:
      return field.value.as_double;
    case nvml::kTypeUnsigned:
      return field.value.as_unsigned;
    case 2:
      return static_cast<double>(field.value.as_long);
    case 4:
      return static_cast<double>(field.value.as_signed_long_long);
    case 5:
      return field.value.as_int;
    case 6:
      return field.value.as_short;
    default:
      return static_cast<double>(field.value.as_long_long);
  }
}

/// Extends a 32-bit counter, which wraps, to one that does not; it must be read at least once per
/// wrap. A wider counter that decreases without ever exceeding 32 bits is treated likewise.
class WrappingCounter {
 public:
  std::int64_t widen(const Field& field) {
    const auto raw = static_cast<std::uint64_t>(field_number(field));
    const bool narrow = field.type == nvml::kTypeUnsigned || (raw < last_ && last_ <= kLargest32);
    const std::uint64_t grown = narrow ? static_cast<std::uint32_t>(raw - last_) : raw - last_;
    total_ += known_ ? static_cast<std::int64_t>(grown) : 0;
    known_ = true;
    last_ = raw;
    return total_;
  }

 private:
  static constexpr std::uint64_t kLargest32 = 0xFFFFFFFFU;

  bool known_ = false;
  std::uint64_t last_ = 0;
  std::int64_t total_ = 0;
};

template <typename Result>
struct Answer {
  int status = -1;  ///< -1: this driver lacks the function
  Result value{};

  [[nodiscard]] std::optional<Result> if_given() const {
    return status == kSuccess ? std::optional<Result>(value) : std::nullopt;
  }
};

/// Calls function(device, arguments..., &value).
template <typename Result, typename Function, typename... Arguments>
Answer<Result> ask(Function* function, Device device, Arguments... arguments) {
  Answer<Result> answer;
  if (function != nullptr) {
    answer.status = function(device, arguments..., &answer.value);
  }
  return answer;
}

template <typename Number>
std::optional<double> scaled(std::optional<Number> number, double factor) {
  return number.has_value() ? std::optional(factor * static_cast<double>(*number)) : std::nullopt;
}

GpuIdentity read_identity(const Nvml& nvml, Device device) {
  GpuIdentity gpu;
  std::array<char, 96> text{};
  const auto length = static_cast<unsigned>(text.size());
  if (nvml.name != nullptr && nvml.name(device, text.data(), length) == kSuccess) {
    gpu.name = text.data();
  }
  if (nvml.uuid != nullptr && nvml.uuid(device, text.data(), length) == kSuccess) {
    gpu.uuid = text.data();
  }
  if (nvml.driver_version != nullptr && nvml.driver_version(text.data(), length) == kSuccess) {
    gpu.driver = text.data();
  }
  int major = 0;
  int minor = 0;
  if (nvml.compute_capability != nullptr &&
      nvml.compute_capability(device, &major, &minor) == kSuccess) {
    gpu.compute_capability = fmt::format("{}.{}", major, minor);
  }
  if (const auto pci = ask<nvml::PciInfo>(nvml.pci_info, device).if_given()) {
    gpu.address = pci->address;
  }
  if (const auto memory = ask<nvml::Memory>(nvml.memory, device).if_given()) {
    gpu.memory_bytes = static_cast<std::int64_t>(memory->total);
  }
  gpu.power_limit_watt = scaled(ask<unsigned>(nvml.power_limit, device).if_given(), 1e-3);
  gpu.max_sm_clock_mhz =
      scaled(ask<unsigned>(nvml.max_clock, device, nvml::kClockSm).if_given(), 1.0);
  gpu.pcie_generation = ask<unsigned>(nvml.pcie_generation, device).if_given();
  gpu.pcie_lanes = ask<unsigned>(nvml.pcie_lanes, device).if_given();
  return gpu;
}

class NvmlGpu final : public GpuSensors {
 public:
  NvmlGpu(Nvml nvml, Device device, FaultEvents events)
      : nvml_(nvml), device_(device), identity_(read_identity(nvml, device)) {
    unsigned long long supported = 0;
    if (events == FaultEvents::kNotWatched || nvml_.create_events == nullptr ||
        nvml_.wait_event == nullptr || nvml_.register_events == nullptr ||
        nvml_.supported_events == nullptr ||
        nvml_.supported_events(device_, &supported) != kSuccess) {
      return;
    }
    unsigned long long wanted = 0;
    for (const auto& [bit, fault] : kFaultEvents) {
      wanted |= supported & bit;
    }
    if (nvml_.create_events(&events_) != kSuccess) {
      events_ = nullptr;
    } else if (wanted != 0) {
      watched_ = nvml_.register_events(device_, wanted, events_) == kSuccess ? wanted : 0;
    }
  }
  NvmlGpu(const NvmlGpu&) = delete;
  NvmlGpu& operator=(const NvmlGpu&) = delete;
  ~NvmlGpu() override {
    if (events_ != nullptr && nvml_.free_events != nullptr) {
      nvml_.free_events(events_);
    }
    if (nvml_.shutdown != nullptr) {
      nvml_.shutdown();
    }
  }

  [[nodiscard]] const GpuIdentity& identity() const override { return identity_; }

  void read(Sensor sensor, GpuSample& sample) noexcept override {
    switch (sensor) {
      case Sensor::kPower:
        read_power(sample);
        break;
      case Sensor::kClocks:
        sample.sm_clock_mhz = scaled(read_one<unsigned>(nvml_.clock, nvml::kClockSm), 1.0);
        sample.clock_reasons = read_one<unsigned long long>(nvml_.clock_reasons);
        break;
      case Sensor::kLoad:
        read_load(sample);
        break;
      case Sensor::kMemory:
        if (const auto memory = read_one<nvml::Memory>(nvml_.memory)) {
          sample.memory_used_bytes = static_cast<std::int64_t>(memory->used);
        }
        break;
      case Sensor::kEnergy:
        sample.energy_joules = scaled(read_one<unsigned long long>(nvml_.energy), 1e-3);
        break;
      case Sensor::kPcie:
        read_pcie(sample);
        break;
      case Sensor::kFaults:
        break;  // take_events()
    }
  }

  [[nodiscard]] std::vector<GpuFault> watched_faults() const override {
    std::vector<GpuFault> faults{GpuFault::kLost};  // each reading tells
    for (const auto& [bit, fault] : kFaultEvents) {
      if ((watched_ & bit) != 0) {
        faults.push_back(fault);
      }
    }
    return faults;
  }

  [[nodiscard]] std::vector<GpuEvent> take_events() noexcept override {
    std::vector<GpuEvent> events = std::exchange(pending_, {});
    nvml::EventData data;
    while (watched_ != 0 && nvml_.wait_event(events_, &data, 0) == kSuccess) {
      for (const auto& [bit, fault] : kFaultEvents) {
        if (data.type == bit) {
          const auto code = fault == GpuFault::kXid ? static_cast<std::int64_t>(data.data) : 0;
          events.push_back({core::steady_ns(), fault, code});
        }
      }
    }
    return events;
  }

  [[nodiscard]] std::optional<std::vector<GpuProcess>> take_processes() noexcept override {
    std::vector<nvml::ProcessUtilization> samples(kFewProcesses);
    auto count = static_cast<unsigned>(samples.size());
    int status = ask_processes(samples, count);
    if (status == nvml::kInsufficientSize) {  // `count` is what it wants; more may have come since
      samples.resize(count + kFewProcesses);
      count = static_cast<unsigned>(samples.size());
      status = ask_processes(samples, count);
    }
    if (status == nvml::kNotFound) {
      return std::vector<GpuProcess>();
    }
    if (status != kSuccess) {
      return std::nullopt;
    }
    std::map<std::int64_t, double> busiest;
    unsigned long long newest_us = processes_until_us_;
    const auto sent_before_us = static_cast<unsigned long long>(
        std::chrono::duration_cast<std::chrono::microseconds>(
            (std::chrono::system_clock::now() + kClocksApart).time_since_epoch())
            .count());
    for (const nvml::ProcessUtilization& sample : std::span(samples).first(count)) {
      // Drivers are known to return entries that were never written.
      const bool is_one = sample.sm <= 100 && sample.timestamp_us <= sent_before_us;
      if (is_one && sample.timestamp_us > processes_until_us_) {
        double& share = busiest[sample.pid];
        share = std::max(share, 0.01 * sample.sm);
        newest_us = std::max(newest_us, sample.timestamp_us);
      }
    }
    processes_until_us_ = newest_us;
    std::vector<GpuProcess> processes;
    for (const auto& [pid, share] : busiest) {
      if (share > 0.0) {
        processes.push_back({pid, share});
      }
    }
    return processes;
  }

 private:
  /// Users report drivers that demand room for 100 samples however few there are
  /// (https://github.com/NVIDIA/go-nvml/issues/11).
  static constexpr std::size_t kFewProcesses = 128;
  /// How far the driver's clock may be ahead of ours, for example in a virtual machine that was
  /// stopped. Entries that were never written differ by more.
  static constexpr std::chrono::hours kClocksApart{1};

  int ask_processes(std::vector<nvml::ProcessUtilization>& samples, unsigned& count) noexcept {
    return nvml_.process_utilization != nullptr
               ? nvml_.process_utilization(device_, samples.data(), &count, processes_until_us_)
               : -1;
  }

  /// Returns nothing if the function fails or is missing; a lost GPU becomes an event.
  template <typename Result, typename Function, typename... Arguments>
  std::optional<Result> read_one(Function* function, Arguments... arguments) noexcept {
    const Answer<Result> answer = ask<Result>(function, device_, arguments...);
    look_for_loss(answer.status);
    return answer.if_given();
  }
  void look_for_loss(int status) noexcept {
    if (status == nvml::kGpuIsLost && !std::exchange(lost_, true)) {
      pending_.push_back({core::steady_ns(), GpuFault::kLost, 0});
    }
  }

  /// Reads the fields in one call; those that device or driver do not report are absent.
  template <std::size_t Count>
  std::array<std::optional<Field>, Count> read_fields(
      const std::array<unsigned, Count>& ids) noexcept {
    std::array<Field, Count> fields{};
    for (std::size_t index = 0; index < Count; ++index) {
      fields[index].id = ids[index];
    }
    std::array<std::optional<Field>, Count> told;
    if (nvml_.fields == nullptr) {
      return told;
    }
    const int status = nvml_.fields(device_, static_cast<int>(Count), fields.data());
    look_for_loss(status);
    if (status == kSuccess) {
      for (std::size_t index = 0; index < Count; ++index) {
        if (fields[index].status == kSuccess) {
          told[index] = fields[index];
        }
      }
    }
    return told;
  }

  static std::optional<double> number(const std::optional<Field>& field, double factor) {
    return field.has_value() ? std::optional(factor * field_number(*field)) : std::nullopt;
  }

  void read_power(GpuSample& sample) noexcept {
    const auto [instant] = read_fields(std::array{nvml::kFieldPowerInstant});
    sample.power_watt = number(instant, 1e-3);
    if (!sample.power_watt.has_value()) {
      sample.power_watt = scaled(read_one<unsigned>(nvml_.power_usage), 1e-3);
    }
  }

  void read_load(GpuSample& sample) noexcept {
    const auto [average, memory_temperature] =
        read_fields(std::array{nvml::kFieldPowerAverage, nvml::kFieldMemoryTemperature});
    sample.power_average_watt = number(average, 1e-3);
    sample.power_limit_watt = scaled(read_one<unsigned>(nvml_.power_limit), 1e-3);
    sample.memory_temperature_celsius = number(memory_temperature, 1.0);
    sample.memory_clock_mhz = scaled(read_one<unsigned>(nvml_.clock, nvml::kClockMemory), 1.0);
    if (const auto busy = read_one<nvml::Utilization>(nvml_.utilization)) {
      sample.busy_share = 0.01 * busy->gpu;
      sample.memory_busy_share = 0.01 * busy->memory;
    }
    sample.temperature_celsius = read_temperature();
  }

  void read_pcie(GpuSample& sample) noexcept {
    const auto [sent, received] =
        read_fields(std::array{nvml::kFieldPcieSent, nvml::kFieldPcieReceived});
    if (sent.has_value()) {
      sample.pcie_sent_bytes = sent_.widen(*sent);
    }
    if (received.has_value()) {
      sample.pcie_received_bytes = received_.widen(*received);
    }
  }

  std::optional<double> read_temperature() noexcept {
    if (const auto answer = read_one<nvml::Temperature>(nvml_.temperature)) {
      return static_cast<double>(answer->celsius);
    }
    // A driver may have the function but not serve it: another version, or not for this device.
    return scaled(read_one<unsigned>(nvml_.temperature_before_13, 0), 1.0);
  }

  Nvml nvml_;
  Device device_;
  GpuIdentity identity_;
  nvml::EventSet events_ = nullptr;
  unsigned long long watched_ = 0;  ///< bits of kFaultEvents
  bool lost_ = false;
  std::vector<GpuEvent> pending_;
  unsigned long long processes_until_us_ = 0;  ///< the newest sample that take_processes() saw
  WrappingCounter sent_;
  WrappingCounter received_;
};

/// Returns the status of finding the device; -1: this driver has no such function.
int find_device(const Nvml& nvml, const std::string& device, Device& found) {
  if (device.starts_with("GPU-") || device.starts_with("MIG-")) {
    return nvml.by_uuid != nullptr ? nvml.by_uuid(device.c_str(), &found) : -1;
  }
  if (device.find(':') != std::string::npos) {
    return nvml.by_address != nullptr ? nvml.by_address(device.c_str(), &found) : -1;
  }
  const auto index = static_cast<unsigned>(std::strtoul(device.c_str(), nullptr, 10));
  return nvml.by_index != nullptr ? nvml.by_index(index, &found) : -1;
}

/// Whether the GPU is partitioned, so that CUDA computes only on slices of it: power, energy,
/// clocks and faults cover the whole GPU, including other users' slices.
bool is_divided(const Nvml& nvml, Device device) {
  unsigned now = 0;
  unsigned pending = 0;
  return nvml.mig_mode != nullptr && nvml.mig_mode(device, &now, &pending) == kSuccess &&
         now == nvml::kMigEnabled;
}

/// The library after its start, or why it did not start.
struct Started {
  std::optional<Nvml> nvml;
  std::string reason;
};

Started start(const std::string& library) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return {std::nullopt, core::driver_refusal(library)};
  }
  const Nvml nvml(handle);
  if (nvml.init == nullptr) {
    return {std::nullopt, library + " is no NVML: it has no nvmlInit_v2"};
  }
  if (const int status = nvml.init(); status != kSuccess) {
    return {std::nullopt, "NVML does not start: " + nvml.error_text(status)};
  }
  return {nvml, ""};
}

void stop(const Nvml& nvml) {
  if (nvml.shutdown != nullptr) {
    nvml.shutdown();
  }
}

}  // namespace

NvmlSensors open_nvml(const std::string& library, const std::string& device, FaultEvents events) {
  const Started started = start(library);
  if (!started.nvml.has_value()) {
    return {nullptr, started.reason};
  }
  const Nvml& nvml = *started.nvml;
  Device found = nullptr;
  if (const int status = find_device(nvml, device, found); status != kSuccess) {
    stop(nvml);
    return {nullptr, fmt::format("NVML knows no device '{}': {}", device, nvml.error_text(status))};
  }
  if (device.starts_with("MIG-") || is_divided(nvml, found)) {
    stop(nvml);
    return {nullptr,
            "the GPU is divided into slices (MIG): its sensors tell of all of them, other users' "
            "included"};
  }
  return {std::make_unique<NvmlGpu>(nvml, found, events), ""};
}

std::vector<GpuIdentity> list_gpus(const std::string& library) {
  const Started started = start(library);
  std::vector<GpuIdentity> gpus;
  if (!started.nvml.has_value()) {
    return gpus;
  }
  const Nvml& nvml = *started.nvml;
  unsigned count = 0;
  if (nvml.device_count == nullptr || nvml.device_count(&count) != kSuccess) {
    count = 0;
  }
  for (unsigned index = 0; index < count; ++index) {
    Device device = nullptr;
    const bool found = nvml.by_index != nullptr && nvml.by_index(index, &device) == kSuccess;
    gpus.push_back(found ? read_identity(nvml, device) : GpuIdentity{});  // or it is not for us
  }
  stop(nvml);
  return gpus;
}

std::string nvml_text(const GpuIdentity& gpu) {
  return gpu.driver.empty() ? "" : "NVML of driver " + gpu.driver;
}

}  // namespace dlbench::probes
