// SPDX-License-Identifier: Apache-2.0
// ldmatrix, stmatrix, movmatrix, and wmma with its loads and stores.
#include "reference.hpp"

namespace cucore::cpu::matrix {
namespace {

void fill_words(Random& random, Words& in) {
  for (uint32_t& word : in) word = static_cast<uint32_t>(random());
}

uint16_t half_at(const Words& words, unsigned row, unsigned column) {
  return static_cast<uint16_t>(words[row * 4 + column / 2] >> (column % 2 * 16));
}

// Row i of the shared matrices is at 16 * (i ^ 5), so that the addresses are not in order.
constexpr const char* ADDRESS =
    "mov.u32 %t0, %laneid; xor.b32 %t0, %t0, 5; shl.b32 %t0, %t0, 4; mov.u32 %t1, sh; "
    "add.u32 %t0, %t0, %t1; ";

std::string suffix(unsigned count, bool transposes) {
  return ".sync.aligned.m8n8.x" + std::to_string(count) + (transposes ? ".trans" : "") +
         ".shared.b16";
}

void add_load(Table& table, unsigned count, bool transposes) {
  Case row;
  row.name = "ldmatrix" + suffix(count, transposes);
  row.body = ADDRESS + row.name + " " + registers('d', 0, count) + ", [%t0];";
  row.in = 4;
  row.out = count;
  row.fill = fill_words;
  row.reference = [=](const Words& in, Words& out) {
    for (unsigned i = 0; i < count; ++i)
      for (unsigned lane = 0; lane < 32; ++lane) {
        uint32_t word = 0;
        for (unsigned e = 0; e < 2; ++e) {
          const unsigned outer = lane / 4, inner = lane % 4 * 2 + e;
          const unsigned r = transposes ? inner : outer, c = transposes ? outer : inner;
          word |= uint32_t{half_at(in, (8 * i + r) ^ 5, c)} << (16 * e);
        }
        out[i * 32 + lane] = word;
      }
  };
  table.push_back(std::move(row));
}

// The body stores to the copy in shared memory, and loads word i of each thread as result.
void add_store(Table& table, unsigned count, bool transposes) {
  Case row;
  row.name = "stmatrix" + suffix(count, transposes);
  row.body = ADDRESS + row.name + " [%t0], " + registers('a', 0, count) +
             "; bar.sync 0; mov.u32 %t0, %laneid; shl.b32 %t0, %t0, 2; add.u32 %t0, %t0, %t1; ";
  for (unsigned i = 0; i < 4; ++i)
    row.body +=
        "ld.shared.b32 %d" + std::to_string(i) + ", [%t0+" + std::to_string(128 * i) + "]; ";
  row.in = row.out = 4;
  row.first_sm = 90;
  row.fill = fill_words;
  row.reference = [=](const Words& in, Words& out) {
    out = in;
    for (unsigned i = 0; i < count; ++i)
      for (unsigned lane = 0; lane < 32; ++lane)
        for (unsigned e = 0; e < 2; ++e) {
          const unsigned outer = lane / 4, inner = lane % 4 * 2 + e;
          const unsigned r = transposes ? inner : outer, c = transposes ? outer : inner;
          uint32_t& word = out[((8 * i + r) ^ 5) * 4 + c / 2];
          const unsigned shift = c % 2 * 16;
          const uint32_t half = in[i * 32 + lane] >> (16 * e) & 0xFFFF;
          word = (word & ~(0xFFFFu << shift)) | half << shift;
        }
  };
  table.push_back(std::move(row));
}

void add_move(Table& table) {
  Case row;
  row.name = "movmatrix.sync.aligned.m8n8.trans.b16";
  row.body = row.name + " %d0, %a0;";
  row.in = row.out = 1;
  row.fill = fill_words;
  row.reference = [](const Words& in, Words& out) {
    for (unsigned lane = 0; lane < 32; ++lane) {
      out[lane] = 0;
      for (unsigned e = 0; e < 2; ++e)
        out[lane] |= uint32_t{half_at(in, lane % 4 * 2 + e, lane / 4)} << (16 * e);
    }
  };
  table.push_back(std::move(row));
}

// ---- wmma

struct Fragments {
  unsigned m, n, k;
  Element factor, accumulator;
  unsigned a, b, c;         // registers
  bool is_typed = true;     // the name of wmma.mma has the types of the factors
  std::string prefix = "";  // ".xor.popc"
};

std::string shape_of(const Fragments& f) {
  return "m" + std::to_string(f.m) + "n" + std::to_string(f.n) + "k" + std::to_string(f.k);
}

// Matrices A, B, C follow each other in the operands; the results are D in memory.
struct Areas {
  unsigned a, b, c, end;  // bytes
};
Areas areas_of(const Fragments& f) {
  const unsigned factor = ptx::bits_of(f.factor), sum = ptx::bits_of(f.accumulator);
  Areas areas{0, f.m * f.k * factor / 8, 0, 0};
  areas.c = areas.b + f.k * f.n * factor / 8;
  areas.end = areas.c + f.m * f.n * sum / 8;
  return areas;
}

std::string wmma_body(const Fragments& f, bool a_columns, bool b_columns, bool c_columns) {
  const bool wide = f.factor == Element::f64;
  const char letter = wide ? 'x' : 't';
  auto layout = [](bool columns) { return columns ? ".col." : ".row."; };
  const std::string shape = shape_of(f), types[] = {std::string(".") + name_of(f.accumulator),
                                                    std::string(".") + name_of(f.factor)};
  const Areas areas = areas_of(f);
  const std::string a = registers(letter, 0, f.a), b = registers(letter, f.a, f.b),
                    c = registers(letter, f.a + f.b, f.c);
  auto load = [&](const char* name, bool columns, const std::string& type, const std::string& to,
                  unsigned at, unsigned stride) {
    return std::string("wmma.load.") + name + ".sync.aligned" + layout(columns) + shape +
           ".global" + type + " " + to + ", [%in+" + std::to_string(at) + "], " +
           std::to_string(stride) + "; ";
  };
  std::string text = load("a", a_columns, types[1], a, areas.a, a_columns ? f.m : f.k);
  text += load("b", b_columns, types[1], b, areas.b, b_columns ? f.k : f.n);
  text += load("c", c_columns, types[0], c, areas.c, c_columns ? f.m : f.n);
  text += "wmma.mma" + f.prefix + ".sync.aligned" + layout(a_columns);
  text += (b_columns ? "col." : "row.") + shape + types[0];
  text += (f.is_typed ? types[1] + types[1] : "") + types[0] + " " + c + ", " + a + ", " + b +
          ", " + c + "; ";
  return text + "wmma.store.d.sync.aligned" + layout(c_columns) + shape + ".global" + types[0] +
         " [%out], " + c + ", " + std::to_string(c_columns ? f.m : f.n) + ";";
}

uint64_t stored(const Words& words, unsigned byte, unsigned index, unsigned bits) {
  return element_of(words, 1, 0, byte / 4, index, bits);
}

void wmma_reference(const Fragments& f, bool a_columns, bool b_columns, bool c_columns,
                    const Words& in, Words& out) {
  const Areas areas = areas_of(f);
  const unsigned factor = ptx::bits_of(f.factor), sum = ptx::bits_of(f.accumulator);
  Product p{f.m, f.n, f.k, f.factor, f.factor, f.accumulator, f.accumulator};
  p.model = model_of(f.factor, false);
  // m16n16k8 consists of products of k = 4.
  if (f.factor == Element::tf32) p.model.block = 4;
  p.is_and = f.prefix == ".and.popc";
  Raw a(f.m * f.k), b(f.k * f.n), c(f.m * f.n);
  for (unsigned r = 0; r < f.m; ++r)
    for (unsigned i = 0; i < f.k; ++i)
      a[r * f.k + i] = stored(in, areas.a, a_columns ? i * f.m + r : r * f.k + i, factor);
  for (unsigned i = 0; i < f.k; ++i)
    for (unsigned n = 0; n < f.n; ++n)
      b[i * f.n + n] = stored(in, areas.b, b_columns ? n * f.k + i : i * f.n + n, factor);
  auto place = [&](unsigned r, unsigned n) { return c_columns ? n * f.m + r : r * f.n + n; };
  for (unsigned i = 0; i < f.m * f.n; ++i) c[i] = stored(in, areas.c, place(i / f.n, i % f.n), sum);
  const Raw d = multiply(p, a, b, c);
  for (unsigned i = 0; i < f.m * f.n; ++i)
    put_element(out, 1, 0, 0, place(i / f.n, i % f.n), sum, d[i]);
}

void add_wmma(Table& table, const Fragments& f, bool a_columns, bool b_columns, bool c_columns) {
  Case row;
  row.name = "wmma" + f.prefix + " " + shape_of(f) + (a_columns ? " col" : " row") +
             (b_columns ? " col" : " row") + (c_columns ? " col " : " row ") + name_of(f.factor) +
             " " + name_of(f.accumulator);
  row.body = wmma_body(f, a_columns, b_columns, c_columns);
  const Areas areas = areas_of(f);
  row.in = (areas.end + 127) / 128;
  row.out = f.m * f.n * ptx::bits_of(f.accumulator) / 8 / 128;
  row.writes_results = true;
  row.first_sm = f.prefix == ".and.popc" ? 80 : first_sm_of(f.factor);
  row.fill = [=](Random& random, Words& in) {
    const unsigned factor = ptx::bits_of(f.factor), sum = ptx::bits_of(f.accumulator);
    for (unsigned i = 0; i < areas.c * 8 / factor; ++i)
      put_element(in, 1, 0, 0, i, factor, random_element(random, f.factor, Fill::PLAIN));
    for (unsigned i = 0; i < f.m * f.n; ++i)
      put_element(in, 1, 0, areas.c / 4, i, sum,
                  random_element(random, f.accumulator, Fill::PLAIN));
  };
  row.reference = [=](const Words& in, Words& out) {
    wmma_reference(f, a_columns, b_columns, c_columns, in, out);
  };
  table.push_back(std::move(row));
}

void add_layouts(Table& table, const Fragments& f) {
  for (bool a : {false, true})
    for (bool b : {false, true})
      for (bool c : {false, true}) add_wmma(table, f, a, b, c);
}

struct Size {
  unsigned m, n;
};

}  // namespace

void add_moves(Table& table) {
  for (unsigned count : {1u, 2u, 4u})
    for (bool transposes : {false, true}) {
      add_load(table, count, transposes);
      add_store(table, count, transposes);
    }
  add_move(table);
}

void add_fragments(Table& table) {
  for (const Size& s : {Size{16, 16}, {8, 32}, {32, 8}}) {
    for (Element c : {Element::f16, Element::f32})
      add_layouts(table, {s.m, s.n, 16, Element::f16, c, 8, 8, c == Element::f16 ? 4u : 8u, false});
    add_layouts(table, {s.m, s.n, 16, Element::bf16, Element::f32, s.m / 4, s.n / 4, 8});
    for (Element e : {Element::s8, Element::u8})
      add_layouts(table, {s.m, s.n, 16, e, Element::s32, s.m / 8, s.n / 8, 8});
  }
  add_layouts(table, {16, 16, 8, Element::tf32, Element::f32, 4, 4, 8});
  add_layouts(table, {8, 8, 4, Element::f64, Element::f64, 1, 1, 2});
  for (Element e : {Element::s4, Element::u4})
    for (bool c : {false, true})
      add_wmma(table, {8, 8, 32, e, Element::s32, 1, 1, 2}, false, true, c);
  for (const char* operation : {".xor.popc", ".and.popc"})
    add_wmma(table, {8, 8, 128, Element::b1, Element::s32, 1, 1, 2, true, operation}, false, true,
             false);
}

}  // namespace cucore::cpu::matrix
