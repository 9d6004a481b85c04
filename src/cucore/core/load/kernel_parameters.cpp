// SPDX-License-Identifier: Apache-2.0
#include "core/load/kernel_parameters.hpp"

#include <algorithm>

#include "core/load/objectcode.hpp"
#include "core/objects/context_scope.hpp"
#include "support/concat.hpp"

namespace cucore::core {

using driver::check;
using driver::cuda;
using image::Parameter;

namespace {

using Parameters = std::optional<std::vector<Parameter>>;

// More than any kernel has, because a faulty driver may never report the end.
constexpr size_t MOST = 1 << 16;
// Up to this alignment an offset is the same for every architecture: parameters begin at such an
// address of the constant bank.
constexpr uint32_t COMMON_ALIGNMENT = 16;

Parameters parameters_in_code(const LoadedImage& image, const std::string& name) {
  for (const image::Symbol& symbol : image.symbols())
    if (symbol.kind == image::SymbolKind::KERNEL && symbol.lowered_name == name)
      return symbol.parameters;
  return {};
}

// Returns the parameters for the image of the current context; without one the driver (580) returns
// an error. The context receives the image.
Parameters parameters_in_driver(const LoadedImage& image, CUkernel kernel, const Device& device) {
  const auto& cu = cuda();
  if (!cu.cuKernelGetParamInfo) return {};
  if (!image.is_entered()) image.enter(device, "read the parameters of a kernel");
  const PrimaryScope primary(device);
  std::vector<Parameter> parameters;
  size_t offset = 0, size = 0;
  while (parameters.size() < MOST) {
    const CUresult result = cu.cuKernelGetParamInfo(kernel, parameters.size(), &offset, &size);
    // The driver has no count: past the last one the index is invalid.
    if (result == CUDA_ERROR_INVALID_VALUE) return parameters;
    check(result, "read the parameters of a kernel");
    parameters.push_back({static_cast<uint32_t>(offset), static_cast<uint32_t>(size), 0});
  }
  throw Error(Status::CUDA, "the driver has no end of the parameters of a kernel");
}

// Layouts of the driver and of machine code have no classes. If the sizes are equal, the classes of
// PTX are used. That PTX belongs to the same image, or to another image of the code, such as LTOIR
// linked to PTX.
void add_classes(std::vector<Parameter>& parameters, const LoadedImage& image,
                 const ObjectCode& code, const std::string& name) {
  for (const auto* symbols : {&image.symbols(), &code.symbols()})
    for (const image::Symbol& symbol : *symbols)
      if (symbol.lowered_name == name && symbol.parameters)
        image::adopt_classes(parameters, *symbol.parameters);
}

std::string list_of(const std::vector<Parameter>& parameters) {
  std::string sizes;
  for (size_t i = 0; i < std::min<size_t>(parameters.size(), 8); ++i)
    sizes += concat(i ? ", " : "", parameters[i].size, " at ", parameters[i].offset);
  if (parameters.size() > 8) sizes += ", ...";
  return concat(parameters.size(), parameters.size() == 1 ? " parameter" : " parameters",
                sizes.empty() ? "" : " (bytes: " + sizes + ")");
}

bool is_same_layout(const std::vector<Parameter>& declared, const std::vector<Parameter>& actual) {
  bool is_common = true;
  return std::ranges::equal(declared, actual, [&](const Parameter& a, const Parameter& b) {
    is_common = is_common && a.alignment <= COMMON_ALIGNMENT;
    return a.size == b.size && (a.offset == b.offset || !is_common);
  });
}

// Sets the parameters to those of the driver, which must not differ from those of the code.
void compare(Parameters& parameters, const ObjectCode& code, const LoadedImage& image,
             const std::string& name, CUkernel native, const Device& device) {
  const Parameters actual = parameters_in_driver(image, native, device);
  // A fat binary may have other layouts for other architectures; only the driver reports the chosen
  // one.
  const bool is_choice = code.code().type == image::CodeType::FATBIN;
  if (actual && (is_choice || !parameters)) {
    parameters = actual;
  } else if (actual) {
    if (!is_same_layout(*parameters, *actual))
      throw Error(Status::INVALID_CODE,
                  concat("kernel ", name, " of ", code.label(), " declares ", list_of(*parameters),
                         "; ", device.label(), " reads ", list_of(*actual),
                         "; the code is not what it claims to be; compile it again"));
    for (size_t i = 0; i < actual->size(); ++i) (*parameters)[i].offset = (*actual)[i].offset;
  }
}

}  // namespace

KernelParameters read_parameters(const ObjectCode& code, const LoadedImage& image,
                                 const std::string& name, CUkernel native, const Device& device) {
  Parameters parameters = parameters_in_code(image, name);
  const bool is_compared = image.is_entered() || !parameters;
  if (is_compared) compare(parameters, code, image, name, native, device);
  if (parameters) add_classes(*parameters, image, code, name);
  return {std::move(parameters), is_compared};
}

}  // namespace cucore::core
