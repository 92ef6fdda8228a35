// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The environment variables of this process.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

namespace dlbench::core {

/// All environment variables, name -> value. No other thread may set one meanwhile.
[[nodiscard]] std::map<std::string, std::string> environment();

/// The value of one variable; nullopt if it is not set. No other thread may set one meanwhile.
[[nodiscard]] std::optional<std::string> environment_variable(const std::string& name);

/// A replacement for environment_variable(). Code that reads variables takes one as an argument, so
/// that tests can supply their own.
using EnvironmentLookup = std::function<std::optional<std::string>(const std::string& name)>;

}  // namespace dlbench::core
