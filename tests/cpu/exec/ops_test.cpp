// Single instructions on edge values: each form against a reference, and with every handler set,
// whose results must be the same to the bit.
#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <functional>
#include <limits>

#include "text.hpp"

namespace cucpu::test {
namespace {

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 s128;
using Reference = std::function<uint64_t(uint64_t, uint64_t, uint64_t)>;

// In the text d, x, y and z stand for registers whose bits are given; p and q are predicates, p is
// whether x is odd; the value of a predicate result is read with selp.
struct Case {
  std::string text;
  int d, x, y, z;
  Reference reference;
};

const std::vector<uint64_t> kEdges = {0,
                                      1,
                                      2,
                                      3,
                                      31,
                                      32,
                                      33,
                                      63,
                                      64,
                                      65,
                                      0x7f,
                                      0x80,
                                      0xff,
                                      0x7fff,
                                      0x8000,
                                      0xffff,
                                      0x12345678,
                                      0x7fffffff,
                                      0x80000000,
                                      0x80000001,
                                      0xffffffff,
                                      0x3f800000,
                                      0xbf800000,
                                      0x40490fdb,
                                      0x7f800000,
                                      0xff800000,
                                      0x7fc00000,
                                      0xffc00001,
                                      0x00000001 | 0x80000000,
                                      0x007fffff,
                                      0x00800000,
                                      0x7f7fffff,
                                      0x4b7fffff,
                                      0x4f000000,
                                      0xcf000001,
                                      0x3effffff,
                                      0x3f000000,
                                      0x3fc00000,
                                      0xc0200000,
                                      0x33ffffff};
const std::vector<uint64_t> kWide = {0,
                                     1,
                                     2,
                                     3,
                                     31,
                                     33,
                                     63,
                                     64,
                                     65,
                                     0xffffffff,
                                     0x100000000,
                                     0x7fffffffffffffff,
                                     0x8000000000000000,
                                     ~0ull,
                                     0x123456789abcdef0,
                                     0x3ff0000000000000,
                                     0xbff0000000000000,
                                     0x400921fb54442d18,
                                     0x7ff0000000000000,
                                     0xfff0000000000000,
                                     0x7ff8000000000000,
                                     0x000fffffffffffff,
                                     0x0010000000000000,
                                     0x7fefffffffffffff,
                                     0x41dfffffffc00000,
                                     0x43e0000000000000,
                                     0x3fe0000000000000,
                                     0x36a0000000000000,
                                     0x47efffffefffffff};

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

std::string reg(char name, int bits) {
  const std::string n = name == 'd' ? "4" : name == 'x' ? "5" : name == 'y' ? "6" : "7";
  return (bits == 16 ? "%rs" : bits == 32 ? "%r" : "%rd") + n;
}

std::string text_of(const Case& c) {
  std::string body =
      "mad.lo.u32 %r3, %r2, 64, %r1; setp.ge.u32 %p0, %r3, %r0; @%p0 ret;\nmul.wide.u32 %rd2, %r3, "
      "32; add.s64 %rd2, %rd2, %rd0;\n";
  const int bits[] = {c.x, c.y, c.z};
  for (int k = 0; k < 3; ++k) {
    const char name = "xyz"[k];
    const std::string offset = std::to_string(8 * k);
    if (bits[k])
      body += "ld.global.b" + std::to_string(bits[k]) + " " + reg(name, bits[k]) + ", [%rd2+" +
              offset + "];\n";
  }
  body +=
      "ld.global.u32 %r8, [%rd2]; and.b32 %r8, %r8, 1; setp.ne.u32 %p1, %r8, 0; mov.u64 %rd4, 0; "
      "mov.u32 %r4, 0; mov.u16 %rs4, 0; mov.pred %p2, %p1;\n";
  std::string text = c.text;
  for (char name : {'d', 'x', 'y', 'z'}) {
    const int width = name == 'd' ? (c.d ? c.d : 32) : bits[name - 'x'];
    text = replaced(text, std::string("$") + name, reg(name, width));
  }
  text = replaced(replaced(text, "$p", "%p1"), "$q", "%p2");
  body += text + "\n";
  if (!c.d) body += "selp.u32 %r4, 1, 0, %p2;\n";
  body += "st.global.b" + std::to_string(c.d ? c.d : 32) + " [%rd2+24], " +
          reg('d', c.d ? c.d : 32) + ";";
  return kernel_text(body);
}

uint64_t cut(uint64_t v, int bits) {
  return bits == 64 || bits == 0 ? v : v & ((uint64_t{1} << bits) - 1);
}

struct Input {
  uint64_t x, y, z;
};
std::vector<Input> inputs_of(const Case& c) {
  auto values = [](int bits) {
    std::vector<uint64_t> v = bits == 64 ? kWide : kEdges;
    for (auto& e : v) e = cut(e, bits);
    return v;
  };
  const auto xs = values(c.x), ys = values(c.y), zs = values(c.z);
  std::vector<Input> in;
  for (size_t i = 0; i < xs.size(); ++i)
    for (size_t j = 0; j < (c.y ? ys.size() : 1); ++j)
      in.push_back({xs[i], ys[j], zs[(i * 7 + j * 3) % zs.size()]});
  return in;
}

std::vector<uint64_t> run_case(const Case& c, const std::vector<Input>& in) {
  Array<uint64_t> data(in.size() * 4);
  for (size_t i = 0; i < in.size(); ++i) {
    data[i * 4] = in[i].x;
    data[i * 4 + 1] = in[i].y;
    data[i * 4 + 2] = in[i].z;
  }
  const auto fault = run_text(text_of(c), shape(unsigned(in.size() + 63) / 64, 64), data.address(),
                              0, int(in.size()));
  EXPECT_FALSE(fault) << c.text << ": " << fault->text;
  std::vector<uint64_t> out;
  for (size_t i = 0; i < in.size(); ++i) out.push_back(data[i * 4 + 3]);
  return out;
}

void check(const Case& c) {
  const auto in = inputs_of(c);
  const Settings before = settings();
  std::vector<uint64_t> first;
  for (Simd level : {Simd::Baseline, Simd::Avx2, Simd::Avx512}) {
    Settings s = before;
    s.simd = level;
    configure(s);
    const auto out = run_case(c, in);
    configure(before);
    if (first.empty()) first = out;
    for (size_t i = 0; i < in.size(); ++i) {
      ASSERT_EQ(out[i], first[i]) << c.text << std::hex << " x=" << in[i].x << " y=" << in[i].y
                                  << " z=" << in[i].z << " with " << simd_name(level);
      if (!c.reference) continue;
      const uint64_t expected = cut(c.reference(in[i].x, in[i].y, in[i].z), c.d ? c.d : 32);
      ASSERT_EQ(out[i], expected) << c.text << std::hex << " x=" << in[i].x << " y=" << in[i].y
                                  << " z=" << in[i].z;
    }
  }
}

float f32(uint64_t v) { return std::bit_cast<float>(uint32_t(v)); }
double f64(uint64_t v) { return std::bit_cast<double>(v); }
uint64_t bits(float v) { return v == v ? std::bit_cast<uint32_t>(v) : 0x7fffffff; }
uint64_t bits(double v) { return std::bit_cast<uint64_t>(v); }
float ftz(float v) { return std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(0.0f, v) : v; }
int64_t s32(uint64_t v) { return int32_t(v); }
int64_t s64(uint64_t v) { return int64_t(v); }
float saturated(float v) { return v > 0 ? (v < 1 ? v : 1) : 0; }

#define REF [](uint64_t x, uint64_t y, uint64_t z) -> uint64_t
#define USE (void)x, (void)y, (void)z

TEST(Ops, Integers) {
  const std::vector<Case> cases = {{"add.s32 $d, $x, $y;", 32, 32, 32, 0, REF{USE;
  return x + y;
}
}  // namespace
, {"sub.u64 $d, $x, $y;", 64, 64, 64, 0, REF{USE;
return x - y;
}  // namespace cucpu::test
}
, {"add.u16 $d, $x, $y;", 16, 16, 16, 0, REF{USE;
return x + y;
}
}
, {"add.sat.s32 $d, $x, $y;", 32, 32, 32, 0, REF{USE;
return uint64_t(std::clamp<int64_t>(s32(x) + s32(y), INT32_MIN, INT32_MAX));
}
}
, {"sub.sat.s32 $d, $x, $y;", 32, 32, 32, 0, REF{USE;
return uint64_t(std::clamp<int64_t>(s32(x) - s32(y), INT32_MIN, INT32_MAX));
}
}
, {"mul.lo.s32 $d, $x, $y;", 32, 32, 32, 0, REF{USE;
return x * y;
}
}
, {"mul.hi.s32 $d, $x, $y;", 32, 32, 32, 0, REF{USE;
return uint64_t(s32(x) * s32(y)) >> 32;
}
}
, {"mul.hi.u32 $d, $x, $y;", 32, 32, 32, 0, REF{USE;
return x * y >> 32;
}
}
, {"mul.hi.u64 $d, $x, $y;", 64, 64, 64, 0, REF{USE;
return uint64_t(u128(x) * y >> 64);
}
}
, {"mul.hi.s64 $d, $x, $y;", 64, 64, 64, 0, REF{USE;
return uint64_t(s128(s64(x)) * s64(y) >> 64);
}
}
, {"mul.hi.s16 $d, $x, $y;", 16, 16, 16, 0, REF{USE;
return uint64_t((int(int16_t(x)) * int16_t(y)) >> 16);
}
}
, {"mul.wide.s32 $d, $x, $y;", 64, 32, 32, 0, REF{USE;
return uint64_t(s32(x) * s32(y));
}
}
, {"mul.wide.u16 $d, $x, $y;", 32, 16, 16, 0, REF{USE;
return x * y;
}
}
, {"mad.lo.s32 $d, $x, $y, $z;", 32, 32, 32, 32, REF{USE;
return x * y + z;
}
}
, {"mad.wide.u32 $d, $x, $y, $z;", 64, 32, 32, 64, REF{USE;
return x * y + z;
}
}
, {"mad.hi.sat.s32 $d, $x, $y, $z;", 32, 32, 32, 32, REF{USE;
return uint64_t(std::clamp<int64_t>((s32(x) * s32(y) >> 32) + s32(z), INT32_MIN, INT32_MAX));
}
}
, {"mul24.lo.s32 $d, $x, $y;", 32, 32, 32, 0, REF{USE;
return uint64_t(int64_t(int32_t(x << 8) >> 8) * (int32_t(y << 8) >> 8));
}
}
, {"mul24.hi.u32 $d, $x, $y;", 32, 32, 32, 0, REF{USE;
return (x & 0xffffff) * (y & 0xffffff) >> 16;
}
}
, {"div.s32 $d, $x, $y;", 32, 32, 32, 0, REF{USE;
return s32(y) ? uint64_t(s32(x) / s32(y)) : ~uint64_t{0};
}
}
, {"div.u32 $d, $x, $y;", 32, 32, 32, 0, REF{USE;
return y ? x / y : ~uint64_t{0};
}
}
, {"rem.s32 $d, $x, $y;", 32, 32, 32, 0, REF{USE;
return s32(y) ? uint64_t(s32(x) % s32(y)) : x;
}
}
, {"rem.u32 $d, $x, $y;", 32, 32, 32, 0, REF{USE;
return y ? x % y : x;
}
}
, {"div.s64 $d, $x, $y;", 64, 64, 64, 0, REF{USE;
return y == 0 ? ~uint64_t{0} : y == ~uint64_t{0} ? 0 - x : uint64_t(s64(x) / s64(y));
}
}
, {"rem.u64 $d, $x, $y;", 64, 64, 64, 0, REF{USE;
return y ? x % y : x;
}
}
, {"rem.s64 $d, $x, $y;", 64, 64, 64, 0, REF{USE;
return y == 0 ? x : y == ~uint64_t{0} ? 0 : uint64_t(s64(x) % s64(y));
}
}
, {"min.s32 $d, $x, $y;", 32, 32, 32, 0, REF{USE;
return uint64_t(std::min(s32(x), s32(y)));
}
}
, {"max.u64 $d, $x, $y;", 64, 64, 64, 0, REF{USE;
return std::max(x, y);
}
}
, {"neg.s32 $d, $x;", 32, 32, 0, 0, REF{USE;
return 0 - x;
}
}
, {"abs.s64 $d, $x;", 64, 64, 0, 0, REF{USE;
return s64(x) < 0 ? 0 - x : x;
}
}
, {"sad.s32 $d, $x, $y, $z;", 32, 32, 32, 32, REF{USE;
return z + uint64_t(std::abs(s32(x) - s32(y)));
}
}
, {"dp4a.u32.u32 $d, $x, $y, $z;", 32, 32, 32, 32, REF{USE;
uint64_t r = z;
for (int k = 0; k < 32; k += 8) r += (x >> k & 255) * (y >> k & 255);
return r;
}
}
, {"dp2a.lo.s32.u32 $d, $x, $y, $z;", 32, 32, 32, 32, REF{USE;
return z + uint64_t(int16_t(x) * int(y & 255)) + uint64_t(int16_t(x >> 16) * int(y >> 8 & 255));
}
}
, {"{.reg .b32 t; add.cc.u32 t, $x, $y; addc.u32 $d, $z, 0;}", 32, 32, 32, 32, REF{USE;
return z + ((x + y) >> 32);
}
}
, {"{.reg .b32 t; sub.cc.u32 t, $x, $y; subc.u32 $d, $z, 0;}", 32, 32, 32, 32, REF{USE;
return z - (x < y);
}
}
, {"{.reg .b64 t; mad.lo.cc.u64 t, $x, $y, $z; madc.hi.u64 $d, $x, $y, 0;}", 64, 64, 64, 64,
   REF{USE;
return uint64_t((u128(x) * y + z) >> 64);
}
}
,
}
;
for (const Case& c : cases) check(c);
}

TEST(Ops, Bits) {
  const std::vector<Case> cases = {{"and.b32 $d, $x, $y;", 32, 32, 32, 0, REF{USE;
  return x & y;
}
}
, {"xor.b64 $d, $x, $y;", 64, 64, 64, 0, REF{USE;
return x ^ y;
}
}
, {"not.b16 $d, $x;", 16, 16, 0, 0, REF{USE;
return ~x;
}
}
, {"cnot.b32 $d, $x;", 32, 32, 0, 0, REF{USE;
return x == 0;
}
}
, {"lop3.b32 $d, $x, $y, $z, 0xe8;", 32, 32, 32, 32, REF{USE;
return (x & y) | (y & z) | (x & z);
}
}
, {"lop3.b32 $d, $x, $y, $z, 0x96;", 32, 32, 32, 32, REF{USE;
return x ^ y ^ z;
}
}
, {"shl.b32 $d, $x, $y;", 32, 32, 32, 0, REF{USE;
return y < 32 ? x << y : 0;
}
}
, {"shr.u32 $d, $x, $y;", 32, 32, 32, 0, REF{USE;
return y < 32 ? x >> y : 0;
}
}
, {"shr.s32 $d, $x, $y;", 32, 32, 32, 0, REF{USE;
return uint64_t(s32(x) >> std::min<uint64_t>(y, 31));
}
}
, {"shr.s64 $d, $x, $y;", 64, 64, 32, 0, REF{USE;
return uint64_t(s64(x) >> std::min<uint64_t>(y, 63));
}
}
, {"shl.b64 $d, $x, $y;", 64, 64, 32, 0, REF{USE;
return y < 64 ? x << y : 0;
}
}
, {"shr.s16 $d, $x, $y;", 16, 16, 32, 0, REF{USE;
return uint64_t(int16_t(x) >> std::min<uint64_t>(y, 15));
}
}
, {"shf.l.wrap.b32 $d, $x, $y, $z;", 32, 32, 32, 32, REF{USE;
return (y << 32 | x) << (z & 31) >> 32;
}
}
, {"shf.r.wrap.b32 $d, $x, $y, $z;", 32, 32, 32, 32, REF{USE;
return (y << 32 | x) >> (z & 31);
}
}
, {"shf.l.clamp.b32 $d, $x, $y, $z;", 32, 32, 32, 32, REF{USE;
return (y << 32 | x) << std::min<uint64_t>(z, 32) >> 32;
}
}
, {"shf.r.clamp.b32 $d, $x, $y, $z;", 32, 32, 32, 32, REF{USE;
return (y << 32 | x) >> std::min<uint64_t>(z, 32);
}
}
, {"popc.b64 $d, $x;", 32, 64, 0, 0, REF{USE;
return uint64_t(std::popcount(x));
}
}
, {"clz.b32 $d, $x;", 32, 32, 0, 0, REF{USE;
return uint64_t(std::countl_zero(uint32_t(x)));
}
}
, {"clz.b64 $d, $x;", 32, 64, 0, 0, REF{USE;
return uint64_t(std::countl_zero(x));
}
}
, {"brev.b32 $d, $x;", 32, 32, 0, 0, REF{USE;
uint64_t r = 0;
for (int k = 0; k < 32; ++k) r |= (x >> k & 1) << (31 - k);
return r;
}
}
, {"bfind.u32 $d, $x;", 32, 32, 0, 0, REF{USE;
return x ? uint64_t(31 - std::countl_zero(uint32_t(x))) : ~uint64_t{0};
}
}
, {"bfind.s64 $d, $x;", 32, 64, 0, 0, REF{USE;
const uint64_t v = s64(x) < 0 ? ~x : x;
return v ? uint64_t(63 - std::countl_zero(v)) : ~uint64_t{0};
}
}
, {"bfind.shiftamt.u32 $d, $x;", 32, 32, 0, 0, REF{USE;
return x ? uint64_t(std::countl_zero(uint32_t(x))) : ~uint64_t{0};
}
}
, {"bfe.u32 $d, $x, $y, $z;", 32, 32, 32, 32, REF{USE;
uint64_t r = 0;
const uint64_t p = y & 255, n = z & 255;
for (uint64_t k = 0; k < 32 && k < n && p + k < 32; ++k) r |= (x >> (p + k) & 1) << k;
return r;
}
}
, {"bfe.s64 $d, $x, $y, $z;", 64, 64, 32, 32, REF{USE;
const uint64_t p = y & 255, n = z & 255;
const uint64_t sign = n ? x >> std::min<uint64_t>(p + n - 1, 63) & 1 : 0;
uint64_t r = 0;
for (uint64_t k = 0; k < 64; ++k) r |= (k < n && p + k < 64 ? x >> (p + k) & 1 : sign) << k;
return r;
}
}
, {"bfi.b32 $d, $x, $y, $z, 7;", 32, 32, 32, 32, REF{USE;
uint64_t r = y;
for (uint64_t k = 0; k < 7 && (z & 255) + k < 32; ++k) {
  const uint64_t at = (z & 255) + k;
  r = (r & ~(uint64_t{1} << at)) | (x >> k & 1) << at;
}
return r;
}
}
, {"bmsk.clamp.b32 $d, $x, $y;", 32, 32, 32, 0, REF{USE;
uint64_t r = 0;
for (uint64_t k = 0; k < 32; ++k) r |= uint64_t{k >= x && k - x < y} << k;
return r;
}
}
, {"szext.wrap.s32 $d, $x, $y;", 32, 32, 32, 0, REF{USE;
const uint64_t n = y & 31;
if (!n) return 0;
return uint64_t(int64_t(x << (64 - n)) >> (64 - n));
}
}
, {"prmt.b32 $d, $x, $y, $z;", 32, 32, 32, 32, REF{USE;
uint64_t r = 0;
for (int k = 0; k < 4; ++k) {
  const uint64_t s = z >> (4 * k);
  uint64_t b = (y << 32 | x) >> (8 * (s & 7)) & 255;
  if (s & 8) b = b & 128 ? 255 : 0;
  r |= b << (8 * k);
}
return r;
}
}
, {"prmt.b32.b4e $d, $x, $y, $z;", 32, 32, 32, 32, REF{USE;
uint64_t r = 0;
for (uint64_t k = 0; k < 4; ++k)
  r |= ((y << 32 | x) >> (8 * ((z + 8 - k) & 3 ? ((z & 3) + 8 - k) & 7 : ((z & 3) + 8 - k) & 7)) &
        255)
       << (8 * k);
return r;
}
}
, {"fns.b32 $d, $x, $y, 1;", 32, 32, 32, 0, REF{USE;
for (uint64_t k = y; k < 32; ++k)
  if (x >> k & 1) return k;
return ~uint64_t{0};
}
}
, {"vabsdiff4.u32.u32.u32.add $d, $x, $y, $z;", 32, 32, 32, 32, REF{USE;
uint64_t r = z;
for (int k = 0; k < 32; k += 8) r += uint64_t(std::abs(int(x >> k & 255) - int(y >> k & 255)));
return r;
}
}
, {"selp.b32 $d, $x, $y, $p;", 32, 32, 32, 0, REF{USE;
return x & 1 ? x : y;
}
}
, {"selp.b64 $d, $x, $y, !$p;", 64, 64, 64, 0, nullptr},
    {"slct.s32.s32 $d, $x, $y, $z;", 32, 32, 32, 32, REF{USE;
return s32(z) >= 0 ? x : y;
}
}
, {"slct.u64.f32 $d, $x, $y, $z;", 64, 64, 64, 32, REF{USE;
return f32(z) >= 0 ? x : y;
}
}
,
}
;
for (const Case& c : cases) check(c);
}

TEST(Ops, Comparisons) {
  const std::vector<Case> cases = {{"setp.lt.s32 $q, $x, $y;", 0, 32, 32, 0, REF{USE;
  return s32(x) < s32(y);
}
}
, {"setp.hs.u64 $q, $x, $y;", 0, 64, 64, 0, REF{USE;
return x >= y;
}
}
, {"setp.ne.s16 $q, $x, $y;", 0, 16, 16, 0, REF{USE;
return x != y;
}
}
, {"setp.eq.f32 $q, $x, $y;", 0, 32, 32, 0, REF{USE;
return f32(x) == f32(y);
}
}
, {"setp.ne.f32 $q, $x, $y;", 0, 32, 32, 0, REF{USE;
return f32(x) < f32(y) || f32(x) > f32(y);
}
}
, {"setp.neu.f32 $q, $x, $y;", 0, 32, 32, 0, REF{USE;
return f32(x) != f32(y);
}
}
, {"setp.ltu.f64 $q, $x, $y;", 0, 64, 64, 0, REF{USE;
return !(f64(x) >= f64(y));
}
}
, {"setp.geu.f32 $q, $x, $y;", 0, 32, 32, 0, REF{USE;
return !(f32(x) < f32(y));
}
}
, {"setp.equ.f64 $q, $x, $y;", 0, 64, 64, 0, REF{USE;
return !(f64(x) < f64(y) || f64(x) > f64(y));
}
}
, {"setp.num.f32 $q, $x, $y;", 0, 32, 32, 0, REF{USE;
return !std::isnan(f32(x)) && !std::isnan(f32(y));
}
}
, {"setp.nan.f64 $q, $x, $y;", 0, 64, 64, 0, REF{USE;
return std::isnan(f64(x)) || std::isnan(f64(y));
}
}
, {"setp.gt.ftz.f32 $q, $x, $y;", 0, 32, 32, 0, REF{USE;
return ftz(f32(x)) > ftz(f32(y));
}
}
, {"setp.gt.and.s32 $q, $x, $y, $p;", 0, 32, 32, 0, REF{USE;
return s32(x) > s32(y) && (x & 1);
}
}
, {"setp.gt.xor.u32 $q, $x, $y, !$p;", 0, 32, 32, 0, REF{USE;
return (x > y) != !(x & 1);
}
}
, {"{.reg .pred t; setp.le.or.u32 t|$q, $x, $y, $p;}", 0, 32, 32, 0, REF{USE;
return !(x <= y) || (x & 1);
}
}
, {"set.lt.u32.s32 $d, $x, $y;", 32, 32, 32, 0, REF{USE;
return s32(x) < s32(y) ? ~uint64_t{0} : 0;
}
}
, {"set.ge.f32.f32 $d, $x, $y;", 32, 32, 32, 0, REF{USE;
return f32(x) >= f32(y) ? 0x3f800000 : 0;
}
}
, {"testp.finite.f32 $q, $x;", 0, 32, 0, 0, REF{USE;
return std::isfinite(f32(x));
}
}
, {"testp.subnormal.f64 $q, $x;", 0, 64, 0, 0, REF{USE;
return std::fpclassify(f64(x)) == FP_SUBNORMAL;
}
}
, {"testp.notanumber.f32 $q, $x;", 0, 32, 0, 0, REF{USE;
return std::isnan(f32(x));
}
}
, {"testp.normal.f64 $q, $x;", 0, 64, 0, 0, REF{USE;
return std::isnormal(f64(x));
}
}
,
}
;
for (const Case& c : cases) check(c);
}

template <class F>
auto rounded(int mode, F f) {
  std::fesetround(mode);
  const volatile auto r = f();
  std::fesetround(FE_TONEAREST);
  return r;
}

TEST(Ops, Reals) {
  const std::vector<Case> cases = {{"add.f32 $d, $x, $y;", 32, 32, 32, 0, REF{USE;
  return bits(f32(x) + f32(y));
}
}
, {"sub.ftz.f32 $d, $x, $y;", 32, 32, 32, 0, REF{USE;
return bits(ftz(ftz(f32(x)) - ftz(f32(y))));
}
}
, {"mul.f32 $d, $x, $y;", 32, 32, 32, 0, REF{USE;
return bits(f32(x) * f32(y));
}
}
, {"mul.sat.f32 $d, $x, $y;", 32, 32, 32, 0, REF{USE;
return bits(saturated(f32(x) * f32(y)));
}
}
, {"fma.rn.f32 $d, $x, $y, $z;", 32, 32, 32, 32, REF{USE;
return bits(std::fma(f32(x), f32(y), f32(z)));
}
}
, {"fma.rn.ftz.f32 $d, $x, $y, $z;", 32, 32, 32, 32, REF{USE;
return bits(ftz(std::fma(ftz(f32(x)), ftz(f32(y)), ftz(f32(z)))));
}
}
, {"div.rn.f32 $d, $x, $y;", 32, 32, 32, 0, REF{USE;
return bits(f32(x) / f32(y));
}
}
, {"sqrt.rn.f32 $d, $x;", 32, 32, 0, 0, REF{USE;
return bits(std::sqrt(f32(x)));
}
}
, {"rcp.rn.f32 $d, $x;", 32, 32, 0, 0, REF{USE;
return bits(1 / f32(x));
}
}
, {"min.f32 $d, $x, $y;", 32, 32, 32, 0, REF{USE;
if (f32(x) == f32(y)) return x | y;
return bits(std::fmin(f32(x), f32(y)));
}
}
, {"max.f32 $d, $x, $y;", 32, 32, 32, 0, REF{USE;
if (f32(x) == f32(y)) return x & y;
return bits(std::fmax(f32(x), f32(y)));
}
}
, {"max.NaN.f32 $d, $x, $y;", 32, 32, 32, 0, REF{USE;
if (std::isnan(f32(x)) || std::isnan(f32(y))) return 0x7fffffff;
if (f32(x) == f32(y)) return x & y;
return bits(std::fmax(f32(x), f32(y)));
}
}
, {"abs.ftz.f32 $d, $x;", 32, 32, 0, 0, REF{USE;
return std::bit_cast<uint32_t>(ftz(f32(x))) & 0x7fffffff;
}
}
, {"neg.f64 $d, $x;", 64, 64, 0, 0, REF{USE;
return x ^ uint64_t { 1 } << 63;
}
}
, {"copysign.f32 $d, $x, $y;", 32, 32, 32, 0, REF{USE;
return (x & 0x80000000) | (y & 0x7fffffff);
}
}
, {"add.f64 $d, $x, $y;", 64, 64, 64, 0, nullptr},
    {"fma.rn.f64 $d, $x, $y, $z;", 64, 64, 64, 64, REF{USE;
for (uint64_t v : {x, y, z})
  if (std::isnan(f64(v))) return v | uint64_t{1} << 51;
const double r = std::fma(f64(x), f64(y), f64(z));
return std::isnan(r) ? 0xfff8000000000000 : bits(r);
}
}
, {"add.rz.f32 $d, $x, $y;", 32, 32, 32, 0, REF{USE;
return bits(rounded(FE_TOWARDZERO, [&] {
  volatile float a = f32(x), b = f32(y);
  return float(a + b);
}));
}
}
, {"mul.rp.f32 $d, $x, $y;", 32, 32, 32, 0, REF{USE;
return bits(rounded(FE_UPWARD, [&] {
  volatile float a = f32(x), b = f32(y);
  return float(a * b);
}));
}
}
, {"fma.rm.f32 $d, $x, $y, $z;", 32, 32, 32, 32, REF{USE;
return bits(rounded(FE_DOWNWARD, [&] { return std::fma(f32(x), f32(y), f32(z)); }));
}
}
, {"div.rz.f32 $d, $x, $y;", 32, 32, 32, 0, REF{USE;
return bits(rounded(FE_TOWARDZERO, [&] {
  volatile float a = f32(x), b = f32(y);
  return float(a / b);
}));
}
}
,
}
;
for (const Case& c : cases) check(c);
}

template <class I>
uint64_t to_integer(double v, bool wide) {
  if (std::isnan(v)) return wide ? uint64_t{1} << (8 * sizeof(I) - 1) : 0;
  if (v >= std::ldexp(1.0, 8 * int(sizeof(I)) - std::numeric_limits<I>::is_signed))
    return uint64_t(std::numeric_limits<I>::max());
  if (v < double(std::numeric_limits<I>::min())) return uint64_t(std::numeric_limits<I>::min());
  return uint64_t(I(v));
}

TEST(Ops, Conversions) {
  const std::vector<Case> cases = {{"cvt.rzi.s32.f32 $d, $x;", 32, 32, 0, 0, REF{USE;
  return to_integer<int32_t>(std::trunc(f32(x)), false);
}
}
, {"cvt.rni.u32.f32 $d, $x;", 32, 32, 0, 0, REF{USE;
return to_integer<uint32_t>(std::nearbyint(f32(x)), false);
}
}
, {"cvt.rmi.s64.f32 $d, $x;", 64, 32, 0, 0, REF{USE;
return to_integer<int64_t>(std::floor(f32(x)), true);
}
}
, {"cvt.rpi.s32.f64 $d, $x;", 32, 64, 0, 0, REF{USE;
return to_integer<int32_t>(std::ceil(f64(x)), true);
}
}
, {"cvt.rzi.u64.f64 $d, $x;", 64, 64, 0, 0, REF{USE;
return to_integer<uint64_t>(std::trunc(f64(x)), true);
}
}
, {"cvt.rn.f32.s32 $d, $x;", 32, 32, 0, 0, REF{USE;
return bits(float(s32(x)));
}
}
, {"cvt.rn.f32.u64 $d, $x;", 32, 64, 0, 0, REF{USE;
return bits(float(x));
}
}
, {"cvt.rn.f64.s64 $d, $x;", 64, 64, 0, 0, REF{USE;
return bits(double(s64(x)));
}
}
, {"cvt.rz.f32.s64 $d, $x;", 32, 64, 0, 0, REF{USE;
return bits(rounded(FE_TOWARDZERO, [&] {
  volatile int64_t v = s64(x);
  return float(v);
}));
}
}
, {"cvt.rn.f32.f64 $d, $x;", 32, 64, 0, 0, REF{USE;
return bits(float(f64(x)));
}
}
, {"cvt.rp.f32.f64 $d, $x;", 32, 64, 0, 0, REF{USE;
return bits(rounded(FE_UPWARD, [&] {
  volatile double v = f64(x);
  return float(v);
}));
}
}
, {"cvt.f64.f32 $d, $x;", 64, 32, 0, 0, nullptr}, {"cvt.rni.f32.f32 $d, $x;", 32, 32, 0, 0, REF{USE;
return bits(std::nearbyint(f32(x)));
}
}
, {"cvt.sat.f32.f32 $d, $x;", 32, 32, 0, 0, REF{USE;
return bits(saturated(f32(x)));
}
}
, {"cvt.ftz.sat.f32.f32 $d, $x;", 32, 32, 0, 0, REF{USE;
return bits(ftz(saturated(ftz(f32(x)))));
}
}
, {"cvt.s32.s16 $d, $x;", 32, 16, 0, 0, REF{USE;
return uint64_t(int64_t(int16_t(x)));
}
}
, {"cvt.u64.u32 $d, $x;", 64, 32, 0, 0, REF{USE;
return x;
}
}
, {"cvt.s64.s32 $d, $x;", 64, 32, 0, 0, REF{USE;
return uint64_t(s32(x));
}
}
, {"cvt.s32.s8 $d, $x;", 32, 32, 0, 0, REF{USE;
return uint64_t(int64_t(int8_t(x)));
}
}
, {"cvt.sat.u8.s32 $d, $x;", 32, 32, 0, 0, REF{USE;
return uint64_t(std::clamp<int64_t>(s32(x), 0, 255));
}
}
, {"cvt.sat.s16.u32 $d, $x;", 32, 32, 0, 0, REF{USE;
return std::min<uint64_t>(x, 32767);
}
}
, {"cvt.sat.s32.u64 $d, $x;", 32, 64, 0, 0, REF{USE;
return std::min<uint64_t>(x, INT32_MAX);
}
}
, {"cvt.rzi.u8.f32 $d, $x;", 32, 32, 0, 0, REF{USE;
const float v = std::trunc(f32(x));
return std::isnan(v) ? 0 : v >= 256 ? 255 : v < 0 ? 0 : uint64_t(v);
}
}
, {"cvt.rn.bf16.f32 $d, $x;", 16, 32, 0, 0, REF{USE;
const uint32_t b = uint32_t(x);
if (std::isnan(f32(x))) return 0x7fff;
return (uint64_t{b} + 0x7fff + (b >> 16 & 1)) >> 16;
}
}
, {"cvt.f32.bf16 $d, $x;", 32, 16, 0, 0, REF{USE;
return std::isnan(f32(x << 16)) ? 0x7fffffff : x << 16;
}
}
, {"{.reg .b16 h; cvt.rn.f16.f32 h, $x; cvt.f32.f16 $d, h;}", 32, 32, 0, 0, REF{USE;
const float v = f32(x);
if (std::isnan(v)) return 0x7fffffff;
if (std::fabs(v) >= 65520) return bits(std::copysign(INFINITY, v));
const int e = std::max(std::ilogb(v), -14);
return v == 0 ? bits(v)
              : bits(std::copysign(
                    float(std::ldexp(std::nearbyint(std::ldexp(double(v), 10 - e)), e - 10)), v));
}
}
,
}
;
for (const Case& c : cases) check(c);
}

TEST(Ops, HalfArithmetic) {
  const std::vector<Case> cases = {
      {"add.f16 $d, $x, $y;", 16, 16, 16, 0, nullptr},
      {"fma.rn.f16 $d, $x, $y, $z;", 16, 16, 16, 16, nullptr},
      {"mul.f16x2 $d, $x, $y;", 32, 32, 32, 0, nullptr},
      {"fma.rn.bf16x2 $d, $x, $y, $z;", 32, 32, 32, 32, nullptr},
      {"min.f16x2 $d, $x, $y;", 32, 32, 32, 0, nullptr},
      {"max.s16x2 $d, $x, $y;", 32, 32, 32, 0, nullptr},
      {"setp.lt.f16 $q, $x, $y;", 0, 16, 16, 0, nullptr},
      {"cvt.rn.f16x2.f32 $d, $x, $y;", 32, 32, 32, 0, nullptr},
  };
  for (const Case& c : cases) check(c);
  const Case sum = {"add.f16 $d, $x, $y;", 16, 16, 16, 0, nullptr};
  // 1 + 2^-11 is halfway between two halves: to even. 65504 + 16 overflows. 1.5 + 2.25 is exact.
  const auto out = run_case(
      sum, {{0x3c00, 0x1000, 0}, {0x7bff, 0x4c00, 0}, {0x3e00, 0x4080, 0}, {0x7c00, 0xfc00, 0}});
  EXPECT_EQ(out, (std::vector<uint64_t>{0x3c00, 0x7c00, 0x4380, 0x7fff}));
}

// Bounds from the PTX manual.
TEST(Ops, Approximations) {
  struct Bound {
    const char* text;
    double (*exact)(double);
    double relative, absolute, low, high;
  };
  const Bound bounds[] = {
      {"ex2.approx.ftz.f32 $d, $x;", [](double v) { return std::exp2(v); }, 0x1p-22, 0, -125, 127},
      {"lg2.approx.ftz.f32 $d, $x;", [](double v) { return std::log2(v); }, 0x1p-22, 0x1p-22, 1e-37,
       1e37},
      {"sin.approx.f32 $d, $x;", [](double v) { return std::sin(v); }, 0, 0x1p-20, -3.14, 3.14},
      {"cos.approx.f32 $d, $x;", [](double v) { return std::cos(v); }, 0, 0x1p-20, -3.14, 3.14},
      {"tanh.approx.f32 $d, $x;", [](double v) { return std::tanh(v); }, 0x1p-11, 0, -20, 20},
      {"rcp.approx.ftz.f32 $d, $x;", [](double v) { return 1 / v; }, 0x1p-23, 0, 1e-37, 1e37},
      {"rsqrt.approx.f32 $d, $x;", [](double v) { return 1 / std::sqrt(v); }, 0x1.2p-23, 0, 1e-37,
       1e37},
      {"sqrt.approx.f32 $d, $x;", [](double v) { return std::sqrt(v); }, 0x1p-23, 0, 1e-37, 1e37},
  };
  for (const Bound& b : bounds) {
    const Case c = {b.text, 32, 32, 0, 0, nullptr};
    check(c);
    std::vector<Input> in;
    const bool positive = b.low > 0;
    for (int i = 0; i <= 4000; ++i) {
      const double t = double(i) / 4000;
      const float v =
          float(positive ? b.low * std::pow(b.high / b.low, t) : b.low + (b.high - b.low) * t);
      in.push_back({std::bit_cast<uint32_t>(v), 0, 0});
    }
    const auto out = run_case(c, in);
    for (size_t i = 0; i < in.size(); ++i) {
      const double exact = b.exact(f32(in[i].x));
      ASSERT_LE(std::fabs(f32(out[i]) - exact), b.relative * std::fabs(exact) + b.absolute)
          << b.text << f32(in[i].x);
    }
  }
}

// Lanes that are off keep their registers, whatever the handler computes for all 32.
TEST(Ops, LanesThatAreOffKeepTheirValues) {
  const std::string text =
      "mov.u32 %r3, 7; mov.u64 %rd3, 7; mov.f32 %f3, 0f40E00000; setp.lt.u32 %p1, %r1, 5;\n"
      "@%p1 add.u32 %r3, %r1, 100; @%p1 mul.wide.u32 %rd3, %r1, 3; @%p1 ld.global.f32 %f3, "
      "[%rd0];\n"
      "mul.wide.u32 %rd4, %r1, 16; add.s64 %rd4, %rd4, %rd1; st.global.u32 [%rd4], %r3; "
      "st.global.u64 [%rd4+8], %rd3; st.global.f32 [%rd4+4], %f3;";
  Array<float> a(1, 2.5f);
  Array<uint32_t> b(32 * 4);
  ASSERT_FALSE(run_text(kernel_text(text), shape(1, 32), a.address(), b.address()));
  for (uint32_t t = 0; t < 32; ++t) {
    EXPECT_EQ(b[t * 4], t < 5 ? t + 100 : 7);
    EXPECT_EQ(b[t * 4 + 2], t < 5 ? t * 3 : 7);
    EXPECT_EQ(std::bit_cast<float>(b[t * 4 + 1]), t < 5 ? 2.5f : 7.0f);
  }
}

}  // namespace
}  // namespace cucpu::test
