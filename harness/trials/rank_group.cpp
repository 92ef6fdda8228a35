// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/rank_group.h"

#include "engine/core/affinity.h"
#include "engine/core/check.h"
#include "harness/node_cpus.h"
#include "probes/node/system_info.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string>

namespace dlbench::harness {

namespace {

std::string bytes_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Inverts bytes_of(). Not by memcpy, since an empty list has no address.
template <typename Number>
std::vector<Number> list_of(const std::string& bytes) {
  std::vector<Number> list(bytes.size() / sizeof(Number));
  std::ranges::copy(std::as_bytes(std::span(bytes)),
                    std::as_writable_bytes(std::span(list)).begin());
  return list;
}

std::string affinity_text() {
  const std::vector<int> cpus = core::affinity_cpus();
  return bytes_of(std::as_bytes(std::span(cpus)));
}

bool have_common_cpu(const std::vector<int>& a, const std::vector<int>& b) {
  return std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) != a.end();
}

}  // namespace

RankGroup::RankGroup(comm::Rendezvous& ranks) : ranks_(ranks) {
  const std::optional<double> quota = probes::own_cpu_quota();
  LaunchCpus launch;
  if (size() == 1) {
    launch.add(places()[0], core::affinity_cpus(), quota);
  } else {
    const std::vector<std::string> masks = ranks_.all_gather_text(affinity_text());
    const std::vector<double> quotas = ranks_.all_gather(quota.value_or(0.0));
    const auto own = static_cast<std::size_t>(rank());
    const std::vector<int> own_cpus = list_of<int>(masks[own]);
    for (std::size_t other = 0; other < masks.size(); ++other) {
      const comm::RankPlace& place = places()[other];
      const std::vector<int> cpus = list_of<int>(masks[other]);
      launch.add(place, cpus, quotas[other] > 0.0 ? std::optional(quotas[other]) : std::nullopt);
      if (other != own && place.machine == places()[own].machine) {
        cpus_of_others_.insert(cpus_of_others_.end(), cpus.begin(), cpus.end());
        if (have_common_cpu(own_cpus, cpus)) {
          sharers_.push_back(static_cast<int>(other));
        }
      }
    }
  }
  cores_ = launch.cores();
  cpu_capacity_ = launch.capacity();
}

bool RankGroup::others_run_on(const std::vector<int>& cpus) const {
  return have_common_cpu(cpus_of_others_, cpus);
}

std::vector<std::vector<double>> RankGroup::gather(const std::vector<double>& values) {
  if (size() == 1) {
    return {values};
  }
  std::vector<std::vector<double>> lists;
  for (const std::string& text : ranks_.gather(bytes_of(std::as_bytes(std::span(values))))) {
    lists.push_back(list_of<double>(text));
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

double RankGroup::broadcast(double value) {
  ranks_.broadcast(std::as_writable_bytes(std::span(&value, 1)));
  return value;
}

std::int64_t RankGroup::broadcast(std::int64_t value) {
  ranks_.broadcast(std::as_writable_bytes(std::span(&value, 1)));
  return value;
}

bool RankGroup::broadcast(bool value) { return broadcast(std::int64_t{value ? 1 : 0}) != 0; }

bool RankGroup::any(bool value) { return max(value ? 1.0 : 0.0) > 0.0; }

double RankGroup::max(double value) {
  if (size() == 1) {
    return value;
  }
  const std::vector<double> values = ranks_.all_gather(value);
  return *std::max_element(values.begin(), values.end());
}

std::vector<RankShare> RankGroup::all_gather(const RankShare& mine) {
  if (size() == 1) {
    return {mine};
  }
  return ranks_.all_gather(mine);
}

std::vector<double> RankGroup::sum(const std::vector<double>& values) {
  if (size() == 1) {
    return values;
  }
  const std::vector<std::string> texts = ranks_.gather(bytes_of(std::as_bytes(std::span(values))));
  std::vector<double> sums(values.size(), 0.0);
  for (const std::string& text : texts) {
    DLBENCH_CHECK(text.size() == sums.size() * sizeof(double)) << text.size() << " bytes";
    const std::vector<double> part = list_of<double>(text);
    std::transform(sums.begin(), sums.end(), part.begin(), sums.begin(), std::plus<>());
  }
  ranks_.broadcast(std::as_writable_bytes(std::span(sums)));
  return sums;
}

}  // namespace dlbench::harness
