// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// File descriptors of the operating system: closing them, and reading and writing in full. The
// caller explains to the user what a failure means.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <span>
#include <utility>

namespace dlbench::core {

/// Owns a file descriptor and closes it in the destructor; a negative number means none.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() { static_cast<void>(close()); }

  [[nodiscard]] int get() const { return number_; }
  [[nodiscard]] bool is_open() const { return number_ >= 0; }

  /// Closes the descriptor and gives up ownership, also on failure; does nothing if there is none.
  /// Returns 0 or the errno: network file systems and quotas may report a full disk only here.
  /// Preserves errno.
  [[nodiscard]] int close();

 private:
  int number_ = -1;
};

/// ::write and ::read, or what a test substitutes for them.
using WriteCall = ssize_t (*)(int descriptor, const void* bytes, std::size_t count);
using ReadCall = ssize_t (*)(int descriptor, void* bytes, std::size_t count);

/// Writes all of `bytes`. Returns 0 or the errno of the first write that failed, ENOSPC for a write
/// that wrote nothing and gave no reason. Interrupted writes are retried.
[[nodiscard]] int write_all(int descriptor,
                            std::span<const std::byte> bytes,
                            WriteCall call = ::write);

struct ReadResult {
  std::size_t bytes = 0;  ///< fewer than asked for at the end of the file, or after an error
  int error = 0;          ///< errno of the read that failed
};

/// Reads until `buffer` is full or the file ends. Interrupted reads are retried.
[[nodiscard]] ReadResult read_all(int descriptor,
                                  std::span<std::byte> buffer,
                                  ReadCall call = ::read);

}  // namespace dlbench::core
