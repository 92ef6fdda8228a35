// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// libjpeg-turbo reads the markers and calls entropy decoder and inverse DCTs, which are dlbench's
// where available. Where possible, takes the planes from there ("raw data") and leaves upsampling
// and colour conversion to YccRows, which does them only for the rows in use; grey pictures need
// neither. Otherwise libjpeg-turbo converts.
#include "data/decoders/jpeg_decoder.h"

#include "data/decoders/jpeg_blocks_internal.h"
#include "data/decoders/jpeg_huffman_decoder.h"
#include "data/decoders/jpeg_inverse_dct.h"
#include "data/decoders/ycc_rows.h"
#include "engine/core/check.h"
#include "engine/core/error.h"

#include <fmt/format.h>

// jpeglib.h needs FILE to be declared before it.
#include <cstdio>
// clang-format off
#include <jpeglib.h>
#include <jerror.h>
// clang-format on

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstring>
#include <vector>

namespace dlbench::data {
namespace {

using core::Error;
using core::ErrorCode;

// A small progressive file with thousands of scans must not take minutes (the bound of TurboJPEG's
// TJFLAG_LIMITSCANS).
constexpr int kMaxScans = 500;
// libjpeg-turbo's fast entropy decoder works while 512 bytes are left per block of an MCU, of which
// there are at most 10 (jdhuff.c, BUFSIZE). Markers behind the file keep it fast to the end.
constexpr std::size_t kMarkerBytes = 512 * D_MAX_BLOCKS_IN_MCU + 2;

/// libjpeg's error reporting: `fail` never returns, it jumps to the caller's setjmp.
struct ErrorReport {
  jpeg_error_mgr manager{};  // first: libjpeg hands back a pointer to it
  std::jmp_buf caller{};
  char message[JMSG_LENGTH_MAX]{};
};

[[noreturn]] void fail(j_common_ptr info) {
  auto* report = reinterpret_cast<ErrorReport*>(info->err);
  report->manager.format_message(info, report->message);
  std::longjmp(report->caller, 1);
}

/// Whether the message is about what cameras and phones write, with nothing of the image missing:
/// bytes between the last coded data and the end marker; header fields that a sequential image does
/// not need, or of unknown versions, which libjpeg decodes like known ones.
[[nodiscard]] bool is_harmless(const jpeg_error_mgr& manager) {
  switch (manager.msg_code) {
    case JWRN_EXTRANEOUS_DATA:
      return manager.msg_parm.i[1] == JPEG_EOI;
    case JWRN_NOT_SEQUENTIAL:
    case JWRN_JFIF_MAJOR:
    case JWRN_ADOBE_XFORM:
      return true;
    default:
      return false;
  }
}

/// All other warnings mean damage.
void on_message(j_common_ptr info, int level) {
  if (level < 0 && !is_harmless(*info->err)) {
    fail(info);
  }
}

void on_progress(j_common_ptr info) {
  if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number > kMaxScans) {
    info->err->msg_code = JERR_BAD_PROGRESSION;
    fail(info);
  }
}

/// Returns the largest reduction by 1, 1/2, 1/4 or 1/8 that keeps both sides at or above the
/// minimum. Other eighths exist, but decode more slowly.
unsigned choose_denominator(const ImageHeader& header, const DecodeRequest& request) {
  unsigned best = 1;
  if (request.min_height <= 0 || request.min_width <= 0) {
    return best;
  }
  for (const unsigned denominator : {2U, 4U, 8U}) {
    const auto reduced = [&](std::int64_t side) { return (side + denominator - 1) / denominator; };
    if (reduced(header.width) < request.min_width || reduced(header.height) < request.min_height) {
      break;
    }
    best = denominator;
  }
  return best;
}

/// Samples of a component per sample of the image, on both axes: 1 (none missing), 1/2 or other.
enum class Coverage : std::uint8_t { kFull, kHalf, kOther };

Coverage coverage(const jpeg_decompress_struct& info, const jpeg_component_info& component) {
  const int full_x = info.max_h_samp_factor * samples_per_block(info);
  const int full_y = info.max_v_samp_factor * samples_per_block(info);
  const int x = component.h_samp_factor * samples_per_block(component);
  const int y = component.v_samp_factor * samples_per_block(component);
  if (x == full_x && y == full_y) {
    return Coverage::kFull;
  }
  return 2 * x == full_x && 2 * y == full_y ? Coverage::kHalf : Coverage::kOther;
}

/// Whether `channels` can be computed from the planes without libjpeg's conversion.
bool takes_planes(const jpeg_decompress_struct& info, std::int64_t channels) {
  const jpeg_component_info* component = info.comp_info;
  const bool is_ycc = info.jpeg_color_space == JCS_YCbCr;
  if (!(is_ycc || info.jpeg_color_space == JCS_GRAYSCALE) ||
      coverage(info, component[0]) != Coverage::kFull) {
    return false;
  }
  if (channels == 1) {
    return true;
  }
  if (!is_ycc || !YccRows::available()) {
    return false;
  }
  const Coverage chroma = coverage(info, component[1]);
  // libjpeg does not smooth chroma with one or two columns, or one sample per block.
  const bool is_smoothed = component[1].downsampled_width > 2 && samples_per_block(info) > 1;
  return chroma == coverage(info, component[2]) &&
         (chroma == Coverage::kFull || (chroma == Coverage::kHalf && is_smoothed));
}

}  // namespace

class JpegDecoder::Decompressor {
 public:
  explicit Decompressor(bool own_steps) : own_steps_(own_steps) {
    info_.err = jpeg_std_error(&report_.manager);
    report_.manager.error_exit = fail;
    report_.manager.emit_message = on_message;
    progress_.progress_monitor = on_progress;
    if (!completes([&] { jpeg_create_decompress(&info_); })) {
      throw Error(ErrorCode::kLibrary,
                  fmt::format("jpeg_create_decompress failed: {}", report_.message));
    }
    info_.progress = &progress_;
  }
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;
  ~Decompressor() { jpeg_destroy_decompress(&info_); }

  /// Reads up to the first scan, from a copy of the file that is kept until the next call.
  ImageHeader start(std::span<const std::byte> file, const std::filesystem::path& path) {
    jpeg_abort_decompress(&info_);  // what an earlier error left
    file_bytes_ = file.size();
    const std::size_t bytes = file.size() + kMarkerBytes;
    file_.resize(std::max(file_.size(), bytes));
    std::memcpy(file_.data(), file.data(), file.size());
    for (std::size_t i = file.size(); i < bytes; i += 2) {
      file_[i] = 0xFF;
      file_[i + 1] = JPEG_EOI;
    }
    run(path, [&] {
      jpeg_mem_src(&info_, file_.data(), static_cast<unsigned long>(bytes));
      jpeg_read_header(&info_, TRUE);
    });
    return {info_.image_height, info_.image_width};
  }

  [[nodiscard]] bool is_cmyk() const {
    return info_.jpeg_color_space == JCS_CMYK || info_.jpeg_color_space == JCS_YCCK;
  }

  ImageRows& finish(const std::filesystem::path& path,
                    const ImageHeader& header,
                    const DecodeRequest& request) {
    info_.scale_num = 1;
    info_.scale_denom = choose_denominator(header, request);
    info_.out_color_space = request.channels == 3 ? JCS_RGB : JCS_GRAYSCALE;
    run(path, [&] { jpeg_calc_output_dimensions(&info_); });
    const bool planes = own_steps_ && takes_planes(info_, request.channels);
    planes ? read_planes(path, request.channels) : read_pixels(path, request.channels);
    run(path, [&] { jpeg_finish_decompress(&info_); });
    // The end marker must be the file's own, not one of those behind it.
    if (info_.src->next_input_byte > file_.data() + file_bytes_) {
      throw_corrupt(path, "Premature end of JPEG file");
    }
    if (planes && request.channels == 3) {
      return ycc_rows_;
    }
    return pixel_rows_;
  }

 private:
  /// Calls `function`, which must not own anything, as libjpeg's errors jump out of it.
  template <typename Function>
  bool completes(const Function& function) {
    if (setjmp(report_.caller) != 0) {
      return false;
    }
    function();
    return true;
  }

  template <typename Function>
  void run(const std::filesystem::path& path, const Function& function) {
    if (!completes(function)) {
      throw_corrupt(path, report_.message);
    }
  }

  [[noreturn]] static void throw_corrupt(const std::filesystem::path& path, const char* why) {
    throw Error(ErrorCode::kData,
                fmt::format("'{}' is not a sound JPEG image: {}", path.string(), why));
  }

  void read_pixels(const std::filesystem::path& path, std::int64_t channels) {
    const auto row_bytes =
        static_cast<std::size_t>(info_.output_width) * static_cast<std::size_t>(channels);
    std::uint8_t* pixels = buffers_[0].reserve(row_bytes * info_.output_height);
    run(path, [&] {
      start_decompress();
      while (info_.output_scanline < info_.output_height) {
        JSAMPROW row = pixels + row_bytes * info_.output_scanline;
        jpeg_read_scanlines(&info_, &row, 1);
      }
    });
    pixel_rows_.set({pixels, info_.output_height, info_.output_width, channels});
  }

  void read_planes(const std::filesystem::path& path, std::int64_t channels) {
    std::array<SamplePlane, 3> planes;
    std::array<std::uint8_t*, 3> samples{};
    for (int number = 0; number < info_.num_components; ++number) {
      jpeg_component_info& component = info_.comp_info[number];
      if (number >= channels) {
        component.component_needed = FALSE;  // no inverse DCT for chroma that nobody wants
        continue;
      }
      // Whole blocks and whole rows of MCUs: libjpeg also writes beyond the picture's edge.
      const auto row_bytes =
          static_cast<std::int64_t>(component.width_in_blocks) * samples_per_block(component);
      const std::int64_t rows = static_cast<std::int64_t>(info_.total_iMCU_rows) *
                                component.v_samp_factor * samples_per_block(component);
      const auto index = static_cast<std::size_t>(number);
      samples[index] = buffers_[index].reserve(static_cast<std::size_t>(row_bytes * rows));
      planes[index] = {samples[index],
                       row_bytes,
                       static_cast<std::int64_t>(component.downsampled_height),
                       static_cast<std::int64_t>(component.downsampled_width)};
    }
    run(path, [&] { read_raw(planes, samples); });
    if (channels == 3) {
      ycc_rows_.set({planes[0], planes[1], planes[2]});
    } else {
      pixel_rows_.set({samples[0],
                       static_cast<std::int64_t>(info_.output_height),
                       static_cast<std::int64_t>(info_.output_width),
                       1,
                       planes[0].row_bytes});
    }
  }

  /// Call under completes().
  void start_decompress() {
    jpeg_start_decompress(&info_);
    if (own_steps_) {
      huffman_decoder_.replace(info_);
      inverse_dcts_.replace(info_);
    }
  }

  /// Call under completes().
  void read_raw(const std::array<SamplePlane, 3>& planes,
                const std::array<std::uint8_t*, 3>& samples) {
    constexpr int kMaxRows = MAX_SAMP_FACTOR * DCTSIZE;  // of a component in a row of MCUs
    JSAMPROW rows[3][kMaxRows];
    JSAMPARRAY components[3] = {rows[0], rows[1], rows[2]};
    info_.raw_data_out = TRUE;
    info_.out_color_space = info_.jpeg_color_space;
    start_decompress();
    const int lines = info_.max_v_samp_factor * samples_per_block(info_);
    for (std::int64_t mcu_row = 0; info_.output_scanline < info_.output_height; ++mcu_row) {
      for (std::size_t number = 0; number < 3 && samples[number] != nullptr; ++number) {
        const jpeg_component_info& component = info_.comp_info[number];
        const int count = component.v_samp_factor * samples_per_block(component);
        for (int row = 0; row < count; ++row) {
          rows[number][row] = samples[number] + (mcu_row * count + row) * planes[number].row_bytes;
        }
      }
      jpeg_read_raw_data(&info_, components, static_cast<JDIMENSION>(lines));
    }
  }

  const bool own_steps_;
  ErrorReport report_;
  JpegHuffmanDecoder huffman_decoder_;
  JpegInverseDcts inverse_dcts_;
  jpeg_progress_mgr progress_{};
  jpeg_decompress_struct info_{};
  std::vector<std::uint8_t> file_;  ///< the file, then end markers
  std::size_t file_bytes_ = 0;
  std::array<PixelBuffer, 3> buffers_;  ///< planes, or the pixels in the first
  PixelRows pixel_rows_;
  YccRows ycc_rows_;
};

JpegDecoder::JpegDecoder(bool own_steps)
    : decompressor_(std::make_unique<Decompressor>(own_steps)) {}
JpegDecoder::~JpegDecoder() = default;

ImageHeader JpegDecoder::read_header(std::span<const std::byte> file,
                                     const std::filesystem::path& path) {
  return decompressor_->start(file, path);
}

ImageRows& JpegDecoder::decode(std::span<const std::byte> file,
                               const std::filesystem::path& path,
                               const DecodeRequest& request) {
  DLBENCH_CHECK(request.channels == 1 || request.channels == 3) << request.channels;
  const ImageHeader header = decompressor_->start(file, path);
  check_image_size(header, request.max_pixels, path);
  if (decompressor_->is_cmyk()) {
    throw Error(ErrorCode::kData,
                fmt::format("'{}' is a CMYK JPEG; wanted RGB or grey", path.string()));
  }
  return decompressor_->finish(path, header, request);
}

#define DLBENCH_TEXT_OF(macro) DLBENCH_TEXT(macro)
#define DLBENCH_TEXT(text) #text
std::string libjpeg_turbo_version() { return DLBENCH_TEXT_OF(LIBJPEG_TURBO_VERSION); }
#undef DLBENCH_TEXT
#undef DLBENCH_TEXT_OF

}  // namespace dlbench::data
