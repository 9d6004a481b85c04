// SPDX-License-Identifier: Apache-2.0
#include "ptx/link/symbols.hpp"

#include <algorithm>

namespace cucore::ptx::link {
namespace {

class SymbolReader {
 public:
  explicit SymbolReader(const Module& module)
      : module_(module), first_function_(static_cast<uint32_t>(module.variables.size())) {}

  std::vector<Symbol> read() {
    for (const Variable& v : module_.variables) variable(v);
    for (const Function& f : module_.functions) function(f);
    for (Symbol& s : symbols_) settle(s.uses);
    for (const Symbol& s : symbols_)
      for (uint32_t used : s.uses) symbols_[used].is_used = true;
    return std::move(symbols_);
  }

 private:
  void variable(const Variable& v) {
    Symbol& s = symbols_.emplace_back();
    s.name = v.name;
    s.linkage = v.linkage;
    s.is_defined = v.linkage != Linkage::EXTERNAL;
    s.space = v.space;
    s.size = v.size;
    s.align = v.align;
    s.is_unsized = v.is_unsized;
    s.is_indexed = v.is_indexed;
    s.type = v.type;
    s.vector = v.vector;
    s.is_managed = v.is_managed;
    for (const Relocation& r : v.relocations)
      s.uses.push_back(r.is_function ? first_function_ + r.index : r.index);
  }

  void function(const Function& f) {
    Symbol& s = symbols_.emplace_back();
    s.name = f.name;
    s.linkage = f.linkage;
    s.is_function = true;
    s.is_entry = f.is_entry;
    s.is_defined = !f.is_declaration || f.alias_of != NONE;
    s.return_count = f.return_count;
    s.param_bytes = f.param_bytes;
    for (uint32_t i = 0; i < f.return_count + f.input_count; ++i)
      s.parameters.push_back(shape_of(f.variables[i]));
    if (f.alias_of != NONE) s.uses.push_back(first_function_ + f.alias_of);
    for (const Operand& o : f.operands) note(o, s.uses);
    for (const Operand& o : f.elements) note(o, s.uses);
  }

  static Shape shape_of(const Variable& v) {
    return {v.size, size_of(v.type), is_float(v.type), v.is_register,
            !v.dimensions.empty() || v.vector > 1};
  }

  void note(const Operand& o, std::vector<uint32_t>& uses) const {
    if (o.kind == OperandKind::FUNCTION) uses.push_back(first_function_ + o.index);
    const bool names = o.kind == OperandKind::SYMBOL || o.kind == OperandKind::MEMORY;
    if (names && o.base == Base::MODULE_VARIABLE) uses.push_back(o.index);
  }

  static void settle(std::vector<uint32_t>& uses) {
    std::sort(uses.begin(), uses.end());
    uses.erase(std::unique(uses.begin(), uses.end()), uses.end());
    uses.shrink_to_fit();
  }

  const Module& module_;
  const uint32_t first_function_;
  std::vector<Symbol> symbols_;
};

}  // namespace

std::vector<Symbol> read_symbols(const Module& module) { return SymbolReader(module).read(); }

}  // namespace cucore::ptx::link
