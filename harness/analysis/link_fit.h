// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Latency and bandwidth of the network from measured collectives: which of a few simple network
// models explains them, and with which parameters. engine/comm/link_model.h describes the load of a
// collective on a link.
#pragma once

#include "engine/comm/link_model.h"
#include "reports/interval.h"
#include "reports/scaling_record.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace dlbench::harness {

/// One measured collective: mean over its calls, see calls_of_the_slowest().
struct CollectiveTime {
  comm::Collective op = comm::Collective::kAllReduce;
  std::int64_t ranks = 0;  ///< >= 2
  double bytes = 0.0;      ///< on the wire: 16-bit gradients have half the bytes of f32 ones
  double time_s = 0.0;     ///< > 0
  double stddev_s = 0.0;   ///< of the calls; 0: unknown
};

/// How the ranks are joined.
enum class Medium : std::uint8_t {
  kSwitched,  ///< every rank (or node) has a link of its own: a ring's bytes cross them in parallel
  kShared,    ///< one medium carries the bytes of all ranks one after the other: memory of a node
};

/// t = overhead_s + messages * alpha_s + bytes * beta_s_per_byte, summed over two levels if
/// node_ranks > 0, with messages and bytes from comm::link_load. On a shared medium the bytes of
/// all ranks add up.
struct LinkParameters {
  Medium medium = Medium::kSwitched;
  std::int64_t node_ranks = 0;  ///< 0: one level
  double overhead_s = 0.0;      ///< of a collective, independent of size and ranks
  double alpha_s = 0.0;         ///< of a message, between nodes
  double beta_s_per_byte = 0.0;
  double inside_alpha_s = 0.0;  ///< within a node
  double inside_beta_s_per_byte = 0.0;
};

/// Returns the mean time of the collective with these parameters; 0 at one rank.
[[nodiscard]] double collective_s(const LinkParameters& link,
                                  comm::Collective op,
                                  double bytes,
                                  std::int64_t ranks);

struct LinkFit {
  LinkParameters link;
  std::optional<reports::Interval> overhead_s;
  std::optional<reports::Interval> alpha_s;
  std::optional<reports::Interval> beta_s_per_byte;
  std::optional<reports::Interval> inside_alpha_s;
  std::optional<reports::Interval> inside_beta_s_per_byte;
  std::int64_t n = 0;     ///< measurements
  std::int64_t free = 0;  ///< parameters above 0
  /// Residual standard error of (measured - fitted) / fitted: n - free in the denominator.
  double residual = 0.0;
  /// Akaike weight: the probability that this candidate predicts best; the weights sum to 1
  /// (Burnham and Anderson 2002, "Model selection and multimodel inference", section 2.9).
  double weight = 0.0;
};

/// Fits network models to measured collectives. Errors are relative to the fitted times, see
/// fit_relative(), so microseconds and seconds count alike. Candidates are one level, switched or
/// shared, and two levels with as many ranks per node as one of the measured sizes below the
/// largest. A level that no measured size crosses cannot be found.
class LinkFitter {
 public:
  /// `node_ranks`: ranks per node where the placement tells: 0 (one level), or 2 and more
  /// (checked); then no other number is tried.
  LinkFitter(std::vector<CollectiveTime> measured, std::optional<std::int64_t> node_ranks);
  ~LinkFitter();
  LinkFitter(LinkFitter&&) noexcept;
  LinkFitter& operator=(LinkFitter&&) noexcept;

  /// All candidates fitted to the measured times, most likely first.
  [[nodiscard]] const std::vector<LinkFit>& fits() const { return fits_; }
  /// Fits the kind of network of fits()[index] to other times of the same collectives.
  [[nodiscard]] LinkFit refit(std::size_t index, std::span<const double> time_s) const;

  [[nodiscard]] const std::vector<CollectiveTime>& measured() const { return measured_; }

 private:
  struct Candidate;
  std::vector<CollectiveTime> measured_;
  std::vector<Candidate> candidates_;  ///< in the order of fits_
  std::vector<LinkFit> fits_;
};

/// Fits t = alpha + beta * bytes for one collective at one number of ranks, with 95 % intervals, as
/// `dlbench comm` prints it; errors are relative as above. Nothing below 3 sizes, if all sizes are
/// equal, or if the clock measured no time.
[[nodiscard]] std::optional<reports::LinkRecord> fit_line(std::span<const double> bytes,
                                                          std::span<const double> time_s);

/// Converts the fit for the report; `source` says what was fitted.
[[nodiscard]] reports::LinkFitRecord link_fit_record(const LinkFit& fit, const char* source);

}  // namespace dlbench::harness
