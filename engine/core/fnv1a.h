// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// FNV-1a, 64 bit: a hash that is the same on every machine and in every version, for hashes that
// are compared between ranks or seed random draws. Not cryptographic, not for hash tables.
#pragma once

#include <cstdint>
#include <string_view>

namespace dlbench::core {

/// Incremental hash. Offset basis and 64-bit prime: http://www.isthe.com/chongo/tech/comp/fnv/
class Fnv1a {
 public:
  constexpr void add(std::uint8_t byte) { hash_ = (hash_ ^ byte) * 1099511628211ULL; }
  /// Adds the characters only: a caller that adds several texts adds their lengths too.
  constexpr void add(std::string_view text) {
    for (const char c : text) {
      add(static_cast<std::uint8_t>(c));
    }
  }
  /// Adds the 8 bytes of `word`, lowest byte first.
  constexpr void add(std::uint64_t word) {
    for (int byte = 0; byte < 8; ++byte) {
      add(static_cast<std::uint8_t>(word & 0xFFU));
      word >>= 8U;
    }
  }
  [[nodiscard]] constexpr std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 14695981039346656037ULL;
};

[[nodiscard]] constexpr std::uint64_t fnv1a(std::string_view text) {
  Fnv1a hash;
  hash.add(text);
  return hash.value();
}

}  // namespace dlbench::core
