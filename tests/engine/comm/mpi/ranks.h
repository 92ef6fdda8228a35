// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The launch that these tests run in: every rank runs every test, and a failure on any rank fails
// the program on all.
#pragma once

#include "engine/comm/rendezvous.h"

namespace dlbench::comm::mpi {

/// All ranks; made by main().
[[nodiscard]] Rendezvous& ranks();

}  // namespace dlbench::comm::mpi
