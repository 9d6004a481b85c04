// SPDX-License-Identifier: Apache-2.0
#include "array/model/overlap.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>
#include <vector>

namespace cucore::array {
namespace {

// coefficient * x with 0 <= x <= bound.
struct Term {
  int64_t coefficient;
  int64_t bound;
};

struct Suffix {     // of the terms from one on
  int64_t most;     // the largest sum
  int64_t divisor;  // of each sum
};

// Appends the terms of a view, each coefficient positive, and returns the constant that is left.
int64_t append_terms(std::vector<Term>& terms, const View& view, int64_t sign) {
  int64_t constant = sign * view.offset;
  for (size_t axis = 0; axis < view.ndim(); ++axis) {
    const int64_t bound = view.shape[axis] - 1;
    const int64_t coefficient = sign * view.strides[axis];
    if (bound == 0 || coefficient == 0) continue;
    if (coefficient < 0) constant += coefficient * bound;  // x becomes bound - x
    terms.push_back({std::abs(coefficient), bound});
  }
  return constant;
}

// Terms with one coefficient are one term. The largest comes first, so that the rest decides
// little.
void simplify(std::vector<Term>& terms) {
  std::sort(terms.begin(), terms.end(),
            [](const Term& a, const Term& b) { return a.coefficient > b.coefficient; });
  size_t kept = 0;
  for (const Term& term : terms)
    if (kept > 0 && terms[kept - 1].coefficient == term.coefficient)
      terms[kept - 1].bound += term.bound;
    else
      terms[kept++] = term;
  terms.resize(kept);
}

// x such that a * x = 1 modulo m, for coprime a and m.
int64_t inverse(int64_t a, int64_t m) {
  int64_t r = m, next_r = a % m, t = 0, next_t = 1;
  while (next_r != 0) {
    const int64_t quotient = r / next_r;
    t = std::exchange(next_t, t - quotient * next_t);
    r = std::exchange(next_r, r - quotient * next_r);
  }
  return t < 0 ? t + m : t;
}

class Search {
 public:
  Search(std::vector<Term> terms, uint64_t work) : terms_(std::move(terms)), work_(work) {
    suffixes_.resize(terms_.size() + 1, {0, 0});
    for (size_t at = terms_.size(); at-- > 0;)
      suffixes_[at] = {suffixes_[at + 1].most + terms_[at].coefficient * terms_[at].bound,
                       std::gcd(suffixes_[at + 1].divisor, terms_[at].coefficient)};
  }

  // Whether the terms from `at` on can have the sum `rest`.
  Overlap find(size_t at, int64_t rest) {
    if (rest < 0 || rest > suffixes_[at].most) return Overlap::NONE;
    if (at == terms_.size()) return Overlap::SOME;  // rest is 0
    if (rest % suffixes_[at].divisor != 0) return Overlap::NONE;
    const auto [coefficient, bound] = terms_[at];
    const Suffix& later = suffixes_[at + 1];
    // The later terms reach [0, most]: x is in a range.
    const int64_t low = rest > later.most ? (rest - later.most - 1) / coefficient + 1 : 0;
    const int64_t high = std::min(bound, rest / coefficient);
    // Their sums are multiples of their divisor: x is in one class of residues.
    const int64_t step =
        later.divisor == 0 ? 1 : later.divisor / std::gcd(later.divisor, coefficient);
    for (int64_t x = first_of_class(low, rest, coefficient, later.divisor, step); x <= high;
         x += step) {
      if (work_ != 0 && ++done_ > work_) return Overlap::UNDECIDED;
      const Overlap found = find(at + 1, rest - coefficient * x);
      if (found != Overlap::NONE) return found;
    }
    return Overlap::NONE;
  }

 private:
  static int64_t first_of_class(int64_t low, int64_t rest, int64_t coefficient, int64_t divisor,
                                int64_t step) {
    if (step == 1) return low;
    const int64_t common = std::gcd(divisor, coefficient);
    const auto residue =
        static_cast<int64_t>(__int128(rest / common) * inverse(coefficient / common, step) % step);
    const int64_t behind = (low - residue) % step;
    return behind == 0 ? low : behind > 0 ? low + step - behind : low - behind;
  }

  std::vector<Term> terms_;
  std::vector<Suffix> suffixes_;
  uint64_t work_;
  uint64_t done_ = 0;
};

}  // namespace

Overlap overlap_of(const View& a, const View& b, uint64_t work) {
  const auto range_a = range_of(a), range_b = range_of(b);
  if (!range_a || !range_b || range_a->last < range_b->first || range_b->last < range_a->first)
    return Overlap::NONE;
  if (a.part != b.part && a.part != Part::WHOLE && b.part != Part::WHOLE) return Overlap::NONE;
  std::vector<Term> terms;
  int64_t constant = append_terms(terms, a, 1);
  constant += append_terms(terms, b, -1);
  simplify(terms);
  return Search(std::move(terms), work).find(0, -constant);
}

}  // namespace cucore::array
