// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/faults/fault_notes.h"

#include "reports/atomic_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <system_error>

namespace dlbench::harness {
namespace {

std::string to_text(const Fault& fault) {
  return fmt::format("{} {} {} {:.6f}\n{}\n{}\n{}\n{}\n",
                     fault.rank,
                     static_cast<int>(fault.code),
                     fault.collective,
                     fault.noticed_s,
                     fault.host,
                     fault.phase,
                     fault.op,
                     fault.detail);
}

std::optional<Fault> read_note(const std::string& path) {
  std::ifstream file(path);
  Fault fault;
  int code = 0;
  file >> fault.rank >> code >> fault.collective >> fault.noticed_s;
  file.ignore(1);
  std::getline(file, fault.host);
  std::getline(file, fault.phase);
  std::getline(file, fault.op);
  std::getline(file, fault.detail);
  if (!file) {
    return std::nullopt;
  }
  fault.code = static_cast<core::ErrorCode>(code);
  return fault;
}

}  // namespace

std::string FaultNotes::path(int node) const {
  return fmt::format("{}.fault-{}-{}", report_, facts_.launch, node);
}

void FaultNotes::leave(const Fault& fault) const {
  reports::write_file_atomically(path(facts_.node), to_text(fault));
}

std::optional<Fault> FaultNotes::find() const {
  std::optional<Fault> earliest;
  for (int node = 0; node < facts_.nodes; ++node) {
    const std::optional<Fault> note = node == facts_.node ? std::nullopt : read_note(path(node));
    if (note.has_value() && (!earliest.has_value() || note->noticed_s < earliest->noticed_s)) {
      earliest = note;
    }
  }
  return earliest;
}

void FaultNotes::clear() const {
  for (int node = 0; node < facts_.nodes; ++node) {
    std::error_code ignored;
    std::filesystem::remove(path(node), ignored);
  }
}

}  // namespace dlbench::harness
