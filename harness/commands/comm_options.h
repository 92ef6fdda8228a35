// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The options of `dlbench comm`: where nccl-tests has them too, with the same letters.
#pragma once

#include "engine/comm/link_model.h"
#include "engine/core/dtype.h"
#include "engine/exec/executor.h"
#include "harness/commands/option_set.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::harness {

/// Values as given; the help texts in comm_options.cpp explain meanings and defaults.
struct CommOptions {
  std::int64_t min_bytes = 1024;
  std::int64_t max_bytes = std::int64_t{64} << 20;
  double step_factor = 4.0;
  std::int64_t calls = 20;
  std::int64_t warmup = 5;
  bool check = true;
  std::string collectives = "all_reduce,reduce_scatter,all_gather,broadcast";
  std::string dtype = "f32";
  std::string ranks;
  std::string device = "auto";
  std::string link;
  std::optional<std::int64_t> link_node_ranks;
  std::string output = "comm.json";
  std::int64_t seed = 1;
  std::optional<double> timeout;
  bool strict = false;
  bool share_gpu = false;
  exec::GraphReplay cuda_graph = exec::GraphReplay::kAuto;
};

void add_comm_options(OptionSet& options, CommOptions& comm);

// All of these throw core::Error(kUsage) for invalid values.

[[nodiscard]] std::vector<comm::Collective> parse_collectives(const std::string& list);
/// Returns a type that can be reduced.
[[nodiscard]] core::DType parse_reducible(const std::string& name);
/// Returns numbers of ranks, ascending, each once; just `all` if the list is empty.
[[nodiscard]] std::vector<int> parse_rank_counts(const std::string& list, int all);
/// Returns the number of elements of each size from min to max bytes, each once; at least one.
[[nodiscard]] std::vector<std::size_t> element_counts(const CommOptions& comm);

}  // namespace dlbench::harness
