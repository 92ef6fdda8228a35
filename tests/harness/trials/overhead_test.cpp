// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/overhead.h"

#include <gtest/gtest.h>

namespace dlbench::harness {
namespace {

TEST(Overhead, IsTimed) {
  const auto backend = backend::create_backend("ref", {.threads = 1});
  RunGuard guard(std::nullopt);
  const double overhead_s = measure_harness_overhead(*backend, guard);
  EXPECT_GT(overhead_s, 5e-9) << "a clock read alone takes longer: the loop was not timed";
}

}  // namespace
}  // namespace dlbench::harness
