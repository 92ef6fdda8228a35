// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// NVTX ranges for Nsight and other tools, through the header-only NVTX 3. This file is part of the
// build only where the header was found.
#include "engine/core/trace.h"
#include "probes/probe.h"
#include "probes/registry.h"

#include <nvtx3/nvToolsExt.h>

#include <array>
#include <memory>
#include <string>

namespace dlbench::probes {
namespace {

/// Returns a category's ARGB colour, so that one row of a timeline shows the kind of work.
std::uint32_t colour(core::trace::Category category) {
  switch (category) {
    case core::trace::Category::kTrial:
      return 0xFF606060U;
    case core::trace::Category::kRepetition:
      return 0xFF909090U;
    case core::trace::Category::kStep:
      return 0xFF3070C0U;
    case core::trace::Category::kPhase:
      return 0xFF40A060U;
    case core::trace::Category::kOp:
      return 0xFFC0A030U;
    case core::trace::Category::kLoader:
      return 0xFFB05090U;
    case core::trace::Category::kComm:
      return 0xFFC04030U;
  }
  return 0xFFFFFFFFU;
}

/// All categories of regions.
constexpr std::array kCategories{core::trace::Category::kTrial,
                                 core::trace::Category::kRepetition,
                                 core::trace::Category::kStep,
                                 core::trace::Category::kPhase,
                                 core::trace::Category::kOp,
                                 core::trace::Category::kLoader,
                                 core::trace::Category::kComm};

/// Returns NVTX's number for a category; 0 means none.
std::uint32_t number(core::trace::Category category) {
  return static_cast<std::uint32_t>(category) + 1;
}

/// Ranges in the domain "dlbench": trials, repetitions, steps, phases, ops, loader and
/// communication, each category with its name and colour.
class NvtxProbe final : public Probe, private core::trace::Sink {
 public:
  NvtxProbe() : domain_(nvtxDomainCreateA("dlbench")) {
    for (const core::trace::Category category : kCategories) {
      nvtxDomainNameCategoryA(
          domain_, number(category), std::string(core::trace::name(category)).c_str());
    }
  }
  ~NvtxProbe() override { nvtxDomainDestroy(domain_); }
  NvtxProbe(const NvtxProbe&) = delete;
  NvtxProbe& operator=(const NvtxProbe&) = delete;

  [[nodiscard]] const ProbeSpec& spec() const override {
    static const ProbeSpec spec{
        "nvtx", "NVTX ranges, shown by Nsight Systems and Nsight Compute", {}, {}};
    return spec;
  }

  [[nodiscard]] std::string open(const ProbeOptions& /*options*/) override { return reason(); }

  // Regions include the trials; windows need nothing.
  void begin_trial(std::string_view /*trial*/) noexcept override {}
  void end_trial() noexcept override {}
  [[nodiscard]] ProbeValues collect(std::string_view /*trial*/) const override {
    return ProbeValues{domain_ != nullptr, reason(), {}};
  }
  /// Returns nullptr if no tool listens, so that regions cost nothing.
  [[nodiscard]] core::trace::Sink* sink() override { return domain_ != nullptr ? this : nullptr; }

 private:
  /// NVTX returns no domain if no tool was injected into the process.
  [[nodiscard]] std::string reason() const {
    return domain_ != nullptr ? "" : "no NVTX tool is attached to this process";
  }

  void begin(const core::trace::RegionInfo& region) noexcept override {
    // NVTX needs a terminated string; longer names are cut in the tool's view only.
    std::array<char, 96> text{};
    region.name.copy(text.data(), text.size() - 1);
    nvtxEventAttributes_t attributes{};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.category = number(region.category);
    attributes.colorType = NVTX_COLOR_ARGB;
    attributes.color = colour(region.category);
    attributes.payloadType = NVTX_PAYLOAD_TYPE_INT64;
    attributes.payload.llValue = region.id;
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = text.data();
    nvtxDomainRangePushEx(domain_, &attributes);
  }

  void end(const core::trace::RegionInfo& /*region*/) noexcept override {
    nvtxDomainRangePop(domain_);
  }

  // The tool shows the operating system's thread names.
  void name_thread(std::string_view /*name*/) noexcept override {}
  void map_captured_node(std::uint64_t /*captured_node*/,
                         std::int64_t /*op_id*/) noexcept override {}

  nvtxDomainHandle_t domain_;
};

const ProbeRegistration kNvtxRegistration("nvtx", [] { return std::make_unique<NvtxProbe>(); });

}  // namespace
}  // namespace dlbench::probes
