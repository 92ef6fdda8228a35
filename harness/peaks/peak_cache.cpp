// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/peaks/peak_cache.h"

#include "engine/core/error.h"
#include "engine/core/log.h"
#include "harness/cache_folder.h"
#include "harness/peaks/peak_file_internal.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

namespace dlbench::harness {
namespace {

namespace fs = std::filesystem;
using core::Error;
using core::ErrorCode;
using nlohmann::json;

constexpr const char* kPeaksFormat = "dlbench.peaks";
constexpr int kPeaksVersion = 2;  // 1 had no figures of AMX

json to_json(const MachinePeaks& peaks) {
  json compute = json::array();
  for (const ComputePeak& peak : peaks.compute) {
    compute.push_back({{"precision", peak.precision},
                       {"isa", peak.isa},
                       {"flop_per_s", peak.flop_per_s},
                       {"measured_at", peak.measured_at}});
  }
  json memory = json::array();
  for (const MemoryPeak& peak : peaks.memory) {
    memory.push_back({{"kernel", peak.kernel},
                      {"stores", peak.stores},
                      {"isa", peak.isa},
                      {"bytes_per_s", peak.bytes_per_s},
                      {"array_bytes", peak.array_bytes},
                      {"measured_at", peak.measured_at}});
  }
  return {{"format", kPeaksFormat},
          {"version", kPeaksVersion},
          {"processor", peaks.key.processor},
          {"isa", peaks.key.isa},
          {"threads", peaks.key.threads},
          {"effort", name(peaks.effort)},
          {"measurements", peaks.measurements},
          {"cache_bytes", peaks.cache_bytes},
          {"compute", std::move(compute)},
          {"memory", std::move(memory)}};
}

// Throws json::exception or Error for anything that to_json() would not have written.
MachinePeaks machine_peaks_from_json(const json& file) {
  check_format(file, kPeaksFormat, kPeaksVersion);
  MachinePeaks peaks;
  peaks.key = {.processor = file.at("processor").get<std::string>(),
               .isa = file.at("isa").get<std::string>(),
               .threads = positive_int(file.at("threads"))};
  const auto effort = file.at("effort").get<std::string>();
  if (effort != name(PeakEffort::kQuick) && effort != name(PeakEffort::kThorough)) {
    throw Error(ErrorCode::kData, "unknown effort '" + effort + "'");
  }
  peaks.effort = effort == name(PeakEffort::kQuick) ? PeakEffort::kQuick : PeakEffort::kThorough;
  peaks.measurements = positive_int(file.at("measurements"));
  peaks.cache_bytes =
      whole_number(file.at("cache_bytes"), 0, std::numeric_limits<std::int64_t>::max());
  for (const json& peak : file.at("compute")) {
    peaks.compute.push_back({.precision = printable_text(peak.at("precision")),
                             .isa = printable_text(peak.at("isa")),
                             .flop_per_s = positive_number(peak.at("flop_per_s")),
                             .measured_at = utc_text(peak.at("measured_at"))});
  }
  for (const json& peak : file.at("memory")) {
    peaks.memory.push_back({.kernel = printable_text(peak.at("kernel")),
                            .stores = printable_text(peak.at("stores")),
                            .isa = printable_text(peak.at("isa")),
                            .bytes_per_s = positive_number(peak.at("bytes_per_s")),
                            .array_bytes = positive_integer(peak.at("array_bytes")),
                            .measured_at = utc_text(peak.at("measured_at"))});
  }
  return peaks;
}

bool has_fp32(const MachinePeaks& peaks) {
  return std::ranges::any_of(peak_records(peaks), [](const reports::PeakRecord& record) {
    return record.precision == "fp32";
  });
}

std::optional<MachinePeaks> load_or_warn(const PeakKey& key) {
  const std::optional<fs::path> folder = cache_folder_if_usable();
  if (!folder.has_value()) {
    return std::nullopt;
  }
  try {
    return load_peaks(*folder, key);
  } catch (const Error& error) {
    core::log::warn(error.what());
    return std::nullopt;
  }
}

}  // namespace

fs::path peak_file(const fs::path& folder, const PeakKey& key) {
  return folder / "peaks" /
         (file_name_part(key.processor) + "-" + file_name_part(key.isa) + "-" +
          std::to_string(key.threads) + "-threads.json");
}

std::optional<MachinePeaks> load_peaks(const fs::path& folder, const PeakKey& key) {
  const auto peaks = read_peak_file<MachinePeaks>(peak_file(folder, key), machine_peaks_from_json);
  return peaks.has_value() && peaks->key == key ? peaks : std::nullopt;
}

void store_peaks(const fs::path& folder, const MachinePeaks& peaks) {
  write_peak_file(peak_file(folder, peaks.key), to_json(peaks));
}

std::optional<MachinePeaks> cached_machine_peaks() { return load_or_warn(peak_key()); }

std::vector<reports::PeakRecord> cached_peaks() {
  const std::optional<MachinePeaks> peaks = cached_machine_peaks();
  return peaks.has_value() ? peak_records(*peaks) : std::vector<reports::PeakRecord>{};
}

std::vector<reports::PeakRecord> known_peaks() {
  std::optional<MachinePeaks> cached = cached_machine_peaks();
  if (cached.has_value() && has_fp32(*cached) &&
      (cached->effort == PeakEffort::kThorough || cached->measurements >= kQuickMeasurements)) {
    return peak_records(*cached);
  }
  MachinePeaks peaks = cached.value_or(MachinePeaks{});
  try {
    core::log::progress("measuring the peaks of this machine");
    peaks = measure_peaks(PeakEffort::kQuick);
    core::log::progress("");
    if (cached.has_value()) {
      keep_larger(peaks, *cached);
      peaks.effort = PeakEffort::kQuick;  // some figures are, whatever the others were
    }
    if (const std::optional<fs::path> folder = cache_folder_if_usable()) {
      store_peaks(*folder, peaks);
    }
  } catch (const Error& error) {  // no memory for it, or no place to keep it: the run goes on
    core::log::warn(std::string("measured peaks are not kept: ") + error.what());
  }
  if (!has_fp32(peaks)) {
    core::log::info(
        "the processors were never undisturbed long enough to measure their fp32 peak: no shares "
        "of "
        "it");
  }
  return peak_records(peaks);
}

}  // namespace dlbench::harness
