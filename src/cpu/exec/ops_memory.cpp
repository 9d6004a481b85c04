// SPDX-License-Identifier: Apache-2.0
// Handlers of weak loads and stores. A warp with consecutive or equal addresses uses vector code
// after one bounds check. Other warps have one check of the lowest and highest address.
#include "cpu/exec/access.hpp"
#include "cpu/exec/families.hpp"
#include "cpu/exec/lanes.hpp"
#include "cpu/exec/patterns.hpp"

namespace cucore::cpu::CUCPU_SIMD {
namespace {

using ptx::Form;
using ptx::Opcode;
using ptx::Order;
using ptx::Space;
using ptx::Type;

// The offset of the address is in imm. The target is the Region,
// with NARROW for a 32-bit address and FRAME_RELATIVE for an address in the current call's local
// memory.

template <bool IsShared, class A>
struct Memory {
  using Address = A;
  static constexpr bool SHARED = IsShared;
};
using Global = Memory<false, uint64_t>;
using Shared32 = Memory<true, uint32_t>;
using Shared64 = Memory<true, uint64_t>;

CUCPU_INLINE Region region_of(const Op& op) { return Region(op.target & 0xff); }

// Returns the host's pointer for [address, address + size) if that is known to be inside one
// allocation, or inside the shared memory of the block.
template <class Place>
CUCPU_INLINE std::byte* window(const Warp& w, const Op& op, uint64_t address, uint64_t size) {
  if constexpr (Place::SHARED) {
    const bool inside = (address <= w.shared_size) & (size <= w.shared_size - address);
    return inside ? w.shared + address : nullptr;
  } else {
    const Site& site = w.sites[op.site];
    const uint64_t offset = address - site.base;
    const bool inside = (offset <= site.size) & (size <= site.size - offset) &
                        (w.sites[0].base == w.generation->load(std::memory_order_relaxed));
    if (inside) return reinterpret_cast<std::byte*>(address + site.delta);
    return own_shared(w, op, address, size);
  }
}

template <class T>
CUCPU_INLINE T read(const std::byte* p) {
  T v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
template <class T>
CUCPU_INLINE void write(std::byte* p, T v) {
  __builtin_memcpy(p, &v, sizeof v);
}

// ---- loads

template <class R, class M, int V, int Count>
CUCPU_INLINE void load_consecutive(const Warp& w, const Op& op, const std::byte* p, int first) {
  for (int v = 0; v < V; ++v) {
    R* d = out<R>(w, op.at(LoadStore::VALUES, v)) + first;
    CUCPU_LANE_LOOP
    for (int l = 0; l < Count; ++l) d[l] = R(read<M>(p + (l * V + v) * int(sizeof(M))));
  }
}
template <class R, class M, int V, int Count>
CUCPU_INLINE void load_equal(const Warp& w, const Op& op, const std::byte* p, int first) {
  for (int v = 0; v < V; ++v) {
    R* d = out<R>(w, op.at(LoadStore::VALUES, v)) + first;
    const R value = R(read<M>(p + v * int(sizeof(M))));
    for (int l = 0; l < Count; ++l) d[l] = value;
  }
}
template <class R, class M, int V>
CUCPU_INLINE void load_lane(const Warp& w, const Op& op, const std::byte* p, int lane) {
  for (int v = 0; v < V; ++v)
    out<R>(w, op.at(LoadStore::VALUES, v))[lane] = R(read<M>(p + v * int(sizeof(M))));
}

template <class R, class M, int V>
struct Load {
  static constexpr uint64_t SIZE = sizeof(M) * V;
  static constexpr Access ACCESS = Access::READ;
  template <int Count>
  CUCPU_INLINE static void consecutive(const Warp& w, const Op& op, std::byte* p, int first) {
    load_consecutive<R, M, V, Count>(w, op, p, first);
  }
  template <int Count>
  CUCPU_INLINE static void equal(const Warp& w, const Op& op, std::byte* p, int first) {
    load_equal<R, M, V, Count>(w, op, p, first);
  }
  CUCPU_INLINE static void lane(const Warp& w, const Op& op, std::byte* p, int l) {
    load_lane<R, M, V>(w, op, p, l);
  }
};

// ---- stores

template <class R, class M, int V>
struct Store {
  static constexpr uint64_t SIZE = sizeof(M) * V;
  static constexpr Access ACCESS = Access::WRITE;
  template <int Count>
  CUCPU_INLINE static void consecutive(const Warp& w, const Op& op, std::byte* p, int first) {
    for (int v = 0; v < V; ++v) {
      const R* s = in<R>(w, op.at(LoadStore::VALUES, v)) + first;
      CUCPU_LANE_LOOP
      for (int l = 0; l < Count; ++l) write<M>(p + (l * V + v) * int(sizeof(M)), M(s[l]));
    }
  }
  // All lanes write to the same address: the last lane's value stays.
  template <int Count>
  CUCPU_INLINE static void equal(const Warp& w, const Op& op, std::byte* p, int first) {
    lane(w, op, p, first + Count - 1);
  }
  CUCPU_INLINE static void lane(const Warp& w, const Op& op, std::byte* p, int l) {
    for (int v = 0; v < V; ++v)
      write<M>(p + v * int(sizeof(M)), M(in<R>(w, op.at(LoadStore::VALUES, v))[l]));
  }
};

// ---- any pattern

// The address of each lane. They are 64-bit for each address space, so that code which depends on
// the types of an instruction exists once for all spaces.
using Addresses = uint64_t[LANES];

// Writes the lanes' addresses; those of inactive lanes are equal to one of an active lane. If one
// window holds all lanes and each address is aligned, they are the host's addresses and the result
// is true. Else they are addresses of the device.
template <class Place>
[[gnu::noinline]] bool locate(Warp& w, const Op& op, uint64_t size, Access access,
                              Addresses& addresses) {
  using A = typename Place::Address;
  const A* base = in<A>(w, op[LoadStore::ADDRESS]);
  const A offset = A(op.imm);
  const A some = base[__builtin_ctz(w.mask)] + offset;
  const uint32_t m = w.mask;
  A low = some, high = some, any = some;
  A a[LANES];
  for (int l = 0; l < LANES; ++l) {
    const A mine = A(base[l] + offset);
    a[l] = (m >> l & 1) ? mine : some;
    low = a[l] < low ? a[l] : low;
    high = a[l] > high ? a[l] : high;
    any |= a[l];
  }
  const uint64_t distance = uint64_t(high - low);
  std::byte* p = nullptr;
  if (!(any & (size - 1))) p = window<Place>(w, op, low, distance + size);
  if (!p && !Place::SHARED && !(any & (size - 1)) && size <= ~uint64_t{0} - distance) {
    // The first miss of this instruction fills its site; later accesses of the warp are usually
    // inside.
    resolve(w, op, __builtin_ctz(m), some, size, access, region_of(op));
    p = window<Place>(w, op, low, distance + size);
  }
  const uint64_t origin = p ? reinterpret_cast<uint64_t>(p) - low : 0;
  for (int l = 0; l < LANES; ++l) addresses[l] = origin + a[l];
  return p != nullptr;
}

CUCPU_INLINE std::byte* host(uint64_t address) { return reinterpret_cast<std::byte*>(address); }

// Processes eight lanes at a time: rows of a tile are consecutive or equal in parts of a warp.
template <class Kind>
CUCPU_INLINE void eight_lanes(const Warp& w, const Op& op, const uint64_t* a, int first) {
  const uint64_t step = a[first + 1] - a[first];
  if (step == Kind::SIZE && is_ramp<Kind::SIZE, 8>(a + first))
    return Kind::template consecutive<8>(w, op, host(a[first]), first);
  if (step == 0 && is_ramp<uint64_t{0}, 8>(a + first))
    return Kind::template equal<8>(w, op, host(a[first]), first);
  for (int l = first; l < first + 8; ++l) Kind::lane(w, op, host(a[l]), l);
}

template <class Kind>
[[gnu::noinline]] void lane_by_lane(Warp& w, const Op& op, const Addresses& a) {
  each_active(w, [&](int l) {
    std::byte* p = resolve(w, op, l, a[l], Kind::SIZE, Kind::ACCESS, region_of(op));
    Kind::lane(w, op, p, l);
  });
}

template <class Kind>
[[gnu::noinline]] void scattered(Warp& w, const Op& op, decltype(locate<Global>)& locate_lanes) {
  Addresses a;
  if (!locate_lanes(w, op, Kind::SIZE, Kind::ACCESS, a)) return lane_by_lane<Kind>(w, op, a);
  if (w.mask == FULL_MASK)
    for (int first = 0; first < LANES; first += 8) eight_lanes<Kind>(w, op, a, first);
  else
    each_active(w, [&](int l) { Kind::lane(w, op, host(a[l]), l); });
}

constexpr uint64_t AHEAD = 1024;  // bytes

// Accesses consecutive or equal addresses of the whole warp, or of each of its halves, as the rows
// of a tile are. Returns false if nothing was accessed.
template <class Place, class Kind, bool Consecutive>
CUCPU_INLINE bool runs(const Warp& w, const Op& op, const typename Place::Address* a) {
  using A = typename Place::Address;
  constexpr int HALF = LANES / 2;
  constexpr A STEP = Consecutive ? A(Kind::SIZE) : A(0);
  constexpr uint64_t BYTES = Kind::SIZE + STEP * (HALF - 1);
  if (!is_ramp<STEP, HALF>(a) || !is_ramp<STEP, HALF>(a + HALF)) return false;
  const A low = A(a[0] + A(op.imm)), high = A(a[HALF] + A(op.imm));
  if ((low | high) & (Kind::SIZE - 1)) return false;
  const bool joined = high == A(low + HALF * STEP);
  std::byte* p = window<Place>(w, op, low, joined ? BYTES + HALF * STEP : BYTES);
  std::byte* q = joined ? p : window<Place>(w, op, high, BYTES);
  if (!p || !q) return false;
  // Warps of the next block usually continue where those of this one end.
  if constexpr (Consecutive && !Place::SHARED && Kind::ACCESS == Access::READ)
    for (uint64_t line = 0; line < LANES * Kind::SIZE; line += 64)
      __builtin_prefetch(p + AHEAD + line);
  if constexpr (Consecutive) {
    if (joined) return Kind::template consecutive<LANES>(w, op, p, 0), true;
    Kind::template consecutive<HALF>(w, op, p, 0);
    Kind::template consecutive<HALF>(w, op, q, HALF);
  } else {
    if (joined) return Kind::template equal<LANES>(w, op, p, 0), true;
    Kind::template equal<HALF>(w, op, p, 0);
    Kind::template equal<HALF>(w, op, q, HALF);
  }
  return true;
}

template <class Place, class Kind>
void access(Warp& w, const Op& op) {
  using A = typename Place::Address;
  const A* a = in<A>(w, op[LoadStore::ADDRESS]);
  if (w.mask == FULL_MASK) {
    const A step = a[1] - a[0];
    if (step == A(Kind::SIZE) && runs<Place, Kind, true>(w, op, a)) return;
    if (step == 0 && runs<Place, Kind, false>(w, op, a)) return;
  }
  scattered<Kind>(w, op, locate<Place>);
}

// ---- memory that each lane has separately, and indexed parameters

CUCPU_INLINE uint64_t own_address(const Warp& w, const Op& op, int l) {
  if (op.target & NARROW)
    return uint32_t(in<uint32_t>(w, op[LoadStore::ADDRESS])[l] + uint32_t(op.imm));
  return in<uint64_t>(w, op[LoadStore::ADDRESS])[l] + op.imm +
         (op.target & FRAME_RELATIVE ? w.frame->local_base : 0);
}
template <class Kind>
void own_memory(Warp& w, const Op& op) {
  const bool local = region_of(op) == Region::LOCAL;
  std::byte* origin = local ? w.local : w.frame->params;
  const uint64_t stride = local                                  ? w.local_stride
                          : region_of(op) == Region::FRAME_PARAM ? w.frame->param_stride
                                                                 : 0;
  each_active(w, [&](int l) {
    const uint64_t address = own_address(w, op, l);
    const bool good =
        (address <= stride) & (Kind::SIZE <= stride - address) & !(address & (Kind::SIZE - 1));
    std::byte* p = good ? origin + uint64_t(l) * stride + address
                        : resolve(w, op, l, address, Kind::SIZE, Kind::ACCESS, region_of(op));
    Kind::lane(w, op, p, l);
  });
}

// Loads a kernel's parameter: one value for the whole launch. The decoder has checked the bounds.
template <class Kind>
void kernel_parameter(Warp& w, const Op& op) {
  auto* p = const_cast<std::byte*>(w.params) + op.imm;
  if (w.mask == FULL_MASK) return Kind::template equal<LANES>(w, op, p, 0);
  each_active(w, [&](int l) { Kind::lane(w, op, p, l); });
}

// ---- choice

template <class Kind>
Handler by_space(const Form& f, Widths widths) {
  const bool narrow = widths.a == 4;
  switch (f.space) {
    case Space::global:
    case Space::constant:
    case Space::generic:
      return narrow ? nullptr : Handler(access<Global, Kind>);
    case Space::shared:
    case Space::shared_cluster:
      return narrow ? Handler(access<Shared32, Kind>) : Handler(access<Shared64, Kind>);
    case Space::local:
      return own_memory<Kind>;
    case Space::param:
      if (widths.param == ParamKind::FRAME) return own_memory<Kind>;
      if constexpr (Kind::ACCESS == Access::WRITE)
        return nullptr;
      else
        return widths.param == ParamKind::KERNEL ? Handler(kernel_parameter<Kind>)
                                                 : Handler(own_memory<Kind>);
    default:
      return nullptr;
  }
}

template <template <class, class, int> class Kind, class R, class M>
Handler by_vector(const Form& f, Widths widths) {
  switch (f.vector) {
    case 1:
      return by_space<Kind<R, M, 1>>(f, widths);
    case 2:
      return by_space<Kind<R, M, 2>>(f, widths);
    case 4:
      return by_space<Kind<R, M, 4>>(f, widths);
    default:
      return nullptr;
  }
}
template <template <class, class, int> class Kind, class R, class M>
Handler scalar(const Form& f, Widths widths) {
  return f.vector == 1 ? by_space<Kind<R, M, 1>>(f, widths) : nullptr;
}

Handler load16(const Form& f, Widths widths, unsigned bytes, bool sign) {
  if (bytes == 2) return by_vector<Load, uint16_t, uint16_t>(f, widths);
  if (bytes == 1)
    return sign ? by_vector<Load, uint16_t, int8_t>(f, widths)
                : by_vector<Load, uint16_t, uint8_t>(f, widths);
  return nullptr;
}
Handler load32(const Form& f, Widths widths, unsigned bytes, bool sign) {
  switch (bytes) {
    case 4:
      return by_vector<Load, uint32_t, uint32_t>(f, widths);
    case 2:
      return sign ? scalar<Load, uint32_t, int16_t>(f, widths)
                  : by_vector<Load, uint32_t, uint16_t>(f, widths);
    case 1:
      return sign ? by_vector<Load, uint32_t, int8_t>(f, widths)
                  : by_vector<Load, uint32_t, uint8_t>(f, widths);
    default:
      return nullptr;
  }
}
Handler load64(const Form& f, Widths widths, unsigned bytes, bool sign) {
  switch (bytes) {
    case 8:
      return by_vector<Load, uint64_t, uint64_t>(f, widths);
    case 4:
      return sign ? scalar<Load, uint64_t, int32_t>(f, widths)
                  : scalar<Load, uint64_t, uint32_t>(f, widths);
    case 2:
      return sign ? scalar<Load, uint64_t, int16_t>(f, widths)
                  : scalar<Load, uint64_t, uint16_t>(f, widths);
    case 1:
      return sign ? scalar<Load, uint64_t, int8_t>(f, widths)
                  : scalar<Load, uint64_t, uint8_t>(f, widths);
    default:
      return nullptr;
  }
}

bool is_weak(const Form& f) { return f.order == Order::none || f.order == Order::weak; }

}  // namespace

Handler select_load(const Form& f, Widths widths) {
  if ((f.op != Opcode::ld && f.op != Opcode::ldu) || !is_weak(f)) return nullptr;
  const unsigned bytes = ptx::size_of(f.types[0]);
  const bool sign = ptx::is_signed(f.types[0]);
  switch (widths.d) {
    case 2:
      return load16(f, widths, bytes, sign);
    case 4:
      return load32(f, widths, bytes, sign);
    case 8:
      return load64(f, widths, bytes, sign);
    default:
      return nullptr;
  }
}

Handler select_store(const Form& f, Widths widths) {
  if (f.op != Opcode::st || !is_weak(f)) return nullptr;
  const unsigned bytes = ptx::size_of(f.types[0]);
  switch (widths.d * 16 + bytes) {
    case 0x21:
      return by_vector<Store, uint16_t, uint8_t>(f, widths);
    case 0x22:
      return by_vector<Store, uint16_t, uint16_t>(f, widths);
    case 0x41:
      return by_vector<Store, uint32_t, uint8_t>(f, widths);
    case 0x42:
      return by_vector<Store, uint32_t, uint16_t>(f, widths);
    case 0x44:
      return by_vector<Store, uint32_t, uint32_t>(f, widths);
    case 0x81:
      return scalar<Store, uint64_t, uint8_t>(f, widths);
    case 0x82:
      return scalar<Store, uint64_t, uint16_t>(f, widths);
    case 0x84:
      return scalar<Store, uint64_t, uint32_t>(f, widths);
    case 0x88:
      return by_vector<Store, uint64_t, uint64_t>(f, widths);
    default:
      return nullptr;
  }
}

}  // namespace cucore::cpu::CUCPU_SIMD
