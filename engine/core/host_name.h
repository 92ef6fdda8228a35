// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace dlbench::core {

/// As the kernel calls this machine: one word without white space.
[[nodiscard]] std::string host_name();

/// The first word of what the kernel says; "localhost" where there is none.
/// Of the running kernel: the same in all containers of a machine, another one in each virtual
/// machine. Empty where the kernel does not say.
[[nodiscard]] std::string boot_id();

[[nodiscard]] std::string first_word_or_localhost(const std::string& kernel_name);

}  // namespace dlbench::core
