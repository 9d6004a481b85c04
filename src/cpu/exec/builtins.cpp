// SPDX-License-Identifier: Apache-2.0
// The functions that the device provides to kernels: vprintf, malloc, free, __assertfail and
// cudaGraphSetConditional.
#include <bit>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "cpu/exec/access.hpp"
#include "cpu/exec/block.hpp"
#include "cpu/exec/conditions.hpp"
#include "cpu/exec/fault.hpp"
#include "cpu/exec/memory.hpp"
#include "cpu/exec/output.hpp"
#include "cpu/exec/printf.hpp"
#include "support/counted.hpp"

namespace cucore::cpu {
namespace {

constexpr uint64_t MAX_STRING = 1 << 16;
constexpr uint64_t LEAST_HEAP_SHARE = 64;  // bytes of the heap that the smallest allocation uses
constexpr uint64_t BYTES_PER_INSTRUCTION = 64;

class Call {
 public:
  Call(Warp& w, const Op& op, const CallSite& site) : w_(w), op_(op), site_(site) {}
  void run();

 private:
  void charge();
  uint64_t input(size_t index, int lane) const;
  void output(int lane, uint64_t value);
  std::string string(int lane, uint64_t address);
  uint64_t print(int lane);
  void charge_output(int lane, uint64_t bytes);
  bool put(Output::To to, const std::string& text);
  uint64_t allocate(int lane);
  void free(int lane);
  void set_conditional(int lane);
  [[noreturn]] void assertion(int lane);

  Warp& w_;
  const Op& op_;
  const CallSite& site_;
  uint64_t work_ = 0;  // bytes read and written
};

std::byte* place(const Warp& w, const Argument& a, int lane) {
  if (a.kind == Argument::PARAM)
    return w.frame->params + size_t(lane) * w.frame->param_stride + a.offset;
  return w.at<std::byte>(a.slot) + size_t(lane) * a.size;
}

uint64_t Call::input(size_t index, int lane) const {
  uint64_t value = 0;
  if (index >= site_.inputs.size()) return 0;
  const Argument& a = site_.inputs[index];
  std::memcpy(&value, place(w_, a, lane), a.size < 8 ? a.size : 8);
  return value;
}

void Call::output(int lane, uint64_t value) {
  if (site_.returns.empty()) return;
  const Argument& a = site_.returns[0];
  std::memcpy(place(w_, a, lane), &value, a.size < 8 ? a.size : 8);
}

// Reads byte by byte, because the end of the string is unknown and may be the end of its
// allocation.
std::string Call::string(int lane, uint64_t address) {
  std::string text;
  while (text.size() < MAX_STRING) {
    const auto c =
        char(*resolve(w_, op_, lane, address + text.size(), 1, Access::READ, Region::GENERIC));
    if (c == '\0') break;
    text += c;
  }
  work_ += text.size();
  return text;
}

uint64_t Call::print(int lane) {
  const uint64_t arguments = input(1, lane);
  PrintfSource source;
  source.argument = [&](uint64_t offset, void* to, uint64_t size) {
    std::memcpy(to, resolve(w_, op_, lane, arguments + offset, size, Access::READ, Region::GENERIC),
                size);
  };
  source.string = [&](uint64_t address) { return string(lane, address); };
  std::string text;
  const uint64_t capacity = w_.block->launch.launch->limits.printf_bytes;
  const int count = format_printf(string(lane, input(0, lane)), source, capacity, text);
  work_ += text.size();
  if (count < 0) return uint64_t(int64_t{-1});
  charge_output(lane, text.size());
  return put(Output::To::STDOUT, text) ? uint64_t(count) : uint64_t(int64_t{-1});
}

// Texts that the buffer drops count, so that the same launch fails in every run.
void Call::charge_output(int lane, uint64_t bytes) {
  LaunchState& launch = w_.block->launch;
  const LaunchBudget& budget = launch.budgets.output;
  const uint64_t before = launch.printed.fetch_add(bytes, std::memory_order_relaxed);
  if (budget.amount == 0 || before + bytes <= budget.amount) return;
  raise(w_, op_, lane, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "too much output",
        "printf adds " + counted(bytes, "byte") + " to " + std::to_string(before) +
            "; a launch has " + std::to_string(budget.amount) + "; " + budget.setting +
            " sets this budget");
}

bool Call::put(Output::To to, const std::string& text) {
  const Launch& launch = *w_.block->launch.launch;
  return launch.output && launch.output->append(to, text, launch.limits.printf_bytes);
}

uint64_t Call::allocate(int lane) {
  AddressSpace& space = AddressSpace::instance();
  const Launch& launch = *w_.block->launch.launch;
  const uint64_t size = input(0, lane);
  // The check and the allocation are one step; otherwise two blocks could exceed the bound
  // together.
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  const MemoryUse used = space.use(launch.device, MemoryKind::HEAP);
  const uint64_t limit = launch.limits.heap_bytes;
  if (size == 0 || size > limit || used.bytes > limit - size ||
      used.allocations >= limit / LEAST_HEAP_SHARE)
    return 0;
  return space.allocate(size, 16, MemoryKind::HEAP, launch.device);
}

void Call::free(int lane) {
  const uint64_t address = input(0, lane);
  if (address == 0) return;
  AddressSpace& space = AddressSpace::instance();
  const auto range = space.find(address);
  const bool good = range && range->kind == MemoryKind::HEAP && range->base == address;
  if (!good || !space.release(address))
    raise(w_, op_, lane, CUDA_ERROR_ILLEGAL_ADDRESS,
          "free of an address that malloc did not return",
          hex_text(address) + ", " + space.describe(address, 1));
}

void Call::set_conditional(int lane) {
  const uint64_t condition = input(0, lane);
  if (!set_condition(condition, uint32_t(input(1, lane))))
    raise(w_, op_, lane, CUDA_ERROR_ILLEGAL_ADDRESS, "cudaGraphSetConditional of no condition",
          hex_text(condition));
}

void Call::assertion(int lane) {
  const uint32_t* tid = reinterpret_cast<const uint32_t*>(w_.bases[THREAD_BASE]);
  const uint32_t* c = w_.block->ctaid;
  const std::string message = string(lane, input(0, lane)), file = string(lane, input(1, lane)),
                    function = string(lane, input(3, lane));
  char place[128];
  std::snprintf(place, sizeof place, ": block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `", c[0],
                c[1], c[2], tid[lane], tid[lane + LANES], tid[lane + 2 * LANES]);
  put(Output::To::STDERR, std::string(shown_file(file)) + ':' +
                              std::to_string(uint32_t(input(2, lane))) + ": " + function + place +
                              message + "` failed.\n");
  raise(w_, op_, lane, CUDA_ERROR_ASSERT, "assertion failed", "`" + message + "`");
}

// Long texts count as the equivalent number of instructions, so that a launch that prints stays
// within its instruction budget.
void Call::charge() {
  const uint64_t instructions = work_ / BYTES_PER_INSTRUCTION;
  w_.worker->warp_instructions += instructions;
  w_.quantum -= int64_t(instructions);
}

void Call::run() {
  for (uint32_t m = w_.active; m; m &= m - 1) {
    const int lane = std::countr_zero(m);
    switch (site_.builtin) {
      case Builtin::VPRINTF:
        output(lane, print(lane));
        break;
      case Builtin::MALLOC:
        output(lane, allocate(lane));
        break;
      case Builtin::FREE:
        free(lane);
        break;
      case Builtin::SET_CONDITIONAL:
        set_conditional(lane);
        break;
      case Builtin::ASSERTFAIL:
        assertion(lane);
      default:
        break;
    }
  }
  charge();
}

}  // namespace

void call_builtin(Warp& w, const Op& op, const CallSite& site) { Call(w, op, site).run(); }

void release_heap(int device) {
  AddressSpace& space = AddressSpace::instance();
  std::vector<uint64_t> addresses;
  space.for_each([&](const Range& r) {
    if (r.kind == MemoryKind::HEAP && r.device == device) addresses.push_back(r.base);
  });
  for (uint64_t address : addresses) space.release(address);
}

}  // namespace cucore::cpu
