// SPDX-License-Identifier: Apache-2.0
#include "array/text/names.hpp"

#include "support/concat.hpp"

namespace cucore::array {
namespace {

// a to z without those of results and temporary values, then a1, b1, ...
std::string letter(size_t number) {
  constexpr std::string_view LETTERS = "abcdefghijklmnopqsuvwxyz";
  const size_t round = number / LETTERS.size();
  return concat(LETTERS.substr(number % LETTERS.size(), 1), round ? concat(round) : std::string());
}

}  // namespace

Names::Names(std::span<Value* const> results) {
  size_t number = 0;
  for (const Value* value : results) {
    ++number;
    if (!value->name) add(*value, results.size() == 1 ? "r" : concat("r", number));
  }
}

std::string Names::of(const Value& value) {
  const auto found = names_.find(&value);
  if (found != names_.end()) return found->second;
  if (value.name) return add(value, *value.name);
  return add(value, letter(inputs_++));
}

std::string Names::of_temporary(const Value& value) {
  const auto found = names_.find(&value);
  if (found != names_.end()) return found->second;
  if (value.name) return add(value, *value.name);
  return add(value, concat("t", ++temporaries_));
}

std::string Names::add(const Value& value, std::string name) {
  return names_.emplace(&value, std::move(name)).first->second;
}

}  // namespace cucore::array
