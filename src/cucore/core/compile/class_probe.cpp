// SPDX-License-Identifier: Apache-2.0
#include "core/compile/class_probe.hpp"

#include <algorithm>

#include "core/compile/file_flags.hpp"
#include "core/compile/nvrtc_program.hpp"
#include "support/concat.hpp"
#include "support/error.hpp"
#include "support/log.hpp"

namespace cucore::core {

using image::Arch;

namespace {

std::optional<Arch> marking_arch() {
  std::optional<Arch> lowest;
  for (const int number : nvrtc_architectures())
    if (number >= FIRST_MARKING_ARCH && (!lowest || number < lowest->number))
      lowest = Arch{.number = static_cast<uint16_t>(number), .is_virtual = true};
  return lowest;
}

std::string macro(std::string_view name, std::string_view value) {
  return concat("#undef ", name, "\n#define ", name, " ", value, "\n");
}

// The second compile must take the same branches as the first if the source branches by
// architecture. NVRTC ignores definitions of these macros in its flags, so they are in a header.
std::string macros_of(const Arch& arch) {
  const std::string number = concat(arch.number * 10);
  std::string macros = macro("__CUDA_ARCH__", number) + macro("__CUDA_ARCH_LIST__", number);
  if (arch.suffix == 'a')
    macros += macro(concat("__CUDA_ARCH_FEAT_SM", arch.number, "_ALL"), "1") +
              macro("__CUDA_ARCH_SPECIFIC__", number) +
              macro("__CUDA_ARCH_FAMILY_SPECIFIC__", number);
  return macros;
}

}  // namespace

std::optional<NvrtcJob> class_job(const NvrtcJob& job, const Arch& arch, const Arch& marking) {
  const auto flags = flags_of_source(job.flags);
  if (!flags) return std::nullopt;
  const std::string header = compiler_name("class-probe-target.h");
  NvrtcJob out = job;
  out.target = image::CodeType::PTX;
  out.header_names.push_back(header);
  out.header_sources.push_back(macros_of(arch));
  out.flags = {"--gpu-architecture=" + marking.text(), "--pre-include=" + header};
  out.flags.insert(out.flags.end(), flags->begin(), flags->end());
  out.what = concat("find the classes of parameters: ", job.what);
  return out;
}

void complete_classes(std::vector<image::Symbol>& symbols, const NvrtcJob& job, const Arch& arch,
                      NvrtcRunner& runner) {
  if (arch.number >= FIRST_MARKING_ARCH || !image::has_open_classes(symbols)) return;
  try {
    const auto marking = marking_arch();
    const auto second = marking ? class_job(job, arch, *marking) : std::nullopt;
    if (!second) return;
    const NvrtcResult result = runner.run(*second);
    image::adopt_stated_classes(symbols,
                                image::inspect(image::CodeType::PTX, result.bytes).symbols);
  } catch (const std::exception& failure) {
    log(LogLevel::DEBUG, concat("classes of parameters stay unknown: ", failure.what()));
  }
}

}  // namespace cucore::core
