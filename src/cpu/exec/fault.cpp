// SPDX-License-Identifier: Apache-2.0
// Texts of faults: the thread and kernel, the action, and the position in the source or the PTX.
#include "cpu/exec/fault.hpp"

#include <cxxabi.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "cpu/checks/check_set.hpp"
#include "cpu/exec/block.hpp"

namespace cucore::cpu {
namespace {

// Programs without a folder are compiled in this one, so that code does not depend on the place of
// the compile.
constexpr std::string_view FOLDER = "/.cucore/";

std::string triple(const uint32_t (&xyz)[3]) {
  return "(" + std::to_string(xyz[0]) + "," + std::to_string(xyz[1]) + "," +
         std::to_string(xyz[2]) + ")";
}

// Returns "saxpy.cu:12", or "" for code without line information.
std::string source_text(const DecodedFunction& function, size_t index) {
  const SourcePlace place = source_place(function, index);
  return place.line ? std::string(place.file) + ":" + std::to_string(place.line) : "";
}

// Returns the position at which the template arguments or parameters begin that end at `end`.
size_t matching_open(std::string_view text, size_t end) {
  int depth = 0;
  for (size_t at = end; at-- > 0;) {
    depth += text[at] == ')' || text[at] == '>';
    depth -= text[at] == '(' || text[at] == '<';
    if (depth == 0) return at;
  }
  return 0;
}

// Converts "void ns::fill<float>(float*, int)" to "ns::fill<float>".
std::string without_types(std::string_view text) {
  if (text.ends_with(')')) text.remove_suffix(text.size() - matching_open(text, text.size()));
  size_t begin = text.size();
  while (begin > 0 && text[begin - 1] != ' ') {
    const bool closes = text[begin - 1] == '>' || text[begin - 1] == ')';
    begin = closes ? matching_open(text, begin) : begin - 1;
  }
  return std::string(text.substr(begin));
}

}  // namespace

std::string hex_text(uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string_view shown_file(std::string_view file) {
  if (file.starts_with(FOLDER)) file.remove_prefix(FOLDER.size());
  return file;
}

SourcePlace source_place(const DecodedFunction& function, size_t index) {
  const ptx::SourceLine* line = ptx::source_line_of(*function.source, index);
  if (line == nullptr) return {};
  const std::string_view file = ptx::file_name(*function.module->source, line->file);
  if (file.empty()) return {};
  return {shown_file(file), line->line};
}

std::string shown_name(std::string_view name) {
  if (!name.starts_with("_Z")) return std::string(name);
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(std::string(name).c_str(), nullptr, nullptr, nullptr), &std::free);
  return demangled ? without_types(demangled.get()) : std::string(name);
}

std::string shown_instruction(const DecodedFunction& function, size_t index) {
  std::string text;
  for (const char c : function.module->source->text_of(function.source->instructions[index])) {
    const bool space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!space)
      text += c;
    else if (!text.empty() && text.back() != ' ')
      text += ' ';
  }
  while (text.ends_with(';') || text.ends_with(' ')) text.pop_back();
  return text;
}

std::string place_text(const DecodedFunction& function, size_t index, bool with_instruction) {
  const auto& instructions = function.source->instructions;
  if (index >= instructions.size()) return {};
  std::string ptx = "PTX line " + std::to_string(instructions[index].line);
  if (with_instruction) ptx += ": " + shown_instruction(function, index);
  const std::string source = source_text(function, index);
  return source.empty() ? ptx : source + " (" + ptx + ")";
}

std::string block_text(const Block& block) {
  return "kernel '" + shown_name(block.entry.source->name) + "' block " + triple(block.ctaid);
}

std::string thread_text(const Warp& w, int lane) {
  const uint32_t* tid = reinterpret_cast<const uint32_t*>(w.bases[THREAD_BASE]);
  return block_text(*w.block) + " thread " +
         triple({tid[lane], tid[lane + LANES], tid[lane + 2 * LANES]});
}

void raise(const Warp& w, const Op& op, int lane, CUresult code, const char* what,
           const std::string& detail) {
  const DecodedFunction& function = *w.frame->function;
  std::string text = thread_text(w, lane) + ": " + what;
  if (!detail.empty()) text += ": " + detail;
  const std::string place =
      place_text(function, size_t(&op - function.ops.data()), settings().show_ptx);
  if (!function.source->is_entry)
    text += "; in function '" + shown_name(function.source->name) + "'";
  if (!place.empty()) text += "; at " + place;
  std::string message = detail.empty() ? what : std::string(what) + ": " + detail;
  throw KernelFault{code, text + schedule_suffix(), std::move(message)};
}

void raise_unsupported(Warp& w, const Op& op) {
  const DecodedFunction& function = *w.frame->function;
  const size_t index = size_t(&op - function.ops.data());
  const bool known = index < function.source->instructions.size();
  raise(w, op, __builtin_ctz(w.mask), CUDA_ERROR_NOT_SUPPORTED,
        "instruction not implemented on the CPU device",
        known ? shown_instruction(function, index) : "");
}

}  // namespace cucore::cpu
