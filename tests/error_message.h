// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What a call that must fail says.
#pragma once

#include "engine/core/error.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace dlbench::tests {

/// The message, expected to be one line, of the core::Error that `action` throws, expected to have
/// the code if one is given; "no error" if it throws none.
template <typename Action>
[[nodiscard]] std::string error_of(const Action& action,
                                   std::optional<core::ErrorCode> code = std::nullopt) {
  try {
    action();
  } catch (const core::Error& error) {
    EXPECT_EQ(error.code(), code.value_or(error.code())) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << "more than one line";
    return error.what();
  }
  return "no error";
}

/// The same of a usage error.
template <typename Action>
[[nodiscard]] std::string usage_error(const Action& action) {
  return error_of(action, core::ErrorCode::kUsage);
}

}  // namespace dlbench::tests
