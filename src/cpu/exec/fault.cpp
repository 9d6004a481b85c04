// Texts of faults: which thread of which kernel, and at which instruction and source line.
#include "cpu/exec/fault.hpp"

#include <algorithm>

#include "cpu/exec/block.hpp"

namespace cucpu {
namespace {

std::string triple(u32 x, u32 y, u32 z) {
  return "(" + std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z) + ")";
}

std::string source_text(const DecodedFunction& function, u32 index) {
  const auto& lines = function.source->source_lines;
  auto it =
      std::upper_bound(lines.begin(), lines.end(), index,
                       [](u32 i, const ptx::SourceLine& l) { return i < l.first_instruction; });
  if (it == lines.begin()) return {};
  --it;
  for (const auto& file : function.module->source->files)
    if (file.number == it->file)
      return " (" + std::string(file.name) + ":" + std::to_string(it->line) + ")";
  return {};
}

}  // namespace

std::string thread_text(const Warp& w, int lane) {
  const u32* tid = reinterpret_cast<const u32*>(w.bases[kThreadBase]);
  const u32* c = w.block->ctaid;
  return "kernel '" + std::string(w.block->entry.source->name) + "' block " +
         triple(c[0], c[1], c[2]) + " thread " +
         triple(tid[lane], tid[lane + kLanes], tid[lane + 2 * kLanes]);
}

std::string instruction_text(const Warp& w, const Op& op) {
  const DecodedFunction& function = *w.frame->function;
  const size_t index = size_t(&op - function.ops.data());
  if (index >= function.source->instructions.size()) return {};
  const auto& instruction = function.source->instructions[index];
  const std::string inside =
      function.source->is_entry ? "" : " in function '" + std::string(function.source->name) + "'";
  return inside + "; PTX line " + std::to_string(instruction.line) + ": " +
         std::string(function.module->source->text_of(instruction)) +
         source_text(function, u32(index));
}

void raise(const Warp& w, const Op& op, int lane, CUresult code, const char* what,
           const std::string& detail) {
  throw KernelFault{code, std::string(what) + ": " + thread_text(w, lane) +
                              (detail.empty() ? "" : " ") + detail + instruction_text(w, op)};
}

void raise_unsupported(Warp& w, const Op& op) {
  raise(w, op, __builtin_ctz(w.mask), CUDA_ERROR_NOT_SUPPORTED, "instruction not implemented", "");
}

}  // namespace cucpu
