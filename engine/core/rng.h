// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Philox4x32-10, the counter-based generator of every random number in dlbench. A number depends
// only on its key and counter, so N ranks draw what one rank draws and any thread may draw any
// part.
#pragma once

#include <array>
#include <cstdint>

namespace dlbench::core {

using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

[[nodiscard]] constexpr PhiloxCounter philox_round(const PhiloxCounter& counter,
                                                   const PhiloxKey& key) {
  constexpr std::uint32_t kMultiplier0 = 0xD2511F53U;
  constexpr std::uint32_t kMultiplier1 = 0xCD9E8D57U;
  const std::uint64_t product0 = std::uint64_t{kMultiplier0} * counter[0];
  const std::uint64_t product1 = std::uint64_t{kMultiplier1} * counter[2];
  return {static_cast<std::uint32_t>(product1 >> 32U) ^ counter[1] ^ key[0],
          static_cast<std::uint32_t>(product1),
          static_cast<std::uint32_t>(product0 >> 32U) ^ counter[3] ^ key[1],
          static_cast<std::uint32_t>(product0)};
}

/// The key of the round after that of `key`.
[[nodiscard]] constexpr PhiloxKey next_philox_key(const PhiloxKey& key) {
  constexpr std::uint32_t kWeyl0 = 0x9E3779B9U;  // golden ratio
  constexpr std::uint32_t kWeyl1 = 0xBB67AE85U;  // sqrt(3) - 1
  return {key[0] + kWeyl0, key[1] + kWeyl1};
}

/// Philox4x32-10: 128 random bits from a 128-bit counter and a 64-bit key.
/// Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC11, section 3.3;
/// checked against the known answers of Random123 in the tests.
[[nodiscard]] constexpr PhiloxCounter philox4x32(PhiloxCounter counter, PhiloxKey key) {
  for (int round = 0; round < 10; ++round) {
    counter = philox_round(counter, key);
    key = next_philox_key(key);
  }
  return counter;
}

/// The keys of all rounds, for code that draws many blocks with one key: nvcc generates a quarter
/// more instructions if each round computes its key.
struct PhiloxKeys {
  PhiloxKey round[10] = {};

  constexpr explicit PhiloxKeys(PhiloxKey key) {
    for (PhiloxKey& of_round : round) {
      of_round = key;
      key = next_philox_key(key);
    }
  }
};
[[nodiscard]] constexpr PhiloxCounter philox4x32(PhiloxCounter counter, const PhiloxKeys& keys) {
  for (const PhiloxKey& key : keys.round) {
    counter = philox_round(counter, key);
  }
  return counter;
}

/// Uniform in [0, 1) with 24 bits: exactly representable in f32.
[[nodiscard]] constexpr float uniform_from_bits(std::uint32_t bits) {
  return static_cast<float>(bits >> 8U) * 0x1p-24F;
}

[[nodiscard]] constexpr PhiloxKey seed_key(std::uint64_t seed) {
  return {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U)};
}

/// The random bits of one element of a per-sample draw (dropout masks). One Philox block gives four
/// consecutive elements: element e takes word e % 4 of block e / 4.
/// Key: seed. Counter: (block, node, sample in the global batch, step), so the mask depends neither
/// on the number of ranks nor on the backend. block, sample and step enter with their low 32 bits.
[[nodiscard]] constexpr PhiloxCounter sample_random_block(const PhiloxKeys& keys,
                                                          std::int64_t step,
                                                          std::int32_t node,
                                                          std::int64_t sample,
                                                          std::int64_t block) {
  return philox4x32({static_cast<std::uint32_t>(block),
                     static_cast<std::uint32_t>(node),
                     static_cast<std::uint32_t>(sample),
                     static_cast<std::uint32_t>(step)},
                    keys);
}
[[nodiscard]] constexpr PhiloxCounter sample_random_block(std::uint64_t seed,
                                                          std::int64_t step,
                                                          std::int32_t node,
                                                          std::int64_t sample,
                                                          std::int64_t block) {
  return sample_random_block(PhiloxKeys(seed_key(seed)), step, node, sample, block);
}

/// A sequential stream of numbers for set-up work: shuffles, initial weights, generated data.
/// Streams with different (seed, stream) are independent.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::uint64_t stream) : seed_(seed), stream_(stream) {}

  std::uint32_t next_u32();
  /// Uniform in [0, bound), unbiased; bound > 0.
  std::uint32_t below(std::uint32_t bound);
  /// Uniform in [0, 1).
  float uniform() { return uniform_from_bits(next_u32()); }
  /// Uniform in [low, high).
  float uniform(float low, float high) { return low + (high - low) * uniform(); }
  /// Standard normal (Box-Muller).
  float normal();

 private:
  std::uint64_t seed_;
  std::uint64_t stream_;
  std::uint64_t block_ = 0;
  std::array<std::uint32_t, 4> words_{};
  int used_ = 4;
};

}  // namespace dlbench::core
