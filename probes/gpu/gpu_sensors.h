// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The data of a GPU's sensors: one sample, events that must not occur during a measurement, and the
// interface implemented by NVML, recorded streams and tests.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dlbench::probes {

/// Facts that do not change during a run. Empty or absent: not reported by the driver.
struct GpuIdentity {
  std::string name;                ///< "NVIDIA H200"
  std::string uuid;                ///< "GPU-..."
  std::string address;             ///< PCI: "00000000:41:00.0"
  std::string driver;              ///< "580.65.06"
  std::string compute_capability;  ///< "9.0"
  std::optional<std::int64_t> memory_bytes;
  std::optional<double> power_limit_watt;  ///< enforced at first, may be below the board's
  std::optional<double> max_sm_clock_mhz;
  std::optional<std::int64_t> pcie_generation;
  std::optional<std::int64_t> pcie_lanes;
};

/// One sample of the sensors. Absent: not reported by this device or driver, or not read.
struct GpuSample {
  std::int64_t time_ns = 0;                  ///< steady clock
  std::optional<double> power_watt;          ///< at this moment
  std::optional<double> power_average_watt;  ///< over the last second, computed by the driver
  std::optional<double> power_limit_watt;    ///< enforced at this moment
  std::optional<double> energy_joules;       ///< since the driver was loaded
  std::optional<double> busy_share;          ///< share of time with a kernel of any size, 0 to 1
  std::optional<double> memory_busy_share;   ///< share of time with memory access, 0 to 1
  std::optional<std::int64_t> memory_used_bytes;  ///< by all processes and the driver
  std::optional<double> temperature_celsius;
  std::optional<double> memory_temperature_celsius;
  std::optional<double> sm_clock_mhz;
  std::optional<double> memory_clock_mhz;
  std::optional<std::uint64_t>
      clock_reasons;  ///< bits of ClockReason: why the clocks are not higher
  /// Sent by the GPU since some earlier moment; correct if read once per 4 GiB.
  std::optional<std::int64_t> pcie_sent_bytes;
  std::optional<std::int64_t> pcie_received_bytes;  ///< likewise
};

/// Why clocks are below their maximum: the bits defined by NVML (nvmlClocksEventReason*).
enum class ClockReason : std::uint64_t {
  kIdle = 0x1,
  kApplicationClocks = 0x2,
  kPowerCap = 0x4,
  kHardwareSlowdown = 0x8,
  kSyncBoost = 0x10,
  kSoftwareThermal = 0x20,
  kHardwareThermal = 0x40,
  kPowerBrake = 0x80,
  kDisplayClocks = 0x100,
};

/// All bits of ClockReason. Newer drivers have more.
inline constexpr std::uint64_t kKnownClockReasons = 0x1ff;

/// Returns the names of the bits that are set, in order: "power_cap", "hardware_thermal", ...,
/// "reason_0x200" for a bit that is not in ClockReason.
[[nodiscard]] std::vector<std::string> clock_reason_names(std::uint64_t bits);

/// Whether the GPU protects itself: heat, hardware slowdown or power brake. The power cap does not
/// count: a well used GPU works at its cap.
[[nodiscard]] bool is_throttled(std::uint64_t bits);

enum class GpuFault : std::uint8_t {
  kXid,             ///< the driver's error message; `code` is the Xid number
  kEccCorrected,    ///< a single bit, repaired
  kEccUncorrected,  ///< data were lost
  kLost,            ///< the device no longer answers
};

struct GpuEvent {
  std::int64_t time_ns = 0;
  GpuFault fault = GpuFault::kXid;
  std::int64_t code = 0;  ///< Xid number, else 0
};

/// Returns "xid", "ecc_corrected", "ecc_uncorrected" or "lost".
[[nodiscard]] std::string fault_name(GpuFault fault);

/// A process that computed on the GPU.
struct GpuProcess {
  std::int64_t pid = 0;     ///< as numbered by the driver: on the host, even in a container
  double busy_share = 0.0;  ///< share of time in the driver sample with the highest value, 0 to 1
};

/// Sensors that are read together, because their driver calls belong together or cost the same.
enum class Sensor : std::uint8_t {
  kPower,
  kClocks,  ///< SM clock and clock reasons
  kFaults,  ///< take_events()
  kLoad,    ///< busy shares, memory clock, temperatures, the power's average and its limit
  kMemory,  ///< memory in use
  kEnergy,
  kPcie,  ///< in no sample of GpuMonitor: see nvml_pcie.cpp
};
/// In the order in which a sample reads them.
inline constexpr std::array kSensors{Sensor::kPower,
                                     Sensor::kClocks,
                                     Sensor::kFaults,
                                     Sensor::kLoad,
                                     Sensor::kMemory,
                                     Sensor::kEnergy};

/// One GPU's sensors. Called by one thread at a time.
class GpuSensors {
 public:
  GpuSensors() = default;
  GpuSensors(const GpuSensors&) = delete;
  GpuSensors& operator=(const GpuSensors&) = delete;
  virtual ~GpuSensors() = default;

  [[nodiscard]] virtual const GpuIdentity& identity() const = 0;
  /// Stores the sensor's values in the sample, whose time is now.
  virtual void read(Sensor sensor, GpuSample& sample) noexcept = 0;
  /// Returns the faults that take_events() can report: for the others, no event means nothing.
  [[nodiscard]] virtual std::vector<GpuFault> watched_faults() const = 0;
  /// Returns the events since the last call.
  [[nodiscard]] virtual std::vector<GpuEvent> take_events() noexcept = 0;
  /// Returns the processes that computed since the last call, including this one, each once;
  /// nothing if the driver does not tell. Its oldest sample may have begun before the last call.
  [[nodiscard]] virtual std::optional<std::vector<GpuProcess>> take_processes() noexcept = 0;
};

}  // namespace dlbench::probes
