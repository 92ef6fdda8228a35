// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// ITU-T T.81, annex F.2.2. The data between two markers, a segment, is first copied without the
// zeros that follow 0xFF bytes, so that bits can be read eight bytes at a time; zeros appended to
// it replace a bounds test in the inner loop.
//
// libjpeg's modules are structs of function pointers that begin with the members in jpegint.h; this
// decoder is one more.
#include "data/decoders/jpeg_huffman_decoder.h"

#include "data/decoders/jpeg_modules_internal.h"

#include <jerror.h>
// libjpeg-turbo 3 also has lossless files, for which this decoder is untested.
#if defined(DLBENCH_HAS_JPEG_MODULES) && LIBJPEG_TURBO_VERSION_NUMBER < 3000000
#define DLBENCH_HAS_JPEG_HUFFMAN_DECODER
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

namespace dlbench::data {

#if defined(DLBENCH_HAS_JPEG_HUFFMAN_DECODER)
namespace {

constexpr unsigned kPeekBits = 11;
constexpr unsigned kMaxCodeBits = 16;
constexpr unsigned kMaxBits = kMaxCodeBits + 15;  // of code and value
// Zeros behind a segment: an MCU's bytes plus the reader's look-ahead.
constexpr std::size_t kZeros =
    D_MAX_BLOCKS_IN_MCU * DCTSIZE2 * kMaxBits / 8 + 2 * sizeof(std::uint64_t);

/// Positions in a block of coefficients in zigzag order. Those beyond the last, caused by damage,
/// map to the last (as in libjpeg).
constexpr auto kNaturalOrder = [] {
  std::array<std::uint8_t, 128> order{};
  order.fill(DCTSIZE2 - 1);
  int row = 0;
  int column = 0;
  for (std::size_t k = 0; k < DCTSIZE2; ++k) {
    order[k] = static_cast<std::uint8_t>(row * DCTSIZE + column);
    const bool is_upward = (row + column) % 2 == 0;
    int& ahead = is_upward ? column : row;
    int& back = is_upward ? row : column;
    if (ahead == DCTSIZE - 1) {
      ++back;
    } else {
      ++ahead;
      back = std::max(back - 1, 0);
    }
  }
  return order;
}();

/// A coefficient in coded form.
struct Coded {
  std::int16_t value;
  std::uint8_t advance;  ///< in zigzag order, from the one before; 64: there are no more
  std::uint8_t bits;     ///< of code and value; 0: not known, or there is no such code
};

/// `bits` begin with those of the value.
Coded make_coded(unsigned symbol, unsigned code_bits, std::uint64_t bits) {
  const unsigned zeros = symbol >> 4;
  const unsigned size = symbol & 15U;
  if (size == 0) {
    // 16 zeros, or the end of the block. Either way, the coefficient reached stays 0.
    return {0,
            static_cast<std::uint8_t>(zeros == 15 ? 16 : DCTSIZE2),
            static_cast<std::uint8_t>(code_bits)};
  }
  const int value = static_cast<int>(bits >> (64 - size));
  const bool is_positive = (bits >> 63) != 0;
  return {static_cast<std::int16_t>(is_positive ? value : value - (1 << size) + 1),
          static_cast<std::uint8_t>(zeros + 1),
          static_cast<std::uint8_t>(code_bits + size)};
}

/// A Huffman table, DC or AC: DC symbols have no zeros before the value and therefore the same
/// meaning.
class CodeTable {
 public:
  /// Returns whether it changed. libjpeg has checked that it is a prefix code.
  bool set(const JHUFF_TBL& source) {
    if (std::equal(counts_.begin(), counts_.end(), source.bits) &&
        std::equal(symbols_.begin(), symbols_.end(), source.huffval)) {
      return false;  // most files have the tables of annex K.3
    }
    std::copy_n(source.bits, counts_.size(), counts_.begin());
    std::copy_n(source.huffval, symbols_.size(), symbols_.begin());
    short_.fill({});
    unsigned code = 0;
    unsigned index = 0;
    for (unsigned bits = 1; bits <= kMaxCodeBits; ++bits) {
      first_symbol_[bits] = index - code;
      for (unsigned i = 0; i < counts_[bits]; ++i, ++code, ++index) {
        if (bits < kPeekBits) {
          set_short(symbols_[index], code, bits);
        }
      }
      end_[bits] = code << (kMaxCodeBits - bits);
      code <<= 1;
    }
    return true;
  }

  /// `bits`: the next ones, at least kMaxBits of them.
  [[nodiscard]] Coded look_up(std::uint64_t bits) const {
    const Coded& found = short_[bits >> (64 - kPeekBits)];
    if (found.bits != 0) {
      return found;
    }
    const unsigned code_bits = found.advance;
    return code_bits == 0
               ? search(bits)
               : make_coded(static_cast<unsigned>(found.value), code_bits, bits << code_bits);
  }

  /// `bits`: kPeekBits of them. Coded::bits is 0 if they do not contain the whole coefficient.
  [[nodiscard]] Coded look_up_short(std::size_t bits) const { return short_[bits]; }

 private:
  void set_short(unsigned symbol, unsigned code, unsigned code_bits) {
    const unsigned spare = kPeekBits - code_bits;
    const bool has_value = (symbol & 15U) <= spare;
    for (std::uint64_t behind = 0; behind < std::uint64_t{1} << spare; ++behind) {
      short_[(std::size_t{code} << spare) + behind] =
          has_value
              ? make_coded(symbol, code_bits, behind << (64 - spare))
              : Coded{static_cast<std::int16_t>(symbol), static_cast<std::uint8_t>(code_bits), 0};
    }
  }

  [[nodiscard]] Coded search(std::uint64_t bits) const {
    const auto code = static_cast<unsigned>(bits >> (64 - kMaxCodeBits));
    for (unsigned length = kPeekBits; length <= kMaxCodeBits; ++length) {
      if (code < end_[length]) {
        const unsigned index = first_symbol_[length] + (code >> (kMaxCodeBits - length));
        return make_coded(symbols_[index], length, bits << length);
      }
    }
    return {};
  }

  /// By the next bits; if `bits` is 0, `value` is the symbol and `advance` its code length, or 0.
  std::array<Coded, 1U << kPeekBits> short_{};
  std::array<unsigned, kMaxCodeBits + 1> end_{};           ///< of the codes of a length, in 16 bits
  std::array<unsigned, kMaxCodeBits + 1> first_symbol_{};  ///< less the first code, modulo 2^32
  std::array<std::uint8_t, kMaxCodeBits + 1> counts_{};
  std::array<std::uint8_t, 256> symbols_{};
};

/// Two consecutive coefficients. If there is only one, the second repeats it.
struct CodedPair {
  std::int16_t first_value, second_value;
  std::uint8_t first_advance, second_advance;
  std::uint8_t first_bits, bits;  ///< 0: not known
};

class PairTable {
 public:
  void set(const CodeTable& table) {
    for (std::size_t index = 0; index < pairs_.size(); ++index) {
      const Coded first = table.look_up_short(index);
      Coded second = table.look_up_short((index << first.bits) % pairs_.size());
      if (second.bits == 0 || first.bits + second.bits > kPeekBits) {
        second = {first.value, 0, 0};
      }
      pairs_[index] = {first.value,
                       second.value,
                       first.advance,
                       second.advance,
                       first.bits,
                       static_cast<std::uint8_t>(first.bits + second.bits)};
      if (first.bits == 0) {
        pairs_[index] = {.first_advance = DCTSIZE2};  // leaves the loop that does not ask for bits
      }
    }
  }

  [[nodiscard]] const CodedPair& look_up(std::uint64_t bits) const {
    return pairs_[bits >> (64 - kPeekBits)];
  }

 private:
  std::array<CodedPair, 1U << kPeekBits> pairs_{};
};

/// The bits of a segment, the next one highest. Bits beyond `count` are valid or 0.
struct BitReader {
  const std::uint8_t* next = nullptr;
  std::uint64_t bits = 0;
  unsigned count = 0;

  /// Refills to at least 56 bits.
  void fill() {
    std::uint64_t word = 0;
    std::memcpy(&word, next, sizeof(word));
    if constexpr (std::endian::native == std::endian::little) {
      word = __builtin_bswap64(word);
    }
    bits |= word >> count;
    next += (63 - count) / 8;
    count |= 56;
  }

  void drop(unsigned number) {
    bits <<= number;
    count -= number;
  }
};

/// How to decode a block of an MCU.
struct BlockPlan {
  const CodeTable* dc;
  const CodeTable* ac;
  const PairTable* ac_pairs;
  unsigned* mean;  ///< of its component's last block, which its own differs from
};

}  // namespace

struct JpegHuffmanDecoder::State : jpeg_entropy_decoder {
  std::array<CodeTable, NUM_HUFF_TBLS> dc_tables, ac_tables;
  std::array<PairTable, NUM_HUFF_TBLS> ac_pairs;
  std::vector<std::uint8_t> segment;  ///< with room for zeros behind it
  const std::uint8_t* segment_end = nullptr;
  BitReader reader;
  std::array<unsigned, MAX_COMPS_IN_SCAN> means{};
  std::array<BlockPlan, D_MAX_BLOCKS_IN_MCU> plans{};
  std::size_t blocks_in_mcu = 0;
  unsigned mcus_to_restart = 0;
  std::uint64_t mcus_left = 0;

  /// Begins at the source's next byte; leaves the source at the marker behind the segment.
  void begin_segment(jpeg_decompress_struct& info);
  /// Reports how many bytes are left over; libjpeg warns of them at the marker.
  void end_segment(jpeg_decompress_struct& info) const;
  void decode(jpeg_decompress_struct& info, JBLOCKROW* blocks);
};

namespace {

[[noreturn]] void fail(jpeg_decompress_struct& info, int code) {
  info.err->msg_code = code;
  info.err->error_exit(reinterpret_cast<j_common_ptr>(&info));
  std::abort();  // it never returns
}

void decode_block(jpeg_decompress_struct& info,
                  const BlockPlan& plan,
                  BitReader& reader,
                  JCOEF* block) {
  const auto next = [&](const CodeTable& table) {
    reader.fill();
    const Coded coded = table.look_up(reader.bits);
    if (coded.bits == 0) {
      fail(info, JWRN_HUFF_BAD_CODE);
    }
    reader.drop(coded.bits);
    return coded;
  };
  *plan.mean += static_cast<unsigned>(int{next(*plan.dc).value});
  block[0] = static_cast<JCOEF>(*plan.mean);
  for (std::size_t k = 0; k < DCTSIZE2 - 1;) {
    reader.fill();
    const CodedPair pair = plan.ac_pairs->look_up(reader.bits);
    const std::size_t first = k + pair.first_advance;
    if (first < DCTSIZE2 - 1) {
      block[kNaturalOrder[first]] = pair.first_value;
      k = first + pair.second_advance;
      block[kNaturalOrder[k]] = pair.second_value;
      reader.drop(pair.bits);
    } else if (pair.first_bits != 0) {
      block[kNaturalOrder[first]] = pair.first_value;
      reader.drop(pair.first_bits);
      break;
    } else {
      const Coded coded = next(*plan.ac);
      k += coded.advance;
      block[kNaturalOrder[k]] = coded.value;
    }
  }
}

}  // namespace

void JpegHuffmanDecoder::State::begin_segment(jpeg_decompress_struct& info) {
  jpeg_source_mgr& source = *info.src;
  const JOCTET* from = source.next_input_byte;
  const JOCTET* end = from + source.bytes_in_buffer;
  std::uint8_t* to = segment.data();
  const auto bytes_left = [&] { return static_cast<std::size_t>(end - from); };
  while (const void* special = std::memchr(from, 0xFF, bytes_left())) {
    to = std::copy(from, static_cast<const JOCTET*>(special), to);
    from = static_cast<const JOCTET*>(special);
    // Any number of 0xFF may precede the byte that identifies the marker.
    const JOCTET* kind = std::find_if(from, end, [](JOCTET byte) { return byte != 0xFF; });
    if (kind == end || *kind != 0) {
      break;
    }
    *to++ = 0xFF;
    from = kind + 1;
  }
  std::fill_n(to, kZeros, std::uint8_t{0});
  segment_end = to;
  source.next_input_byte = from;
  source.bytes_in_buffer = bytes_left();
  reader = {.next = segment.data()};
  means.fill(0);
  mcus_to_restart = info.restart_interval;
}

void JpegHuffmanDecoder::State::end_segment(jpeg_decompress_struct& info) const {
  const auto left = static_cast<std::size_t>(segment_end - reader.next) + reader.count / 8;
  info.marker->discarded_bytes += static_cast<unsigned>(left);
}

void JpegHuffmanDecoder::State::decode(jpeg_decompress_struct& info, JBLOCKROW* blocks) {
  if (info.restart_interval != 0 && mcus_to_restart == 0) {
    end_segment(info);
    info.marker->read_restart_marker(&info);
    begin_segment(info);
  }
  BitReader local = reader;  // in registers
  for (const BlockPlan& plan : std::span(plans).first(blocks_in_mcu)) {
    decode_block(info, plan, local, **blocks++);
  }
  reader = local;
  const bool is_short = 8 * (reader.next - segment_end) > std::ptrdiff_t{reader.count};
  if (is_short) {
    fail(info, JWRN_HIT_MARKER);
  }
  --mcus_to_restart;
  if (--mcus_left == 0) {
    end_segment(info);
  }
}

JpegHuffmanDecoder::JpegHuffmanDecoder() : state_(std::make_unique<State>()) {}

void JpegHuffmanDecoder::replace(jpeg_decompress_struct& info) {
  if (info.progressive_mode != FALSE || info.arith_code != FALSE ||
      jpeg_has_multiple_scans(&info) != FALSE) {
    return;
  }
  State& state = *state_;
  for (int i = 0; i < info.comps_in_scan; ++i) {
    const jpeg_component_info& component = *info.cur_comp_info[i];
    const auto dc = static_cast<std::size_t>(component.dc_tbl_no);
    const auto ac = static_cast<std::size_t>(component.ac_tbl_no);
    state.dc_tables[dc].set(*info.dc_huff_tbl_ptrs[dc]);
    if (state.ac_tables[ac].set(*info.ac_huff_tbl_ptrs[ac])) {
      state.ac_pairs[ac].set(state.ac_tables[ac]);
    }
  }
  state.blocks_in_mcu = static_cast<std::size_t>(info.blocks_in_MCU);
  for (std::size_t i = 0; i < state.blocks_in_mcu; ++i) {
    const auto number = static_cast<std::size_t>(info.MCU_membership[i]);
    const auto dc = static_cast<std::size_t>(info.cur_comp_info[number]->dc_tbl_no);
    const auto ac = static_cast<std::size_t>(info.cur_comp_info[number]->ac_tbl_no);
    state.plans[i] = {
        &state.dc_tables[dc], &state.ac_tables[ac], &state.ac_pairs[ac], &state.means[number]};
  }
  state.segment.resize(std::max(state.segment.size(), info.src->bytes_in_buffer + kZeros));
  state.mcus_left = std::uint64_t{info.MCUs_per_row} * info.MCU_rows_in_scan;
  state.start_pass = info.entropy->start_pass;  // the only one is behind us
  state.insufficient_data = FALSE;
  state.decode_mcu = [](j_decompress_ptr decompressor, JBLOCKROW* blocks) -> boolean {
    static_cast<State*>(decompressor->entropy)->decode(*decompressor, blocks);
    return TRUE;
  };
  state.begin_segment(info);
  info.entropy = &state;
}

#else
struct JpegHuffmanDecoder::State {};
JpegHuffmanDecoder::JpegHuffmanDecoder() = default;
void JpegHuffmanDecoder::replace(jpeg_decompress_struct& /*info*/) {}
#endif

JpegHuffmanDecoder::~JpegHuffmanDecoder() = default;

}  // namespace dlbench::data
