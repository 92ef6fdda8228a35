// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/parallel.h"
#include "harness/commands/command_line.h"

int main(int argc, char** argv) {
  dlbench::core::restart_without_openmp_binding(argv);
  return dlbench::harness::run_command_line(argc, argv);
}
