// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Open files of the operating system: closing them, and reading and writing all of what was asked
// for. What a failure means to the user is the caller's to say.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <span>
#include <utility>

namespace dlbench::core {

/// Owns a file descriptor, which is closed at the end; a negative number is none.
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

  /// Returns 0 or the errno: network file systems and quotas may report a full disk only here. It
  /// is no more owned in either case; of none it does nothing. Leaves errno as it was.
  [[nodiscard]] int close();

 private:
  int number_ = -1;
};

/// ::write and ::read, or what a test has in their place.
using WriteCall = ssize_t (*)(int descriptor, const void* bytes, std::size_t count);
using ReadCall = ssize_t (*)(int descriptor, void* bytes, std::size_t count);

/// Writes until all is written. Returns 0 or the errno of the first write that failed, ENOSPC for
/// one that took nothing and gave no reason. An interrupted write is made again.
[[nodiscard]] int write_all(int descriptor,
                            std::span<const std::byte> bytes,
                            WriteCall call = ::write);

struct ReadResult {
  std::size_t bytes = 0;  ///< fewer than asked for at the end of the file, or after an error
  int error = 0;          ///< errno of the read that failed
};

/// Reads until `buffer` is full or the file ends. An interrupted read is made again.
[[nodiscard]] ReadResult read_all(int descriptor,
                                  std::span<std::byte> buffer,
                                  ReadCall call = ::read);

}  // namespace dlbench::core
