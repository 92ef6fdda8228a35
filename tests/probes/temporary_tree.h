// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A folder of small files that disappears at the end of a test: stands in for /sys.
#pragma once

#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace dlbench::probes {

class TemporaryTree {
 public:
  [[nodiscard]] const std::filesystem::path& root() const { return folder_.path(); }

  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((root() / path).parent_path());
    std::ofstream stream(root() / path);
    stream << text;
    ASSERT_TRUE(stream.good()) << path;
  }

 private:
  tests::TemporaryFolder folder_;
};

}  // namespace dlbench::probes
