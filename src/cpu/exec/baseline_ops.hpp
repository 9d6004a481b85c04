// SPDX-License-Identifier: Apache-2.0
// Handlers that do not benefit from vector instructions and are built once.
#pragma once

#include "cpu/exec/async.hpp"
#include "cpu/exec/handlers.hpp"

namespace cucore::cpu {

// Each returns nullptr for a form of another family.
Handler select_atomic(const ptx::Form& form, Widths widths);  // atom, red
// any ld and st; imm is used for a[5]
Comparison select_ordered(const ptx::Form& form, Widths widths);
Handler select_warp_op(const ptx::Form& form);      // shfl, vote, match, redux, elect
Comparison select_rounding(const ptx::Form& form);  // directed roundings; Op::imm selects the mode
// f32x2, and sums of f32 with f16 or bf16
Comparison select_float_pair(const ptx::Form& form);
Comparison select_any_convert(const ptx::Form& form, Widths widths);
// e2m1x2, e2m3x2, e3m2x2, ue8m0x2
Comparison select_tiny_convert(const ptx::Form& form, Widths widths);
Comparison select_stochastic(const ptx::Form& form, Widths widths);  // cvt.rs
// Op::target has what the text selects. The parts of a result have 4 bits in a packed form, and 5
// in another one. The parts of each source have 12 bits, and their signs follow.
inline constexpr uint32_t VIDEO_A = 5, VIDEO_B = 17, VIDEO_SIGNS = 29, VIDEO_PARTS = 0xfff;
Comparison select_video(const ptx::Form& form);
Comparison select_half(const ptx::Form& form, bool three);  // f16 and bf16
Comparison select_half_compare(const ptx::Form& form);
Comparison select_packed(const ptx::Form& form);  // u16x2, s16x2

// mov of a value computed at the read: imm is the SpecialRegister.
void read_clock(Warp& w, const Op& op);
void read_clock_wide(Warp& w, const Op& op);
// mov of a special register to a register of another width: imm is the width.
void copy_special(Warp& w, const Op& op);
// mov of a local variable's address, imm, in a function other than a kernel.
void local_address(Warp& w, const Op& op);
void local_address_narrow(Warp& w, const Op& op);
// mov between a register and a vector. The wide register is in a[0], and the elements begin at
// a[1]. Their number, the bytes of their registers and the bytes of their values are in imm.
void pack(Warp& w, const Op& op);
void unpack(Warp& w, const Op& op);
// cvt.pack: imm is the width of the two limited integers. The third operand fills the upper bits.
void convert_pack_signed(Warp& w, const Op& op);
void convert_pack_unsigned(Warp& w, const Op& op);
// cvta: imm is added to 64-bit addresses.
void add_window(Warp& w, const Op& op);
void isspacep(Warp& w, const Op& op);  // imm: ptx::Space
// cluster_ops.cpp
void cluster_arrive(Warp& w, const Op& op);
Handler select_mapa(ptx::Opcode opcode, unsigned width);  // mapa, getctarank; imm: the window
// Returns the rank of the block that owns an address in the window of shared memory.
uint32_t rank_of(const Warp& w, uint64_t offset);
void activemask(Warp& w, const Op& op);
Handler select_stack(ptx::Opcode opcode, unsigned width);  // alloca, stacksave, stackrestore
void fence(Warp& w, const Op& op);
void nothing(Warp& w, const Op& op);
void trap(Warp& w, const Op& op);
void breakpoint(Warp& w, const Op& op);

// ops_texture.cpp and ops_surface.cpp; target is the index of the ImageSite.
void sample_texture(Warp& w, const Op& op);
void query_image(Warp& w, const Op& op);
void access_surface(Warp& w, const Op& op);
void access_formatted(Warp& w, const Op& op);  // sust.p, sured.p
// istypep: imm is the OpaqueKind.
void test_opaque(Warp& w, const Op& op);

// cp.async and its waits; imm of a group's wait is the number of groups that may be pending.
void copy_async(Warp& w, const Op& op);
void copy_async_commit(Warp& w, const Op& op);
void copy_async_wait_group(Warp& w, const Op& op);
void copy_async_wait_all(Warp& w, const Op& op);

// mbarrier: a[0] the result, a[1] a count, a[2] a state or parity, a[4] the address.
Handler select_mbarrier(ptx::Opcode opcode);
inline constexpr uint32_t MBARRIER_NO_COMPLETE = 0x1000;  // in Op::target
inline constexpr uint32_t COPY_IGNORE_NEGATED = 0x2000;   // in Op::target

// Bulk copies and reductions, st.async and red.async; Op::target is the index of the AsyncSite.
Handler select_async(ptx::Opcode opcode);
void tensor_load(Warp& w, const Op& op);
void tensor_store(Warp& w, const Op& op);
void replace_in_tensor_map(Warp& w, const Op& op);
void copy_tensor_map(Warp& w, const Op& op);
void store_bulk(Warp& w, const Op& op);  // st.bulk
// clusterlaunchcontrol: no launch is cancelled, so the grid launches all of its clusters.
void refuse_cancel(Warp& w, const Op& op);      // imm: for all blocks of the cluster
void test_canceled(Warp& w, const Op& op);      // false
void first_of_canceled(Warp& w, const Op& op);  // imm: the number of results, which are 0
// multimem: no address is valid, because no program can make a multicast object.
void refuse_multicast(Warp& w, const Op& op);
void bulk_commit(Warp& w, const Op& op);
void bulk_wait(Warp& w, const Op& op);       // imm: groups that may be pending
void bulk_wait_read(Warp& w, const Op& op);  // does not wait for writes
// Returns a reduction of memory; without `combine` for a form that PTX lacks.
Reduction select_reduction(ptx::Type type, ptx::Operation operation);

}  // namespace cucore::cpu
