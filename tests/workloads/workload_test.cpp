// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "workloads/workload.h"

#include "engine/core/check.h"
#include "engine/core/error.h"
#include "tests/error_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace dlbench::workloads {
namespace {

using testing::HasSubstr;

class Nameless final : public Workload {
 public:
  explicit Nameless(std::string name) { spec_.name = std::move(name); }
  [[nodiscard]] const WorkloadSpec& spec() const override { return spec_; }

 protected:
  [[nodiscard]] BuiltWorkload build_graph(const WorkloadParams& /*params*/,
                                          graph::Mode /*mode*/) const override {
    return {};
  }

 private:
  WorkloadSpec spec_;
};

std::string message_of(const WorkloadParams& params, const std::string& workload) {
  return tests::usage_error(
      [&] { (void)find_workload(workload).build(params, graph::Mode::kTrain); });
}

TEST(Registry, HoldsOneWorkloadPerFile) {
  EXPECT_EQ(workload_names().size(), std::size_t{DLBENCH_WORKLOAD_COUNT});
}

TEST(Registry, NamesAreSortedAndFound) {
  const auto names = workload_names();
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  for (const auto& name : names) {
    EXPECT_EQ(find_workload(name).spec().name, name);
  }
}

TEST(Registry, UnknownNameSuggestsTheNearest) {
  try {
    (void)find_workload("resunetp");
    FAIL() << "found";
  } catch (const core::Error& error) {
    EXPECT_EQ(core::exit_code(error.code()), 2);
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'resunetpp'"));
  }
}

TEST(Registry, TwoWorkloadsOfOneNameAreRefused) {
  EXPECT_THROW(WorkloadRegistration(std::make_unique<Nameless>("resunetpp")), core::CheckFailure);
}

TEST(Workload, EveryOneIsDescribedAndBuildsInBothModes) {
  for (const auto& name : workload_names()) {
    const Workload& workload = find_workload(name);
    const WorkloadSpec& spec = workload.spec();
    EXPECT_FALSE(spec.task.empty() || spec.description.empty() || spec.citation.empty()) << name;
    EXPECT_FALSE(spec.dataset.empty() || spec.loss.empty()) << name;
    const WorkloadParams small{.batch_size = spec.verify_batch_size,
                               .image_size = spec.verify_image_size};
    const BuiltWorkload train = workload.build(small, graph::Mode::kTrain);
    const BuiltWorkload evaluate = workload.build(small, graph::Mode::kEvaluate);
    EXPECT_EQ(graph::totals(train.graph).trainable_parameters,
              graph::totals(evaluate.graph).trainable_parameters)
        << name;
    for (const InputBinding& binding : train.inputs) {
      EXPECT_TRUE(train.graph.find(binding.input).has_value()) << binding.input;
      EXPECT_TRUE(train.graph.find(binding.network_value).has_value()) << binding.network_value;
    }
    const graph::Value& counts =
        train.graph.value(train.graph.outputs().at(std::string(kCountsOutput)));
    EXPECT_EQ(counts.shape, core::Shape({static_cast<std::int64_t>(count_size(spec.metrics))}));
  }
}

TEST(Workload, EveryParameterGetsAGradientAndAnUpdate) {
  for (const auto& name : workload_names()) {
    const Workload& workload = find_workload(name);
    const WorkloadSpec& spec = workload.spec();
    const BuiltWorkload built =
        workload.build({.batch_size = spec.verify_batch_size, .image_size = spec.verify_image_size},
                       graph::Mode::kTrain);
    const graph::Graph step = training_graph(spec, built, core::DType::kF32);
    const auto parameters = step.with_storage(graph::Storage::kParameter);
    EXPECT_EQ(step.with_storage(graph::Storage::kGradient).size(), parameters.size());
    std::vector<bool> updated(step.values().size(), false);
    for (const graph::Node& node : step.nodes()) {
      for (const graph::ValueId value : node.updates) {
        updated[static_cast<std::size_t>(value)] = true;
      }
    }
    for (const graph::ValueId parameter : parameters) {
      EXPECT_NE(step.gradient_of(parameter), graph::kNoValue) << step.value(parameter).name;
      EXPECT_TRUE(updated[static_cast<std::size_t>(parameter)]) << step.value(parameter).name;
    }
  }
}

TEST(Workload, SizesOutOfRangeSayWhatIsWanted) {
  EXPECT_THAT(message_of({.image_size = 100}, "resunetpp"), HasSubstr("a multiple of 8 from 8"));
  EXPECT_THAT(message_of({.image_size = -8}, "resunetpp"), HasSubstr("image size -8"));
  EXPECT_THAT(message_of({.image_size = 32}, "mnist_cnn"), HasSubstr("wanted 28 only"));
  EXPECT_THAT(message_of({.batch_size = -1}, "mnist_cnn"), HasSubstr("batch size -1"));
  EXPECT_THAT(message_of({.batch_size = 1 << 30}, "mnist_cnn"), HasSubstr("wanted 1 to"));
}

TEST(Workload, ZerosMeanTheWorkloadsOwnSizes) {
  const WorkloadParams chosen = choose_params(find_workload("resunetpp").spec(), {});
  EXPECT_EQ(chosen.batch_size, 8);
  EXPECT_EQ(chosen.image_size, 256);
}

}  // namespace
}  // namespace dlbench::workloads
