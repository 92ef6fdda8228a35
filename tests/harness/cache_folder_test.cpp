// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cache_folder.h"

#include "engine/core/error.h"
#include "tests/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

namespace dlbench::harness {
namespace {

namespace fs = std::filesystem;

/// Environment variables that are what they were when it ends; an empty value: not set.
class Environment {
 public:
  explicit Environment(const std::map<std::string, std::string>& values) {
    for (const auto& [name, value] : values) {
      const char* before = std::getenv(name.c_str());
      before_[name] = before == nullptr ? "" : before;
      set(name, value);
    }
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment() {
    for (const auto& [name, value] : before_) {
      set(name, value);
    }
  }

 private:
  static void set(const std::string& name, const std::string& value) {
    if (value.empty()) {
      unsetenv(name.c_str());
    } else {
      setenv(name.c_str(), value.c_str(), 1);
    }
  }

  std::map<std::string, std::string> before_;
};

TEST(CacheFolder, IsNoRelativeOneOfTheEnvironment) {
  const tests::TemporaryFolder home;
  const Environment environment(
      {{"DLBENCH_CACHE_DIR", ""}, {"XDG_CACHE_HOME", "relative"}, {"HOME", home.path().string()}});
  EXPECT_EQ(cache_folder(), home.path() / ".cache" / "dlbench");
}

TEST(CacheFolder, WithoutAHomeIsTheUsersOwnAmongTemporaryFiles) {
  const tests::TemporaryFolder temporary;
  const Environment environment({{"DLBENCH_CACHE_DIR", ""},
                                 {"XDG_CACHE_HOME", ""},
                                 {"HOME", ""},
                                 {"TMPDIR", temporary.path().string()}});
  const fs::path folder = cache_folder();
  EXPECT_EQ(folder, temporary.path() / ("dlbench-cache-" + std::to_string(getuid())));
  if (getuid() != 0) {
    GTEST_SKIP() << "only root can give the folder to another user";
  }
  ASSERT_EQ(chown(folder.c_str(), 65534, 65534), 0);
  EXPECT_FALSE(cache_folder_if_usable().has_value());
}

// A run that needs no cache goes on without one.
TEST(CacheFolder, MayBeNowhere) {
  const Environment environment({{"DLBENCH_CACHE_DIR", ""},
                                 {"XDG_CACHE_HOME", ""},
                                 {"HOME", ""},
                                 {"TMPDIR", "/nonexistent/folder"}});
  EXPECT_FALSE(cache_folder_if_usable().has_value());
  try {
    (void)cache_folder();
    FAIL() << "there is no folder";
  } catch (const core::Error& error) {
    EXPECT_EQ(error.code(), core::ErrorCode::kFile);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("TMPDIR is none; set DLBENCH_CACHE_DIR"));
  }
}

}  // namespace
}  // namespace dlbench::harness
