// SPDX-License-Identifier: Apache-2.0
// The order of the result: header, files, declarations of all shared functions, variables,
// functions in the order of the inputs. A function can then call any other one.
#include "ptx/link/merge.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "ptx/link/messages.hpp"
#include "ptx/link/rewrite.hpp"

namespace cucore::ptx::link {
namespace {

std::string_view keyword(Linkage linkage) {
  switch (linkage) {
    case Linkage::VISIBLE:
      return ".visible ";
    case Linkage::EXTERNAL:
      return ".extern ";
    case Linkage::WEAK:
      return ".weak ";
    case Linkage::COMMON:
      return ".common ";
    default:
      return "";
  }
}

class Merger {
 public:
  Merger(const std::vector<std::unique_ptr<Input>>& inputs, const SymbolTable& table)
      : inputs_(inputs), table_(table), changes_(inputs.size()) {}

  std::string merge(std::string& log) {
    std::string out = text();
    log += log_;
    return out;
  }

 private:
  std::string text() {
    for (const auto& input : inputs_)
      for (const Symbol& s : input->symbols) symbols_of(*input).emplace(s.name, &s);
    rename_locals();
    check_changes();
    if (!log_.empty()) return {};
    header();
    files();
    each_piece([this](const Input& i, const Piece& p, Changes& c) { declare(i, p, c); });
    dynamic_memory();
    each_piece([this](const Input& i, const Piece& p, Changes& c) { variable(i, p, c); });
    each_piece([this](const Input& i, const Piece& p, Changes& c) { code(i, p, c); });
    return std::move(out_);
  }

  using Symbols = std::unordered_map<std::string_view, const Symbol*>;
  Symbols& symbols_of(const Input& input) { return symbols_[&input]; }

  template <class Action>
  void each_piece(Action action) {
    for (size_t i = 0; i < inputs_.size(); ++i)
      for (const Piece& piece : inputs_[i]->pieces.pieces) action(*inputs_[i], piece, changes_[i]);
  }

  // The first input with a local name keeps it, unless inputs share the name.
  void rename_locals() {
    uint64_t suffix = 0;
    std::unordered_set<std::string_view> taken;
    for (const auto& input : inputs_) {
      suffix = std::max(suffix, largest_suffix(input->body()));
      for (const Symbol& s : input->symbols)
        if (!s.is_local()) taken.insert(s.name);
    }
    for (size_t i = 0; i < inputs_.size(); ++i) {
      ++suffix;
      for (const Symbol& s : inputs_[i]->symbols)
        if (s.is_local() && !taken.insert(s.name).second) rename(i, s.name, suffix);
    }
  }

  void rename(size_t input, std::string_view name, uint64_t suffix) {
    changes_[input].names.emplace(name, std::string(name) + '$' + std::to_string(suffix));
  }

  // A name that is also a register of a range has two meanings, which a change of words confuses.
  void check_changes() {
    for (size_t i = 0; i < inputs_.size() && log_.empty(); ++i) {
      if (changes_[i].names.empty()) continue;
      const auto ranges = range_names(inputs_[i]->body());
      for (const auto& [name, changed] : changes_[i].names)
        if (may_be_register(name, ranges)) log_ += not_changeable(name, inputs_[i]->name);
    }
  }

  void header() {
    std::pair<int, int> version{6, 0};
    std::pair<int, int> target{30, 0};
    std::vector<std::string_view> modifiers;
    for (const auto& input : inputs_) {
      version = std::max(version, std::pair(input->version_major, input->version_minor));
      // A text for sm_100f and one for sm_103 need sm_103f.
      target.first = std::max(target.first, input->target);
      if (input->target_suffix == 'a' || target.second == 0) target.second = input->target_suffix;
      for (std::string_view word : input->pieces.target.modifiers)
        if (std::find(modifiers.begin(), modifiers.end(), word) == modifiers.end())
          modifiers.push_back(word);
    }
    out_ = ".version " + std::to_string(version.first) + '.' + std::to_string(version.second) +
           "\n.target sm_" + std::to_string(target.first);
    if (target.second != 0) out_ += static_cast<char>(target.second);
    for (std::string_view word : modifiers) out_.append(", ").append(word);
    out_ += "\n.address_size 64\n";
  }

  // Gives all files of the inputs numbers of their own; equal names share one.
  void files() {
    std::unordered_map<std::string_view, uint32_t> numbers;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      for (const SourceFile& file : inputs_[i]->files) {
        const auto next = static_cast<uint32_t>(numbers.size() + 1);
        const auto [known, is_new] = numbers.emplace(file.name, next);
        changes_[i].files[file.number] = known->second;
        if (is_new)
          out_.append(".file " + std::to_string(next) + " \"").append(file.name) += "\"\n";
      }
    }
  }

  const Symbol* symbol(const Input& input, const Piece& piece) {
    const Symbols& symbols = symbols_of(input);
    const auto found = symbols.find(piece.name);
    return found == symbols.end() ? nullptr : found->second;
  }

  // Declares the functions that inputs share, each once.
  void declare(const Input& input, const Piece& piece, Changes& changes) {
    if (piece.kind != PieceKind::DECLARATION && piece.kind != PieceKind::FUNCTION) return;
    const Symbol* s = symbol(input, piece);
    if (!s || s->is_local() || s->is_entry) return;
    const Place chosen = table_.definition(piece.name);
    if (chosen && chosen.symbol != s) return;
    if (!declared_.insert(piece.name).second) return;
    out_ += keyword(s->linkage);
    copy_changed(piece.head, Part::DECLARATION, changes, out_);
    out_ += ";\n";
  }

  struct DynamicMemory {
    const Symbol* symbol = nullptr;
    uint32_t align = 1;
  };

  // Memory of the launch has one name per module, the largest alignment of its declarations, and
  // the elements that code depends on.
  void dynamic_memory() {
    std::map<std::string_view, DynamicMemory> declared;
    for (const auto& input : inputs_) {
      for (const Symbol& s : input->symbols) {
        if (!s.is_dynamic()) continue;
        DynamicMemory& memory = declared[s.name];
        if (!memory.symbol || (s.is_indexed && !memory.symbol->is_indexed)) memory.symbol = &s;
        memory.align = std::max(memory.align, s.align);
      }
    }
    for (const auto& [name, memory] : declared) {
      if (table_.definition(name)) continue;
      out_ += ".extern .shared .align " + std::to_string(memory.align) + ' ';
      if (memory.symbol->vector > 1) out_ += ".v" + std::to_string(memory.symbol->vector) + ' ';
      out_.append(1, '.').append(name_of(memory.symbol->type)).append(1, ' ');
      out_.append(name).append("[];\n");
    }
  }

  void variable(const Input& input, const Piece& piece, Changes& changes) {
    if (piece.kind != PieceKind::VARIABLE || piece.linkage == Linkage::EXTERNAL) return;
    const Symbol* s = symbol(input, piece);
    if (!s || !table_.is_chosen(*s)) return;
    out_ += keyword(piece.linkage);
    copy_changed(piece.head, Part::DECLARATION, changes, out_);
    copy_changed(piece.rest, Part::DECLARATION, changes, out_);
    out_ += ";\n";
  }

  void code(const Input& input, const Piece& piece, Changes& changes) {
    if (piece.kind == PieceKind::VARIABLE) return;
    if (piece.kind == PieceKind::PRAGMA) {
      out_.append(piece.head) += '\n';
      return;
    }
    const Symbol* s = symbol(input, piece);
    if (!s) return;
    const bool is_declaration = piece.kind == PieceKind::DECLARATION;
    if (is_declaration ? !s->is_local() : !table_.is_chosen(*s)) return;
    if (piece.kind == PieceKind::FUNCTION || is_declaration) out_ += keyword(piece.linkage);
    copy_changed(piece.head, Part::DECLARATION, changes, out_);
    copy_changed(piece.rest, Part::DECLARATION, changes, out_);
    copy_changed(piece.body, Part::BODY, changes, out_);
    out_ += is_declaration ? ";\n" : "\n";
  }

  const std::vector<std::unique_ptr<Input>>& inputs_;
  const SymbolTable& table_;
  std::vector<Changes> changes_;
  std::unordered_map<const Input*, Symbols> symbols_;
  std::unordered_set<std::string_view> declared_;
  std::string out_;
  std::string log_;
};

}  // namespace

std::string merge(const std::vector<std::unique_ptr<Input>>& inputs, const SymbolTable& table,
                  std::string& log) {
  return Merger(inputs, table).merge(log);
}

}  // namespace cucore::ptx::link
