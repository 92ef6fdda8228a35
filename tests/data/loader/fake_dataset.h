// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A data set without files: sample i is known, and may be slow or corrupt on demand.
#pragma once

#include "data/dataset.h"
#include "engine/core/error.h"

#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace dlbench::data::testing {

class FakeDataset final : public Dataset {
 public:
  explicit FakeDataset(std::int64_t size, std::int64_t samples_per_ticket = 1) : size_(size) {
    spec_.samples_per_ticket = samples_per_ticket;
    spec_.name = "fake";
    spec_.tensors = {{"image", Role::kInput, core::DType::kU8, {5, 3}},
                     {"label", Role::kTarget, core::DType::kI32, core::Shape{}}};
  }

  std::set<std::int64_t> corrupt;  ///< set before a loader is made
  std::chrono::microseconds sample_time{0};
  mutable std::atomic<std::int64_t> loads{0};

  [[nodiscard]] const DatasetSpec& spec() const override { return spec_; }
  [[nodiscard]] std::int64_t size() const override { return size_; }
  [[nodiscard]] std::string sample_name(std::int64_t index) const override {
    return "fake" + std::to_string(index);
  }
  [[nodiscard]] SampleInfo describe(std::int64_t /*index*/) const override { return {5, 3}; }
  [[nodiscard]] std::vector<std::filesystem::path> files() const override { return {}; }
  [[nodiscard]] std::unique_ptr<SampleReader> make_reader() const override {
    return std::make_unique<Reader>(*this);
  }

 private:
  class Reader final : public SampleReader {
   public:
    explicit Reader(const FakeDataset& dataset) : dataset_(dataset) {}
    void load(std::int64_t index,
              LoadContext& context,
              std::span<const std::span<std::byte>> rows) override {
      dataset_.loads.fetch_add(1);
      context.account_read(19);
      const LoadContext::StageTimer timer(context, Stage::kDecode);
      if (dataset_.sample_time.count() > 0) {
        // Later samples of a batch finish first: order must not come from timing.
        std::this_thread::sleep_for(dataset_.sample_time * (1 + index % 3));
      }
      if (dataset_.corrupt.contains(index)) {
        throw core::Error(core::ErrorCode::kData, dataset_.sample_name(index) + " is corrupt");
      }
      std::memset(rows[0].data(), static_cast<int>(index * 7 % 251), rows[0].size());
      const auto label = static_cast<std::int32_t>(index);
      std::memcpy(rows[1].data(), &label, sizeof(label));
    }

   private:
    const FakeDataset& dataset_;
  };

  std::int64_t size_;
  DatasetSpec spec_;
};

}  // namespace dlbench::data::testing
