// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The options of data-parallel training, one at a time against the defaults. The caps of 25 and 100
// MiB are the tutorials'; a model with 16 MB of gradients distinguishes only smaller ones.
#include "workloads/sweep.h"

namespace dlbench::workloads {
namespace {

const SweepRegistration kRegistration{{
    .name = "ddp-options",
    .description = "gradient buckets, compression, overlap and buffers, each against the defaults",
    .citation = "Li et al. 2020, VLDB 13(12), section 5.3; NERSC deep learning at scale tutorial, "
                "DistributedDataParallel options",
    .workload = "resunetpp",
    .trials = {"synthetic", "synthetic/nocomm"},
    .variants = {{"defaults", {}},
                 {"buffers-off", {{"broadcast-buffers", "off"}}},
                 {"bucket-4-mib", {{"bucket-cap-mib", "4"}}},
                 {"bucket-100-mib", {{"bucket-cap-mib", "100"}}},
                 {"bucket-100-mib, buffers-off",
                  {{"bucket-cap-mib", "100"}, {"broadcast-buffers", "off"}}},
                 {"bf16-gradients", {{"compression", "bf16"}}},
                 {"fp16-gradients", {{"compression", "fp16"}}},
                 {"no-overlap", {{"no-overlap", "true"}}},
                 {"no-overlap, bf16-gradients", {{"no-overlap", "true"}, {"compression", "bf16"}}}},
}};

}  // namespace
}  // namespace dlbench::workloads
