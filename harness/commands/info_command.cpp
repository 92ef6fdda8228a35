// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/error.h"
#include "engine/core/log.h"
#include "harness/cache_folder.h"
#include "harness/commands/command.h"
#include "harness/commands/info_text.h"
#include "harness/commands/listing.h"
#include "harness/peaks/device_peaks.h"
#include "harness/peaks/peak_cache.h"
#include "harness/rank_placement.h"
#include "harness/session/open_device.h"
#include "harness/trials/device_fault_watch.h"
#include "reports/record.h"

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dlbench::harness {
namespace {

void print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

class InfoCommand final : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "info"; }
  [[nodiscard]] std::string summary() const override {
    return "what this build is and what it found on this machine";
  }
  [[nodiscard]] std::string details() const override {
    return "With --measure-peaks all cores compute and stream for some seconds, then the GPU, if\n"
           "there is one, multiplies and copies; with --device one of the two alone. The figures\n"
           "are kept in the cache folder, and the next runs relate operators and FLOP rates to\n"
           "them.\n"
           "Example:\n  mpirun -np 8 dlbench info --ranks";
  }
  void add_options(OptionSet& options) override {
    options.add_flag("measure-peaks",
                     "measure arithmetic and memory peaks of this machine, replace the kept ones",
                     measure_peaks_);
    options.add_text("device",
                     "auto|cpu|cuda[:N]",
                     "whose peaks to measure; auto: the processor's, then the GPU's",
                     device_);
    options.add_flag("ranks", "where each rank of this launch runs: cores, NUMA node, GPU", ranks_);
  }
  /// Under mpirun or srun, --ranks shows all ranks; everything else describes one machine.
  [[nodiscard]] bool parallel() const override { return ranks_; }
  void check() const override {
    if (ranks_ && measure_peaks_) {
      throw core::Error(core::ErrorCode::kUsage,
                        "--ranks and --measure-peaks: choose one; ranks that share processors "
                        "would measure each other");
    }
    if (device_ == "ref") {
      throw core::Error(core::ErrorCode::kUsage,
                        "--device ref: the peaks are those of a device, auto, cpu or cuda[:N]");
    }
    if (device_ != "auto" && !measure_peaks_) {
      throw core::Error(
          core::ErrorCode::kUsage,
          "--device " + device_ +
              " says whose peaks --measure-peaks measures: give that too, or leave --device out");
    }
  }
  int run(const OptionSet& /*options*/, const Invocation& invocation) override {
    if (ranks_) {
      const RankRow mine = place_this_rank(invocation.ranks, std::nullopt, usable_gpus("auto"));
      const std::vector<RankRow> rows = gather_rows(invocation.ranks, mine);
      if (invocation.ranks.rank() == 0) {
        print(rank_table(rows));
      }
      return 0;
    }
    if (measure_peaks_) {
      const auto device = open_device(device_, std::nullopt);
      const bool has_gpu = device->device().kind == "cuda";
      if (device_ == "auto" || !has_gpu) {
        measure_processor();
      }
      if (has_gpu) {
        measure_device(*device);
      }
      return 0;
    }
    print(build_text());
    print(host_text());
    const std::vector<FoundBackend> backends = find_backends();
    print(backends_text(backends));
    print(available_probes_text(backends));
    print(rank_plugins_text());
    print(list_datasets());
    print(cache_text(backends));
    return 0;
  }

 private:
  static void warn_of_lower(const std::vector<reports::PeakRecord>& before,
                            const std::vector<reports::PeakRecord>& fresh) {
    if (const std::string lower = lower_peaks_text(before, fresh); !lower.empty()) {
      core::log::warn(lower);
    }
  }

  static void measure_processor() {
    core::log::progress("measuring the peaks of this machine");
    MachinePeaks peaks = measure_peaks(PeakEffort::kThorough);
    core::log::progress("");
    std::vector<reports::PeakRecord> before;
    if (const std::optional<MachinePeaks> earlier = cached_machine_peaks()) {
      before = peak_records(*earlier);
      keep_missing(peaks, *earlier);  // what others left no moment to measure now
    }
    print(peaks_text(peaks));
    store_peaks(cache_folder(), peaks);
    print("  kept in " + peak_file(cache_folder(), peaks.key).string() + "\n");
    warn_of_lower(before, peak_records(peaks));
  }

  static void measure_device(backend::Backend& device) {
    core::log::progress("measuring the peaks of " + device.device().name);
    DeviceFaultWatch watch(device.device());
    DevicePeaks peaks;
    watch.run_watched("peaks of " + device.device().name, [&] {
      peaks = measure_device_peaks(device, DevicePeakSizes::for_device(device.device()));
    });
    core::log::progress("");
    print(peaks_text(peaks));
    if (const std::string neighbours = watch.conditions().neighbours; !neighbours.empty()) {
      core::log::warn(neighbours + ": these peaks are not kept");
      return;
    }
    const std::vector<reports::PeakRecord> before = cached_device_peaks(device);
    store_device_peaks(cache_folder(), peaks);
    print("  kept in " + device_peak_file(cache_folder(), peaks.device).string() + "\n");
    warn_of_lower(before, peak_records(peaks));
  }

  std::string device_ = "auto";
  bool measure_peaks_ = false;
  bool ranks_ = false;
};

}  // namespace

std::unique_ptr<Command> make_info_command() { return std::make_unique<InfoCommand>(); }

}  // namespace dlbench::harness
