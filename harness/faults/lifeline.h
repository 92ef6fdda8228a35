// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// In which order the ranks of a node ended. A launcher that misses one rank kills the others within
// a millisecond; on a busy machine the kernel may then tell of the culprit's end last. What a
// process never does after its end is known to anybody is hold a file: each rank holds one end of a
// FIFO, and the order in which those are closed is the order of the ends.
#pragma once

#include <sys/types.h>

#include <string>

namespace dlbench::harness {

/// A rank's end.
class Lifeline {
 public:
  /// `maker`: of the board at which the rank has this seat. Without room for a FIFO in /dev/shm
  /// nothing is held, and the sentinel goes by the processes alone.
  Lifeline(pid_t maker, int seat);
  Lifeline(const Lifeline&) = delete;
  Lifeline& operator=(const Lifeline&) = delete;
  ~Lifeline();

 private:
  std::string path_;
  int file_ = -1;
};

/// The sentinel's end, once the rank holds its own; epoll tells EPOLLHUP when that is closed. -1 if
/// there is none. The FIFO has no name any more after that.
[[nodiscard]] int open_lifeline(pid_t maker, int seat);

}  // namespace dlbench::harness
