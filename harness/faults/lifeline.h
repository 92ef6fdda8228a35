// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds the order in which a node's ranks ended. A launcher that misses one rank kills the others
// within a millisecond; on a busy machine the kernel may report the culprit's end last. But a
// process seen to have ended holds no file: each rank holds one end of a pipe, and these close in
// the order of the ends. The sentinel, no child of theirs, opens its end via /proc: an unnamed pipe
// leaves nothing behind.
#pragma once

#include <sys/types.h>

namespace dlbench::harness {

/// A rank's end of the pipe.
class Lifeline {
 public:
  /// Without spare descriptors holds nothing; the sentinel then relies on the processes alone.
  Lifeline();
  Lifeline(const Lifeline&) = delete;
  Lifeline& operator=(const Lifeline&) = delete;
  ~Lifeline();

  /// Returns the descriptor, by which the sentinel finds the pipe; -1 if nothing is held.
  [[nodiscard]] int file() const { return file_; }

 private:
  int file_ = -1;
};

/// Opens the sentinel's end of the lifeline that `process` holds as descriptor `file`; epoll
/// reports EPOLLHUP when the rank's end closes. Returns -1 if there is none.
[[nodiscard]] int open_lifeline(pid_t process, int file);

}  // namespace dlbench::harness
