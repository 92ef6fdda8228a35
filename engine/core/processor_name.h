// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What the host's processor calls itself.
#pragma once

#include <string>
#include <string_view>

namespace dlbench::core {

/// From the text of /proc/cpuinfo, the name of the first processor: "AMD EPYC 9R14". Arm's cores
/// have numbers there, whose names Linux's lscpu has too: "Neoverse-V2", or "Arm core 0x41/0xd08"
/// of one that is not known here. Empty where the kernel does not say.
[[nodiscard]] std::string processor_name(std::string_view cpuinfo);

/// That of this machine, "unknown processor" if the kernel does not say.
[[nodiscard]] std::string host_processor_name();

}  // namespace dlbench::core
