// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What a command line program must ensure about its standard input, output and error.
#pragma once

#include "engine/core/error.h"

#include <optional>

namespace dlbench::harness {

/// Opens /dev/null for each standard stream that the shell closed (">&-"); otherwise the next file
/// that is opened would take its place and receive what is printed. Using the stream remains an
/// error: /dev/null is opened for the opposite direction.
void fill_closed_descriptors();

/// Clears O_NONBLOCK, which the parent may have left on a shared pipe or terminal: reads of data
/// that has not arrived and writes to a slow reader would fail instead of waiting.
void block_on_standard_streams();

/// Makes a failed write an error for the writer instead of the end of the process, also for a
/// closed pipe and the limit of `ulimit -f`.
void keep_failed_writes_alive();

/// Whether what is printed to stdout can arrive anywhere: not where the shell closed it, nor where
/// it is open for reading alone.
[[nodiscard]] bool standard_output_is_open();

/// Flushes stdout and returns an Error (kFile) if output was lost: a full disk behind ">" shows
/// only here. A closed pipe ("| head -1") is not a failure: its reader wants no more.
[[nodiscard]] std::optional<core::Error> lost_results();

/// Returns `code`, or prints and returns that of lost_results(): without the complete output no
/// verdict counts.
[[nodiscard]] int deliver_results(int code);

/// Waits, for a second at most, until the launcher has read what this rank wrote to the pipe:
/// MPICH's launcher drops the unread part when a rank aborts.
void await_reader(int descriptor);

}  // namespace dlbench::harness
