// SPDX-License-Identifier: Apache-2.0
#include "core/compile/definition_check.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "core/compile/ltoir_definitions.hpp"
#include "support/concat.hpp"

namespace cucore::core {
namespace {

using container::Code;
using image::CodeType;
using image::Definition;
using image::Definitions;
using image::SymbolKind;

// Returns "helper(float)" for "_Z6helperf"; "" for a name that is not C++. Without the prefix a
// name would be parsed as a type: "f" as float.
std::string demangled(const std::string& name) {
  if (!name.starts_with("_Z")) return {};
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? text.get() : "";
}

// Only these can define a name twice by themselves.
bool holds_several(CodeType type) { return type == CodeType::LIBRARY || type == CodeType::OBJECT; }

bool begins_with_error(std::string_view line) {
  for (const std::string_view word : {"error", "fatal"})
    if (line.starts_with(word)) {
      line.remove_prefix(word.size());
      line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
      return line.starts_with(':');
    }
  return false;
}

template <class Action>
void each_line(std::string_view log, Action action) {
  while (!log.empty()) {
    const size_t end = std::min(log.find('\n'), log.size());
    action(log.substr(0, end));
    log.remove_prefix(std::min(end + 1, log.size()));
  }
}

// Messages of nvJitLink and of libNVVM, which links LTO-IR inside it; %s is the name.
constexpr std::string_view COMPLAINTS[][2] = {{"Multiple definition of '", "'"},
                                              {"Linking globals named '", "'"},
                                              {"Size doesn't match for '", "'"},
                                              {"Size does not match for ", " in "}};

// Returns the names in a linker's complaints.
std::vector<std::string> complained_of(const std::string& log) {
  std::vector<std::string> names;
  each_line(log, [&](std::string_view line) {
    for (const auto& [before, after] : COMPLAINTS) {
      const size_t at = line.find(before);
      if (at == line.npos) continue;
      const std::string_view rest = line.substr(at + before.size());
      const std::string name(rest.substr(0, rest.find(after)));
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  });
  return names;
}

}  // namespace

DefinitionCheck::DefinitionCheck(const LinkJob& job, const std::vector<const Code*>& inputs)
    : job_(job), inputs_(inputs) {
  if (inputs.size() == 1 && !holds_several(inputs[0]->type)) return;
  for (size_t i = 0; i < inputs.size(); ++i)
    add(i, image::read_definitions(*inputs[i], job.arch, job.lto));
}

void DefinitionCheck::add(size_t input, const Definitions& found) {
  for (const Definition& each : found.strong) {
    Owners& owners = owners_[each.name];
    if (owners.empty()) {
      order_.push_back(each.name);
      if (each.kind != SymbolKind::KERNEL) besides_.push_back(each.name);
    }
    owners.push_back({input, each.member});
  }
  for (const Definitions::Ltoir& each : found.ltoir) opaque_.push_back({each, input});
}

// Each separately, because the position matters.
void DefinitionCheck::add_opaque(const std::vector<std::string>& names) {
  for (const Opaque& each : opaque_) {
    const Definitions::Ltoir* const code = &each.code;
    for (const std::string& name : defined_in_ltoir({&code, 1}, names, job_.arch)) {
      Owners& owners = owners_[name];
      const Owner owner{each.input, each.code.member};
      const auto at = std::ranges::upper_bound(owners, owner.input, {}, &Owner::input);
      if (std::ranges::find(owners, owner) == owners.end()) owners.insert(at, owner);
    }
  }
}

std::vector<std::string> DefinitionCheck::contradicted() const {
  std::vector<std::string> names;
  for (const std::string& name : order_)
    if (owners_.at(name).size() > 1) names.push_back(name);
  return names;
}

void DefinitionCheck::require_one_of_each() {
  std::vector<std::string> names = contradicted();
  // Kernels are left out: nvJitLink also reports those in LTO-IR.
  if (names.empty() && !besides_.empty() && !opaque_.empty()) {
    std::vector<const Definitions::Ltoir*> all;
    for (const Opaque& each : opaque_) all.push_back(&each.code);
    const auto found = defined_in_ltoir(all, besides_, job_.arch);
    if (!found.empty()) add_opaque(found);
    names = contradicted();
  }
  if (!names.empty()) fail(names, {});
}

void DefinitionCheck::explain(const Error& error) {
  if (error.status() != Status::LINKING) return;
  std::vector<std::string> names = complained_of(error.log());
  if (names.empty()) return;
  add_opaque(names);
  std::erase_if(names, [&](const std::string& name) {
    const auto found = owners_.find(name);
    return found == owners_.end() || found->second.size() < 2;
  });
  if (!names.empty()) fail(names, error.log());
}

// Returns the name that the user uses: an expression, else the C++ name.
std::string DefinitionCheck::shown(const std::string& name) const {
  for (const Code* input : inputs_)
    for (const auto& symbol : input->symbols)
      if (symbol.lowered_name == name && !symbol.expression.empty()) return symbol.expression;
  const std::string clear = demangled(name);
  return clear.empty() ? name : clear;
}

// If two inputs have one name, their positions distinguish them.
std::string DefinitionCheck::shown(const Owner& owner) const {
  std::string text = job_.inputs[owner.input].name;
  const auto same = std::ranges::count_if(
      job_.inputs, [&](const LinkInput& input) { return input.name == text; });
  if (!owner.member.empty()) text += "(" + owner.member + ")";
  return same == 1 ? text : concat(text, " (input ", owner.input, ")");
}

std::string DefinitionCheck::shown(const Owners& owners) const {
  std::string list;
  for (size_t i = 0; i < owners.size(); ++i)
    list += concat(i == 0 ? "" : i + 1 < owners.size() ? ", " : " and ", shown(owners[i]));
  return list;
}

void DefinitionCheck::fail(const std::vector<std::string>& names, const std::string& log) const {
  const auto line = [&](const std::string& name) {
    const std::string clear = shown(name);
    return concat("'", clear, "' is defined in ", shown(owners_.at(name)),
                  clear == name ? "" : concat(" (symbol ", name, ")"));
  };
  std::string all;
  for (const std::string& name : names) all += concat("error   : ", line(name), "\n");
  const std::string more =
      names.size() == 1 ? "" : concat("; ", names.size() - 1, " more names are defined twice");
  throw Error(Status::LINKING,
              concat("cannot ", job_.what, ": ", line(names[0]), more,
                     "; expected one definition of each name; keep one, or make the others static, "
                     "inline or extern"),
              all + log);
}

void require_no_error_in_log(const LinkJob& job, const std::string& log) {
  bool failed = false;
  each_line(log, [&](std::string_view line) { failed = failed || begins_with_error(line); });
  if (failed) throw Error(Status::LINKING, with_first_error(job.what, log), log);
}

}  // namespace cucore::core
