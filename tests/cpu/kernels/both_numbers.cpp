// SPDX-License-Identifier: Apache-2.0
// Numbers: integers of every width up to 128 bits, exact floating point, hashes.
#include "both.hpp"

#include <cmath>

namespace cucore::cpu::kernels {
namespace {

__extension__ typedef __int128 int128_t;
__extension__ typedef unsigned __int128 uint128_t;

using std::fma;
using std::fmaf;
using std::sqrt;

BOTH(
    divisions,
    template <class T> HD unsigned long long of(T a, T b) {
      if (b == 0) b = 3;
      if (b == T(-1)) b = 5;
      unsigned long long r = (unsigned long long)(a / b) * 31 + (unsigned long long)(a % b);
      return r + (unsigned long long)(a / T(7)) + (unsigned long long)(a % T(10)) +
             (unsigned long long)(T(100) / b);
    } HD unsigned long long f(unsigned x, unsigned i) {
      unsigned y = x * 2654435761u + i;
      unsigned long long a = (unsigned long long)(x) << 32 | y;
      unsigned long long b = i % 3 == 0 ? y : i % 3 == 1 ? (unsigned long long)(y) << 17 | i : i;
      return of<signed char>((signed char)(x), (signed char)(y)) +
             of<unsigned char>((unsigned char)(x), (unsigned char)(y)) +
             of<short>(short(x), short(y)) +
             of<unsigned short>((unsigned short)(x), (unsigned short)(y)) +
             of<int>(int(x), int(y)) + of<unsigned>(x, y) +
             of<long long>((long long)(a), (long long)(b)) + of<unsigned long long>(a, b);
    })

BOTH(
    wide_integers, HD unsigned long long f(unsigned x, unsigned i) {
      unsigned long long a = (unsigned long long)(x)*0x9E3779B97F4A7C15ull;
      unsigned long long b = (a ^ i) * 0xD1B54A32D192ED03ull;
      uint128_t p = uint128_t(a) * b + (uint128_t(b) << 70) + x;
      int128_t q = int128_t(p) - (int128_t(a) << 65);
      uint128_t d = (uint128_t(i) << (x % 120)) | 1;
      uint128_t r = p / d + p % d * 3 + (p >> (x & 127)) + (p << (i & 127));
      int128_t s = q / (int128_t(x) + 1) - q % (int128_t(b) | 1) + (q >> (i % 128));
      bool less = q < int128_t(p >> 1);
      r ^= uint128_t(s) + less;
      return (unsigned long long)(r >> 64) ^ (unsigned long long)(r)*3;
    })

BOTH(
    modular_powers,
    HD unsigned long long product(unsigned long long a, unsigned long long b,
                                  unsigned long long m) {
      return (unsigned long long)(uint128_t(a) * b % m);
    } HD unsigned long long f(unsigned x, unsigned i) {
      unsigned long long m = 0xFFFFFFFFFFFFFFC5ull - i * 2;
      unsigned long long base = x * 0x123456789ull + 7;
      unsigned long long r = 1;
      for (unsigned e = x ^ i; e; e >>= 1) {
        if (e & 1) r = product(r, base, m);
        base = product(base, base, m);
      }
      unsigned a = x | 1;
      unsigned b = i + 1;
      while (b) {
        unsigned t = a % b;
        a = b;
        b = t;
      }
      return r + a;
    })

BOTH(
    narrow_types, HD unsigned long long f(unsigned x, unsigned i) {
      signed char a = (signed char)(x);
      unsigned char b = (unsigned char)(x >> 8);
      short c = short(x >> 3);
      unsigned short d = (unsigned short)(i * 999);
      a = (signed char)(a + b);
      b = (unsigned char)(b * 3 - a);
      c = short(c * c);
      d = (unsigned short)(d << (x & 7));
      c >>= 3;
      a >>= x & 3;
      bool e = a;
      bool g = !c;
      long long wide = a;
      wide = (wide << 20) - d;
      return (unsigned long long)(wide) + unsigned(a < b) + (unsigned long long)(c)*5 + b + d + e +
             2 * g + (unsigned long long)(-(x & 1 ? c : d)) + (unsigned long long)(~b);
    })

BOTH(
    bits, HD unsigned long long f(unsigned x, unsigned i) {
      unsigned long long v = (unsigned long long)(x) << 32 | x * 77777u;
      int count = 0;
      for (unsigned long long w = v; w; w &= w - 1) ++count;
      unsigned r = x << (i & 31) | x >> ((32 - i) & 31);
      unsigned long long s = v << (i & 63) | v >> ((64 - i) & 63);
      unsigned long long gray = v ^ v >> 1;
      unsigned long long t = v;
      t = (t & 0x5555555555555555ull) << 1 | (t >> 1 & 0x5555555555555555ull);
      t = (t & 0x3333333333333333ull) << 2 | (t >> 2 & 0x3333333333333333ull);
      t = (t & 0x0F0F0F0F0F0F0F0Full) << 4 | (t >> 4 & 0x0F0F0F0F0F0F0F0Full);
      unsigned isqrt = 0;
      for (unsigned bit = 1u << 15; bit; bit >>= 1)
        if ((isqrt | bit) * (isqrt | bit) <= x) isqrt |= bit;
      unsigned long long spread = 0;
      for (int k = 0; k < 32; ++k) spread |= (unsigned long long)(x >> k & 1) << (2 * k);
      return count + r + s * 3 + gray + t + isqrt + (spread ^ spread << 1) + (v >> (x & 63)) +
             (unsigned long long)((long long)(v) >> (i & 63));
    })

BOTH(
    hashes,
    HD unsigned turn(unsigned v, int n) {
      return v << n | v >> (32 - n);
    } HD unsigned crc(const unsigned char* p, int n) {
      unsigned r = ~0u;
      while (n--) {
        r ^= *p++;
        for (int k = 0; k < 8; ++k) r = r & 1 ? r >> 1 ^ 0xEDB88320u : r >> 1;
      }
      return ~r;
    } HD unsigned murmur(const unsigned* p, int n, unsigned seed) {
      unsigned h = seed;
      for (int k = 0; k < n; ++k) {
        h ^= turn(p[k] * 0xCC9E2D51u, 15) * 0x1B873593u;
        h = turn(h, 13) * 5 + 0xE6546B64u;
      }
      h ^= h >> 16;
      h *= 0x85EBCA6Bu;
      h ^= h >> 13;
      h *= 0xC2B2AE35u;
      return h ^ h >> 16;
    } HD void round(unsigned long long* v) {
      auto r = [](unsigned long long a, int n) { return a << n | a >> (64 - n); };
      v[0] += v[1];
      v[1] = r(v[1], 13) ^ v[0];
      v[0] = r(v[0], 32);
      v[2] += v[3];
      v[3] = r(v[3], 16) ^ v[2];
      v[0] += v[3];
      v[3] = r(v[3], 21) ^ v[0];
      v[2] += v[1];
      v[1] = r(v[1], 17) ^ v[2];
      v[2] = r(v[2], 32);
    } HD unsigned long long f(unsigned x, unsigned i) {
      unsigned words[6];
      for (unsigned k = 0; k < 6; ++k) words[k] = x * (k + 1) + i;
      unsigned long long v[4] = {x, i, 0x6c7967656e657261ull, 0x7465646279746573ull};
      for (int k = 0; k < 6; ++k) {
        v[3] ^= words[k];
        round(v);
        v[0] ^= words[k];
      }
      unsigned a = 0x67452301u;
      for (int k = 0; k < 48; ++k)
        a = turn(a + ((a & words[k % 6]) | (~a & words[(k + 1) % 6])) + k, 7);
      return (v[0] ^ v[1] ^ v[2] ^ v[3]) + crc((const unsigned char*)(words), 24) * 3ull +
             murmur(words, 6, x) + a;
    })

BOTH(
    exact_floats, HD unsigned long long f(unsigned x, unsigned i) {
      double a = double(x) / 7 - double(i) * 1e5;
      float b = float(int(x)) * 0.1f + float(i);
      double sum = 0;
      double lost = 0;
      for (unsigned k = 1; k < 20; ++k) {
        double y = a / k - lost;
        double t = sum + y;
        lost = (t - sum) - y;
        sum = t;
        b = b * 0.75f + float(k) / 3.0f;
      }
      double root = sqrt(a * a + 1);
      float froot = sqrtf(b * b + 2.0f);
      double fused = fma(a, root, -sum);
      union {
        double d;
        unsigned long long u;
      } u = {sum * 0.5 + root - lost + fused};
      union {
        float f;
        unsigned u;
      } w = {froot + fmaf(b, 1.1f, -3.3f)};
      return u.u * 3 + w.u;
    })

BOTH(
    conversions_of_floats, HD unsigned long long f(unsigned x, unsigned i) {
      float a = float(x) * 0.5f;
      double b = double((long long)(x) << (i % 30)) - 1e9;
      union {
        unsigned u;
        float f;
      } bits = {(x & 0x807FFFFF) | (100 + i % 50) << 23};
      unsigned long long r =
          (unsigned long long)(a) + (unsigned long long)((long long)(b)) + (unsigned)(a / 3);
      r += (unsigned long long)((long long)((int)(bits.f * 0.001f)));
      r += (unsigned char)(int)(a - float(x / 2)) +
           (unsigned long long)((long long)((short)(int)(b / 1e12)));
      union {
        float f;
        unsigned u;
      } narrow = {float(b * 1.000000059604644775390625)};
      union {
        double d;
        unsigned long long u;
      } wide = {double(bits.f)};
      float from64 = float((unsigned long long)(x >> 1) * x);
      double from64s = double(-(long long)((unsigned long long)(x)*i));
      return r + narrow.u + wide.u + (unsigned long long)(from64) +
             (unsigned long long)((long long)(from64s));
    })

BOTH(
    matrices, HD unsigned long long f(unsigned x, unsigned i) {
      double m[5][5];
      for (int a = 0; a < 5; ++a)
        for (int b = 0; b < 5; ++b) {
          x = x * 1103515245u + 12345u + i;
          m[a][b] = double(int(x >> 16 & 1023) - 512) / 64;
        }
      double determinant = 1;
      for (int c = 0; c < 5; ++c) {
        int best = c;
        for (int r = c + 1; r < 5; ++r)
          if ((m[r][c] < 0 ? -m[r][c] : m[r][c]) > (m[best][c] < 0 ? -m[best][c] : m[best][c]))
            best = r;
        if (m[best][c] == 0) return 0;
        if (best != c) {
          determinant = -determinant;
          for (int k = 0; k < 5; ++k) {
            double t = m[c][k];
            m[c][k] = m[best][k];
            m[best][k] = t;
          }
        }
        determinant *= m[c][c];
        for (int r = c + 1; r < 5; ++r) {
          double q = m[r][c] / m[c][c];
          for (int k = c; k < 5; ++k) m[r][k] -= q * m[c][k];
        }
      }
      union {
        double d;
        unsigned long long u;
      } u = {determinant};
      return u.u;
    })

BOTH(
    simulations, HD unsigned long long f(unsigned x, unsigned i) {
      float re = float(int(x & 1023) - 512) / 300.0f;
      float im = float(int(x >> 10 & 1023) - 512) / 300.0f;
      float a = 0;
      float b = 0;
      unsigned n = 0;
      for (; n < 200 && a * a + b * b < 4; ++n) {
        float t = a * a - b * b + re;
        b = 2 * a * b + im;
        a = t;
      }
      unsigned long long c = x | 1;
      unsigned steps = 0;
      while (c != 1 && steps < 300) {
        c = c & 1 ? c * 3 + 1 : c >> 1;
        ++steps;
      }
      unsigned char life[3] = {(unsigned char)(x), (unsigned char)(x >> 8), (unsigned char)(i)};
      for (int g = 0; g < 30; ++g)
        for (int k = 0; k < 3; ++k) {
          unsigned char next = 0;
          for (int p = 0; p < 8; ++p) {
            unsigned window = (life[k] >> ((p + 7) & 7) & 1) << 2 | (life[k] >> p & 1) << 1 |
                              (life[k] >> ((p + 1) & 7) & 1);
            next |= (unsigned char)((110 >> window & 1) << p);
          }
          life[k] = (unsigned char)(next ^ (k ? life[k - 1] : 0));
        }
      return n * 1000000ull + steps * 1000 + life[0] + life[1] * 2u + life[2] * 3u;
    })

}  // namespace
}  // namespace cucore::cpu::kernels
