// SPDX-License-Identifier: Apache-2.0
// A row of the corpus table: one launch of a shared kernel, from its PTX.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "../ops/driver.hpp"

namespace cucore::cpu::corpus {

using Bytes = std::vector<uint8_t>;

template <class T>
Bytes bytes_of(const std::vector<T>& values) {
  static_assert(std::is_trivially_copyable_v<T>);
  Bytes bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

enum class Type : uint8_t { BITS, F32, F64 };

// The results that are compared: an array of the launch.
struct Output {
  size_t array = 0;
  Type type = Type::BITS;
  // Relative error within which two devices agree, because the kernel has .approx instructions; 0:
  // equal bits.
  double tolerance = 0;
};

struct Case {
  Case(std::string file_name, std::string kernel_name, std::string variant)
      : file(std::move(file_name)), kernel(std::move(kernel_name)), name(std::move(variant)) {}

  Case& grid(unsigned x, unsigned y = 1) {
    shape.grid[0] = x;
    shape.grid[1] = y;
    return *this;
  }
  Case& block(unsigned x, unsigned y = 1) {
    shape.block[0] = x;
    shape.block[1] = y;
    return *this;
  }
  template <class T>
  Case& value(const T& value) {
    arguments.push_back({bytes_of(std::vector<T>{value}), {}});
    return *this;
  }
  // A parameter with the address of a new array.
  template <class T>
  Case& array(const std::vector<T>& values) {
    arguments.push_back({Bytes(sizeof(uint64_t)), {{0, arrays.size()}}});
    arrays.push_back(bytes_of(values));
    return *this;
  }
  // The last array is a result.
  template <class T>
  Case& out(const std::vector<T>& values, Type type = Type::BITS, double tolerance = 0) {
    outputs.push_back({arrays.size(), type, tolerance});
    return array(values);
  }
  // The kernel has products that ptxas fuses with a difference. The row runs from PTX with the
  // fused operations.
  Case& fused() {
    fuses = true;
    return *this;
  }
  template <class T>
  Case& variable(const std::string& variable_name, const std::vector<T>& values) {
    variables.emplace_back(variable_name, bytes_of(values));
    return *this;
  }

  std::string file, kernel, name;
  unsigned min_target = 75;
  bool fuses = false;
  ops::LaunchShape shape;
  std::vector<ops::Argument> arguments;
  std::vector<Bytes> arrays;
  std::vector<Output> outputs;
  std::vector<std::pair<std::string, Bytes>> variables;  // written before the launch
  std::string counter;                                   // a variable that is a result
};

std::vector<Case> make_cases();

// Returns the text with fma.rn in place of each difference whose first operand is a product without
// a rounding modifier.
std::string with_fused_products(const std::string& ptx);

}  // namespace cucore::cpu::corpus
