// SPDX-License-Identifier: Apache-2.0
// PTX permits an assembler to fuse a product and a sum without rounding modifiers. ptxas fuses the
// first product of a difference.
#include <map>
#include <sstream>
#include <string>
#include <utility>

#include "case.hpp"

namespace cucore::cpu::corpus {
namespace {

struct Instruction {
  std::string name, result, first, second;
};

// Returns the operands of an instruction with three of them; without a name for other lines.
Instruction parse(const std::string& line) {
  Instruction i;
  std::istringstream words(line);
  words >> i.name >> i.result >> i.first >> i.second;
  for (std::string* operand : {&i.result, &i.first, &i.second}) {
    if (operand->empty()) return {};
    operand->pop_back();  // a comma, or the semicolon
  }
  return i;
}

}  // namespace

std::string with_fused_products(const std::string& ptx) {
  std::map<std::string, std::pair<std::string, std::string>> products;
  std::istringstream lines(ptx);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    const Instruction i = parse(line);
    if (i.name == "mul.f32") products[i.result] = {i.first, i.second};
    const auto product = products.find(i.first);
    if (i.name == "sub.f32" && product != products.end()) {
      const auto& [x, y] = product->second;
      line = "{ .reg .f32 minus; neg.f32 minus, " + i.second + "; fma.rn.f32 " + i.result + ", " +
             x + ", " + y + ", minus; }";
    }
    out += line + '\n';
  }
  return out;
}

}  // namespace cucore::cpu::corpus
