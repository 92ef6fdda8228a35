// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/dataset.h"

#include "engine/core/check.h"
#include "engine/core/error.h"
#include "engine/core/nearest_name.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <system_error>
#include <utility>

namespace dlbench::data {
namespace {

using core::Error;
using core::ErrorCode;

// A registry is the one kind of mutable global: filled before main, read-only afterwards.
std::map<std::string, DatasetFormat, std::less<>>& registry() {
  static std::map<std::string, DatasetFormat, std::less<>> formats;
  return formats;
}

}  // namespace

std::string_view name(Split split) {
  switch (split) {
    case Split::kTrain:
      return "train";
    case Split::kValid:
      return "valid";
    case Split::kTest:
      return "test";
  }
  return "?";
}

DatasetRegistration::DatasetRegistration(DatasetFormat format) {
  const std::string name = format.name;
  DLBENCH_CHECK(registry().emplace(name, std::move(format)).second)
      << "two data sets are named '" << name << "'";
}

std::vector<std::string> dataset_names() {
  std::vector<std::string> names;
  for (const auto& [name, format] : registry()) {
    names.push_back(name);
  }
  return names;
}

const DatasetFormat& find_dataset(std::string_view name) {
  const auto found = registry().find(name);
  if (found == registry().end()) {
    throw Error(ErrorCode::kUsage, core::unknown_name_message("data set", name, dataset_names()));
  }
  return found->second;
}

void check_data_folder(const std::filesystem::path& folder, std::string_view name) {
  std::error_code failure;
  const auto status = std::filesystem::status(folder, failure);
  if (failure && failure != std::errc::no_such_file_or_directory &&
      failure != std::errc::not_a_directory) {
    throw Error(ErrorCode::kFile,
                "data folder '" + folder.string() + "' cannot be looked at: " + failure.message());
  }
  if (!std::filesystem::exists(status)) {
    throw Error(
        ErrorCode::kFile,
        "data folder '" + folder.string() +
            "' does not exist; give another, or make one: dlbench data generate --dataset " +
            std::string(name) + " --out DIR");
  }
  if (!std::filesystem::is_directory(status)) {
    throw Error(ErrorCode::kFile,
                "'" + folder.string() + "' is not a folder; wanted that of a data set");
  }
  if (::access(folder.c_str(), R_OK | X_OK) != 0) {
    throw Error(ErrorCode::kFile,
                "cannot read data folder '" + folder.string() + "': " + core::errno_text(errno));
  }
}

std::unique_ptr<Dataset> open_dataset(std::string_view name,
                                      const std::filesystem::path& folder,
                                      Split split,
                                      const DatasetOptions& options) {
  const DatasetFormat& format = find_dataset(name);
  check_data_folder(folder, name);
  return format.open(folder, split, options);
}

}  // namespace dlbench::data
