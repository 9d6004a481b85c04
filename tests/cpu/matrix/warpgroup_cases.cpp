// SPDX-License-Identifier: Apache-2.0
// wgmma: matrices in shared memory in each swizzle mode, or A in registers.
#include <cstdio>

#include "reference.hpp"

namespace cucore::cpu::matrix {
namespace {

constexpr unsigned THREADS = 128;

struct AsyncForm {
  unsigned n, k;
  Element a, b, d;
  unsigned width = 8;  // units of 16 bytes in a row of the swizzled matrix; 1: no swizzle
  bool in_registers = false, a_transposed = false, b_transposed = false, adds = true;
  int a_scale = 1, b_scale = 1;
  Fill fill = Fill::PLAIN;
  bool is_sparse = false, saturates = false;
  unsigned selector = 0;

  unsigned stored_k() const { return is_sparse ? k / 2 : k; }
};

// A matrix in shared memory. Lines are rows of A and columns of B; a line has k elements.
struct Area {
  unsigned lines, k, bits, width;
  bool is_transposed;

  // Bytes between groups of eight lines, and between the columns of units.
  unsigned leading() const {
    if (is_transposed) return width == 1 ? 8 * 16 * (lines / 8) : groups_of_k() * width * 128;
    return width == 1 ? lines * 16 : 0;
  }
  unsigned stride() const {
    if (is_transposed) return width == 1 ? 8 * 16 : width * 128;
    return width == 1 ? 128 : width * 128;
  }
  unsigned groups_of_k() const { return (k + 7) / 8; }
  unsigned bytes() const {
    if (!is_transposed) return width == 1 ? lines * k * bits / 8 : lines * width * 16;
    const unsigned units = (lines / 8 + width - 1) / width * width;
    return units * 16 * groups_of_k() * 8;
  }
  // The byte of the unit that contains an element, before the start of the area is added.
  unsigned unit_at(unsigned line, unsigned i) const {
    const unsigned per = 128 / bits;
    unsigned byte = 0;
    if (is_transposed) {
      const unsigned unit = line / 8;
      byte = i % 8 * width * 16;
      byte += width == 1 ? unit * stride() + i / 8 * leading()
                         : i / 8 * stride() + unit / width * leading() + unit % width * 16;
    } else {
      byte = line / 8 * stride() + line % 8 * width * 16;
      byte += width == 1 ? i / per * leading() : i / per * 16;
    }
    return byte ^ (byte >> 7 & (width - 1)) << 4;
  }
  unsigned index_at(unsigned line, unsigned i) const {  // in elements
    const unsigned per = 128 / bits;
    return unit_at(line, i) * 8 / bits + (is_transposed ? line % 8 : i % per);
  }
};

Area left_area(const AsyncForm& f) {
  return {64, f.stored_k(), ptx::bits_of(f.a), f.width, f.a_transposed};
}
Area right_area(const AsyncForm& f) {
  return {f.n, f.k, ptx::bits_of(f.b), f.width, f.b_transposed};
}

unsigned rounded(unsigned bytes) { return (bytes + 1023) / 1024 * 1024; }

// Words per thread: first A, B in units of 1024 bytes, then D, A in registers, and metadata.
struct Layout {
  unsigned b_byte, d_word, a_word, meta_word, words, d_words;
};
Layout layout_of(const AsyncForm& f) {
  Layout l{};
  l.b_byte = rounded(left_area(f).bytes());
  l.d_word = (l.b_byte + rounded(right_area(f).bytes())) / 4 / THREADS;
  l.d_words = f.n * ptx::bits_of(f.d) / 64;
  l.a_word = l.d_word + l.d_words;
  l.meta_word = l.a_word + 4;
  l.words = l.meta_word + 1;
  return l;
}

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

// Makes a descriptor in %x<number> for the matrix at `byte` of sh.
std::string descriptor(const Area& area, unsigned byte, unsigned number) {
  const uint64_t mode = area.width == 8 ? 1 : area.width == 4 ? 2 : area.width == 2 ? 3 : 0;
  const uint64_t fields =
      mode << 62 | uint64_t{area.stride() / 16} << 32 | uint64_t{area.leading() / 16} << 16;
  const std::string x = "%x" + std::to_string(number);
  return "mov.u32 %t0, sh; add.u32 %t0, %t0, " + std::to_string(byte) +
         "; shr.u32 %t0, %t0, 4; cvt.u64.u32 " + x + ", %t0; or.b64 " + x + ", " + x + ", " +
         hex(fields) + "; ";
}

std::string name_of_form(const AsyncForm& f) {
  std::string name = f.is_sparse ? "wgmma.mma_async.sp" : "wgmma.mma_async";
  name += ".sync.aligned.m64n" + std::to_string(f.n) + "k" + std::to_string(f.k) + "." +
          name_of(f.d) + "." + name_of(f.a) + "." + name_of(f.b);
  return name + (f.a == Element::b1 ? ".and.popc" : f.saturates ? ".satfinite" : "");
}

std::string body_of(const AsyncForm& f) {
  const Layout l = layout_of(f);
  std::string text = descriptor(left_area(f), 0, 0) + descriptor(right_area(f), l.b_byte, 1);
  for (unsigned i = 0; i < l.d_words; ++i)
    text += "mov.b32 %d" + std::to_string(i) + ", %a" + std::to_string(l.d_word + i) + "; ";
  text += std::string("setp.eq.u32 %p0, 0, ") + (f.adds ? "0" : "1") + "; ";
  text += "fence.proxy.async; bar.sync 0; wgmma.fence.sync.aligned; " + name_of_form(f) + " ";
  text += registers('d', 0, l.d_words) + ", ";
  text += f.in_registers ? registers('a', l.a_word, 4) : std::string("%x0");
  text += ", %x1, ";
  if (f.is_sparse)
    text += "%a" + std::to_string(l.meta_word) + ", " + std::to_string(f.selector) + ", ";
  text += "%p0";
  if (!is_exact(f.a)) text += ", " + std::to_string(f.a_scale) + ", " + std::to_string(f.b_scale);
  if (ptx::bits_of(f.a) == 16 && !f.in_registers) text += f.a_transposed ? ", 1" : ", 0";
  if (ptx::bits_of(f.a) == 16) text += f.b_transposed ? ", 1" : ", 0";
  return text + "; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;";
}

void fill_area(Random& random, const Area& area, Element element, Fill fill, unsigned byte,
               Words& in) {
  for (unsigned line = 0; line < area.lines; ++line)
    for (unsigned i = 0; i < area.k; ++i)
      put_element(in, 1, 0, byte / 4, area.index_at(line, i), area.bits,
                  random_element(random, element, fill));
}

void fill_form(const AsyncForm& f, Random& random, Words& in) {
  const Layout l = layout_of(f);
  fill_area(random, left_area(f), f.a, f.fill, 0, in);
  fill_area(random, right_area(f), f.b, f.fill, l.b_byte, in);
  const unsigned a_bits = ptx::bits_of(f.a), d_bits = ptx::bits_of(f.d);
  for (unsigned t = 0; t < THREADS; ++t) {
    for (unsigned i = 0; i < 128 / a_bits; ++i)
      put_element(in, THREADS, t, l.a_word, i, a_bits, random_element(random, f.a, f.fill));
    for (unsigned i = 0; i < l.d_words * 32 / d_bits; ++i)
      put_element(in, THREADS, t, l.d_word, i, d_bits, random_element(random, f.d, f.fill));
  }
  for (unsigned warp = 0; warp < 4 && f.is_sparse; ++warp)
    put_random_metadata(random, f.a, f.k, f.selector,
                        in.data() + size_t{l.meta_word} * THREADS + warp * 32);
}

Raw left_of(const AsyncForm& f, const Words& in, unsigned warp) {
  const unsigned k = f.stored_k(), bits = ptx::bits_of(f.a);
  const Area area = left_area(f);
  Raw a(16 * k);
  if (f.in_registers) {
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned i = 0; i < 128 / bits; ++i) {
        const Place at = place_of_a(16, bits, lane, i);
        a[at.row * k + at.column] =
            element_of(in, THREADS, warp * 32 + lane, layout_of(f).a_word, i, bits);
      }
    return a;
  }
  for (unsigned r = 0; r < 16; ++r)
    for (unsigned i = 0; i < k; ++i)
      a[r * k + i] = element_of(in, 1, 0, 0, area.index_at(warp * 16 + r, i), bits);
  return a;
}

void compute(const AsyncForm& f, const Words& in, Words& out) {
  const Layout l = layout_of(f);
  const Area right = right_area(f);
  const unsigned d_bits = ptx::bits_of(f.d);
  Product p{16, f.n, f.stored_k(), f.a, f.b, f.d, f.d};
  p.model = model_of(f.a, true);
  p.is_and = true;
  p.negates = f.a_scale != f.b_scale;
  p.saturates = f.saturates;
  Raw b(f.k * f.n);
  for (unsigned i = 0; i < f.k; ++i)
    for (unsigned n = 0; n < f.n; ++n)
      b[i * f.n + n] = element_of(in, 1, 0, l.b_byte / 4, right.index_at(n, i), right.bits);
  for (unsigned warp = 0; warp < 4; ++warp) {
    Raw c(16 * f.n);
    auto each = [&](auto change) {
      for (unsigned lane = 0; lane < 32; ++lane)
        for (unsigned i = 0; i < l.d_words * 32 / d_bits; ++i) {
          const Place at = place_of_c(lane, i);
          change(warp * 32 + lane, i, at.row * f.n + at.column);
        }
    };
    each([&](unsigned t, unsigned i, unsigned at) {
      if (f.adds) c[at] = element_of(in, THREADS, t, l.d_word, i, d_bits);
    });
    std::vector<unsigned> rows;
    if (f.is_sparse)
      rows = rows_of_metadata(in.data() + size_t{l.meta_word} * THREADS + warp * 32, f.a, f.k,
                              f.selector);
    const Raw d = multiply(p, left_of(f, in, warp), b, c, f.is_sparse ? &rows : nullptr);
    each([&](unsigned t, unsigned i, unsigned at) {
      put_element(out, THREADS, t, 0, i, d_bits, d[at]);
    });
  }
}

void add(Table& table, const AsyncForm& f) {
  Case row;
  row.name = name_of_form(f) + " width " + std::to_string(f.width) +
             (f.in_registers ? " registers" : "") + (f.a_transposed ? " A^T" : "") +
             (f.b_transposed ? " B^T" : "") + (f.adds ? "" : " alone") +
             (f.selector ? " upper" : "") + (f.a_scale < 0 ? " -A" : "") +
             (f.b_scale < 0 ? " -B" : "") + " " + name_of(f.fill);
  row.body = body_of(f);
  row.in = layout_of(f).words;
  row.out = layout_of(f).d_words;
  row.threads = THREADS;
  row.shared = layout_of(f).d_word;
  row.needs_variant = true;
  row.fill = [f](Random& random, Words& in) { fill_form(f, random, in); };
  row.reference = [f](const Words& in, Words& out) { compute(f, in, out); };
  table.push_back(std::move(row));
}

void add_halves(Table& table) {
  const Element half = Element::f16, single = Element::f32;
  for (unsigned width : {1u, 2u, 4u, 8u})
    for (bool a : {false, true})
      for (bool b : {false, true}) {
        AsyncForm f{64, 16, half, half, single, width};
        f.a_transposed = a;
        f.b_transposed = b;
        add(table, f);
      }
  for (unsigned n : {8u, 24u, 128u, 256u}) add(table, {n, 16, half, half, single});
  for (Fill fill : {Fill::SPREAD, Fill::CANCEL, Fill::SPECIAL})
    for (Element d : {single, half}) {
      AsyncForm f{16, 16, half, half, d};
      f.fill = fill;
      add(table, f);
    }
  AsyncForm f{32, 16, Element::bf16, Element::bf16, single};
  add(table, f);
  f.in_registers = true;
  add(table, f);
  f.adds = false;
  f.a_scale = -1;
  add(table, f);
  f.b_scale = -1;
  add(table, f);
}

struct Types {
  Element a, b, d;
};

// Every combination that PTX permits. Sparse products have no single bits.
std::vector<Types> all_types(bool is_sparse) {
  std::vector<Types> types = {{Element::f16, Element::f16, Element::f32},
                              {Element::f16, Element::f16, Element::f16},
                              {Element::bf16, Element::bf16, Element::f32},
                              {Element::tf32, Element::tf32, Element::f32}};
  if (!is_sparse) types.push_back({Element::b1, Element::b1, Element::s32});
  for (Element a : {Element::s8, Element::u8})
    for (Element b : {Element::s8, Element::u8}) types.push_back({a, b, Element::s32});
  for (Element a : {Element::e4m3, Element::e5m2})
    for (Element b : {Element::e4m3, Element::e5m2})
      for (Element d : {Element::f32, Element::f16}) types.push_back({a, b, d});
  return types;
}

AsyncForm form_of(const Types& types, unsigned n, bool is_sparse) {
  const unsigned stored_k = 256 / ptx::bits_of(types.a);  // 32 bytes
  AsyncForm f{n, is_sparse ? stored_k * 2 : stored_k, types.a, types.b, types.d};
  f.is_sparse = is_sparse;
  return f;
}

// The width 48 is legal for integers, and no other row has it.
void add_types(Table& table, bool is_sparse) {
  for (const Types& types : all_types(is_sparse)) {
    AsyncForm f = form_of(types, 48, is_sparse);
    for (bool saturates : {false, true})
      for (Fill fill : FILLS) {
        if (saturates && !ptx::is_integer(f.a)) continue;
        if (is_exact(f.a) && fill != Fill::PLAIN && fill != Fill::SPECIAL) continue;
        f.saturates = saturates;
        f.fill = fill;
        add(table, f);
      }
    f.saturates = false;
    f.fill = Fill::PLAIN;
    f.in_registers = true;
    f.selector = is_sparse && ptx::bits_of(f.a) >= 16;
    add(table, f);
  }
}

// Swizzle modes and widths, with a type of each size.
void add_layouts(Table& table, bool is_sparse) {
  for (const Types& types : all_types(is_sparse)) {
    if (types.d == Element::f16 || types.b == Element::u8 || types.b == Element::e5m2) continue;
    // A line of a sparse product's B has 64 bytes.
    for (unsigned width : {1u, 2u, 4u, 8u}) {
      AsyncForm f = form_of(types, 80, is_sparse);
      f.width = width;
      if (!is_sparse || width != 2) add(table, f);
    }
    // The rows of f16 are those of add_halves.
    for (unsigned n : {8u, 24u, 128u, 256u})
      if (is_sparse || types.a != Element::f16) add(table, form_of(types, n, is_sparse));
  }
}

}  // namespace

void add_warpgroup_products(Table& table) {
  add_halves(table);
  for (Fill fill : {Fill::PLAIN, Fill::SPREAD, Fill::CANCEL}) {
    AsyncForm f{16, 8, Element::tf32, Element::tf32, Element::f32};
    f.fill = fill;
    add(table, f);
    for (Element a : {Element::e4m3, Element::e5m2})
      for (Element d : {Element::f32, Element::f16}) {
        f = {16, 32, a, Element::e4m3, d};
        f.fill = fill;
        add(table, f);
      }
  }
  for (Element a : {Element::s8, Element::u8}) add(table, {32, 32, a, Element::s8, Element::s32});
  add(table, {16, 256, Element::b1, Element::b1, Element::s32});
  AsyncForm sparse{16, 32, Element::f16, Element::f16, Element::f32};
  sparse.is_sparse = true;
  add(table, sparse);
  sparse.in_registers = true;
  add(table, sparse);
  sparse = {16, 64, Element::s8, Element::s8, Element::s32};
  sparse.is_sparse = true;
  add(table, sparse);
  for (bool is_sparse : {false, true}) {
    add_types(table, is_sparse);
    add_layouts(table, is_sparse);
  }
  for (Element half : {Element::f16, Element::bf16})
    for (unsigned width : {1u, 8u}) {
      sparse = form_of({half, half, Element::f32}, 64, true);
      sparse.width = width;
      sparse.a_transposed = sparse.b_transposed = true;
      add(table, sparse);
    }
}

}  // namespace cucore::cpu::matrix
