// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Ranks that are threads of one process, so that what several ranks agree on is tested without a
// launcher.
#pragma once

#include "engine/comm/rendezvous.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace dlbench::testing {

/// Runs `body` on `ranks` threads, each with its own member of one rendezvous, and rethrows the
/// exception of the lowest rank that ended with one after all have ended. Every thread must make
/// the same calls, or the test hangs until ctest's time-out.
void on_ranks(int ranks, const std::function<void(comm::Rendezvous&)>& body);
/// The same at these places, which share the memory of this process all the same.
void on_ranks(const std::vector<comm::RankPlace>& places,
              const std::function<void(comm::Rendezvous&)>& body);

}  // namespace dlbench::testing
