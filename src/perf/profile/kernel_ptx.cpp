// SPDX-License-Identifier: Apache-2.0
#include "perf/profile/kernel_ptx.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "support/concat.hpp"
#include "support/error.hpp"
#include "support/sha256.hpp"

namespace cucore::perf {
namespace {

constexpr const char* ATTEMPT = "the profiler looks for the PTX of a kernel";
constexpr std::string_view SECTION_OF_PTX = ".nv_debug_ptx_txt";

std::span<const std::byte> bytes_of(const CodeOwner& code) {
  size_t size = 0;
  const auto* const data = static_cast<const std::byte*>(cucore_objectcode_data(code.get(), &size));
  return {data, size};
}

// An analysis of large machine code takes long, so one without PTX is not begun.
bool has_ptx(cucore_code_type type, std::span<const std::byte> bytes) {
  if (type == CUCORE_CODE_TYPE_PTX) return true;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return type == CUCORE_CODE_TYPE_CUBIN && text.find(SECTION_OF_PTX) != text.npos;
}

// Returns empty facts without PTX of the kernel.
KernelPtx::Found found_in(const Analysis* analysis, std::string_view kernel) {
  KernelPtx::Found found;
  if (!analysis) return found;
  for (const Kernel& each : analysis->kernels())
    if (each.name == kernel && each.ptx) found.facts = &*each.ptx;
  for (const Finding& finding : analysis->findings())
    if (finding.kernel == kernel) found.places.try_emplace(finding.rule->number, finding.place);
  return found;
}

}  // namespace

// Returns nullptr if the code has no PTX.
const Analysis* KernelPtx::analysis_of(const std::string& key, const CodeOwner& code) {
  const auto found = analyses_.find(key);
  if (found != analyses_.end()) return found->second.get();
  std::unique_ptr<Analysis>& made = analyses_[key];
  const cucore_code_type type = cucore_objectcode_type(code.get());
  const auto bytes = bytes_of(code);
  if (!has_ptx(type, bytes)) return nullptr;
  const InputImage image{static_cast<image::CodeType>(type), bytes,
                         cucore_objectcode_arch(code.get()), ""};
  made = std::make_unique<Analysis>("", std::span(&image, 1), AnalysisOptions());
  return made.get();
}

// A kernel that was found by an expression needs it for the compile too.
const Analysis* KernelPtx::compiled(const LaunchEntry& entry, const CodeOwner& image) {
  const ProgramOwner program = programs_.find(image.get());
  if (!program) return nullptr;
  const char* const name = cucore_kernel_name(entry.kernel.get());
  const char* const label = cucore_kernel_label(entry.kernel.get());
  const bool has_expression = std::string_view(label) != name;
  const std::string key = concat("of a program ", reinterpret_cast<uintptr_t>(program.get()), " ",
                                 has_expression ? label : "");
  if (const auto found = analyses_.find(key); found != analyses_.end()) return found->second.get();
  const auto code = client::created<CodeOwner>(
      "the profiler compiles a program to PTX", cucore_program_compile, program.get(),
      CUCORE_CODE_TYPE_PTX, &label, static_cast<size_t>(has_expression));
  return analysis_of(key, code);
}

KernelPtx::Found KernelPtx::find(const LaunchEntry& entry) {
  const auto image = client::created<CodeOwner>(ATTEMPT, cucore_kernel_objectcode,
                                                entry.kernel.get(), entry.device.get());
  const char* const name = cucore_kernel_name(entry.kernel.get());
  Found found = found_in(analysis_of(hex(sha256(bytes_of(image))), image), name);
  if (!found.facts && may_compile_) found = found_in(compiled(entry, image), name);
  if (!found.facts)
    throw Error(
        Status::NOT_FOUND,
        "the code does not contain the PTX of the kernel; compile it with line information");
  return found;
}

}  // namespace cucore::perf
