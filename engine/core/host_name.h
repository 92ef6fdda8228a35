// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace dlbench::core {

/// As the kernel calls this machine: one word without white space.
[[nodiscard]] std::string host_name();

/// Of the running kernel: as a rule the same in all containers of a machine and another one in each
/// virtual machine. Empty where the kernel does not say.
[[nodiscard]] std::string boot_id();

/// The first word of what the kernel says; "localhost" where there is none.
[[nodiscard]] std::string first_word_or_localhost(const std::string& kernel_name);

}  // namespace dlbench::core
