// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/plugin.h"

#include "engine/core/library_file.h"

#include "build_id.h"
#include <dlfcn.h>

#include <exception>
#include <utility>

namespace dlbench::core {
namespace {

std::vector<PluginStatus>& attempts() {
  static std::vector<PluginStatus> list;
  return list;
}

constexpr std::string_view kPrefix = "libdlbench_";

// Loads and registers a plug-in. Returns why it failed, empty if it did not.
std::string open_and_register(const std::filesystem::path& path, std::string& name) {
  if (const std::string defect = library_defect(path); !defect.empty()) {
    return "'" + path.string() + "' " + defect;
  }
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return last_loader_error();
  }
  using Entry = const PluginInfo* (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(library, "dlbench_plugin"));
  if (entry == nullptr) {
    return "'" + path.string() + "' has no function dlbench_plugin";
  }
  const PluginInfo* info = entry();
  if (info == nullptr || info->abi != kPluginAbi) {
    return "its plug-in interface is version " + std::to_string(info == nullptr ? 0 : info->abi) +
           ", this program's is " + std::to_string(kPluginAbi);
  }
  if (std::string_view(info->build_id) != DLBENCH_BUILD_ID) {
    return std::string("it is of build ") + info->build_id + ", this program of " +
           DLBENCH_BUILD_ID + ": install both from one build";
  }
  const std::string stem = path.stem().string();
  if (stem.starts_with(kPrefix) && stem.substr(kPrefix.size()) != info->name) {
    return "'" + path.string() + "' is the plug-in '" + info->name + "' under another name";
  }
  name = info->name;
  try {
    info->register_all();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace

std::string last_loader_error() {
  const char* message = dlerror();
  return message == nullptr ? "the dynamic loader gives no reason" : message;
}

std::string driver_refusal(const std::string& library) {
  const std::string reason = last_loader_error();
  return reason.starts_with(library + ": cannot open shared object file: No such file")
             ? "no NVIDIA driver on this machine: " + library + " cannot be loaded"
             : "the NVIDIA driver does not load: " + reason;
}

PluginStatus load_plugin_file(const std::filesystem::path& path) {
  for (const PluginStatus& known : attempts()) {
    if (known.path == path) {
      return known;
    }
  }
  PluginStatus status{.name = path.stem().string(), .path = path};
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) {
    status.reason = open_and_register(path, status.name);
    status.loaded = status.reason.empty();
  } else {
    status.reason = "'" + path.string() + "' is not there";
  }
  attempts().push_back(status);
  return status;
}

std::filesystem::path plugin_folder() {
  Dl_info info{};
  // Any symbol of this library will do; this function is one.
  if (dladdr(reinterpret_cast<const void*>(&plugin_attempts), &info) == 0 ||
      info.dli_fname == nullptr) {
    return {};
  }
  std::error_code ignored;
  return std::filesystem::weakly_canonical(info.dli_fname, ignored).parent_path();
}

PluginStatus load_plugin(std::string_view name) {
  return load_plugin_file(plugin_folder() / (std::string(kPrefix) + std::string(name) + ".so"));
}

std::vector<PluginStatus> plugin_attempts() { return attempts(); }

}  // namespace dlbench::core
