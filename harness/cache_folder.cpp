// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cache_folder.h"

#include "engine/core/error.h"
#include "engine/core/log.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <system_error>

namespace dlbench::harness {
namespace {

namespace fs = std::filesystem;
using core::Error;
using core::ErrorCode;

fs::path wanted_cache_folder() {
  if (const char* folder = std::getenv("DLBENCH_CACHE_DIR"); folder != nullptr && *folder != 0) {
    return folder;
  }
  // XDG specification: a relative path must be ignored.
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
  // Another user may have made it, with their own tuning, peaks and data.
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

}  // namespace dlbench::harness
