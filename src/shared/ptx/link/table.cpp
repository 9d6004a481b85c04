// SPDX-License-Identifier: Apache-2.0
#include "ptx/link/table.hpp"

#include "ptx/link/messages.hpp"

namespace cucore::ptx::link {
namespace {

bool is_strong(const Symbol& s) { return s.is_defined && s.linkage == Linkage::VISIBLE; }
bool is_common(const Symbol& s) { return s.linkage == Linkage::COMMON; }

// Compares a symbol with an earlier one of the same name.
class Comparison {
 public:
  Comparison(const Place& earlier, const Place& later)
      : a_(*earlier.symbol),
        b_(*later.symbol),
        clash_{b_.name, later.input->name, earlier.input->name} {}

  std::string text() {
    if (a_.is_function && b_.is_function)
      functions();
    else
      variables();
    if (is_strong(a_) && is_strong(b_)) text_ += multiple_definition(clash_);
    return std::move(text_);
  }

 private:
  void functions() {
    if (a_.is_entry != b_.is_entry) {
      text_ += not_a_kernel_everywhere(a_.name);
    } else if (a_.is_entry) {
      const bool duplicate = a_.is_defined && b_.is_defined && !(is_strong(a_) && is_strong(b_));
      if (duplicate && a_.param_bytes != b_.param_bytes) text_ += other_parameter_bank(a_.name);
    } else if (a_.return_count != b_.return_count || a_.parameters != b_.parameters) {
      text_ += other_prototype(clash_);
    }
  }

  void variables() {
    if (a_.is_function != b_.is_function || a_.space != b_.space)
      text_ += other_property("Memory space", clash_);
    if (a_.is_function != b_.is_function) return;
    if (a_.is_managed != b_.is_managed) text_ += other_property("Managed attribute", clash_);
    // The result has one declaration, whose elements scale the index of `x[2]`.
    const bool is_indexed = a_.is_indexed || b_.is_indexed;
    if (is_indexed && a_.element() != b_.element())
      text_ += other_property("Element size", clash_);
    else
      sizes();
  }

  // A common variable may have several sizes; its definition must not be smaller.
  void sizes() {
    if (a_.is_unsized || b_.is_unsized || a_.size == b_.size) return;
    if (is_common(a_) && is_common(b_)) return;
    if (!is_common(a_) && !is_common(b_)) {
      text_ += other_property("Size", clash_);
      return;
    }
    const Symbol& common = is_common(a_) ? a_ : b_;
    const Symbol& other = is_common(a_) ? b_ : a_;
    if (!other.is_defined || common.size <= other.size) return;
    text_ += common_is_larger(a_.name, is_common(a_) ? clash_.first_input : clash_.input);
  }

  const Symbol& a_;
  const Symbol& b_;
  const Clash clash_;
  std::string text_;
};

// Limits the text of one input with many errors.
constexpr size_t MAX_LOG = 64 << 10;

}  // namespace

// A declaration that nothing uses has no effect, as ptxas removes it.
bool SymbolTable::takes_part(const Symbol& symbol) {
  return !symbol.is_local() && (symbol.is_defined || symbol.is_used);
}

// A strong definition replaces a weak or common one, a common one replaces a weak one or a smaller
// one.
bool SymbolTable::replaces(const Symbol& later, const Symbol& earlier) {
  if (is_strong(earlier)) return false;
  if (is_strong(later)) return true;
  if (!is_common(later)) return false;
  return !is_common(earlier) || later.size > earlier.size;
}

std::string SymbolTable::conflicts(const Input& input) const {
  std::string log;
  for (const Symbol& symbol : input.symbols) {
    if (!takes_part(symbol)) continue;
    const auto known = entries_.find(symbol.name);
    if (known == entries_.end()) continue;
    const Entry& entry = known->second;
    log += Comparison(entry.definition ? entry.definition : entry.first, {&input, &symbol}).text();
    if (log.size() > MAX_LOG) break;
  }
  return log;
}

void SymbolTable::add(const Input& input) {
  for (const Symbol& symbol : input.symbols) {
    if (!takes_part(symbol)) continue;
    const Place place{&input, &symbol};
    Entry& entry = entries_.try_emplace(symbol.name, Entry{place, {}}).first->second;
    if (!symbol.is_defined) continue;
    if (!entry.definition || replaces(symbol, *entry.definition.symbol)) entry.definition = place;
  }
}

Place SymbolTable::definition(std::string_view name) const {
  const auto known = entries_.find(name);
  return known == entries_.end() ? Place{} : known->second.definition;
}

bool SymbolTable::is_chosen(const Symbol& symbol) const {
  if (!symbol.is_defined) return false;
  return symbol.is_local() || definition(symbol.name).symbol == &symbol;
}

}  // namespace cucore::ptx::link
