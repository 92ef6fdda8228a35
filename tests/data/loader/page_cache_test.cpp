// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/loader/page_cache.h"

#include "tests/data/file_bytes.h"
#include "tests/error_message.h"
#include "tests/temporary_folder.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <fstream>
#include <string>
#include <vector>

namespace dlbench::data {
namespace {

using ::testing::EndsWith;
using ::testing::StartsWith;
using testing::write_bytes;
using tests::TemporaryFolder;

/// Files of this process, so mincore tells the truth.
std::vector<std::filesystem::path> make_files(const TemporaryFolder& folder) {
  std::vector<std::filesystem::path> files;
  for (int i = 0; i < 4; ++i) {
    files.push_back(folder.path() / std::to_string(i));
    write_bytes(files.back(), std::string(300'000, static_cast<char>('a' + i)));
  }
  return files;
}

TEST(PageCache, WarmMakesAllPagesResident) {
  const TemporaryFolder folder;
  const auto files = make_files(folder);
  static_cast<void>(prepare_page_cache(CacheMode::kCold, files));
  const CacheState state = prepare_page_cache(CacheMode::kWarm, files);
  EXPECT_TRUE(state.verified) << state.proof;
  EXPECT_EQ(state.bytes, 1'200'000);
  EXPECT_EQ(state.resident_after, 1.0);
  EXPECT_NE(state.proof.find("100.0 %"), std::string::npos) << state.proof;
}

TEST(PageCache, ColdDropsPagesOrSaysThatItCouldNot) {
  const TemporaryFolder folder;
  const auto files = make_files(folder);
  const CacheState state = prepare_page_cache(CacheMode::kCold, files);
  ASSERT_TRUE(state.resident_before && state.resident_after);
  EXPECT_EQ(*state.resident_before, 1.0);
  // A temporary folder in memory (tmpfs) cannot be dropped: then the state must not be "verified".
  EXPECT_EQ(state.verified, *state.resident_after <= 0.01) << state.proof;
  EXPECT_EQ(resident_fraction(files), state.resident_after);
}

TEST(PageCache, AsIsOnlyLooks) {
  const TemporaryFolder folder;
  const auto files = make_files(folder);
  const CacheState state = prepare_page_cache(CacheMode::kAsIs, files);
  EXPECT_EQ(state.resident_before, 1.0);
  EXPECT_EQ(state.resident_after, 1.0);
  EXPECT_TRUE(state.verified);
}

TEST(PageCache, LeavesOutWhatMayBeReplaced) {
  const TemporaryFolder folder;
  write_bytes(folder.path() / "images" / "a.jpg", "image");
  write_bytes(folder.path() / "masks" / "a.jpg", "mask");
  const auto dataset = open_dataset("kvasir-seg", folder.path(), Split::kTrain);
  std::filesystem::remove(folder.path() / "images" / "a.jpg");
  const std::string refused = tests::error_of([&] {
    static_cast<void>(
        prepare_page_cache(CacheMode::kAsIs, *dataset, {.corrupt_advice = "leave it out"}));
  });
  EXPECT_THAT(refused, StartsWith("cannot open '"));
  EXPECT_THAT(refused, EndsWith(": No such file or directory; leave it out"));
  const CacheState state = prepare_page_cache(CacheMode::kAsIs, *dataset, {.skip_corrupt = true});
  EXPECT_EQ(state.files, 1);
}

TEST(PageCache, NamesMissingFiles) {
  const std::vector<std::filesystem::path> files{"/nonexistent/file"};
  EXPECT_NE(tests::error_of([&] {
              static_cast<void>(prepare_page_cache(CacheMode::kAsIs, files));
            }).find("/nonexistent/file"),
            std::string::npos);
}

/// Exit code of `action` in a process of its own; -1 if it throws.
template <typename Action>
int in_another_process(Action&& action) {
  const pid_t child = ::fork();
  if (child == 0) {
    int code = -1;
    try {
      code = action();
    } catch (const std::exception&) {  // the parent sees -1
    }
    ::_exit(code);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? static_cast<signed char>(WEXITSTATUS(status)) : -1;
}

int is_told_of(const std::filesystem::path& file) {
  return resident_fraction({{file}}).has_value() ? 1 : 0;
}

constexpr uid_t kAnotherUser = 12345;

/// False where this user may not, root of a container with one user included.
bool give_to_another_user(const std::filesystem::path& file) {
  return ::chown(file.c_str(), kAnotherUser, kAnotherUser) == 0;
}

TEST(PageCache, IsToldWhatIsResidentOfOwnFilesAndOfThoseItMayWrite) {
  const TemporaryFolder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  const auto files = make_files(folder);
  if (!give_to_another_user(files[2])) {
    GTEST_SKIP() << "only root can become another user";
  }
  ASSERT_EQ(::chmod(files[0].c_str(), 0644), 0);
  ASSERT_EQ(::chmod(files[1].c_str(), 0666), 0);
  ASSERT_EQ(::chmod(files[2].c_str(), 0444), 0);
  constexpr int kNotTheOtherUser = 100;
  const auto as_another_user = [](const std::filesystem::path& file) {
    return in_another_process([&] {
      const bool reads = ::seteuid(kAnotherUser) == 0 &&
                         ::faccessat(AT_FDCWD, file.c_str(), R_OK, AT_EACCESS) == 0;
      return reads ? is_told_of(file) : kNotTheOtherUser;
    });
  };
  if (as_another_user(files[2]) == kNotTheOtherUser) {
    GTEST_SKIP() << "another user cannot be, or does not reach " << folder.path();
  }
  EXPECT_EQ(as_another_user(files[0]), 0) << "it may only read this one";
  EXPECT_EQ(as_another_user(files[1]), 1) << "it may write this one";
  EXPECT_EQ(as_another_user(files[2]), 1) << "it owns this one";
  EXPECT_EQ(is_told_of(files[2]), 1) << "root is told of all";
}

TEST(PageCache, RootOfAUserNamespaceIsNotToldOfFilesOfOthers) {
  const TemporaryFolder folder;
  const auto files = make_files(folder);
  std::filesystem::path foreign = "/etc/passwd";
  if (::geteuid() == 0) {
    foreign = files[0];
    ASSERT_EQ(::chmod(foreign.c_str(), 0644), 0);
    if (!give_to_another_user(foreign)) {
      GTEST_SKIP() << "this system has one user only";
    }
  }
  constexpr int kNoNamespace = 100;
  const auto as_root_of_a_namespace = [](const std::filesystem::path& file) {
    const std::string map = "0 " + std::to_string(::geteuid()) + " 1";
    return in_another_process([&] {
      if (::unshare(CLONE_NEWUSER) != 0 || !(std::ofstream("/proc/self/uid_map") << map).flush()) {
        return kNoNamespace;
      }
      return ::geteuid() == 0 ? is_told_of(file) : -1;
    });
  };
  const int told = as_root_of_a_namespace(foreign);
  if (told == kNoNamespace) {
    GTEST_SKIP() << "this process gets no user namespace";
  }
  EXPECT_EQ(told, 0);
  EXPECT_EQ(as_root_of_a_namespace(files[1]), 1) << "its own";
}

}  // namespace
}  // namespace dlbench::data
