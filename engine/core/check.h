// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// DLBENCH_CHECK: an invariant that only a bug in dlbench can break. Active in every build type.
// Never used on user input: that throws core::Error.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

namespace dlbench::core {

/// A broken invariant. main() prints it with a request to report it.
class CheckFailure : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

namespace detail {

/// Collects the message of one failed check and throws when the full expression ends.
class CheckMessage {
 public:
  CheckMessage(const char* condition, const char* file, int line) {
    stream_ << file << ':' << line << ": check failed: " << condition << ' ';
  }
  CheckMessage(const CheckMessage&) = delete;
  CheckMessage& operator=(const CheckMessage&) = delete;
  // NOLINTNEXTLINE(bugprone-exception-escape): throwing is its purpose.
  [[noreturn]] ~CheckMessage() noexcept(false) { throw CheckFailure(stream_.str()); }

  template <typename T>
  CheckMessage& operator<<(const T& value) {
    stream_ << value;
    return *this;
  }

 private:
  std::ostringstream stream_;
};

}  // namespace detail
}  // namespace dlbench::core

/// DLBENCH_CHECK(offset < size) << "offset " << offset;
#define DLBENCH_CHECK(condition) \
  if (condition) [[likely]] {    \
  } else                         \
    ::dlbench::core::detail::CheckMessage(#condition, __FILE__, __LINE__)
