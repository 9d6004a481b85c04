// SPDX-License-Identifier: Apache-2.0
#include "stated.hpp"

#include <regex>

namespace classes_test {
namespace {

cucore_parameter_class class_of(const std::string& declaration) {
  if (declaration.find('[') != std::string::npos) return CUCORE_PARAMETER_CLASS_AGGREGATE;
  if (declaration.find(".ptr") != std::string::npos) return CUCORE_PARAMETER_CLASS_POINTER;
  if (declaration.find(".f") != std::string::npos) return CUCORE_PARAMETER_CLASS_FLOAT;
  return CUCORE_PARAMETER_CLASS_INTEGER;
}

}  // namespace

std::map<std::string, std::vector<cucore_parameter_class>> stated_classes(const std::string& ptx) {
  std::map<std::string, std::vector<cucore_parameter_class>> kernels;
  const std::regex entry(R"(\.entry\s+([\w$]+)\s*\(([^)]*)\))"), parameter(R"(\.param[^,]*)");
  for (std::sregex_iterator it(ptx.begin(), ptx.end(), entry), end; it != end; ++it) {
    auto& classes = kernels[(*it)[1]];
    const std::string list = (*it)[2];
    for (std::sregex_iterator at(list.begin(), list.end(), parameter); at != end; ++at)
      classes.push_back(class_of(at->str()));
  }
  return kernels;
}

}  // namespace classes_test
