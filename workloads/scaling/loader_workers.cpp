// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Loader threads per rank: how many keep the step busy, and when ranks and workers need more cores
// than there are.
#include "workloads/sweep.h"

namespace dlbench::workloads {
namespace {

const SweepRegistration kRegistration{{
    .name = "loader-workers",
    .description = "1 to 8 loader threads per rank",
    .citation =
        "USC CARC Running Deep Learning Applications, 1 to 8 workers; NERSC deep learning at "
        "scale tutorial, 2 to 16 workers",
    .workload = "resunetpp",
    .trials = {"io", "synthetic", "synthetic/nocomm", "full"},
    .axes = {{"workers", {"1", "2", "4", "8"}}},
}};

}  // namespace
}  // namespace dlbench::workloads
