// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/command_line.h"

int main(int argc, char** argv) { return dlbench::harness::run_command_line(argc, argv); }
