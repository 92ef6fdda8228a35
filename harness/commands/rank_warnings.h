// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Warnings of ranks other than 0, which print nothing themselves.
#pragma once

#include "engine/comm/rendezvous.h"

#include <string>
#include <vector>

namespace dlbench::harness {

/// Returns one text per warning that rank 0 does not have, with the ranks that gave it: "ranks 1,
/// 3: ...". Lists at most four ranks per warning and eight warnings, and counts the rest.
/// `by_rank`: the warnings of each rank, one per line.
[[nodiscard]] std::vector<std::string> warnings_of_others(const std::vector<std::string>& by_rank);

/// Lets rank 0 print the warnings that only other ranks had so far. Collective.
void tell_warnings_of_others(comm::Rendezvous& ranks);

}  // namespace dlbench::harness
