// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/communicator_list.h"
#include "engine/comm/shared_device.h"
#include "engine/comm/simulated_link.h"
#include "engine/core/error.h"
#include "engine/core/log.h"
#include "harness/analysis/link_fit.h"
#include "harness/commands/comm_options.h"
#include "harness/commands/command.h"
#include "harness/commands/idle_options.h"
#include "harness/commands/plan_taints.h"
#include "harness/commands/run_options.h"
#include "harness/commands/run_record.h"
#include "harness/commands/run_report.h"
#include "harness/commands/system_record.h"
#include "harness/rank_placement.h"
#include "harness/ranks.h"
#include "harness/session/cuda_graph.h"
#include "harness/session/memory_need.h"
#include "harness/session/open_device.h"
#include "harness/trials/collective_trial.h"
#include "harness/trials/device_fault_watch.h"
#include "harness/trials/group_disturbance.h"
#include "probes/node/disturbance.h"
#include "probes/node/system_info.h"
#include "reports/bus_factor.h"
#include "reports/collective_sizes.h"
#include "reports/naming.h"
#include "reports/statistics_records.h"
#include "reports/text/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::harness {
namespace {

using comm::Collective;
using core::Error;
using core::ErrorCode;

constexpr int kThreads = 1;  // of a rank

std::string redop(Collective op) {
  return op == Collective::kAllReduce || op == Collective::kReduceScatter ? "sum" : "none";
}

std::string header(const reports::CollectiveRecord& first) {
  return fmt::format(
      "\n# {} over {}: {}\n"
      "# time is the median of the slowest rank's calls{}, algbw is size / time, busbw see "
      "docs/scaling.md\n"
      "#{:>12} {:>12} {:>6} {:>6} {:>12} {:>12} {:>9} {:>9} {:>7}\n"
      "#{:>12} {:>12} {:>6} {:>6} {:>12} {:>12} {:>9} {:>9}\n",
      first.op,
      reports::count_text(first.ranks, "rank"),
      first.transport,
      first.replayed.value_or(false) ? " in a replayed CUDA graph" : "",
      "size",
      "count",
      "type",
      "redop",
      "time",
      "p95",
      "algbw",
      "busbw",
      "#wrong",
      "(B)",
      "(elements)",
      "",
      "",
      "(us)",
      "(us)",
      "(GB/s)",
      "(GB/s)");
}

template <typename T>
std::string or_none(const std::optional<T>& value, fmt::format_string<T> format) {
  return value.has_value() ? fmt::format(format, T(*value)) : "N/A";
}

std::string row(const reports::CollectiveRecord& record, const CollectiveCase& which) {
  return fmt::format(" {:>12} {:>12} {:>6} {:>6} {:>12.2f} {:>12.2f} {:>9} {:>9} {:>7}\n",
                     record.bytes,
                     which.count,
                     record.dtype,
                     redop(which.op),
                     record.time_s.median * 1e6,
                     record.time_s.p95 * 1e6,
                     or_none(record.algbw_gb_per_s, "{:.3f}"),
                     or_none(record.busbw_gb_per_s, "{:.3f}"),
                     or_none(record.wrong, "{}"));
}

/// "# mean time = 12.30 us [11.00, 13.60] + bytes * 0.2200 ns [0.2000, 0.2400], 95 % intervals;
/// residual standard error 3.1 %".
std::string fit_text(const std::optional<reports::LinkRecord>& fit) {
  if (!fit.has_value()) {
    return "# no fit: it needs three sizes\n";
  }
  std::string text = fmt::format("# mean time = {:.2f} us", fit->alpha_s * 1e6);
  if (fit->alpha_s_ci95.has_value()) {
    text += fmt::format(
        " [{:.2f}, {:.2f}]", (*fit->alpha_s_ci95)[0] * 1e6, (*fit->alpha_s_ci95)[1] * 1e6);
  }
  text += fmt::format(" + bytes * {:.4f} ns", fit->beta_s_per_byte * 1e9);
  if (fit->beta_s_per_byte_ci95.has_value()) {
    text += fmt::format(" [{:.4f}, {:.4f}]",
                        (*fit->beta_s_per_byte_ci95)[0] * 1e9,
                        (*fit->beta_s_per_byte_ci95)[1] * 1e9);
  }
  text += ", 95 % intervals";
  if (fit->residual.has_value()) {
    text += fmt::format("; residual standard error {}", reports::percent_text(*fit->residual));
  }
  return text + "\n";
}

reports::CollectiveRecord describe(const CollectiveCase& which,
                                   const CollectiveResult& result,
                                   const comm::Communicator& communicator,
                                   const std::string& device) {
  reports::CollectiveRecord record{.op = std::string(comm::name(which.op)),
                                   .bytes = static_cast<std::int64_t>(which.bytes()),
                                   .ranks = communicator.size(),
                                   .dtype = std::string(core::name(which.dtype)),
                                   .transport = std::string(communicator.name()),
                                   .device = device,
                                   .in_place = true,
                                   .replayed = result.replayed};
  if (which.check) {
    record.wrong = result.wrong;
  }
  record.time_s = reports::collective_time_record(result.call_s);
  if (record.ranks > 1 && record.time_s.median > 0.0) {
    record.algbw_gb_per_s = static_cast<double>(record.bytes) / record.time_s.median / 1e9;
    record.busbw_gb_per_s =
        *record.algbw_gb_per_s * reports::bus_factor(record.op, record.ranks).value_or(0.0);
  }
  return record;
}

/// The comm command while it runs.
class CollectiveSweep {
 public:
  CollectiveSweep(const CommOptions& options, comm::Rendezvous& ranks, reports::RunRecord record)
      : options_(options),
        ranks_(ranks),
        guard_(options.timeout),
        report_(std::move(record), options.output, ranks),
        collectives_(parse_collectives(options.collectives)),
        counts_(element_counts(options)),
        dtype_(parse_reducible(options.dtype)),
        link_(simulated_link(options.link, options.link_node_ranks)) {}

  int run() {
    const std::vector<int> sizes = parse_rank_counts(options_.ranks, ranks_.size());
    warn_idle_link(link_, sizes.back());
    report_.record().config.effective["ranks"] = fmt::format("{}", fmt::join(sizes, ","));
    describe_launch(ranks_, report_.record().system);
    const probes::RankPlacement placement =
        place_this_rank(ranks_, std::nullopt, usable_gpus(ranks_, options_.device)).placement;
    OpenedDevice opened = open_device_on_all(
        ranks_, options_.device, kThreads, placed_gpu_address(placement, ranks_.size()));
    backend_ = std::move(opened.backend);
    report_.keep_device_choice(opened.why_no_better);
    together(ranks_, [&] {
      check_cuda_graph(options_.cuda_graph, *backend_);
      if (link_.has_value()) {
        require_host_memory(*backend_, "--link");
      }
      for (const auto& [name, version] : backend_->libraries()) {
        report_.record().system.libraries[name] = version;
      }
      report_.begin();
    });
    report_.note(hidden_peers(ranks_, placement));
    bool wrong = false;
    report_.attempt([&] {
      DeviceFaultWatch watch(
          backend_->device(),
          comm::ranks_on_device(
              ranks_.places(), comm::device_addresses(ranks_, *backend_), ranks_.rank()));
      for (const int size : sizes) {
        const std::string what = "collectives over " + reports::count_text(size, "rank");
        report_.enter(what);
        if (const std::unique_ptr<comm::Rendezvous> members = ranks_.first(size)) {
          watch.run_watched(what, [&] { measure(*members, watch); });
        }
        ranks_.await_subset();
      }
      wrong = RankGroup(ranks_).any(wrong_ > 0);
    });
    if (wrong) {
      core::log::warn(std::to_string(wrong_) + " elements came out of the collectives wrong");
    }
    return report_.finish({.strict = options_.strict, .gate_failed = wrong});
  }

 private:
  void measure(comm::Rendezvous& members, DeviceFaultWatch& watch) {
    const std::optional<reports::TaintRecord> crowded =
        oversubscription(members,
                         place_this_rank(members, kThreads).placement,
                         {.computes = backend_->reads_host_memory()});
    const std::vector<std::string> addresses = comm::device_addresses(members, *backend_);
    const std::string shared_device = comm::shared_device(members.places(), addresses);
    const std::optional<reports::TaintRecord> shared = gpu_sharing(shared_device);
    std::unique_ptr<comm::Communicator> communicator =
        comm::create_communicator(members,
                                  *backend_,
                                  {.sharing = options_.share_gpu ? comm::DeviceSharing::kHostStaged
                                                                 : comm::DeviceSharing::kRefused});
    check_cuda_graph(options_.cuda_graph, *backend_, shared_device);
    together(members, [&] {
      check_memory(members,
                   !shared_device.empty(),
                   comm::ranks_on_device(members.places(), addresses, members.rank()));
    });
    const std::string where = "collectives over " + reports::count_text(members.size(), "rank");
    const std::optional<reports::TaintRecord> simulated = link_taint(link_, members.size());
    for (const auto& taint : {crowded, shared, simulated}) {
      if (taint.has_value()) {
        report_.taint(taint->code, where, taint->detail);
      }
    }
    if (simulated.has_value()) {
      communicator = std::make_unique<comm::SimulatedLinkCommunicator>(
          std::move(communicator), *link_, static_cast<std::uint64_t>(options_.seed));
    }
    CollectiveTrial trial(
        members, *communicator, *backend_, largest_bytes(members.size()), options_.cuda_graph);
    RankGroup group(members);
    const std::size_t before = report_.record().collectives.size();
    const probes::ProcSnapshot begin = probes::take_snapshot();
    try {
      measure_all(trial, *communicator, members.size());
    } catch (const Error&) {
      if (report_.record().collectives.size() > before) {
        note_own_disturbance(group, where, begin);
      }
      throw;
    }
    note_disturbance(group, where, begin, watch.conditions());
  }

  void measure_all(CollectiveTrial& trial, const comm::Communicator& communicator, int ranks) {
    for (const Collective op : collectives_) {
      const std::vector<std::size_t> counts = reports::counts_of(comm::name(op), counts_, ranks);
      for (const std::size_t count : counts) {
        const CollectiveCase which{.op = op,
                                   .dtype = dtype_,
                                   .count = count,
                                   .warmup = options_.warmup,
                                   .calls = options_.calls,
                                   .check = options_.check};
        const CollectiveResult result = trial.run(which, guard_);
        if (report_.speaks()) {
          add(which, result, communicator, count == counts.front());
        }
        wrong_ += result.wrong;
      }
      if (report_.speaks() && communicator.size() > 1) {
        fit_series(counts.size());
      }
    }
  }

  /// Returns the largest array's bytes with that many ranks.
  [[nodiscard]] std::size_t largest_bytes(int ranks) const {
    std::size_t largest = 0;
    for (const Collective op : collectives_) {
      largest = std::max(largest, reports::counts_of(comm::name(op), counts_, ranks).back());
    }
    return largest * core::size_of(dtype_);
  }

  /// Checks the memory for the array and a host copy for the check. `shares_device`: some ranks
  /// share a device; `on_this`: how many use this rank's.
  void check_memory(const comm::Rendezvous& members, bool shares_device, int on_this) const {
    const comm::RankPlace& place = members.places()[static_cast<std::size_t>(members.rank())];
    const auto largest = static_cast<std::int64_t>(largest_bytes(members.size()));
    const bool on_device = !backend_->reads_host_memory();
    const MemoryNeed need{
        .parameters = largest,
        .saved_state = options_.check ? largest : 0,
        .on_device = on_device,
        .device_reserve =
            on_device ? kDeviceReserve + nccl_reserve(members.size(), true, shares_device) : 0};
    const MemoryRoom room =
        read_memory_room(*backend_, {.host = place.local_size, .device = on_this});
    if (!room.holds(need)) {
      throw Error(
          ErrorCode::kMemory,
          "--maxbytes: " + room.shortage(need) + "; " +
              (room.lacks_reserve(need) ? room.wants_another_device() : "choose a smaller one"));
    }
  }

  /// Ranks that need a processor held by another process sleep instead of spinning, and a call of a
  /// microsecond takes a hundred. Throws core::Error(kRun) for a fault of this rank's device.
  void note_disturbance(RankGroup& group,
                        const std::string& where,
                        const probes::ProcSnapshot& begin,
                        const probes::DeviceConditions& device) {
    const GroupDisturbance seen =
        judge_together(group,
                       begin,
                       probes::take_snapshot(),
                       {.cpus = probes::watched_cpus(), .threads = kThreads},
                       device);
    if (!device.reported.fault.empty()) {
      throw Error(ErrorCode::kRun, where + ": " + device.reported.fault);
    }
    if (!seen.reason.empty()) {
      report_.taint(reports::Taint::kDisturbed, where, seen.reason);
    }
    if (const std::string quota = quota_text(seen.shares); !quota.empty()) {
      report_.taint(reports::Taint::kThrottled, where, quota);
    }
  }

  /// Judges what was measured before the run ended early, on the processors of this rank, the
  /// first: the others may not answer any more. Where they share its processors, what they used
  /// cannot be told from what strangers did, and only what the hypervisor took and stops count.
  void note_own_disturbance(const RankGroup& group,
                            const std::string& where,
                            const probes::ProcSnapshot& begin) {
    probes::OwnLoad own{.cpus = probes::watched_cpus(),
                        .threads = kThreads * group.ranks_on_these_cpus()};
    if (group.ranks_on_these_cpus() > 1) {
      own.other_ranks_cpu_s = std::numeric_limits<double>::infinity();
    }
    const probes::Disturbance seen = probes::compare_snapshots(begin, probes::take_snapshot(), own);
    if (!seen.reason.empty()) {
      report_.taint(reports::Taint::kDisturbed,
                    where,
                    group.size() > 1 ? told_by_ranks({seen.reason}) : seen.reason);
    }
  }

  void add(const CollectiveCase& which,
           const CollectiveResult& result,
           const comm::Communicator& communicator,
           bool first) {
    std::vector<reports::CollectiveRecord>& records = report_.record().collectives;
    records.push_back(describe(which, result, communicator, backend_->device().name));
    report_.print_beside_report((first ? header(records.back()) : "") + row(records.back(), which));
    report_.write();
  }

  /// Fits latency and inverse bandwidth of the series measured last; stores them in its records.
  void fit_series(std::size_t sizes) {
    std::vector<reports::CollectiveRecord>& records = report_.record().collectives;
    const std::span series = std::span(records).last(sizes);
    std::vector<double> bytes;
    std::vector<double> time_s;
    for (const reports::CollectiveRecord& record : series) {
      bytes.push_back(static_cast<double>(record.bytes));
      time_s.push_back(*record.time_s.mean);
    }
    const std::optional<reports::LinkRecord> fit = fit_line(bytes, time_s);
    for (reports::CollectiveRecord& record : series) {
      record.fit = fit;
    }
    report_.print_beside_report(fit_text(fit));
    report_.write();
  }

  const CommOptions& options_;
  comm::Rendezvous& ranks_;
  RunGuard guard_;
  RunReport report_;
  std::vector<Collective> collectives_;
  std::vector<std::size_t> counts_;
  core::DType dtype_;
  std::optional<comm::LinkModel> link_;
  std::unique_ptr<backend::Backend> backend_;
  std::int64_t wrong_ = 0;
};

class CommCommand final : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "comm"; }
  [[nodiscard]] std::string summary() const override {
    return "measure collectives between ranks over sizes, as nccl-tests do";
  }
  [[nodiscard]] std::string details() const override {
    return "mpirun -np 4 dlbench comm -b 1K -e 64M -f 4\n"
           "mpirun -np 8 dlbench comm --collectives all_reduce --ranks 2,4,8\n"
           "Values are checked after the timed calls.\n"
           "Exit codes: 0 done, 1 output or memory, 2 command line, device or launch, 3 wrong "
           "values,\n"
           "  4 tainted (with --strict), 5 a rank failed, 124 time-out, 130 Ctrl-C";
  }
  [[nodiscard]] bool parallel() const override { return true; }
  void add_options(OptionSet& options) override { add_comm_options(options, options_); }
  void check() const override {
    static_cast<void>(parse_collectives(options_.collectives));
    static_cast<void>(element_counts(options_));
    check_device(options_.device, "fp32");
    static_cast<void>(simulated_link(options_.link, options_.link_node_ranks));
  }
  void check_ranks(int available) const override {
    static_cast<void>(parse_rank_counts(options_.ranks, available));
  }
  int run(const OptionSet& options, const Invocation& invocation) override {
    CollectiveSweep sweep(
        options_,
        invocation.ranks,
        start_record(invocation, options, static_cast<std::uint64_t>(options_.seed)));
    return sweep.run();
  }

 private:
  CommOptions options_;
};

}  // namespace

std::unique_ptr<Command> make_comm_command() { return std::make_unique<CommCommand>(); }

}  // namespace dlbench::harness
