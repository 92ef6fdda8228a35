// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Checks that ranks which work together were started alike.
#pragma once

#include "engine/comm/rendezvous.h"
#include "harness/commands/option_set.h"

#include <string>

namespace dlbench::harness {

/// Compares build, command and options of all ranks with rank 0's. Files and folders may have
/// different names, because nodes have their own disks, but must be given to all ranks or to none.
/// Throws core::Error(kUnavailable) on all ranks; it names the lowest rank that differs and both
/// values. Collective.
void check_same_start(comm::Rendezvous& ranks,
                      const std::string& command,
                      const OptionSet& options);

}  // namespace dlbench::harness
