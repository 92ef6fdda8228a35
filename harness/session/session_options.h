// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The choices that define a measurement; a SessionPlan opens and checks them.
#pragma once

#include "data/dataset.h"
#include "data/loader/page_cache.h"
#include "data/loader/prefetch_loader.h"
#include "engine/backend/lowering.h"
#include "engine/comm/link_model.h"
#include "engine/core/dtype.h"
#include "engine/core/named.h"
#include "engine/exec/executor.h"
#include "engine/graph/passes.h"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace dlbench::harness {

/// kDdp: every rank loads, reduces and updates; kDataParallel: rank 0 loads and updates for all.
enum class Strategy : std::uint8_t { kDdp, kDataParallel };
inline constexpr std::array<core::Named<Strategy>, 2> kStrategies{
    {{Strategy::kDdp, "ddp"}, {Strategy::kDataParallel, "data-parallel"}}};

/// The type of gradients on the wire: bf16 or f16; nothing: unchanged.
using GradientCompression = std::optional<core::DType>;
inline constexpr std::array<core::Named<GradientCompression>, 3> kGradientCompressions{
    {{std::nullopt, "none"}, {core::DType::kBF16, "bf16"}, {core::DType::kF16, "fp16"}}};

/// What one rank opens. Strings have the values of command line options. Absent values default to
/// the workload's or the machine's.
struct SessionOptions {
  std::string workload;
  std::string device = "auto";             ///< auto, cpu, cuda[:N]; ref: the oracle, by name only
  std::string precision = "fp32";          ///< fp32, tf32, bf16, fp16
  std::optional<std::int64_t> batch_size;  ///< per rank
  std::optional<std::int64_t> global_batch_size;  ///< over all ranks; excludes the former
  std::optional<std::int64_t> image_size;
  std::optional<std::int64_t> threads;
  std::optional<std::int64_t> workers;
  /// Hardware threads of this rank: without `workers` it gets one worker per thread, as far as
  /// there is work for all at once; absent: all that the process may use.
  std::optional<std::int64_t> own_cpus;
  std::int64_t prefetch = 2;
  std::uint64_t seed = 1;
  bool deterministic = false;
  bool share_gpu = false;  ///< several ranks may have one GPU: gradients go through host memory
  backend::ConvAlgorithm conv_algorithm = backend::ConvAlgorithm::kAuto;
  bool autotune = true;
  double tune_until_s = std::numeric_limits<double>::infinity();  ///< see backend::LoweringOptions
  std::string gpu_address;  ///< PCI, of the GPU that this rank was placed at; empty: none
  exec::GraphReplay cuda_graph = exec::GraphReplay::kAuto;  ///< kOn: refused where it cannot be
  std::string data;  ///< empty: the usual folder, else generated once
  /// The largest global batch of all sessions that share generated data; 0: this session's.
  std::int64_t largest_global_batch = 0;
  data::DecodeMode decode = data::DecodeMode::kExact;
  data::StorageOptions storage;
  data::ShardMode shard = data::ShardMode::kEarly;
  bool skip_corrupt = false;
  graph::BucketOptions buckets;
  bool sync_loss = false;               ///< a batch-ratio loss is computed over the global batch
  std::optional<comm::LinkModel> link;  ///< simulated on top of the real one
  GradientCompression compression;
  bool broadcast_buffers = true;  ///< rank 0's running statistics to all ranks before each step
  Strategy strategy = Strategy::kDdp;
};

}  // namespace dlbench::harness
