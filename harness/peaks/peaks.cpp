// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/peaks/peaks.h"

#include "engine/core/affinity.h"
#include "engine/core/check.h"
#include "engine/core/clock.h"
#include "engine/core/error.h"
#include "engine/core/processor_name.h"
#include "harness/peaks/peak_kernels_internal.h"
#include "harness/utc_time.h"
#include "probes/node/placement.h"
#include "probes/node/system_info.h"
#include "probes/node/topology.h"
#include "reports/naming.h"

#include <fmt/format.h>
#include <omp.h>
#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <optional>
#include <utility>

namespace dlbench::harness {
namespace {

// Short, so that some windows fall between disturbances; long compared to starting the threads.
constexpr double kWindowSeconds = 0.5e-3;
// A window counts if every thread was on a processor for this share of it.
constexpr double kUndisturbedShare = 0.97;
constexpr std::int64_t kUnknownCacheBytes = std::int64_t{64} << 20;
constexpr std::int64_t kMinArrayBytes = std::int64_t{32} << 20;
constexpr std::int64_t kTimesCache = 4;  // as STREAM wants it: less, and caches help
constexpr std::int64_t kMaxQuickArrayBytes = std::int64_t{256} << 20;
constexpr std::int64_t kChunkBytes = std::int64_t{8} << 20;
constexpr std::size_t kMinChunks = 8;  // fewer say nothing of main memory
constexpr std::size_t kChunkBlocks = kChunkBytes / sizeof(float) / kPeakBlock;

// Seconds spent on one figure: usually, and at most if disturbances leave too little.
struct Budget {
  double usual_s;
  double max_s;
};

Budget budget(PeakEffort effort) {
  return effort == PeakEffort::kQuick ? Budget{0.08, 0.2} : Budget{0.5, 3.0};
}

struct Window {
  double seconds = 0.0;  // from the first thread's start to the last one's end
  int team = 0;          // threads that took part
  bool undisturbed = false;
};

template <typename Work>
Window timed_window(int threads, const Work& work) {
  double begin = std::numeric_limits<double>::max();
  double end = 0.0;
  double min_cpu_s = std::numeric_limits<double>::max();
  int team = 0;
#pragma omp parallel num_threads(threads) reduction(min                               \
                                                    : begin, min_cpu_s) reduction(max \
                                                                                  : end, team)
  {
    team = omp_get_num_threads();
    const int thread = omp_get_thread_num();
#pragma omp barrier
    const double cpu_start = core::thread_cpu_seconds();
    begin = core::steady_seconds();
    work(thread, team);
    end = core::steady_seconds();
    min_cpu_s = core::thread_cpu_seconds() - cpu_start;
  }
  const double seconds = end - begin;
  return {seconds, team, min_cpu_s >= kUndisturbedShare * seconds};
}

// Calls measure() for the usual time, or up to the maximum time while enough() is false.
template <typename Measure, typename Enough>
void spend(const Budget& budget, const Measure& measure, const Enough& enough) {
  const double start = core::steady_seconds();
  while (core::steady_seconds() - start < budget.usual_s ||
         (core::steady_seconds() - start < budget.max_s && !enough())) {
    measure();
  }
}

// Returns how many rounds a thread needs to fill a window, by its own CPU time.
std::int64_t rounds_of_window(const ComputeKernel& kernel) {
  for (std::int64_t rounds = 1024;; rounds *= 2) {
    const double start = core::thread_cpu_seconds();
    const float result = kernel.run(rounds, 1.0F);
    const double seconds = core::thread_cpu_seconds() - start;
    DLBENCH_CHECK(result != 0.0F) << kernel.isa << " computed nothing";
    if (seconds >= kWindowSeconds) {
      return rounds;
    }
  }
}

// Returns the best undisturbed window; nothing if there was none.
std::optional<double> compute_rate(const ComputeKernel& kernel, int threads, const Budget& limits) {
  const std::int64_t rounds = rounds_of_window(kernel);
  std::vector<float> results(static_cast<std::size_t>(threads));
  std::optional<double> best;
  const auto measure = [&] {
    const Window window = timed_window(threads, [&](int thread, int /*team*/) {
      results[static_cast<std::size_t>(thread)] = kernel.run(rounds, static_cast<float>(thread));
    });
    if (window.undisturbed) {
      const double flop = kernel.flop_per_round * static_cast<double>(rounds) * window.team;
      best = std::max(best.value_or(0.0), flop / window.seconds);
    }
  };
  spend(limits, measure, [&] { return best.has_value(); });
  return best;
}

// Page-aligned memory, in huge pages where the kernel gives them.
class Array {
 public:
  explicit Array(std::int64_t bytes) : bytes_(static_cast<std::size_t>(bytes)) {
    void* memory =
        ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
      throw core::Error(core::ErrorCode::kMemory,
                        fmt::format("no {} MiB for measuring the memory bandwidth", bytes >> 20));
    }
    static_cast<void>(
        ::madvise(memory, bytes_, MADV_HUGEPAGE));  // an offer; without it pages are small
    data_ = static_cast<float*>(memory);
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() { ::munmap(data_, bytes_); }

  [[nodiscard]] float* data() { return data_; }

 private:
  std::size_t bytes_;
  float* data_ = nullptr;
};

// Does not use sysconf, which on AMD reports the package's total, even in a virtual machine.
std::int64_t last_level_cache_bytes() {
  try {
    return probes::last_level_cache_bytes(
        probes::restrict_topology(probes::read_topology(), core::affinity_cpus()));
  } catch (const core::Error&) {
    return 0;
  }
}

std::int64_t array_bytes(PeakEffort effort, std::int64_t cache_bytes) {
  const bool quick = effort == PeakEffort::kQuick;
  const std::int64_t cache = cache_bytes > 0 ? cache_bytes : kUnknownCacheBytes;
  const std::int64_t enough = kTimesCache * cache;
  const std::int64_t wanted = quick ? std::min(enough, kMaxQuickArrayBytes) : enough;
  const std::int64_t room = probes::read_memory_facts().usable_bytes / (quick ? 12 : 8);
  return std::max(std::min(wanted, room), kMinArrayBytes) / kChunkBytes * kChunkBytes;
}

// Returns the floats [first, last) of a thread within a chunk.
std::pair<std::size_t, std::size_t> share(int thread, int team) {
  const auto part = [&](int index) {
    return kChunkBlocks * static_cast<std::size_t>(index) / static_cast<std::size_t>(team) *
           kPeakBlock;
  };
  return {part(thread), part(thread + 1)};
}

// Passes over three arrays in windows of a few chunks, each timed separately, as a whole pass would
// hardly ever be undisturbed. A chunk is used again only after all others, when it has long left
// the caches.
class MemoryMeter {
 public:
  MemoryMeter(std::int64_t bytes, int threads)
      : out_(bytes),
        a_(bytes),
        b_(bytes),
        chunks_(static_cast<std::size_t>(bytes / kChunkBytes)),
        threads_(threads) {
    // Each thread touches its own parts first, so that they are placed in its local memory.
    for (std::size_t chunk = 0; chunk < chunks_; ++chunk) {
      static_cast<void>(timed_window(threads_, [&](int thread, int team) {
        const auto [first, last] = share(thread, team);
        std::fill(at(out_, chunk) + first, at(out_, chunk) + last, 0.0F);
        std::fill(at(a_, chunk) + first, at(a_, chunk) + last, 1.0F);
        std::fill(at(b_, chunk) + first, at(b_, chunk) + last, 2.0F);
      }));
    }
  }

  // Returns bytes over time of the parts that had an undisturbed window, each at its best; nothing
  // if too few of them had one.
  [[nodiscard]] std::optional<double> rate(const MemoryKernel& kernel, const Budget& limits) {
    const std::size_t together = chunks_of_window(kernel);
    const std::size_t parts = chunks_ / together;
    std::vector<double> best(parts, std::numeric_limits<double>::infinity());
    const std::size_t wanted = (std::min(kMinChunks, chunks_) + together - 1) / together;
    std::size_t measured = 0;
    std::size_t part = (next_ + together - 1) / together % parts;
    const std::size_t first_chunk = part * together;
    const auto measure = [&] {
      const Window window = run(kernel, part * together, together);
      if (window.undisturbed) {
        measured += std::isinf(best[part]) ? 1 : 0;
        best[part] = std::min(best[part], window.seconds);
      }
      part = (part + 1) % parts;
      next_ = part * together;
    };
    spend(limits, measure, [&] { return measured >= wanted; });
    check_result(kernel, first_chunk);
    if (measured < wanted) {
      return std::nullopt;
    }
    double seconds = 0.0;
    for (const double part_s : best) {
      seconds += std::isinf(part_s) ? 0.0 : part_s;
    }
    return static_cast<double>(kernel.arrays) * static_cast<double>(kChunkBytes) *
           static_cast<double>(measured * together) / seconds;
  }

 private:
  static float* at(Array& array, std::size_t chunk) {
    return array.data() + chunk * kChunkBlocks * kPeakBlock;
  }

  Window run(const MemoryKernel& kernel, std::size_t chunk, std::size_t count) {
    return timed_window(threads_, [&](int thread, int team) {
      const auto [first, last] = share(thread, team);
      for (std::size_t each = chunk; each < chunk + count; ++each) {
        kernel.run(
            at(out_, each) + first, at(a_, each) + first, at(b_, each) + first, last - first);
      }
    });
  }

  // Returns as many chunks as fill a window, so that starting many threads is short in comparison,
  // but no more than leave kMinChunks of them.
  std::size_t chunks_of_window(const MemoryKernel& kernel) {
    constexpr int kLooks = 3;
    double min_s = std::numeric_limits<double>::infinity();
    for (int look = 0; look < kLooks; ++look) {
      min_s = std::min(min_s, run(kernel, next_, 1).seconds);
      next_ = (next_ + 1) % chunks_;
    }
    const double filling = std::ceil(kWindowSeconds / std::max(min_s, kWindowSeconds * 1e-3));
    const auto most = std::max<std::size_t>(1, chunks_ / kMinChunks);
    return std::min(static_cast<std::size_t>(filling), most);
  }

  void check_result(const MemoryKernel& kernel, std::size_t chunk) {
    const float wanted = kernel.arrays == 2 ? 1.0F : 2.0F;  // a, or a + 0.5 * b
    const float* first = at(out_, chunk);
    DLBENCH_CHECK(first[0] == wanted && first[kChunkBlocks * kPeakBlock - 1] == wanted)
        << kernel.name << " " << kernel.isa << " wrote something else";
  }

  Array out_;
  Array a_;
  Array b_;
  std::size_t chunks_;
  std::size_t next_ = 0;  ///< chunk, in a circle, whichever kernel had the one before
  int threads_;
};

// The last kernels of the list have the best instruction set.
std::vector<MemoryKernel> wanted_memory_kernels(PeakEffort effort) {
  std::vector<MemoryKernel> kernels = memory_kernels();
  if (effort == PeakEffort::kQuick) {
    kernels.erase(kernels.begin(), kernels.end() - 2);
  }
  return kernels;
}

std::vector<ComputeKernel> wanted_compute_kernels(PeakEffort effort) {
  std::vector<ComputeKernel> kernels = compute_kernels();
  if (effort == PeakEffort::kQuick && kernels.size() > 1) {
    kernels.erase(kernels.begin());  // the baseline
  }
  return kernels;
}

bool same_compute_figure(const ComputePeak& one, const ComputePeak& other) {
  return one.precision == other.precision && one.isa == other.isa;
}

bool same_memory_figure(const MemoryPeak& one, const MemoryPeak& other) {
  return one.kernel == other.kernel && one.stores == other.stores && one.isa == other.isa;
}

// Adds what `kept` lacks, and replaces what a fresh figure is better than.
template <typename Figure, typename Same, typename Better>
void merge_figures(std::vector<Figure>& kept,
                   const std::vector<Figure>& fresh,
                   const Same& same,
                   const Better& better) {
  for (const Figure& figure : fresh) {
    const auto found = std::find_if(
        kept.begin(), kept.end(), [&](const Figure& other) { return same(figure, other); });
    if (found == kept.end()) {
      kept.push_back(figure);
    } else if (better(figure, *found)) {
      *found = figure;
    }
  }
}

// Returns the widest instruction set with kernels of `precision` on a processor whose best one is
// `isa`; empty: none is wanted.
std::string widest_isa(std::string_view isa, std::string_view precision) {
  const bool tiles = isa == "amx_bf16";
  if (precision == "bf16") {
    return tiles || isa == "avx512_bf16" ? std::string(isa) : "";
  }
  return tiles || isa.starts_with("avx512") ? "avx512" : isa == "avx2" ? "avx2" : "baseline";
}

/// Returns the instruction set without whose figure there is no peak of `precision`: narrower ones
/// alone would make shares of it too large. Empty: what has to be there was measured.
std::string lacking_isa(const MachinePeaks& peaks, std::string_view precision) {
  const std::string wanted = widest_isa(peaks.key.isa, precision);
  const bool measured = std::ranges::any_of(peaks.compute, [&](const ComputePeak& peak) {
    return peak.precision == precision && peak.isa == wanted;
  });
  return measured ? "" : wanted;
}

}  // namespace

std::string_view name(PeakEffort effort) {
  return effort == PeakEffort::kQuick ? "quick" : "thorough";
}

PeakKey peak_key() {
  return {.processor = core::host_processor_name(),
          .isa = probes::read_system_facts().cpu.isa,
          .threads = probes::usable_physical_cores()};
}

MachinePeaks measure_peaks(PeakEffort effort) {
  MachinePeaks peaks;
  peaks.key = peak_key();
  peaks.effort = effort;
  peaks.cache_bytes = last_level_cache_bytes();
  const int threads = peaks.key.threads;
  for (const ComputeKernel& kernel : wanted_compute_kernels(effort)) {
    if (const auto rate = compute_rate(kernel, threads, budget(effort)); rate.has_value()) {
      peaks.compute.push_back({.precision = kernel.precision,
                               .isa = kernel.isa,
                               .flop_per_s = *rate,
                               .measured_at = utc_now()});
    } else {
      peaks.disturbed.push_back(kernel.precision + " " + kernel.isa);
    }
  }
  const std::int64_t bytes = array_bytes(effort, peaks.cache_bytes);
  MemoryMeter meter(bytes, threads);
  for (const MemoryKernel& kernel : wanted_memory_kernels(effort)) {
    if (const auto rate = meter.rate(kernel, budget(effort)); rate.has_value()) {
      peaks.memory.push_back({.kernel = kernel.name,
                              .stores = kernel.stores,
                              .isa = kernel.isa,
                              .bytes_per_s = *rate,
                              .array_bytes = bytes,
                              .measured_at = utc_now()});
    } else {
      peaks.disturbed.push_back(kernel.name + " " + kernel.isa + " " + kernel.stores);
    }
  }
  return peaks;
}

void keep_missing(MachinePeaks& fresh, const MachinePeaks& earlier) {
  DLBENCH_CHECK(fresh.key == earlier.key) << fresh.key.processor << ", " << earlier.key.processor;
  const auto never = [](const auto&, const auto&) { return false; };
  const std::size_t measured = fresh.compute.size() + fresh.memory.size();
  merge_figures(fresh.compute, earlier.compute, same_compute_figure, never);
  merge_figures(fresh.memory, earlier.memory, same_memory_figure, never);
  if (fresh.compute.size() + fresh.memory.size() > measured) {
    fresh.effort = std::min(fresh.effort, earlier.effort);
  }
}

void keep_larger(MachinePeaks& kept, const MachinePeaks& fresh) {
  DLBENCH_CHECK(kept.key == fresh.key) << kept.key.processor << ", " << fresh.key.processor;
  kept.measurements += fresh.measurements;
  kept.effort = std::max(kept.effort, fresh.effort);
  kept.cache_bytes = fresh.cache_bytes;
  merge_figures(kept.compute,
                fresh.compute,
                same_compute_figure,
                [](const ComputePeak& one, const ComputePeak& other) {
                  return one.flop_per_s > other.flop_per_s;
                });
  merge_figures(kept.memory,
                fresh.memory,
                same_memory_figure,
                [](const MemoryPeak& one, const MemoryPeak& other) {
                  return one.bytes_per_s > other.bytes_per_s;
                });
}

std::vector<reports::PeakRecord> peak_records(const MachinePeaks& peaks) {
  const auto memory =
      std::max_element(peaks.memory.begin(), peaks.memory.end(), [](const auto& a, const auto& b) {
        return a.bytes_per_s < b.bytes_per_s;
      });
  std::vector<reports::PeakRecord> records;
  for (const char* precision : {"fp32", "bf16"}) {
    const ComputePeak* best = nullptr;
    for (const ComputePeak& peak : peaks.compute) {
      if (peak.precision == precision && (best == nullptr || peak.flop_per_s > best->flop_per_s)) {
        best = &peak;
      }
    }
    if (best == nullptr || !lacking_isa(peaks, precision).empty()) {
      continue;
    }
    // Kernels of bf16 data may convert them and multiply in f32 where that is faster.
    for (const ComputePeak& peak : peaks.compute) {
      if (peak.precision == "fp32" && peak.flop_per_s > best->flop_per_s) {
        best = &peak;
      }
    }
    reports::PeakRecord record{.device = peaks.key.processor,
                               .precision = precision,
                               .flop_per_s = best->flop_per_s,
                               .source = "measured"};
    record.measured_at = best->measured_at;
    record.method = fmt::format("{} multiply-adds in registers", best->isa);
    if (memory != peaks.memory.end()) {
      record.memory_bytes_per_s = memory->bytes_per_s;
      *record.method += fmt::format("; {} of {} MiB arrays, {} stores",
                                    memory->kernel,
                                    memory->array_bytes >> 20,
                                    memory->stores);
    }
    *record.method += fmt::format(
        "; {} threads, {}, best of {}", peaks.key.threads, name(peaks.effort), peaks.measurements);
    records.push_back(std::move(record));
  }
  return records;
}

std::string peaks_text(const MachinePeaks& peaks) {
  std::string text = fmt::format("peaks of {} threads ({}, best of {})\n",
                                 peaks.key.threads,
                                 name(peaks.effort),
                                 reports::count_text(peaks.measurements, "measurement"));
  for (const ComputePeak& peak : peaks.compute) {
    text += fmt::format("  {:<12} {:<31} {:>8.1f} GFLOP/s  {}\n",
                        peak.precision,
                        peak.isa,
                        peak.flop_per_s * 1e-9,
                        peak.measured_at);
  }
  for (const MemoryPeak& peak : peaks.memory) {
    text += fmt::format("  {:<12} {:<31} {:>8.1f} GB/s     {}\n",
                        peak.kernel,
                        fmt::format("{}, {} stores", peak.isa, peak.stores),
                        peak.bytes_per_s * 1e-9,
                        peak.measured_at);
  }
  if (peaks.compute.empty() && peaks.memory.empty()) {
    text += "  no figure: other processes left no undisturbed moment\n";
  }
  if (!peaks.memory.empty()) {
    const std::int64_t array_bytes = peaks.memory.front().array_bytes;
    text +=
        fmt::format("  arrays of {} MiB, last-level cache {} MiB{}; bytes counted as in STREAM\n",
                    array_bytes >> 20,
                    peaks.cache_bytes >> 20,
                    array_bytes + kChunkBytes <= kTimesCache * peaks.cache_bytes
                        ? ", which may help: less than four times as large"
                        : "");
  }
  for (const std::string& figure : peaks.disturbed) {
    text += "  " + figure + ": no undisturbed moment, other processes use the processors\n";
  }
  for (const char* precision : {"fp32", "bf16"}) {
    if (const std::string isa = lacking_isa(peaks, precision); !isa.empty()) {
      text += fmt::format("  no {} peak for shares, for want of a figure of {}\n",
                          precision,
                          isa == "amx_bf16" ? "the matrix tiles (AMX)" : isa);
    }
  }
  return text;
}

}  // namespace dlbench::harness
