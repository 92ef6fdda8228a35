// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/decoders/jpeg_huffman.h"

#include <algorithm>
#include <cstdlib>

namespace dlbench::data::detail {
namespace {

/// Natural position of the k-th coefficient in zigzag order (T.81, figure A.6); behind the last, 0.
constexpr std::array<std::uint8_t, 64 + 16> kNaturalOrder{
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
    41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
    30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

// Dequantised coefficients of an 8-bit image stay below 2^11, errors of quantisation included.
// Above that, sums in vector code of 16 bits might wrap in another way than here.
constexpr int kCoefficientLimit = 4096;  // a power of two

/// The code at the front of the bits; length 0: not a code. Takes nothing.
inline JpegHuffmanTable::Entry look(std::uint64_t bits, const JpegHuffmanTable& table) {
  JpegHuffmanTable::Entry entry = table.look(bits);
  if (entry.length == 0) [[unlikely]] {
    entry = table.search(bits);
  }
  return entry;
}

/// T.81, figure F.12: the upper half of the magnitudes of a size are the positive numbers, the
/// lower half the negative ones, shifted by 2^size - 1. Indexed by 64 - size.
constexpr std::array<int, 65> kNegativeOffset = [] {
  std::array<int, 65> offsets{};
  for (int size = 0; size < 16; ++size) {
    offsets[static_cast<std::size_t>(64 - size)] = 1 - (1 << size);
  }
  return offsets;
}();

/// The coefficient whose magnitude lies behind a code in the bits.
inline int coefficient(std::uint64_t bits, JpegHuffmanTable::Entry entry) {
  const std::uint64_t magnitude = bits << entry.length;
  const auto all_ones_if_positive = static_cast<int>(static_cast<std::int64_t>(magnitude) >> 63);
  return static_cast<int>(magnitude >> entry.shift) +
         (kNegativeOffset[entry.shift] & ~all_ones_if_positive);
}

JpegHuffmanTable::Entry make_entry(std::uint8_t symbol, int length) {
  const int size = symbol & 15;
  return {static_cast<std::uint8_t>((symbol >> 4) + 1),
          static_cast<std::uint8_t>(64 - size),
          static_cast<std::uint8_t>(length),
          static_cast<std::uint8_t>(length + size)};
}

}  // namespace

bool JpegHuffmanTable::build(std::span<const std::uint8_t, 16> counts,
                             std::span<const std::uint8_t> symbols) {
  present_ = false;
  entries_.fill({});
  std::uint32_t code = 0;
  std::uint32_t used = 0;
  for (int length = 1; length <= 16; ++length) {
    const auto at = static_cast<std::size_t>(length);
    const std::uint32_t count = counts[at - 1];
    if (code + count > (1U << length) || used + count > symbols.size()) {
      return false;
    }
    first_code_[at] = code;
    code_count_[at] = count;
    first_symbol_[at] = used;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint8_t symbol = symbols[used + i];
      symbols_[used + i] = symbol;
      if (length > kLookBits) {
        continue;
      }
      const int free_bits = kLookBits - length;
      std::fill_n(entries_.begin() + static_cast<std::ptrdiff_t>((code + i) << free_bits),
                  std::size_t{1} << free_bits,
                  make_entry(symbol, length));
    }
    used += count;
    code = (code + count) << 1;
  }
  present_ = used == symbols.size();
  return present_;
}

JpegHuffmanTable::Entry JpegHuffmanTable::search(std::uint64_t bits) const {
  for (int length = kLookBits + 1; length <= 16; ++length) {
    const auto at = static_cast<std::size_t>(length);
    const auto code = static_cast<std::uint32_t>(bits >> (64 - length));
    if (code >= first_code_[at] && code - first_code_[at] < code_count_[at]) {
      return make_entry(symbols_[first_symbol_[at] + code - first_code_[at]], length);
    }
  }
  return {};
}

JpegBitReader JpegBitReader::refilled_bytewise(JpegBitReader reader) {
  if (reader.count_ < 64) {
    // The fast path leaves uncounted bits behind.
    reader.bits_ &= ~(~std::uint64_t{0} >> reader.count_);
  }
  while (reader.count_ <= 56) {
    const std::uint8_t* next = reader.next_;
    std::uint64_t byte = 0;
    if (next == reader.end_ || (next[0] == 0xFF && (reader.end_ - next < 2 || next[1] != 0))) {
      reader.padding_ += 8;  // a marker, or the end
    } else {
      byte = *next;
      reader.next_ += byte == 0xFF ? 2 : 1;  // 0xFF 0x00 stands for 0xFF
    }
    reader.bits_ |= byte << (56 - reader.count_);
    reader.count_ += 8;
  }
  return reader;
}

#if defined(__x86_64__)
// Shifts by a variable that leave flags and other registers alone; every processor with AVX2,
// without which the caller declines, has them.
__attribute__((target("bmi,bmi2")))
#endif
bool decode_jpeg_block(JpegBitReader& shared_reader,
                       const JpegHuffmanTable& dc_table,
                       const JpegHuffmanTable& ac_table,
                       const JpegQuantisation& quantisation,
                       int& dc,
                       JpegBlock& block,
                       bool& has_ac) {
  block = {};
  JpegBitReader reader = shared_reader;
  reader.refill();
  const JpegHuffmanTable::Entry dc_entry = look(reader.bits(), dc_table);
  if (dc_entry.length == 0 || dc_entry.advance != 1 || dc_entry.shift < 64 - 11) {
    return false;
  }
  if (dc_entry.shift < 64) {
    dc += coefficient(reader.bits(), dc_entry);
  }
  reader.drop(dc_entry.total);
  int value = dc * quantisation.factors[0];
  block.values[0] = static_cast<std::int16_t>(value);
  // Every bit that any value + limit had: one comparison at the end instead of one per value.
  auto seen = static_cast<unsigned>(value + kCoefficientLimit);
  std::size_t k = 0;
  while (k < 63) {
    if (reader.count() < 32) {
      reader.refill();
    }
    const std::uint64_t bits = reader.bits();
    const JpegHuffmanTable::Entry entry = look(bits, ac_table);
    reader.drop(entry.total);
    k += entry.advance;
    if (entry.shift == 64) [[unlikely]] {
      if (entry.advance == 16 && entry.length != 0) {
        continue;  // a run of 16 zeros
      }
      if (entry.advance != 1 || entry.length == 0) {
        return false;
      }
      --k;  // the end of the block is no coefficient
      break;
    }
    value = coefficient(bits, entry) * quantisation.factors[k];
    seen |= static_cast<unsigned>(value + kCoefficientLimit);
    block.values[kNaturalOrder[k]] = static_cast<std::int16_t>(value);
  }
  has_ac = k > 0;
  shared_reader = reader;
  return k < 64 && seen < 2 * kCoefficientLimit;
}

}  // namespace dlbench::data::detail
