// SPDX-License-Identifier: Apache-2.0
#include "ptx/linker.hpp"

#include <unordered_set>
#include <utility>
#include <vector>

#include "ptx/link/input.hpp"
#include "ptx/link/merge.hpp"
#include "ptx/link/messages.hpp"
#include "ptx/link/table.hpp"
#include "ptx/parser.hpp"

namespace cucore::ptx {

using link::Input;
using link::Symbol;

namespace {

// The parser's limit for one text, here for the sum of all.
constexpr size_t MAX_LINK_BYTES = size_t{1} << 30;

}  // namespace

class Linker::State {
 public:
  explicit State(Provided provided) : provided_(std::move(provided)) {}

  LinkResult add(std::string name, std::string_view text) {
    LinkResult result;
    if (auto input = read(std::move(name), text, result)) adopt(std::move(input), result);
    return result;
  }

  LinkResult add_member(std::string name, std::string_view text) {
    LinkResult result;
    auto input = read(std::move(name), text, result);
    if (!input) return result;
    for (const Symbol& s : input->symbols)
      if (s.is_defined && !s.is_local()) member_of_.emplace(s.name, members_.size());
    members_.push_back(std::move(input));
    return result;
  }

  LinkResult complete(std::string& out) {
    LinkResult result;
    add_needed_members(result);
    if (result.status != LinkStatus::OK) return result;
    check_references(result);
    if (result.status != LinkStatus::OK) return result;
    out = is_single() ? std::string(inputs_[0]->body()) : link::merge(inputs_, table_, result.log);
    if (out.size() > MAX_LINK_BYTES) return too_large();
    if (!result.log.empty()) result.status = LinkStatus::CONFLICT;
    if (result.status == LinkStatus::OK && !is_single()) check(out, result);
    return result;
  }

 private:
  static LinkResult too_large() {
    return {LinkStatus::TOO_LARGE, "error   : the texts of a link are larger than 1 GiB\n"};
  }

  std::unique_ptr<Input> read(std::string name, std::string_view text, LinkResult& result) {
    if (text.size() > MAX_LINK_BYTES - bytes_) {
      result = too_large();
      return nullptr;
    }
    auto input = link::read_input(std::move(name), text, provided_, result);
    if (input) bytes_ += input->text.size();
    return input;
  }

  void adopt(std::unique_ptr<Input> input, LinkResult& result) {
    result.log = table_.conflicts(*input);
    if (!result.log.empty()) {
      result.status = LinkStatus::CONFLICT;
      bytes_ -= input->text.size();
      return;
    }
    table_.add(*input);
    inputs_.push_back(std::move(input));
  }

  // The parser has accepted each input alone. It also decides whether it accepts their sum, for
  // example prototypes that differ in ways that linkers of machine code cannot see.
  static void check(std::string_view text, LinkResult& result) {
    Diagnostics diagnostics;
    if (parse(text, diagnostics)) return;
    result.status = LinkStatus::INVALID_PTX;
    result.log = "the linked text is not valid PTX:\n" + diagnostics.to_string();
  }

  bool is_single() const { return inputs_.size() == 1; }

  // Calls `action` for each name that the result needs and no input defines.
  template <class Action>
  void each_open_name(const Input& input, Action action) const {
    std::vector<bool> seen(input.symbols.size());
    for (const Symbol& s : input.symbols) {
      if (!table_.is_chosen(s)) continue;
      for (uint32_t used : s.uses) seen[used] = true;
    }
    for (size_t i = 0; i < seen.size(); ++i) {
      const Symbol& used = input.symbols[i];
      const bool is_open = seen[i] && !used.is_local() && !table_.definition(used.name);
      if (is_open && !used.is_dynamic() && !provided_(used.name)) action(used.name);
    }
  }

  // Members may need others, so each new one is searched for open names as the inputs are.
  void add_needed_members(LinkResult& result) {
    if (members_.empty()) return;
    for (size_t next = 0; next < inputs_.size(); ++next) {
      std::vector<size_t> needed;
      each_open_name(*inputs_[next], [&](std::string_view name) {
        const auto found = member_of_.find(name);
        if (found != member_of_.end()) needed.push_back(found->second);
      });
      for (size_t index : needed) {
        if (!members_[index]) continue;
        adopt(std::move(members_[index]), result);
        if (result.status != LinkStatus::OK) return;
      }
    }
  }

  void check_references(LinkResult& result) const {
    std::unordered_set<std::string_view> reported;
    for (const auto& input : inputs_) {
      each_open_name(*input, [&](std::string_view name) {
        if (reported.size() == MAX_REPORTED || !reported.insert(name).second) return;
        result.log += link::undefined_reference(name, input->name);
      });
    }
    if (!result.log.empty()) result.status = LinkStatus::UNDEFINED;
  }

  static constexpr size_t MAX_REPORTED = 256;

  const Provided provided_;
  size_t bytes_ = 0;
  std::vector<std::unique_ptr<Input>> inputs_;
  std::vector<std::unique_ptr<Input>> members_;
  std::unordered_map<std::string_view, size_t> member_of_;  // the first member with a definition
  link::SymbolTable table_;
};

Linker::Linker(Provided provided) : state_(std::make_unique<State>(std::move(provided))) {}
Linker::~Linker() = default;

LinkResult Linker::add(std::string name, std::string_view text) {
  return state_->add(std::move(name), text);
}

LinkResult Linker::add_member(std::string name, std::string_view text) {
  return state_->add_member(std::move(name), text);
}

LinkResult Linker::complete(std::string& out) { return state_->complete(out); }

}  // namespace cucore::ptx
