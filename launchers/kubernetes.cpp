// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Kubernetes: an MPIJob of Kubeflow's MPI operator (kubeflow.org/v2beta1). A launcher pod runs
// mpirun; one worker pod per node has the GPUs.
#include "engine/core/error.h"
#include "launchers/job_script.h"
#include "launchers/launcher.h"

#include <fmt/format.h>

#include <memory>
#include <string_view>

namespace dlbench::launchers {
namespace {

using core::Error;
using core::ErrorCode;

constexpr const char* kName = "kubernetes";

/// Formats any text as a double-quoted YAML scalar with JSON's escapes.
std::string yaml(std::string_view text) {
  std::string quoted = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') {
      quoted += '\\';
      quoted += letter;
    } else if (static_cast<unsigned char>(letter) < 0x20) {
      quoted += fmt::format("\\x{:02x}", static_cast<unsigned char>(letter));
    } else {
      quoted += letter;
    }
  }
  return quoted + "\"";
}

/// Formats words for `command` and `args`, in which Kubernetes replaces $(NAME), and $$ by $.
std::string yaml_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    std::string escaped;
    for (const char letter : word) {
      escaped += letter == '$' ? std::string("$$") : std::string(1, letter);
    }
    text += fmt::format("                - {}\n", yaml(escaped));
  }
  return text;
}

std::vector<std::string> mpirun_words(const LaunchRequest& request) {
  std::vector<std::string> words = {"mpirun", "-n", std::to_string(total_ranks(request))};
  if (request.mpi == MpiChoice::kMpich) {
    words.insert(words.end(), {"-ppn", std::to_string(*request.ranks_per_node)});
  } else {
    // dlbench binds by itself; containers mostly run as root.
    words.insert(words.end(), {"--allow-run-as-root", "--bind-to", "none", "--map-by", "slot"});
  }
  return words;
}

// The log starts with the same record as in the batch scripts of other schedulers.
constexpr const char* kRecord =
    "echo \"host: $(hostname)\"; env | sed -n '/^KUBERNETES_/p' | sort; exec \"$@\"";

std::string launcher_pod(const LaunchRequest& request) {
  const bool open_mpi = request.mpi != MpiChoice::kMpich;
  std::vector<std::string> words = mpirun_words(request);
  const auto ranks = rank_words(request, open_mpi ? "OMPI_COMM_WORLD_RANK" : "PMI_RANK");
  words.insert(words.end(), ranks.begin(), ranks.end());
  return fmt::format(R"(    Launcher:
      replicas: 1
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: launcher
              image: {}
              command:
{}              args:
{})",
                     yaml(request.container),
                     yaml_words({"/bin/sh", "-c", kRecord, "launcher"}),
                     yaml_words(words));
}

std::string limits(const LaunchRequest& request) {
  std::string text;
  if (*request.gpus_per_node > 0) {
    text += fmt::format("                  {}: {}\n",
                        request.preset.value_or(NodePreset{}).gpu_resource,
                        *request.gpus_per_node);
  }
  if (request.cpus_per_rank.has_value()) {
    text += fmt::format("                  cpu: {}\n",
                        *request.cpus_per_rank * *request.ranks_per_node);
  }
  if (request.memory_bytes.has_value()) {
    text += fmt::format("                  memory: {}\n", *request.memory_bytes);
  }
  return text.empty() ? std::string()
                      : "              resources:\n                limits:\n" + text;
}

// /dev/shm of a container is 64 MiB, too small for the ranks' shared windows.
std::string worker_pods(const LaunchRequest& request) {
  std::string mounts = R"(              volumeMounts:
                - name: shared-memory
                  mountPath: /dev/shm
)";
  std::string volumes = R"(          volumes:
            - name: shared-memory
              emptyDir:
                medium: Memory
)";
  if (!request.volume.empty()) {
    mounts += fmt::format("                - name: output\n                  mountPath: {}\n",
                          yaml(request.output_folder));
    volumes += fmt::format(
        "            - name: output\n              persistentVolumeClaim:\n"
        "                claimName: {}\n",
        yaml(request.volume));
  }
  return fmt::format(R"(    Worker:
      replicas: {}
      template:
        spec:
          containers:
            - name: worker
              image: {}
{}{}{})",
                     request.nodes,
                     yaml(request.container),
                     limits(request),
                     mounts,
                     volumes);
}

constexpr std::size_t kMaxLabelLength = 63;  // RFC 1123
constexpr std::size_t kMaxNameLength = kMaxLabelLength - std::string_view("-launcher-abcde").size();

void check_label(const char* option, const std::string& text, std::size_t most) {
  const bool dns_label =
      text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos &&
      !text.empty() && text.front() != '-' && text.back() != '-' && text.size() <= most;
  if (!dns_label) {
    throw Error(
        ErrorCode::kUsage,
        fmt::format("{} '{}' is a name in Kubernetes: 1 to {} lower-case letters, digits and "
                    "dashes, none of those first or last",
                    option,
                    text,
                    most));
  }
}

void check(const LaunchRequest& request) {
  if (request.container.empty()) {
    throw Error(ErrorCode::kUsage, "kubernetes needs --container IMAGE: pods run images");
  }
  check_label("--job-name", request.job_name, kMaxNameLength);
  if (request.job_name.front() >= '0' && request.job_name.front() <= '9') {
    throw Error(ErrorCode::kUsage,
                fmt::format("--job-name '{}' names a Kubernetes service too: a letter comes first",
                            request.job_name));
  }
  if (!request.partition.empty()) {
    check_label("--partition", request.partition, kMaxLabelLength);
  }
  if (!request.directives.empty() || !request.setup.empty()) {
    throw Error(ErrorCode::kUsage,
                "--directives and --setup are for batch scripts; a manifest has neither");
  }
  if (!request.volume.empty() && !request.output_folder.starts_with('/')) {
    throw Error(
        ErrorCode::kUsage,
        fmt::format("--volume {} is mounted at --output-dir, which must be an absolute path "
                    "of the pods, not '{}'",
                    request.volume,
                    request.output_folder));
  }
  if (request.volume.empty() && request.nsys) {
    throw Error(ErrorCode::kUsage, "--nsys needs --volume CLAIM: profiles in a pod vanish with it");
  }
  const std::string kept =
      request.output_folder + (request.output_folder.ends_with('/') ? "" : "/");
  for (const auto& [option, path] : request.written) {
    if (path != "-" && (request.volume.empty() || !path.starts_with(kept))) {
      throw Error(ErrorCode::kUsage,
                  fmt::format("--{} {}: what is written in a pod vanishes with it; give --volume "
                              "CLAIM, which is mounted at --output-dir, and a file in there",
                              option,
                              path));
    }
  }
}

class Kubernetes final : public Launcher {
 public:
  [[nodiscard]] const LauncherSpec& spec() const override {
    static const LauncherSpec spec{
        .name = kName,
        .description = "MPIJob manifest for Kubeflow's MPI operator",
        // Not apply, which would leave a job of the same name unchanged and report success.
        .submit_command = {"kubectl", "create", "--filename=-", "--output=name"},
        .partition_meaning = "namespace",
        .takes_account = false,
        .takes_volume = true,
        .needs_container = true,
    };
    return spec;
  }

  [[nodiscard]] std::string script(const LaunchRequest& request) const override {
    check(request);
    return fmt::format(R"(apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata:
  name: {}
{}spec:
  slotsPerWorker: {}
  launcherCreationPolicy: WaitForWorkersReady
  mpiImplementation: {}
  runPolicy:
    cleanPodPolicy: Running
    backoffLimit: 0
    activeDeadlineSeconds: {}
  mpiReplicaSpecs:
{}{})",
                       yaml(request.job_name),
                       request.partition.empty()
                           ? std::string()
                           : fmt::format("  namespace: {}\n", yaml(request.partition)),
                       *request.ranks_per_node,
                       request.mpi == MpiChoice::kMpich ? "MPICH" : "OpenMPI",
                       request.time_s,
                       launcher_pod(request),
                       worker_pods(request));
  }

  // "mpijob.kubeflow.org/dlbench"
  [[nodiscard]] std::string job_id(std::string_view printed) const override {
    return std::string(printed.substr(0, printed.find('\n')));
  }
};

const LauncherRegistration kRegistration{std::make_unique<Kubernetes>()};

}  // namespace
}  // namespace dlbench::launchers
