// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/conformance/cases/case_lists.h"
#include "engine/conformance/op_case.h"

#include <map>
#include <utility>

namespace dlbench::conformance {
namespace {

std::vector<OpCase> collect_specs() {
  std::vector<OpCase> specs;
  for (auto&& list : {cases::normalize(),
                      cases::conv(),
                      cases::conv_transpose(),
                      cases::batch_norm(),
                      cases::pointwise(),
                      cases::pooling(),
                      cases::upsample(),
                      cases::linear(),
                      cases::shape_ops(),
                      cases::dropout(),
                      cases::losses(),
                      cases::metrics(),
                      cases::optimizers(),
                      cases::loss_scaling(),
                      cases::chains()}) {
    specs.insert(specs.end(), list.begin(), list.end());
  }
  return specs;
}

std::vector<Case> number_cases(const std::vector<OpCase>& specs) {
  std::map<std::string, int> next;
  std::vector<Case> result;
  for (const OpCase& spec : specs) {
    for (const core::DType dtype : spec.dtypes) {
      Case numbered{.spec = &spec, .dtype = dtype};
      numbered.index = next[numbered.name()]++;
      result.push_back(numbered);
    }
  }
  return result;
}

}  // namespace

std::string Case::name() const {
  return spec->build != nullptr ? "chain" : std::string(graph::name(spec->op));
}

const std::vector<Case>& all_cases() {
  static const std::vector<OpCase> specs = collect_specs();
  static const std::vector<Case> cases = number_cases(specs);
  return cases;
}

std::vector<std::string> case_names() {
  std::map<std::string, int> names;
  for (const Case& item : all_cases()) {
    ++names[item.name()];
  }
  std::vector<std::string> result;
  result.reserve(names.size());
  for (const auto& [name, count] : names) {
    result.push_back(name);
  }
  return result;
}

}  // namespace dlbench::conformance
