// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Optimizer updates of the flat arenas. What changes from step to step is read from device memory,
// so that a captured step can be replayed.
#pragma once

#include "engine/backend/cuda/kernels/element.h"
#include "engine/backend/cuda/kernels/geometry.h"
#include "engine/backend/cuda/kernels/launch.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace dlbench::backend::cuda {

/// The ranges that one launch updates, and where their packs begin among all packs.
struct RangeTable {
  UpdateRange range[kMaxRanges];
  Index first_pack[kMaxRanges + 1];
  int count;
};

/// The rule of one step: computed in double by one thread of each block, used by all.
template <typename Rule>
struct StepRule {
  alignas(16) unsigned char rule[sizeof(Rule)];
  bool skip;
};

/// Updates packs of N elements.
template <typename Rule, int N>
struct UpdateRanges {
  static constexpr int kBlocks = 4;
  using Shared = StepRule<Rule>;
  graph::OptimizerAttributes attributes;
  const float* learning_rate;
  const double* coefficients;
  const float* found_inf;
  RangeTable table;

  DLBENCH_HOST_DEVICE void prepare(Shared& shared) const {
    const Rule rule(attributes, static_cast<double>(*learning_rate), coefficients);
    *reinterpret_cast<Rule*>(shared.rule) = rule;
    shared.skip = found_inf != nullptr && *found_inf != 0.0F;
  }

  DLBENCH_HOST_DEVICE void operator()(const Position& p, const Shared& shared) const {
    if (shared.skip) {
      return;
    }
    const Rule rule = *reinterpret_cast<const Rule*>(shared.rule);
    const Index step = Index{p.blocks} * p.threads;
    int index = 0;
    for (Index pack = Index{p.block} * p.threads + p.thread; pack < table.first_pack[table.count];
         pack += step) {
      while (pack >= table.first_pack[index + 1]) {
        ++index;
      }
      update(rule, table.range[index], (pack - table.first_pack[index]) * N);
    }
  }

 private:
  static constexpr bool kTwoStates = !std::is_same_v<Rule, SgdUpdate<float>>;

  DLBENCH_HOST_DEVICE void update(const Rule& rule, const UpdateRange& range, Index offset) const {
    const Index left = range.elements - offset;
    if (left >= N) {
      float gradient[N];
      float parameter[N];
      float first[N];
      float second[N] = {};
      load_pack(range.gradient + offset, gradient);
      load_pack(range.parameter + offset, parameter);
      load_pack(range.first_state + offset, first);
      if constexpr (kTwoStates) {
        load_pack(range.second_state + offset, second);
      }
      for (int lane = 0; lane < N; ++lane) {
        one(rule, gradient[lane], parameter[lane], first[lane], second[lane]);
      }
      store_pack(range.parameter + offset, parameter);
      store_pack(range.first_state + offset, first);
      if constexpr (kTwoStates) {
        store_pack(range.second_state + offset, second);
      }
    } else {
      for (Index i = offset; i < range.elements; ++i) {
        float second = kTwoStates ? range.second_state[i] : 0.0F;
        one(rule, range.gradient[i], range.parameter[i], range.first_state[i], second);
        if constexpr (kTwoStates) {
          range.second_state[i] = second;
        }
      }
    }
  }
  static DLBENCH_HOST_DEVICE void one(
      const Rule& rule, float gradient, float& parameter, float& first, float& second) {
    if constexpr (kTwoStates) {
      rule(gradient, parameter, first, second);
    } else {
      rule(gradient, parameter, first);
    }
  }
};

template <typename Rule, int N, typename Launcher>
void run_update(Launcher& launcher, const OptimizerArgs& args) {
  for (std::size_t begin = 0; begin < args.ranges.size(); begin += kMaxRanges) {
    UpdateRanges<Rule, N> body{
        args.attributes, args.learning_rate, args.coefficients, args.found_inf, {}};
    RangeTable& table = body.table;
    const std::size_t end = std::min(args.ranges.size(), begin + kMaxRanges);
    for (std::size_t index = begin; index < end; ++index) {
      const UpdateRange& range = args.ranges[index];
      table.range[table.count] = range;
      table.first_pack[table.count + 1] =
          table.first_pack[table.count] + ceil_divide<Index>(range.elements, N);
      ++table.count;
    }
    const Index blocks =
        std::min<Index>(ceil_divide<Index>(table.first_pack[table.count], kThreads),
                        launcher.template resident_blocks<UpdateRanges<Rule, N>>());
    if (blocks > 0) {
      launcher.map_shared(body, static_cast<std::uint32_t>(blocks), kThreads);
    }
  }
}

template <typename Rule, typename Launcher>
void run_rule(Launcher& launcher, const OptimizerArgs& args) {
  bool wide = true;
  for (const UpdateRange& range : args.ranges) {
    wide = wide && aligned(range.gradient, range.parameter, range.first_state, range.second_state);
  }
  wide ? run_update<Rule, 4>(launcher, args) : run_update<Rule, 1>(launcher, args);
}

template <typename Launcher>
void run_optimizer(Launcher& launcher, const OptimizerArgs& args) {
  with_update_rule<float>(args.op, [&]<typename Rule>() { run_rule<Rule>(launcher, args); });
}

/// The work of a single thread.
struct AdvanceStep {
  graph::OptimizerAttributes attributes;
  std::int64_t* step;
  double* coefficients;
  const float* found_inf;

  DLBENCH_HOST_DEVICE void operator()(Index /*item*/) const {
    if (found_inf != nullptr && *found_inf != 0.0F) {
      return;
    }
    ++*step;
    advance_coefficients(attributes, *step, coefficients);
  }
};

template <typename Launcher>
void run_optimizer_advance(Launcher& launcher,
                           const graph::OptimizerAttributes& attributes,
                           std::int64_t* step,
                           double* coefficients,
                           const float* found_inf) {
  for_each(launcher, 1, AdvanceStep{attributes, step, coefficients, found_inf});
}

}  // namespace dlbench::backend::cuda
