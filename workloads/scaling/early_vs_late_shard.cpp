// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Files split over the ranks before reading, or every rank decodes all and drops the others' share:
// what N ranks that each decode N times too much do to the loader.
#include "workloads/sweep.h"

namespace dlbench::workloads {
namespace {

const SweepRegistration kRegistration{{
    .name = "early-vs-late-shard",
    .description = "split the file list before reading, or after decoding",
    .citation = "NVIDIA TF2 workshop, Horovod with sharding early and late in tf.data",
    .workload = "resunetpp",
    .trials = {"io", "synthetic", "full"},
    .axes = {{"shard", {"early", "late"}}},
}};

}  // namespace
}  // namespace dlbench::workloads
