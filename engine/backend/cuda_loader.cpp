// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda_loader.h"

#include "engine/backend/backend_list.h"
#include "engine/core/library_file.h"
#include "engine/core/log.h"
#include "engine/core/own_program.h"
#include "engine/core/plugin.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

namespace dlbench::backend {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProfilerLibrary = "libcupti.so.13";

/// In order of their dependencies; names contain the version with which the plug-in is linked. Of
/// those with which it is not linked, cuDNN opens some on demand, and the probes open CUPTI.
constexpr std::array kLibraries{"libcublasLt.so.13",
                                "libcublas.so.13",
                                "libnvrtc.so.13",
                                "libcudnn.so.9",
                                "libnccl.so.2",
                                kProfilerLibrary};

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

std::vector<fs::path> sorted_entries(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    entries.push_back(entry.path());
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

/// The parent folders of the bin/ of the first python3 on the path, without and with links
/// resolved: the packages of a virtual environment belong to the former, those of the interpreter
/// to which /usr/local/bin/python3 links to the latter.
std::vector<fs::path> python_prefixes(const std::string& search_path) {
  std::istringstream stream(search_path);
  for (std::string folder; std::getline(stream, folder, ':');) {
    std::error_code ignored;
    const fs::path python = fs::path(folder) / "python3";
    if (folder.empty() || !fs::exists(python, ignored)) {
      continue;
    }
    std::vector<fs::path> prefixes{fs::path(folder).parent_path()};
    const fs::path real = fs::canonical(python, ignored);
    if (const fs::path prefix = real.parent_path().parent_path();
        !real.empty() && prefix != prefixes.front()) {
      prefixes.push_back(prefix);
    }
    return prefixes;
  }
  return {};
}

/// Appends the folders of NVIDIA's wheels in a Python environment.
void append_wheels(const fs::path& prefix, std::vector<fs::path>& folders) {
  for (const char* libraries : {"lib", "lib64"}) {
    for (const fs::path& version : sorted_entries(prefix / libraries)) {
      if (!version.filename().string().starts_with("python3")) {
        continue;
      }
      for (const char* packages : {"site-packages", "dist-packages"}) {
        for (const fs::path& wheel : sorted_entries(version / packages / "nvidia")) {
          folders.push_back(wheel / "lib");
        }
      }
    }
  }
}

/// Removes duplicate folders, including those that are equal through a link (lib64 to lib).
void remove_doubles(std::vector<fs::path>& folders) {
  std::set<fs::path> seen;
  std::erase_if(folders, [&seen](const fs::path& folder) {
    std::error_code failed;
    const fs::path real = fs::canonical(folder, failed);
    return !failed && !seen.insert(real).second;
  });
}

/// Libraries that were found but do not load: file and the loader's reason.
using Refused = std::vector<std::pair<std::string, std::string>>;

/// Adds what the loader's message on the plug-in lacks: it only names a file, and reports one that
/// was found but refused as missing.
std::string explain(const core::PluginStatus& status,
                    const CudaSetup& setup,
                    const Refused& refused) {
  std::error_code ignored;
  if (!fs::exists(status.path, ignored)) {
    return "this installation has no CUDA plug-in: " + status.reason;
  }
  for (const auto& [file, reason] : refused) {
    if (status.reason.find(file) != std::string::npos) {
      return "the CUDA plug-in does not load: " + reason;
    }
  }
  std::string missing;
  for (const CudaLibrary& library : find_cuda_libraries(setup.folders)) {
    if (library.path.empty() && status.reason.find(library.file) != std::string::npos) {
      missing = "; set DLBENCH_CUDA_PATH to the folder of " + library.file;
    }
  }
  return "the CUDA plug-in does not load: " + status.reason + missing;
}

}  // namespace

std::vector<fs::path> cuda_library_folders(const core::EnvironmentLookup& environment,
                                           const std::vector<fs::path>& own_folders) {
  std::vector<fs::path> folders;
  const auto append_prefix = [&folders](const fs::path& prefix) {
    folders.push_back(prefix / "lib64");
    folders.push_back(prefix / "lib");
    folders.push_back(prefix / "extras" / "CUPTI" / "lib64");  // of the toolkit's own installer
  };
  if (const auto chosen = environment("DLBENCH_CUDA_PATH"); chosen && !chosen->empty()) {
    if (!is_folder(*chosen)) {
      core::log::warn_once("DLBENCH_CUDA_PATH: '" + *chosen +
                           "' is no folder: libraries are looked for elsewhere");
    }
    folders.emplace_back(*chosen);
    append_prefix(*chosen);
  }
  folders.insert(folders.end(), own_folders.begin(), own_folders.end());
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const auto prefix = environment(variable); prefix && !prefix->empty()) {
      append_prefix(*prefix);
    }
  }
  append_prefix("/usr/local/cuda");
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    if (const auto prefix = environment(variable); prefix && !prefix->empty()) {
      append_wheels(*prefix, folders);
    }
  }
  for (const fs::path& prefix : python_prefixes(environment("PATH").value_or(""))) {
    append_wheels(prefix, folders);
  }
  // Where `pip install` puts packages with and without --user, for any interpreter.
  if (const auto home = environment("HOME"); home && !home->empty()) {
    append_wheels(fs::path(*home) / ".local", folders);
  }
  append_wheels("/usr/local", folders);
  std::erase_if(folders, [](const fs::path& folder) { return !is_folder(folder); });
  remove_doubles(folders);
  return folders;
}

std::vector<CudaLibrary> find_cuda_libraries(const std::vector<fs::path>& folders) {
  std::vector<CudaLibrary> libraries;
  for (const char* file : kLibraries) {
    CudaLibrary library{.file = file, .path = {}, .loaded = false};
    for (const fs::path& folder : folders) {
      std::error_code ignored;
      if (fs::is_regular_file(folder / file, ignored)) {  // opening a pipe would block
        library.path = folder / file;
        break;
      }
    }
    libraries.push_back(std::move(library));
  }
  return libraries;
}

CudaSetup default_cuda_setup() {
  const fs::path own = core::plugin_folder();
  const fs::path program = core::own_program().parent_path();
  return {.plugin = own / "libdlbench_cuda.so",
          .folders = cuda_library_folders(core::environment_variable, {own, program})};
}

std::string load_cuda(const CudaSetup& setup) {
  std::error_code ignored;
  if (dlopen(setup.driver.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr) {
    const bool plugin = fs::exists(setup.plugin, ignored);
    return core::driver_refusal(setup.driver) +
           (plugin ? "" : ", and this installation has no CUDA plug-in");
  }
  Refused refused;
  if (fs::exists(setup.plugin, ignored)) {
    // Once a library is loaded, others that depend on its name find it, wherever its file is.
    for (const CudaLibrary& library : find_cuda_libraries(setup.folders)) {
      if (library.path.empty()) {
        continue;
      }
      if (const std::string defect = core::library_defect(library.path); !defect.empty()) {
        refused.emplace_back(library.file, library.path.string() + " " + defect);
      } else if (dlopen(library.path.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr) {
        refused.emplace_back(
            library.file, library.path.string() + " does not load: " + core::last_loader_error());
      }
    }
  }
  const core::PluginStatus status = core::load_plugin_file(setup.plugin);
  if (!status.loaded) {
    return explain(status, setup, refused);
  }
  for (const auto& [file, reason] : refused) {
    if (file == kProfilerLibrary) {
      core::log::warn(reason);  // the probes, which open it later, would only report it as missing
    }
  }
  return "";
}

std::vector<CudaLibrary> cuda_libraries(const CudaSetup& setup) {
  std::error_code ignored;
  if (!fs::exists(setup.plugin, ignored)) {
    return {};
  }
  std::vector<CudaLibrary> libraries = find_cuda_libraries(setup.folders);
  for (CudaLibrary& library : libraries) {
    void* const handle = dlopen(library.file.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    const link_map* map = nullptr;
    if (handle != nullptr && dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0) {
      library.path = map->l_name;
      library.loaded = true;
    }
    if (handle != nullptr) {
      dlclose(handle);
    }
  }
  return libraries;
}

void register_cuda() {
  static const bool done = [] {
    const auto known = backend_names();
    if (std::find(known.begin(), known.end(), "cuda") != known.end()) {
      return true;  // loaded by name
    }
    std::string reason = load_cuda(default_cuda_setup());
    if (!reason.empty()) {
      register_backend({.name = "cuda",
                        .priority = kCudaPriority,
                        .unavailable_reason = [reason] { return reason; },
                        .create = nullptr});
    }
    return true;
  }();
  static_cast<void>(done);
}

}  // namespace dlbench::backend
