// SPDX-License-Identifier: Apache-2.0
// Reads and writes recorded results, as text suitable for diff.
#include "record.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace cucore::cpu::ops {
namespace {

constexpr const char* TITLE = "# results of the PTX table, format 1";

void mix(uint64_t& hash, uint64_t value) {
  for (int i = 0; i < 8; ++i) hash = (hash ^ (value >> 8 * i & 0xFF)) * 0x100000001b3;
}

constexpr uint64_t START = 0xcbf29ce484222325;

bool half_nan(uint64_t bits) { return (bits & 0x7C00) == 0x7C00 && (bits & 0x3FF) != 0; }
bool brain_nan(uint64_t bits) { return (bits & 0x7F80) == 0x7F80 && (bits & 0x7F) != 0; }

uint64_t one_half(bool (*nan)(uint64_t), uint64_t bits) {
  return nan(bits & 0xFFFF) ? 0x7FFF : bits & 0xFFFF;
}

}  // namespace

bool is_nan(Kind kind, uint64_t bits) {
  switch (kind) {
    case Kind::f32:
    case Kind::unit:
      return (bits & 0x7FFFFFFF) > 0x7F800000;
    case Kind::f64:
    case Kind::unit64:
      return (bits & 0x7FFFFFFFFFFFFFFF) > 0x7FF0000000000000;
    case Kind::f16:
      return half_nan(bits);
    case Kind::bf16:
      return brain_nan(bits);
    case Kind::f16x2:
      return half_nan(bits) || half_nan(bits >> 16);
    case Kind::bf16x2:
      return brain_nan(bits) || brain_nan(bits >> 16);
    default:
      return false;
  }
}

uint64_t with_one_nan(Kind kind, uint64_t bits) {
  switch (kind) {
    case Kind::f16x2:
      return one_half(half_nan, bits) | one_half(half_nan, bits >> 16) << 16;
    case Kind::bf16x2:
      return one_half(brain_nan, bits) | one_half(brain_nan, bits >> 16) << 16;
    default:
      return is_nan(kind, bits) ? 0x7FFF : bits;
  }
}

Recorded recorded(const Case& row, const std::vector<Values>& operands,
                  const std::vector<Values>& results) {
  Recorded made;
  made.stamp = made.bits = made.loose = START;
  for (char c : row.body + row.globals) mix(made.stamp, static_cast<unsigned char>(c));
  for (const Values& values : operands)
    for (size_t i = 0; i < row.in.size(); ++i) mix(made.stamp, values[i]);
  for (const Values& values : results) {
    for (size_t i = 0; i < row.out.size(); ++i) {
      mix(made.bits, values[i]);
      mix(made.loose, with_one_nan(row.out[i], values[i]));
    }
    if (row.compare == Compare::approx) made.values.push_back(values[0]);
  }
  return made;
}

void write(const Record& record, const std::string& path) {
  std::ofstream file(path);
  file << TITLE << "\n# " << record.device << "\n" << std::hex;
  for (const auto& [name, row] : record.rows) {
    file << name << '\t' << row.stamp << '\t' << row.bits << '\t' << row.loose;
    char separator = '\t';
    for (uint64_t value : row.values) {
      file << separator << value;
      separator = ',';
    }
    file << '\n';
  }
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

Record read(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line) || line != TITLE) throw std::runtime_error("no record: " + path);
  Record record;
  std::getline(file, record.device);
  record.device.erase(0, 2);
  while (std::getline(file, line)) {
    size_t tab = line.find('\t');
    if (tab == std::string::npos) throw std::runtime_error("malformed record: " + path);
    Recorded& row = record.rows[line.substr(0, tab)];
    std::istringstream rest(line.substr(tab + 1));
    rest >> std::hex >> row.stamp >> row.bits >> row.loose;
    char separator = 0;
    for (uint64_t value = 0; rest >> value; rest >> separator) row.values.push_back(value);
  }
  return record;
}

}  // namespace cucore::cpu::ops
