// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What a call on a wrong command line says.
#pragma once

#include "engine/core/error.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace dlbench::harness {

/// The message of the usage error that `call` must end with: one line.
inline std::string usage_error(const std::function<void()>& call) {
  try {
    call();
  } catch (const core::Error& error) {
    EXPECT_EQ(error.code(), core::ErrorCode::kUsage) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << "one line";
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

}  // namespace dlbench::harness
