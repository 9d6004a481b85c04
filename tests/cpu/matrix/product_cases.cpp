// SPDX-License-Identifier: Apache-2.0
// mma and sparse mma: random matrices in the registers of a warp.
#include "reference.hpp"

namespace cucore::cpu::matrix {
namespace {

struct Shape {
  unsigned m, n, k;
};

std::string text_of(const Shape& s) {
  return "m" + std::to_string(s.m) + "n" + std::to_string(s.n) + "k" + std::to_string(s.k);
}

struct Form {
  Shape shape;
  Product product;
  std::string suffix;  // of the name, behind the types
  unsigned a_words, b_words, c_words, d_words;
  bool is_sparse = false, is_ordered = false;
  unsigned selector = 0;

  unsigned stored_k() const { return is_sparse ? shape.k / 2 : shape.k; }
  unsigned meta_word() const { return a_words + b_words + c_words; }
};

unsigned words_of(unsigned elements, Element element) {
  return elements * ptx::bits_of(element) / 32 / 32;
}

Form form_of(const Shape& shape, Element d, Element a, Element b, Element c,
             bool is_sparse = false) {
  Form f;
  f.shape = shape;
  f.is_sparse = is_sparse;
  f.product = {shape.m, shape.n, f.stored_k(), a, b, c, d};
  f.product.model = model_of(a, false);
  f.product.method = method_of(a);
  f.a_words = words_of(shape.m * f.stored_k(), a);
  f.b_words = words_of(shape.k * shape.n, b);
  f.c_words = words_of(shape.m * shape.n, c);
  f.d_words = words_of(shape.m * shape.n, d);
  return f;
}

std::string types_of(const Form& f) {
  const Product& p = f.product;
  std::string text;
  for (Element element : {p.d, p.a, p.b, p.c}) text += std::string(".") + name_of(element);
  return text;
}

std::string instruction(const Form& f) {
  std::string name = f.is_sparse ? f.is_ordered ? "mma.sp::ordered_metadata" : "mma.sp" : "mma";
  name += ".sync.aligned." + text_of(f.shape) + ".row.col";
  return name + (f.product.saturates ? ".satfinite" : "") + types_of(f) + f.suffix;
}

// Pairs of words form the operands of f64.
std::string wide_body(const Form& f) {
  const unsigned in = (f.a_words + f.b_words + f.c_words) / 2;
  std::string text;
  for (unsigned i = 0; i < in; ++i)
    text += "mov.b64 %x" + std::to_string(i) + ", " + registers('a', 2 * i, 2) + "; ";
  const unsigned a = f.a_words / 2, b = f.b_words / 2, c = f.c_words / 2;
  text += instruction(f) + " " + registers('x', in, c) + ", " + registers('x', 0, a) + ", " +
          registers('x', a, b) + ", " + registers('x', a + b, c) + ";";
  for (unsigned i = 0; i < c; ++i)
    text += " mov.b64 " + registers('d', 2 * i, 2) + ", %x" + std::to_string(in + i) + ";";
  return text;
}

std::string body(const Form& f) {
  if (f.product.a == Element::f64) return wide_body(f);
  const unsigned b = f.a_words, c = b + f.b_words, e = c + f.c_words;
  return instruction(f) + " " + registers('d', 0, f.d_words) + ", " + registers('a', 0, f.a_words) +
         ", " + registers('a', b, f.b_words) + ", " + registers('a', c, f.c_words) +
         (f.is_sparse ? ", %a" + std::to_string(e) + ", " + std::to_string(f.selector) : "") + ";";
}

template <class Fill>
void each_element(unsigned words, Element element, Fill fill) {
  const unsigned bits = ptx::bits_of(element);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < words * 32 / bits; ++i) fill(lane, i, bits);
}

Words computed(const Form& f, const Words& in, const std::vector<unsigned>* rows) {
  const Product& p = f.product;
  Raw a(p.m * p.k), b(f.shape.k * p.n), c(p.m * p.n);
  each_element(f.a_words, p.a, [&](unsigned lane, unsigned i, unsigned bits) {
    const Place at = place_of_a(p.m, bits, lane, i);
    a[at.row * p.k + at.column] = element_of(in, 32, lane, 0, i, bits);
  });
  each_element(f.b_words, p.b, [&](unsigned lane, unsigned i, unsigned bits) {
    const Place at = place_of_b(bits, lane, i);
    b[at.row * p.n + at.column] = element_of(in, 32, lane, f.a_words, i, bits);
  });
  each_element(f.c_words, p.c, [&](unsigned lane, unsigned i, unsigned bits) {
    const Place at = place_of_c(lane, i);
    c[at.row * p.n + at.column] = element_of(in, 32, lane, f.a_words + f.b_words, i, bits);
  });
  const Raw d = multiply(p, a, b, c, rows);
  Words out(f.d_words * 32);
  each_element(f.d_words, p.d, [&](unsigned lane, unsigned i, unsigned bits) {
    const Place at = place_of_c(lane, i);
    put_element(out, 32, lane, 0, i, bits, d[at.row * p.n + at.column]);
  });
  return out;
}

void fill_operands(const Form& f, Random& random, Fill fill, Words& in) {
  const Product& p = f.product;
  const struct {
    unsigned first, words;
    Element element;
  } parts[] = {
      {0, f.a_words, p.a}, {f.a_words, f.b_words, p.b}, {f.a_words + f.b_words, f.c_words, p.c}};
  for (const auto& part : parts)
    each_element(part.words, part.element, [&](unsigned lane, unsigned i, unsigned bits) {
      put_element(in, 32, lane, part.first, i, bits, random_element(random, part.element, fill));
    });
}

// sm_75 has the smallest shape of a type, and no conjunction of bits.
unsigned first_sm(const Form& f) {
  const Product& p = f.product;
  if (p.a == Element::f64 && p.m == 16) return 90;
  const bool is_larger = p.a == Element::f16 ? p.k > 8 : p.m == 16;
  const unsigned first = first_sm_of(p.a);
  return first == 75 && (is_larger || f.is_sparse || p.is_and) ? 80 : first;
}

void add_form(Table& table, const Form& f) {
  const bool exact = is_exact(f.product.a);
  for (Fill fill : FILLS) {
    const bool wide = f.product.a == Element::f64;
    const bool saturates = fill == Fill::SPECIAL && f.product.saturates;
    if ((exact && fill != Fill::PLAIN && !saturates) || (wide && fill > Fill::SPREAD)) continue;
    Case row;
    row.name = instruction(f) + (f.is_sparse ? " " + std::to_string(f.selector) : "") +
               (exact && !saturates ? "" : std::string(" ") + name_of(fill));
    row.body = body(f);
    row.in = f.a_words + f.b_words + f.c_words + f.is_sparse;
    row.out = f.d_words;
    row.first_sm = first_sm(f);
    row.fill = [f, fill](Random& random, Words& in) {
      fill_operands(f, random, fill, in);
      if (!f.is_sparse) return;
      put_random_metadata(random, f.product.a, f.shape.k, f.selector,
                          in.data() + size_t{f.meta_word()} * 32);
    };
    row.reference = [f](const Words& in, Words& out) {
      if (!f.is_sparse) {
        out = computed(f, in, nullptr);
        return;
      }
      const std::vector<unsigned> rows = rows_of_metadata(in.data() + size_t{f.meta_word()} * 32,
                                                          f.product.a, f.shape.k, f.selector);
      out = computed(f, in, &rows);
    };
    table.push_back(std::move(row));
  }
}

constexpr Element FP8[] = {Element::e4m3, Element::e5m2};
constexpr Element INT8[] = {Element::s8, Element::u8};
constexpr Element INT4[] = {Element::s4, Element::u4};

void add_integers(Table& table, const Shape& shape, const Element (&elements)[2],
                  bool is_sparse = false) {
  for (Element a : elements)
    for (Element b : elements)
      for (bool saturates : {false, true}) {
        Form f = form_of(shape, Element::s32, a, b, Element::s32, is_sparse);
        f.product.saturates = saturates;
        add_form(table, f);
      }
}

void add_bits(Table& table, const Shape& shape) {
  for (bool is_and : {false, true}) {
    Form f = form_of(shape, Element::s32, Element::b1, Element::b1, Element::s32);
    f.product.is_and = is_and;
    f.suffix = is_and ? ".and.popc" : ".xor.popc";
    add_form(table, f);
  }
}

// mma.m8n8k4 of f16: each group of eight lanes has a product of its own.
Place quad_place_c(bool is_half, unsigned lane, unsigned i) {
  const unsigned upper = lane < 16 ? 0 : 4;
  if (is_half) return {lane % 4 + upper, i};
  return {(lane & 1) + (i & 2) + upper, (i & 4) + (lane & 2) + (i & 1)};
}

Place quad_place(bool along_k, unsigned lane, unsigned i) {  // {row of A or column of B, k}
  const unsigned upper = lane < 16 ? 0 : 4;
  if (along_k) return {lane % 4 + upper, i};
  return {i + upper, lane % 4};
}

void quad_reference(const Product& p, bool a_rows, bool b_columns, const Words& in, Words& out) {
  const unsigned c_bits = ptx::bits_of(p.c), d_bits = ptx::bits_of(p.d);
  for (unsigned quad = 0; quad < 4; ++quad) {
    Raw a(32), b(32), c(64);
    for (unsigned member = 0; member < 8; ++member) {
      const unsigned lane = quad * 4 + member % 4 + member / 4 * 16;
      for (unsigned i = 0; i < 4; ++i) {
        const Place left = quad_place(a_rows, lane, i), right = quad_place(b_columns, lane, i);
        a[left.row * 4 + left.column] = element_of(in, 32, lane, 0, i, 16);
        b[right.column * 8 + right.row] = element_of(in, 32, lane, 2, i, 16);
      }
      for (unsigned i = 0; i < 8; ++i) {
        const Place at = quad_place_c(c_bits == 16, lane, i);
        c[at.row * 8 + at.column] = element_of(in, 32, lane, 4, i, c_bits);
      }
    }
    const Raw d = multiply(p, a, b, c);
    for (unsigned member = 0; member < 8; ++member)
      for (unsigned i = 0; i < 8; ++i) {
        const unsigned lane = quad * 4 + member % 4 + member / 4 * 16;
        const Place at = quad_place_c(d_bits == 16, lane, i);
        put_element(out, 32, lane, 0, i, d_bits, d[at.row * 8 + at.column]);
      }
  }
}

void add_quads(Table& table, Element d, Element c, bool a_rows, bool b_columns) {
  Product p{8, 8, 4, Element::f16, Element::f16, c, d};
  p.model = model_of(Element::f16, false);
  if (d == Element::f32) p.method = quad_method();
  const unsigned c_words = ptx::bits_of(c) / 4, d_words = ptx::bits_of(d) / 4;
  Case row;
  row.name = std::string("mma.sync.aligned.m8n8k4.") + (a_rows ? "row." : "col.") +
             (b_columns ? "col." : "row.") + name_of(d) + ".f16.f16." + name_of(c);
  row.in = 4 + c_words;
  row.out = d_words;
  row.body = row.name + " " + registers('d', 0, d_words) + ", " + registers('a', 0, 2) + ", " +
             registers('a', 2, 2) + ", " + registers('a', 4, c_words) + ";";
  row.fill = [=](Random& random, Words& in) {
    for (unsigned lane = 0; lane < 32; ++lane) {
      for (unsigned i = 0; i < 8; ++i)
        put_element(in, 32, lane, 0, i, 16, random_element(random, Element::f16, Fill::SPREAD));
      for (unsigned i = 0; i < 8; ++i)
        put_element(in, 32, lane, 4, i, ptx::bits_of(c), random_element(random, c, Fill::SPREAD));
    }
  };
  row.reference = [=](const Words& in, Words& out) {
    quad_reference(p, a_rows, b_columns, in, out);
  };
  table.push_back(std::move(row));
}

constexpr Element ACCUMULATORS[] = {Element::f32, Element::f16};

void add_halves(Table& table, const Shape& shape, bool is_sparse = false) {
  for (Element c : ACCUMULATORS)
    add_form(table, form_of(shape, c, Element::f16, Element::f16, c, is_sparse));
  add_form(table,
           form_of(shape, Element::f32, Element::bf16, Element::bf16, Element::f32, is_sparse));
}

void add_reals(Table& table, const Shape& shape, Element element, Element c,
               bool is_sparse = false) {
  add_form(table, form_of(shape, c, element, element, c, is_sparse));
}

void add_fp8(Table& table, const Shape& shape, bool is_sparse = false) {
  for (Element a : FP8)
    for (Element b : FP8)
      for (Element c : ACCUMULATORS)
        // PTX has no sparse form with sums of f16.
        if (!is_sparse || c == Element::f32) add_form(table, form_of(shape, c, a, b, c, is_sparse));
}

}  // namespace

void add_products(Table& table) {
  for (Element d : ACCUMULATORS)
    for (Element c : ACCUMULATORS)
      for (bool a_rows : {true, false})
        for (bool b_columns : {true, false})
          // f16 results of f32 accumulators do not exist.
          if (d == Element::f32 || c == Element::f16) add_quads(table, d, c, a_rows, b_columns);
  for (unsigned k : {8u, 16u}) add_halves(table, {16, 8, k});
  for (unsigned k : {4u, 8u}) add_reals(table, {16, 8, k}, Element::tf32, Element::f32);
  add_reals(table, {8, 8, 4}, Element::f64, Element::f64);
  for (unsigned k : {4u, 8u, 16u}) add_reals(table, {16, 8, k}, Element::f64, Element::f64);
  for (unsigned k : {16u, 32u}) add_fp8(table, {16, 8, k});
  for (const Shape& shape : {Shape{8, 8, 16}, {16, 8, 16}, {16, 8, 32}})
    add_integers(table, shape, INT8);
  for (const Shape& shape : {Shape{8, 8, 32}, {16, 8, 32}, {16, 8, 64}})
    add_integers(table, shape, INT4);
  for (const Shape& shape : {Shape{8, 8, 128}, {16, 8, 128}, {16, 8, 256}}) add_bits(table, shape);
}

void add_sparse_products(Table& table) {
  for (unsigned k : {16u, 32u}) add_halves(table, {16, 8, k}, true);
  for (unsigned k : {8u, 16u}) add_reals(table, {16, 8, k}, Element::tf32, Element::f32, true);
  add_fp8(table, {16, 8, 64}, true);
  for (unsigned k : {32u, 64u}) add_integers(table, {16, 8, k}, INT8, true);
  for (unsigned k : {64u, 128u}) add_integers(table, {16, 8, k}, INT4, true);
  Form last = form_of({16, 8, 16}, Element::f32, Element::f16, Element::f16, Element::f32, true);
  for (unsigned selector : {1u, 3u}) {
    last.selector = selector;
    add_form(table, last);
  }
  last = form_of({16, 8, 32}, Element::f32, Element::f16, Element::f16, Element::f32, true);
  last.selector = 1;
  last.is_ordered = true;
  add_form(table, last);
}

}  // namespace cucore::cpu::matrix
