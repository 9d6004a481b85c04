// SPDX-License-Identifier: Apache-2.0
// mov in all widths, packing, special registers and conversions of addresses.
#include "typed.hpp"

namespace cucore::cpu::ops {
namespace {

void add_moves(Table& table) {
  struct Named {
    const char* name;
    Kind kind;
  };
  for (const Named& t : {Named{"b16", Kind::u16},
                         {"u16", Kind::u16},
                         {"s16", Kind::s16},
                         {"b32", Kind::u32},
                         {"u32", Kind::u32},
                         {"s32", Kind::s32},
                         {"f32", Kind::f32},
                         {"b64", Kind::u64},
                         {"u64", Kind::u64},
                         {"s64", Kind::s64},
                         {"f64", Kind::f64}}) {
    std::string name = std::string("mov.") + t.name;
    table.add({name, plain(name, 1), {t.kind}, {t.kind}, [](const Values& in, Values& out) {
                 out[0] = in[0];
               }});
  }
  table.add({"mov.pred",
             "setp.ne.u32 %p0, $0, 0; mov.pred %p1, %p0; selp.u32 $d0, 1, 0, %p1;",
             {Kind::pred},
             {Kind::u32},
             [](const Values& in, Values& out) { out[0] = in[0]; }});
}

void add_packs(Table& table) {
  table.add({"mov.b64 pack 2",
             "mov.b64 $d0, {$0, $1};",
             {Kind::u32, Kind::u32},
             {Kind::u64},
             [](const Values& in, Values& out) { out[0] = in[0] | in[1] << 32; }});
  table.add({"mov.b32 pack 2",
             "mov.b32 $d0, {$0, $1};",
             {Kind::u16, Kind::u16},
             {Kind::u32},
             [](const Values& in, Values& out) { out[0] = in[0] | in[1] << 16; }});
  table.add({"mov.b64 pack 4",
             "mov.b64 $d0, {$0, $1, $0, $1};",
             {Kind::u16, Kind::u16},
             {Kind::u64},
             [](const Values& in, Values& out) { out[0] = (in[0] | in[1] << 16) * 0x100000001; }});
  table.add({"mov.b64 unpack 2",
             "mov.b64 {$d0, $d1}, $0;",
             {Kind::u64},
             {Kind::u32, Kind::u32},
             [](const Values& in, Values& out) {
               out[0] = uint32_t(in[0]);
               out[1] = in[0] >> 32;
             }});
  table.add({"mov.b64 unpack sink",
             "mov.b64 {_, $d0}, $0;",
             {Kind::u64},
             {Kind::u32},
             [](const Values& in, Values& out) { out[0] = in[0] >> 32; }});
  table.add({"mov.b32 unpack 2",
             "mov.b32 {$d0, $d1}, $0;",
             {Kind::u32},
             {Kind::u16, Kind::u16},
             [](const Values& in, Values& out) {
               out[0] = uint16_t(in[0]);
               out[1] = in[0] >> 16;
             }});
  table.add({"mov.b64 unpack 4",
             "mov.b64 {$d0, $d1, $d2, $d3}, $0;",
             {Kind::u64},
             {Kind::u16, Kind::u16, Kind::u16, Kind::u16},
             [](const Values& in, Values& out) {
               for (int i = 0; i < 4; ++i) out[i] = in[0] >> 16 * i & 0xFFFF;
             }});
  table.add({"mov.b128 pack and unpack",
             "{ .reg .b128 q; mov.b128 q, {$0, $1}; mov.b128 {$d1, $d0}, q; }",
             {Kind::u64, Kind::u64},
             {Kind::u64, Kind::u64},
             [](const Values& in, Values& out) {
               out[1] = in[0];
               out[0] = in[1];
             }});
}

// Returns the content of a register in lane `lane` of a block of one warp.
void add_special(Table& table, const std::string& name, uint64_t (*value)(unsigned lane)) {
  table.add({"mov.u32 " + name,
             "mov.u32 $d0, %" + name + ";",
             {Kind::lane32},
             {Kind::u32},
             {},
             [value](const Values*, Values* out) {
               for (unsigned lane = 0; lane < WARP; ++lane) out[lane][0] = value(lane);
             }});
}

// The device chooses the number of a warp; it is below %nwarpid.
void add_warp_number(Table& table) {
  table.add({"setp.lt.u32 warpid",
             "mov.u32 %t0, %warpid; mov.u32 %t1, %nwarpid; setp.lt.u32 %p0, %t0, %t1;"
             " selp.u32 $d0, 1, 0, %p0;",
             {Kind::lane32},
             {Kind::u32},
             [](const Values&, Values& out) { out[0] = 1; }});
}

void add_specials(Table& table) {
  add_warp_number(table);
  add_special(table, "laneid", [](unsigned lane) { return uint64_t(lane); });
  add_special(table, "tid.x", [](unsigned lane) { return uint64_t(lane); });
  add_special(table, "tid.y", [](unsigned) { return uint64_t(0); });
  add_special(table, "ntid.x", [](unsigned) { return uint64_t(32); });
  add_special(table, "ntid.z", [](unsigned) { return uint64_t(1); });
  add_special(table, "ctaid.y", [](unsigned) { return uint64_t(0); });
  add_special(table, "nctaid.x", [](unsigned) { return uint64_t(2); });
  add_special(table, "nctaid.y", [](unsigned) { return uint64_t(1); });
  add_special(table, "lanemask_eq", [](unsigned lane) { return uint64_t(1u << lane); });
  add_special(table, "lanemask_lt", [](unsigned lane) { return uint64_t((1u << lane) - 1); });
  add_special(table, "lanemask_le", [](unsigned lane) { return uint64_t((2ull << lane) - 1); });
  add_special(table, "lanemask_gt",
              [](unsigned lane) { return uint64_t(uint32_t(~((2ull << lane) - 1))); });
  add_special(table, "lanemask_ge",
              [](unsigned lane) { return uint64_t(uint32_t(~((1ull << lane) - 1))); });
}

// An address of each space, converted to generic and queried.
void add_spaces(Table& table) {
  struct Space {
    const char* name;
    std::string address;  // text that leaves the generic address in %x0
  };
  const Space SPACES[] = {{"global", "cvta.global.u64 %x0, $m;"},
                          {"shared", "cvt.u64.u32 %x1, $s; cvta.shared.u64 %x0, %x1;"},
                          {"local", "mov.u64 %x1, loc; cvta.local.u64 %x0, %x1;"},
                          {"const", "mov.u64 %x1, kc$n; cvta.const.u64 %x0, %x1;"}};
  for (const Space& of : SPACES)
    for (const Space& asked : SPACES) {
      bool yes = std::string(of.name) == asked.name;
      Case row{std::string("isspacep.") + asked.name + " of " + of.name,
               "{ .local .align 8 .b8 loc[8]; " + of.address + " isspacep." + asked.name +
                   " %p0, %x0; selp.u32 $d0, 1, 0, %p0; }",
               {Kind::few32},
               {Kind::u32},
               [yes](const Values&, Values& out) { out[0] = yes; }};
      row.globals = ".const .align 8 .b8 kc$n[8];\n";
      table.add(std::move(row));
    }
  for (const char* space : {"global", "shared", "local"}) {
    std::string s = space;
    std::string address = s == "global"   ? "mov.u64 %x1, $m;"
                          : s == "shared" ? "cvt.u64.u32 %x1, $s;"
                                          : "mov.u64 %x1, loc;";
    table.add({"cvta." + s + ".u64",
               "{ .local .align 8 .b8 loc[8]; " + address + " st." + s + ".u32 [%x1], $0; cvta." +
                   s + ".u64 %x2, %x1; ld.u32 $d0, [%x2]; cvta.to." + s +
                   ".u64 %x3, %x2; sub.u64 $d1, %x3, %x1; }",
               {Kind::u32},
               {Kind::u32, Kind::u64},
               [](const Values& in, Values& out) {
                 out[0] = in[0];
                 out[1] = 0;
               }});
  }
}

}  // namespace

void add_move_cases(Table& table) {
  add_moves(table);
  add_packs(table);
  add_specials(table);
  add_spaces(table);
}

}  // namespace cucore::cpu::ops
