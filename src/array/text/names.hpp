// SPDX-License-Identifier: Apache-2.0
// The names of values in texts: those of the user, or letters in the order in which they appear.
#pragma once

#include <map>
#include <string>

#include "array/ir/value.hpp"

namespace cucore::array {

class Names {
 public:
  // Results are named r, or r1, r2, ... if there are several.
  explicit Names(std::span<Value* const> results);

  std::string of(const Value& value);
  // A value that no array has: t1, t2, ...
  std::string of_temporary(const Value& value);

 private:
  std::string add(const Value& value, std::string name);

  std::map<const Value*, std::string> names_;
  size_t inputs_ = 0, temporaries_ = 0;
};

}  // namespace cucore::array
