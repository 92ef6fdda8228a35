// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Conversions between the loader's bytes, f32 and the 16-bit floats.
#pragma once

#include "engine/backend/cuda/kernels/element.h"
#include "engine/backend/cuda/kernels/geometry.h"
#include "engine/backend/cuda/kernels/launch.h"

#include <algorithm>
#include <span>
#include <type_traits>

namespace dlbench::backend::cuda {

/// y = x factor + shift for each channel.
struct ImageScale {
  float factor[kMaxImageChannels];
  float shift[kMaxImageChannels];
};

[[nodiscard]] inline ImageScale image_scale(const graph::NormalizeAttributes& attributes,
                                            Index channels) {
  ImageScale scale{};
  for (std::size_t c = 0; c < static_cast<std::size_t>(channels); ++c) {
    const double mean = attributes.mean.empty() ? 0.0 : static_cast<double>(attributes.mean[c]);
    const double deviation =
        attributes.stddev.empty() ? 1.0 : static_cast<double>(attributes.stddev[c]);
    scale.factor[c] = static_cast<float>(static_cast<double>(attributes.scale) / deviation);
    scale.shift[c] = static_cast<float>(-mean / deviation);
  }
  return scale;
}

/// An item is one pack of lanes of one pixel. An image has few channels: it reads single bytes and
/// writes one wide access.
template <typename T, int N>
struct NormalizePack {
  const std::uint8_t* x;
  T* y;
  Divisor packs;  ///< of a pixel
  int channels;
  ImageScale scale;

  DLBENCH_HOST_DEVICE void operator()(Index item) const {
    Index pack = 0;
    const Index pixel = packs.split(item, pack);
    const int first = static_cast<int>(pack) * N;
    float values[N];
    for (int lane = 0; lane < N; ++lane) {
      const int channel = first + lane;
      values[lane] = 0.0F;
      if (channel < channels) {
        values[lane] = static_cast<float>(x[pixel * channels + channel]) * scale.factor[channel] +
                       scale.shift[channel];
      }
    }
    store_pack(y + item * N, values);
  }
};

template <typename T, int N, typename Launcher>
void run_normalize_packs(Launcher& launcher, const NormalizeArgs& args) {
  const ChannelsLast& layout = args.layout;
  for_each(launcher,
           layout.elements() / N,
           NormalizePack<T, N>{args.x,
                               static_cast<T*>(args.y),
                               Divisor(layout.stride / N),
                               static_cast<int>(layout.channels),
                               image_scale(args.attributes, layout.channels)});
}

/// An item is N neighbouring elements of one or more pixels, if y has no padding lanes. kChannels:
/// of the image, so that constants are selected by comparisons; 0: any number, so that constants
/// are looked up, and lanes of a warp that need those of different channels are served one by one.
template <typename T, int N, int kChannels>
struct NormalizeDensePack {
  const std::uint8_t* x;
  T* y;
  Divisor channels;
  ImageScale scale;

  DLBENCH_HOST_DEVICE void operator()(PackIndex<N> pack) const {
    float values[N];
    load_pack(x + Index{pack} * N, values);
    if constexpr (kChannels > 0) {
      choose(static_cast<std::uint32_t>(pack) % kChannels * N % kChannels, values);
    } else {
      Index channel = 0;
      channels.split(Index{pack} * N, channel);
      for (int lane = 0; lane < N; ++lane) {
        values[lane] = values[lane] * scale.factor[channel] + scale.shift[channel];
        channel = channel + 1 == channels.value() ? 0 : channel + 1;
      }
    }
    store_pack(y + Index{pack} * N, values);
  }

 private:
  DLBENCH_HOST_DEVICE void choose(std::uint32_t first, float (&values)[N]) const {
    float factor[kChannels];  // of `first` and the channels after it
    float shift[kChannels];
    for (int i = 0; i < kChannels; ++i) {
      factor[i] = scale.factor[i];
      shift[i] = scale.shift[i];
      for (int c = 1; c < kChannels; ++c) {
        factor[i] =
            first == static_cast<std::uint32_t>(c) ? scale.factor[(c + i) % kChannels] : factor[i];
        shift[i] =
            first == static_cast<std::uint32_t>(c) ? scale.shift[(c + i) % kChannels] : shift[i];
      }
    }
    for (int lane = 0; lane < N; ++lane) {
      values[lane] = values[lane] * factor[lane % kChannels] + shift[lane % kChannels];
    }
  }
};

template <typename T, int N, int kChannels, typename Launcher>
void run_normalize_dense_of(Launcher& launcher, const NormalizeArgs& args) {
  const ChannelsLast& layout = args.layout;
  for_each<PackIndex<N>>(
      launcher,
      layout.elements() / N,
      NormalizeDensePack<T, N, kChannels>{args.x,
                                          static_cast<T*>(args.y),
                                          Divisor(layout.channels),
                                          image_scale(args.attributes, layout.channels)});
}

template <typename T, int N, typename Launcher>
void run_normalize_dense(Launcher& launcher, const NormalizeArgs& args) {
  switch (args.layout.channels) {
    case 1:
      return run_normalize_dense_of<T, N, 1>(launcher, args);
    case 3:
      return run_normalize_dense_of<T, N, 3>(launcher, args);
    case 4:
      return run_normalize_dense_of<T, N, 4>(launcher, args);
    default:
      return run_normalize_dense_of<T, N, 0>(launcher, args);
  }
}

template <typename Launcher>
void run_normalize(Launcher& launcher, const NormalizeArgs& args) {
  const ChannelsLast& layout = args.layout;
  DLBENCH_CHECK(layout.channels <= kMaxImageChannels)
      << "images of " << layout.channels << " channels";
  visit_activation(args.dtype, [&](auto type) {
    using T = decltype(type);
    if (layout.stride == layout.channels && layout.elements() % kWide<T> == 0 &&
        fits_short(layout.elements() / kWide<T>) && aligned(args.x, args.y)) {
      run_normalize_dense<T, kWide<T>>(launcher, args);
    } else if (layout.stride % kWide<T> == 0 && aligned(args.y)) {
      run_normalize_packs<T, kWide<T>>(launcher, args);
    } else {
      run_normalize_packs<T, 1>(launcher, args);
    }
  });
}

/// Elements that a thread casts: it writes one access of 16 bytes. With two writes, which leave
/// gaps between the threads of a warp, an H100 reached 0.74 of its copy bandwidth, with two such
/// reads 0.95.
template <typename To>
inline constexpr int kCastPack = kWide<To>;

template <typename From, typename To, int N>
struct CastPack {
  const From* x;
  To* y;
  Index elements;

  DLBENCH_HOST_DEVICE void operator()(Index item) const {
    const Index offset = item * N;
    if constexpr (std::is_same_v<From, double> && std::is_same_v<To, double>) {
      for (Index i = offset; i < offset + N && i < elements; ++i) {
        y[i] = x[i];
      }
    } else {
      float values[N];
      if (offset + N <= elements) {
        load_pack(x + offset, values);
        store_pack(y + offset, values);
      } else {
        const int count = static_cast<int>(elements - offset);
        load_some(x + offset, count, values);
        store_some(y + offset, count, values);
      }
    }
  }
};

/// Calls `visitor` with the element type of a float dtype that casts support.
template <typename Visitor>
void visit_castable(core::DType dtype, const Visitor& visitor) {
  if (dtype == core::DType::kF64) {
    return visitor(double{});
  }
  visit_activation(dtype, visitor);
}

/// An item is one pack of lanes of a row of y; the rows of x have the same channels but another
/// stride.
template <typename From, typename To, int N>
struct CastRowsPack {
  const From* x;
  To* y;
  Divisor packs;  ///< of a row of y
  ShortIndex x_stride;
  ShortIndex channels;

  DLBENCH_HOST_DEVICE void operator()(PackIndex<N> item) const {
    PackIndex<N> pack = 0;
    const PackIndex<N> row = packs.split(item, pack);
    const From* from = x + Index{row} * x_stride;
    float values[N];
    for (int lane = 0; lane < N; ++lane) {
      const ShortIndex channel = static_cast<ShortIndex>(pack) * N + lane;
      values[lane] = channel < channels ? to_float(from[channel]) : 0.0F;
    }
    store_pack(y + Index{item} * N, values);
  }
};

template <typename From, typename To, int N, typename Launcher>
void run_cast_row_packs(Launcher& launcher, const CastArgs& args) {
  for_each<PackIndex<N>>(launcher,
                         args.y_layout.elements() / N,
                         CastRowsPack<From, To, N>{static_cast<const From*>(args.x),
                                                   static_cast<To*>(args.y),
                                                   Divisor(args.y_layout.stride / N),
                                                   to_short(args.x_layout.stride),
                                                   to_short(args.x_layout.channels)});
}

/// A cast between different strides. Its tensors are weights and images: small, or written once.
template <typename Launcher>
void run_cast_rows(Launcher& launcher, const CastArgs& args) {
  DLBENCH_CHECK(args.x_layout.positions() == args.y_layout.positions() &&
                args.x_layout.channels == args.y_layout.channels)
      << "a cast between shapes";
  const bool from_f32 = args.x_dtype == core::DType::kF32;
  DLBENCH_CHECK(from_f32 != (args.y_dtype == core::DType::kF32))
      << "a cast between strides from " << core::name(args.x_dtype) << " to "
      << core::name(args.y_dtype);
  visit_activation(from_f32 ? args.y_dtype : args.x_dtype, [&](auto half) {
    using Half = decltype(half);
    if constexpr (!std::is_same_v<Half, float>) {
      if (!from_f32) {
        run_cast_row_packs<Half, float, 1>(launcher, args);
      } else if (args.y_layout.stride % kWide<Half> == 0 &&
                 fits_short(args.y_layout.elements() / kWide<Half>) && aligned(args.y)) {
        run_cast_row_packs<float, Half, kWide<Half>>(launcher, args);
      } else {
        run_cast_row_packs<float, Half, 1>(launcher, args);
      }
    }
  });
}

template <typename Launcher>
void run_cast(Launcher& launcher, const CastArgs& args) {
  if (args.x_layout.stride != args.y_layout.stride) {
    return run_cast_rows(launcher, args);
  }
  const Index elements = args.y_layout.elements();
  visit_castable(args.x_dtype, [&](auto from) {
    visit_castable(args.y_dtype, [&](auto to) {
      using From = decltype(from);
      using To = decltype(to);
      const auto* x = static_cast<const From*>(args.x);
      auto* y = static_cast<To*>(args.y);
      if (aligned(x, y)) {
        constexpr int kN = kCastPack<To>;
        for_each(
            launcher, ceil_divide<Index>(elements, kN), CastPack<From, To, kN>{x, y, elements});
      } else {
        for_each(launcher, elements, CastPack<From, To, 1>{x, y, elements});
      }
    });
  });
}

/// The chunk that a warp casts if many tensors are cast in one launch: it looks up the tensor once,
/// and each of its threads has 16 elements in flight.
inline constexpr ShortIndex kCastLanes = 32;
inline constexpr ShortIndex kCastChunk = kCastLanes * 16;
static_assert(kMaxCastElements % kCastChunk == 0 && fits_short(kMaxCastElements));

/// The tensors that one launch casts, and where their chunks begin among all chunks.
template <typename From, typename To>
struct CastTable {
  const From* x[kMaxCasts];
  To* y[kMaxCasts];
  ShortIndex elements[kMaxCasts];
  ShortIndex first_chunk[kMaxCasts];
  ShortIndex chunks;  ///< of all
  int count;
};

/// The part of a chunk for one lane: packs of N elements, interleaved with those of other lanes.
template <typename From, typename To, int N>
struct CastManyPack {
  static constexpr int kPacks = kCastChunk / kCastLanes / N;
  CastTable<From, To> table;

  DLBENCH_HOST_DEVICE void operator()(ShortIndex item) const {
    const auto chunk = static_cast<ShortIndex>(static_cast<std::uint32_t>(item) / kCastLanes);
    const auto lane = static_cast<ShortIndex>(static_cast<std::uint32_t>(item) % kCastLanes);
    int index = 0;  // of the last tensor that begins at or before the chunk
    for (int end = table.count; end - index > 1;) {
      const int middle = (index + end) / 2;
      if (table.first_chunk[middle] <= chunk) {
        index = middle;
      } else {
        end = middle;
      }
    }
    const ShortIndex first = (chunk - table.first_chunk[index]) * kCastChunk + lane * N;
    const ShortIndex left = table.elements[index] - first;
    const From* x = table.x[index] + first;
    To* y = table.y[index] + first;
    constexpr ShortIndex kStep = kCastLanes * N;
    if (left >= kStep * (kPacks - 1) + N) {
      Pack<From, N> packs[kPacks];
      for (int i = 0; i < kPacks; ++i) {
        packs[i] = read_pack<N>(x + i * kStep);
      }
      for (int i = 0; i < kPacks; ++i) {
        float values[N];
        widen(packs[i], values);
        store_pack(y + i * kStep, values);
      }
      return;
    }
    DLBENCH_UNROLL(1)
    for (ShortIndex at = 0; at < left; at += kStep) {
      float values[N];
      if (left - at >= N) {
        load_pack(x + at, values);
        store_pack(y + at, values);
      } else {
        load_some(x + at, left - at, values);
        store_some(y + at, left - at, values);
      }
    }
  }
};

/// Fills a table with as many tensors as it holds, none of them empty. Returns how many.
template <typename From, typename To>
int fill_table(std::span<const CastTensor> tensors, CastTable<From, To>& table) {
  table.count = 0;
  table.chunks = 0;
  for (const CastTensor& tensor : tensors) {
    const Index chunks = ceil_divide<Index>(tensor.elements, kCastChunk);
    DLBENCH_CHECK(tensor.elements > 0 && tensor.elements <= kMaxCastElements)
        << tensor.elements << " elements in one of many casts";
    if (table.count == kMaxCasts || !fits_short((table.chunks + chunks) * kCastLanes)) {
      break;
    }
    table.x[table.count] = static_cast<const From*>(tensor.x);
    table.y[table.count] = static_cast<To*>(tensor.y);
    table.elements[table.count] = static_cast<ShortIndex>(tensor.elements);
    table.first_chunk[table.count] = table.chunks;
    table.chunks += static_cast<ShortIndex>(chunks);
    ++table.count;
  }
  return table.count;
}

template <typename From, typename To, int N, typename Launcher>
void run_cast_tables(Launcher& launcher, std::span<const CastTensor> tensors) {
  CastManyPack<From, To, N> body;
  while (!tensors.empty()) {
    const int count = fill_table<From, To>(tensors, body.table);
    for_each<ShortIndex>(launcher, Index{body.table.chunks} * kCastLanes, body);
    tensors = tensors.subspan(static_cast<std::size_t>(count));
  }
}

/// Casts many tensors, with the same packs as a single cast.
template <typename From, typename To, typename Launcher>
void run_casts(Launcher& launcher, std::span<const CastTensor> tensors) {
  if (std::all_of(tensors.begin(), tensors.end(), [](const CastTensor& tensor) {
        return aligned(tensor.x, tensor.y);
      })) {
    run_cast_tables<From, To, kCastPack<To>>(launcher, tensors);
  } else {
    run_cast_tables<From, To, 1>(launcher, tensors);
  }
}

template <typename Launcher>
void run_cast_many(Launcher& launcher, const CastManyArgs& args) {
  const bool from_f32 = args.x_dtype == core::DType::kF32;
  DLBENCH_CHECK(from_f32 != (args.y_dtype == core::DType::kF32))
      << "many casts from " << core::name(args.x_dtype) << " to " << core::name(args.y_dtype);
  visit_activation(from_f32 ? args.y_dtype : args.x_dtype, [&](auto half) {
    using Half = decltype(half);
    if constexpr (!std::is_same_v<Half, float>) {
      from_f32 ? run_casts<float, Half>(launcher, args.tensors)
               : run_casts<Half, float>(launcher, args.tensors);
    }
  });
}

}  // namespace dlbench::backend::cuda
