// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Checks ranks that each read a data set from a disk of their own.
#pragma once

#include "data/dataset.h"
#include "engine/comm/rendezvous.h"

#include <string>

namespace dlbench::harness {

/// Compares number and names of the samples of all ranks with rank 0's: a rank with others would
/// make other steps, or train twice on some samples. `what`: "split train"; `dataset`: nullptr if
/// there is none. Throws core::Error(kUnavailable) on all ranks; it names the lowest rank that
/// differs. Collective.
void check_same_samples(comm::Rendezvous& ranks,
                        const data::Dataset* dataset,
                        const std::string& what);

}  // namespace dlbench::harness
