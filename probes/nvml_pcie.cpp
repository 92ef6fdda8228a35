// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The probe nvml_pcie: what the GPU received and sent over PCIe in a separate repetition. Its
// counters wrap after 4 GiB, and reading them costs more than a timed repetition can afford (0.3 ms
// on an H100 with driver 580).
#include "engine/core/clock.h"
#include "probes/gpu/nvml_library.h"
#include "probes/registry.h"
#include "probes/step_window.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace dlbench::probes {
namespace {

/// The traffic of one repetition's steps.
struct PcieTraffic {
  double window_s = 0.0;
  double reading_cpu_s = 0.0;
  std::int64_t steps = 0;
  std::optional<std::int64_t> received_bytes;
  std::optional<std::int64_t> sent_bytes;
};

std::optional<std::int64_t> growth(std::optional<std::int64_t> first,
                                   std::optional<std::int64_t> last) {
  return first.has_value() && last.has_value() ? std::optional(*last - *first) : std::nullopt;
}

/// A value of the report, and how it follows from a repetition. Nothing: the device lacks it.
struct PcieValue {
  ValueSpec spec;
  std::optional<double> (*value)(const PcieTraffic&);
};

std::optional<double> over(std::optional<std::int64_t> bytes, double divisor) {
  return bytes.has_value() && divisor > 0.0 ? std::optional(static_cast<double>(*bytes) / divisor)
                                            : std::nullopt;
}

const std::vector<PcieValue>& pcie_values() {
  using T = const PcieTraffic&;
  static const std::vector<PcieValue> all{
      {{"steps", "", "steps that were counted"},
       [](T t) { return std::optional(static_cast<double>(t.steps)); }},
      {{"window_seconds", "s", "from the first reading to the last"},
       [](T t) { return std::optional(t.window_s); }},
      {{"received_bytes_per_step", "B", "by the GPU, from all of the machine"},
       [](T t) { return over(t.received_bytes, static_cast<double>(t.steps)); }},
      {{"sent_bytes_per_step", "B", "by the GPU"},
       [](T t) { return over(t.sent_bytes, static_cast<double>(t.steps)); }},
      {{"received_bytes_per_s", "B/s", "over the window"},
       [](T t) { return over(t.received_bytes, t.window_s); }},
      {{"sent_bytes_per_s", "B/s", "over the window"},
       [](T t) { return over(t.sent_bytes, t.window_s); }},
      {{"monitor_cpu_share", "", "of one core's time, for the readings"},
       [](T t) { return std::optional(t.reading_cpu_s / t.window_s); }}};
  return all;
}

class PcieProbe final : public Probe {
 public:
  [[nodiscard]] const ProbeSpec& spec() const override {
    static const ProbeSpec spec = [] {
      ProbeSpec result{
          .name = "nvml_pcie",
          .description = "bytes that the GPU received and sent over PCIe in a repetition",
          .options = {{"device",
                       "PCI address, UUID or NVML's index of the GPU; without it index 0"},
                      {"library", "NVML's file; without it the driver's"}},
          .values = {},
          .device = "cuda",
          .own_repetition = true,
          .counts_all_work = true};
      for (const PcieValue& row : pcie_values()) {
        result.values.push_back(row.spec);
      }
      return result;
    }();
    return spec;
  }

  [[nodiscard]] std::string open(const ProbeOptions& options) override {
    std::string device = "0";
    std::string library = kNvmlLibrary;
    for (const auto& [name, value] : options) {
      (name == "device" ? device : library) = value;
    }
    NvmlSensors opened = open_nvml(library, device, FaultEvents::kNotWatched);
    std::string refusal = opened.reason;
    if (opened.sensors != nullptr) {
      sensors_ = std::move(opened.sensors);
      const GpuSample sample = take_sample();
      if (!sample.pcie_received_bytes.has_value() && !sample.pcie_sent_bytes.has_value()) {
        refusal = "the GPU or its driver does not count what PCIe moves";
      }
    }
    reason_ = refusal.empty() ? "no repetition of its own has run" : refusal;
    return refusal;
  }

  [[nodiscard]] std::string library() const override {
    return sensors_ != nullptr ? nvml_text(sensors_->identity()) : "";
  }

  void begin_trial(std::string_view trial) noexcept override { trial_ = trial; }

  void begin_steps() noexcept override {
    try {
      steps_.restart();
      traffic_ = PcieTraffic{};
      const double before_s = core::thread_cpu_seconds();
      first_ = take_sample();
      traffic_.reading_cpu_s = core::thread_cpu_seconds() - before_s;
      watcher_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
    } catch (const std::exception& error) {
      reason_ = error.what();
    }
  }

  void end_trial() noexcept override {
    if (!watcher_.joinable()) {
      return;
    }
    watcher_.request_stop();
    watcher_.join();
    const double before_s = core::thread_cpu_seconds();
    const GpuSample last = take_sample();
    traffic_.reading_cpu_s += core::thread_cpu_seconds() - before_s;
    traffic_.window_s = 1e-9 * static_cast<double>(last.time_ns - first_.time_ns);
    traffic_.steps = steps_.count();
    traffic_.received_bytes = growth(first_.pcie_received_bytes, last.pcie_received_bytes);
    traffic_.sent_bytes = growth(first_.pcie_sent_bytes, last.pcie_sent_bytes);
    traffic_of_[trial_] = traffic_;
  }

  [[nodiscard]] ProbeValues collect(std::string_view trial) const override {
    const auto found = traffic_of_.find(trial);
    if (found == traffic_of_.end()) {
      return {false, reason_, {}};
    }
    ProbeValues result{true, {}, {}};
    for (const PcieValue& row : pcie_values()) {
      const std::optional<double> value = row.value(found->second);
      result.values.push_back({row.spec.name,
                               value,
                               value.has_value() ? "" : "the device or its driver does not tell"});
    }
    return result;
  }

  [[nodiscard]] core::trace::Sink* sink() override { return &steps_; }

 private:
  [[nodiscard]] GpuSample take_sample() noexcept {
    GpuSample sample{.time_ns = core::steady_ns()};
    sensors_->read(Sensor::kPcie, sample);
    return sample;
  }

  /// Often enough to see each wrap: a link of generation 6 with 16 lanes moves 4 GiB in 34 ms.
  void watch(const std::stop_token& stop) {
    constexpr std::chrono::milliseconds kPeriod{15};
    const double before_s = core::thread_cpu_seconds();
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any stopped;
    while (!stop.stop_requested()) {
      stopped.wait_for(lock, stop, kPeriod, [] { return false; });
      static_cast<void>(take_sample());
    }
    traffic_.reading_cpu_s += core::thread_cpu_seconds() - before_s;
  }

  std::unique_ptr<GpuSensors> sensors_;
  std::string reason_;  ///< why there is nothing of a trial
  std::string trial_;
  StepWindow steps_;
  GpuSample first_;
  PcieTraffic traffic_;  ///< of the current repetition; owned by the watcher until joined
  std::map<std::string, PcieTraffic, std::less<>> traffic_of_;  ///< by trial
  std::jthread watcher_;
};

const ProbeRegistration kNvmlPcieRegistration("nvml_pcie",
                                              [] { return std::make_unique<PcieProbe>(); });

}  // namespace
}  // namespace dlbench::probes
