// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <stdexcept>

#include "access_cases.hpp"

namespace cucore::cpu::accesses {
namespace {

struct Kind {
  const char* space;
  const char* base;  // register of the first address
  const char* operation;
};

const std::map<std::string, Kind> KINDS{
    {"gld", {".global", "%rd1", "ld"}},    {"gst", {".global", "%rd1", "st"}},
    {"gred", {".global", "%rd1", "red"}},  {"gatom", {".global", "%rd1", "atom"}},
    {"sld", {".shared", "%rd0", "ld"}},    {"sst", {".shared", "%rd0", "st"}},
    {"satom", {".shared", "%rd0", "atom"}}};

struct Type {
  const char* name;
  const char* registers;
};

const std::map<unsigned, Type> TYPES{{1, {".u8", "%r8"}},
                                     {2, {".u16", "%r8"}},
                                     {4, {".u32", "%r8"}},
                                     {8, {".v2.u32", "{%r8, %r9}"}},
                                     {16, {".v4.u32", "{%r8, %r9, %r10, %r11}"}}};

// The operation itself, for the lanes of %p0.
std::string instruction_of(const Kind& kind, unsigned bytes) {
  const std::string operation = kind.operation;
  const std::string begin = "@%p0 " + operation + kind.space;
  if (operation == "red" || operation == "atom") {
    const std::string type = bytes == 8 ? ".add.u64 " : ".add.u32 ";
    const std::string value = bytes == 8 ? "%rd6" : "%r8";
    const std::string result = operation == "red" ? "" : value + ", ";
    return begin + type + result + "[%rd5], 3;\n";
  }
  const Type& type = TYPES.at(bytes);
  const std::string address = "[%rd5]";
  return operation == "ld" ? begin + type.name + " " + type.registers + ", " + address + ";\n"
                           : begin + type.name + " " + address + ", " + type.registers + ";\n";
}

}  // namespace

std::string access_ptx(const std::string& access) {
  const size_t digits = access.find_first_of("0123456789");
  const auto kind = KINDS.find(access.substr(0, digits));
  const unsigned bytes = digits == access.npos ? 0 : unsigned(std::stoul(access.substr(digits)));
  if (kind == KINDS.end() || !TYPES.contains(bytes))
    throw std::invalid_argument("unknown access " + access);
  const std::string operation = kind->second.operation;
  const bool stores_shared = access.starts_with("sst");
  return ".version 7.0\n.target sm_75\n.address_size 64\n"
         ".extern .shared .align 16 .b8 dynamic[];\n"
         ".visible .entry k(.param .u64 array, .param .u64 offsets, .param .u32 mask)\n{\n"
         ".reg .pred %p<2>; .reg .b32 %r<12>; .reg .b64 %rd<7>;\n"
         "ld.param.u64 %rd1, [array]; ld.param.u64 %rd2, [offsets]; ld.param.u32 %r0, [mask];\n"
         "mov.u64 %rd0, dynamic; mov.u32 %r1, %tid.x;\n"
         // The offset of the lane, and whether it is active.
         "mul.wide.u32 %rd3, %r1, 4; add.u64 %rd3, %rd2, %rd3; ld.global.u32 %r3, [%rd3];\n"
         "cvt.u64.u32 %rd4, %r3; add.u64 %rd5, " +
         std::string(kind->second.base) +
         ", %rd4;\n"
         "shr.u32 %r4, %r0, %r1; and.b32 %r4, %r4, 1; setp.ne.u32 %p0, %r4, 0;\n"
         "mov.u32 %r8, %r0; mov.u32 %r9, %r1; mov.u32 %r10, %r3; mov.u32 %r11, %r0;\n"
         "mov.u64 %rd6, 0;\n" +
         instruction_of(kind->second, bytes) +
         (stores_shared ? "bar.warp.sync -1;\nld.volatile.shared.u32 %r8, [dynamic];\n" : "") +
         // The kernel uses what it loaded. No thread has this number.
         "xor.b32 %r8, %r8, %r9; xor.b32 %r10, %r10, %r11; xor.b32 %r8, %r8, %r10;\n"
         "cvt.u32.u64 %r9, %rd6; xor.b32 %r8, %r8, %r9;\n"
         "setp.eq.u32 %p1, %r8, 0x5bd1e995;\n@%p1 st.global.u32 [%rd1], %r8;\nret;\n}\n";
}

}  // namespace cucore::cpu::accesses
