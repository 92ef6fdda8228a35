// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Self-registration of the files of a plug-in: each plug-in has its own list, which its
// register_all() walks.
#pragma once

namespace dlbench::core {

/// A constant of this type in a file of a plug-in calls `add` once the plug-in's build id has been
/// checked. Registration by static initialisers would run before that check and leave the items of
/// a plug-in of another build in the registries of a program that then refuses it. Hidden, because
/// the loader merges visible symbols of the same name across plug-ins.
class __attribute__((visibility("hidden"))) PluginPart {
 public:
  explicit PluginPart(void (*add)()) : add_(add), next_(first_) { first_ = this; }
  PluginPart(const PluginPart&) = delete;
  PluginPart& operator=(const PluginPart&) = delete;

  /// Calls `add` of every part of this plug-in.
  static void add_all() {
    for (const PluginPart* part = first_; part != nullptr; part = part->next_) {
      part->add_();
    }
  }

 private:
  static inline const PluginPart* first_ = nullptr;
  void (*add_)();
  const PluginPart* next_;
};

}  // namespace dlbench::core
