// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/dataset.h"

#include "engine/core/error.h"
#include "engine/core/named_registry.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace dlbench::data {
namespace {

using core::Error;
using core::ErrorCode;

core::NamedRegistry<DatasetFormat>& registry() {
  static core::NamedRegistry<DatasetFormat> formats("data set");
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
  registry().add(name, std::move(format));
}

std::vector<std::string> dataset_names() { return registry().names(); }

const DatasetFormat& find_dataset(std::string_view name) { return registry().find(name); }

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
