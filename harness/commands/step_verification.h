// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// `dlbench verify`: compares one training step of a workload on a backend with the same step on the
// reference backend, and dumps it for comparison with other frameworks. Does not parse options.
#pragma once

#include "engine/backend/lowering.h"
#include "workloads/workload.h"

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>

namespace dlbench::harness {

struct VerifyOptions {
  std::string workload;
  /// Zeros: the workload's sizes for verification, which are smaller than for training.
  workloads::WorkloadParams params;
  /// cpu, cuda, cuda:N or ref; for ref in fp32 only the update is compared.
  std::string backend = "cpu";
  int steps = 0;    ///< if above 1 the last step's update is compared too; 0: 2, on a GPU 4
  int threads = 0;  ///< 0: the cores this process may use
  std::uint64_t seed = 1;
  std::string precision = "fp32";  ///< fp32, tf32, bf16 or fp16
  backend::ConvAlgorithm conv_algorithm = backend::ConvAlgorithm::kDirect;
  std::optional<std::filesystem::path> data;  ///< data set folder; empty: a drawn batch
  std::optional<std::filesystem::path> init;  ///< safetensors: parameters and statistics
  std::optional<std::filesystem::path> dump;  ///< safetensors: the step as the backend did it
};

/// Runs the comparison and prints it to `out`. Returns the exit code: 0, or 3 if a tensor is
/// outside its tolerance. Writes the dump in both cases. Throws core::Error.
[[nodiscard]] int run_verify(const VerifyOptions& options, std::ostream& out);

}  // namespace dlbench::harness
