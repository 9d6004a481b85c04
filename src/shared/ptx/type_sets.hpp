// SPDX-License-Identifier: Apache-2.0
// Sets of types, with one bit for each type.
#pragma once

#include "ptx/ast.hpp"

namespace cucore::ptx {

constexpr uint64_t bit(Type type) { return uint64_t{1} << static_cast<unsigned>(type); }
static_assert(static_cast<unsigned>(Type::count) <= 64);

// Integers that only cvt.pack writes.
inline constexpr uint64_t NIBBLES = bit(Type::u2) | bit(Type::s2) | bit(Type::u4) | bit(Type::s4);
inline constexpr uint64_t ANY = ~(bit(Type::none) | NIBBLES);
inline constexpr uint64_t PRED = bit(Type::pred);
inline constexpr uint64_t B32 = bit(Type::b32);
inline constexpr uint64_t B64 = bit(Type::b64);
inline constexpr uint64_t U32 = bit(Type::u32);
inline constexpr uint64_t U64 = bit(Type::u64);
inline constexpr uint64_t S32 = bit(Type::s32);
inline constexpr uint64_t F32 = bit(Type::f32);
inline constexpr uint64_t F64 = bit(Type::f64);
inline constexpr uint64_t BITS = bit(Type::b16) | B32 | B64;
inline constexpr uint64_t INT = bit(Type::u16) | U32 | U64 | bit(Type::s16) | S32 | bit(Type::s64) |
                                bit(Type::u16x2) | bit(Type::s16x2);
inline constexpr uint64_t HALF =
    bit(Type::f16) | bit(Type::f16x2) | bit(Type::bf16) | bit(Type::bf16x2);
inline constexpr uint64_t FLOAT = HALF | F32 | F64 | bit(Type::f32x2);
// The results of texture reads.
inline constexpr uint64_t TEXELS = U32 | S32 | F32 | bit(Type::f16) | bit(Type::f16x2);
inline constexpr uint64_t SIGNED =
    bit(Type::s8) | bit(Type::s16) | S32 | bit(Type::s64) | bit(Type::s16x2);

}  // namespace cucore::ptx
