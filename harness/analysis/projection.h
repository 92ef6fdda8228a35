// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What more ranks would bring: the step of N ranks from the measured steps of fewer, the times at
// which gradients become ready, and a network fitted to measured collectives. docs/scaling.md
// describes the model, its limits and its accuracy.
#pragma once

#include "harness/analysis/link_fit.h"
#include "harness/analysis/scaling.h"
#include "harness/analysis/step_model.h"
#include "reports/scaling_record.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace dlbench::harness {

struct ProjectionInput {
  /// The measured series: synthetic (with step times of every rank) at every size and
  /// synthetic/nocomm at every size above 1; full where it ran, and io wherever full did.
  ScalingInput series;
  /// Ranks -> the step without communication of rank 0, which has the largest batch, for every
  /// size. Only its proportions matter: it is scaled to the measured step times.
  std::map<std::int64_t, StepTimeline> timelines;
  ReductionModel reduction;
  /// Bytes of each broadcast of rank 0's running statistics that ranks await before their step.
  std::vector<double> broadcast_bytes;
  /// All-reduces measured alone, at the measured sizes above 1, for several numbers of bytes around
  /// those of the buckets.
  std::vector<CollectiveTime> collectives;
  std::optional<std::int64_t> node_ranks;  ///< if known, see LinkFitter
  /// Ranks of the only node, if no collective between nodes was measured; nothing otherwise. A
  /// projection to more ranks then carries a doubt.
  std::optional<std::int64_t> only_node_ranks;
  /// Ranks -> compute threads per core where above 1 (ranks that share cores take turns). Sizes not
  /// listed have 1.
  std::map<std::int64_t, double> load;
  bool shared_gpu = false;  ///< measured ranks shared a GPU
  bool disturbed = false;   ///< others used processors or GPUs while all-reduces were measured
  bool dealt_out = false;   ///< ranks do not fill one node after the other, as the model assumes
  std::uint64_t seed = 1;   ///< of the bootstrap
};

/// Projects one series. The model of a step of N ranks with local batches b:
///   compute   the nocomm step of the largest measured size, times f(b) / f(b there) with f linear
///             in b, fitted over the sizes, times the load
///   timeline  when gradients are ready and the backward pass ends: each a line in b, through the
///             measured timelines. Where all sizes have one b: in the proportions of the largest
///             size
///   slowest   the slowest of N draws from the measured step times, relative to those usual for the
///             batch, times the share of that waiting which the measured sizes show. Where batches
///             are uneven, the larger ones are as much slower as f says
///   transfer  buckets all-reduced one after the other, each when its last gradient is ready on the
///             slowest rank, with the fitted network and its jitter; what ends after the backward
///             pass is exposed, and so are the broadcasts before the step
///   input     not faster than the loader: the measured seconds per local sample of io
/// and times the mean ratio of measured and modelled steps of the measured sizes above 1.
///
/// The band is the 2.5 to 97.5 % range of a parametric bootstrap with a fixed seed: the network is
/// refitted to collectives with fresh errors (which may select another kind of network), measured
/// times vary by their standard errors and with them the lines in b, the timelines vary by the
/// residuals of their lines, and the measurement to compare the projection with has an error too.
class Projector {
 public:
  /// Throws core::Error(kData) without a collective, with fewer than 2 sizes, or if a size lacks a
  /// trial, its step times or its timeline; the message says what is missing.
  explicit Projector(ProjectionInput input);
  ~Projector();
  Projector(Projector&&) noexcept;
  Projector& operator=(Projector&&) noexcept;

  [[nodiscard]] const LinkFit& link() const;

  /// Projects the step to `ranks` (>= 1, checked); `load` as in ProjectionInput. Weak series keep
  /// the local batch of the largest size, strong ones the global batch of the series. The record
  /// has a doubt if the network is unknown for so many ranks or was fitted badly, or if all
  /// measured sizes have one local batch and this one differs.
  [[nodiscard]] reports::ProjectionRecord project(std::int64_t ranks, double load = 1.0) const;

  /// Models the steps of the synthetic trial, which has no loader, with `caps_mib` (ascending) at
  /// `ranks`, and picks the best. Has no measured steps: the caller adds them and sets
  /// best_measured_mib.
  [[nodiscard]] reports::BucketSweepRecord bucket_sweep(std::int64_t ranks,
                                                        std::span<const double> caps_mib) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Sizes that leave_largest_out() needs: one more than a projection.
inline constexpr std::size_t kMinSizes = 3;

/// Predicts the headline step time of the largest size from the smaller ones, without anything
/// measured with that many ranks. Nothing with fewer than kMinSizes. Throws as Projector does.
[[nodiscard]] std::optional<reports::LeaveLargestOutRecord> leave_largest_out(
    const ProjectionInput& input);

}  // namespace dlbench::harness
