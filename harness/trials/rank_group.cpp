// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/rank_group.h"

#include "engine/core/affinity.h"
#include "engine/core/check.h"
#include "probes/system_info.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <type_traits>

namespace dlbench::harness {

static_assert(std::is_trivially_copyable_v<RankShare>);

namespace {

std::string bytes_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string affinity_text() {
  const std::vector<int> cpus = core::affinity_cpus();
  return bytes_of(std::as_bytes(std::span(cpus)));
}

bool have_common_cpu(const std::string& mine, const std::string& other) {
  const auto cpus = [](const std::string& text) {
    std::vector<int> list(text.size() / sizeof(int));
    std::memcpy(list.data(), text.data(), text.size());
    return list;
  };
  const std::vector<int> a = cpus(mine);
  const std::vector<int> b = cpus(other);
  return std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) != a.end();
}

}  // namespace

RankGroup::RankGroup(comm::Rendezvous& ranks) : ranks_(ranks) {
  if (size() == 1) {
    return;
  }
  // All masks on all ranks: lengths first, since they may differ.
  std::vector<std::string> masks = ranks_.gather(affinity_text());
  masks.resize(static_cast<std::size_t>(size()));
  for (std::string& mask : masks) {
    const std::int64_t length = agree(static_cast<std::int64_t>(mask.size()));
    mask.resize(static_cast<std::size_t>(length));
    ranks_.broadcast(std::as_writable_bytes(std::span(mask.data(), mask.size())));
  }
  const auto own = static_cast<std::size_t>(rank());
  for (std::size_t other = 0; other < masks.size(); ++other) {
    if (other != own && places()[other].node == places()[own].node &&
        have_common_cpu(masks[own], masks[other])) {
      sharers_.push_back(static_cast<int>(other));
    }
  }
}

std::vector<std::vector<double>> RankGroup::gather(const std::vector<double>& values) {
  if (size() == 1) {
    return {values};
  }
  std::vector<std::vector<double>> lists;
  for (const std::string& text : ranks_.gather(bytes_of(std::as_bytes(std::span(values))))) {
    lists.emplace_back(text.size() / sizeof(double));
    std::memcpy(lists.back().data(), text.data(), text.size());
  }
  return lists;
}

double RankGroup::cpu_s_of_sharers(const std::vector<RankShare>& shares) const {
  double sum = 0.0;
  for (const int rank : sharers_) {
    sum += shares[static_cast<std::size_t>(rank)].cpu_s;
  }
  return sum;
}

double RankGroup::agree(double value) {
  ranks_.broadcast(std::as_writable_bytes(std::span(&value, 1)));
  return value;
}

std::int64_t RankGroup::agree(std::int64_t value) {
  ranks_.broadcast(std::as_writable_bytes(std::span(&value, 1)));
  return value;
}

bool RankGroup::agree(bool value) { return agree(std::int64_t{value ? 1 : 0}) != 0; }

bool RankGroup::any(bool value) { return max(value ? 1.0 : 0.0) > 0.0; }

double RankGroup::max(double value) {
  if (size() == 1) {
    return value;
  }
  const std::vector<double> values = ranks_.all_gather(value);
  return *std::max_element(values.begin(), values.end());
}

std::vector<RankShare> RankGroup::exchange(const RankShare& mine) {
  if (size() == 1) {
    return {mine};
  }
  const std::vector<std::string> texts =
      ranks_.gather(bytes_of(std::as_bytes(std::span(&mine, 1))));
  std::vector<RankShare> shares(static_cast<std::size_t>(size()));
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    DLBENCH_CHECK(texts[rank].size() == sizeof mine) << texts[rank].size() << " bytes";
    std::memcpy(&shares[rank], texts[rank].data(), sizeof mine);
  }
  ranks_.broadcast(std::as_writable_bytes(std::span(shares)));
  return shares;
}

std::vector<double> RankGroup::sum(const std::vector<double>& values) {
  if (size() == 1) {
    return values;
  }
  const std::vector<std::string> texts = ranks_.gather(bytes_of(std::as_bytes(std::span(values))));
  std::vector<double> sums(values.size(), 0.0);
  std::vector<double> part(values.size());
  for (const std::string& text : texts) {
    DLBENCH_CHECK(text.size() == part.size() * sizeof(double)) << text.size() << " bytes";
    std::memcpy(part.data(), text.data(), text.size());
    std::transform(sums.begin(), sums.end(), part.begin(), sums.begin(), std::plus<>());
  }
  ranks_.broadcast(std::as_writable_bytes(std::span(sums)));
  return sums;
}

}  // namespace dlbench::harness
