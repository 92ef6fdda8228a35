// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/generators/generate.h"
#include "engine/core/error.h"
#include "engine/core/log.h"
#include "harness/trials/run_guard.h"
#include "harness/trials/session.h"
#include "workloads/workload.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <system_error>
#include <vector>

namespace dlbench::harness {
namespace {

namespace fs = std::filesystem;
using core::Error;
using core::ErrorCode;

constexpr std::int64_t kGeneratedSamples = 64;

fs::path wanted_cache_folder() {
  if (const char* folder = std::getenv("DLBENCH_CACHE_DIR"); folder != nullptr && *folder != 0) {
    return folder;
  }
  // The XDG specification: a relative one is to be ignored.
  if (const char* folder = std::getenv("XDG_CACHE_HOME"); folder != nullptr && *folder == '/') {
    return fs::path(folder) / "dlbench";
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != 0) {
    return fs::path(home) / ".cache" / "dlbench";
  }
  std::error_code missing;
  fs::path folder = fs::temp_directory_path(missing);
  if (missing) {
    throw Error(ErrorCode::kFile,
                "no folder for the cache: HOME is not set, and TMPDIR is none; set "
                "DLBENCH_CACHE_DIR to a folder that can be written");
  }
  folder /= "dlbench-cache-" + std::to_string(::getuid());
  // Anybody may have made it, with tuning, peaks and data of theirs.
  struct stat found {};
  if (::stat(folder.c_str(), &found) == 0 && found.st_uid != ::getuid()) {
    throw Error(ErrorCode::kFile,
                "the cache folder '" + folder.string() +
                    "' belongs to another user; set DLBENCH_CACHE_DIR to one of your own");
  }
  return folder;
}

}  // namespace

fs::path cache_folder() {
  fs::path folder = wanted_cache_folder();
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw Error(ErrorCode::kFile,
                "cannot create the cache folder '" + folder.string() + "': " + error.message() +
                    "; set DLBENCH_CACHE_DIR to a folder that can be written");
  }
  return folder;
}

std::optional<fs::path> cache_folder_if_usable() {
  try {
    return cache_folder();
  } catch (const Error& error) {
    core::log::warn_once(std::string("tuning and measured peaks are not kept: ") + error.what());
    return std::nullopt;
  }
}

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

std::vector<fs::path> data_files(const std::string& dataset, const fs::path& folder) {
  std::vector<fs::path> files = data::find_dataset(dataset).files(folder);
  files.push_back(data::generated_marker(folder));
  return files;
}

std::vector<fs::path> present_data_files(const std::string& workload, const std::string& data) {
  const std::string& dataset = workloads::find_workload(workload).spec().dataset;
  const auto folder = present_data(dataset, data);
  return folder.has_value() ? data_files(dataset, *folder) : std::vector<fs::path>();
}

DataSource locate_data(const std::string& dataset, const std::string& data) {
  if (const auto present = present_data(dataset, data); present.has_value()) {
    return {*present, data::generated_info(*present).has_value()};
  }
  const fs::path folder =
      cache_folder() / (dataset + "-" + std::to_string(kGeneratedSamples) + "-samples");
  data::GenerateOptions generate{
      .out = folder, .samples = kGeneratedSamples, .seed = 1, .check = RunGuard::check_current};
  core::log::progress("generating " + std::to_string(kGeneratedSamples) + " samples of " + dataset);
  try {
    if (data::generate_once(dataset, generate)) {
      core::log::info("no --data given: generated " + std::to_string(kGeneratedSamples) +
                      " samples of " + dataset + " in " + folder.string());
    }
  } catch (const Error& failure) {
    if (core::ended_early(failure.code())) {
      throw Error(failure.code(), "ended while data were generated, before anything was measured");
    }
    throw Error(
        failure.code(),
        std::string("no --data given, and none can be generated: ") + failure.what() +
            "; or give --data, or set DLBENCH_CACHE_DIR to another folder that can be written");
  }
  core::log::progress("");
  return {folder, true};
}

}  // namespace dlbench::harness
