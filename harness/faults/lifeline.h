// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// In which order the ranks of a node ended. A launcher that misses one rank kills the others within
// a millisecond; on a busy machine the kernel may then tell of the culprit's end last. What a
// process never does after its end is known to anybody is hold a file: each rank holds one end of a
// pipe, and the order in which those are closed is the order of the ends. The sentinel, no child of
// theirs, opens its end through /proc: a pipe has no name that anything could leave behind.
#pragma once

#include <sys/types.h>

namespace dlbench::harness {

/// A rank's end.
class Lifeline {
 public:
  /// Without descriptors to spare nothing is held, and the sentinel goes by the processes alone.
  Lifeline();
  Lifeline(const Lifeline&) = delete;
  Lifeline& operator=(const Lifeline&) = delete;
  ~Lifeline();

  /// The descriptor, by which the sentinel finds it; -1 if nothing is held.
  [[nodiscard]] int file() const { return file_; }

 private:
  int file_ = -1;
};

/// The sentinel's end of the lifeline that `process` holds as its descriptor `file`; epoll tells
/// EPOLLHUP when that is closed. -1 if there is none.
[[nodiscard]] int open_lifeline(pid_t process, int file);

}  // namespace dlbench::harness
