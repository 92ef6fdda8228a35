// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What ranks other than 0, which print nothing, have to warn of.
#pragma once

#include "engine/comm/rendezvous.h"

#include <string>
#include <vector>

namespace dlbench::harness {

/// A text for each warning that is not among rank 0's, with the ranks that gave it: "ranks 1, 3:
/// ...", the first four of them and of the warnings the first eight, and how many more there are.
/// `by_rank`: the warnings of each rank, a line each.
[[nodiscard]] std::vector<std::string> warnings_of_others(const std::vector<std::string>& by_rank);

/// Rank 0 gives the warnings that others alone had so far. Collective.
void tell_warnings_of_others(comm::Rendezvous& ranks);

}  // namespace dlbench::harness
