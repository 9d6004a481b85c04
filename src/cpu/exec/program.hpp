// The decoded form of a module: what a warp executes, and the cold data beside it.
#ifndef CUCPU_EXEC_PROGRAM_HPP
#define CUCPU_EXEC_PROGRAM_HPP

#include <memory>
#include <new>
#include <string>
#include <unordered_map>
#include <vector>

#include "cpu/exec/executor.hpp"
#include "cpu/exec/warp.hpp"
#include "ptx/ast.hpp"

namespace cucore::cpu {

struct AlignedDelete {
  void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{64}); }
};
using AlignedBytes = std::unique_ptr<std::byte[], AlignedDelete>;
AlignedBytes make_aligned(size_t bytes);  // zeroed

// Functions that the device provides.
enum class Builtin : u8 { None, Vprintf, Malloc, Free, Assertfail };

// One argument or result of a call as the caller or the callee holds it.
struct Argument {
  enum Kind : u8 { Param, Register } kind = Param;
  Slot slot = 0;   // Register: also an immediate's constant
  u32 offset = 0;  // Param: in the frame's parameter memory
  u32 size = 0;
};

struct CallSite {
  const DecodedFunction* callee = nullptr;
  Builtin builtin = Builtin::None;
  Slot target = NO_SLOT;  // indirect: the register with the function's address
  std::vector<Argument> returns;
  std::vector<Argument> inputs;
};

struct BranchTable {
  std::vector<u32> targets;
};

struct DecodedModule;

// Where a frame holds a register; 0 bytes: a predicate, a bit for each lane.
struct Register {
  Slot slot = 0;
  u32 bytes = 0;
};

// A parameter whose address the function takes: it is copied to local memory on entry.
struct Spill {
  u32 variable = 0;
  u32 param = 0, local = 0, size = 0;  // offsets in the frame's parameters and local memory
};

struct DecodedFunction {
  const ptx::Function* source = nullptr;
  const DecodedModule* module = nullptr;
  std::vector<Op> ops;
  std::vector<CallSite> calls;
  std::vector<BranchTable> tables;
  std::vector<Argument> returns;  // where this function's own parameters are
  std::vector<Argument> inputs;
  std::vector<Spill> spills;
  std::vector<Register> layout;
  AlignedBytes constants;
  u32 register_bytes = 0;
  u32 param_bytes = 0;  // parameter memory of one lane
  u32 local_bytes = 0;

  const ptx::Instruction& instruction(const Op& op) const {
    return source->instructions[size_t(&op - ops.data())];
  }
};

struct DecodedModule {
  std::unique_ptr<ptx::Module> source;
  std::vector<std::unique_ptr<DecodedFunction>> functions;  // by index; nullptr: not defined here
  std::vector<u64> addresses;  // of the variables: device address, or offset in shared memory
  u32 site_count = 1;
  bool uses_reserved_shared = false;
  u32 function_shared = 0;  // shared variables that functions other than kernels name
  int device = 0;
  DeviceLimits limits;
};

struct DecodedKernel {
  const DecodedFunction* function = nullptr;
  u32 static_bytes = 0;   // of static shared memory
  u32 static_shared = 0;  // where dynamic shared memory begins
  bool uses_dynamic_shared = false;
};

// The function that this code address stands for, nullptr if none does.
const DecodedFunction* function_at(u64 address);
void publish_function(const DecodedFunction* function);
void withdraw_function(const DecodedFunction* function);

}  // namespace cucore::cpu

#endif
