// SPDX-License-Identifier: Apache-2.0
#include "support/require.hpp"

#include "support/concat.hpp"
#include "support/error.hpp"
#include "support/handle.hpp"

namespace cucore {
namespace {

enum Toggle : int32_t { TOGGLE_DEFAULT = 0, TOGGLE_ON = 1, TOGGLE_OFF = 2 };

}  // namespace

void throw_null(const char* argument) {
  throw Error(Status::INVALID_ARGUMENT, concat(argument, " must not be NULL"));
}

void throw_dead(const char* argument, const char* type, const HandleHead* head) {
  throw Error(Status::INVALID_HANDLE,
              concat(argument, " is not a live ", type, ": it is ", describe_handle(head)));
}

std::vector<std::string> require_strings(const char* const* strings, size_t count,
                                         const char* argument) {
  std::vector<std::string> copies;
  for (const char* string : require_array(strings, count, argument)) {
    if (!string)
      throw Error(Status::INVALID_ARGUMENT, concat(argument, " has NULL at index ", copies.size()));
    copies.emplace_back(string);
  }
  return copies;
}

bool require_flag(int32_t value, const char* field) {
  if (value != 0 && value != 1)
    throw Error(Status::INVALID_ARGUMENT, concat(field, " is ", value, ", neither 0 nor 1"));
  return value != 0;
}

void require_zero(int32_t value, const char* field) {
  if (value != 0)
    throw Error(Status::INVALID_ARGUMENT, concat(field, " is ", value, "; leave it 0"));
}

bool require_toggle(int32_t value, bool by_default, const char* field) {
  if (value == TOGGLE_DEFAULT) return by_default;
  if (value != TOGGLE_ON && value != TOGGLE_OFF)
    throw Error(Status::INVALID_ARGUMENT, concat(field, " is ", value, ", not a cucore_toggle"));
  return value == TOGGLE_ON;
}

}  // namespace cucore
