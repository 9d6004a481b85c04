// SPDX-License-Identifier: Apache-2.0
// ld and st: every type and vector in every state space, orders and cache hints.
#include <cstring>

#include "typed.hpp"

namespace cucore::cpu::ops {
namespace {

struct Type {
  const char* name;
  Kind kind;
  unsigned bytes;
  bool is_signed;
};

constexpr Type TYPES[] = {
    {"b8", Kind::u8, 1, false},   {"u8", Kind::u8, 1, false},   {"s8", Kind::s8, 1, true},
    {"b16", Kind::u16, 2, false}, {"u16", Kind::u16, 2, false}, {"s16", Kind::s16, 2, true},
    {"b32", Kind::u32, 4, false}, {"u32", Kind::u32, 4, false}, {"s32", Kind::s32, 4, true},
    {"f32", Kind::f32, 4, false}, {"b64", Kind::u64, 8, false}, {"u64", Kind::u64, 8, false},
    {"s64", Kind::s64, 8, true},  {"f64", Kind::f64, 8, false}};

struct MemorySpace {
  const char* name;     // as in the instruction: ".global"
  const char* setup;    // text that computes the address
  const char* address;  // the base
  const char* fill;     // space of the plain accesses around
};

constexpr MemorySpace MEMORY_SPACES[] = {{".global", "", "$m", ".global"},
                                         {".shared", "", "$s", ".shared"},
                                         {".shared::cta", "", "$s", ".shared"},
                                         {".local", "mov.u64 %x0, loc;", "%x0", ".local"},
                                         {".shared wide", "cvt.u64.u32 %x0, $s;", "%x0", ".shared"},
                                         {"", "cvta.global.u64 %x0, $m;", "%x0", ""}};

std::string space_name(const MemorySpace& space) {
  std::string name = space.name;
  return name.substr(0, name.find(' '));
}

std::string note(const MemorySpace& space) {
  std::string name = space.name;
  size_t blank = name.find(' ');
  return blank == std::string::npos ? "" : name.substr(blank);
}

std::string scoped(const std::string& body) {
  return "{ .local .align 16 .b8 loc[16]; " + body + " }";
}

std::string listed(const char* stem, unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i) text += (i ? ", " : "") + (stem + std::to_string(i));
  return count == 1 ? text : "{" + text + "}";
}

// Returns the content of a register of the type's kind after a load of these bytes.
uint64_t loaded(const Type& type, const unsigned char* bytes) {
  uint64_t value = 0;
  std::memcpy(&value, bytes, type.bytes);
  bool negative = type.is_signed && value >> (8 * type.bytes - 1);
  if (negative && type.bytes < 8) value |= ~uint64_t{0} << 8 * type.bytes;
  unsigned width = bytes_of(type.kind);
  return width == 8 ? value : value & ((uint64_t{1} << 8 * width) - 1);
}

// `name` is the whole instruction name, `width` its vector.
Case& add_load(Table& table, const std::string& name, const MemorySpace& space, const Type& type,
               unsigned width) {
  std::string body = std::string(space.setup) + " st" + space.fill + ".v2.b64 [" + space.address +
                     "], {$0, $1}; " + name + " " + listed("$d", width) + ", [" + space.address +
                     "];";
  return table.add({name + note(space),
                    scoped(body),
                    {Kind::u64, Kind::s64},
                    std::vector<Kind>(width, type.kind),
                    [=](const Values& in, Values& out) {
                      unsigned char memory[16];
                      std::memcpy(memory, &in[0], 8);
                      std::memcpy(memory + 8, &in[1], 8);
                      for (unsigned i = 0; i < width; ++i)
                        out[i] = loaded(type, memory + i * type.bytes);
                    }});
}

Case& add_store(Table& table, const std::string& name, const MemorySpace& space, const Type& type,
                unsigned width) {
  std::string at = space.address, fill = space.fill;
  std::string body = std::string(space.setup) + " st" + fill + ".v2.b64 [" + at +
                     "], {-1, 0x1234567890}; " + name + " [" + at + "+" +
                     std::to_string(width * type.bytes > 8 ? 0 : 8 - 8 % (width * type.bytes)) +
                     "], " + listed("$", width) + "; ld" + fill + ".v2.b64 {$d0, $d1}, [" + at +
                     "];";
  unsigned offset = width * type.bytes > 8 ? 0 : 8 - 8 % (width * type.bytes);
  return table.add({name + note(space),
                    scoped(body),
                    std::vector<Kind>(width, type.kind),
                    {Kind::u64, Kind::u64},
                    [=](const Values& in, Values& out) {
                      unsigned char memory[16];
                      uint64_t low = ~uint64_t{0}, high = 0x1234567890;
                      std::memcpy(memory, &low, 8);
                      std::memcpy(memory + 8, &high, 8);
                      for (unsigned i = 0; i < width; ++i)
                        std::memcpy(memory + offset + i * type.bytes, &in[i], type.bytes);
                      std::memcpy(&out[0], memory, 8);
                      std::memcpy(&out[1], memory + 8, 8);
                    }});
}

std::string vector_name(unsigned width) {
  return width == 1 ? "." : ".v" + std::to_string(width) + ".";
}

void add_plain(Table& table) {
  for (const MemorySpace& space : MEMORY_SPACES)
    for (const Type& type : TYPES)
      for (unsigned width : {1u, 2u, 4u}) {
        if (width * type.bytes > 16) continue;
        std::string tail = space_name(space) + vector_name(width) + type.name;
        add_load(table, "ld" + tail, space, type, width);
        add_store(table, "st" + tail, space, type, width);
      }
}

// Orders and hints do not change the result of a single thread.
void add_ordered(Table& table) {
  const Type some[] = {TYPES[1], TYPES[2], TYPES[3], TYPES[7], TYPES[8], TYPES[10]};
  std::vector<std::string> loads = {".weak", ".volatile"}, stores = loads;
  for (const char* scope : {".cta", ".gpu", ".sys", ".cluster"}) {
    loads.push_back(std::string(".relaxed") + scope);
    loads.push_back(std::string(".acquire") + scope);
    stores.push_back(std::string(".relaxed") + scope);
    stores.push_back(std::string(".release") + scope);
  }
  for (const MemorySpace* space : {&MEMORY_SPACES[0], &MEMORY_SPACES[1], &MEMORY_SPACES[5]})
    for (const Type& type : some)
      for (size_t i = 0; i < loads.size(); ++i) {
        unsigned width = i == 1 ? 2 : 1;
        std::string tail = space_name(*space) + vector_name(width) + type.name;
        unsigned min_target = loads[i].ends_with(".cluster") ? 90 : 70;
        add_load(table, "ld" + loads[i] + tail, *space, type, width).min_target = min_target;
        add_store(table, "st" + stores[i] + tail, *space, type, width).min_target = min_target;
      }
  for (const char* hint : {".ca", ".cg", ".cs", ".lu", ".cv"})
    add_load(table, std::string("ld.global") + hint + ".v4.u32", MEMORY_SPACES[0], TYPES[7], 4);
  for (const char* hint : {".wb", ".cg", ".cs", ".wt"})
    add_store(table, std::string("st.global") + hint + ".v4.u32", MEMORY_SPACES[0], TYPES[7], 4);
  for (const char* hint : {".L1::evict_last", ".L1::no_allocate", ".L2::128B"})
    add_load(table, std::string("ld.global") + hint + ".u32", MEMORY_SPACES[0], TYPES[7], 1);
}

// Read-only loads use the row's own operands, which no thread writes.
void add_read_only(Table& table) {
  for (const char* name : {"ld.global.nc", "ldu.global", "ld.global.nc.L1::no_allocate.L2::128B"})
    for (const char* type : {"u32", "b64", "f32"}) {
      std::string full = std::string(name) + "." + type;
      bool wide = std::string(type) == "b64";
      Kind kind = wide ? Kind::u64 : Kind::u32;
      table.add({full, full + " $d0, [%j1];", {kind}, {kind}, [](const Values& in, Values& out) {
                   out[0] = in[0];
                 }});
    }
}

void add_constants(Table& table) {
  static const unsigned char BYTES[16] = {0x80, 1, 0xFF, 3,  4,  5,  6,  0x87,
                                          8,    9, 10,   11, 12, 13, 14, 0xEF};
  for (const Type& type : TYPES)
    for (unsigned width : {1u, 2u, 4u}) {
      if (width * type.bytes > 16) continue;
      std::string name = "ld.const" + vector_name(width) + type.name;
      for (bool named : {true, false}) {
        std::string address = named ? "[kc$n]" : "[%x0]";
        Case row{name + (named ? "" : " by register"),
                 "mov.u64 %x0, kc$n; " + name + " " + listed("$d", width) + ", " + address + ";",
                 {Kind::few32},
                 std::vector<Kind>(width, type.kind),
                 [=](const Values&, Values& out) {
                   for (unsigned i = 0; i < width; ++i)
                     out[i] = loaded(type, BYTES + i * type.bytes);
                 }};
        row.globals = ".const .align 16 .b8 kc$n[16] = {";
        for (unsigned i = 0; i < 16; ++i) row.globals += (i ? "," : "") + std::to_string(BYTES[i]);
        row.globals += "};\n";
        table.add(std::move(row));
      }
    }
}

// Negative, zero and named offsets, and an index.
void add_offsets(Table& table) {
  table.add({"ld.global.u32 offsets",
             "add.u64 %x0, $m, 16; st.global.u32 [%x0+-8], $0; st.global.u32 [%x0+4], $1; "
             "ld.global.u32 $d0, [$m+8]; "
             "ld.global.u32 $d1, [$m+20];",
             {Kind::u32, Kind::u32},
             {Kind::u32, Kind::u32},
             [](const Values& in, Values& out) {
               out[0] = in[0];
               out[1] = in[1];
             }});
  Case named{"ld.global.u32 named",
             "ld.global.u32 $d0, [g$n+4]; mov.u64 %x0, g$n+8; ld.global.u32 $d1, [%x0]; "
             "mov.u64 %x1, g$n[3]; ld.global.u32 $d2, [%x1];",
             {Kind::few32},
             {Kind::u32, Kind::u32, Kind::u32},
             [](const Values&, Values& out) {
               out[0] = 22;
               out[1] = 33;
               out[2] = 44;
             }};
  named.globals = ".global .align 4 .u32 g$n[4] = {11, 22, 33, 44};\n";
  table.add(std::move(named));
}

// 128 bits as one value: what is stored in halves is loaded whole, and the other way round.
void add_whole(Table& table, const std::string& space, const std::string& place,
               const char* order) {
  const std::string note = space + order;
  auto same = [](const Values& in, Values& out) { out[0] = in[0], out[1] = in[1]; };
  table.add({"ld" + note + ".b128",
             "{ .reg .b128 %q; st" + space + ".v2.b64 [" + place + "], {$0, $1}; ld" + order +
                 space + ".b128 %q, [" + place + "]; mov.b128 {$d0, $d1}, %q; }",
             {Kind::u64, Kind::u64},
             {Kind::u64, Kind::u64},
             same});
  const std::string release = std::string(order) == ".acquire.gpu" ? ".release.gpu" : order;
  table.add({"st" + space + release + ".b128",
             "{ .reg .b128 %q; mov.b128 %q, {$0, $1}; st" + release + space + ".b128 [" + place +
                 "], %q; ld" + space + ".v2.b64 {$d0, $d1}, [" + place + "]; }",
             {Kind::u64, Kind::u64},
             {Kind::u64, Kind::u64},
             same});
}

}  // namespace

void add_memory_cases(Table& table) {
  add_plain(table);
  add_ordered(table);
  add_read_only(table);
  add_constants(table);
  add_offsets(table);
  for (const char* order : {"", ".volatile", ".relaxed.sys", ".acquire.gpu"}) {
    add_whole(table, ".global", "$m", order);
    add_whole(table, ".shared", "$s", order);
  }
}

}  // namespace cucore::cpu::ops
