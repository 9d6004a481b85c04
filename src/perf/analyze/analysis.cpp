// SPDX-License-Identifier: Apache-2.0
#include "perf/analyze/analysis.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "perf/analyze/allowed.hpp"
#include "support/concat.hpp"

namespace cucore::perf {
namespace {

constexpr uint32_t SMALLEST_BLOCK = 32;

bool has_code_for(const Kernel& kernel, std::span<const Kernel> all, uint16_t device) {
  return std::ranges::any_of(all, [&](const Kernel& other) {
    return other.level == Level::MACHINE && other.name == kernel.name && other.arch.runs_on(device);
  });
}

std::vector<uint32_t> blocks_of(const Kernel& kernel, const Launch& launch) {
  if (launch.block != 0) return {launch.block};
  if (!kernel.block.empty()) return {kernel.max_threads};
  std::vector<uint32_t> blocks;
  for (uint32_t block = SMALLEST_BLOCK; block <= kernel.max_threads; block *= 2)
    blocks.push_back(block);
  return blocks;
}

}  // namespace

Analysis::Analysis(std::string name, std::span<const InputImage> images,
                   const AnalysisOptions& options)
    : name_(std::move(name)),
      model_mode_(options.model),
      first_arch_(options.archs.empty() ? 0 : limits_of(options.archs.front()).arch),
      roof_(options.roof) {
  for (const std::string& arch : options.archs) limits_of(arch);
  if (options.launch.block > MAX_BLOCK)
    throw Error(Status::INVALID_ARGUMENT,
                concat("block is ", options.launch.block, "; expected 1 to ", MAX_BLOCK));
  for (const InputImage& input : images) {
    if (input.type == image::CodeType::CUBIN)
      add(analyse_cubin(input, options.launch, options.disassemble), options);
    if (input.type == image::CodeType::PTX) add(analyse_ptx(input, options.launch), options);
  }
  require_kernel(options.launch.kernel);
  find_compiles_at_load(images, options);
  for (Kernel& kernel : kernels_) add_occupancy(kernel, options);
  std::ranges::sort(findings_, [](const Finding& a, const Finding& b) {
    const auto key = [](const Finding& each) {
      return std::tie(each.place.file, each.place.line, each.place.ptx_line, each.rule->number,
                      each.index, each.message);
    };
    return a.severity != b.severity ? a.severity > b.severity : key(a) < key(b);
  });
}

void Analysis::require_kernel(const std::string& name) const {
  if (name.empty() || std::ranges::find(kernels_, name, &Kernel::name) != kernels_.end()) return;
  throw Error(Status::NOT_FOUND, concat("the code has no kernel ", name));
}

void Analysis::add(AnalysedImage image, const AnalysisOptions& options) {
  Allowed allowed(options.allow, options.read_sources);
  const auto lines = lines_of_text(image.ptx);
  for (Finding& finding : image.findings) {
    finding.index += kernels_.size();
    if (allowed.covers(finding, lines))
      ++allowed_;
    else
      findings_.push_back(std::move(finding));
  }
  const auto text = std::make_shared<const std::string>(std::move(image.ptx));
  for (Kernel& kernel : image.kernels) {
    if (kernel.ptx) kernel.ptx->text = text;
    kernels_.push_back(std::move(kernel));
  }
}

// A116: the code has only PTX for an architecture that the caller names, or only PTX at all.
void Analysis::find_compiles_at_load(std::span<const InputImage>, const AnalysisOptions& options) {
  Allowed allowed(options.allow, false);
  for (size_t at = 0; at < kernels_.size(); ++at) {
    const Kernel& kernel = kernels_[at];
    if (kernel.level != Level::PTX) continue;
    std::vector<Finding> found;
    Findings findings(kernel, at, found);
    for (const std::string& arch : options.archs) {
      const uint16_t device = limits_of(arch).arch;
      if (kernel.arch.runs_on(device) && !has_code_for(kernel, kernels_, device))
        findings.add(RuleId::COMPILED_AT_LOAD, Severity::NOTE, kernel.place,
                     concat("the driver compiles the PTX for ", arch, " when it loads the code"));
    }
    const bool any_code = std::ranges::any_of(kernels_, [&](const Kernel& other) {
      return other.level == Level::MACHINE && other.name == kernel.name;
    });
    if (options.archs.empty() && !any_code)
      findings.add(RuleId::COMPILED_AT_LOAD, Severity::NOTE, kernel.place,
                   "the code has PTX alone, which the driver compiles when it loads the code");
    for (Finding& finding : found) {
      if (allowed.covers(finding, {}))
        ++allowed_;
      else
        findings_.push_back(std::move(finding));
    }
  }
}

void Analysis::add_occupancy(Kernel& kernel, const AnalysisOptions& options) const {
  if (!kernel.resources.registers) return;
  std::vector<std::string> archs = options.archs;
  if (archs.empty() && find_limits(kernel.arch.number)) archs.push_back(kernel.arch.text());
  const Launch launch = options.launch.of(kernel.name);
  for (const std::string& arch : archs)
    for (const uint32_t block : blocks_of(kernel, launch))
      kernel.occupancy.push_back(
          {*image::Arch::parse(arch), block, occupancy(kernel, arch, block, launch.shared)});
}

uint16_t Analysis::model_arch(const Kernel& kernel) const {
  if (first_arch_ != 0) return first_arch_;
  const auto measured =
      roof_ ? image::Arch::parse(roof_->machine.arch) : std::optional<image::Arch>();
  return measured ? measured->number : kernel.arch.number;
}

Occupancy Analysis::occupancy(const Kernel& kernel, const std::string& arch, uint32_t block,
                              uint32_t shared) const {
  if (!kernel.resources.registers)
    throw Error(Status::INVALID_STATE,
                concat("kernel ", kernel.name,
                       " is PTX, which has no registers yet; expected machine code"));
  const Limits& limits = limits_of(arch.empty() ? kernel.arch.text() : arch);
  return occupancy_of(limits, {*kernel.resources.registers, block == 0 ? kernel.max_threads : block,
                               shared_of(kernel, shared)});
}

}  // namespace cucore::perf
