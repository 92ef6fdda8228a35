// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Independent ranks with all-reduced gradients, against one rank that scatters inputs, broadcasts
// parameters and collects all gradients: why the second does not scale.
#include "workloads/sweep.h"

namespace dlbench::workloads {
namespace {

const SweepRegistration kRegistration{{
    .name = "ddp-vs-data-parallel",
    .description = "gradients all-reduced, or all work dealt out and collected by rank 0",
    .citation = "Li et al. 2020, VLDB 13(12), section 2; PyTorch's DataParallel and "
                "DistributedDataParallel",
    .workload = "mnist_cnn",
    .trials = {"synthetic", "synthetic/nocomm", "full"},
    .axes = {{"strategy", {"ddp", "data-parallel"}}},
}};

}  // namespace
}  // namespace dlbench::workloads
