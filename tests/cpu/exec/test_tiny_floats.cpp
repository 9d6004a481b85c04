// SPDX-License-Identifier: Apache-2.0
// Floats of 4 and 6 bits, and exponents of 8 bits, against the values of their definition.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "expect.hpp"

namespace cucore::cpu::test {
namespace {

struct TinyFormat {
  const char* name;
  int exponent_bits, fraction_bits;
  int bits() const { return 1 + exponent_bits + fraction_bits; }
  int distance() const { return bits() == 4 ? 4 : 8; }
  unsigned largest() const { return (1u << (bits() - 1)) - 1; }
  double value(unsigned code) const {
    const unsigned size = code & largest(), field = size >> fraction_bits;
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const double fraction =
        double(size & ((1u << fraction_bits) - 1)) / double(1u << fraction_bits) + (field != 0);
    const double v = std::ldexp(fraction, int(field ? field : 1) - bias);
    return code >> (bits() - 1) ? -v : v;
  }
  // Returns the nearest value; of two, the even one.
  unsigned round(double v) const {
    if (v != v) return largest();
    const double size = std::min(std::fabs(v), value(largest()));
    unsigned best = 0;
    for (unsigned code = 1; code <= largest(); ++code) {
      const double now = std::fabs(size - value(code)), before = std::fabs(size - value(best));
      if (now < before || (now == before && code % 2 == 0)) best = code;
    }
    return best | unsigned(std::signbit(v)) << (bits() - 1);
  }
};

const TinyFormat FORMATS[] = {{"e2m1x2", 2, 1}, {"e2m3x2", 2, 3}, {"e3m2x2", 3, 2}};

std::vector<float> edge_values() {
  std::vector<float> values = {0.0f, -0.0f, 1e-30f, -1e30f, 3e38f, INFINITY, -INFINITY, NAN};
  for (int i = -400; i <= 400; ++i) values.push_back(float(i) / 16 + (i % 3 ? 0 : 1e-6f));
  for (int i = -30; i < 20; ++i) values.push_back(std::ldexp(1.5f, i));
  return values;
}

std::vector<unsigned> converted(const std::string& body, const std::vector<float>& in) {
  Array<float> a(in);
  Array<unsigned> b(in.size());
  const auto count = unsigned(in.size());
  expect_success(run_text(
      kernel_text("mov.u32 %r9, %ntid.x; mad.lo.u32 %r3, %r2, %r9, %r1; setp.ge.u32 %p1, %r3, %r0;"
                  "@%p1 exit; mul.wide.u32 %rd2, %r3, 4; add.s64 %rd3, %rd2, %rd1;"
                  "add.s64 %rd2, %rd2, %rd0; ld.global.f32 %f1, [%rd2]; ld.global.u32 %r4, [%rd2];"
                  ".reg .b8 %b<4>;" +
                  body + "st.global.u32 [%rd3], %r5;"),
      shape((count + 63) / 64, 64), a.address(), b.address(), int(count)));
  return b.values();
}

TEST(TinyFloats, RoundToNearest) {
  const auto in = edge_values();
  for (const TinyFormat& format : FORMATS)
    for (const bool relu : {false, true}) {
      const std::string name =
          std::string("cvt.rn.satfinite.") + (relu ? "relu." : "") + format.name;
      const std::string body =
          format.bits() == 4
              ? name + ".f32 %b1, %f1, 0f3F800000; mov.b16 %rs1, {%b1, 0}; cvt.u32.u16 %r5, %rs1;"
              : name + ".f32 %rs1, %f1, 0f3F800000; cvt.u32.u16 %r5, %rs1;";
      const auto got = converted(body, in);
      for (size_t i = 0; i < in.size(); ++i) {
        const unsigned high =
            relu && std::signbit(in[i]) && in[i] == in[i] ? 0 : format.round(in[i]);
        ASSERT_EQ(got[i], high << format.distance() | format.round(1)) << name << " " << in[i];
      }
    }
}

TEST(TinyFloats, ConvertToHalves) {
  for (const TinyFormat& format : FORMATS)
    for (const bool relu : {false, true}) {
      std::vector<float> in;
      for (unsigned code = 0; code < 1u << format.bits(); ++code)
        in.push_back(std::bit_cast<float>(code << format.distance() | (code ^ 1)));
      const std::string name =
          std::string("cvt.rn.") + (relu ? "relu." : "") + "f16x2." + format.name;
      const std::string body =
          "cvt.u16.u32 %rs1, %r4;" + (format.bits() == 4
                                          ? "mov.b16 {%b1, %b2}, %rs1; " + name + " %r5, %b1;"
                                          : name + " %r5, %rs1;");
      const auto got = converted(body, in);
      for (unsigned code = 0; code < in.size(); ++code)
        for (const unsigned part : {0u, 1u}) {
          const double value = format.value(part ? code : code ^ 1);
          const auto half = uint16_t(got[code] >> 16 * part);
          const double expected = relu && std::signbit(value) ? 0.0 : value;
          const int exponent = half >> 10 & 31;
          double seen =
              std::ldexp(double((half & 1023) + (exponent ? 1024 : 0)), std::max(exponent, 1) - 25);
          if (half >> 15) seen = -seen;
          ASSERT_EQ(seen, expected) << name << " " << code;
          ASSERT_EQ(std::signbit(seen), std::signbit(expected)) << name << " " << code;
        }
    }
}

// Returns the least power of two that is not below the value, as exponent + 127.
unsigned exponent_above(double v, bool finite) {
  if (v != v) return 255;
  for (unsigned code = 0; code < 255; ++code)
    if (std::ldexp(1.0, int(code) - 127) >= v) return code;
  return finite ? 254 : 255;
}

// The sign of a value has no effect.
TEST(TinyFloats, ExponentsRoundUpOrToZero) {
  std::vector<float> in = {
      0.0f,       1e-45f, 5.8774717e-39f, 5.8774718e-39f, 6e-39f,        1.1754944e-38f, 1.0f,
      1.0000001f, 1.5f,   2.0f,           3e38f,          3.4028235e38f, INFINITY,       NAN};
  for (size_t i = 0, count = in.size(); i < count; ++i) in.push_back(-in[i]);
  for (const unsigned bits : {0xbf800001u, 0x80400001u}) in.push_back(std::bit_cast<float>(bits));
  for (const bool finite : {false, true}) {
    const std::string sat = finite ? ".satfinite" : "";
    const auto up = converted("cvt.rp" + sat +
                                  ".ue8m0x2.f32 %rs1, %f1, 0f40000000;"
                                  "cvt.u32.u16 %r5, %rs1;",
                              in);
    const auto down = converted("cvt.rz" + sat +
                                    ".ue8m0x2.f32 %rs1, %f1, 0f40000000;"
                                    "cvt.u32.u16 %r5, %rs1;",
                                in);
    for (size_t i = 0; i < in.size(); ++i) {
      EXPECT_EQ(up[i], exponent_above(std::fabs(in[i]), finite) << 8 | 128) << in[i];
      const unsigned field = std::bit_cast<unsigned>(in[i]) >> 23 & 255;
      EXPECT_EQ(down[i], (finite && std::isinf(in[i]) ? 254 : field) << 8 | 128) << in[i];
    }
  }
}

TEST(TinyFloats, ExponentsConvertToAndFromBrainFloats) {
  std::vector<float> in;
  for (unsigned code = 0; code < 256; ++code)
    in.push_back(std::bit_cast<float>(code << 8 | (255 - code)));
  const auto got = converted("cvt.u16.u32 %rs1, %r4; cvt.rn.bf16x2.ue8m0x2 %r5, %rs1;", in);
  const auto back = converted(
      "cvt.u16.u32 %rs1, %r4; cvt.rn.bf16x2.ue8m0x2 %r6, %rs1; cvt.rz.ue8m0x2.bf16x2 %rs2, %r6;"
      "cvt.u32.u16 %r5, %rs2;",
      in);
  for (unsigned code = 0; code < 256; ++code) {
    const float value = std::bit_cast<float>(got[code] & 0xffff0000);
    if (code == 255)
      EXPECT_EQ(got[code] >> 16, 0x7fffu);
    else
      EXPECT_EQ(value, std::ldexp(1.0f, int(code) - 127));
    EXPECT_EQ(back[code], code << 8 | (255 - code));
  }
}

}  // namespace
}  // namespace cucore::cpu::test
