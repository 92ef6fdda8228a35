// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/backend/cuda/fake/cudnn_program.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <utility>

namespace dlbench::fake {
namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw CudnnRefusal(CUDNN_STATUS_NOT_SUPPORTED, why);
}

void require(bool holds, const std::string& why) {
  if (!holds) {
    throw CudnnRefusal(CUDNN_STATUS_BAD_PARAM, why);
  }
}

/// Reads attributes of one descriptor; all that it has must be read.
class AttributeReader {
 public:
  explicit AttributeReader(const CudnnRecord& record) : record_(record) {
    require(record.finalized, "a descriptor that was not finalised: " + text());
  }

  template <typename T>
  std::vector<T> list(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type) {
    const CudnnAttribute* attribute = optional(name);
    require(attribute != nullptr, missing(name));
    require(attribute->type == type, "another type than expected: " + missing(name));
    std::vector<T> values(static_cast<std::size_t>(attribute->count));
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::memcpy(&values[i], attribute->bytes.data() + i * sizeof(T), sizeof(T));
    }
    return values;
  }
  template <typename T>
  T one(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type) {
    const std::vector<T> values = list<T>(name, type);
    require(values.size() == 1, "not one value: " + missing(name));
    return values[0];
  }
  std::vector<std::int64_t> integers(cudnnBackendAttributeName_t name) {
    return list<std::int64_t>(name, CUDNN_TYPE_INT64);
  }
  /// f32 or f64.
  float scale(cudnnBackendAttributeName_t name) {
    const CudnnAttribute* attribute = record_.find(name);
    require(attribute != nullptr, missing(name));
    return attribute->type == CUDNN_TYPE_DOUBLE
               ? static_cast<float>(one<double>(name, CUDNN_TYPE_DOUBLE))
               : one<float>(name, CUDNN_TYPE_FLOAT);
  }
  float scale_or_one(cudnnBackendAttributeName_t name) {
    return record_.find(name) == nullptr ? 1.0F : scale(name);
  }
  std::vector<CudnnRecordPtr> descriptors(cudnnBackendAttributeName_t name) {
    const CudnnAttribute* attribute = optional(name);
    require(attribute != nullptr, missing(name));
    return attribute->descriptors;
  }
  const CudnnRecord& descriptor(cudnnBackendAttributeName_t name,
                                cudnnBackendDescriptorType_t type) {
    const CudnnAttribute* attribute = optional(name);
    require(attribute != nullptr && attribute->descriptors.size() == 1, missing(name));
    require(attribute->descriptors[0]->type == type, "another descriptor: " + missing(name));
    return *attribute->descriptors[0];
  }
  const CudnnAttribute* optional(cudnnBackendAttributeName_t name) {
    read_.insert(name);
    return record_.find(name);
  }
  void require_all_read() const {
    for (const auto& [name, attribute] : record_.attributes) {
      if (read_.count(name) == 0) {
        refuse("attribute " + std::to_string(static_cast<int>(name)) + " of " + text() +
               " is not interpreted here");
      }
    }
  }

 private:
  std::string text() const {
    return "descriptor of type " + std::to_string(static_cast<int>(record_.type));
  }
  std::string missing(cudnnBackendAttributeName_t name) const {
    return "attribute " + std::to_string(static_cast<int>(name)) + " of " + text();
  }

  const CudnnRecord& record_;
  std::set<cudnnBackendAttributeName_t> read_;
};

Element element_of(cudnnDataType_t type) {
  switch (type) {
    case CUDNN_DATA_FLOAT:
      return Element::kF32;
    case CUDNN_DATA_HALF:
      return Element::kF16;
    case CUDNN_DATA_BFLOAT16:
      return Element::kBF16;
    default:
      refuse("data type " + std::to_string(static_cast<int>(type)));
  }
}

void require_f32(cudnnDataType_t type) {
  if (type != CUDNN_DATA_FLOAT) {
    refuse("computation in data type " + std::to_string(static_cast<int>(type)));
  }
}

struct ConvolutionNames {
  cudnnBackendAttributeName_t x;
  cudnnBackendAttributeName_t w;
  cudnnBackendAttributeName_t y;
  cudnnBackendAttributeName_t convolution;
  cudnnBackendAttributeName_t alpha;
  cudnnBackendAttributeName_t beta;
};

ConvolutionNames names_of(cudnnBackendDescriptorType_t direction) {
  switch (direction) {
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
      return {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA};
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR:
      return {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA};
    default:
      return {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA};
  }
}

ConvolutionShape shape_of(const CudnnRecord& convolution,
                          const TensorView& x,
                          const TensorView& w,
                          const TensorView& y) {
  AttributeReader reader(convolution);
  require_f32(reader.one<cudnnDataType_t>(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE));
  const auto mode = reader.one<cudnnConvolutionMode_t>(CUDNN_ATTR_CONVOLUTION_CONV_MODE,
                                                       CUDNN_TYPE_CONVOLUTION_MODE);
  const auto axes = static_cast<std::size_t>(
      reader.one<std::int64_t>(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64));
  const auto pre = reader.integers(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS);
  const auto post = reader.integers(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS);
  const auto stride = reader.integers(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES);
  const auto dilation = reader.integers(CUDNN_ATTR_CONVOLUTION_DILATIONS);
  reader.require_all_read();
  for (const auto* list : {&pre, &post, &stride, &dilation}) {
    require(list->size() == axes, "a list of the convolution is not one per spatial axis");
  }
  for (const TensorView* tensor : {&x, &w, &y}) {
    require(tensor->extents.size() == axes + 2, "a tensor has not the convolution's axes");
  }
  ConvolutionShape shape{.batch = x.extents[0],
                         .channels = x.extents[1],
                         .filters = w.extents[0],
                         .groups = x.extents[1] / w.extents[1],
                         .flipped = mode == CUDNN_CONVOLUTION};
  require(y.extents[0] == shape.batch && y.extents[1] == shape.filters &&
              shape.groups * w.extents[1] == shape.channels && shape.filters % shape.groups == 0,
          "batch, channels and groups of x, w and y contradict each other");
  for (std::size_t i = 0; i < axes; ++i) {
    const ConvolutionAxis axis{.x = x.extents[i + 2],
                               .w = w.extents[i + 2],
                               .y = y.extents[i + 2],
                               .pad = pre[i],
                               .stride = stride[i],
                               .dilation = dilation[i]};
    require(axis.pad >= 0 && post[i] >= 0 && axis.stride >= 1 && axis.dilation >= 1,
            "padding, stride or dilation out of range");
    const std::int64_t room = axis.x + pre[i] + post[i] - ((axis.w - 1) * axis.dilation + 1);
    require(room >= 0 && axis.y == 1 + room / axis.stride,
            "the extent of y does not follow from x and w on spatial axis " + std::to_string(i));
    shape.axes.push_back(axis);
  }
  return shape;
}

class ProgramBuilder {
 public:
  ProgramBuilder(CudnnProgram& program, bool tf32) : program_(program), tf32_(tf32) {}

  void add(const CudnnRecord& operation) {
    switch (operation.type) {
      case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
      case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR:
      case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR:
        add_convolution(operation);
        return;
      case CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR:
        add_addition(operation);
        return;
      default:
        refuse("operation of type " + std::to_string(static_cast<int>(operation.type)));
    }
  }

 private:
  void add_convolution(const CudnnRecord& operation) {
    const ConvolutionNames names = names_of(operation.type);
    AttributeReader reader(operation);
    ConvolutionStep step{.direction = operation.type};
    step.x = tensor(reader, names.x);
    step.w = tensor(reader, names.w);
    step.y = tensor(reader, names.y);
    step.shape =
        shape_of(reader.descriptor(names.convolution, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR),
                 program_.tensors[step.x].view,
                 program_.tensors[step.w].view,
                 program_.tensors[step.y].view);
    step.alpha = reader.scale(names.alpha);
    step.beta = reader.scale(names.beta);
    reader.require_all_read();
    std::set<std::int64_t> operands{step.x, step.w, step.y};
    require(operands.size() == 3, "one tensor stands twice in a convolution");
    operands.erase(step.result());
    step.tf32 = tf32_;
    for (const std::int64_t operand : operands) {
      step.tf32 = step.tf32 && program_.tensors[operand].view.element == Element::kF32;
      reads(operand);
    }
    if (step.beta != 0) {
      reads(step.result());
    }
    writes(step.result());
    program_.steps.emplace_back(std::move(step));
  }

  void add_addition(const CudnnRecord& operation) {
    AttributeReader reader(operation);
    AttributeReader pointwise(reader.descriptor(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR,
                                                CUDNN_BACKEND_POINTWISE_DESCRIPTOR));
    const auto mode =
        pointwise.one<cudnnPointwiseMode_t>(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE);
    if (mode != CUDNN_POINTWISE_ADD) {
      refuse("pointwise mode " + std::to_string(static_cast<int>(mode)));
    }
    require_f32(
        pointwise.one<cudnnDataType_t>(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE));
    pointwise.require_all_read();
    const AdditionStep step{.x = tensor(reader, CUDNN_ATTR_OPERATION_POINTWISE_XDESC),
                            .b = tensor(reader, CUDNN_ATTR_OPERATION_POINTWISE_BDESC),
                            .y = tensor(reader, CUDNN_ATTR_OPERATION_POINTWISE_YDESC),
                            .alpha1 = reader.scale_or_one(CUDNN_ATTR_OPERATION_POINTWISE_ALPHA1),
                            .alpha2 = reader.scale_or_one(CUDNN_ATTR_OPERATION_POINTWISE_ALPHA2)};
    reader.require_all_read();
    const std::vector<std::int64_t>& x = program_.tensors[step.x].view.extents;
    const std::vector<std::int64_t>& b = program_.tensors[step.b].view.extents;
    const std::vector<std::int64_t>& y = program_.tensors[step.y].view.extents;
    require(x == y && b.size() == y.size(), "extents of an addition");
    for (std::size_t axis = 0; axis < y.size(); ++axis) {
      require(b[axis] == 1 || b[axis] == y[axis], "what is added is neither one nor all");
    }
    reads(step.x);
    reads(step.b);
    writes(step.y);
    program_.steps.emplace_back(step);
  }

  /// Its id; the tensor is one of the program from now on.
  std::int64_t tensor(AttributeReader& operation, cudnnBackendAttributeName_t name) {
    AttributeReader reader(operation.descriptor(name, CUDNN_BACKEND_TENSOR_DESCRIPTOR));
    CudnnTensor made;
    made.view = {.element = element_of(reader.one<cudnnDataType_t>(CUDNN_ATTR_TENSOR_DATA_TYPE,
                                                                   CUDNN_TYPE_DATA_TYPE)),
                 .extents = reader.integers(CUDNN_ATTR_TENSOR_DIMENSIONS),
                 .strides = reader.integers(CUDNN_ATTR_TENSOR_STRIDES)};
    made.alignment = reader.one<std::int64_t>(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64);
    if (reader.optional(CUDNN_ATTR_TENSOR_IS_VIRTUAL) != nullptr) {
      made.is_virtual =
          reader.one<std::uint8_t>(CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN) != 0;
    }
    const auto id = reader.one<std::int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64);
    reader.require_all_read();
    require(made.alignment >= 1, "alignment");
    require(made.view.extents.size() >= 3 && made.view.extents.size() == made.view.strides.size() &&
                std::all_of(made.view.extents.begin(),
                            made.view.extents.end(),
                            [](std::int64_t extent) { return extent >= 1; }) &&
                std::all_of(made.view.strides.begin(),
                            made.view.strides.end(),
                            [](std::int64_t stride) { return stride >= 0; }),
            "extents and strides of tensor " + std::to_string(id));
    const auto [entry, is_new] = program_.tensors.emplace(id, made);
    require(is_new || (entry->second.view.element == made.view.element &&
                       entry->second.view.extents == made.view.extents &&
                       entry->second.view.strides == made.view.strides &&
                       entry->second.is_virtual == made.is_virtual),
            "two tensors share the unique id " + std::to_string(id));
    return id;
  }

  void reads(std::int64_t id) {
    const CudnnTensor& read = program_.tensors[id];
    require(!read.is_virtual || read.is_written,
            "virtual tensor " + std::to_string(id) + " is read before an operation wrote it");
  }
  void writes(std::int64_t id) {
    CudnnTensor& written = program_.tensors[id];
    require(!written.is_written, "tensor " + std::to_string(id) + " is written twice");
    require(written.view.apart(), "elements of tensor " + std::to_string(id) + " overlap");
    written.is_written = true;
  }

  CudnnProgram& program_;
  bool tf32_;
};

/// One run: virtual tensors live in it.
class ProgramRun {
 public:
  ProgramRun(const CudnnProgram& program, const std::map<std::int64_t, void*>& addresses)
      : program_(program), addresses_(addresses) {}

  void step(const ConvolutionStep& step) {
    const bool forward = step.result() == step.y;
    const bool data = step.result() == step.x;
    std::vector<float> left = read(data ? step.w : step.x);
    std::vector<float> right = read(forward ? step.w : step.y);
    if (step.tf32) {
      round_all_to_tf32(left);
      round_all_to_tf32(right);
    }
    std::vector<float> values = forward ? convolve_forward(step.shape, left, right)
                                : data  ? convolve_backward_data(step.shape, left, right)
                                        : convolve_backward_filter(step.shape, left, right);
    if (step.alpha != 1) {
      for (float& value : values) {
        value *= step.alpha;
      }
    }
    if (step.beta != 0) {
      const std::vector<float> old = read(step.result());
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] += step.beta * old[i];
      }
    }
    write(step.result(), std::move(values));
  }

  void step(const AdditionStep& step) {
    const TensorView b_view = tensor(step.b).view.channels_last();
    const TensorView y_view = tensor(step.y).view.channels_last();
    std::vector<float> values = read(step.x);
    const std::vector<float> b = read(step.b);
    // A view of the dense b, in which an axis of one element is repeated.
    TensorView repeated{.extents = y_view.extents,
                        .strides = std::vector<std::int64_t>(y_view.extents.size())};
    std::int64_t dense = 1;
    for (std::size_t axis = y_view.extents.size(); axis-- > 0;) {
      repeated.strides[axis] = b_view.extents[axis] == 1 ? 0 : dense;
      dense *= b_view.extents[axis];
    }
    const std::vector<float> all = gather(repeated, b.data());
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = step.alpha1 * values[i] + step.alpha2 * all[i];
    }
    write(step.y, std::move(values));
  }

 private:
  const CudnnTensor& tensor(std::int64_t id) const { return program_.tensors.at(id); }

  std::vector<float> read(std::int64_t id) const {
    return tensor(id).is_virtual ? virtual_.at(id)
                                 : gather(tensor(id).view.channels_last(), addresses_.at(id));
  }

  void write(std::int64_t id, std::vector<float> values) {
    if (tensor(id).is_virtual) {
      round_all(tensor(id).view.element, values);
      virtual_[id] = std::move(values);
    } else {
      scatter(tensor(id).view.channels_last(), values, addresses_.at(id));
    }
  }

  const CudnnProgram& program_;
  const std::map<std::int64_t, void*>& addresses_;
  std::map<std::int64_t, std::vector<float>> virtual_;
};

}  // namespace

std::int64_t ConvolutionStep::result() const {
  switch (direction) {
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
      return y;
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR:
      return x;
    default:
      return w;
  }
}

void CudnnProgram::run(const std::map<std::int64_t, void*>& addresses) const {
  ProgramRun run(*this, addresses);
  for (const auto& step : steps) {
    std::visit([&](const auto& kind) { run.step(kind); }, step);
  }
}

void CudnnProgram::turn_filters() {
  for (auto& step : steps) {
    if (auto* convolution = std::get_if<ConvolutionStep>(&step); convolution != nullptr) {
      convolution->shape.flipped = !convolution->shape.flipped;
    }
  }
}

CudnnProgram cudnn_program(const CudnnRecord& graph, bool tf32) {
  AttributeReader reader(graph);
  CudnnProgram program;
  ProgramBuilder builder(program, tf32);
  static_cast<void>(reader.optional(CUDNN_ATTR_OPERATIONGRAPH_HANDLE));
  for (const CudnnRecordPtr& operation : reader.descriptors(CUDNN_ATTR_OPERATIONGRAPH_OPS)) {
    builder.add(*operation);
  }
  reader.require_all_read();
  return program;
}

}  // namespace dlbench::fake
