// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A folder of small files that disappears at the end of a test: stands in for /sys.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace dlbench::probes {

class TemporaryTree {
 public:
  TemporaryTree()
      : root_(std::filesystem::path(testing::TempDir()) /
              ("dlbench_" + std::to_string(getpid()) + "_" +
               testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::create_directories(root_);
  }
  TemporaryTree(const TemporaryTree&) = delete;
  TemporaryTree& operator=(const TemporaryTree&) = delete;
  ~TemporaryTree() {
    std::error_code ignored;  // a destructor does not throw; the folder is in the temporary folder
    std::filesystem::remove_all(root_, ignored);
  }

  [[nodiscard]] const std::filesystem::path& root() const { return root_; }

  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream stream(root_ / path);
    stream << text;
    ASSERT_TRUE(stream.good()) << path;
  }

 private:
  std::filesystem::path root_;
};

}  // namespace dlbench::probes
