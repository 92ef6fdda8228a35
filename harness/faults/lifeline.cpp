// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/faults/lifeline.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

namespace dlbench::harness {
namespace {

// A process that ends closes its files from the last descriptor down: this one closes before the
// launcher's.
constexpr int kHighDescriptor = 512;

}  // namespace

Lifeline::Lifeline() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    return;
  }
  const auto [reading, writing] = ends;
  close(reading);
  file_ = fcntl(writing, F_DUPFD_CLOEXEC, kHighDescriptor);
  if (file_ >= 0) {
    close(writing);
  } else {
    file_ = writing;
  }
}

Lifeline::~Lifeline() {
  if (file_ >= 0) {
    close(file_);
  }
}

int open_lifeline(pid_t process, int file) {
  const int end =
      open(fmt::format("/proc/{}/fd/{}", process, file).c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  struct stat what {};
  if (end >= 0 && (fstat(end, &what) != 0 || !S_ISFIFO(what.st_mode))) {
    close(end);  // the process ended, and another one has its number
    return -1;
  }
  return end;
}

}  // namespace dlbench::harness
