// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "launchers/launcher.h"

#include "engine/core/check.h"
#include "engine/core/error.h"
#include "engine/core/nearest_name.h"

#include <map>
#include <utility>

namespace dlbench::launchers {
namespace {

std::map<std::string, std::unique_ptr<const Launcher>, std::less<>>& registered() {
  static std::map<std::string, std::unique_ptr<const Launcher>, std::less<>> launchers;
  return launchers;
}

}  // namespace

LauncherRegistration::LauncherRegistration(std::unique_ptr<const Launcher> launcher) {
  const std::string name = launcher->spec().name;
  const bool added = registered().emplace(name, std::move(launcher)).second;
  DLBENCH_CHECK(added) << "two launchers are called '" << name << "'";
}

std::vector<std::string> launcher_names() {
  std::vector<std::string> names;
  for (const auto& [name, launcher] : registered()) {
    names.push_back(name);
  }
  return names;
}

const Launcher& find_launcher(std::string_view name) {
  const auto found = registered().find(name);
  if (found == registered().end()) {
    throw core::Error(core::ErrorCode::kUsage,
                      core::unknown_name_message("launcher", name, launcher_names()));
  }
  return *found->second;
}

}  // namespace dlbench::launchers
