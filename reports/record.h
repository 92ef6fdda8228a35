// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// RunRecord: everything that one run claims. The JSON report has the same members as keys; what was
// not measured is empty here and null there, with a reason where one is due. The harness fills it;
// json_writer.h and json_reader.h write and read it.
#pragma once

#include "reports/analysis_record.h"
#include "reports/scaling_record.h"
#include "reports/trial_record.h"
#include "reports/value.h"
#include "reports/vocabulary.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dlbench::reports {

inline constexpr const char* kSchemaName = "dlbench.report";
inline constexpr std::int64_t kSchemaVersion = 1;

/// How the program was built.
struct BuildRecord {
  std::string type;                      ///< CMake's build type
  std::string compiler;                  ///< id and version
  std::map<std::string, bool> features;  ///< optional part -> built in
};

/// The program that wrote the report.
struct ToolRecord {
  std::string version;
  std::string git_commit;  ///< "unknown" when built outside a repository
  BuildRecord build;
};

/// The error that ended the run.
struct FailureRecord {
  std::int64_t rank = 0;                   ///< the failed rank, from 0
  std::string host;                        ///< of that rank
  std::string phase;                       ///< e.g. "trial full, repetition 3, step 17"
  std::string op;                          ///< node, call or file; may be empty
  std::optional<std::int64_t> collective;  ///< number of the last one it entered, on several ranks
  std::string detail;                      ///< the message
};

/// A trial, probe or validation that was part of the run but could not be done.
struct SkipRecord {
  std::string what;  ///< e.g. "trial full"
  std::string reason;
};

/// The run itself: when, how it ended, and the reservations about its numbers.
struct RunInfoRecord {
  std::string id;  ///< unique; not derived from host or user names
  std::vector<std::string> command;
  std::string started_at;                  ///< RFC 3339, UTC: 2026-01-31T12:00:00Z
  std::optional<std::string> finished_at;  ///< null while it runs
  RunStatus status = RunStatus::kPartial;
  std::optional<std::int64_t> exit_code;  ///< of the program; null while it runs
  std::uint64_t seed = 1;                 ///< of all random numbers
  std::optional<FailureRecord> failure;   ///< null: no error ended it
  std::vector<TaintRecord> taints;        ///< all but those implied by a trial's purpose
  std::vector<SkipRecord> skipped;
};

/// The processors of a host. Null: not available on this system.
struct CpuRecord {
  std::string model;
  std::optional<std::int64_t> sockets;  ///< >= 1
  std::optional<std::int64_t> cores;    ///< physical, of the host
  std::optional<std::int64_t> threads;  ///< logical, of the host
  std::string isa;                      ///< e.g. avx512_core_bf16
  std::int64_t usable_cores = 0;        ///< left to the job here by affinity and cgroup
  std::optional<double> cpu_quota;      ///< CPUs' worth of time by cgroup; null: no quota
};

struct GpuRecord {
  std::int64_t index = 0;  ///< on its host, from 0
  std::string name;
  std::string uuid;
  std::optional<std::string> address;        ///< PCI, as in 0000:41:00.0; null: an older report
  std::optional<std::int64_t> memory_bytes;  ///< null: the driver does not tell
  std::string driver;                        ///< its version
  std::string compute_capability;            ///< e.g. 9.0
};

/// One host of the job. Null: not available on this system.
struct HostRecord {
  std::string hostname;
  std::vector<std::int64_t> ranks;  ///< the ranks on this host, from 0
  CpuRecord cpu;
  std::optional<std::int64_t> memory_bytes;
  std::optional<std::int64_t> numa_nodes;  ///< >= 1
  std::string os;
  std::string kernel;  ///< its release
  std::vector<GpuRecord> gpus;
};

/// The batch job of the run. Null: not known from the scheduler.
struct SchedulerRecord {
  std::string name;  ///< e.g. slurm
  std::string job_id;
  std::optional<std::int64_t> nodes;  ///< >= 1
  std::optional<std::int64_t> tasks;  ///< >= 1
};

/// The peak rates of a device. Never a default: measured here, or from the data sheet.
struct PeakRecord {
  std::string device;
  std::string precision;                     ///< of flop_per_s
  std::optional<double> flop_per_s;          ///< a multiply-add counts 2; null: not known
  std::optional<double> memory_bytes_per_s;  ///< null: not known
  std::string source;                        ///< measured or datasheet
  std::optional<std::string> measured_at;    ///< RFC 3339, UTC; null for a datasheet
  std::optional<std::string> method;         ///< by which loops, with how many threads
};

/// Machine and software.
struct SystemRecord {
  std::vector<HostRecord> hosts;                   ///< of the job
  std::map<std::string, std::string> libraries;    ///< name -> version
  std::map<std::string, std::string> environment;  ///< allow-listed variables only
  std::optional<SchedulerRecord> scheduler;        ///< null: outside of a job
  std::vector<PeakRecord> peaks;                   ///< which shares of peak refer to
};

/// Returns the number of ranks of the launch; 0: no host was described.
[[nodiscard]] inline std::int64_t launched_ranks(const SystemRecord& system) {
  std::int64_t ranks = 0;
  for (const HostRecord& host : system.hosts) {
    ranks += static_cast<std::int64_t>(host.ranks.size());
  }
  return ranks;
}

/// The options in effect.
struct ConfigRecord {
  ValueMap effective;                         ///< every option with its value
  std::map<std::string, std::string> source;  ///< option -> default, file or command_line
};

/// A tensor that the network takes, as delivered by the loader.
struct InputRecord {
  std::string name;
  std::string role;                 ///< input or target
  std::string dtype;                ///< e.g. u8
  std::vector<std::int64_t> shape;  ///< the batch first
};

struct OutputRecord {
  std::string name;
  std::vector<std::int64_t> shape;  ///< the batch first; empty: one number
};

/// One lowered and planned graph.
struct PlanRecord {
  std::string mode;                                    ///< train or evaluate
  std::int64_t batch_size = 0;                         ///< samples per step, >= 1
  std::string hash;                                    ///< equal ones mean equal plans
  std::int64_t nodes = 0;                              ///< kernels per step
  std::map<std::string, std::string> conv_algorithms;  ///< node and direction -> algorithm
};

/// Memory per rank for one plan, of rank 0. Null: not planned or not measured.
struct MemoryRecord {
  std::optional<std::int64_t> parameters_bytes;
  std::optional<std::int64_t> gradients_bytes;
  std::optional<std::int64_t> optimizer_bytes;
  std::optional<std::int64_t> activations_bytes;  ///< and, on a device, where inputs are copied to
  std::optional<std::int64_t> workspace_bytes;  ///< of kernels; gradients as they travel compressed
  std::optional<std::int64_t> loader_buffers_bytes;
  std::optional<std::int64_t> saved_state_bytes;     ///< the copy that repetitions start from
  std::optional<std::int64_t> planned_peak_bytes;    ///< the sum of all of these
  std::optional<std::int64_t> planned_host_bytes;    ///< of it
  std::optional<std::int64_t> planned_device_bytes;  ///< of it; 0: the step computes on the host
  Measured<std::int64_t> measured_rss_bytes;         ///< resident set after minus before allocation
};

/// The network and its training.
struct WorkloadRecord {
  std::string name;                                ///< as in `dlbench list`
  std::string task;                                ///< e.g. segmentation
  std::string citation;                            ///< where it is from
  ValueMap parameters;                             ///< by name, e.g. "image_size"
  std::int64_t trainable_parameters = 0;           ///< numbers, not tensors
  std::int64_t buffers = 0;                        ///< numbers of state that are not trained
  std::optional<double> forward_macs_per_sample;   ///< multiply-adds; null: not counted
  std::optional<double> training_flop_per_sample;  ///< of a step of all ranks / global_batch_size
  std::vector<InputRecord> inputs;
  std::vector<OutputRecord> outputs;
  std::string loss;
  ValueMap optimizer;                         ///< with its "name"
  std::string precision;                      ///< fp32, tf32, bf16 or fp16
  std::int64_t batch_size_per_rank = 0;       ///< samples of rank 0 in a step
  std::int64_t global_batch_size = 0;         ///< samples of all ranks in a step
  std::string device;                         ///< of rank 0: its name, e.g. "NVIDIA H200"
  std::optional<std::string> device_address;  ///< PCI, as in 0000:41:00.0; null: it is no GPU
  std::optional<std::string> device_uuid;     ///< of GpuRecord; null: no GPU, or not known
  std::string backend;
  std::vector<PlanRecord> plans;
  MemoryRecord memory;
};

/// The data that was loaded.
struct DatasetRecord {
  std::string name;
  std::string path;    ///< of its folder
  std::string origin;  ///< generated or files
  std::string format;
  std::int64_t samples = 0;           ///< of the split
  std::optional<std::int64_t> bytes;  ///< of the files; null: not known
  std::string split;                  ///< train, valid or test
};

/// The whole report. Lists are empty where the command has no such part.
struct RunRecord {
  ToolRecord tool;
  RunInfoRecord run;
  SystemRecord system;
  ConfigRecord config;
  std::optional<WorkloadRecord> workload;  ///< null: a command without one, such as comm
  std::optional<DatasetRecord> dataset;    ///< null: likewise
  std::vector<TrialRecord> trials;
  std::optional<AttributionRecord> attribution;
  /// The reason for a null attribution as read; write_report() writes why_no_verdict() instead.
  std::optional<std::string> attribution_reason;
  std::vector<OperatorRecord> operators;
  ValueMap probes;                     ///< by name, each with "available" and, where not, "reason"
  std::optional<JobRecord> job;        ///< null: the run has not ended
  std::vector<EpochRecord> history;    ///< of train
  std::vector<ScalingRecord> scaling;  ///< of scale, by series
  std::vector<CollectiveRecord> collectives;  ///< of comm
};

}  // namespace dlbench::reports
