// SPDX-License-Identifier: Apache-2.0
// The state that the parts of the parser share while they read one module.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/ast.hpp"
#include "ptx/lexer.hpp"
#include "ptx/parser.hpp"

namespace cucore::ptx {

// A name with module scope.
struct ModuleSymbol {
  bool is_function = false;
  uint32_t index = 0;
};

// The distinct instruction names of a module, each decoded once.
class FormCache {
 public:
  explicit FormCache(Module& module) : module_(module), slots_(256, nullptr) {}

  const Form* find_or_decode(std::string_view text);

 private:
  void grow();

  Module& module_;
  std::vector<const Form*> slots_;
};

// An address in an initialiser whose symbol may be declared later in the text.
struct PendingRelocation {
  uint32_t variable = 0;
  uint32_t relocation = 0;
  std::string_view symbol;
  uint32_t line = 0;
};

// The limit per function: each register takes up to 512 bytes per warp, and offsets have 32 bits.
inline constexpr size_t MAX_FUNCTION_REGISTERS = size_t{1} << 22;

struct Context {
  Context(Module& module, std::string_view text, Diagnostics& log)
      : module(module), lexer(text), log(log), forms(module) {
    // Each declared register costs memory, so the size of the text bounds their number.
    registers_left = (size_t{1} << 20) + 16 * text.size();
    initial_bytes_left = (size_t{1} << 24) + 16 * text.size();
  }

  Module& module;
  Lexer lexer;
  Diagnostics& log;
  FormCache forms;
  std::unordered_map<std::string_view, ModuleSymbol> symbols;
  std::vector<PendingRelocation> pending_relocations;
  size_t registers_left = 0;
  size_t initial_bytes_left = 0;

  const ModuleSymbol* find_symbol(std::string_view name) const {
    auto found = symbols.find(name);
    return found == symbols.end() ? nullptr : &found->second;
  }
};

}  // namespace cucore::ptx
