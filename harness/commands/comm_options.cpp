// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/comm_options.h"

#include "engine/comm/reduce.h"
#include "engine/core/error.h"
#include "engine/core/nearest_name.h"
#include "engine/core/split_list.h"
#include "harness/commands/option_limits.h"
#include "harness/commands/rank_list.h"
#include "reports/collective_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

namespace dlbench::harness {
namespace {

using comm::Collective;
using core::Error;
using core::ErrorCode;

constexpr std::array<Collective, 4> kCollectives = {Collective::kAllReduce,
                                                    Collective::kReduceScatter,
                                                    Collective::kAllGather,
                                                    Collective::kBroadcast};
constexpr std::array<core::Named<bool>, 2> kChecks{{{false, "0"}, {true, "1"}}};
constexpr std::int64_t kLargestBytes = std::int64_t{1} << 40;

}  // namespace

void add_comm_options(OptionSet& options, CommOptions& comm) {
  options.add_bytes("minbytes",
                    "smallest array; K, M, G and T are powers of 2^10",
                    comm.min_bytes,
                    {1, kLargestBytes});
  options.letter("b");
  options.add_bytes("maxbytes", "largest array", comm.max_bytes, {1, kLargestBytes});
  options.letter("e");
  options.add_number("stepfactor", "F", "ratio of successive sizes", comm.step_factor, 1.1, 1e6);
  options.letter("f");
  options.add_count("iters", "N", "timed calls per size", comm.calls, {1, 1'000'000});
  options.letter("n");
  options.add_count("warmup-iters", "N", "calls before them", comm.warmup, {0, 1'000'000});
  options.letter("w");
  options.add_choice("check", "compare the results with the exact ones", comm.check, kChecks);
  options.letter("c");
  options.add_text("collectives",
                   "LIST",
                   "of all_reduce, reduce_scatter, all_gather, broadcast",
                   comm.collectives);
  options.add_text("dtype", "NAME", "f32, f64, f16, bf16, i32 or i64", comm.dtype);
  options.letter("d");
  options.add_text("ranks", "LIST", "numbers of ranks, e.g. 2,4,8; default: all", comm.ranks);
  options.add_text(
      "device", "auto|cpu|cuda[:N]|ref", "whose memory the collectives move", comm.device);
  options.add_flag("share-gpu",
                   "several ranks may use one GPU: collectives go through host memory (taint: "
                   "oversubscribed)",
                   comm.share_gpu);
  options.add_choice("cuda-graph",
                     "record many calls and replay them, as a step does; auto: on GPUs",
                     comm.cuda_graph,
                     exec::kGraphReplays);
  options.add_text("link",
                   "SPEC",
                   "simulate a link, e.g. latency_us=10,gbit_per_s=100: taints the report",
                   comm.link);
  options.add_count("link-node-ranks",
                    "N",
                    "ranks of a node of the simulated link",
                    comm.link_node_ranks,
                    kLinkNodeRankLimits);
  options.add_text("output", "FILE", "report; - for stdout", comm.output);
  options.add_count("seed", "N", "of the simulated link's jitter", comm.seed, kSeedLimits);
  options.add_seconds("timeout", "S", "end with code 124 after this time", comm.timeout);
  options.add_flag("strict", "exit code 4 if the report has a taint", comm.strict);
}

std::vector<Collective> parse_collectives(const std::string& list) {
  std::vector<Collective> chosen;
  for (const std::string& part : core::split_list(list)) {
    const auto found = std::find_if(kCollectives.begin(), kCollectives.end(), [&](Collective op) {
      return comm::name(op) == part;
    });
    if (found == kCollectives.end()) {
      std::vector<std::string> names;
      names.reserve(kCollectives.size());
      for (const Collective op : kCollectives) {
        names.emplace_back(comm::name(op));
      }
      throw Error(ErrorCode::kUsage, core::unknown_name_message("collective", part, names));
    }
    if (std::find(chosen.begin(), chosen.end(), *found) == chosen.end()) {
      chosen.push_back(*found);
    }
  }
  if (chosen.empty()) {
    throw Error(ErrorCode::kUsage, "--collectives: the list is empty");
  }
  return chosen;
}

core::DType parse_reducible(const std::string& name) {
  std::vector<std::string_view> known;
  for (const core::DType dtype : comm::reducible_dtypes()) {
    if (core::name(dtype) == name) {
      return dtype;
    }
    known.push_back(core::name(dtype));
  }
  throw Error(
      ErrorCode::kUsage,
      fmt::format(
          "--dtype '{}' cannot be reduced; wanted one of {}", name, fmt::join(known, ", ")));
}

std::vector<int> parse_rank_counts(const std::string& list, int all) {
  return list.empty() ? std::vector{all} : parse_rank_list(list, all);
}

std::vector<std::size_t> element_counts(const CommOptions& comm) {
  if (comm.max_bytes < comm.min_bytes) {
    throw Error(ErrorCode::kUsage,
                "--maxbytes " + std::to_string(comm.max_bytes) + " is below --minbytes " +
                    std::to_string(comm.min_bytes));
  }
  return reports::element_counts({.min_bytes = static_cast<double>(comm.min_bytes),
                                  .max_bytes = static_cast<double>(comm.max_bytes),
                                  .step_factor = comm.step_factor},
                                 core::size_of(parse_reducible(comm.dtype)));
}

}  // namespace dlbench::harness
