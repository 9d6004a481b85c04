// SPDX-License-Identifier: Apache-2.0
// The reference of matrix products: scalar code over dense matrices of raw elements.
#pragma once

#include "case.hpp"

namespace cucore::cpu::matrix {

using ptx::Element;

// The distribution of random elements.
enum class Fill : uint8_t { PLAIN, SPREAD, CANCEL, SPECIAL, INFINITE };
inline constexpr Fill FILLS[] = {Fill::PLAIN, Fill::SPREAD, Fill::CANCEL, Fill::SPECIAL,
                                 Fill::INFINITE};
const char* name_of(Fill fill);

const char* name_of(Element element);
bool is_exact(Element element);

// Returns a random element, as raw bits.
uint64_t random_element(Random& random, Element element, Fill fill);

// The summation of tensor cores, see Accumulation in src/cpu/exec/matrix_kernels.hpp.
struct Model {
  unsigned block = 16, fraction_bits = 25, result_bits = 23;
};

// How mma computes a product. Without a unit, it uses fused operations in f32, or adds the sum of
// two products of f16 to C.
enum class Method : uint8_t { UNIT, FUSED, HALVES };

// The architecture of all later models and methods; sm_90 before the first call.
void use_architecture(unsigned sm);
Model model_of(Element element, bool is_async);
Method method_of(Element element);
Method quad_method();  // of mma.m8n8k4 of f16 with f32 results

struct Product {
  unsigned m = 0, n = 0, k = 0;
  Element a, b, c, d;
  bool saturates = false, is_and = false, negates = false;
  Model model = {};
  Method method = Method::UNIT;
};

// The first architecture whose mma and wmma have the element.
unsigned first_sm_of(Element element);

// Replaces the model of all later products, for a search of the best one; nullptr ends that.
void use_model(const Model* model);

// Dense matrices of raw elements in rows: A of m x k, B of k x n, C and D of m x n.
using Raw = std::vector<uint64_t>;
// With `rows`, element i of a row of A multiplies row rows[i] of B, and k is the stored k.
Raw multiply(const Product& product, const Raw& a, const Raw& b, const Raw& c,
             const std::vector<unsigned>* rows = nullptr);

// The element at a place of the registers of a lane, and the change of it. Word w of thread t is at
// words[w * threads + t].
uint64_t element_of(const Words& words, unsigned threads, unsigned thread, unsigned first_word,
                    unsigned index, unsigned bits);
void put_element(Words& words, unsigned threads, unsigned thread, unsigned first_word,
                 unsigned index, unsigned bits, uint64_t value);

// The place of a fragment's element in its matrix, as the PTX manual describes it.
struct Place {
  unsigned row, column;
};
Place place_of_a(unsigned m, unsigned bits, unsigned lane, unsigned i);
Place place_of_b(unsigned bits, unsigned lane, unsigned i);
Place place_of_c(unsigned lane, unsigned i);

// Chooses the elements that 16 rows of a sparse A store. They are 2 of 4, or 1 of 2 of tf32.
// Integers of 4 bits are stored in pairs. Each lane has a word of metadata.
void put_random_metadata(Random& random, Element element, unsigned k, unsigned selector,
                         uint32_t* metadata);
// Returns the row of B that each stored element multiplies.
std::vector<unsigned> rows_of_metadata(const uint32_t* metadata, Element element, unsigned k,
                                       unsigned selector);

}  // namespace cucore::cpu::matrix
