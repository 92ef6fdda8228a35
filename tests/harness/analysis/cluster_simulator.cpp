// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/harness/analysis/cluster_simulator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace dlbench::harness {
namespace {

constexpr int kRounds = 5;
constexpr int kSteps = 20;
constexpr int kCalls = 20;
constexpr std::int64_t kLocalBatch = 8;
constexpr double kMebibyte = 1048576.0;

using Random = std::mt19937_64;

double uniform(Random& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

double log_uniform(Random& random, double low, double high) {
  return std::exp(uniform(random, std::log(low), std::log(high)));
}

double lognormal(Random& random, double sigma) {
  return sigma > 0.0 ? std::lognormal_distribution<double>(0.0, sigma)(random) : 1.0;
}

double exponential(Random& random, double mean) {
  return mean > 0.0 ? std::exponential_distribution<double>(1.0 / mean)(random) : 0.0;
}

/// The clocks of the ranks of one job.
struct Job {
  const Cluster& cluster;
  Random& random;
  std::vector<double> speed;        ///< by rank: its lasting slowness
  std::vector<std::int64_t> batch;  ///< by rank
  std::vector<double> clock;

  Job(const Cluster& of, std::int64_t ranks, Random& generator) : cluster(of), random(generator) {
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      speed.push_back(lognormal(random, of.rank_spread));
      const std::int64_t more = rank < of.global_batch % ranks ? 1 : 0;
      batch.push_back(of.global_batch == 0 ? kLocalBatch : of.global_batch / ranks + more);
    }
  }
  /// Of forward and backward pass of this rank, against those of kLocalBatch.
  [[nodiscard]] double work(std::size_t rank) const {
    const double samples = static_cast<double>(batch[rank]) / static_cast<double>(kLocalBatch);
    return cluster.unscaled + (1.0 - cluster.unscaled) * samples;
  }
  [[nodiscard]] double step_factor(std::size_t rank, double machine) const {
    return machine * speed[rank] * lognormal(random, cluster.rank_noise);
  }
  [[nodiscard]] double collective_s(double bytes) const {
    return ring_all_reduce_s(cluster, bytes, static_cast<std::int64_t>(speed.size())) +
           exponential(random, cluster.jitter_s);
  }
};

/// From rank to rank, in pieces that follow each other closely.
double broadcast_s(const Cluster& cluster, std::int64_t ranks) {
  return cluster.overhead_s + static_cast<double>(ranks - 1) * cluster.latency_s +
         cluster.broadcast_bytes / cluster.bytes_per_s;
}

/// Steps that reduce gradients; times by rank, then by step.
std::vector<std::vector<double>> training_steps(Job& job, double machine) {
  const Cluster& cluster = job.cluster;
  const std::size_t ranks = job.speed.size();
  const double slowed = ranks > 1 ? machine * (1.0 + cluster.contention) : machine;
  std::vector<std::vector<double>> times(ranks);
  job.clock.assign(ranks, 0.0);
  for (int step = 0; step < kSteps; ++step) {
    std::vector<double> factor(ranks);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      factor[rank] = job.step_factor(rank, slowed);
    }
    std::vector<double> begin_s = job.clock;
    if (ranks > 1 && cluster.broadcast_bytes > 0.0) {
      const double all_met_s = *std::max_element(begin_s.begin(), begin_s.end());
      begin_s.assign(ranks, all_met_s + broadcast_s(cluster, static_cast<std::int64_t>(ranks)));
    }
    double link_free_s = 0.0;
    for (const std::vector<std::size_t>& bucket : cluster.buckets) {
      double bytes = 0.0;
      double ready_s = 0.0;
      for (const std::size_t tensor : bucket) {
        bytes += static_cast<double>(cluster.gradients[tensor].bytes);
        ready_s = std::max(ready_s, cluster.gradients[tensor].ready_s);
      }
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        link_free_s =
            std::max(link_free_s, begin_s[rank] + factor[rank] * job.work(rank) * ready_s);
      }
      link_free_s += ranks > 1 ? job.collective_s(bytes) : 0.0;
    }
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const double backward_s =
          begin_s[rank] + factor[rank] * job.work(rank) * (cluster.forward_s + cluster.backward_s);
      const double end_s =
          std::max(backward_s, ranks > 1 ? link_free_s : 0.0) + factor[rank] * cluster.optimizer_s;
      times[rank].push_back(end_s - job.clock[rank]);
      job.clock[rank] = end_s;
    }
  }
  return times;
}

std::vector<std::vector<double>> lonely_steps(Job& job, double machine) {
  std::vector<std::vector<double>> times(job.speed.size());
  for (std::size_t rank = 0; rank < times.size(); ++rank) {
    const double step_s =
        job.work(rank) * (job.cluster.forward_s + job.cluster.backward_s) + job.cluster.optimizer_s;
    for (int step = 0; step < kSteps; ++step) {
      times[rank].push_back(step_s * job.step_factor(rank, machine));
    }
  }
  return times;
}

ScalingRound round_of(int number, const Job& job, std::vector<std::vector<double>> times) {
  ScalingRound round;
  round.round = number;
  round.steps = kSteps;
  round.samples = kSteps * std::accumulate(job.batch.begin(), job.batch.end(), std::int64_t{0});
  double longest_s = 0.0;
  for (const std::vector<double>& rank : times) {
    longest_s = std::max(longest_s, std::accumulate(rank.begin(), rank.end(), 0.0));
  }
  round.samples_per_second = static_cast<double>(round.samples) / longest_s;
  round.step_wall_s = std::move(times);
  return round;
}

ScalingSize measure_size(const Cluster& cluster, std::int64_t ranks, Random& random) {
  ScalingSize size;
  ScalingArm synthetic{"synthetic", {}};
  ScalingArm nocomm{"synthetic/nocomm", {}};
  Job job(cluster, ranks, random);
  size.local_batch_sizes = job.batch;
  for (int round = 0; round < kRounds; ++round) {
    synthetic.rounds.push_back(
        round_of(round, job, training_steps(job, lognormal(random, cluster.drift))));
    if (ranks > 1) {
      nocomm.rounds.push_back(
          round_of(round, job, lonely_steps(job, lognormal(random, cluster.drift))));
    }
  }
  size.arms = {std::move(synthetic), std::move(nocomm)};
  return size;
}

/// The step of rank 0, piece by piece: up to each gradient, to the end of the backward pass, the
/// optimizer.
StepTimeline timeline_of(const Job& job) {
  const Cluster& cluster = job.cluster;
  const auto piece_s = [&](double exact_s) {
    double fastest = INFINITY;
    for (int run = 0; run < 3; ++run) {
      fastest = std::min(fastest, lognormal(job.random, cluster.timeline_noise));
    }
    return exact_s * (cluster.timeline_noise > 0.0 ? fastest : 1.0);
  };
  StepTimeline timeline{.gradients = cluster.gradients};
  std::vector<std::size_t> order(cluster.gradients.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&cluster](std::size_t left, std::size_t right) {
    return cluster.gradients[left].ready_s < cluster.gradients[right].ready_s;
  });
  double exact_s = 0.0;
  double now_s = 0.0;
  for (const std::size_t gradient : order) {
    now_s += piece_s((cluster.gradients[gradient].ready_s - exact_s) * job.work(0));
    exact_s = cluster.gradients[gradient].ready_s;
    timeline.gradients[gradient].ready_s = now_s;
  }
  timeline.backward_end_s =
      now_s + piece_s((cluster.forward_s + cluster.backward_s - exact_s) * job.work(0));
  timeline.step_s = timeline.backward_end_s + piece_s(cluster.optimizer_s);
  return timeline;
}

void add_collectives(const Cluster& cluster,
                     std::int64_t ranks,
                     Random& random,
                     std::vector<CollectiveTime>& collectives) {
  const Job job(cluster, ranks, random);
  for (double bytes = 4096.0; bytes <= 256.0 * kMebibyte; bytes *= 8.0) {
    double sum = 0.0;
    double squares = 0.0;
    for (int call = 0; call < kCalls; ++call) {
      const double time_s = job.collective_s(bytes) * lognormal(random, 0.01);
      sum += time_s;
      squares += time_s * time_s;
    }
    const double mean = sum / kCalls;
    const double variance = (squares / kCalls - mean * mean) * kCalls / (kCalls - 1.0);
    collectives.push_back(
        {comm::Collective::kAllReduce, ranks, bytes, mean, std::sqrt(std::max(variance, 0.0))});
  }
}

/// Tensors of very different sizes; a small one is often a bias beside its large one.
void add_gradients(Cluster& cluster, Random& random) {
  const int tensors = std::uniform_int_distribution<int>(8, 60)(random);
  std::vector<double> weight;
  for (int tensor = 0; tensor < tensors; ++tensor) {
    weight.push_back(log_uniform(random, 1e-3, 1.0));
  }
  const double total = std::accumulate(weight.begin(), weight.end(), 0.0);
  const double bytes = log_uniform(random, 4.0, 400.0) * kMebibyte;
  for (int tensor = 0; tensor < tensors; ++tensor) {
    // Registered first, complete last.
    const double ready_s =
        cluster.forward_s + cluster.backward_s * static_cast<double>(tensors - tensor) / tensors;
    cluster.gradients.push_back(
        {static_cast<std::int64_t>(bytes * weight[static_cast<std::size_t>(tensor)] / total),
         ready_s});
  }
  std::vector<std::size_t> open;
  double open_bytes = 0.0;
  for (std::size_t tensor = cluster.gradients.size(); tensor-- > 0;) {
    open.push_back(tensor);
    open_bytes += static_cast<double>(cluster.gradients[tensor].bytes);
    if (open_bytes >= (cluster.buckets.empty() ? 1.0 : 25.0) * kMebibyte || tensor == 0) {
      cluster.buckets.push_back(open);
      open.clear();
      open_bytes = 0.0;
    }
  }
}

}  // namespace

std::string Cluster::text() const {
  return fmt::format(
      "{} ranks, {} a node, between {:.1f} us {:.2f} GB/s, inside {:.1f} us {:.2f} GB/s, overhead "
      "{:.0f} us, jitter {:.0f} us, noise {:.3f} + {:.3f}, {} buckets, step {:.1f} ms",
      largest,
      node_ranks,
      1e6 * latency_s,
      1e-9 * bytes_per_s,
      1e6 * inside_latency_s,
      1e-9 * inside_bytes_per_s,
      1e6 * overhead_s,
      1e6 * jitter_s,
      rank_noise,
      rank_spread,
      buckets.size(),
      1e3 * (forward_s + backward_s + optimizer_s));
}

double ring_all_reduce_s(const Cluster& cluster, double bytes, std::int64_t ranks) {
  if (ranks < 2) {
    return 0.0;
  }
  const std::int64_t in_node = cluster.node_ranks == 0 ? 1 : std::min(ranks, cluster.node_ranks);
  const std::int64_t nodes = (ranks + in_node - 1) / in_node;
  double clock_s = cluster.overhead_s;
  // Reduce-scatter and all-gather within the node, each n - 1 messages of one n-th.
  for (std::int64_t message = 0; message < 2 * (in_node - 1); ++message) {
    clock_s += cluster.inside_latency_s +
               bytes / static_cast<double>(in_node) / cluster.inside_bytes_per_s;
  }
  // Between nodes every rank reduces its part; the node's link carries all of them.
  for (std::int64_t message = 0; message < 2 * (nodes - 1); ++message) {
    const double part = bytes / static_cast<double>(in_node) / static_cast<double>(nodes);
    clock_s += cluster.latency_s + static_cast<double>(in_node) * part / cluster.bytes_per_s;
  }
  return clock_s;
}

Cluster quiet_cluster() {
  Cluster cluster;
  cluster.largest = 8;
  cluster.forward_s = 0.03;
  cluster.backward_s = 0.06;
  cluster.optimizer_s = 0.01;
  cluster.latency_s = 1e-5;
  cluster.bytes_per_s = 4e9;
  cluster.overhead_s = 1e-6;
  for (int tensor = 0; tensor < 6; ++tensor) {
    cluster.gradients.push_back({std::int64_t{10} << 20, 0.03 + 0.01 * (6 - tensor)});
  }
  cluster.buckets = {{5}, {4, 3, 2}, {1, 0}};
  return cluster;
}

Cluster random_cluster(Random& random) {
  Cluster cluster;
  cluster.largest = std::int64_t{8} << std::uniform_int_distribution<int>(0, 2)(random);
  const double step_s = log_uniform(random, 0.02, 0.2);
  cluster.forward_s = 0.31 * step_s;
  cluster.backward_s = 0.62 * step_s;
  cluster.optimizer_s = 0.07 * step_s;
  add_gradients(cluster, random);
  double bytes = 0.0;
  for (const GradientTiming& gradient : cluster.gradients) {
    bytes += static_cast<double>(gradient.bytes);
  }
  // All-reduces of 10 to 300 % of the backward pass: hidden, half hidden, bound.
  cluster.bytes_per_s = 2.0 * bytes / (cluster.backward_s * log_uniform(random, 0.1, 3.0));
  cluster.latency_s = log_uniform(random, 1e-6, 1e-4);
  // A level that the measured half of the ranks never crosses could not be known.
  const std::int64_t levels[] = {0, 2, cluster.largest / 4};
  cluster.node_ranks = levels[std::uniform_int_distribution<int>(0, 2)(random)];
  const double inside = log_uniform(random, 2.0, 20.0);
  cluster.inside_bytes_per_s = inside * cluster.bytes_per_s;
  cluster.inside_latency_s = cluster.latency_s / inside;
  cluster.overhead_s = log_uniform(random, 1e-6, 1e-4);
  cluster.jitter_s = log_uniform(random, 1e-6, 1e-3);
  cluster.rank_noise = log_uniform(random, 0.005, 0.05);
  cluster.rank_spread = log_uniform(random, 0.001, 0.02);
  cluster.drift = log_uniform(random, 0.001, 0.01);
  cluster.contention = uniform(random, 0.0, 0.03);
  return cluster;
}

Cluster random_strong_cluster(Random& random) {
  Cluster cluster = random_cluster(random);
  cluster.global_batch =
      std::uniform_int_distribution<std::int64_t>(cluster.largest, 16 * cluster.largest)(random);
  cluster.unscaled = uniform(random, 0.0, 0.33);
  cluster.timeline_noise = cluster.rank_noise;
  const Job job(cluster, cluster.largest, random);
  cluster.optimizer_s =
      log_uniform(random, 0.02, 0.5) * job.work(0) * (cluster.forward_s + cluster.backward_s);
  return cluster;
}

ProjectionInput measure(const Cluster& cluster, Random& random) {
  ProjectionInput input;
  if (cluster.broadcast_bytes > 0.0) {
    input.broadcast_bytes = {cluster.broadcast_bytes};
  }
  input.series.mode = cluster.global_batch == 0 ? "weak" : "strong";
  std::vector<std::int64_t> sizes = cluster.sizes;
  for (std::int64_t ranks = 1; cluster.sizes.empty() && ranks <= cluster.largest; ranks *= 2) {
    sizes.push_back(ranks);
  }
  for (const std::int64_t ranks : sizes) {
    input.series.sizes.push_back(measure_size(cluster, ranks, random));
    if (ranks > 1) {
      add_collectives(cluster, ranks, random, input.collectives);
    }
    input.timelines[ranks] = timeline_of(Job(cluster, ranks, random));
  }
  return input;
}

double measured_step_s(const ProjectionInput& input) {
  const ScalingSize& largest = input.series.sizes.back();
  double sum = 0.0;
  for (const ScalingRound& round : largest.arms.front().rounds) {
    sum += static_cast<double>(round.samples / round.steps) / round.samples_per_second;
  }
  return sum / static_cast<double>(largest.arms.front().rounds.size());
}

}  // namespace dlbench::harness
