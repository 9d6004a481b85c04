// SPDX-License-Identifier: Apache-2.0
// Instructions between the lanes of a warp, and barriers that reduce; a block is one warp here.
#include "typed.hpp"

namespace cucore::cpu::ops {
namespace {

// The lane that lane `lane` reads, from the pseudo code of PTX.
struct Source {
  unsigned lane;
  bool inside;
};

Source shuffle_source(const std::string& mode, unsigned lane, uint64_t b, uint64_t c) {
  int value = int(b & 31), segment = int(c >> 8 & 31), clamp = int(c & 31), me = int(lane);
  int highest = (me & segment) | (clamp & ~segment), lowest = me & segment;
  int j = 0;
  bool inside = false;
  if (mode == "up") {
    j = me - value;
    inside = j >= highest;
  } else if (mode == "down") {
    j = me + value;
    inside = j <= highest;
  } else if (mode == "bfly") {
    j = me ^ value;
    inside = j <= highest;
  } else {
    j = lowest | (value & ~segment);
    inside = j <= highest;
  }
  return {inside ? unsigned(j) & 31 : lane, inside};
}

void add_shuffles(Table& table) {
  for (std::string mode : {"up", "down", "bfly", "idx"})
    for (unsigned c : {0x1Fu, 0x0u, 0x181Fu, 0x1C00u, 0x0F07u})
      for (bool varies : {false, true}) {
        std::string name = "shfl.sync." + mode + ".b32";
        std::string clamp = std::to_string(c);
        // The offset is the second operand, equal for a warp or different per lane.
        std::string body =
            varies ? "mov.u32 %t1, %laneid; mad.lo.u32 %t0, %t1, 7, $1; " : "mov.u32 %t0, $1; ";
        table.add({name + " " + clamp + (varies ? " varying" : ""),
                   body + name + " $d0|%p0, $0, %t0, " + clamp + ", -1; selp.u32 $d1, 1, 0, %p0;",
                   {Kind::lane32, Kind::shift},
                   {Kind::u32, Kind::u32},
                   {},
                   [=](const Values* in, Values* out) {
                     for (unsigned lane = 0; lane < WARP; ++lane) {
                       uint64_t b = varies ? lane * 7 + in[lane][1] : in[lane][1];
                       Source source = shuffle_source(mode, lane, b, c);
                       out[lane][0] = in[source.lane][0];
                       out[lane][1] = source.inside;
                     }
                   }});
      }
}

// Lanes below the limit take part and the rest skip; `limit` 32 is a whole warp.
std::string guard(unsigned limit) {
  return limit == 32 ? ""
                     : "mov.u32 %t7, %laneid; setp.lt.u32 %p7, %t7, " + std::to_string(limit) +
                           "; mov.u32 $d0, 77; ";
}
std::string at(unsigned limit) { return limit == 32 ? "" : "@%p7 "; }
uint64_t mask_of(unsigned limit) { return limit == 32 ? UINT32_MAX : (uint64_t{1} << limit) - 1; }
std::string note(unsigned limit) { return limit == 32 ? "" : " of " + std::to_string(limit); }

void add_votes(Table& table) {
  for (unsigned limit : {32u, 11u})
    for (std::string mode : {"all", "any", "uni", "ballot"})
      for (bool negated : {false, true}) {
        bool ballot = mode == "ballot";
        std::string name = "vote.sync." + mode + (ballot ? ".b32" : ".pred");
        std::string body = guard(limit) + "setp.lt.u32 %p0, $0, $1; ";
        std::string mask = std::to_string(mask_of(limit)), source = negated ? "!%p0" : "%p0";
        body += ballot ? at(limit) + name + " $d0, " + source + ", " + mask + ";"
                       : at(limit) + name + " %p1, " + source + ", " + mask + "; " + at(limit) +
                             "selp.u32 $d0, 1, 0, %p1;";
        table.add({name + (negated ? " not" : "") + note(limit),
                   body,
                   {Kind::lane32, Kind::few32},
                   {Kind::u32},
                   {},
                   [=](const Values* in, Values* out) {
                     uint64_t votes = 0, members = mask_of(limit);
                     for (unsigned lane = 0; lane < limit; ++lane)
                       votes |= uint64_t((in[lane][0] < in[lane][1]) != negated) << lane;
                     uint64_t result = mode == "all"   ? votes == members
                                       : mode == "any" ? votes != 0
                                       : mode == "uni" ? votes == 0 || votes == members
                                                       : votes;
                     for (unsigned lane = 0; lane < WARP; ++lane)
                       out[lane][0] = lane < limit ? result : 77;
                   }});
      }
}

void add_matches(Table& table) {
  for (unsigned limit : {32u, 11u})
    for (bool wide : {false, true})
      for (bool all : {false, true}) {
        std::string name =
            std::string("match.") + (all ? "all" : "any") + ".sync." + (wide ? "b64" : "b32");
        Kind kind = wide ? Kind::lane64 : Kind::lane32;
        std::string mask = std::to_string(mask_of(limit));
        // The second operand masks bits away, so that some warps agree.
        std::string source =
            wide ? "cvt.u64.u32 %x1, $1; and.b64 %x0, $0, %x1; " : "and.b32 %t0, $0, $1; ";
        std::string body = guard(limit) + source + at(limit) + name + " $d0" + (all ? "|%p0" : "") +
                           ", " + (wide ? "%x0" : "%t0") + ", " + mask + ";";
        if (all && limit == 32) body += " selp.u32 $d1, 1, 0, %p0;";
        std::vector<Kind> out(all && limit == 32 ? 2 : 1, Kind::u32);
        table.add({name + note(limit),
                   body,
                   {kind, Kind::few32},
                   out,
                   {},
                   [=](const Values* in, Values* o) {
                     auto value = [&](unsigned lane) { return in[lane][0] & in[lane][1]; };
                     for (unsigned lane = 0; lane < WARP; ++lane) {
                       uint64_t same = 0;
                       for (unsigned other = 0; other < limit; ++other)
                         same |= uint64_t(value(other) == value(lane)) << other;
                       bool agreed = same == mask_of(limit);
                       o[lane][0] = lane >= limit ? 77 : all ? (agreed ? same : 0) : same;
                       if (all && limit == 32) o[lane][1] = agreed;
                     }
                   }});
      }
}

void add_redux(Table& table) {
  struct Reduction {
    const char* name;
    uint32_t (*apply)(uint32_t, uint32_t);
  };
  static constexpr Reduction REDUCTIONS[] = {
      {"add.u32", [](uint32_t a, uint32_t b) { return a + b; }},
      {"add.s32", [](uint32_t a, uint32_t b) { return a + b; }},
      {"min.u32", [](uint32_t a, uint32_t b) { return a < b ? a : b; }},
      {"max.u32", [](uint32_t a, uint32_t b) { return a > b ? a : b; }},
      {"min.s32", [](uint32_t a, uint32_t b) { return int32_t(a) < int32_t(b) ? a : b; }},
      {"max.s32", [](uint32_t a, uint32_t b) { return int32_t(a) > int32_t(b) ? a : b; }},
      {"and.b32", [](uint32_t a, uint32_t b) { return a & b; }},
      {"or.b32", [](uint32_t a, uint32_t b) { return a | b; }},
      {"xor.b32", [](uint32_t a, uint32_t b) { return a ^ b; }}};
  for (unsigned limit : {32u, 11u})
    for (const Reduction& reduction : REDUCTIONS) {
      std::string name = std::string("redux.sync.") + reduction.name;
      table.add({name + note(limit),
                 guard(limit) + "xor.b32 %t0, $0, $1; " + at(limit) + name + " $d0, %t0, " +
                     std::to_string(mask_of(limit)) + ";",
                 {Kind::lane32, Kind::few32},
                 {Kind::u32},
                 {},
                 [=](const Values* in, Values* out) {
                   uint32_t result = uint32_t(in[0][0] ^ in[0][1]);
                   for (unsigned lane = 1; lane < limit; ++lane)
                     result = reduction.apply(result, uint32_t(in[lane][0] ^ in[lane][1]));
                   for (unsigned lane = 0; lane < WARP; ++lane)
                     out[lane][0] = lane < limit ? result : 77;
                 },
                 Compare::exact,
                 0,
                 0,
                 80});
    }
}

void add_members(Table& table) {
  for (unsigned limit : {32u, 11u}) {
    table.add(
        {"activemask.b32" + note(limit),
         limit == 32
             ? "activemask.b32 $d0;"
             : "mov.u32 $d0, 77; mov.u32 %t7, %laneid; setp.ge.u32 %p7, %t7, 11; @%p7 bra SKIP; "
               "activemask.b32 $d0; SKIP: bar.warp.sync -1;",
         {Kind::lane32},
         {Kind::u32},
         {},
         [=](const Values*, Values* out) {
           for (unsigned lane = 0; lane < WARP; ++lane)
             out[lane][0] = lane < limit ? mask_of(limit) : 77;
         }});
    table.add({"elect.sync" + note(limit),
               guard(limit) + at(limit) + "elect.sync _|%p0, " + std::to_string(mask_of(limit)) +
                   "; " + at(limit) + "selp.u32 $d0, 1, 0, %p0;",
               {Kind::lane32},
               {Kind::u32},
               {},
               [=](const Values*, Values* out) {
                 for (unsigned lane = 0; lane < WARP; ++lane)
                   out[lane][0] = lane >= limit ? 77 : lane == 0;
               },
               Compare::exact,
               0,
               0,
               90});
  }
}

// A block is one warp here, so its reduction is the warp's.
void add_barriers(Table& table) {
  for (std::string operation : {"popc.u32", "and.pred", "or.pred"})
    for (std::string base : {"bar", "barrier"}) {
      std::string name = base + ".red." + operation;
      bool count = operation == "popc.u32";
      std::string body = "setp.lt.u32 %p0, $0, $1; ";
      body += count ? name + " $d0, 1, 32, %p0;" : name + " %p1, 0, !%p0; selp.u32 $d0, 1, 0, %p1;";
      table.add({name,
                 body,
                 {Kind::lane32, Kind::few32},
                 {Kind::u32},
                 {},
                 [=](const Values* in, Values* out) {
                   unsigned yes = 0;
                   for (unsigned lane = 0; lane < WARP; ++lane) yes += in[lane][0] < in[lane][1];
                   uint64_t result = count ? yes : operation == "and.pred" ? yes == 0 : yes != WARP;
                   for (unsigned lane = 0; lane < WARP; ++lane) out[lane][0] = result;
                 }});
    }
  for (std::string name : {"bar.sync 0", "bar.sync 3, 32", "barrier.sync 5", "bar.warp.sync -1"})
    table.add({name + " orders shared memory",
               "mov.u32 %t0, %laneid; mov.u32 %t1, sh; shl.b32 %t2, %t0, 5; add.u32 %t1, %t1, %t2; "
               "st.shared.u32 [$s], $0; " +
                   name +
                   "; xor.b32 %t2, %t2, 992; mov.u32 %t3, sh; add.u32 %t3, %t3, %t2; "
                   "ld.shared.u32 $d0, [%t3];",
               {Kind::lane32},
               {Kind::u32},
               {},
               [](const Values* in, Values* out) {
                 for (unsigned lane = 0; lane < WARP; ++lane) out[lane][0] = in[WARP - 1 - lane][0];
               }});
  for (std::string name :
       {"membar.cta", "membar.gl", "membar.sys", "fence.sc.cta", "fence.sc.gpu", "fence.sc.sys",
        "fence.acq_rel.cta", "fence.acq_rel.gpu", "fence.acq_rel.sys"})
    table.add({name,
               "st.global.u32 [$m], $0; " + name + "; ld.global.u32 $d0, [$m];",
               {Kind::u32},
               {Kind::u32},
               [](const Values& in, Values& out) { out[0] = in[0]; }});
}

}  // namespace

void add_warp_cases(Table& table) {
  add_shuffles(table);
  add_votes(table);
  add_matches(table);
  add_redux(table);
  add_members(table);
  add_barriers(table);
}

}  // namespace cucore::cpu::ops
