// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What files seldom do (a part of a write, an interruption, nothing at all) is faked.
#include "engine/core/file_descriptor.h"

#include "tests/temporary_folder.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace dlbench::core {
namespace {

using ::testing::IsEmpty;

constexpr int kFake = 12345;

/// What the next calls of a fake file return: bytes, or the negative of an errno.
struct FakeFile {
  std::deque<int> answers;
  std::string contents;  ///< written so far, or still to be read
};

FakeFile& file() {
  static FakeFile file;
  return file;
}

/// The answer, never more than `most`, which leaves errno as it is; or -1 with errno set.
ssize_t next_answer(std::size_t most) {
  if (file().answers.empty()) {
    ADD_FAILURE() << "one call too many";
    errno = EIO;
    return -1;
  }
  const int answer = file().answers.front();
  file().answers.pop_front();
  if (answer < 0) {
    errno = -answer;
    return -1;
  }
  return static_cast<ssize_t>(std::min(most, static_cast<std::size_t>(answer)));
}

ssize_t fake_write(int descriptor, const void* bytes, std::size_t count) {
  EXPECT_EQ(descriptor, kFake);
  const ssize_t written = next_answer(count);
  if (written > 0) {
    file().contents.append(static_cast<const char*>(bytes), static_cast<std::size_t>(written));
  }
  return written;
}

ssize_t fake_read(int descriptor, void* bytes, std::size_t count) {
  EXPECT_EQ(descriptor, kFake);
  const ssize_t got = next_answer(std::min(count, file().contents.size()));
  if (got > 0) {
    std::memcpy(bytes, file().contents.data(), static_cast<std::size_t>(got));
    file().contents.erase(0, static_cast<std::size_t>(got));
  }
  return got;
}

int write_text(std::string_view text, std::deque<int> answers) {
  file() = {.answers = std::move(answers), .contents = ""};
  return write_all(kFake, std::as_bytes(std::span(text)), fake_write);
}

struct ReadText {
  std::string text;
  int error = 0;
};

/// Of a buffer of ten bytes.
ReadText read_text(std::string_view contents, std::deque<int> answers) {
  file() = {.answers = std::move(answers), .contents = std::string(contents)};
  std::array<char, 10> buffer{};
  const ReadResult read = read_all(kFake, std::as_writable_bytes(std::span(buffer)), fake_read);
  EXPECT_THAT(file().answers, IsEmpty());
  return {std::string(buffer.data(), read.bytes), read.error};
}

bool is_open(int descriptor) { return ::fcntl(descriptor, F_GETFD) >= 0; }

int open_something() { return ::open("/dev/null", O_RDONLY | O_CLOEXEC); }

TEST(FileDescriptor, ClosesAtTheEndAndOnlyItsOwn) {
  int first = -1;
  int second = -1;
  {
    FileDescriptor owner(open_something());
    first = owner.get();
    ASSERT_TRUE(owner.is_open());
    FileDescriptor heir(std::move(owner));
    EXPECT_FALSE(owner.is_open());  // NOLINT(bugprone-use-after-move): what is tested
    EXPECT_EQ(heir.get(), first);
    FileDescriptor other(open_something());
    second = other.get();
    other = std::move(heir);
    EXPECT_FALSE(is_open(second)) << "what it had is closed";
    EXPECT_TRUE(is_open(first));
  }
  EXPECT_FALSE(is_open(first));
  EXPECT_FALSE(FileDescriptor().is_open());
}

TEST(FileDescriptor, ClosingSaysWhatFailedAndHappensOnce) {
  FileDescriptor file(open_something());
  const int number = file.get();
  errno = ENOENT;
  EXPECT_EQ(file.close(), 0);
  EXPECT_FALSE(is_open(number));
  EXPECT_EQ(file.close(), 0) << "none";
  FileDescriptor never_open(number);
  errno = ENOENT;
  EXPECT_EQ(never_open.close(), EBADF);
  EXPECT_EQ(errno, ENOENT) << "of what came before";
  EXPECT_FALSE(never_open.is_open());
}

TEST(WriteAll, WritesTheRestAfterAPartAndAgainAfterAnInterruption) {
  EXPECT_EQ(write_text("benchmark", {3, -EINTR, 1, 100}), 0);
  EXPECT_EQ(file().contents, "benchmark");
  EXPECT_THAT(file().answers, IsEmpty());
  EXPECT_EQ(write_text("", {}), 0);
}

TEST(WriteAll, StopsAtTheFirstError) {
  EXPECT_EQ(write_text("benchmark", {3, -EDQUOT, 100}), EDQUOT);
  EXPECT_EQ(file().contents, "ben");
}

TEST(WriteAll, AFileThatTakesNothingIsFullWhateverErrnoSays) {
  for (const int stale : {0, EINTR, EIO}) {
    errno = stale;
    EXPECT_EQ(write_text("benchmark", {3, 0, 100}), ENOSPC);
  }
}

TEST(ReadAll, ReadsTheRestAfterAPartAndAgainAfterAnInterruption) {
  const ReadText read = read_text("benchmarking", {3, -EINTR, 1, 100});
  EXPECT_EQ(read.text, "benchmarki") << "no more than there is room for";
  EXPECT_EQ(read.error, 0);
}

TEST(ReadAll, EndsWithTheFile) {
  errno = EINTR;
  const ReadText read = read_text("bench", {3, 100, 0});
  EXPECT_EQ(read.text, "bench");
  EXPECT_EQ(read.error, 0);
}

TEST(ReadAll, StopsAtTheFirstErrorAndSaysWhatCameBefore) {
  const ReadText read = read_text("bench", {3, -EIO});
  EXPECT_EQ(read.text, "ben");
  EXPECT_EQ(read.error, EIO);
}

TEST(ReadAll, GivesBackWhatWasWritten) {
  const tests::TemporaryFolder folder;
  const std::string name = folder.file("text");
  const std::string text(100'000, 'x');
  FileDescriptor out(::open(name.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  EXPECT_EQ(write_all(out.get(), std::as_bytes(std::span(text))), 0);
  EXPECT_EQ(out.close(), 0);
  std::string again(text.size() + 1, ' ');
  const FileDescriptor in(::open(name.c_str(), O_RDONLY | O_CLOEXEC));
  const ReadResult read = read_all(in.get(), std::as_writable_bytes(std::span(again)));
  EXPECT_EQ(read.error, 0);
  EXPECT_EQ(again.substr(0, read.bytes), text);
  EXPECT_EQ(read_all(-1, std::as_writable_bytes(std::span(again))).error, EBADF);
}

}  // namespace
}  // namespace dlbench::core
