// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// One process per device against one root that scatters inputs and gathers gradients each step.
#include "workloads/sweep.h"

namespace dlbench::workloads {
namespace {

const SweepRegistration kRegistration{{
    .name = "ddp-vs-data-parallel",
    .description = "gradients reduced by all ranks against everything through one root",
    .citation = "CSC Summer School in High-Performance Computing, DataParallel against "
                "DistributedDataParallel; Li et al. 2020, VLDB 13(12), section 2.2",
    .workload = "mnist_cnn",
    .rules = {BatchRule::kWeak, BatchRule::kStrong},
    .trials = {"synthetic", "full"},
    .axes = {{"strategy", {"ddp", "data-parallel"}}},
}};

}  // namespace
}  // namespace dlbench::workloads
