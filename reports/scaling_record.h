// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Conclusions over several numbers of ranks: scaling and its projection, and the collectives that
// explain it. docs/scaling.md explains each number; harness/analysis computes them.
#pragma once

#include "reports/analysis_record.h"
#include "reports/trial_record.h"
#include "reports/value.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dlbench::reports {

/// An estimate with its 95 % interval.
struct EstimateRecord {
  double mean = 0.0;
  std::optional<IntervalRecord> ci95;

  friend bool operator==(const EstimateRecord&, const EstimateRecord&) = default;
};

/// One trial at one number of ranks.
struct ScalingTrialRecord {
  std::string trial;         ///< as arm_name() returns it: io, synthetic, synthetic/nocomm, full
  std::int64_t steps = 0;    ///< over the repetitions that count
  std::int64_t samples = 0;  ///< real samples in these steps, over all ranks
  std::optional<RateSummary> samples_per_second;  ///< over all ranks; null: no repetition counts
  std::optional<StepTimeRecord> step_time_s;      ///< of the slowest rank of each step
  std::optional<EstimateRecord> efficiency;       ///< (X_N / N) / (X_b / b) of this trial
  std::optional<EstimateRecord> speedup;          ///< X_N / X_b of this trial
};

/// Where a step spends its communication by the communicators' clocks: seconds per step, mean over
/// ranks. The last four sum to exposed_communication_s.
struct StepCollectivesRecord {
  EstimateRecord all_reduce_s;          ///< transfer of its all-reduces, from the last arrival on
  EstimateRecord exposed_all_reduce_s;  ///< the part in which the step was blocked
  EstimateRecord waiting_s;             ///< the step was blocked until the last rank arrived
  EstimateRecord other_collectives_s;   ///< transfer of broadcasts and other blocking collectives
  EstimateRecord contention_s;          ///< what communication adds without blocking
};

/// One number of ranks. Seconds are per step of the synthetic trial unless noted; a difference of
/// two measurements may be negative within its noise and is left so.
struct ScalingPointRecord {
  std::int64_t ranks = 0;
  std::int64_t batch_size_per_rank = 0;         ///< the largest of local_batch_sizes
  std::int64_t global_batch_size = 0;           ///< their sum
  std::vector<std::int64_t> local_batch_sizes;  ///< by rank
  /// The trial whose samples_per_second, step_time_s, efficiency and speedup are repeated here: see
  /// headline_trial() in headline.h.
  std::string headline;
  std::vector<ScalingTrialRecord> trials;
  std::optional<RateSummary> samples_per_second;
  std::optional<StepTimeRecord> step_time_s;
  std::optional<EstimateRecord> efficiency;
  std::optional<EstimateRecord> speedup;

  std::optional<double> nocomm_s;  ///< mean over ranks of the step without communication
  /// The cost of communication: step - nocomm_s = waiting_s + transfer_s.
  std::optional<double> exposed_communication_s;
  std::optional<IntervalRecord> exposed_communication_ci95;
  std::optional<double> waiting_s;  ///< for late ranks: slowest rank of a step - mean, nocomm
  std::optional<IntervalRecord> waiting_ci95;
  std::optional<double> transfer_s;
  std::optional<IntervalRecord> transfer_ci95;
  std::optional<double> all_reduce_s;  ///< the step's all-reduces alone, with nothing beside them
  std::optional<IntervalRecord> all_reduce_ci95;
  std::optional<StepCollectivesRecord> in_step;  ///< null: the communicator has no clocks
  /// Hidden share of the all-reduces: 1 - in_step.exposed_all_reduce_s / in_step.all_reduce_s.
  std::optional<double> overlap;
  std::optional<IntervalRecord> overlap_ci95;
  /// Error of rank 0's gradients in one more step due to --compression; null: not compressed.
  std::optional<double> compression_relative_error;
  std::optional<std::int64_t> slowest_rank;  ///< late in more steps of nocomm than any other
  std::optional<std::string> slowest_host;
  std::optional<double> slowest_share;  ///< of the steps, in which it was the last
  /// Share of the time of all steps that the others waited for it; null: as for slowest_rank, or an
  /// older report.
  std::optional<double> slowest_lost_share;
  std::optional<AttributionRecord> attribution;
  /// Reasons for missing values: key -> reason. A key also covers its intervals and derived values:
  /// nocomm_s all from it to transfer_ci95, in_step also overlap, slowest_rank also host and
  /// shares.
  std::optional<std::map<std::string, std::string>> missing;
};

/// Latency and inverse bandwidth of one level of the network.
struct LinkRecord {
  double alpha_s = 0.0;  ///< per message
  std::optional<IntervalRecord> alpha_s_ci95;
  double beta_s_per_byte = 0.0;
  std::optional<IntervalRecord> beta_s_per_byte_ci95;
  /// Residual standard error relative to fitted times; null: a level of a network, which has its
  /// own.
  std::optional<double> residual;
};

/// Hockney's link model fitted to all-reduces: see harness/analysis/link_fit.h.
struct LinkFitRecord {
  std::string medium;       ///< switched: links in parallel; shared: one carries the bytes of all
  double overhead_s = 0.0;  ///< of a collective, independent of size and ranks
  std::optional<IntervalRecord> overhead_s_ci95;
  double alpha_s = 0.0;  ///< of the only level, or of the one between nodes
  std::optional<IntervalRecord> alpha_s_ci95;
  double beta_s_per_byte = 0.0;
  std::optional<IntervalRecord> beta_s_per_byte_ci95;
  std::optional<std::int64_t> node_ranks;  ///< ranks of a node; null: one level
  std::optional<LinkRecord> inside;        ///< within a node; null: one level
  std::int64_t n = 0;                      ///< measurements
  double residual = 0.0;                   ///< residual standard error relative to fitted times
  std::string source;                      ///< what was fitted: "collectives" or "steps"
};

/// Limit of LinkFitRecord::residual: a worse fit explains too little for a projection.
inline constexpr double kLargestResidual = 0.25;

/// Largest ratio of a projection band's ends: a wider band is not informative.
inline constexpr double kWidestBand = 10.0;

/// The projection to a number of ranks that was not measured. Intervals are 95 % bands.
struct ProjectionRecord {
  std::int64_t ranks = 0;
  std::int64_t global_batch_size = 0;
  double samples_per_second = 0.0;
  std::optional<IntervalRecord> ci95;
  EstimateRecord step_time_s;
  EstimateRecord efficiency;  ///< against the measured baseline
  double exposed_communication_s = 0.0;
  double waiting_s = 0.0;            ///< for the slowest of that many ranks
  std::string limit;                 ///< compute, communication or straggler: the largest; or input
  std::optional<std::string> doubt;  ///< why it is unreliable; null: nothing known
};

/// The largest measured size, predicted from the smaller ones.
struct LeaveLargestOutRecord {
  std::int64_t ranks = 0;
  std::vector<std::int64_t> from_ranks;
  double measured_step_time_s = 0.0;
  EstimateRecord predicted_step_time_s;
  double relative_error = 0.0;  ///< predicted / measured - 1
  bool inside_band = false;
  std::optional<std::string> doubt;  ///< as ProjectionRecord has it; null: nothing known
};

/// One bucket cap: the modelled step, and the measured one if --sweep-buckets ran it.
struct BucketCapRecord {
  double bucket_cap_mib = 0.0;
  std::int64_t buckets = 0;
  std::optional<double> modelled_step_time_s;
  std::optional<EstimateRecord> measured_step_time_s;
};

/// Bucket caps at one number of ranks, by ascending cap.
struct BucketSweepRecord {
  std::int64_t ranks = 0;
  std::vector<BucketCapRecord> caps;
  std::optional<double> best_modelled_mib;
  std::optional<double> best_measured_mib;
};

/// One series of points: one mode, in a sweep also one variant.
struct ScalingRecord {
  std::string mode;     ///< weak or strong
  std::string sweep;    ///< name of the sweep; empty: none
  std::string variant;  ///< of the sweep, e.g. bucket-cap-mib=100; empty: none
  ValueMap options;     ///< what the variant sets: option -> value
  std::int64_t baseline_ranks = 1;
  std::vector<ScalingPointRecord> points;  ///< by ascending ranks
  std::optional<LinkFitRecord> fit;        ///< null: not fitted
  std::vector<ProjectionRecord> projection;
  std::optional<LeaveLargestOutRecord> leave_largest_out;
  std::optional<BucketSweepRecord> buckets;
};

/// Statistics of the calls' times on the rank that was slowest in their round.
struct CollectiveTimeRecord {
  double median = 0.0;
  double p95 = 0.0;
  std::optional<double> mean;  ///< what nccl-tests print
  std::optional<double> min;
  std::optional<double> max;
  std::optional<std::int64_t> n;  ///< calls
};

/// One collective at one size, as `dlbench comm` measures it.
struct CollectiveRecord {
  std::string op;          ///< all_reduce, reduce_scatter, all_gather or broadcast
  std::int64_t bytes = 0;  ///< of the larger buffer, as nccl-tests count
  std::int64_t ranks = 0;
  std::string dtype;                  ///< e.g. f32; empty: unknown
  std::string transport;              ///< e.g. shared_window, mpi, nccl; with "simulated" where so
  std::optional<std::string> device;  ///< of rank 0, where the data lie; null: an older report
  bool in_place = false;
  /// Recorded with the neighbouring calls and launched together (a CUDA graph), so that it includes
  /// no host time; null: an older report.
  std::optional<bool> replayed;
  CollectiveTimeRecord time_s;
  /// bytes / time_s.median, in 10^9 bytes per second. Null at one rank, where nothing travels.
  std::optional<double> algbw_gb_per_s;
  std::optional<double> busbw_gb_per_s;  ///< algbw times bus_factor() of bus_factor.h
  /// Wrong elements over all ranks; null: not checked.
  std::optional<std::int64_t> wrong;
  /// time = alpha_s + beta_s_per_byte * bytes over all sizes with the same op, ranks, transport and
  /// place, whose records all have the same fit. Null: too few sizes.
  std::optional<LinkRecord> fit;
};

}  // namespace dlbench::reports
