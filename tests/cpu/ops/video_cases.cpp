// SPDX-License-Identifier: Apache-2.0
// Operations on bytes, half words and words; devices since sm_50 emulate most of them.
#include <algorithm>

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

// ---- selectors

struct Part {
  const char* text;
  unsigned place, width;
};

constexpr Part PARTS[] = {{"", 0, 32},    {".b0", 0, 8},  {".b1", 8, 8},  {".b2", 16, 8},
                          {".b3", 24, 8}, {".h0", 0, 16}, {".h1", 16, 16}};

int64_t taken(uint64_t bits, const Part& part, bool is_signed) {
  return element(bits, part.place, part.width, is_signed);
}

int64_t saturated(int64_t value, unsigned width, bool is_signed) {
  const int64_t high = (int64_t{1} << (width - is_signed)) - 1, low = is_signed ? -high - 1 : 0;
  return value < low ? low : value > high ? high : value;
}

uint64_t inserted(uint64_t into, int64_t value, const Part& part) {
  if (part.width == 32) return uint32_t(value);
  const uint64_t mask = ((uint64_t{1} << part.width) - 1) << part.place;
  return (into & ~mask) | (uint64_t(value) << part.place & mask);
}

// Applies min, max and add to the result and the third operand, as words of the result's type.
uint64_t combined(const std::string& second, uint32_t value, uint32_t third, bool is_signed) {
  if (second == ".add") return uint32_t(value + third);
  const bool less = is_signed ? int32_t(value) < int32_t(third) : value < third;
  return (second == ".min") == less ? value : third;
}

const char* sign_name(bool is_signed) { return is_signed ? ".s32" : ".u32"; }

// A row with parts of the sources, and with one part of the result or a second operation.
struct Selected {
  Part to, a, b;
  bool to_signed, a_signed, b_signed, saturates;
  std::string second;

  std::string operands() const {
    return std::string(" $d0") + to.text + ", $0" + a.text + ", $1" + b.text + ", $2;";
  }
  std::string note() const {
    return std::string(*to.text ? " d" : "") + to.text + (*a.text ? " a" : "") + a.text +
           (*b.text ? " b" : "") + b.text;
  }
  uint64_t finish(int64_t value, uint64_t third) const {
    if (saturates) value = saturated(value, to.width, to_signed);
    if (second.empty()) return inserted(third, value, to);
    return combined(second, uint32_t(value), uint32_t(third), to_signed);
  }
};

template <class F>
void add_selected(Table& table, const std::string& stem, const std::string& mode, Selected row,
                  F apply) {
  std::string types = sign_name(row.a_signed);
  types += sign_name(row.b_signed);
  if (stem != "vset") types = sign_name(row.to_signed) + types;
  std::string name = stem + types;
  name += (row.saturates ? ".sat" : "") + mode + row.second;
  table.add({name + row.note(),
             name + row.operands(),
             {Kind::u32, Kind::u32, Kind::few32},
             {Kind::u32},
             [=](const Values& in, Values& out) {
               out[0] = row.finish(
                   apply(taken(in[0], row.a, row.a_signed), taken(in[1], row.b, row.b_signed)),
                   in[2]);
             }});
}

// Each part occurs in each place once; signs, saturation and second operations go through all.
template <class F>
void add_selections(Table& table, const std::string& stem, const std::string& mode, bool b_signed,
                    bool may_saturate, F apply) {
  static constexpr const char* SECONDS[] = {"", ".add", ".min", ".max"};
  for (unsigned i = 0; i < (may_saturate ? 14 : 7); ++i) {
    Selected row{PARTS[i % 7], PARTS[(i + 1) % 7],       PARTS[(i * 3 + 2) % 7], (i & 1) != 0,
                 (i & 2) != 0, b_signed && (i & 4) != 0, may_saturate && i >= 7, ""};
    if (stem == "vset") row.to_signed = false;
    if (row.to.width == 32 || i % 5 == 4) {
      row.to = PARTS[0];
      row.second = SECONDS[1 + i % 3];
    }
    add_selected(table, stem, mode, row, apply);
  }
}

// Devices shift words of 34 bits, of which the last one is the sign.
int64_t shifted_left(int64_t a, int64_t by) {
  const int128 whole = static_cast<int128>(a) * (int128{1} << by);
  const auto low = uint64_t(whole) & 0x3ffffffff;
  return int64_t(low) - (low >> 33 ? int64_t{1} << 34 : 0);
}

int64_t shifted_right(int64_t a, int64_t by) {
  const int64_t unit = int64_t{1} << by;
  return a >= 0 ? a / unit : -((-a + unit - 1) / unit);
}

void add_video_shifts(Table& table) {
  for (bool wraps : {false, true}) {
    auto by = [wraps](int64_t b) { return wraps ? b % 32 : std::min<int64_t>(b, 32); };
    const std::string mode = wraps ? ".wrap" : ".clamp";
    add_selections(table, "vshl", mode, false, true,
                   [=](int64_t a, int64_t b) { return shifted_left(a, by(b)); });
    add_selections(table, "vshr", mode, false, true,
                   [=](int64_t a, int64_t b) { return shifted_right(a, by(b)); });
  }
}

struct VideoComparison {
  const char* name;
  bool (*holds)(int64_t, int64_t);
};
constexpr VideoComparison VIDEO_COMPARISONS[] = {
    {".eq", [](int64_t a, int64_t b) { return a == b; }},
    {".ne", [](int64_t a, int64_t b) { return a != b; }},
    {".lt", [](int64_t a, int64_t b) { return a < b; }},
    {".le", [](int64_t a, int64_t b) { return a <= b; }},
    {".gt", [](int64_t a, int64_t b) { return a > b; }},
    {".ge", [](int64_t a, int64_t b) { return a >= b; }}};

void add_video_comparisons(Table& table) {
  for (const VideoComparison& c : VIDEO_COMPARISONS) {
    auto holds = c.holds;
    for (bool a_signed : {false, true})
      for (bool b_signed : {false, true}) {
        const std::string name =
            std::string("vset") + sign_name(a_signed) + sign_name(b_signed) + c.name;
        table.add({name,
                   plain(name, 2),
                   {Kind::u32, Kind::u32},
                   {Kind::u32},
                   [=](const Values& in, Values& out) {
                     out[0] =
                         holds(element(in[0], 0, 32, a_signed), element(in[1], 0, 32, b_signed));
                   }});
      }
    add_selections(table, "vset", c.name, true, false,
                   [=](int64_t a, int64_t b) { return int64_t{holds(a, b)}; });
    for (unsigned lanes : {2u, 4u})
      for (bool is_signed : {false, true})
        for (bool sums : {false, true}) {
          const std::string name = "vset" + std::to_string(lanes) + sign_name(is_signed) +
                                   sign_name(is_signed) + c.name + (sums ? ".add" : "");
          table.add({name,
                     plain(name, 3),
                     {Kind::u32, Kind::u32, Kind::few32},
                     {Kind::u32},
                     [=](const Values& in, Values& out) {
                       const unsigned width = 32 / lanes;
                       uint64_t packed = 0, sum = in[2];
                       for (unsigned place = 0; place < 32; place += width) {
                         const bool one = holds(element(in[0], place, width, is_signed),
                                                element(in[1], place, width, is_signed));
                         packed |= uint64_t{one} << place;
                         sum += one;
                       }
                       out[0] = uint32_t(sums ? sum : packed);
                     }});
        }
  }
}

// ---- multiplication with an addend

struct Product {
  const char *types, *options, *operands;
  bool a_signed, b_signed, minus, minus_c, plus_one, saturates;
  unsigned scale;
  Part a, b;
};

// The exact value: minus signs are those of the product or of the addend.
int64_t multiplied(const Product& p, const Values& in) {
  const bool is_signed = p.a_signed || p.b_signed || p.minus || p.minus_c;
  int128 product =
      static_cast<int128>(taken(in[0], p.a, p.a_signed)) * taken(in[1], p.b, p.b_signed);
  int128 addend = is_signed ? int64_t{int32_t(in[2])} : int64_t(in[2]);
  int128 sum = (p.minus ? -product : product) + (p.minus_c ? -addend : addend) + p.plus_one;
  const int128 unit = int128{1} << p.scale;
  sum = sum >= 0 ? sum / unit : -((-sum + unit - 1) / unit);
  const int128 high = is_signed ? INT32_MAX : int64_t{UINT32_MAX};
  const int128 low = is_signed ? int128{INT32_MIN} : int128{0};
  if (p.saturates) sum = sum < low ? low : sum > high ? high : sum;
  return int64_t(sum);
}

constexpr Product VIDEO_PRODUCTS[] = {{".u32.u32.u32", "", "$0, $1, $2", false, false, false, false,
                                       false, false, 0, PARTS[0], PARTS[0]},
                                      {".s32.s32.s32", "", "$0, $1, $2", true, true, false, false,
                                       false, false, 0, PARTS[0], PARTS[0]},
                                      {".u32.u32.u32", ".sat", "$0, $1, $2", false, false, false,
                                       false, false, true, 0, PARTS[0], PARTS[0]},
                                      {".s32.s32.u32", ".sat", "$0, $1, $2", true, false, false,
                                       false, false, true, 0, PARTS[0], PARTS[0]},
                                      {".s32.u32.u32", ".sat", "-$0, $1, $2", false, false, true,
                                       false, false, true, 0, PARTS[0], PARTS[0]},
                                      {".s32.u32.u32", ".sat", "$0, -$1.h1, $2", false, false, true,
                                       false, false, true, 0, PARTS[0], PARTS[6]},
                                      {".s32.u32.u32", "", "-$0, -$1, -$2", false, false, false,
                                       true, false, false, 0, PARTS[0], PARTS[0]},
                                      {".s32.u32.s32", ".sat", "$0.b2, $1, -$2", false, true, false,
                                       true, false, true, 0, PARTS[3], PARTS[0]},
                                      {".u32.u32.u32", ".po.shr7", "$0, $1, $2", false, false,
                                       false, false, true, false, 7, PARTS[0], PARTS[0]},
                                      {".s32.s32.s32", ".po.sat.shr15", "$0.h0, $1.h1, $2", true,
                                       true, false, false, true, true, 15, PARTS[5], PARTS[6]},
                                      {".s32.s32.u32", ".sat.shr7", "$0, -$1, $2", true, false,
                                       true, false, false, true, 7, PARTS[0], PARTS[0]},
                                      {".u32.u32.u32", ".sat.shr15", "$0, $1, $2", false, false,
                                       false, false, false, true, 15, PARTS[0], PARTS[0]},
                                      {".s32.s32.s32", ".shr15", "$0.b0, $1.b3, -$2", true, true,
                                       false, true, false, false, 15, PARTS[1], PARTS[4]}};

void add_video_products(Table& table) {
  for (const Product& p : VIDEO_PRODUCTS) {
    const std::string name = std::string("vmad") + p.types + p.options;
    table.add({name + " " + p.operands,
               name + " $d0, " + p.operands + ";",
               {Kind::u32, Kind::u32, Kind::few32},
               {Kind::u32},
               [=](const Values& in, Values& out) { out[0] = uint32_t(multiplied(p, in)); }});
  }
}

// ---- packed forms with selectors and masks

struct Choice {
  const char *to, *a, *b;
};
constexpr Choice HALVES[] = {{"", ".h01", ".h23"}, {".h0", ".h20", ".h31"}, {".h1", "", ".h00"}};
constexpr Choice BYTES[] = {
    {"", ".b0123", ".b4567"}, {".b20", ".b7531", ".b0000"}, {".b321", "", ".b6420"}};

// Returns the digit of the part `k`, which stands at the end for the first one.
unsigned digit(const char* text, const char* without, unsigned k) {
  const std::string digits = *text ? text + 2 : without;
  return unsigned(digits[digits.size() - 1 - k] - '0');
}

bool is_written(const char* mask, unsigned k) {
  return *mask == 0 || std::string(mask + 2).find(char('0' + k)) != std::string::npos;
}

void add_choice(Table& table, const Packed& operation, unsigned lanes, const Choice& c, bool sums) {
  const unsigned width = 32 / lanes;
  const std::string name =
      operation.name + std::to_string(lanes) + ".s32.u32.s32" + (sums ? ".add" : ".sat");
  auto f = operation.apply;
  const char* own = lanes == 2 ? "10" : "3210";
  const char* other = lanes == 2 ? "32" : "7654";
  table.add({name + " " + c.to + c.a + c.b,
             name + " $d0" + c.to + ", $0" + c.a + ", $1" + c.b + ", $2;",
             {Kind::u32, Kind::u32, Kind::few32},
             {Kind::u32},
             [=](const Values& in, Values& out) {
               uint64_t packed = 0, sum = in[2];
               for (unsigned k = 0; k < lanes; ++k) {
                 auto at = [&](unsigned number, bool is_signed) {
                   return element(in[number >= lanes], number % lanes * width, width, is_signed);
                 };
                 const int64_t r = f(at(digit(c.a, own, k), false), at(digit(c.b, other, k), true));
                 const uint64_t mask = (uint64_t{1} << width) - 1;
                 const bool written = is_written(c.to, k);
                 const auto value = uint64_t(written ? saturated(r, width, true)
                                                     : element(in[2], k * width, width, false));
                 packed |= (value & mask) << k * width;
                 if (written) sum += uint64_t(r);
               }
               out[0] = uint32_t(sums ? sum : packed);
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
  for (const Packed& operation : OPERATIONS) {
    for (bool sums : {false, true})
      for (unsigned k = 0; k < 3; ++k) {
        add_choice(table, operation, 2, HALVES[k], sums);
        add_choice(table, operation, 4, BYTES[k], sums);
      }
    if (std::string(operation.name) == "vavrg") continue;
    add_selections(table, operation.name, "", true, true, operation.apply);
  }
  add_video_shifts(table);
  add_video_comparisons(table);
  add_video_products(table);
}

}  // namespace cucore::cpu::ops
