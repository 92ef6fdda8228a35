// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What differs between oneDNN 2 and 3: descriptions of primitives, queries of memory descriptors,
// post-operations and names of instruction sets.
#pragma once

#include "engine/backend/cpu/onednn_internal.h"

#include <string>
#include <string_view>

namespace dlbench::backend::cpu {

/// Describes a forward primitive with the operation's own arguments, for the library's first
/// implementation whose name does not begin with `unwanted` (unless that is empty). Empty if there
/// is none.
template <typename PrimitiveType, typename... Arguments>
typename PrimitiveType::primitive_desc describe_forward(std::string_view unwanted,
                                                        const dnnl::primitive_attr& attr,
                                                        const Arguments&... arguments) {
  constexpr bool kAllowEmpty = true;
#if DNNL_VERSION_MAJOR >= 3
  typename PrimitiveType::primitive_desc description(
      onednn_engine(), arguments..., attr, kAllowEmpty);
#else
  // next_impl() reads the operation descriptor later, so it must stay alive.
  const typename PrimitiveType::desc operation(arguments...);
  typename PrimitiveType::primitive_desc description(operation, attr, onednn_engine(), kAllowEmpty);
#endif
  while (!unwanted.empty() && description &&
         std::string_view(description.impl_info_str()).starts_with(unwanted)) {
    if (!description.next_impl()) {
      return {};
    }
  }
  return description;
}

/// Describes a backward primitive, which needs the forward description as a hint.
template <typename PrimitiveType, typename Hint, typename... Arguments>
typename PrimitiveType::primitive_desc describe_backward(const dnnl::primitive_attr& attr,
                                                         const Hint& hint,
                                                         const Arguments&... arguments) {
  constexpr bool kAllowEmpty = true;
#if DNNL_VERSION_MAJOR >= 3
  return {onednn_engine(), arguments..., hint, attr, kAllowEmpty};
#else
  return {typename PrimitiveType::desc(arguments...), attr, onednn_engine(), hint, kAllowEmpty};
#endif
}

inline dnnl::memory::data_type data_type_of(const MemoryDesc& desc) {
#if DNNL_VERSION_MAJOR >= 3
  return desc.get_data_type();
#else
  return desc.data_type();
#endif
}

/// The same descriptor, row-major or `any`, with another element type.
inline MemoryDesc plain_or_any_as(const MemoryDesc& desc, dnnl::memory::data_type type) {
#if DNNL_VERSION_MAJOR >= 3
  if (desc.get_format_kind() == dnnl::memory::format_kind::any) {
    return {desc.get_dims(), type, dnnl::memory::format_tag::any};
  }
  return {desc.get_dims(), type, desc.get_strides()};
#else
  MemoryDesc result = desc;
  result.data.data_type = dnnl::memory::convert_to_c(type);
  return result;
#endif
}

/// Whether two descriptors are equal except for the element type.
inline bool same_but_for_type(const MemoryDesc& a, const MemoryDesc& b) {
#if DNNL_VERSION_MAJOR >= 3
  return a.get_format_kind() == b.get_format_kind() && a.get_dims() == b.get_dims() &&
         a.get_padded_dims() == b.get_padded_dims() && a.get_strides() == b.get_strides() &&
         a.get_inner_blks() == b.get_inner_blks() && a.get_inner_idxs() == b.get_inner_idxs() &&
         a.get_submemory_offset() == b.get_submemory_offset();
#else
  MemoryDesc other = a;
  other.data.data_type = b.data.data_type;
  return other == b;
#endif
}

/// The name of an instruction set; "unknown" for one that these versions of the library lack.
inline std::string isa_name(dnnl::cpu_isa isa) {
  switch (isa) {
#if DNNL_VERSION_MAJOR >= 3
    case dnnl::cpu_isa::avx512_core_amx_fp16:
      return "avx512_core_amx_fp16";
    case dnnl::cpu_isa::avx512_core_fp16:
      return "avx512_core_fp16";
    case dnnl::cpu_isa::avx2_vnni_2:
      return "avx2_vnni_2";
#endif
    case dnnl::cpu_isa::avx512_core_amx:
      return "avx512_core_amx";
    case dnnl::cpu_isa::avx512_core_bf16:
      return "avx512_core_bf16";
    case dnnl::cpu_isa::avx512_core_vnni:
      return "avx512_core_vnni";
    case dnnl::cpu_isa::avx512_core:
      return "avx512_core";
    case dnnl::cpu_isa::avx2_vnni:
      return "avx2_vnni";
    case dnnl::cpu_isa::avx2:
      return "avx2";
    case dnnl::cpu_isa::avx:
      return "avx";
    case dnnl::cpu_isa::sse41:
      return "sse41";
    default:
      return "unknown";
  }
}

}  // namespace dlbench::backend::cpu
