// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Ranks that read a data set each from a disk of its own.
#pragma once

#include "data/dataset.h"
#include "engine/comm/rendezvous.h"

#include <string>

namespace dlbench::harness {

/// Compares number and names of the samples of all ranks with rank 0's: with others a rank would
/// make other steps, or train twice on some samples. `what`: "split train"; `dataset`: nullptr
/// where there is none. Throws core::Error(kUnavailable) on all ranks that names the lowest rank
/// that differs. Collective.
void check_same_samples(comm::Rendezvous& ranks,
                        const data::Dataset* dataset,
                        const std::string& what);

}  // namespace dlbench::harness
