// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/child_process.h"

#include "engine/core/error.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

namespace dlbench::harness {
namespace {

using core::Error;
using core::ErrorCode;

[[noreturn]] void fail(const char* call) {
  throw Error(ErrorCode::kLibrary, std::string(call) + ": " + core::errno_text(errno));
}

/// Owns a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  [[nodiscard]] int number() const { return number_; }
  void close() {
    if (number_ >= 0) {
      ::close(std::exchange(number_, -1));
    }
  }

 private:
  int number_;
};

/// The whole input in a file without a name: a pipe could fill up, or break, before the child
/// reads.
Descriptor input_file(const std::string& text) {
  Descriptor file(::memfd_create("dlbench-input", MFD_CLOEXEC));
  if (file.number() < 0) {
    fail("memfd_create");
  }
  for (std::size_t written = 0; written < text.size();) {
    const ssize_t count = ::write(file.number(), text.data() + written, text.size() - written);
    if (count < 0) {
      fail("write");
    }
    written += static_cast<std::size_t>(count);
  }
  if (::lseek(file.number(), 0, SEEK_SET) != 0) {
    fail("lseek");
  }
  return file;
}

/// posix_spawn's list of what to do with descriptors in the child.
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

/// posix_spawn's attributes: the child dies of a closed pipe as usual, which dlbench does not.
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

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer{};
  while (true) {
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count < 0 && errno != EINTR) {
      fail("read");
    }
    if (count == 0) {
      return text;
    }
    if (count > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(count));
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
  std::optional<Descriptor> input;
  if (options.input.has_value()) {
    input.emplace(input_file(*options.input));
    actions.duplicate(input->number(), STDIN_FILENO);
  }
  std::array<int, 2> ends{-1, -1};
  if (options.capture_output && ::pipe2(ends.data(), O_CLOEXEC) != 0) {
    fail("pipe2");
  }
  Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
  if (options.capture_output) {
    actions.duplicate(writing.number(), STDOUT_FILENO);
  }
  pid_t child = 0;
  const SpawnAttributes attributes;
  const int error = ::posix_spawnp(
      &child, pointers.front(), actions.get(), attributes.get(), pointers.data(), ::environ);
  if (error != 0) {
    return ChildResult{.start_error = error};
  }
  writing.close();
  ChildResult result;
  if (options.capture_output) {
    result.output = read_all(reading.number());
  }
  result.code = wait_for(child);
  return result;
}

}  // namespace dlbench::harness
