// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// How what stands in for a library says no: inside by an exception, to its caller by a status and a
// line on stderr.
#pragma once

#include <cstdio>
#include <stdexcept>
#include <string>

namespace dlbench::fake {

template <typename Status>
class Refusal : public std::runtime_error {
 public:
  Refusal(Status status, const std::string& why) : std::runtime_error(why), status_(status) {}
  [[nodiscard]] Status status() const { return status_; }

 private:
  Status status_;
};

inline void print_refusal(const char* function, const char* why) {
  std::fprintf(stderr, "fake %s: %s\n", function, why);
}

}  // namespace dlbench::fake
