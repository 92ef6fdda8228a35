// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/rapl.h"

#include "probes/node/kernel_file.h"
#include "probes/probe.h"
#include "probes/registry.h"
#include "probes/window_sums.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

namespace dlbench::probes {
namespace {

class RaplProbe final : public Probe {
 public:
  [[nodiscard]] const ProbeSpec& spec() const override {
    static const ProbeSpec spec{
        "rapl",
        "energy of the processor packages, everything running on them included",
        {},
        {{"package_energy_joules", "J", "sum over the packages of this machine"}}};
    return spec;
  }

  [[nodiscard]] std::string open(const ProbeOptions& /*options*/) override {
    const RaplZones found = find_rapl_zones("/sys/class/powercap");
    reason_ = found.reason;
    if (reason_.empty()) {
      meter_ = std::make_unique<RaplMeter>(found.zones);
    }
    return reason_;
  }

  void begin_trial(std::string_view trial) noexcept override {
    trial_ = trial;
    if (meter_ != nullptr) {
      meter_->begin_window();
    }
  }

  void end_trial() noexcept override {
    if (meter_ != nullptr) {
      sums_.add(trial_, {meter_->end_window()});
    }
  }

  [[nodiscard]] ProbeValues collect(std::string_view trial) const override {
    if (!reason_.empty()) {
      return ProbeValues{false, reason_, {}};
    }
    return sums_.collect(trial, spec(), "an energy counter could not be read");
  }

 private:
  std::string reason_;
  std::string trial_;
  std::unique_ptr<RaplMeter> meter_;
  WindowSums sums_{1};
};

const ProbeRegistration kRaplRegistration("rapl", [] { return std::make_unique<RaplProbe>(); });

}  // namespace

RaplZones find_rapl_zones(const std::filesystem::path& root) {
  RaplZones result;
  std::error_code error;
  bool unreadable = false;
  for (std::filesystem::directory_iterator entry(root, error), last; !error && entry != last;
       entry.increment(error)) {
    // Packages are "intel-rapl:0" (AMD's too) with the name "package-0"; "intel-rapl:0:1" are parts
    // of them and "intel-rapl-mmio:0" is the same package again.
    const std::string folder = entry->path().filename().string();
    const std::string name = read_kernel_file(entry->path() / "name").value_or("");
    if (!folder.starts_with("intel-rapl:") || !name.starts_with("package-")) {
      continue;
    }
    RaplZone zone{
        entry->path() / "energy_uj",
        read_kernel_number<std::uint64_t>(entry->path() / "max_energy_range_uj").value_or(0)};
    if (read_energy_uj(zone).has_value()) {
      result.zones.push_back(std::move(zone));
    } else {
      unreadable = true;
    }
  }
  std::sort(result.zones.begin(), result.zones.end(), [](const RaplZone& a, const RaplZone& b) {
    return a.energy_file < b.energy_file;
  });
  if (unreadable) {
    result.zones.clear();
    result.reason = "the files energy_uj below " + root.string() +
                    " are not readable: kernels since 5.10 leave them to root";
  } else if (result.zones.empty()) {
    result.reason = "no package zone below " + root.string() +
                    ": this machine, or its virtual machine monitor, offers no RAPL counters";
  }
  return result;
}

std::optional<std::uint64_t> read_energy_uj(const RaplZone& zone) {
  return read_kernel_number<std::uint64_t>(zone.energy_file);
}

std::optional<double> energy_difference_joules(std::uint64_t begin_uj,
                                               std::uint64_t end_uj,
                                               std::uint64_t range_uj) {
  if (end_uj < begin_uj && range_uj < begin_uj) {
    return std::nullopt;
  }
  const std::uint64_t difference =
      end_uj >= begin_uj ? end_uj - begin_uj : range_uj - begin_uj + end_uj;
  return 1e-6 * static_cast<double>(difference);
}

RaplMeter::RaplMeter(std::vector<RaplZone> zones, std::chrono::nanoseconds period)
    : zones_(std::move(zones)), period_(period), thread_([this] { watch(); }) {}

RaplMeter::~RaplMeter() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void RaplMeter::begin_window() {
  {
    const std::lock_guard lock(mutex_);
    last_ = read_all();
    joules_ = 0.0;
    open_ = true;
  }
  changed_.notify_all();
}

std::optional<double> RaplMeter::end_window() {
  const std::lock_guard lock(mutex_);
  open_ = false;
  add_up();
  return joules_;
}

RaplMeter::Readings RaplMeter::read_all() const {
  Readings readings;
  for (const RaplZone& zone : zones_) {
    readings.push_back(read_energy_uj(zone));
  }
  return readings;
}

void RaplMeter::add_up() {
  Readings now = read_all();
  for (std::size_t zone = 0; zone < zones_.size(); ++zone) {
    const auto grown =
        last_[zone].has_value() && now[zone].has_value()
            ? energy_difference_joules(*last_[zone], *now[zone], zones_[zone].range_uj)
            : std::nullopt;
    joules_ =
        joules_.has_value() && grown.has_value() ? std::optional(*joules_ + *grown) : std::nullopt;
  }
  last_ = std::move(now);
  ++samples_;
}

void RaplMeter::watch() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    if (!open_) {
      changed_.wait(lock);
    } else if (changed_.wait_for(lock, period_) == std::cv_status::timeout && open_) {
      add_up();
    }
  }
}

}  // namespace dlbench::probes
