// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Weak and strong scaling of all trials: throughput, efficiency and what communication costs.
#include "workloads/sweep.h"

namespace dlbench::workloads {
namespace {

const SweepRegistration kRegistration{{
    .name = "weak-strong",
    .description = "all trials at every number of ranks, batch per rank and global batch fixed",
    .citation = "Gustafson 1988, CACM 31(5); Amdahl 1967; NERSC deep learning at scale tutorial, "
                "weak scaling section",
    .workload = "mnist_cnn",
    .rules = {BatchRule::kWeak, BatchRule::kStrong},
    .trials = {"io", "synthetic", "synthetic/nocomm", "full"},
}};

}  // namespace
}  // namespace dlbench::workloads
