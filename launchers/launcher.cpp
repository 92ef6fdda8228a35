// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "launchers/launcher.h"

#include "engine/core/named_registry.h"

#include <utility>

namespace dlbench::launchers {
namespace {

using Registry = core::NamedRegistry<std::unique_ptr<const Launcher>>;

Registry& registry() {
  static Registry launchers("launcher");
  return launchers;
}

}  // namespace

LauncherRegistration::LauncherRegistration(std::unique_ptr<const Launcher> launcher) {
  const std::string name = launcher->spec().name;
  registry().add(name, std::move(launcher));
}

std::vector<std::string> launcher_names() { return registry().names(); }

const Launcher& find_launcher(std::string_view name) { return *registry().find(name); }

}  // namespace dlbench::launchers
