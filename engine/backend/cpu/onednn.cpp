// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cpu/onednn_internal.h"
#include "engine/backend/cpu/onednn_versions_internal.h"
#include "engine/core/check.h"
#include "engine/core/error.h"

#include <algorithm>
#include <utility>

namespace dlbench::backend::cpu {
namespace {

using Dims = dnnl::memory::dims;

dnnl::memory::data_type library_type(core::DType dtype) {
  switch (dtype) {
    case core::DType::kF32:
      return dnnl::memory::data_type::f32;
    case core::DType::kBF16:
      return dnnl::memory::data_type::bf16;
    default:
      refuse_dtype(dtype);
  }
}

Dims dims_of(const core::Shape& shape, std::int64_t groups = 1) {
  Dims dims(shape.extents().begin(), shape.extents().end());
  if (groups > 1) {
    dims[0] /= groups;
    dims.insert(dims.begin(), groups);
  }
  return dims;
}

/// Row-major strides.
Dims strides_of(const Dims& dims) {
  Dims strides(dims.size(), 1);
  for (std::size_t axis = dims.size(); axis-- > 1;) {
    strides[axis - 1] = strides[axis] * dims[axis];
  }
  return strides;
}

Dims spatial_dims(const graph::Spatial& spatial, std::size_t rank, std::int64_t minus = 0) {
  Dims dims;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    dims.push_back(spatial[axis] - minus);
  }
  return dims;
}

dnnl::primitive_attr attributes_of(bool accumulate) {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  dnnl::post_ops post_ops;
  if (accumulate) {
    post_ops.append_sum(1.0F);
  }
  attr.set_post_ops(post_ops);
  return attr;
}

template <typename PrimitiveType, typename Description>
Primitive finish(const Description& description) {
  Primitive result;
  result.implementation = description.impl_info_str();
  result.scratch_bytes = description.scratchpad_desc().get_size();
  result.handle = PrimitiveType(description);
  return result;
}

// Each makes the primitive of a description, if the library has one, with its operands by role.

template <typename PrimitiveType, typename Description>
std::optional<Primitive> forward_primitive(const Description& description) {
  if (!description) {
    return std::nullopt;
  }
  Primitive result = finish<PrimitiveType>(description);
  result.x = description.src_desc();
  result.weights = description.weights_desc();
  result.bias = description.bias_desc();
  result.y = description.dst_desc();
  result.x_argument = DNNL_ARG_SRC;
  result.weights_argument = DNNL_ARG_WEIGHTS;
  result.bias_argument = DNNL_ARG_BIAS;
  result.y_argument = DNNL_ARG_DST;
  return result;
}

template <typename PrimitiveType, typename Description>
std::optional<Primitive> backward_data_primitive(const Description& description) {
  if (!description) {
    return std::nullopt;
  }
  Primitive result = finish<PrimitiveType>(description);
  result.x = description.diff_src_desc();
  result.weights = description.weights_desc();
  result.y = description.diff_dst_desc();
  result.x_argument = DNNL_ARG_DIFF_SRC;
  result.weights_argument = DNNL_ARG_WEIGHTS;
  result.y_argument = DNNL_ARG_DIFF_DST;
  return result;
}

template <typename PrimitiveType, typename Description>
std::optional<Primitive> backward_weights_primitive(const Description& description) {
  if (!description) {
    return std::nullopt;
  }
  Primitive result = finish<PrimitiveType>(description);
  result.x = description.src_desc();
  result.weights = description.diff_weights_desc();
  result.bias = description.diff_bias_desc();
  result.y = description.diff_dst_desc();
  result.x_argument = DNNL_ARG_SRC;
  result.weights_argument = DNNL_ARG_DIFF_WEIGHTS;
  result.bias_argument = DNNL_ARG_DIFF_BIAS;
  result.y_argument = DNNL_ARG_DIFF_DST;
  return result;
}

/// The request of the forward primitive that backward weights need as a hint: weights have the data
/// type of x, as in a forward pass of that type.
template <typename Request>
Request hint_request(Request request) {
  request.weights = plain_or_any_as(request.weights, data_type_of(request.x));
  return request;
}

using Forward = dnnl::convolution_forward;
using BackwardData = dnnl::convolution_backward_data;
using BackwardWeights = dnnl::convolution_backward_weights;

/// The description of a convolution that all directions share, without operands.
struct ConvDescription {
  dnnl::algorithm algorithm;
  Dims strides;
  Dims dilates;
  Dims before;
  Dims after;

  explicit ConvDescription(const ConvRequest& r)
      : algorithm(r.winograd ? dnnl::algorithm::convolution_winograd
                             : dnnl::algorithm::convolution_direct),
        strides(spatial_dims(r.attributes.stride, r.spatial_rank)),
        dilates(spatial_dims(r.attributes.dilation, r.spatial_rank, 1)),
        before(spatial_dims(r.attributes.pad_begin, r.spatial_rank)),
        after(spatial_dims(r.attributes.pad_end, r.spatial_rank)) {}
};

Forward::primitive_desc forward_description(const ConvRequest& r) {
  const auto kind = dnnl::prop_kind::forward_training;
  const ConvDescription c(r);
  const bool forward = r.direction == ContractionDirection::kForward;
  const dnnl::primitive_attr attr = attributes_of(forward && r.accumulate);
  const std::string_view unwanted = forward && r.no_brgemm ? "brg" : "";
  const auto describe = [&](const auto&... operands) {
    return describe_forward<Forward>(
        unwanted, attr, kind, c.algorithm, operands..., c.strides, c.dilates, c.before, c.after);
  };
  return r.bias.is_zero() ? describe(r.x, r.weights, r.y) : describe(r.x, r.weights, r.bias, r.y);
}

/// The forward description that a backward one needs as a hint.
Forward::primitive_desc hint_description(const ConvRequest& r) {
  Forward::primitive_desc description = forward_description(r);
  if (!description && r.winograd) {
    ConvRequest direct = r;
    direct.winograd = false;
    description = forward_description(direct);
  }
  return description;
}

std::optional<Primitive> convolution_backward_data(const ConvRequest& r) {
  const auto hint = hint_description(r);
  if (!hint) {
    return std::nullopt;
  }
  const ConvDescription c(r);
  return backward_data_primitive<BackwardData>(describe_backward<BackwardData>(attributes_of(false),
                                                                               hint,
                                                                               c.algorithm,
                                                                               r.x,
                                                                               r.weights,
                                                                               r.y,
                                                                               c.strides,
                                                                               c.dilates,
                                                                               c.before,
                                                                               c.after));
}

std::optional<Primitive> convolution_backward_weights(const ConvRequest& r) {
  const auto hint = hint_description(hint_request(r));
  if (!hint) {
    return std::nullopt;
  }
  const ConvDescription c(r);
  const dnnl::primitive_attr attr = attributes_of(false);
  const auto describe = [&](const auto&... operands) {
    return describe_backward<BackwardWeights>(
        attr, hint, c.algorithm, operands..., c.strides, c.dilates, c.before, c.after);
  };
  return backward_weights_primitive<BackwardWeights>(
      r.bias.is_zero() ? describe(r.x, r.weights, r.y) : describe(r.x, r.weights, r.bias, r.y));
}

using DenseForward = dnnl::inner_product_forward;
using DenseBackwardData = dnnl::inner_product_backward_data;
using DenseBackwardWeights = dnnl::inner_product_backward_weights;

DenseForward::primitive_desc dense_description(const DenseRequest& r) {
  const auto kind = dnnl::prop_kind::forward_training;
  const dnnl::primitive_attr attr = attributes_of(false);
  return r.bias.is_zero()
             ? describe_forward<DenseForward>("", attr, kind, r.x, r.weights, r.y)
             : describe_forward<DenseForward>("", attr, kind, r.x, r.weights, r.bias, r.y);
}

std::optional<Primitive> dense_backward_data(const DenseRequest& r) {
  const auto hint = dense_description(r);
  if (!hint) {
    return std::nullopt;
  }
  return backward_data_primitive<DenseBackwardData>(
      describe_backward<DenseBackwardData>(attributes_of(false), hint, r.x, r.weights, r.y));
}

std::optional<Primitive> dense_backward_weights(const DenseRequest& r) {
  const auto hint = dense_description(hint_request(r));
  if (!hint) {
    return std::nullopt;
  }
  const dnnl::primitive_attr attr = attributes_of(false);
  return backward_weights_primitive<DenseBackwardWeights>(
      r.bias.is_zero()
          ? describe_backward<DenseBackwardWeights>(attr, hint, r.x, r.weights, r.y)
          : describe_backward<DenseBackwardWeights>(attr, hint, r.x, r.weights, r.bias, r.y));
}

[[noreturn]] void fail(dnnl_status_t status, const std::string& what) {
  if (status == dnnl_out_of_memory) {
    throw core::Error(
        core::ErrorCode::kMemory,
        "out of memory: oneDNN " + what +
            "; a smaller --batch-size or --image-size needs less, or ulimit -v allows "
            "too little");
  }
  throw core::Error(core::ErrorCode::kLibrary, "oneDNN " + what);
}

/// Runs a factory; turns the library's exceptions into core::Error.
template <typename Factory>
auto guarded(const char* what, Factory factory) {
  try {
    return factory();
  } catch (const dnnl::error& error) {
    fail(error.status, std::string("cannot make a ") + what + ": " + error.what());
  }
}

}  // namespace

const dnnl::engine& onednn_engine() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

dnnl::stream& onednn_stream() {
  static dnnl::stream stream(onednn_engine());
  return stream;
}

std::string onednn_version() {
  const dnnl_version_t& version = *dnnl_version();
  return std::to_string(version.major) + "." + std::to_string(version.minor) + "." +
         std::to_string(version.patch);
}

std::string onednn_isa() { return isa_name(dnnl::get_effective_cpu_isa()); }

MemoryDesc activation_desc(const core::Shape& shape, core::DType dtype, Layout layout) {
  using Tag = dnnl::memory::format_tag;
  if (layout.block == 1) {
    return plain_desc(shape, dtype);
  }
  DLBENCH_CHECK(shape.rank() == 4 || shape.rank() == 5) << shape.to_string();
  Tag tag = Tag::nChw16c;
  if (shape.rank() == 4) {
    tag = layout.block == 16 ? Tag::nChw16c : Tag::nChw8c;
  } else {
    tag = layout.block == 16 ? Tag::nCdhw16c : Tag::nCdhw8c;
  }
  return {dims_of(shape), library_type(dtype), tag};
}

MemoryDesc channels_last_desc(const core::Shape& shape, core::DType dtype) {
  using Tag = dnnl::memory::format_tag;
  return {dims_of(shape), library_type(dtype), shape.rank() == 4 ? Tag::nhwc : Tag::ndhwc};
}

MemoryDesc plain_desc(const core::Shape& shape, core::DType dtype, std::int64_t groups) {
  const Dims dims = dims_of(shape, groups);
  return {dims, library_type(dtype), strides_of(dims)};
}

MemoryDesc any_desc(const core::Shape& shape, core::DType dtype, std::int64_t groups) {
  return {dims_of(shape, groups), library_type(dtype), dnnl::memory::format_tag::any};
}

std::optional<Primitive> make_convolution(const ConvRequest& request) {
  return guarded("convolution", [&] {
    switch (request.direction) {
      case ContractionDirection::kForward:
        return forward_primitive<Forward>(forward_description(request));
      case ContractionDirection::kBackwardData:
        return convolution_backward_data(request);
      default:
        return convolution_backward_weights(request);
    }
  });
}

std::optional<Primitive> make_inner_product(const DenseRequest& request) {
  return guarded("fully connected layer", [&] {
    switch (request.direction) {
      case ContractionDirection::kForward:
        return forward_primitive<DenseForward>(dense_description(request));
      case ContractionDirection::kBackwardData:
        return dense_backward_data(request);
      default:
        return dense_backward_weights(request);
    }
  });
}

Primitive make_reorder(const MemoryDesc& from, const MemoryDesc& to) {
  return guarded("reorder", [&] {
    const dnnl::reorder::primitive_desc description(
        onednn_engine(), from, onednn_engine(), to, attributes_of(false));
    Primitive result = finish<dnnl::reorder>(description);
    result.x = from;
    result.y = to;
    result.x_argument = DNNL_ARG_FROM;
    result.y_argument = DNNL_ARG_TO;
    return result;
  });
}

bool is_reference(const std::string& implementation) {
  return implementation.find("ref") != std::string::npos ||
         implementation.find("simple") != std::string::npos;
}

void check_onednn(dnnl_status_t status, const char* what) {
  if (status != dnnl_success) {
    fail(status,
         std::string("failed in ") + what + " with status " +
             std::to_string(static_cast<int>(status)));
  }
}

PrimitiveKernel::PrimitiveKernel(Primitive primitive,
                                 std::vector<PrimitiveArgument> arguments,
                                 std::vector<SlotId> moving)
    : primitive_(std::move(primitive)),
      arguments_(std::move(arguments)),
      moving_slots_(std::move(moving)) {}

void PrimitiveKernel::bind(const SlotTable& slots, std::byte* scratch) {
  slots_ = &slots;
  memories_.clear();
  execute_arguments_.clear();
  moving_.clear();
  for (const PrimitiveArgument& argument : arguments_) {
    const bool moves =
        std::find(moving_slots_.begin(), moving_slots_.end(), argument.slot) != moving_slots_.end();
    if (moves) {
      moving_.push_back(memories_.size());
    }
    memories_.emplace_back(argument.desc, onednn_engine(), slots[argument.slot]);
  }
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    execute_arguments_.push_back({arguments_[i].index, memories_[i].get()});
  }
  if (primitive_.scratch_bytes > 0) {
    const MemoryDesc desc({static_cast<std::int64_t>(primitive_.scratch_bytes)},
                          dnnl::memory::data_type::u8,
                          dnnl::memory::format_tag::a);
    memories_.emplace_back(desc, onednn_engine(), scratch);
    execute_arguments_.push_back({DNNL_ARG_SCRATCHPAD, memories_.back().get()});
  }
}

void PrimitiveKernel::run(Stream& /*stream*/) {
  for (const std::size_t i : moving_) {
    check_onednn(dnnl_memory_set_data_handle(memories_[i].get(), (*slots_)[arguments_[i].slot]),
                 "dnnl_memory_set_data_handle");
  }
  check_onednn(dnnl_primitive_execute(primitive_.handle.get(),
                                      onednn_stream().get(),
                                      static_cast<int>(execute_arguments_.size()),
                                      execute_arguments_.data()),
               primitive_.implementation.c_str());
}

}  // namespace dlbench::backend::cpu
