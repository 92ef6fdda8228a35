// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The energy of the processor packages, from the powercap files of Intel's and AMD's RAPL counters.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace dlbench::probes {

/// One processor package's energy counter.
struct RaplZone {
  std::filesystem::path energy_file;  ///< energy_uj: microjoules, wraps at range_uj
  std::uint64_t range_uj = 0;         ///< 0: unknown
};

/// The package zones below `root` (normally /sys/class/powercap), or why there are none.
struct RaplZones {
  std::vector<RaplZone> zones;
  std::string reason;
};

[[nodiscard]] RaplZones find_rapl_zones(const std::filesystem::path& root);

/// Returns the counter's value in microjoules, or nothing if it cannot be read.
[[nodiscard]] std::optional<std::uint64_t> read_energy_uj(const RaplZone& zone);

/// Returns the joules from `begin` to `end`, allowing for one wrap at range_uj; nothing if the
/// counter decreased and its range is unknown.
[[nodiscard]] std::optional<double> energy_difference_joules(std::uint64_t begin_uj,
                                                             std::uint64_t end_uj,
                                                             std::uint64_t range_uj);

/// Sums what the zones' counters gain in a window, however often they wrap: while a window is open,
/// a thread reads them once per period.
class RaplMeter {
 public:
  /// AMD's counters wrap after 65.5 kJ, 65 s for a package of 1 kW; Intel's later.
  static constexpr std::chrono::seconds kPeriod{60};

  explicit RaplMeter(std::vector<RaplZone> zones, std::chrono::nanoseconds period = kPeriod);
  RaplMeter(const RaplMeter&) = delete;
  RaplMeter& operator=(const RaplMeter&) = delete;
  ~RaplMeter();

  void begin_window();
  /// Returns the joules of all zones since begin_window(); nothing if a counter could not be read.
  [[nodiscard]] std::optional<double> end_window();
  /// How often the counters have been added up, at the end of windows and within them.
  [[nodiscard]] std::int64_t samples() const { return samples_; }

 private:
  using Readings = std::vector<std::optional<std::uint64_t>>;

  void watch();
  void add_up();  // with mutex_ held
  [[nodiscard]] Readings read_all() const;

  std::vector<RaplZone> zones_;
  std::chrono::nanoseconds period_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
  bool stop_ = false;
  Readings last_;
  std::optional<double> joules_;
  std::atomic<std::int64_t> samples_{0};
  std::thread thread_;
};

}  // namespace dlbench::probes
