// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/atomic_file.h"

#include "engine/core/error.h"
#include "tests/error_message.h"
#include "tests/temporary_folder.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>

namespace dlbench::core {
namespace {

using ::testing::HasSubstr;

/// A temporary folder that is removed at the end.
class AtomicFiles : public ::testing::Test {
 protected:
  [[nodiscard]] std::string in_folder(const char* name) const { return (folder_ / name).string(); }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), {}));
  }
  tests::TemporaryFolder temporary_;
  const std::filesystem::path& folder_ = temporary_.path();
};

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::string name_of(int descriptor) { return "/dev/fd/" + std::to_string(descriptor); }

std::string error_of(const std::string& path, std::string_view text) {
  return tests::error_of([&] { write_file_atomically(path, text); }, ErrorCode::kFile);
}

TEST_F(AtomicFiles, ReplacesAnOlderFile) {
  const std::string path = in_folder("report.json");
  write_file_atomically(path, "old and longer than the new text");
  write_file_atomically(path, "new");
  EXPECT_EQ(text_of(path), "new");
  EXPECT_EQ(files(), 1U);
}

TEST_F(AtomicFiles, FollowsASymbolicLink) {
  std::filesystem::create_symlink(in_folder("target.json"), in_folder("link.json"));
  write_file_atomically(in_folder("link.json"), "text");
  EXPECT_TRUE(std::filesystem::is_symlink(in_folder("link.json")));
  EXPECT_EQ(text_of(in_folder("target.json")), "text");
}

TEST_F(AtomicFiles, AMissingFolderIsNamed) {
  const std::string path = in_folder("nowhere/report.json");
  const std::string message = error_of(path, "text");
  EXPECT_THAT(message, HasSubstr(path));
  EXPECT_THAT(message, HasSubstr("No such file or directory"));
  EXPECT_THROW(check_writable(path), Error);
}

TEST_F(AtomicFiles, AFolderInPlaceOfTheFileIsNamed) {
  EXPECT_THAT(error_of(folder_.string(), "text"), HasSubstr("Is a directory"));
  EXPECT_THROW(check_writable(folder_.string()), Error);
}

TEST_F(AtomicFiles, AFullDeviceIsNamedAndNotReplaced) {
  EXPECT_THAT(error_of("/dev/full", "text"), HasSubstr("No space left on device"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST_F(AtomicFiles, AFullDiskLeavesTheOldFileAndNoTemporaryFile) {
  const std::string path = in_folder("report.json");
  write_file_atomically(path, "old");
  const std::string message = [&] {
    // A limit on the file size stands in for a full disk: the write fails half way.
    struct rlimit before {};
    EXPECT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    struct rlimit small = before;
    small.rlim_cur = 4096;
    const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    std::string text = error_of(path, std::string(100'000, 'x'));
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    std::signal(SIGXFSZ, old_handler);
    return text;
  }();
  EXPECT_THAT(message, HasSubstr("File too large"));
  EXPECT_EQ(text_of(path), "old");
  EXPECT_EQ(files(), 1U);
}

TEST_F(AtomicFiles, CheckWritableLeavesNothingBehind) {
  check_writable(in_folder("report.json"));
  EXPECT_EQ(files(), 0U);
}

TEST_F(AtomicFiles, ADescriptorThatCannotBeWrittenIsNoticedBefore) {
  const int only_read = ::open("/dev/null", O_RDONLY);
  EXPECT_THROW(check_writable(name_of(only_read)), Error);
  ::close(only_read);
  EXPECT_THROW(check_writable(name_of(only_read)), Error) << "it is closed";
  check_writable("-");
}

TEST_F(AtomicFiles, PartsLieOneBehindTheOther) {
  const std::array<std::string_view, 3> parts{"one", "", "two"};
  write_file_atomically(in_folder("file"), parts);
  EXPECT_EQ(text_of(in_folder("file")), "onetwo");
}

TEST_F(AtomicFiles, ALinkToItselfIsNotReplaced) {
  std::filesystem::create_symlink("loop", in_folder("loop"));
  EXPECT_THAT(error_of(in_folder("loop"), "x"), HasSubstr("symbolic links"));
  EXPECT_TRUE(std::filesystem::is_symlink(in_folder("loop")));
}

TEST_F(AtomicFiles, WithoutCommitTheOldFileStays) {
  const std::string path = in_folder("file");
  write_file_atomically(path, "old");
  {
    core::AtomicFile file(path);
    file.write("new");
    EXPECT_EQ(text_of(path), "old");
  }
  EXPECT_EQ(text_of(path), "old");
  EXPECT_EQ(files(), 1U);
  core::AtomicFile file(path);
  file.write("ne");
  file.write("wer");
  file.commit();
  EXPECT_EQ(text_of(path), "newer");
  EXPECT_EQ(files(), 1U);
}

TEST_F(AtomicFiles, OfTwoAtATimeTheLastToCommitStays) {
  const std::string path = in_folder("file");
  AtomicFile one(path);
  one.write("one");
  AtomicFile other(path);
  other.write("oth");
  one.write(" and all of it");
  one.commit();
  EXPECT_EQ(text_of(path), "one and all of it");
  other.write("er");
  other.commit();
  EXPECT_EQ(text_of(path), "other");
  EXPECT_EQ(files(), 1U);
}

TEST_F(AtomicFiles, AForkedProcessAndItsParentKeepApart) {
  const std::string path = in_folder("file");
  write_file_atomically(path, "old");
  const pid_t child = ::fork();
  if (child == 0) {
    write_file_atomically(path, "of the child");
    ::_exit(0);
  }
  AtomicFile file(path);
  file.write("of the parent");
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_EQ(text_of(path), "of the child");
  file.commit();
  EXPECT_EQ(text_of(path), "of the parent");
}

TEST_F(AtomicFiles, WhatAKilledProcessLeftIsRemovedByItsTokenAlone) {
  const std::string path = in_folder("file");
  write_file_atomically(path, "old");
  const std::uint64_t token = temporary_token();  // of this process and of its child
  const pid_t child = ::fork();
  if (child == 0) {
    AtomicFile file(path);
    file.write("half");
    ::raise(SIGKILL);
  }
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_EQ(files(), 2U);
  remove_temporaries(path, token + 1);
  EXPECT_EQ(files(), 2U) << "it may be written by another process";
  remove_temporaries(in_folder("fil"), token);
  EXPECT_EQ(files(), 2U) << "it is of another file";
  remove_temporaries(path, token);
  EXPECT_EQ(files(), 1U);
  EXPECT_EQ(text_of(path), "old");
}

TEST_F(AtomicFiles, ADescriptorsNameIsWrittenBehindWhatIsThere) {
  const std::string path = in_folder("file");
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_EQ(::write(descriptor, "old ", 4), 4);
  EXPECT_TRUE(is_stream(name_of(descriptor)));
  check_writable(name_of(descriptor));
  write_file_atomically(name_of(descriptor), "new");
  write_file_atomically("/proc/self/fd/" + std::to_string(descriptor), " newer");
  ASSERT_EQ(::write(descriptor, ".", 1), 1);
  ::close(descriptor);
  EXPECT_EQ(text_of(path), "old new newer.");
  EXPECT_EQ(files(), 1U);
}

TEST_F(AtomicFiles, StandardOutputHasSeveralNames) {
  for (const char* name : {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}) {
    EXPECT_TRUE(is_standard_output(name)) << name;
    EXPECT_TRUE(is_stream(name)) << name;
    EXPECT_TRUE(is_same_file("-", name)) << name;
  }
  for (const char* name : {"/dev/stderr", "/dev/null", "stdout", "/dev/fd/x"}) {
    EXPECT_FALSE(is_standard_output(name)) << name;
  }
  EXPECT_FALSE(is_same_file("/dev/null", "-"));
  EXPECT_FALSE(is_same_file("-", "/dev/null"));
  EXPECT_FALSE(is_stream(in_folder("file")));
  EXPECT_FALSE(is_stream(folder_.string()));
}

TEST_F(AtomicFiles, APipeThatSomebodyReadsGetsTheText) {
  const std::string path = in_folder("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::string read;
  std::jthread reader([&] { read = text_of(path); });
  write_file_atomically(path, "text");
  reader.join();
  EXPECT_EQ(read, "text");
  EXPECT_TRUE(std::filesystem::is_fifo(path));
}

TEST_F(AtomicFiles, APipeThatNobodyReadsIsNamed) {
  const std::string path = in_folder("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_THAT(error_of(path, "text"), HasSubstr("nobody reads this pipe"));
}

}  // namespace
}  // namespace dlbench::core
