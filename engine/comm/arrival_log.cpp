// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/arrival_log.h"

namespace dlbench::comm {

/// Hashes the number, since every n-th collective could always be the same one of a step. This is
/// the finaliser of SplitMix64 (Steele, Lea, Flood 2014, doi:10.1145/2660193.2660195).
bool ArrivalLog::drawn(std::uint64_t number) const {
  std::uint64_t mixed = number + 0x9e3779b97f4a7c15ULL;
  mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebULL;
  mixed ^= mixed >> 31U;
  return mixed % one_of_ == 0;
}

void ArrivalLog::add(std::optional<double> ahead_s) {
  const std::uint64_t number = next_++;
  if (!ahead_s.has_value() || !drawn(number)) {
    return;
  }
  while (entries_.size() == kMax) {
    one_of_ *= 2;
    std::erase_if(entries_, [this](const Entry& entry) { return !drawn(entry.number); });
  }
  if (drawn(number)) {
    entries_.push_back({number, *ahead_s});
  }
}

std::vector<double> ArrivalLog::take() {
  std::vector<double> taken;
  taken.reserve(entries_.size());
  for (const Entry& entry : entries_) {
    taken.push_back(entry.ahead_s);
  }
  entries_.clear();
  next_ = 0;
  one_of_ = 1;
  return taken;
}

}  // namespace dlbench::comm
