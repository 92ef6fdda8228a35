// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The name of the host's processor.
#pragma once

#include <string>
#include <string_view>

namespace dlbench::core {

/// The name of the first processor in the text of /proc/cpuinfo: "AMD EPYC 9R14". Arm cores are
/// listed there by number; known numbers give the name that lscpu uses ("Neoverse-V2"), others
/// "Arm core 0x41/0xd08". Empty if the text has neither.
[[nodiscard]] std::string processor_name(std::string_view cpuinfo);

/// The processor name of this machine; "unknown processor" if the kernel does not report it.
[[nodiscard]] std::string host_processor_name();

}  // namespace dlbench::core
