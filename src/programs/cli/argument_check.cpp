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

bool fits(cucore_parameter_class parameter_class, const Argument& argument) {
  const bool is_float = argument.type->name.starts_with('f');
  switch (parameter_class) {
    case CUCORE_PARAMETER_CLASS_INTEGER:
      return !argument.is_array && !is_float;
    case CUCORE_PARAMETER_CLASS_FLOAT:
      return !argument.is_array && is_float;
    case CUCORE_PARAMETER_CLASS_POINTER:
      return argument.is_array;
    default:
      return true;
  }
}

// Returns the form of a value for the parameter.
std::string form_of(const cucore_parameter_info& parameter) {
  const std::size_t bits = parameter.size * 8;
  switch (parameter.parameter_class) {
    case CUCORE_PARAMETER_CLASS_INTEGER:
      return fmt::format("i{}:VALUE or u{}:VALUE", bits, bits);
    case CUCORE_PARAMETER_CLASS_FLOAT:
      return fmt::format("f{}:VALUE", bits);
    default:
      return "buf:TYPE:COUNT";
  }
}

std::string with_article(cucore_parameter_class parameter_class) {
  const bool vowel = parameter_class == CUCORE_PARAMETER_CLASS_INTEGER;
  return fmt::format("{} {}", vowel ? "an" : "a", parameter_class_name(parameter_class));
}

}  // namespace

const char* parameter_class_name(cucore_parameter_class parameter_class) {
  switch (parameter_class) {
    case CUCORE_PARAMETER_CLASS_INTEGER:
      return "integer";
    case CUCORE_PARAMETER_CLASS_FLOAT:
      return "float";
    case CUCORE_PARAMETER_CLASS_POINTER:
      return "pointer";
    case CUCORE_PARAMETER_CLASS_AGGREGATE:
      return "aggregate";
    default:
      return "unknown";
  }
}

std::vector<cucore_parameter_info> parameters_of(const cucore_kernel* kernel,
                                                 const cucore_device* device) {
  const std::size_t count = cucore_kernel_parameter_count(kernel);
  if (count == SIZE_MAX) return {};
  std::vector<cucore_parameter_info> parameters(count, CUCORE_PARAMETER_INFO_INIT);
  std::size_t needed = 0;
  call(cucore_kernel_parameters, kernel, device, parameters.data(), count, &needed);
  return parameters;
}

void check_classes(const cucore_kernel* kernel, const cucore_device* device,
                   const std::vector<Argument>& arguments) {
  const std::vector<cucore_parameter_info> parameters = parameters_of(kernel, device);
  for (std::size_t i = 0; i < std::min(parameters.size(), arguments.size()); ++i) {
    if (fits(parameters[i].parameter_class, arguments[i])) continue;
    throw failed(
        fmt::format("argument {} of kernel {} is {}; expected {} of {} {}; "
                    "write {}",
                    i, cucore_kernel_label(kernel), shown(arguments[i]),
                    with_article(parameters[i].parameter_class), parameters[i].size,
                    parameters[i].size == 1 ? "byte" : "bytes", form_of(parameters[i])));
  }
}

}  // namespace cucore::cli
