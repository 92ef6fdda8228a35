// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Splitting files over the ranks before reading, against every rank decoding everything and
// dropping the others' share: what decoding N times too much on N ranks does to the loader.
#include "workloads/sweep.h"

namespace dlbench::workloads {
namespace {

const SweepRegistration kRegistration{{
    .name = "early-vs-late-shard",
    .description = "split the file list before reading, or after decoding",
    .citation = "NVIDIA TF2 workshop, Horovod with sharding early and late in tf.data",
    .workload = "resunetpp",
    .trials = {"io", "synthetic", "synthetic/nocomm", "full"},
    .axes = {{"shard", {"early", "late"}}},
}};

}  // namespace
}  // namespace dlbench::workloads
