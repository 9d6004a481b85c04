// SPDX-License-Identifier: Apache-2.0
// Handlers of the instructions between the lanes of a warp.
#include <bit>
#include <cstring>

#include "cpu/exec/baseline_ops.hpp"

namespace cucore::cpu {
namespace {

using enum Exchange;
using ptx::Form;
using ptx::Mode;
using ptx::Opcode;
using ptx::Operation;
using ptx::Type;

template <class F>
void each_active(const Warp& w, F f) {
  for (uint32_t m = w.mask; m; m &= m - 1) f(std::countr_zero(m));
}
void write_bits(const Warp& w, uint32_t* d, uint32_t bits) {
  *d = (*d & ~w.mask) | (bits & w.mask);
}

struct Source {
  int lane;
  bool inside;
};
// Returns the lane that lane l reads: b is the offset or index, c contains the clamp and the
// segment mask.
template <Mode M>
Source shuffle_source(int l, uint32_t b, uint32_t c) {
  const int offset = int(b & 31), clamp = int(c & 31), segment = int(c >> 8 & 31);
  const int top = (l & segment) | (clamp & ~segment), bottom = l & segment;
  switch (M) {
    case Mode::up:
      return {l - offset, l - offset >= top};
    case Mode::down:
      return {l + offset, l + offset <= top};
    case Mode::bfly:
      return {l ^ offset, (l ^ offset) <= top};
    default:
      return {bottom | (offset & ~segment), (bottom | (offset & ~segment)) <= top};
  }
}
bool all_equal(const uint32_t* a, uint32_t value) {
  uint32_t differs = 0;
  for (int l = 0; l < LANES; ++l) differs |= a[l] ^ value;
  return differs == 0;
}

// Exchanges lanes l and l ^ offset of a whole warp: groups of four change places, and the lanes of
// each group as WITHIN states.
template <int WITHIN>
void exchange_fours(const uint32_t* from, uint32_t* to, uint32_t offset) {
  typedef uint32_t Four [[gnu::vector_size(16)]];
  constexpr uint32_t FOURS = LANES / 4;
  Four value[FOURS];
  std::memcpy(value, from, sizeof value);
  for (uint32_t k = 0; k < FOURS; ++k) {
    const Four four = value[k ^ offset >> 2];
    const Four moved =
        __builtin_shufflevector(four, four, WITHIN, 1 ^ WITHIN, 2 ^ WITHIN, 3 ^ WITHIN);
    std::memcpy(to + size_t{k} * 4, &moved, sizeof moved);
  }
}

void exchange_lanes(const uint32_t* from, uint32_t* to, uint32_t offset) {
  constexpr decltype(&exchange_fours<0>) EXCHANGES[] = {exchange_fours<0>, exchange_fours<1>,
                                                        exchange_fours<2>, exchange_fours<3>};
  EXCHANGES[offset & 3](from, to, offset);
}

template <Mode M>
void shfl(Warp& w, const Op& op) {
  const uint32_t* a = w.at<uint32_t>(op[FIRST]);
  const uint32_t* b = w.at<uint32_t>(op[SECOND]);
  const uint32_t* c = w.at<uint32_t>(op[THIRD]);
  if (M == Mode::bfly && w.mask == FULL_MASK && all_equal(b, b[0]) && all_equal(c, LANES - 1)) {
    exchange_lanes(a, w.at<uint32_t>(op[RESULT]), b[0] & 31);
    return write_bits(w, w.at<uint32_t>(op[PREDICATE]), FULL_MASK);
  }
  uint32_t value[LANES];
  uint32_t valid = 0;
  for (int l = 0; l < LANES; ++l) {
    const Source s = shuffle_source<M>(l, b[l], c[l]);
    value[l] = a[s.inside ? s.lane & 31 : l];
    valid |= uint32_t{s.inside} << l;
  }
  uint32_t* d = w.at<uint32_t>(op[RESULT]);
  if (w.mask == FULL_MASK)
    for (int l = 0; l < LANES; ++l) d[l] = value[l];
  else
    each_active(w, [&](int l) { d[l] = value[l]; });
  write_bits(w, w.at<uint32_t>(op[PREDICATE]), valid);
}
Handler shuffle(Mode mode) {
  switch (mode) {
    case Mode::up:
      return shfl<Mode::up>;
    case Mode::down:
      return shfl<Mode::down>;
    case Mode::bfly:
      return shfl<Mode::bfly>;
    case Mode::idx:
      return shfl<Mode::idx>;
    default:
      return nullptr;
  }
}

// Returns the participating lanes: those of the group in the member mask.
uint32_t members(const Warp& w, const Op& op) {
  if (op[MEMBERS] == NO_SLOT) return w.mask;
  return w.mask & w.at<uint32_t>(op[MEMBERS])[std::countr_zero(w.mask)];
}
uint32_t votes(const Warp& w, const Op& op) {
  const uint32_t p = *w.at<uint32_t>(op[FIRST]);
  return op.target & 1 ? ~p : p;
}
template <Mode M>
void vote(Warp& w, const Op& op) {
  const uint32_t all = members(w, op), yes = votes(w, op) & all;
  if constexpr (M == Mode::ballot) {
    uint32_t* d = w.at<uint32_t>(op[RESULT]);
    each_active(w, [&](int l) { d[l] = yes; });
  } else {
    const bool r = M == Mode::all ? yes == all : M == Mode::any ? yes != 0 : yes == 0 || yes == all;
    write_bits(w, w.at<uint32_t>(op[RESULT]), r ? FULL_MASK : 0);
  }
}
Handler vote_of(Mode mode) {
  switch (mode) {
    case Mode::all:
      return vote<Mode::all>;
    case Mode::any:
      return vote<Mode::any>;
    case Mode::uni:
      return vote<Mode::uni>;
    case Mode::ballot:
      return vote<Mode::ballot>;
    default:
      return nullptr;
  }
}

template <class T>
void match_any(Warp& w, const Op& op) {
  const T* a = w.at<T>(op[FIRST]);
  const uint32_t all = members(w, op);
  uint32_t result[LANES] = {};
  for (uint32_t m = all; m;) {
    const T value = a[std::countr_zero(m)];
    uint32_t same = 0;
    for (uint32_t k = m; k; k &= k - 1)
      if (a[std::countr_zero(k)] == value) same |= k & (0 - k);
    for (uint32_t k = same; k; k &= k - 1) result[std::countr_zero(k)] = same;
    m &= ~same;
  }
  uint32_t* d = w.at<uint32_t>(op[RESULT]);
  each_active(w, [&](int l) { d[l] = result[l]; });
}
template <class T>
void match_all(Warp& w, const Op& op) {
  const T* a = w.at<T>(op[FIRST]);
  const uint32_t all = members(w, op);
  bool same = all != 0;
  for (uint32_t m = all; m; m &= m - 1) same &= a[std::countr_zero(m)] == a[std::countr_zero(all)];
  uint32_t* d = w.at<uint32_t>(op[RESULT]);
  each_active(w, [&](int l) { d[l] = same ? all : 0; });
  write_bits(w, w.at<uint32_t>(op[PREDICATE]), same ? FULL_MASK : 0);
}

struct Add {
  static uint32_t apply(uint32_t a, uint32_t b) { return a + b; }
};
struct And {
  static uint32_t apply(uint32_t a, uint32_t b) { return a & b; }
};
struct Or {
  static uint32_t apply(uint32_t a, uint32_t b) { return a | b; }
};
struct Xor {
  static uint32_t apply(uint32_t a, uint32_t b) { return a ^ b; }
};
template <class T>
struct Min {
  static uint32_t apply(uint32_t a, uint32_t b) { return T(b) < T(a) ? b : a; }
};
template <class T>
struct Max {
  static uint32_t apply(uint32_t a, uint32_t b) { return T(b) > T(a) ? b : a; }
};
template <class F>
void redux(Warp& w, const Op& op) {
  const uint32_t* a = w.at<uint32_t>(op[FIRST]);
  uint32_t m = members(w, op);
  if (m == 0) return;
  uint32_t r = a[std::countr_zero(m)];
  for (m &= m - 1; m; m &= m - 1) r = F::apply(r, a[std::countr_zero(m)]);
  uint32_t* d = w.at<uint32_t>(op[RESULT]);
  each_active(w, [&](int l) { d[l] = r; });
}
// redux.f32 (sm_100a): the result is NaN only under .NaN or if all values are NaN.
template <bool Least, bool Abs, bool Nan>
void redux_f32(Warp& w, const Op& op) {
  const float* a = w.at<float>(op[FIRST]);
  float r = std::bit_cast<float>(uint32_t{0x7fffffff});
  bool nan = false;
  for (uint32_t m = members(w, op); m; m &= m - 1) {
    const uint32_t bits = std::bit_cast<uint32_t>(a[std::countr_zero(m)]);
    const float v = std::bit_cast<float>(Abs ? bits & 0x7fffffff : bits);
    nan |= v != v;
    if (v == v && (r != r || (Least ? v < r : v > r))) r = v;
  }
  const uint32_t result = Nan && nan ? 0x7fffffff : std::bit_cast<uint32_t>(r);
  uint32_t* d = w.at<uint32_t>(op[RESULT]);
  each_active(w, [&](int l) { d[l] = result; });
}
template <bool Least>
Handler redux_float(const Form& f) {
  const bool abs = f.has(ptx::FLAG_ABS), nan = f.has(ptx::FLAG_NAN);
  if (abs) return nan ? redux_f32<Least, true, true> : redux_f32<Least, true, false>;
  return nan ? redux_f32<Least, false, true> : redux_f32<Least, false, false>;
}
Handler redux_of(const Form& f) {
  const bool is_signed = f.types[0] == Type::s32;
  if (f.types[0] == Type::f32)
    return f.operation == Operation::min   ? redux_float<true>(f)
           : f.operation == Operation::max ? redux_float<false>(f)
                                           : nullptr;
  switch (f.operation) {
    case Operation::add:
      return redux<Add>;
    case Operation::and_:
      return redux<And>;
    case Operation::or_:
      return redux<Or>;
    case Operation::xor_:
      return redux<Xor>;
    case Operation::min:
      return is_signed ? redux<Min<int32_t>> : redux<Min<uint32_t>>;
    case Operation::max:
      return is_signed ? redux<Max<int32_t>> : redux<Max<uint32_t>>;
    default:
      return nullptr;
  }
}

// The lowest member is the leader.
void elect(Warp& w, const Op& op) {
  const uint32_t all = members(w, op);
  const uint32_t leader = all & (0 - all);
  uint32_t* d = w.at<uint32_t>(op[RESULT]);
  each_active(w, [&](int l) { d[l] = uint32_t(std::countr_zero(all)); });
  write_bits(w, w.at<uint32_t>(op[PREDICATE]), leader);
}

}  // namespace

void activemask(Warp& w, const Op& op) {
  uint32_t* d = w.at<uint32_t>(op[RESULT]);
  each_active(w, [&](int l) { d[l] = w.mask; });
}

Handler select_warp_op(const Form& f) {
  const bool wide = ptx::size_of(f.types[0]) == 8;
  switch (f.op) {
    case Opcode::shfl:
      return shuffle(f.mode);
    case Opcode::vote:
      return vote_of(f.mode);
    case Opcode::match:
      if (f.mode == Mode::all) return wide ? match_all<uint64_t> : match_all<uint32_t>;
      return wide ? match_any<uint64_t> : match_any<uint32_t>;
    case Opcode::redux:
      return redux_of(f);
    case Opcode::elect:
      return elect;
    default:
      return nullptr;
  }
}

}  // namespace cucore::cpu
