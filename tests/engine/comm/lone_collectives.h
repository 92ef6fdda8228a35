// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What the collectives of a single rank must do: end, and leave the data as it is. So a
// communicator between devices can be called where there is one device only.
#pragma once

#include "engine/backend/backend.h"
#include "engine/comm/communicator.h"

#include <string>

namespace dlbench::comm::testing {

/// Runs each collective in every dtype, in memory of the communicator and of the backend. Empty, or
/// the first one that changed its data.
[[nodiscard]] std::string changed_by_collectives(backend::Backend& backend,
                                                 Communicator& communicator);

/// Records a copy, an all-reduce of what was copied, and a copy of the result; launches that three
/// times with different data. Empty, or what is wrong.
[[nodiscard]] std::string changed_by_recorded_all_reduce(backend::Backend& backend,
                                                         Communicator& communicator);

}  // namespace dlbench::comm::testing
