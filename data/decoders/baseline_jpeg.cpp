// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/decoders/baseline_jpeg.h"

#include "data/decoders/jpeg_arithmetic.h"
#include "data/decoders/jpeg_huffman.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace dlbench::data {

using detail::JpegBitReader;
using detail::JpegBlock;
using detail::JpegHuffmanTable;

/// What the markers before the scan say (ITU-T T.81, annex B).
struct BaselineJpegDecoder::Frame {
  struct Component {
    std::uint8_t id = 0;
    std::size_t sampling = 0;  ///< blocks of it in an MCU along each axis: 1 or 2
    std::size_t quantisation = 0;
    std::size_t dc_table = 0;
    std::size_t ac_table = 0;
    int block_size = 8;  ///< samples of a block along each axis after the inverse DCT
  };

  std::size_t width = 0;
  std::size_t height = 0;
  std::size_t component_count = 0;
  Component components[3];
  detail::JpegQuantisation quantisation[4];
  bool has_quantisation[4]{};
  JpegHuffmanTable dc_tables[4];
  JpegHuffmanTable ac_tables[4];
  std::size_t restart_interval = 0;
  bool saw_jfif = false;
  int adobe_transform = -1;  ///< -1: no Adobe marker
  std::size_t mcus_x = 0;
  std::size_t mcus_y = 0;
  int denominator = 1;

  /// Reads markers up to and including SOS. Returns the offset of the scan's data; 0: declined.
  std::size_t parse(std::span<const std::uint8_t> file);
  [[nodiscard]] bool is_supported() const;

 private:
  bool read_segment(std::uint8_t marker, std::span<const std::uint8_t> body);
  bool read_quantisation(std::span<const std::uint8_t> body);
  bool read_huffman(std::span<const std::uint8_t> body);
  bool read_frame(std::span<const std::uint8_t> body);
  bool read_scan(std::span<const std::uint8_t> body);
  void read_application(std::uint8_t marker, std::span<const std::uint8_t> body);
};

namespace {

constexpr std::uint8_t kStartOfImage = 0xD8;
constexpr std::uint8_t kEndOfImage = 0xD9;
constexpr std::uint8_t kStartOfFrame0 = 0xC0;
constexpr std::uint8_t kHuffmanTables = 0xC4;
constexpr std::uint8_t kRestart0 = 0xD0;
constexpr std::uint8_t kStartOfScan = 0xDA;
constexpr std::uint8_t kQuantisation = 0xDB;
constexpr std::uint8_t kRestartInterval = 0xDD;
constexpr std::uint8_t kApplication0 = 0xE0;
constexpr std::uint8_t kApplication14 = 0xEE;
constexpr std::uint8_t kApplication15 = 0xEF;
constexpr std::uint8_t kComment = 0xFE;

// Vector code reads and writes past the end of rows by less than this.
constexpr std::size_t kRowSlack = 64;

std::size_t big_endian_16(std::span<const std::uint8_t> bytes, std::size_t at) {
  return static_cast<std::size_t>(bytes[at] << 8 | bytes[at + 1]);
}

}  // namespace

std::size_t BaselineJpegDecoder::Frame::parse(std::span<const std::uint8_t> file) {
  if (file.size() < 4 || file[0] != 0xFF || file[1] != kStartOfImage) {
    return 0;
  }
  std::size_t at = 2;
  while (at + 4 <= file.size() && file[at] == 0xFF) {
    const std::uint8_t marker = file[at + 1];
    const std::size_t length = big_endian_16(file, at + 2);
    if (length < 2 || at + 2 + length > file.size() ||
        !read_segment(marker, file.subspan(at + 4, length - 2))) {
      return 0;
    }
    at += 2 + length;
    if (marker == kStartOfScan) {
      return at;
    }
  }
  return 0;
}

bool BaselineJpegDecoder::Frame::read_segment(std::uint8_t marker,
                                              std::span<const std::uint8_t> body) {
  switch (marker) {
    case kQuantisation:
      return read_quantisation(body);
    case kHuffmanTables:
      return read_huffman(body);
    case kStartOfFrame0:
      return read_frame(body);
    case kStartOfScan:
      return read_scan(body);
    case kRestartInterval:
      restart_interval = body.size() == 2 ? big_endian_16(body, 0) : 0;
      return body.size() == 2;
    default:
      read_application(marker, body);
      return (marker >= kApplication0 && marker <= kApplication15) || marker == kComment;
  }
}

bool BaselineJpegDecoder::Frame::read_quantisation(std::span<const std::uint8_t> body) {
  while (body.size() >= 65) {
    if (body[0] > 3) {  // upper half: 16-bit tables
      return false;
    }
    has_quantisation[body[0]] = true;
    std::copy_n(body.begin() + 1, 64, quantisation[body[0]].factors.begin());
    body = body.subspan(65);
  }
  return body.empty();
}

bool BaselineJpegDecoder::Frame::read_huffman(std::span<const std::uint8_t> body) {
  while (body.size() >= 17) {
    const std::size_t table_class = body[0] >> 4U;
    const std::size_t number = body[0] & 15U;
    std::size_t symbols = 0;
    for (std::size_t i = 1; i <= 16; ++i) {
      symbols += body[i];
    }
    if (table_class > 1 || number > 3 || symbols > 256 || body.size() < 17 + symbols) {
      return false;
    }
    JpegHuffmanTable& table = table_class == 0 ? dc_tables[number] : ac_tables[number];
    if (!table.build(body.subspan<1, 16>(), body.subspan(17, symbols))) {
      return false;
    }
    body = body.subspan(17 + symbols);
  }
  return body.empty();
}

bool BaselineJpegDecoder::Frame::read_frame(std::span<const std::uint8_t> body) {
  if (component_count != 0 || body.size() < 6 || body[0] != 8) {
    return false;
  }
  height = big_endian_16(body, 1);
  width = big_endian_16(body, 3);
  component_count = body[5];
  if ((component_count != 1 && component_count != 3) || body.size() != 6 + 3 * component_count) {
    return false;
  }
  for (std::size_t i = 0; i < component_count; ++i) {
    Component& component = components[i];
    component.id = body[6 + 3 * i];
    const std::uint8_t sampling = body[7 + 3 * i];
    component.sampling = sampling >> 4U;
    component.quantisation = body[8 + 3 * i];
    if ((sampling & 15U) != component.sampling || component.quantisation > 3) {
      return false;
    }
  }
  if (component_count == 1) {
    components[0].sampling = 1;  // T.81, A.2.2: a scan of one component has one block per MCU
  }
  return true;
}

bool BaselineJpegDecoder::Frame::read_scan(std::span<const std::uint8_t> body) {
  if (component_count == 0 || body.size() != 4 + 2 * component_count ||
      body[0] != component_count) {
    return false;
  }
  for (std::size_t i = 0; i < component_count; ++i) {
    Component& component = components[i];
    if (body[1 + 2 * i] != component.id) {
      return false;
    }
    component.dc_table = body[2 + 2 * i] >> 4U;
    component.ac_table = body[2 + 2 * i] & 15U;
    if (component.dc_table > 3 || component.ac_table > 3 ||
        !dc_tables[component.dc_table].present() || !ac_tables[component.ac_table].present() ||
        !has_quantisation[component.quantisation]) {
      return false;
    }
  }
  const auto tail = body.subspan(1 + 2 * component_count);
  return tail[0] == 0 && tail[1] == 63 && tail[2] == 0;
}

void BaselineJpegDecoder::Frame::read_application(std::uint8_t marker,
                                                  std::span<const std::uint8_t> body) {
  constexpr std::array<std::uint8_t, 5> kJfif{'J', 'F', 'I', 'F', 0};
  constexpr std::array<std::uint8_t, 5> kAdobe{'A', 'd', 'o', 'b', 'e'};
  const auto starts_with = [&](const std::array<std::uint8_t, 5>& word) {
    return std::equal(word.begin(), word.end(), body.begin());
  };
  if (marker == kApplication0 && body.size() >= 12 && starts_with(kJfif)) {
    saw_jfif = true;
  }
  if (marker == kApplication14 && body.size() >= 12 && starts_with(kAdobe)) {
    adobe_transform = body[11];
  }
}

/// Only what decoders agree on to be grey or YCbCr, and only the two usual chroma samplings.
bool BaselineJpegDecoder::Frame::is_supported() const {
  if (component_count == 1) {
    return true;
  }
  const bool usual_ids = components[0].id == 1 && components[1].id == 2 && components[2].id == 3;
  const bool is_ycc = saw_jfif ? adobe_transform != 0
                               : adobe_transform == 1 || (adobe_transform == -1 && usual_ids);
  return is_ycc && (components[0].sampling == 1 || components[0].sampling == 2) &&
         components[1].sampling == 1 && components[2].sampling == 1;
}

void BaselineJpegDecoder::size_planes(Frame& frame, int denominator) {
  const std::size_t most = frame.components[0].sampling;
  frame.denominator = denominator;
  frame.mcus_x = (frame.width + 8 * most - 1) / (8 * most);
  frame.mcus_y = (frame.height + 8 * most - 1) / (8 * most);
  const auto divide_up = [](std::size_t value, std::size_t by) { return (value + by - 1) / by; };
  for (std::size_t i = 0; i < frame.component_count; ++i) {
    Frame::Component& component = frame.components[i];
    // Halved chroma loses nothing more until the reduction exceeds 2.
    const int reduction = static_cast<int>(most / component.sampling);
    component.block_size = std::min(8, 8 * reduction / denominator);
    const std::size_t per_mcu = component.sampling * static_cast<std::size_t>(component.block_size);
    Plane& plane = planes_[i];
    plane.stride = frame.mcus_x * per_mcu + kRowSlack;
    plane.width = divide_up(frame.width * per_mcu, 8 * most);
    plane.height = divide_up(frame.height * per_mcu, 8 * most);
    const std::size_t bytes = plane.stride * frame.mcus_y * per_mcu + kRowSlack;
    if (plane.samples.size() < bytes) {
      plane.samples.resize(bytes);
    }
  }
}

bool BaselineJpegDecoder::decode_scan(const Frame& frame,
                                      std::span<const std::uint8_t> data,
                                      std::int64_t channels) {
  JpegBitReader reader(data);
  int dc[3]{};
  std::size_t until_restart = frame.restart_interval;
  std::uint8_t restart = 0;
  JpegBlock block;
  for (std::size_t mcu_y = 0; mcu_y < frame.mcus_y; ++mcu_y) {
    for (std::size_t mcu_x = 0; mcu_x < frame.mcus_x; ++mcu_x) {
      if (frame.restart_interval != 0 && until_restart-- == 0) {
        if (!reader.at_marker() || reader.position()[1] != kRestart0 + restart) {
          return false;
        }
        reader.skip_marker();
        restart = (restart + 1) & 7;
        until_restart = frame.restart_interval - 1;
        std::ranges::fill(dc, 0);
      }
      for (std::size_t i = 0; i < frame.component_count; ++i) {
        const Frame::Component& component = frame.components[i];
        const auto size = static_cast<std::size_t>(component.block_size);
        const bool wanted = i == 0 || channels == 3;
        Plane& plane = planes_[i];
        for (std::size_t b = 0; b < component.sampling * component.sampling; ++b) {
          bool has_ac = false;
          if (!detail::decode_jpeg_block(reader,
                                         frame.dc_tables[component.dc_table],
                                         frame.ac_tables[component.ac_table],
                                         frame.quantisation[component.quantisation],
                                         dc[i],
                                         block,
                                         has_ac)) {
            return false;
          }
          if (!wanted) {
            continue;
          }
          const std::size_t block_x = mcu_x * component.sampling + b % component.sampling;
          const std::size_t block_y = mcu_y * component.sampling + b / component.sampling;
          std::uint8_t* out = plane.samples.data() + block_y * size * plane.stride + block_x * size;
          if (!has_ac) {
            detail::inverse_dct_constant(block.values[0], component.block_size, out, plane.stride);
          } else if (component.block_size == 8) {
            detail::inverse_dct_8x8(block, out, plane.stride);
          } else {
            detail::inverse_dct_reduced(block, component.block_size, out, plane.stride);
          }
        }
      }
    }
  }
  reader.refill();
  return reader.at_marker() && reader.position()[1] == kEndOfImage;
}

void BaselineJpegDecoder::write_rgb(const Frame& frame, std::uint8_t* out) {
  const Plane& luma = planes_[0];
  const bool upsample = frame.components[0].sampling == 2 && frame.denominator == 1;
  if (upsample) {
    for (auto& row : chroma_rows_) {
      row.resize(std::max(row.size(), 2 * planes_[1].width + kRowSlack));
    }
    scratch_.resize(std::max(scratch_.size(), planes_[1].width + kRowSlack));
  }
  for (std::size_t y = 0; y < luma.height; ++y) {
    const std::uint8_t* chroma[2];
    for (std::size_t i = 0; i < 2; ++i) {
      const Plane& plane = planes_[1 + i];
      const auto row = [&plane](std::size_t at) {
        return plane.samples.data() + at * plane.stride;
      };
      if (!upsample) {
        chroma[i] = row(y);
        continue;
      }
      // The second nearest row is above for even, below for odd output rows; at the edges the
      // nearest row itself.
      const std::size_t near_row = y / 2;
      const std::size_t far_row =
          y % 2 == 0 ? near_row - (near_row > 0 ? 1 : 0) : std::min(near_row + 1, plane.height - 1);
      detail::upsample_chroma_row(
          row(near_row), row(far_row), plane.width, scratch_.data(), chroma_rows_[i].data());
      chroma[i] = chroma_rows_[i].data();
    }
    detail::ycc_to_rgb_row(luma.samples.data() + y * luma.stride,
                           chroma[0],
                           chroma[1],
                           luma.width,
                           out + 3 * y * luma.width);
  }
}

std::optional<ImageView> BaselineJpegDecoder::decode(std::span<const std::byte> file,
                                                     const ImageHeader& header,
                                                     std::int64_t channels,
                                                     int denominator,
                                                     PixelBuffer& pixels) {
  if (!detail::jpeg_arithmetic_available()) {
    return std::nullopt;
  }
  const std::span<const std::uint8_t> bytes(reinterpret_cast<const std::uint8_t*>(file.data()),
                                            file.size());
  Frame frame;
  const std::size_t scan = frame.parse(bytes);
  if (scan == 0 || !frame.is_supported() ||
      static_cast<std::int64_t>(frame.width) != header.width ||
      static_cast<std::int64_t>(frame.height) != header.height ||
      (channels == 3 && frame.component_count != 3)) {
    return std::nullopt;
  }
  size_planes(frame, denominator);
  // libjpeg replicates chroma that is at most two samples wide instead of interpolating it.
  if (frame.component_count == 3 && planes_[1].width <= 2) {
    return std::nullopt;
  }
  if (!decode_scan(frame, bytes.subspan(scan), channels)) {
    return std::nullopt;
  }
  const Plane& luma = planes_[0];
  std::uint8_t* out = pixels.reserve(luma.width * luma.height * static_cast<std::size_t>(channels));
  if (channels == 3) {
    write_rgb(frame, out);
  } else {
    for (std::size_t y = 0; y < luma.height; ++y) {
      std::memcpy(out + y * luma.width, luma.samples.data() + y * luma.stride, luma.width);
    }
  }
  return ImageView{
      out, static_cast<std::int64_t>(luma.height), static_cast<std::int64_t>(luma.width), channels};
}

}  // namespace dlbench::data
