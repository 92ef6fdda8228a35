// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// For files of a plug-in that add themselves: each plug-in has a list of its own, which its
// register_all() walks.
#pragma once

namespace dlbench::core {

/// A constant of this type in a file of a plug-in does `add` once the plug-in's build id was
/// checked. A registration that the dynamic loader makes would come before that, and leave what a
/// plug-in of another build has in the registries of a program that refused it. Hidden, for the
/// loader makes one object of all that have the name of a visible one, whichever plug-in they are
/// of.
class __attribute__((visibility("hidden"))) PluginPart {
 public:
  explicit PluginPart(void (*add)()) : add_(add), next_(first_) { first_ = this; }
  PluginPart(const PluginPart&) = delete;
  PluginPart& operator=(const PluginPart&) = delete;

  /// All of this plug-in.
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
