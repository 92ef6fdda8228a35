// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/library_file.h"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <system_error>

namespace dlbench::core {
namespace {

std::string cut_off(std::uint64_t has, std::uint64_t needs) {
  return "is cut off: it has " + std::to_string(has) + " of at least " + std::to_string(needs) +
         " bytes";
}

}  // namespace

std::string library_defect(const std::filesystem::path& path) {
  std::error_code failed;
  const std::filesystem::file_status status = std::filesystem::status(path, failed);
  if (!std::filesystem::exists(status)) {
    return "";
  }
  if (!std::filesystem::is_regular_file(status)) {
    return "is no regular file";
  }
  const std::uint64_t size = std::filesystem::file_size(path, failed);
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header{};
  file.read(reinterpret_cast<char*>(&header), sizeof(header));
  if (failed || !file || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr)) {
    return "";
  }
  std::uint64_t needs = header.e_phoff + std::uint64_t{header.e_phnum} * sizeof(Elf64_Phdr);
  file.seekg(static_cast<std::streamoff>(header.e_phoff));
  for (int segment = 0; segment < header.e_phnum && needs <= size; ++segment) {
    Elf64_Phdr program{};
    file.read(reinterpret_cast<char*>(&program), sizeof(program));
    if (file && program.p_type == PT_LOAD) {
      needs = std::max(needs, program.p_offset + program.p_filesz);
    }
  }
  return needs > size ? cut_off(size, needs) : "";
}

}  // namespace dlbench::core
