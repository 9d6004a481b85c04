// SPDX-License-Identifier: Apache-2.0
// inspect(): one entry point for all kinds.
#include "image/image.hpp"

#include <algorithm>
#include <unordered_map>

#include "image/elf.hpp"
#include "image/elf_file.hpp"
#include "image/fatbin.hpp"
#include "image/host_object.hpp"
#include "image/memory_budget.hpp"
#include "image/ptx_text.hpp"

namespace cucore::image {

const char* code_type_name(CodeType type) {
  switch (type) {
    case CodeType::PTX:
      return "PTX";
    case CodeType::CUBIN:
      return "CUBIN";
    case CodeType::LTOIR:
      return "LTOIR";
    case CodeType::FATBIN:
      return "FATBIN";
    case CodeType::OBJECT:
      return "OBJECT";
    case CodeType::LIBRARY:
      return "LIBRARY";
    case CodeType::BUNDLE:
      return "BUNDLE";
  }
  return "unknown";
}

const char* parameter_class_name(ParameterClass parameter_class) {
  switch (parameter_class) {
    case ParameterClass::INTEGER:
      return "integer";
    case ParameterClass::FLOAT:
      return "float";
    case ParameterClass::POINTER:
      return "pointer";
    case ParameterClass::AGGREGATE:
      return "aggregate";
    case ParameterClass::UNKNOWN:
      break;
  }
  return "unknown";
}

ImageInfo inspect(CodeType type, std::span<const std::byte> bytes) {
  MemoryBudget budget(bytes.size());
  return inspect(type, bytes, budget);
}

ImageInfo inspect(CodeType type, std::span<const std::byte> bytes, MemoryBudget& budget) {
  const ByteView image(code_type_name(type), bytes);
  switch (type) {
    case CodeType::PTX:
      return read_ptx(image, budget);
    case CodeType::CUBIN:
      return read_cubin(image, budget);
    case CodeType::FATBIN:
      return read_fatbin(image, budget);
    case CodeType::LTOIR:
      if (bytes.empty()) image.fail(0, "it is empty");
      return {};
    case CodeType::OBJECT:
      check_object(image);
      return {};
    case CodeType::LIBRARY:
      check_library(image);
      return {};
    case CodeType::BUNDLE:
      break;
  }
  throw Error(Status::INVALID_ARGUMENT,
              std::string("cannot inspect an image of kind ") + code_type_name(type));
}

std::span<const std::byte> trim_zeros(std::span<const std::byte> ptx) {
  size_t size = ptx.size();
  while (size > 0 && ptx[size - 1] == std::byte{0}) --size;
  return ptx.first(size);
}

std::optional<CodeType> guess_type(std::span<const std::byte> bytes) {
  const auto begins = [&](std::string_view magic) {
    return bytes.size() >= magic.size() &&
           std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
  };
  if (begins({CONTAINER_MAGIC, sizeof CONTAINER_MAGIC})) return CodeType::BUNDLE;
  if (begins("\x50\xed\x55\xba")) return CodeType::FATBIN;
  if (begins("!<arch>\n")) return CodeType::LIBRARY;
  if (looks_like_cubin(bytes)) return CodeType::CUBIN;
  if (begins("\x7f"
             "ELF") ||
      looks_like_coff(bytes))
    return CodeType::OBJECT;
  if (looks_like_ptx(bytes)) return CodeType::PTX;
  return std::nullopt;
}

void adopt_classes(std::vector<Parameter>& to, std::span<const Parameter> from) {
  // Offsets may differ: ptxas aligns an alignas(64) parameter differently for each architecture.
  const auto same_size = [](const Parameter& a, const Parameter& b) { return a.size == b.size; };
  if (!std::equal(to.begin(), to.end(), from.begin(), from.end(), same_size)) return;
  for (size_t i = 0; i < to.size(); ++i)
    if (to[i].parameter_class == ParameterClass::UNKNOWN)
      to[i].parameter_class = from[i].parameter_class;
}

namespace {

// Calls `adopt` with the parameters of each kernel of `to` that `from` also has, and with the
// parameters in `from`.
template <class Adopt>
void for_each_pair(std::vector<Symbol>& to, std::span<const Symbol> from, const Adopt& adopt) {
  std::unordered_map<std::string_view, const Symbol*> known;
  for (const Symbol& symbol : from)
    if (symbol.parameters) known.emplace(symbol.lowered_name, &symbol);
  for (Symbol& symbol : to) {
    if (!symbol.parameters) continue;
    const auto found = known.find(symbol.lowered_name);
    if (found != known.end()) adopt(*symbol.parameters, *found->second->parameters);
  }
}

bool is_open(const Parameter& parameter) {
  return parameter.parameter_class == ParameterClass::UNKNOWN;
}

// Instructions can also use an integer as an address, and they may have decided that this parameter
// is a pointer.
bool may_be_word(const Parameter& parameter) {
  return parameter.size == 8 && parameter.parameter_class == ParameterClass::POINTER;
}

}  // namespace

void adopt_classes(std::vector<Symbol>& to, std::span<const Symbol> from) {
  for_each_pair(to, from, [](std::vector<Parameter>& mine, std::span<const Parameter> theirs) {
    adopt_classes(mine, theirs);
  });
}

void adopt_stated_classes(std::vector<Symbol>& to, std::span<const Symbol> from) {
  const auto agree = [](const Parameter& mine, const Parameter& theirs) {
    if (mine.size != theirs.size) return false;
    if (mine.parameter_class == theirs.parameter_class || is_open(mine)) return true;
    return may_be_word(mine) && theirs.parameter_class == ParameterClass::INTEGER;
  };
  for_each_pair(to, from, [&](std::vector<Parameter>& mine, std::span<const Parameter> theirs) {
    if (!std::equal(mine.begin(), mine.end(), theirs.begin(), theirs.end(), agree)) return;
    for (size_t i = 0; i < mine.size(); ++i) mine[i].parameter_class = theirs[i].parameter_class;
  });
}

bool has_open_classes(std::span<const Symbol> symbols) {
  return std::any_of(symbols.begin(), symbols.end(), [](const Symbol& symbol) {
    return symbol.parameters &&
           std::any_of(symbol.parameters->begin(), symbol.parameters->end(), is_open);
  });
}

std::vector<Symbol> merge_expressions(std::vector<Symbol> symbols,
                                      std::span<const NamedExpression> names) {
  std::unordered_map<std::string_view, std::vector<std::string_view>> wanted;
  for (const NamedExpression& name : names) {
    auto& expressions = wanted[name.lowered_name];
    if (std::find(expressions.begin(), expressions.end(), name.expression) == expressions.end())
      expressions.push_back(name.expression);
  }
  std::vector<Symbol> merged;
  for (Symbol& symbol : symbols) {
    const auto found = wanted.find(symbol.lowered_name);
    if (found == wanted.end()) {
      merged.push_back(std::move(symbol));
      continue;
    }
    for (const std::string_view expression : found->second) {
      merged.push_back(symbol);
      merged.back().expression = expression;
    }
    wanted.erase(found);
  }
  // Names that the image does not list (LTOIR is opaque) stay, in the order of the request.
  for (const NamedExpression& name : names) {
    const auto found = wanted.find(name.lowered_name);
    if (found == wanted.end()) continue;
    for (const std::string_view expression : found->second)
      merged.push_back({std::string(expression), name.lowered_name, SymbolKind::KERNEL, 0, {}});
    wanted.erase(found);
  }
  return merged;
}

}  // namespace cucore::image
