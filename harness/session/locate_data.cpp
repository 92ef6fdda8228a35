// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/session/locate_data.h"

#include "data/generators/generate.h"
#include "engine/core/error.h"
#include "engine/core/log.h"
#include "harness/cache_folder.h"
#include "harness/session/run_guard.h"
#include "workloads/workload.h"

#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace dlbench::harness {
namespace {

namespace fs = std::filesystem;
using core::Error;
using core::ErrorCode;

/// Least share of generated samples in the training split (8 of 10 but for rounding).
constexpr double kTrainingShare = 0.75;
/// Fewer samples than this are made quickly enough for an epoch of several steps.
constexpr std::int64_t kQuicklyMade = 1024;
constexpr std::int64_t kStepsOfAnEpoch = 4;
/// More would take long without having been requested: some 43 kB each for kvasir-seg.
constexpr std::int64_t kMaxGenerated = 16384;

/// Returns `data` if given, else the format's usual folder if it exists, else nothing.
std::optional<fs::path> present_data(const std::string& dataset, const std::string& data) {
  if (!data.empty()) {
    return data;
  }
  const data::DatasetFormat& format = data::find_dataset(dataset);
  std::error_code error;
  if (!format.default_folder.empty() && fs::is_directory(format.default_folder, error)) {
    return format.default_folder;
  }
  return std::nullopt;
}

}  // namespace

std::int64_t samples_to_generate(std::int64_t global_batch) {
  const auto holds = [](std::int64_t samples, std::int64_t wanted) {
    return static_cast<double>(samples) * kTrainingShare >= static_cast<double>(wanted);
  };
  if (!holds(kMaxGenerated, global_batch)) {
    throw Error(ErrorCode::kUsage,
                "no --data given, and no more than " + std::to_string(kMaxGenerated) +
                    " samples are generated without being asked for: too few for a batch of " +
                    std::to_string(global_batch) +
                    "; choose a smaller one, or give --data with more (`dlbench data generate` "
                    "writes any number)");
  }
  std::int64_t samples = 64;
  while (!holds(samples, global_batch) ||
         (samples < kQuicklyMade && !holds(samples, kStepsOfAnEpoch * global_batch))) {
    samples *= 2;
  }
  return samples;
}

std::vector<fs::path> data_files(const std::string& dataset, const fs::path& folder) {
  std::vector<fs::path> files = data::find_dataset(dataset).files(folder);
  files.push_back(data::generated_marker(folder));
  return files;
}

namespace {

/// Also true for the folder of one of its splits.
bool is_generated(const fs::path& folder) {
  std::error_code ignored;
  const fs::path whole = fs::weakly_canonical(folder, ignored).parent_path();
  return data::generated_info(folder).has_value() || data::generated_info(whole).has_value();
}

}  // namespace

std::vector<fs::path> present_data_files(const std::string& workload, const std::string& data) {
  const std::string& dataset = workloads::find_workload(workload).spec().dataset;
  const auto folder = present_data(dataset, data);
  return folder.has_value() ? data_files(dataset, *folder) : std::vector<fs::path>();
}

DataSource locate_data(const std::string& dataset,
                       const std::string& data,
                       std::int64_t global_batch) {
  if (const auto present = present_data(dataset, data); present.has_value()) {
    return {*present, is_generated(*present)};
  }
  const std::int64_t samples = samples_to_generate(global_batch);
  const fs::path folder = cache_folder() / (dataset + "-" + std::to_string(samples) + "-samples");
  data::GenerateOptions generate{
      .out = folder, .samples = samples, .seed = 1, .check = RunGuard::check_at_work};
  core::log::progress("generating " + std::to_string(samples) + " samples of " + dataset);
  try {
    if (data::generate_once(dataset, generate)) {
      core::log::info("no --data given: generated " + std::to_string(samples) + " samples of " +
                      dataset + " in " + folder.string());
    }
  } catch (const Error& failure) {
    if (core::ended_early(failure.code())) {
      throw Error(failure.code(), "ended while data were generated, before anything was measured");
    }
    throw Error(
        failure.code(),
        std::string("no --data given, and none can be generated: ") + failure.what() +
            "; give --data, or set DLBENCH_CACHE_DIR to another folder that can be written");
  }
  core::log::progress("");
  return {folder, true};
}

}  // namespace dlbench::harness
