// SPDX-License-Identifier: Apache-2.0
// Packed operations on bytes and half words; devices since sm_50 emulate most of them.
#include "typed.hpp"

namespace cucore::cpu::ops {
namespace {

struct Packed {
  const char* name;
  int64_t (*apply)(int64_t, int64_t);
};

constexpr Packed OPERATIONS[] = {
    {"vadd", [](int64_t a, int64_t b) { return a + b; }},
    {"vsub", [](int64_t a, int64_t b) { return a - b; }},
    {"vavrg", [](int64_t a, int64_t b) { return (a + b + ((a + b) >= 0)) >> 1; }},
    {"vabsdiff", [](int64_t a, int64_t b) { return a < b ? b - a : a - b; }},
    {"vmin", [](int64_t a, int64_t b) { return a < b ? a : b; }},
    {"vmax", [](int64_t a, int64_t b) { return a > b ? a : b; }}};

int64_t element(uint64_t bits, unsigned place, unsigned width, bool is_signed) {
  uint64_t value = bits >> place & ((uint64_t{1} << width) - 1);
  return is_signed && value >> (width - 1) ? int64_t(value) - (int64_t{1} << width)
                                           : int64_t(value);
}

// Only forms whose result has the operands' signedness; devices' notes differ about mixed ones.
void add_packed(Table& table, const Packed& operation, unsigned lanes, bool is_signed, bool sums) {
  unsigned width = 32 / lanes;
  std::string t = is_signed ? ".s32" : ".u32";
  std::string name = operation.name + std::to_string(lanes) + t + t + t + (sums ? ".add" : "");
  auto f = operation.apply;
  table.add({name,
             plain(name, 3),
             {Kind::u32, Kind::u32, Kind::few32},
             {Kind::u32},
             [=](const Values& in, Values& out) {
               uint64_t packed = in[2], sum = in[2];
               for (unsigned place = 0; place < 32; place += width) {
                 int64_t r = f(element(in[0], place, width, is_signed),
                               element(in[1], place, width, is_signed));
                 uint64_t mask = ((uint64_t{1} << width) - 1);
                 packed = (packed & ~(mask << place)) | (uint64_t(r) & mask) << place;
                 sum += uint64_t(r);
               }
               out[0] = uint32_t(sums ? sum : packed);
             }});
}

// Scalar forms: 32-bit operands, an exact result that wraps, or saturates with .sat. Devices let
// sums of unsigned words wrap.
void add_scalar(Table& table, const Packed& operation, bool is_signed, bool saturates) {
  std::string t = is_signed ? ".s32" : ".u32";
  std::string name = operation.name + t + t + t + (saturates ? ".sat" : "");
  auto f = operation.apply;
  table.add({name,
             plain(name, 2),
             {Kind::u32, Kind::u32},
             {Kind::u32},
             [=](const Values& in, Values& out) {
               int64_t r = f(element(in[0], 0, 32, is_signed), element(in[1], 0, 32, is_signed));
               int64_t low = is_signed ? INT32_MIN : 0,
                       high = is_signed ? INT32_MAX : int64_t(UINT32_MAX);
               bool wraps = !is_signed && operation.name == std::string("vadd");
               if (saturates && !wraps) r = r < low ? low : r > high ? high : r;
               out[0] = uint32_t(r);
             }});
}

}  // namespace

void add_video_cases(Table& table) {
  for (const Packed& operation : OPERATIONS)
    for (bool is_signed : {false, true}) {
      for (unsigned lanes : {2u, 4u}) {
        add_packed(table, operation, lanes, is_signed, false);
        add_packed(table, operation, lanes, is_signed, true);
      }
      if (std::string(operation.name) == "vavrg") continue;
      add_scalar(table, operation, is_signed, false);
      add_scalar(table, operation, is_signed, true);
    }
}

}  // namespace cucore::cpu::ops
