// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/faults/lifeline.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace dlbench::harness {
namespace {

// Files of a process that ends are closed from the last descriptor down: this one comes before the
// launcher's.
constexpr int kHighDescriptor = 512;

std::string path_of(pid_t maker, int seat) {
  return fmt::format("/dev/shm/dlbench-lifeline-{}-{}", maker, seat);
}

}  // namespace

Lifeline::Lifeline(pid_t maker, int seat) : path_(path_of(maker, seat)) {
  unlink(path_.c_str());  // left over by an earlier process of this number
  if (mkfifo(path_.c_str(), 0600) != 0) {
    return;
  }
  // For reading too: so it opens at once, whether the sentinel has the other end or not.
  const int low = open(path_.c_str(), O_RDWR | O_CLOEXEC);
  file_ = fcntl(low, F_DUPFD_CLOEXEC, kHighDescriptor);
  if (file_ >= 0) {
    close(low);
  } else {
    file_ = low;
  }
}

Lifeline::~Lifeline() {
  unlink(path_.c_str());  // no sentinel may have taken it
  if (file_ >= 0) {
    close(file_);
  }
}

int open_lifeline(pid_t maker, int seat) {
  const std::string path = path_of(maker, seat);
  const int file = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  unlink(path.c_str());
  return file;
}

}  // namespace dlbench::harness
