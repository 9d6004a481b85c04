// SPDX-License-Identifier: Apache-2.0
#include "fakes/fake_source.hpp"

#include <cctype>
#include <map>
#include <sstream>

namespace fake {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

std::string trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  return first == std::string::npos
             ? ""
             : text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::string part;
  int depth = 0;
  for (const char c : text + ",") {
    depth += (c == '<') - (c == '>');
    if (c != ',' || depth > 0) {
      part += c;
      continue;
    }
    if (!trimmed(part).empty() && trimmed(part) != "void") parts.push_back(trimmed(part));
    part.clear();
  }
  return parts;
}

// Returns the text between the end of the last declaration and the kernel: "template <class T>",
// extern "C".
std::string before(const std::string& source, size_t at) {
  const size_t end = source.find_last_of(";}{#", at);
  const size_t start = end == std::string::npos ? 0 : end;
  const size_t brace = source.rfind("extern \"C\" {", at);
  const bool open = brace != std::string::npos && source.find("\n}", brace) > at &&
                    end != std::string::npos && end >= brace;
  return source.substr(start, at - start) +
         (open && end == source.find('{', brace) ? " extern \"C\"" : "");
}

size_t size_of(const std::string& type) {
  const auto has = [&](const char* word) { return type.find(word) != std::string::npos; };
  if (has("*") || has("double") || has("long") || has("size_t") || has("64")) return 8;
  if (has("short") || has("16") || has("half")) return 2;
  if (has("char") || has("bool") || has("int8") || has("uint8")) return 1;
  return 4;
}

// The numbers of generated kernels, whose size is their alignment.
size_t number_size(const std::string& type) {
  static const std::map<std::string, size_t> SIZES = {
      {"i8", 1},  {"u8", 1},  {"i16", 2}, {"u16", 2}, {"i32", 4},   {"u32", 4},     {"f32", 4},
      {"f64", 8}, {"i64", 8}, {"u64", 8}, {"c64", 8}, {"c128", 16}, {"Divisor", 16}};
  const auto found = SIZES.find(type);
  return found == SIZES.end() ? 8 : found->second;
}

// The size of "struct Parameters", a field per line; 0: the source has none.
size_t block_size(const std::string& source) {
  const size_t begin = source.find("struct Parameters {\n"), end = source.find("};", begin);
  if (begin == std::string::npos || end == std::string::npos) return 0;
  std::istringstream fields(source.substr(begin, end - begin));
  std::string type, rest;
  std::getline(fields, rest);
  size_t size = 0;
  while (fields >> type && std::getline(fields, rest)) {
    const size_t bytes = number_size(type);
    size = (size + bytes - 1) / bytes * bytes + bytes;
  }
  return (size + 15) / 16 * 16;
}

const char* ptx_type(size_t size) {
  return size == 8 ? ".u64" : size == 4 ? ".u32" : size == 2 ? ".u16" : ".u8";
}

}  // namespace

std::vector<SourceKernel> find_kernels(const std::string& source) {
  std::vector<SourceKernel> kernels;
  for (size_t at = source.find("__global__"); at != std::string::npos;
       at = source.find("__global__", at + 1)) {
    size_t name = source.find("void", at);
    const size_t bounds = source.find("__launch_bounds__", at);
    if (bounds < source.find('{', at)) name = source.find(')', bounds);
    const size_t open = source.find('(', name);
    const size_t close = open == std::string::npos ? open : source.find(')', open);
    if (close == std::string::npos) break;
    size_t start = open;
    while (start > at && std::isspace(static_cast<unsigned char>(source[start - 1]))) --start;
    const size_t end = start;
    while (start > at && is_word(source[start - 1])) --start;
    const std::string lead = before(source, at);
    kernels.push_back({source.substr(start, end - start),
                       split(source.substr(open + 1, close - open - 1)),
                       lead.find("template") != std::string::npos,
                       lead.find("extern \"C\"") != std::string::npos, block_size(source)});
  }
  return kernels;
}

std::string lowered(const SourceKernel& kernel, const std::string& expression) {
  if (kernel.is_extern_c) return kernel.name;
  std::string name = "_Z" + std::to_string(kernel.name.size()) + kernel.name;
  const size_t open = expression.find('<');
  if (open != std::string::npos) {
    name += 'I';
    for (const char c : expression.substr(open + 1))
      if (is_word(c)) name += c;
    name += 'E';
  }
  for (const std::string& type : kernel.parameters)
    name += (type.find('*') != std::string::npos ? "P" : "") + std::to_string(size_of(type));
  return kernel.parameters.empty() ? name + "v" : name;
}

KernelImage image_of(const SourceKernel& kernel, const std::string& lowered_name) {
  std::vector<size_t> sizes;
  for (const std::string& type : kernel.parameters)
    sizes.push_back(type.find("Parameters") != std::string::npos ? kernel.block_size
                                                                 : size_of(type));
  KernelImage image = laid_out(lowered_name, sizes);
  for (const std::string& type : kernel.parameters)
    image.pointers.push_back(type.find('*') != std::string::npos);
  return image;
}

std::string write_ptx(const Image& image, int arch, Marks marks) {
  const bool marks_pointers = marks == Marks::FROM_100 && arch >= 100;
  const std::string version = marks == Marks::FROM_100 && arch < 100 ? "7.0.1" : "20.0.0";
  std::string text =
      "//\n// Generated by NVIDIA NVVM Compiler\n//\n// Compiler Build ID: CL-12345678\n"
      "// Cuda compilation tools, release 13.0, V13.0.88\n// Based on NVVM " +
      version + "\n//\n\n.version 9.0\n.target sm_" + std::to_string(arch) +
      "\n.address_size 64\n\n";
  for (const GlobalImage& global : image.globals)
    text +=
        ".visible .global .align 4 .b8 " + global.name + "[" + std::to_string(global.size) + "];\n";
  for (const KernelImage& kernel : image.kernels) {
    text += ".visible .entry " + kernel.name + "(\n";
    for (size_t i = 0; i < kernel.sizes.size(); ++i)
      text += std::string("\t.param ") + ptx_type(kernel.sizes[i]) +
              (marks_pointers && kernel.pointers[i] ? " .ptr .align 1 " : " ") + kernel.name +
              "_param_" + std::to_string(i) + (i + 1 < kernel.sizes.size() ? ",\n" : "\n");
    text += ")\n{\n\tret;\n}\n\n";
  }
  return text;
}

}  // namespace fake
