// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/file_descriptor.h"

#include <cerrno>

namespace dlbench::core {

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (this != &other) {
    static_cast<void>(close());
    number_ = std::exchange(other.number_, -1);
  }
  return *this;
}

int FileDescriptor::close() {
  if (!is_open()) {
    return 0;
  }
  const int before = errno;
  // No retry after EINTR: Linux has closed it, and another thread may have got the number since.
  const int error = ::close(std::exchange(number_, -1)) == 0 ? 0 : errno;
  errno = before;
  return error;
}

int write_all(int descriptor, std::span<const std::byte> bytes, WriteCall call) {
  while (!bytes.empty()) {
    const ssize_t written = call(descriptor, bytes.data(), bytes.size());
    if (written > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    } else if (written == 0) {  // sets no errno
      return ENOSPC;
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

ReadResult read_all(int descriptor, std::span<std::byte> buffer, ReadCall call) {
  ReadResult result;
  while (result.bytes < buffer.size()) {
    const std::span<std::byte> rest = buffer.subspan(result.bytes);
    const ssize_t got = call(descriptor, rest.data(), rest.size());
    if (got > 0) {
      result.bytes += static_cast<std::size_t>(got);
    } else if (got == 0) {
      break;
    } else if (errno != EINTR) {
      result.error = errno;
      break;
    }
  }
  return result;
}

}  // namespace dlbench::core
