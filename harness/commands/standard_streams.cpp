// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/standard_streams.h"

#include "engine/core/log.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <string>
#include <thread>

namespace dlbench::harness {

void fill_closed_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) < 0 && errno == EBADF) {
      const int other_way = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY;
      static_cast<void>(::open("/dev/null", other_way));  // NOLINT: takes the lowest number, this
    }
  }
}

void block_on_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    const int flags = ::fcntl(descriptor, F_GETFL);
    if (flags >= 0 && (flags & O_NONBLOCK) != 0) {
      static_cast<void>(::fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK));  // the write will tell
    }
  }
}

void keep_failed_writes_alive() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

bool standard_output_is_open() {
  const int flags = ::fcntl(STDOUT_FILENO, F_GETFL);
  return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
}

std::optional<core::Error> lost_results() {
  errno = 0;
  const bool lost = std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
  struct stat facts {};
  const bool pipe = fstat(STDOUT_FILENO, &facts) == 0 && !S_ISREG(facts.st_mode) &&
                    !S_ISCHR(facts.st_mode) && !S_ISBLK(facts.st_mode);
  if (!lost || pipe) {
    return std::nullopt;
  }
  return core::Error(core::ErrorCode::kFile,
                     "cannot write the standard output" +
                         (errno == 0 ? "" : ": " + core::errno_text(errno)) +
                         "; the results on it are not complete");
}

int deliver_results(int code) {
  const std::optional<core::Error> lost = lost_results();
  if (!lost.has_value()) {
    return code;
  }
  core::log::error(lost->what());
  return core::exit_code(lost->code());
}

void await_reader(int descriptor) {
  struct stat facts {};
  if (fstat(descriptor, &facts) != 0 || !S_ISFIFO(facts.st_mode)) {
    return;
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  int unread = 0;
  while (ioctl(descriptor, FIONREAD, &unread) == 0 && unread > 0 &&
         std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

}  // namespace dlbench::harness
