// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace dlbench::core {

/// The kernel's host name of this machine: one word without white space.
[[nodiscard]] std::string host_name();

/// The boot id of the running kernel: usually the same in all containers of a machine and different
/// in each virtual machine. Empty if the kernel does not report it.
[[nodiscard]] std::string boot_id();

/// The first word of the kernel's host name; "localhost" if there is none.
[[nodiscard]] std::string first_word_or_localhost(const std::string& kernel_name);

}  // namespace dlbench::core
