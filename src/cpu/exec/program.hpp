// SPDX-License-Identifier: Apache-2.0
// The decoded form of a module: the instructions that a warp executes, and the cold data for them.
#pragma once

#include <atomic>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cpu/exec/async.hpp"
#include "cpu/exec/executor.hpp"
#include "cpu/exec/matrix.hpp"
#include "cpu/exec/tensor_map.hpp"
#include "cpu/exec/warp.hpp"
#include "ptx/ast.hpp"

namespace cucore::cpu {

struct AlignedDelete {
  void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{64}); }
};
using AlignedBytes = std::unique_ptr<std::byte[], AlignedDelete>;
AlignedBytes make_aligned(size_t bytes);  // zeroed

// Functions that the device provides.
enum class Builtin : uint8_t { NONE, VPRINTF, MALLOC, FREE, ASSERTFAIL, SET_CONDITIONAL };
Builtin builtin_named(std::string_view name);

// One argument or result of a call, at the caller or the callee.
struct Argument {
  enum Kind : uint8_t { PARAM, REGISTER } kind = PARAM;
  Slot slot = 0;        // REGISTER: also an immediate's constant
  uint32_t offset = 0;  // PARAM: in the frame's parameter memory
  uint32_t size = 0;    // a predicate has none

  bool is_predicate() const { return kind == REGISTER && size == 0; }
};

struct CallSite {
  const DecodedFunction* callee = nullptr;
  Builtin builtin = Builtin::NONE;
  Slot target = NO_SLOT;  // indirect: the register with the function's address
  std::vector<Argument> returns;
  std::vector<Argument> inputs;
};

struct BranchTable {
  std::vector<uint32_t> targets;
};

// An address of an asynchronous operation.
struct AddressSlot {
  Slot base = NO_SLOT;  // NO_SLOT: absent
  uint64_t offset = 0;
  Region region = Region::GLOBAL;
  bool narrow = false;

  uint64_t of(const Warp& w, int lane) const {
    if (narrow) return uint32_t(w.at<uint32_t>(base)[lane] + uint32_t(offset));
    return w.at<uint64_t>(base)[lane] + offset;
  }
};

// The operands of a bulk copy, st.async or red.async.
struct AsyncSite {
  AddressSlot to, from, barrier;
  Slot size = NO_SLOT;
  Slot blocks = NO_SLOT;     // multicast: ranks of the destinations, 16 bits
  Slot byte_mask = NO_SLOT;  // 16 bits
  Reduction reduction;
  AddressSlot map;  // tensor copies
  Slot coordinates[TENSOR_RANKS] = {};
  Slot offsets[3] = {};  // im2col: added to the spatial coordinates, 16 bits
  uint32_t rank = 0;
  uint32_t offset_count = 0;
  bool im2col = false;
  bool has_four_rows = false;
  ptx::Operation operation = ptx::Operation::none;
  Slot values[4] = {};  // st.async, red.async
  uint32_t count = 0;
  uint32_t width = 0;  // bytes per value
};

// The results of a texture read: words, halves, or two halves in a word.
enum class TexelResult : uint8_t { WORD, HALF, HALVES };

// The operands of an instruction on texels.
struct ImageSite {
  ptx::Opcode op = ptx::Opcode::unsupported;
  ptx::Geometry geometry = ptx::Geometry::none;
  ptx::Mode mode = ptx::Mode::none;
  ptx::Operation operation = ptx::Operation::none;
  TexelResult result = TexelResult::WORD;
  bool is_whole = false;     // coordinates are integers
  bool has_sampler = false;  // which is not that of the object
  AddressSlot object;        // the handle is its address; of a variable, its content
  AddressSlot sampler;
  // Offsets of kernel parameters that contain the handles.
  static constexpr uint32_t NO_PARAMETER = ~uint32_t{0};
  uint32_t object_parameter = NO_PARAMETER, sampler_parameter = NO_PARAMETER;
  Slot layer = NO_SLOT;
  Slot place[3] = {NO_SLOT, NO_SLOT, NO_SLOT};
  Slot level = NO_SLOT;
  Slot offsets[3] = {NO_SLOT, NO_SLOT, NO_SLOT};  // in texels
  Slot dx[3] = {NO_SLOT, NO_SLOT, NO_SLOT}, dy[3] = {NO_SLOT, NO_SLOT, NO_SLOT};
  Slot values[4] = {};      // results, or values to store
  Slot resident = NO_SLOT;  // predicate
  uint32_t count = 1;       // values
  uint32_t bytes = 4;       // of each value
  uint32_t register_bytes = 4;
  Reduction reduction;
};

struct DecodedModule;
struct Plan;
struct CheckTable;
struct CountTable;
struct ModuleChecks;

// The position of a register in a frame; 0 bytes: a predicate with one bit per lane.
struct Register {
  Slot slot = 0;
  uint32_t bytes = 0;
};

// A parameter whose address the function takes: it is copied to local memory on entry.
struct Spill {
  uint32_t variable = 0;
  uint32_t param = 0, local = 0, size = 0;  // offsets in the frame's parameters and local memory
};

struct DecodedFunction {
  const ptx::Function* source = nullptr;
  const DecodedModule* module = nullptr;
  std::vector<Op> ops;
  std::vector<CallSite> calls;
  std::vector<BranchTable> tables;
  std::vector<AsyncSite> async;
  std::vector<MatrixOp> matrices;
  std::vector<ImageSite> images;
  std::vector<Argument> returns;  // location of this function's own parameters
  std::vector<Argument> inputs;
  std::vector<Spill> spills;
  std::vector<Register> layout;
  std::vector<Slot> slots;  // by register of the source
  AlignedBytes constants;
  uint32_t register_bytes = 0;
  uint32_t param_bytes = 0;  // parameter memory per lane
  uint32_t local_bytes = 0;
  uint32_t local_align = 16;

  // Built by plan_of() and checked_plan_of().
  mutable std::atomic<const Plan*> plan{nullptr}, checked_plan{nullptr};
  mutable std::shared_ptr<const Plan> plan_owner, checked_plan_owner;
  // Built by check_table().
  mutable std::atomic<const CheckTable*> checks{nullptr};
  mutable std::shared_ptr<const CheckTable> check_owner;
  // Built by count_table().
  mutable std::atomic<const CountTable*> counts{nullptr};
  mutable std::shared_ptr<const CountTable> count_owner;

  const ptx::Instruction& instruction(const Op& op) const {
    return source->instructions[size_t(&op - ops.data())];
  }
};

struct DecodedModule {
  std::unique_ptr<ptx::Module> source;
  // by index; nullptr: not defined in this module
  std::vector<std::unique_ptr<DecodedFunction>> functions;
  // addresses of the variables: device address, or offset in shared memory
  std::vector<uint64_t> addresses;
  uint32_t site_count = 1;
  bool uses_reserved_shared = false;
  bool compiles = false;         // machine code may replace handlers, which are those of AVX-512
  uint32_t function_shared = 0;  // bytes of shared variables that functions other than kernels use
  std::unordered_map<uint32_t, std::unique_ptr<MatrixPlan>> matrix_plans;  // by Form::index
  int device = 0;
  DeviceLimits limits;
  // Built by module_checks().
  mutable std::atomic<const ModuleChecks*> checks{nullptr};
  mutable std::shared_ptr<const ModuleChecks> check_owner;
};

struct DecodedKernel {
  const DecodedFunction* function = nullptr;
  uint32_t static_bytes = 0;   // bytes of static shared memory
  uint32_t static_shared = 0;  // start of dynamic shared memory
  bool uses_dynamic_shared = false;
  bool has_module_shared = false;  // the static memory begins with variables outside the kernel
};

// Returns the function at this code address, or nullptr.
const DecodedFunction* function_at(uint64_t address);
void publish_function(const DecodedFunction* function);
void withdraw_function(const DecodedFunction* function);

}  // namespace cucore::cpu
