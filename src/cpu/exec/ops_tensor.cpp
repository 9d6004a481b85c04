// SPDX-License-Identifier: Apache-2.0
// Tensor copies and reductions: cp.async.bulk.tensor, cp.reduce.async.bulk.tensor, and the
// instructions that change tensor maps.
#include <bit>
#include <cstring>
#include <iterator>

#include "cpu/exec/baseline_ops.hpp"
#include "cpu/exec/cluster.hpp"
#include "cpu/exec/fault.hpp"
#include "cpu/exec/tensor_walk.hpp"

namespace cucore::cpu {
namespace {

constexpr uint64_t ROW_COST = 512;  // of a row, in bytes
constexpr uint64_t BOX_ALIGN = 128, MAP_ALIGN = 64, ROW_ALIGN = 16;

// Calls f(offset, bytes, done) for the parts of a row's range that stay together in shared memory.
template <class F>
void each_part(const TensorTransfer& t, uint64_t offset, uint64_t bytes, F f) {
  const bool flips = TensorSwizzle(t.map.swizzle) == TensorSwizzle::BYTES_128_ATOM_32_FLIP_8;
  const uint64_t unit = t.map.swizzle == 0 ? ~uint64_t{0} >> 1 : flips ? 8 : 16;
  for (uint64_t done = 0; done < bytes;) {
    const uint64_t rest = unit - (offset + done) % unit;
    const uint64_t part = std::min(bytes - done, rest);
    f(swizzled(t, offset + done), part, done);
    done += part;
  }
}

const std::byte* global_row(AsyncOperation& a, uint64_t address, uint64_t bytes, Access access) {
  // A site has no access rights, so only loads have one.
  const Site& site = a.warp->sites[a.op->site];
  const uint64_t offset = address - site.base;
  if (access == Access::READ && offset <= site.size && bytes <= site.size - offset &&
      a.warp->sites[0].base == a.warp->generation->load(std::memory_order_relaxed))
    return reinterpret_cast<const std::byte*>(address + site.delta);
  return resolve_bytes(*a.warp, *a.op, a.lane, address, bytes, access, Region::GLOBAL);
}

// Calls inside(offset in the box, global memory, bytes) for the part of each row in the tensor, and
// outside(offset, bytes) for the rest.
template <class F, class G>
void each_row(AsyncOperation& a, Access access, F inside, G outside) {
  const TensorTransfer& t = *a.tensor;
  const TensorRows rows(t);
  const uint64_t element = t.element(), row = t.row() * element;
  const uint64_t first = rows.first() * element, last = std::max(rows.last() * element, first);
  rows.each([&](uint64_t offset, uint64_t address, bool in_tensor) {
    if (!in_tensor || first == last) return outside(offset, row);
    if (first) outside(offset, first);
    inside(offset + first, global_row(a, address + first, last - first, access), last - first);
    if (last != row) outside(offset + last, row - last);
  });
}

void check_rows(AsyncOperation& a, Access access) {
  each_row(
      a, access, [](uint64_t, const std::byte*, uint64_t) {}, [](uint64_t, uint64_t) {});
}

// The NaN of elements outside of the tensor, which fma.oob detects, has 16 bits in each type.
constexpr uint16_t OUTSIDE_NAN = 0x7ff7;

// Elements outside of the tensor are zero, or NaN.
void fill(const TensorTransfer& t, std::byte* to, uint64_t bytes) {
  if (t.map.fill == 0) {
    std::memset(to, 0, bytes);
    return;
  }
  for (uint64_t k = 0; k < bytes; k += sizeof OUTSIDE_NAN)
    std::memcpy(to + k, &OUTSIDE_NAN, sizeof OUTSIDE_NAN);
}

// Returns the nearest number with 10 bits of fraction; a tie has the even one.
uint32_t nearest_tf32(uint32_t bits) {
  constexpr uint32_t INFINITE = 0x7f80'0000, DROPPED = 0x1fff;
  if ((bits & INFINITE) == INFINITE) return bits;
  return (bits + DROPPED / 2 + (bits >> 13 & 1)) & ~DROPPED;
}

void round_to_tf32(std::byte* to, uint64_t bytes) {
  for (uint64_t k = 0; k < bytes; k += sizeof(uint32_t)) {
    uint32_t value;
    std::memcpy(&value, to + k, sizeof value);
    value = nearest_tf32(value);
    std::memcpy(to + k, &value, sizeof value);
  }
}

void load_box(AsyncOperation& a) {
  const TensorTransfer& t = *a.tensor;
  const bool is_tf32 = is_tensor_tf32(t.map.type);
  std::byte* box = a.destination();
  each_row(
      a, Access::READ,
      [&](uint64_t offset, const std::byte* from, uint64_t bytes) {
        each_part(t, offset, bytes, [&](uint64_t place, uint64_t part, uint64_t done) {
          std::memcpy(box + place, from + done, part);
          if (is_tf32) round_to_tf32(box + place, part);
        });
      },
      [&](uint64_t offset, uint64_t bytes) {
        each_part(t, offset, bytes,
                  [&](uint64_t place, uint64_t part, uint64_t) { fill(t, box + place, part); });
      });
}

void combine(const AsyncOperation& a, std::byte* to, const std::byte* from, uint64_t bytes) {
  if (!a.reduction.combine) {
    std::memcpy(to, from, bytes);
    return;
  }
  for (uint64_t k = 0; k < bytes; k += a.reduction.size) a.reduction.combine(to + k, from + k);
}

void store_box(AsyncOperation& a) {
  const TensorTransfer& t = *a.tensor;
  const std::byte* box = a.source();
  each_row(
      a, Access::WRITE,
      [&](uint64_t offset, const std::byte* row, uint64_t bytes) {
        auto* to = const_cast<std::byte*>(row);
        each_part(t, offset, bytes, [&](uint64_t place, uint64_t part, uint64_t done) {
          combine(a, to + done, box + place, part);
        });
      },
      [](uint64_t, uint64_t) {});
}

void read_box(AsyncOperation& a) {
  const std::byte* from = a.source();
  a.data.assign(from, from + a.size);
}

// ---- issue

[[noreturn]] void bad_map(const AsyncOperation& a, const char* what) {
  raise(*a.warp, *a.op, a.lane, CUDA_ERROR_ILLEGAL_INSTRUCTION, "invalid tensor map", what);
}

void check_map(const AsyncOperation& a, const AsyncSite& site) {
  const TensorMap& map = a.tensor->map;
  if (const char* what = tensor_map_fault(map)) bad_map(a, what);
  if (map.rank != (site.has_four_rows ? 2 : site.rank))
    bad_map(a, "its dimensions are not those of the instruction");
  if (a.tensor->space() > a.warp->shared_size) bad_map(a, "a box larger than shared memory");
  if (site.im2col != a.tensor->is_im2col()) bad_map(a, "its mode is not that of the instruction");
  if (site.has_four_rows && map.box[1] != 1) bad_map(a, "a box with more than one row");
}

ptx::Type type_of(const TensorMap& map, ptx::Operation operation) {
  using ptx::Type;
  constexpr Type TYPES[] = {Type::none, Type::none, Type::u32, Type::s32, Type::u64,
                            Type::s64,  Type::f16,  Type::f32, Type::f64, Type::bf16,
                            Type::f32,  Type::none, Type::none};
  const bool bitwise = operation == ptx::Operation::and_ || operation == ptx::Operation::or_ ||
                       operation == ptx::Operation::xor_;
  const Type type = TYPES[map.type];
  if (!bitwise || ptx::is_float(type)) return bitwise ? Type::none : type;
  return ptx::size_of(type) == 8 ? Type::b64 : ptx::size_of(type) == 4 ? Type::b32 : Type::none;
}

void read_map(AsyncOperation& a, const AsyncSite& site) {
  const uint64_t address = site.map.of(*a.warp, a.lane);
  if (address % MAP_ALIGN)
    raise(*a.warp, *a.op, a.lane, CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned address",
          "a tensor map has an alignment of 64 bytes");
  const std::byte* bytes = resolve_bytes(*a.warp, *a.op, a.lane, address, TENSOR_MAP_BYTES,
                                         Access::READ, site.map.region);
  std::memcpy(static_cast<void*>(&a.tensor->map), bytes, sizeof(TensorMap));
  check_map(a, site);
}

AsyncOperation issued(Warp& w, const Op& op, const AsyncSite& site, int lane) {
  AsyncOperation a;
  a.warp = &w;
  a.op = &op;
  a.function = w.frame->function;
  a.lane = lane;
  a.tensor = std::make_shared<TensorTransfer>();
  a.tensor->has_four_rows = site.has_four_rows;
  read_map(a, site);
  for (uint32_t k = 0; k < site.rank; ++k)
    a.tensor->coordinates[k] = int32_t(w.at<uint32_t>(site.coordinates[k])[lane]);
  if (a.tensor->map.interleave == 0 && a.tensor->coordinates[0] * a.tensor->element() % ROW_ALIGN)
    bad_map(a, "a box that does not start at a multiple of 16 bytes");
  if (site.im2col && !a.tensor->starts_in_box_of_pixels())
    bad_map(a, "a copy that starts outside of the box of pixels");
  for (uint32_t k = 0; k < site.offset_count; ++k)
    a.tensor->offsets[k] = w.at<uint16_t>(site.offsets[k])[lane];
  a.size = uint32_t(a.tensor->space());
  charge_copy(w, a.tensor->rows() * ROW_COST + a.size);
  return a;
}

void place_box(AsyncOperation& a, const AsyncRange& range) {
  const uint64_t window =
      range.region == Region::GENERIC ? AddressSpace::instance().shared_window() : 0;
  a.tensor->shared = (range.address - window) & OFFSET_MASK;
  if (a.tensor->shared % BOX_ALIGN)
    raise(*a.warp, *a.op, a.lane, CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned address",
          "the box of a tensor copy has an alignment of 128 bytes");
}

AsyncRange range_of(const AddressSlot& slot, const Warp& w, int lane) {
  return {slot.of(w, lane), slot.region};
}

void load_lane(Warp& w, const Op& op, const AsyncSite& site, int lane) {
  AsyncOperation a = issued(w, op, site, lane);
  a.run = load_box;
  a.to = range_of(site.to, w, lane);
  a.bytes = uint32_t(a.tensor->bytes());
  place_box(a, a.to);
  check_rows(a, Access::READ);
  const AsyncRange barrier = range_of(site.barrier, w, lane);
  if (site.blocks != NO_SLOT) return multicast(a, barrier, w.at<uint16_t>(site.blocks)[lane]);
  a.destination();
  a.barrier = find_mbarrier(w, op, lane, barrier.address, barrier.region);
  w.block->cluster.async.add(std::move(a));
}

void store_lane(Warp& w, const Op& op, const AsyncSite& site, int lane) {
  AsyncOperation a = issued(w, op, site, lane);
  a.run = store_box;
  a.read = read_box;
  a.from = range_of(site.from, w, lane);
  place_box(a, a.from);
  if (site.operation != ptx::Operation::none) {
    a.reduction = select_reduction(type_of(a.tensor->map, site.operation), site.operation);
    if (!a.reduction.combine) bad_map(a, "its type does not have this reduction");
  }
  a.source();
  check_rows(a, Access::WRITE);
  w.block->cluster.async.add(std::move(a));
}

}  // namespace

void tensor_load(Warp& w, const Op& op) {
  const AsyncSite& site = w.frame->function->async[op.target];
  for (uint32_t m = w.mask; m; m &= m - 1) load_lane(w, op, site, std::countr_zero(m));
}
void tensor_store(Warp& w, const Op& op) {
  const AsyncSite& site = w.frame->function->async[op.target];
  for (uint32_t m = w.mask; m; m &= m - 1) store_lane(w, op, site, std::countr_zero(m));
}

// ---- changes of maps

namespace {

std::byte* map_at(Warp& w, const Op& op, const AddressSlot& slot, int lane, Access access) {
  const uint64_t address = slot.of(w, lane);
  if (address % MAP_ALIGN)
    raise(w, op, lane, CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned address",
          "a tensor map has an alignment of 64 bytes");
  return resolve_bytes(w, op, lane, address, TENSOR_MAP_BYTES, access, slot.region);
}

// Values that do not fit their member make the map invalid; the copy that uses it reports that.
template <class T>
void set(T& member, uint64_t value) {
  member = value > uint64_t(T(-1)) ? T(-1) : T(value);
}

// PTX numbers f32.ftz, f64 and bf16 as 8 to 10, unlike CUtensorMapDataType. Types of fewer than 8
// bits are not implemented.
uint8_t type_of_immediate(uint64_t value) {
  constexpr uint8_t TYPES[] = {
      CU_TENSOR_MAP_DATA_TYPE_UINT8,       CU_TENSOR_MAP_DATA_TYPE_UINT16,
      CU_TENSOR_MAP_DATA_TYPE_UINT32,      CU_TENSOR_MAP_DATA_TYPE_INT32,
      CU_TENSOR_MAP_DATA_TYPE_UINT64,      CU_TENSOR_MAP_DATA_TYPE_INT64,
      CU_TENSOR_MAP_DATA_TYPE_FLOAT16,     CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
      CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ, CU_TENSOR_MAP_DATA_TYPE_FLOAT64,
      CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,    CU_TENSOR_MAP_DATA_TYPE_TFLOAT32,
      CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ};
  return value < std::size(TYPES) ? TYPES[value] : 255;
}

void replace(TensorMap& map, ptx::Mode field, uint32_t dimension, uint64_t value) {
  using ptx::Mode;
  switch (field) {
    case Mode::global_address:
      map.address = value;
      break;
    case Mode::rank:  // the number of dimensions - 1
      set(map.rank, value + 1);
      break;
    case Mode::box_dim:
      set(map.box[dimension], value);
      break;
    case Mode::global_dim:
      map.last_index[dimension] = uint32_t(value - 1);
      break;
    case Mode::global_stride:
      if (dimension < TENSOR_RANKS - 1) map.strides[dimension] = value;
      break;
    case Mode::element_stride:
      set(map.element_strides[dimension], value);
      break;
    case Mode::elemtype:
      map.type = type_of_immediate(value);
      break;
    case Mode::interleave_layout:
      set(map.interleave, value);
      break;
    case Mode::swizzle_mode:
      set(map.swizzle, value < 3 ? value : value == 3 ? value + map.atomicity : 255);
      break;
    case Mode::swizzle_atomicity:
      set(map.atomicity, value < 4 ? value : 255);
      if (map.swizzle >= uint8_t(TensorSwizzle::BYTES_128))
        map.swizzle = uint8_t(std::min<uint64_t>(3 + value, 255));
      break;
    case Mode::fill_mode:
      set(map.fill, value);
      break;
    default:
      break;
  }
}

}  // namespace

void replace_in_tensor_map(Warp& w, const Op& op) {
  const AsyncSite& site = w.frame->function->async[op.target];
  for (uint32_t m = w.mask; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    std::byte* place = map_at(w, op, site.to, l, Access::WRITE);
    TensorMap map;
    std::memcpy(static_cast<void*>(&map), place, sizeof map);
    const uint64_t value =
        site.width == 8 ? w.at<uint64_t>(site.values[0])[l] : w.at<uint32_t>(site.values[0])[l];
    if (site.rank < TENSOR_RANKS) replace(map, ptx::Mode(op.imm), site.rank, value);
    std::memcpy(place, &map, sizeof map);
  }
}

void copy_tensor_map(Warp& w, const Op& op) {
  const AsyncSite& site = w.frame->function->async[op.target];
  for (uint32_t m = w.mask; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    const std::byte* from = map_at(w, op, site.from, l, Access::READ);
    std::memcpy(map_at(w, op, site.to, l, Access::WRITE), from, TENSOR_MAP_BYTES);
  }
}

}  // namespace cucore::cpu
