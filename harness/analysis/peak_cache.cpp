// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/analysis/peak_cache.h"

#include "engine/core/error.h"
#include "engine/core/log.h"
#include "harness/trials/session.h"
#include "reports/atomic_file.h"
#include "reports/json_reader.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <string>
#include <system_error>

namespace dlbench::harness {
namespace {

namespace fs = std::filesystem;
using core::Error;
using core::ErrorCode;
using nlohmann::json;

constexpr const char* kFormat = "dlbench.peaks";
constexpr int kVersion = 1;

// "Intel(R) Xeon(R) Processor" -> "intel-r-xeon-r-processor".
std::string file_name_part(const std::string& text) {
  std::string part;
  for (const char character : text) {
    const bool digit = character >= '0' && character <= '9';
    const bool upper = character >= 'A' && character <= 'Z';
    const bool lower = character >= 'a' && character <= 'z';
    if (upper) {
      part += static_cast<char>(character - 'A' + 'a');
    } else if (lower || digit || character == '_' || character == '.') {
      part += character;
    } else if (!part.empty() && part.back() != '-') {
      part += '-';
    }
  }
  if (part.ends_with('-')) {
    part.pop_back();
  }
  return part;
}

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
  return {{"format", kFormat},
          {"version", kVersion},
          {"processor", peaks.key.processor},
          {"isa", peaks.key.isa},
          {"threads", peaks.key.threads},
          {"effort", name(peaks.effort)},
          {"measurements", peaks.measurements},
          {"cache_bytes", peaks.cache_bytes},
          {"compute", std::move(compute)},
          {"memory", std::move(memory)}};
}

double rate(const json& value) {
  const double number = value.get<double>();
  if (!std::isfinite(number) || number <= 0.0) {
    throw Error(ErrorCode::kData, "a rate is not above zero");
  }
  return number;
}

// Throws json::exception or Error for what to_json() would not have written.
MachinePeaks from_json(const json& file) {
  if (file.at("format") != kFormat || file.at("version") != kVersion) {
    throw Error(ErrorCode::kData, "format or version differ");
  }
  MachinePeaks peaks;
  peaks.key = {.processor = file.at("processor").get<std::string>(),
               .isa = file.at("isa").get<std::string>(),
               .threads = file.at("threads").get<int>()};
  const auto effort = file.at("effort").get<std::string>();
  if (effort != name(PeakEffort::kQuick) && effort != name(PeakEffort::kThorough)) {
    throw Error(ErrorCode::kData, "unknown effort '" + effort + "'");
  }
  peaks.effort = effort == name(PeakEffort::kQuick) ? PeakEffort::kQuick : PeakEffort::kThorough;
  peaks.measurements = file.at("measurements").get<int>();
  peaks.cache_bytes = file.at("cache_bytes").get<std::int64_t>();
  for (const json& peak : file.at("compute")) {
    peaks.compute.push_back({.precision = peak.at("precision").get<std::string>(),
                             .isa = peak.at("isa").get<std::string>(),
                             .flop_per_s = rate(peak.at("flop_per_s")),
                             .measured_at = peak.at("measured_at").get<std::string>()});
  }
  for (const json& peak : file.at("memory")) {
    peaks.memory.push_back({.kernel = peak.at("kernel").get<std::string>(),
                            .stores = peak.at("stores").get<std::string>(),
                            .isa = peak.at("isa").get<std::string>(),
                            .bytes_per_s = rate(peak.at("bytes_per_s")),
                            .array_bytes = peak.at("array_bytes").get<std::int64_t>(),
                            .measured_at = peak.at("measured_at").get<std::string>()});
  }
  return peaks;
}

std::optional<MachinePeaks> load_or_warn(const PeakKey& key) {
  try {
    return load_peaks(cache_folder(), key);
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
  const fs::path path = peak_file(folder, key);
  std::error_code error;
  if (!fs::exists(path, error)) {
    return std::nullopt;
  }
  const auto refuse = [&](const std::string& why) {
    return Error(ErrorCode::kData,
                 "'" + path.string() + "' does not hold measured peaks (" + why +
                     "); delete it, it is made again");
  };
  const json file = json::parse(reports::read_text_file(path.string()), nullptr, false);
  if (file.is_discarded()) {
    throw refuse("not JSON");
  }
  try {
    MachinePeaks peaks = from_json(file);
    return peaks.key == key ? std::optional(std::move(peaks)) : std::nullopt;
  } catch (const json::exception&) {
    throw refuse("a member is missing or of another type");
  } catch (const Error& inner) {
    throw refuse(inner.what());
  }
}

void store_peaks(const fs::path& folder, const MachinePeaks& peaks) {
  const fs::path path = peak_file(folder, peaks.key);
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) {
    throw Error(ErrorCode::kFile,
                "cannot create '" + path.parent_path().string() + "': " + error.message());
  }
  reports::write_file_atomically(path.string(), to_json(peaks).dump(2) + "\n");
}

std::vector<reports::PeakRecord> cached_peaks() {
  const std::optional<MachinePeaks> peaks = load_or_warn(peak_key());
  return peaks.has_value() ? peak_records(*peaks) : std::vector<reports::PeakRecord>{};
}

std::vector<reports::PeakRecord> known_peaks() {
  std::optional<MachinePeaks> cached = load_or_warn(peak_key());
  if (cached.has_value() && !peak_records(*cached).empty() &&
      (cached->effort == PeakEffort::kThorough || cached->measurements >= kQuickMeasurements)) {
    return peak_records(*cached);
  }
  MachinePeaks peaks;
  try {
    core::log::progress("measuring the peaks of this machine");
    peaks = measure_peaks(PeakEffort::kQuick);
    core::log::progress("");
    if (cached.has_value()) {
      keep_larger(peaks, *cached);
    }
    store_peaks(cache_folder(), peaks);
  } catch (const Error& error) {  // no memory for it, or no place to keep it: the run goes on
    core::log::warn(std::string("measured peaks are not kept: ") + error.what());
  }
  if (peak_records(peaks).empty()) {
    core::log::info(
        "the processors were never undisturbed long enough to measure their peaks: shares of peak "
        "are left out");
  }
  return peak_records(peaks);
}

}  // namespace dlbench::harness
