// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What a measurement is made of: the choices that a SessionPlan opens and checks.
#pragma once

#include "data/dataset.h"
#include "data/loader/page_cache.h"
#include "data/loader/prefetch_loader.h"
#include "engine/comm/link_model.h"
#include "engine/graph/passes.h"
#include "harness/trials/open_device.h"

#include <cstdint>
#include <optional>
#include <string>

namespace dlbench::harness {

/// What to open, of one rank. Strings have the words of the options of the command line. Absent
/// values: the workload's or the machine's.
struct SessionOptions {
  std::string workload;
  std::string device = "auto";             ///< auto, cpu, cuda[:N]; ref: the oracle, by name only
  std::string precision = "fp32";          ///< fp32, tf32, bf16, fp16
  std::optional<std::int64_t> batch_size;  ///< per rank
  std::optional<std::int64_t> global_batch_size;  ///< over all ranks; excludes the former
  std::optional<std::int64_t> image_size;
  std::optional<std::int64_t> threads;
  std::optional<std::int64_t> workers;
  std::int64_t prefetch = 2;
  std::uint64_t seed = 1;
  bool deterministic = false;
  bool share_gpu = false;  ///< several ranks may have one GPU: gradients go through host memory
  std::string conv_algorithm = "auto";
  bool autotune = true;
  GpuPlace gpu;
  std::string cuda_graph =
      "auto";        ///< auto: where the device can; on: refused where it cannot; off
  std::string data;  ///< empty: the usual folder, else generated once
  data::Split split = data::Split::kTrain;
  data::DecodeMode decode = data::DecodeMode::kExact;
  data::StorageOptions storage;
  data::ShardMode shard = data::ShardMode::kEarly;
  bool skip_corrupt = false;
  graph::BucketOptions buckets;
  bool sync_loss = false;  ///< a loss that is a batch ratio is that of the global batch
  std::optional<comm::LinkModel> link;  ///< simulated, in front of the real one
  std::string compression = "none";     ///< none, bf16, fp16: gradients on the wire
  bool broadcast_buffers = true;  ///< rank 0's running statistics to all ranks before each step
  /// ddp: every rank loads, reduces and updates; data-parallel: rank 0 loads and updates for all.
  std::string strategy = "ddp";
};

}  // namespace dlbench::harness
