// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Huffman decoding of JPEG blocks: ITU-T T.81, annexes C (tables) and F.2.2 (procedure).
#pragma once

#include "data/decoders/jpeg_arithmetic.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace dlbench::data::detail {

/// One Huffman table. The next kLookBits bits select the entry of a short code.
class JpegHuffmanTable {
 public:
  static constexpr int kLookBits = 10;

  struct Entry {
    std::uint8_t advance = 0;  ///< zeros before the coefficient + 1
    std::uint8_t shift = 64;   ///< 64 - bits of the magnitude; 64: no magnitude follows
    std::uint8_t length = 0;   ///< bits of the code; 0: longer than kLookBits, or no code
    std::uint8_t total = 0;    ///< bits of code and magnitude
  };

  /// `counts`: codes of length 1 to 16; `symbols`: in order of their codes. False if they are no
  /// valid table.
  bool build(std::span<const std::uint8_t, 16> counts, std::span<const std::uint8_t> symbols);
  [[nodiscard]] bool present() const { return present_; }
  [[nodiscard]] Entry look(std::uint64_t bits) const { return entries_[bits >> (64 - kLookBits)]; }
  /// For codes longer than kLookBits: symbol and code length, length 0 if there is no such code.
  [[nodiscard]] Entry search(std::uint64_t bits) const;

 private:
  std::array<Entry, std::size_t{1} << kLookBits> entries_{};
  std::array<std::uint32_t, 17> first_code_{};  ///< of each length
  std::array<std::uint32_t, 17> code_count_{};
  std::array<std::uint32_t, 17> first_symbol_{};
  std::array<std::uint8_t, 256> symbols_{};
  bool present_ = false;
};

/// The bits of entropy-coded data. Ends at a marker: from there on it delivers zeros and counts
/// them. A plain value whose address is never taken, so that a local copy stays in registers.
class JpegBitReader {
 public:
  explicit JpegBitReader(std::span<const std::uint8_t> data)
      : next_(data.data()), end_(data.data() + data.size()) {}

  /// Afterwards at least 57 bits can be looked at.
  void refill() {
    if (end_ - next_ >= 8) [[likely]] {
      std::uint64_t word = 0;
      std::memcpy(&word, next_, sizeof(word));
      // A byte 0xFF in the word: a byte 0 in its complement (the classic test for a zero byte).
      const std::uint64_t inverse = ~word;
      if (((inverse - 0x0101010101010101U) & ~inverse & 0x8080808080808080U) == 0) [[likely]] {
        const int bytes = (64 - count_) >> 3;
        if (bytes > 0) {
          // Bits beyond the counted ones are those of the next byte: they come again, equal.
          bits_ |= __builtin_bswap64(word) >> count_;
          next_ += bytes;
          count_ += 8 * bytes;
        }
        return;
      }
    }
    *this = refilled_bytewise(*this);
  }
  [[nodiscard]] std::uint64_t bits() const { return bits_; }
  [[nodiscard]] int count() const { return count_; }
  void drop(int bits) {
    bits_ <<= bits;
    count_ -= bits;
  }
  /// All bits were used but the padding to a full byte, and a marker follows at position().
  [[nodiscard]] bool at_marker() const {
    const int real = count_ - padding_;
    return real >= 0 && real < 8 && end_ - next_ >= 2 && next_[0] == 0xFF && next_[1] != 0;
  }
  [[nodiscard]] const std::uint8_t* position() const { return next_; }
  /// Goes on behind the two bytes of a marker.
  void skip_marker() {
    next_ += 2;
    bits_ = 0;
    count_ = 0;
    padding_ = 0;
  }

 private:
  static JpegBitReader refilled_bytewise(JpegBitReader reader);

  const std::uint8_t* next_;
  const std::uint8_t* end_;
  std::uint64_t bits_ = 0;  ///< left-aligned
  int count_ = 0;
  int padding_ = 0;  ///< of count_, zeros behind the end
};

/// Where the coefficients of a block go and what they are multiplied with, in zigzag order. A run
/// of zeros may lead up to 16 beyond the last before that is noticed.
struct JpegQuantisation {
  std::array<std::uint16_t, 64 + 16> factors{};
};

/// Decodes one block and multiplies by `quantisation`. `dc` is the predictor. `has_ac`: whether
/// there may be other coefficients than the first. False if the data is not valid, or a coefficient
/// is larger than any 8-bit image has.
bool decode_jpeg_block(JpegBitReader& reader,
                       const JpegHuffmanTable& dc_table,
                       const JpegHuffmanTable& ac_table,
                       const JpegQuantisation& quantisation,
                       int& dc,
                       JpegBlock& block,
                       bool& has_ac);

}  // namespace dlbench::data::detail
