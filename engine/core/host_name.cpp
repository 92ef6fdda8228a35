// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/host_name.h"

#include <unistd.h>

#include <array>
#include <fstream>
#include <sstream>

namespace dlbench::core {

std::string host_name() {
  std::array<char, 256> name{};
  const bool known = gethostname(name.data(), name.size() - 1) == 0;
  return first_word_or_localhost(known ? name.data() : "");
}

std::string boot_id() {
  std::string id;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
  return id;
}

std::string first_word_or_localhost(const std::string& kernel_name) {
  std::string word;
  std::istringstream(kernel_name) >> word;
  return word.empty() ? "localhost" : word;
}

}  // namespace dlbench::core
