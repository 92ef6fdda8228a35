// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/child_process.h"

#include "engine/core/error.h"
#include "engine/core/file_descriptor.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <span>

namespace dlbench::harness {
namespace {

using core::Error;
using core::ErrorCode;
using core::FileDescriptor;

[[noreturn]] void fail(const char* call, int error = errno) {
  throw Error(ErrorCode::kLibrary, std::string(call) + ": " + core::errno_text(error));
}

/// Returns a nameless file with the whole input: a pipe could fill up, or break, before the child
/// reads it.
FileDescriptor input_file(const std::string& text) {
  FileDescriptor file(::memfd_create("dlbench-input", MFD_CLOEXEC));
  if (!file.is_open()) {
    fail("memfd_create");
  }
  if (const int error = core::write_all(file.get(), std::as_bytes(std::span(text))); error != 0) {
    fail("write", error);
  }
  if (::lseek(file.get(), 0, SEEK_SET) != 0) {
    fail("lseek");
  }
  return file;
}

/// posix_spawn's list of operations on the child's descriptors.
class FileActions {
 public:
  FileActions() { ::posix_spawn_file_actions_init(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  ~FileActions() { ::posix_spawn_file_actions_destroy(&actions_); }
  void duplicate(int from, int to) { ::posix_spawn_file_actions_adddup2(&actions_, from, to); }
  [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

/// posix_spawn's attributes: unlike dlbench, the child dies of a closed pipe as usual.
class SpawnAttributes {
 public:
  SpawnAttributes() {
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGXFSZ);
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawnattr_setsigdefault(&attributes_, &defaults);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF);
  }
  SpawnAttributes(const SpawnAttributes&) = delete;
  SpawnAttributes& operator=(const SpawnAttributes&) = delete;
  ~SpawnAttributes() { ::posix_spawnattr_destroy(&attributes_); }
  [[nodiscard]] const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

std::string read_text(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer{};
  while (true) {
    const core::ReadResult read =
        core::read_all(descriptor, std::as_writable_bytes(std::span(buffer)));
    if (read.error != 0) {
      fail("read", read.error);
    }
    text.append(buffer.data(), read.bytes);
    if (read.bytes < buffer.size()) {
      return text;
    }
  }
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) {
      fail("waitpid");
    }
  }
  constexpr int kSignalBase = 128;
  return WIFEXITED(status) ? WEXITSTATUS(status) : kSignalBase + WTERMSIG(status);
}

}  // namespace

ChildResult run_child(std::vector<std::string> arguments, const ChildOptions& options) {
  std::vector<char*> pointers;
  pointers.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) {
    pointers.push_back(argument.data());
  }
  pointers.push_back(nullptr);
  FileActions actions;
  std::optional<FileDescriptor> input;
  if (options.input.has_value()) {
    input.emplace(input_file(*options.input));
    actions.duplicate(input->get(), STDIN_FILENO);
  }
  std::array<int, 2> ends{-1, -1};
  if (options.capture_output && ::pipe2(ends.data(), O_CLOEXEC) != 0) {
    fail("pipe2");
  }
  FileDescriptor reading(ends[0]);
  FileDescriptor writing(ends[1]);
  if (options.capture_output) {
    actions.duplicate(writing.get(), STDOUT_FILENO);
  }
  pid_t child = 0;
  const SpawnAttributes attributes;
  const int error = ::posix_spawnp(
      &child, pointers.front(), actions.get(), attributes.get(), pointers.data(), ::environ);
  if (error != 0) {
    return ChildResult{.start_error = error};
  }
  static_cast<void>(writing.close());
  ChildResult result;
  if (options.capture_output) {
    result.output = read_text(reading.get());
  }
  result.code = wait_for(child);
  return result;
}

}  // namespace dlbench::harness
