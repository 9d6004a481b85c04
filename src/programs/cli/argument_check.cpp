// SPDX-License-Identifier: Apache-2.0
// Compares arguments of the command line with the classes of a kernel's parameters.
#include "argument_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "failure.hpp"

namespace cucore::cli {
namespace {

// "i32:2", "buf:f32:1024".
std::string shown(const Argument& argument) {
  if (argument.is_array) return fmt::format("buf:{}:{}", argument.type->name, argument.count());
  return fmt::format("{}:{}", argument.type->name, argument.type->format(argument.bytes.data()));
}

bool fits(ParameterClass parameter_class, const Argument& argument) {
  const bool is_float = argument.type->name.starts_with('f');
  switch (parameter_class) {
    case ParameterClass::integer:
      return !argument.is_array && !is_float;
    case ParameterClass::float_:
      return !argument.is_array && is_float;
    case ParameterClass::pointer:
      return argument.is_array;
    default:
      return true;
  }
}

// Returns the form of a value for the parameter.
std::string form_of(const Parameter& parameter) {
  const std::size_t bits = parameter.size * 8;
  switch (parameter.parameter_class) {
    case ParameterClass::integer:
      return fmt::format("i{}:VALUE or u{}:VALUE", bits, bits);
    case ParameterClass::float_:
      return fmt::format("f{}:VALUE", bits);
    default:
      return "buf:TYPE:COUNT";
  }
}

std::string with_article(ParameterClass parameter_class) {
  const bool vowel = parameter_class == ParameterClass::integer;
  return fmt::format("{} {}", vowel ? "an" : "a", parameter_class_name(parameter_class));
}

}  // namespace

const char* parameter_class_name(ParameterClass parameter_class) {
  switch (parameter_class) {
    case ParameterClass::integer:
      return "integer";
    case ParameterClass::float_:
      return "float";
    case ParameterClass::pointer:
      return "pointer";
    case ParameterClass::aggregate:
      return "aggregate";
    default:
      return "unknown";
  }
}

std::vector<Parameter> parameters_of(const Kernel& kernel, const Device& device) {
  return kernel.parameter_count() ? kernel.parameters(device) : std::vector<Parameter>();
}

void check_classes(const Kernel& kernel, const Device& device,
                   const std::vector<Argument>& arguments) {
  const std::vector<Parameter> parameters = parameters_of(kernel, device);
  for (std::size_t i = 0; i < std::min(parameters.size(), arguments.size()); ++i) {
    if (fits(parameters[i].parameter_class, arguments[i])) continue;
    throw failed(fmt::format(
        "argument {} of kernel {} is {}; expected {} of {} {}; "
        "write {}",
        i, kernel.label(), shown(arguments[i]), with_article(parameters[i].parameter_class),
        parameters[i].size, parameters[i].size == 1 ? "byte" : "bytes", form_of(parameters[i])));
  }
}

}  // namespace cucore::cli
