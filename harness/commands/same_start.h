// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Ranks that are to work together must have been started alike.
#pragma once

#include "engine/comm/rendezvous.h"
#include "harness/commands/option_set.h"

#include <string>

namespace dlbench::harness {

/// Compares build, command and options of all ranks with rank 0's. Files and folders may have other
/// names, for nodes have their own disks, but are given to all ranks or to none. Throws
/// core::Error(kUnavailable) on all ranks that names the lowest rank that differs, with both
/// values. Collective.
void check_same_start(comm::Rendezvous& ranks,
                      const std::string& command,
                      const OptionSet& options);

}  // namespace dlbench::harness
