// SPDX-License-Identifier: Apache-2.0
// The language: control flow, calls, objects, local memory.
#include "both.hpp"

#include <cstddef>
#include <new>

namespace cucore::cpu::kernels {
namespace {

typedef unsigned long long ull;

BOTH(
    recursion,
    HD unsigned ackermann(unsigned m, unsigned n) {
      if (m == 0) return n + 1;
      if (n == 0) return ackermann(m - 1, 1);
      return ackermann(m - 1, ackermann(m, n - 1));
    } HD unsigned long long fibonacci(int n) {
      return n < 2 ? unsigned(n) : fibonacci(n - 1) + fibonacci(n - 2);
    } HD bool is_odd(unsigned n);
    HD bool is_even(unsigned n) { return n == 0 || is_odd(n - 1); } HD bool is_odd(unsigned n) {
      return n != 0 && is_even(n - 1);
    } HD unsigned long long f(unsigned x, unsigned i) {
      return ackermann(2, x % 6) * 1000000ull + fibonacci(int(i % 13)) * 100 + is_odd(x % 37);
    })

BOTH(
    queens,
    HD int place(int n, unsigned columns, unsigned left, unsigned right) {
      if (columns == (1u << n) - 1) return 1;
      int count = 0;
      unsigned free = ~(columns | left | right) & ((1u << n) - 1);
      while (free) {
        unsigned bit = free & (0 - free);
        free ^= bit;
        count += place(n, columns | bit, (left | bit) << 1, (right | bit) >> 1);
      }
      return count;
    } HD unsigned long long f(unsigned x, unsigned) {
      return unsigned(place(int(x % 6) + 1, 0, 0, 0));
    })

BOTH(
    quicksort,
    HD void sort(int* a, int low, int high) {
      if (low >= high) return;
      int pivot = a[(low + high) / 2];
      int i = low;
      int j = high;
      while (i <= j) {
        while (a[i] < pivot) ++i;
        while (a[j] > pivot) --j;
        if (i <= j) {
          int t = a[i];
          a[i++] = a[j];
          a[j--] = t;
        }
      }
      sort(a, low, j);
      sort(a, i, high);
    } HD unsigned long long f(unsigned x, unsigned i) {
      int a[24];
      unsigned n = 5 + i % 20;
      for (unsigned k = 0; k < n; ++k) {
        x = x * 1664525u + 1013904223u;
        a[k] = int(x >> 8) - (1 << 23);
      }
      sort(a, 0, int(n) - 1);
      unsigned long long hash = 0;
      for (unsigned k = 0; k < n; ++k) hash = hash * 31 + unsigned(a[k]);
      return hash;
    })

BOTH(
    objects,
    struct Shape {
  HD virtual int area() const = 0;
  HD virtual int sides() const { return 4; }
  HD virtual ~Shape() {}
    };
    struct Counted {
  HD Counted(int& c) : count(c) { ++count; }
  HD virtual ~Counted() { count += 10; }
  HD virtual int tag() const { return 3; }
  int& count;
    };
    struct Rectangle : Shape {
  HD Rectangle(int a, int b) : w(a), h(b) {}
  HD int area() const override { return w * h; }
  int w;
  int h;
    };
    struct Square final : Rectangle, Counted {
      HD Square(int a, int& c) : Rectangle(a, a), Counted(c) {}
      HD int area() const override { return Rectangle::area() + 1;
}  // namespace
HD int tag() const override { return w; }
};  // namespace cucore::cpu::kernels
struct Triangle : Shape {
  HD Triangle(int a, int b) : w(a), h(b) {}
  HD int area() const override { return w * h / 2; }
  HD int sides() const override { return 3; }
  int w;
  int h;
};
HD unsigned long long f(unsigned x, unsigned i) {
  int count = 0;
  alignas(16) char room[sizeof(Square) + sizeof(Triangle)];
  Shape* shape = nullptr;
  Counted* counted = nullptr;
  int w = int(x % 1000);
  switch (i % 3) {
    case 0:
      shape = new (room) Rectangle(w, 7);
      break;
    case 1: {
      Square* s = new (room) Square(w, count);
      shape = s;
      counted = s;
      break;
    }
    default:
      shape = new (room) Triangle(w, 9);
  }
  unsigned long long result = unsigned(shape->area() * 10 + shape->sides());
  if (counted) result = result * 7 + unsigned(counted->tag());
  shape->~Shape();
  return result * 100 + unsigned(count);
})

BOTH(
    pointers_to_functions,
    typedef int (*Operation)(int, int);
    HD int add(int a, int b) {
  return int(unsigned(a) + unsigned(b)); }
    HD int twice(int a, int) {
  return int(unsigned(a) * 2u); }
    HD int pick(int a, int b) {
  return a < b ? a : b; }
    struct Thing {
  HD int one(int a) const { return a ^ value; }
  HD int two(int a) const { return a | value; }
  int value;
    };
    HD int apply(Operation operation, int a, int b) {
  return operation(a, b); }
    HD unsigned long long f(unsigned x, unsigned i) {
  Operation operations[3] = {add, twice, pick};
  int (Thing::*members[2])(int) const = {&Thing::one, &Thing::two};
  Thing thing = {int(x >> 3)};
  int r = apply(operations[i % 3], int(x), int(i * 77));
  return unsigned(r) * 3ull + unsigned((thing.*members[x & 1])(r));
    })

BOTH(
    switches, HD unsigned long long f(unsigned x, unsigned i) {
  unsigned r = 0;
  for (int k = 0; k < 8; ++k, x >>= 4) {
    switch (x & 15) {
      case 0:
        r += 1;
        break;
      case 1:
        r ^= 0x55;
        [[fallthrough]];
      case 2:
        r = r * 3 + 1;
        break;
      case 3:
        r -= i;
        break;
      case 4:
        r = r << 3 | r >> 29;
        break;
      case 5:
        continue;
      case 6:
        r += x;
        break;
      case 7:
        r ^= r >> 7;
        [[fallthrough]];
      case 8:
        r += 8;
        break;
      case 9:
        if (r & 1) break;
        r |= 0x100;
        break;
      case 10:
        r = ~r;
        break;
      case 11:
        return r + 11;
      case 12:
        r *= 5;
        break;
      default:
        r += 0x1000000;
        break;
    }
    switch (r) {
      case 7:
      case 1000000:
      case 0x80000000u:
      case 55:
        r += 3;
        break;
      case 4:
        r = 9;
    }
  }
  return r;
    })

BOTH(
    loops, HD unsigned long long f(unsigned x, unsigned i) {
  unsigned long long total = 0;
  for (unsigned a = 0; a < 7; ++a) {
    if ((x >> a & 1) && a == i % 7) continue;
    unsigned b = 0;
    do {
      if (b * a > x % 29) break;
      for (unsigned c = i % 5; c < 9; c += 2) {
        if ((a + b + c) % 11 == 10) goto next;
        if (total > 4000 + x % 4096) return total * 3;
        total += a * 100 + b * 10 + c;
        if (c == x % 9) break;
      }
      ++b;
    } while (b < 6);
  next:
    total ^= a << 5;
    while (total % 3 == 0 && total > 10) total /= 2;
  }
  return total;
    })

BOTH(
    structs_by_value,
    struct Inner {
  short a;
  char b[5];
  double c;
    };
    struct Big {
  Inner inner[4];
  int counts[17];
  unsigned long long tail;
    };
    struct Bits {
  unsigned a : 3;
  int b : 11;
  unsigned long long c : 40;
  bool d : 1;
    };
    union Both {
  unsigned word;
  unsigned char bytes[4];
    };
    HD Big changed(Big big, unsigned x) {
  big.inner[x & 3].a = short(x);
  big.inner[x >> 2 & 3].b[x % 5] = char(x >> 5);
  big.inner[1].c += x;
  big.counts[x % 17] ^= int(x);
  big.tail += big.counts[(x + 1) % 17] + 1u;
  return big;
    } HD Bits packed(unsigned x) {
  Bits b = {x & 7, int(x << 3) >> 21, x * 977ull, (x >> 9 & 1) != 0};
  return b;
    } HD unsigned long long f(unsigned x, unsigned i) {
  Big big = {};
  for (unsigned k = 0; k < 3; ++k) big = changed(big, x + i * k);
  unsigned long long r = big.tail;
  for (int k = 0; k < 4; ++k) {
    r = r * 131 + (unsigned short)(big.inner[k].a) + (unsigned long long)(big.inner[k].c);
    for (int j = 0; j < 5; ++j) r = r * 31 + (unsigned char)(big.inner[k].b[j]);
  }
  for (int k = 0; k < 17; ++k) r = r * 7 + unsigned(big.counts[k]);
  Bits b = packed(x);
  b.b += 5;
  Both u;
  u.word = x;
  u.bytes[i & 3] ^= 0xA5;
  return r + b.a + unsigned(b.b) + b.c + b.d + u.word;
    })

BOTH(
    local_arrays, HD unsigned long long f(unsigned x, unsigned i) {
  unsigned char bytes[37];
  unsigned short shorts[4][9];
  double doubles[6];
  for (unsigned k = 0; k < 37; ++k) bytes[k] = (unsigned char)(x >> (k % 25));
  for (unsigned a = 0; a < 4; ++a)
    for (unsigned b = 0; b < 9; ++b)
      shorts[a][b] = (unsigned short)(bytes[(a * 9 + b + x) % 37] * 257);
  for (int k = 0; k < 6; ++k) doubles[k] = double(shorts[k & 3][(i + unsigned(k)) % 9]) / 3;
  double sum = 0;
  for (unsigned k = 0; k < 6; ++k) sum += doubles[(x + k) % 6] * (k + 1);
  char* p = (char*)(shorts) + (x % 20);
  p[1] = char(i);
  unsigned long long r = (unsigned long long)(sum);
  for (unsigned k = 0; k < 36; ++k) r = r * 17 + shorts[k / 9][k % 9] + bytes[k];
  return r;
    })

BOTH(
    templates_and_lambdas,
    template <class... T>
    HD unsigned long long total(T... values) {
  return (0ull + ... + (unsigned long long)(values));
    } template <int N>
    HD constexpr int power(int base) {
  if constexpr (N == 0)
    return 1;
  else
    return int(unsigned(base) * unsigned(power<N - 1>(base)));
    } template <class F>
    HD unsigned each(unsigned n, F function) {
  unsigned r = 0;
  for (unsigned k = 0; k < n; ++k) r = function(k, r);
  return r;
    } struct Pair {
  int first;
  unsigned second;
    };
    HD unsigned long long f(unsigned x, unsigned i) {
  int numbers[] = {3, 1, 4, 1, 5, 9, 2, 6};
  auto mix = [x, &numbers](unsigned k, unsigned r) {
    return r * 5 + unsigned(numbers[(k + x) & 7]);
  };
  auto [a, b] = Pair{int(x), i};
  unsigned sum = 0;
  for (int n : numbers) sum += unsigned(n) * (sum + 1);
  enum class Color : unsigned char { red, green = 200, blue };
  Color color = x & 1 ? Color::green : Color(i);
  return total(each(i % 13, mix), a, b, char(x), short(x), x & 1 ? 1.5f : 2.5f) +
         unsigned(power<5>(int(x))) + sum + (unsigned)(color);
    })

BOTH(
    strings,
    HD unsigned length(const char* s) {
  unsigned n = 0;
  while (s[n]) ++n;
  return n;
    } HD char* digits(long long value, int base, char* end) {
  bool negative = value < 0;
  unsigned long long rest =
      negative ? 0ull - (unsigned long long)(value) : (unsigned long long)(value);
  *--end = 0;
  do *--end = "0123456789abcdefghijklmnopqrstuvwxyz"[rest % unsigned(base)];
  while (rest /= unsigned(base));
  if (negative) *--end = '-';
  return end;
    } HD unsigned long long f(unsigned x, unsigned i) {
  const char* names[] = {"zero", "one", "two", "", "a longer name than the others"};
  char buffer[80];
  const char* number = digits((long long)(int(x)) * int(i + 1), 2 + int(i % 35), buffer + 80);
  unsigned long long hash = 5381;
  for (const char* s : {names[x % 5], number, names[i % 5]})
    for (unsigned k = 0; k < length(s); ++k) hash = hash * 33 ^ (unsigned char)(s[k]);
  return hash;
    })

BOTH(
    interpreter, HD unsigned long long f(unsigned x, unsigned i) {
  const char* program = ">+++[<++++>-]<[->+>+<<]>>[-<<+>>]<.<+[->,+.<]>[>]<-.";
  unsigned char tape[16] = {(unsigned char)(x & 7), (unsigned char)(i & 15)};
  int at = 0;
  unsigned long long out = 0;
  int steps = 0;
  for (int pc = 0; program[pc] && steps < 600; ++pc, ++steps) switch (program[pc]) {
      case '>':
        at = (at + 1) & 15;
        break;
      case '<':
        at = (at - 1) & 15;
        break;
      case '+':
        ++tape[at];
        break;
      case '-':
        --tape[at];
        break;
      case '.':
        out = out * 257 + tape[at];
        break;
      case ',':
        tape[at] = (unsigned char)(x >> (steps & 24));
        break;
      case '[':
        if (!tape[at])
          for (int depth = 1; depth;) {
            ++pc;
            depth += (program[pc] == '[') - (program[pc] == ']');
          }
        break;
      case ']':
        if (tape[at])
          for (int depth = 1; depth;) {
            --pc;
            depth -= (program[pc] == '[') - (program[pc] == ']');
          }
        break;
    }
  return out + unsigned(steps);
    })

BOTH(
    linked_nodes,
    struct Node {
  Node* left;
  Node* right;
  unsigned key;
    };
    HD void insert(Node** root, Node* node) {
  while (*root) root = node->key < (*root)->key ? &(*root)->left : &(*root)->right;
  *root = node;
    } HD unsigned walk(const Node* node, unsigned long long& hash, unsigned depth) {
  if (!node) return depth;
  unsigned a = walk(node->left, hash, depth + 1);
  hash = hash * 1000003 + node->key;
  unsigned b = walk(node->right, hash, depth + 1);
  return a > b ? a : b;
    } HD unsigned long long f(unsigned x, unsigned i) {
  Node nodes[20] = {};
  Node* root = nullptr;
  for (unsigned k = 0; k < 5 + i % 15; ++k) {
    x = x * 22695477u + 1;
    nodes[k].key = x >> 20;
    insert(&root, &nodes[k]);
  }
  unsigned long long hash = 0;
  return walk(root, hash, 0) * 7ull + hash;
    })

BOTH(
    parameters_with_an_address,
    struct S {
  double a[7];
  int b;
  char c[3];
    };
    struct V {
  HD virtual S get(S s, int n) = 0;
    };
    struct A : V {
  int k;
  HD S get(S s, int n) override {
    S* p = &s;
    p->a[n % 7] += k;
    s.b += n;
    if (n > 0) return get(s, n - 1);
    return s;
  }
    };
    struct B : A {
      HD S get(S s, int n) override {
        s.c[n % 3]++;
        S r = A::get(s, n / 2);
        r.a[0] *= 2;
        return r;
}
}
;
HD double sum(const S* s) {
  double t = s->b;
  for (int i = 0; i < 7; ++i) t += s->a[i] * (i + 1);
  for (int i = 0; i < 3; ++i) t += s->c[i];
  return t;
}
HD unsigned long long f(unsigned x, unsigned i) {
  A a;
  a.k = 3;
  B b;
  b.k = 5;
  V* v[2] = {&a, &b};
  S s = {};
  s.b = int(i);
  S r = v[x & 1]->get(s, int(x % 9));
  return (unsigned long long)(sum(&r));
})

}  // namespace
}  // namespace cucore::cpu::kernels
