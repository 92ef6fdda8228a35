// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/output_files.h"

#include "data/datasets/image_mask_pairs.h"
#include "engine/core/atomic_file.h"
#include "engine/core/error.h"

#include <algorithm>
#include <cstddef>
#include <system_error>

namespace dlbench::harness {
namespace {

/// Whether a result of this name would be an input, or be taken for one: it is the same file, or is
/// in an input's folder with the same extension or that of another kind of image. Data sets have
/// many files and most results do not exist yet, so names alone are compared where possible.
class Beside {
 public:
  explicit Beside(const std::string& result) : result_(core::place_of(result)) {
    std::error_code ignored;  // what cannot be looked at is refused when it is to be written
    exists_ = std::filesystem::exists(result_, ignored);
  }

  bool operator()(const std::filesystem::path& input) const {
    std::error_code ignored;
    if (exists_ && std::filesystem::equivalent(result_, input, ignored)) {
      return true;
    }
    const bool named_so = input.filename() == result_.filename() ||
                          (input.has_extension() && input.extension() == result_.extension()) ||
                          (data::is_image_name(input) && data::is_image_name(result_));
    return named_so && core::place_of(std::filesystem::absolute(input, ignored).parent_path()) ==
                           result_.parent_path();
  }

 private:
  std::filesystem::path result_;
  bool exists_ = false;
};

}  // namespace

void check_distinct(const std::vector<NamedFile>& files) {
  for (std::size_t one = 0; one < files.size(); ++one) {
    for (std::size_t other = one + 1; other < files.size(); ++other) {
      if (!files[one].path.empty() && !files[other].path.empty() &&
          core::is_same_file(files[one].path, files[other].path)) {
        throw core::Error(core::ErrorCode::kUsage,
                          files[one].option + " and " + files[other].option +
                              " name the same file '" + files[other].path +
                              "': one would overwrite the other; give each its own");
      }
    }
  }
}

void check_not_standard_output(const std::vector<NamedFile>& files) {
  for (const NamedFile& file : files) {
    if (!file.path.empty() && core::is_standard_output(file.path)) {
      throw core::Error(core::ErrorCode::kUsage,
                        file.option + " '" + file.path +
                            "' is the standard output, which takes the summary: name a file");
    }
  }
}

void check_apart(const std::vector<NamedFile>& files,
                 const std::vector<std::filesystem::path>& inputs,
                 std::string_view what) {
  for (const NamedFile& file : files) {
    if (!file.path.empty() && !core::is_stream(file.path) &&
        std::any_of(inputs.begin(), inputs.end(), Beside(file.path))) {
      throw core::Error(core::ErrorCode::kUsage,
                        file.option + " names '" + file.path + "', " + std::string(what) +
                            ": it is not for results; choose another");
    }
  }
}

void check_writable(const std::vector<NamedFile>& files) {
  for (const NamedFile& file : files) {
    if (!file.path.empty()) {
      core::check_writable(file.path, "choose another place with " + file.option);
    }
  }
}

}  // namespace dlbench::harness
