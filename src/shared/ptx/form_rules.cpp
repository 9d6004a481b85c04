// SPDX-License-Identifier: Apache-2.0
// The rules of complete and consistent forms.
#include "ptx/form_rules.hpp"

#include "ptx/type_sets.hpp"

namespace cucore::ptx {
namespace {

bool in(const Form& form, uint64_t set) { return (bit(form.types[0]) & set) != 0; }

bool uses_float_modifier(const Form& form) {
  return form.rounding != Rounding::none ||
         (form.flags & (FLAG_FTZ | FLAG_APPROX | FLAG_FULL | FLAG_NAN | FLAG_XORSIGN_ABS)) != 0;
}

// Signed comparisons need numbers, comparisons for NaN need floats, and lo to hs need unsigned
// types.
bool compares_well(const Form& form, Type type) {
  if (form.compare == Compare::none) return false;
  uint64_t set = bit(type);
  bool equality = form.compare == Compare::eq || form.compare == Compare::ne;
  if (form.compare >= Compare::equ) return (set & FLOAT) != 0;
  if (form.compare >= Compare::lo) return (set & (INT & ~SIGNED)) != 0;
  return equality ? type != Type::pred : (set & (INT | FLOAT)) != 0;
}

bool multiplies_well(const Form& form) {
  if (in(form, FLOAT)) return form.mul == MulMode::none;
  bool narrow = in(form, bit(Type::u16) | bit(Type::s16) | U32 | S32);
  return form.mul == MulMode::lo || form.mul == MulMode::hi ||
         (form.mul == MulMode::wide && narrow);
}

// Without a rounding, the form is one of targets before sm_20; the parser checks the target.
bool multiplies_and_adds(const Form& form) {
  return form.mul == MulMode::none && (form.rounding != Rounding::none || in(form, F32));
}

bool rounds_to_integer(Rounding rounding) { return rounding >= Rounding::rni; }

// Pairs of floats with at most 8 bits.
bool is_small(Type type) { return type >= Type::e4m3x2 && type <= Type::ue8m0x2; }

// Random bits round f32 to pairs of halves, and to four floats of at most 8 bits.
bool rounds_randomly(const Form& form) {
  const Type to = form.types[0];
  const bool halves = to == Type::f16x2 || to == Type::bf16x2;
  constexpr uint32_t KNOWN = FLAG_RELU | FLAG_SATFINITE;
  return form.types[1] == Type::f32 && (form.flags & ~KNOWN) == 0 &&
         (halves || (is_quad(to) && form.has(FLAG_SATFINITE)));
}

// Checks whether a conversion needs a rounding mode, and of which kind.
bool converts_well(const Form& form) {
  Type to = form.types[0], from = form.types[1];
  if (to == Type::pred || from == Type::pred) return false;
  if (form.rounding == Rounding::rs || is_quad(to) || is_quad(from))
    return form.rounding == Rounding::rs && rounds_randomly(form);
  if (is_small(to) || is_small(from) || to == Type::tf32) return form.rounding != Rounding::none;
  bool packed = to == Type::f16x2 || to == Type::bf16x2;
  if (packed) return form.rounding != Rounding::none && from == Type::f32;
  bool to_float = (bit(to) & FLOAT) != 0, from_float = (bit(from) & FLOAT) != 0;
  if (!to_float && !from_float) return form.rounding == Rounding::none && !form.has(FLAG_FTZ);
  if (!to_float) return rounds_to_integer(form.rounding);
  if (!from_float) return form.rounding != Rounding::none && !rounds_to_integer(form.rounding);
  if (to == from) return form.rounding == Rounding::none || rounds_to_integer(form.rounding);
  bool narrows = size_of(to) < size_of(from) || (to != from && size_of(to) == size_of(from));
  return narrows == (form.rounding != Rounding::none) && !rounds_to_integer(form.rounding);
}

bool shuffles(Mode mode) { return mode >= Mode::up && mode <= Mode::idx; }
bool permutes(Mode mode) { return mode == Mode::none || (mode >= Mode::f4e && mode <= Mode::rc16); }

bool modes_well(const Form& form) {
  switch (form.op) {
    case Opcode::shfl:
      return shuffles(form.mode);
    case Opcode::vote:
      return form.mode >= Mode::all && form.mode <= Mode::ballot &&
             (form.mode == Mode::ballot) == (form.types[0] == Type::b32);
    case Opcode::match:
      return (form.mode == Mode::all || form.mode == Mode::any) && form.has(FLAG_SYNC);
    case Opcode::shf:
      return form.mode == Mode::left || form.mode == Mode::right;
    case Opcode::prmt:
      return permutes(form.mode);
    case Opcode::testp:
      return form.mode >= Mode::finite;
    default:
      return true;
  }
}

bool is_shared(Space space) { return space == Space::shared || space == Space::shared_cluster; }

// A restricted fence orders with the cluster: what others wrote there, or what the block wrote.
bool fences_well(const Form& form) {
  if (form.scope == Scope::none) return false;
  if (form.space == Space::generic) return true;
  const Order order = form.space == Space::shared ? Order::release : Order::acquire;
  return form.scope == Scope::cluster && form.order == order;
}

// Shifts name what happens beyond 31. Saturation excludes the sum of the parts.
bool is_complete_video(const Form& form) {
  const bool packs = form.op >= Opcode::vadd2;
  const bool compares = form.op == Opcode::vset || form.op >= Opcode::vset2;
  if (compares != (form.compare != Compare::none) || form.compare > Compare::ge) return false;
  if ((form.op == Opcode::vshl || form.op == Opcode::vshr) &&
      (form.types[2] != Type::u32 || form.has(FLAG_CLAMP) == form.has(FLAG_WRAP)))
    return false;
  if (form.operation > Operation::max || (packs && form.operation > Operation::add)) return false;
  return !packs || form.operation == Operation::none || !form.has(FLAG_SAT);
}

bool cancels_well(const Form& form) {
  constexpr uint32_t KNOWN = FLAG_SYNC | FLAG_MULTICAST;
  return form.has(FLAG_SYNC) && (form.flags & ~KNOWN) == 0 && form.dimensions == 0 &&
         form.mode == Mode::none && (form.space == Space::generic || form.space == Space::shared);
}

// The name ends with an axis, or the result is a vector of all of them.
bool queries_cancel(const Form& form) {
  if (form.types[1] != Type::b128) return false;
  const bool names_axis = form.text.find("ctaid::") != std::string_view::npos;
  return form.op == Opcode::is_canceled || form.vector == (names_axis ? 1 : 4);
}

bool is_bulk_store(const Form& form) {
  return (form.space == Space::generic || form.space == Space::shared) &&
         (form.order == Order::none || form.order == Order::weak);
}

// Copies to shared memory report to an mbarrier, copies to global memory belong to groups.
bool copies_in_bulk(const Form& form) {
  bool reduces = form.op == Opcode::cp_reduce_async_bulk;
  bool to_cluster = form.space == Space::shared_cluster;
  if (reduces && (form.operation == Operation::none || form.space2 != Space::shared)) return false;
  if (form.has(FLAG_MULTICAST) && (!to_cluster || form.space2 != Space::global)) return false;
  if (form.has(FLAG_BYTE_MASK) && (reduces || form.space != Space::global)) return false;
  if (form.has(FLAG_READ) || form.has(FLAG_SYNC) == form.has(FLAG_BULK_GROUP)) return false;
  if (form.space == Space::global) return form.space2 == Space::shared && !form.has(FLAG_SYNC);
  bool from_block = to_cluster && form.space2 == Space::shared;
  return is_shared(form.space) && (form.space2 == Space::global || from_block) &&
         form.has(FLAG_SYNC);
}

// A prefetch has no destination. Stores have no offsets in the box of pixels.
bool copies_tensors(const Form& form) {
  if (form.dimensions == 0 || form.has(FLAG_BYTE_MASK) || form.has(FLAG_READ)) return false;
  const Mode mode = form.mode;
  bool wide = mode == Mode::im2col_w || mode == Mode::im2col_w_128;
  bool im2col = mode == Mode::im2col || mode == Mode::im2col_no_offs || wide;
  bool prefetches = form.op == Opcode::cp_async_bulk_prefetch_tensor;
  bool reduces = form.op == Opcode::cp_reduce_async_bulk_tensor;
  bool stores = !prefetches && form.space == Space::global;
  if (im2col && form.dimensions < 3) return false;
  if (((mode == Mode::im2col || wide) && stores) || (mode == Mode::im2col_no_offs && !stores))
    return false;
  if ((mode == Mode::gather4 || mode == Mode::scatter4) && (form.dimensions != 2 || reduces))
    return false;
  if ((mode == Mode::gather4 && stores) || (mode == Mode::scatter4 && !stores)) return false;
  if (reduces != (form.operation != Operation::none)) return false;
  if (prefetches)
    return form.space == Space::global && !form.has(FLAG_SYNC) && !form.has(FLAG_BULK_GROUP) &&
           !form.has(FLAG_MULTICAST);
  if (stores)
    return form.space2 == Space::shared && form.has(FLAG_BULK_GROUP) && !form.has(FLAG_SYNC);
  bool multicasts = form.has(FLAG_MULTICAST);
  return !reduces && is_shared(form.space) && form.space2 == Space::global && form.has(FLAG_SYNC) &&
         !form.has(FLAG_BULK_GROUP) && (!multicasts || form.space == Space::shared_cluster);
}

// A release to global memory reports to no mbarrier.
bool releases_asynchronously(const Form& form) {
  const bool reduces = form.op == Opcode::red_async;
  const bool global = form.space == Space::global || form.space == Space::generic;
  return global && form.order == Order::release && form.vector == 1 &&
         form.types[0] != Type::pred && size_of(form.types[0]) <= 8 &&
         (form.scope == Scope::gpu || form.scope == Scope::sys) &&
         reduces == (form.operation != Operation::none);
}

// Values for other blocks have 32 or 64 bits.
bool stores_asynchronously(const Form& form) {
  if (!form.has(FLAG_SYNC)) return releases_asynchronously(form);
  bool wide = size_of(form.types[0]) == 4 || size_of(form.types[0]) == 8;
  bool reduces = form.op == Opcode::red_async;
  const bool shared = form.space == Space::shared_cluster || form.space == Space::generic;
  return shared && form.order != Order::release && wide && form.vector <= 4 &&
         reduces == (form.operation != Operation::none);
}

// Addresses and strides have 64 bits.
bool replaces_well(const Form& form) {
  bool wide = form.mode == Mode::global_address || form.mode == Mode::global_stride;
  return form.mode != Mode::none && form.space != Space::constant &&
         form.types[0] == (wide ? Type::b64 : Type::b32);
}

bool is_cube(Geometry geometry) {
  return geometry == Geometry::cube || geometry == Geometry::acube;
}
bool has_samples(Geometry geometry) { return geometry >= Geometry::d2ms; }

// Gathers of tld4 read a plane or a face, and have no halves.
bool gathers_well(const Form& form) {
  const Geometry geometry = form.geometry();
  return form.mode != Mode::none && form.types[0] != Type::f16 && form.types[0] != Type::f16x2 &&
         (geometry == Geometry::d2 || geometry == Geometry::a2d || is_cube(geometry));
}

// Gradients need coordinates of f32, samples have whole ones. A pair of halves is one result.
bool samples_well(const Form& form) {
  const Geometry geometry = form.geometry();
  const bool real = form.types[1] == Type::f32;
  const bool gradient = form.op == Opcode::tex_grad, gather = form.op == Opcode::tld4;
  if (geometry == Geometry::none || form.vector != (form.types[0] == Type::f16x2 ? 2 : 4))
    return false;
  if (!real && (form.types[1] != Type::s32 || is_cube(geometry) || gradient || gather))
    return false;
  const bool has_level = form.op != Opcode::tex && form.op != Opcode::tex_base;
  if (has_samples(geometry) && (real || has_level)) return false;
  return gather ? gathers_well(form) : form.mode == Mode::none;
}

// Formatted accesses have words. Layers have no formatted reductions.
bool accesses_surfaces(const Form& form) {
  const Geometry geometry = form.geometry();
  if (form.dimensions == 0 || geometry >= Geometry::cube || form.mode == Mode::none) return false;
  const bool has_layers = geometry == Geometry::a1d || geometry == Geometry::a2d;
  if (form.op == Opcode::sured_p && has_layers) return false;
  if (form.op == Opcode::sured_b || form.op == Opcode::sured_p)
    return form.operation != Operation::none && size_of(form.types[0]) >= 4;
  return form.vector <= 4 && size_of(form.types[0]) * form.vector <= 16;
}

// Surfaces have no sampler, no levels and no samples.
bool queries_well(const Form& form) {
  const Mode mode = form.mode;
  if (mode == Mode::none) return false;
  if (form.op == Opcode::txq_level) return mode <= Mode::depth;
  const bool is_common =
      mode <= Mode::array_size || mode == Mode::channel_data_type || mode == Mode::channel_order;
  return is_common || mode == Mode::memory_layout || form.op == Opcode::txq;
}

// Products that are zero for the NaN of elements outside of a tensor have halves.
bool is_zeroed_product(const Form& form) {
  return in(form, HALF) && form.rounding == Rounding::rn && !form.has(FLAG_FTZ) &&
         !form.has(FLAG_SAT);
}

bool is_complete(const Form& form) {
  switch (form.op) {
    case Opcode::setp:
      return compares_well(form, form.types[0]);
    case Opcode::set:
      return compares_well(form, form.types[1]);
    case Opcode::mul:
      return multiplies_well(form);
    case Opcode::mad:
      return in(form, FLOAT) ? multiplies_and_adds(form) : multiplies_well(form);
    case Opcode::madc:
      return form.mul == MulMode::lo || form.mul == MulMode::hi;
    case Opcode::mul24:
    case Opcode::mad24:
    case Opcode::dp2a:
      return form.mul == MulMode::lo || form.mul == MulMode::hi;
    case Opcode::fma:
      return form.rounding != Rounding::none && (!form.has(FLAG_OOB) || is_zeroed_product(form));
    case Opcode::div:
      return !in(form, FLOAT) || form.rounding != Rounding::none || form.has(FLAG_APPROX) ||
             form.has(FLAG_FULL);
    case Opcode::rcp:
    case Opcode::sqrt:
      return (form.rounding != Rounding::none) != form.has(FLAG_APPROX);
    case Opcode::cvt:
      return converts_well(form);
    case Opcode::cvta:
    case Opcode::isspacep:
      return form.space != Space::generic;
    case Opcode::cp_async:
      return form.space == Space::shared && form.space2 == Space::global;
    case Opcode::cp_async_bulk:
    case Opcode::cp_reduce_async_bulk:
      return copies_in_bulk(form);
    case Opcode::cp_async_bulk_tensor:
    case Opcode::cp_reduce_async_bulk_tensor:
    case Opcode::cp_async_bulk_prefetch_tensor:
      return copies_tensors(form);
    case Opcode::tensormap_replace:
      return replaces_well(form);
    case Opcode::tex:
    case Opcode::tex_base:
    case Opcode::tex_level:
    case Opcode::tex_grad:
    case Opcode::tld4:
      return samples_well(form);
    case Opcode::txq:
    case Opcode::txq_level:
    case Opcode::suq:
      return queries_well(form);
    case Opcode::istypep:
      return form.mode != Mode::none;
    case Opcode::suld_b:
    case Opcode::sust_b:
    case Opcode::sured_b:
    case Opcode::sust_p:
    case Opcode::sured_p:
      return accesses_surfaces(form);
    case Opcode::st_async:
    case Opcode::red_async:
      return stores_asynchronously(form);
    case Opcode::mbarrier_init:
    case Opcode::mbarrier_inval:
    case Opcode::mbarrier_test_wait:
    case Opcode::mbarrier_test_wait_parity:
    case Opcode::mbarrier_try_wait:
    case Opcode::mbarrier_try_wait_parity:
      return form.space != Space::shared_cluster;  // only the own block waits
    case Opcode::fence:
      return fences_well(form);
    case Opcode::st_bulk:
      return is_bulk_store(form);
    case Opcode::try_cancel:
      return cancels_well(form);
    case Opcode::is_canceled:
    case Opcode::first_ctaid:
      return queries_cancel(form);
    case Opcode::multimem_ld_reduce:
    case Opcode::multimem_red:
      return form.operation != Operation::none;
    case Opcode::membar:
      return form.scope != Scope::none;
    case Opcode::atom:
    case Opcode::red:
    case Opcode::redux:
    case Opcode::bar_red:
      return form.operation != Operation::none;
    default:
      return is_video(form.op) ? is_complete_video(form) : modes_well(form);
  }
}

// Halves fill the result; narrower pairs leave room for bits of a third operand.
bool packs_well(const Form& form, const OpcodeSpec& spec) {
  const uint8_t count = size_of(form.types[0]) == 2 ? 2 : 3;
  return in(form, spec.first_types) && form.type_count == count && form.types[1] == Type::s32 &&
         (count == 2 || form.types[2] == Type::b32) && form.has(FLAG_SAT);
}

// Sums of f32 have operands of half as many bits: the first one, or both factors of a product.
bool mixes_floats(const Form& form) {
  const bool sums = form.op == Opcode::add || form.op == Opcode::sub || form.op == Opcode::fma;
  const Type second = form.types[1];
  return sums && form.type_count == 2 && form.types[0] == Type::f32 && !form.has(FLAG_FTZ) &&
         !form.has(FLAG_RELU) && !form.has(FLAG_OOB) &&
         (second == Type::f16 || second == Type::bf16);
}

}  // namespace

bool is_consistent(const Form& form, const OpcodeSpec& spec) {
  if (form.op == Opcode::cvt_pack) return packs_well(form, spec);
  if (form.order == Order::mmio) return false;
  if (form.type_count != spec.type_count && !mixes_floats(form)) return false;
  if (spec.type_count != 0 && !in(form, spec.first_types)) return false;
  bool integer_only = form.type_count == 1 && !in(form, FLOAT);
  if (integer_only && uses_float_modifier(form)) return false;
  return is_complete(form);
}

}  // namespace cucore::ptx
