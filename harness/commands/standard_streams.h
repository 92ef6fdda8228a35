// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What a command line program owes its standard input, output and error.
#pragma once

#include "engine/core/error.h"

#include <optional>

namespace dlbench::harness {

/// Where the shell closed one of the three (">&-"), the next file that is opened would take its
/// place and get what is printed. What stands there instead cannot be written: that is an error, as
/// it was.
void fill_closed_descriptors();

/// Who started dlbench may have left O_NONBLOCK on a pipe or terminal that it shares: a read of
/// what is not there yet, and a write that a slow reader has no room for, would then fail. They
/// wait.
void block_on_standard_streams();

/// A write that fails is an error for whoever writes, not the end of the process: a closed pipe and
/// the limit of `ulimit -f` included.
void keep_failed_writes_alive();

/// What a command printed must have arrived, and a full disk behind ">" shows only here: an Error
/// (kFile) if it has not. Behind a closed pipe nobody wants more of it ("| head -1"), which is no
/// failure.
[[nodiscard]] std::optional<core::Error> lost_results();

/// `code`, or that of lost_results(), which it prints: whatever the verdict is, who reads it has
/// not all of it.
[[nodiscard]] int deliver_results(int code);

/// Waits, for a second at most, until the launcher has read what this rank wrote there: MPICH's
/// drops what is in the pipe when a rank aborts.
void await_reader(int descriptor);

}  // namespace dlbench::harness
