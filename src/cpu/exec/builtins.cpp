// The functions that the device provides to kernels: vprintf, malloc, free and __assertfail.
#include <bit>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "cpu/exec/access.hpp"
#include "cpu/exec/block.hpp"
#include "cpu/exec/fault.hpp"
#include "cpu/exec/memory.hpp"
#include "cpu/exec/output.hpp"
#include "cpu/exec/printf.hpp"

namespace cucore::cpu {
namespace {

constexpr u64 MAX_STRING = 1 << 16;
constexpr u64 LEAST_HEAP_SHARE = 64;  // bytes of the heap that the smallest allocation uses up
constexpr u64 BYTES_PER_INSTRUCTION = 64;

class Call {
 public:
  Call(Warp& w, const Op& op, const CallSite& site) : w_(w), op_(op), site_(site) {}
  void run();

 private:
  void charge();
  u64 input(size_t index, int lane) const;
  void output(int lane, u64 value);
  std::string string(int lane, u64 address);
  u64 print(int lane);
  bool put(Output::To to, const std::string& text);
  u64 allocate(int lane);
  void free(int lane);
  [[noreturn]] void assertion(int lane);

  Warp& w_;
  const Op& op_;
  const CallSite& site_;
  u64 work_ = 0;  // bytes read and written
};

std::byte* place(const Warp& w, const Argument& a, int lane) {
  if (a.kind == Argument::Param)
    return w.frame->params + size_t(lane) * w.frame->param_stride + a.offset;
  return w.at<std::byte>(a.slot) + size_t(lane) * a.size;
}

u64 Call::input(size_t index, int lane) const {
  u64 value = 0;
  if (index >= site_.inputs.size()) return 0;
  const Argument& a = site_.inputs[index];
  std::memcpy(&value, place(w_, a, lane), a.size < 8 ? a.size : 8);
  return value;
}

void Call::output(int lane, u64 value) {
  if (site_.returns.empty()) return;
  const Argument& a = site_.returns[0];
  std::memcpy(place(w_, a, lane), &value, a.size < 8 ? a.size : 8);
}

// Byte by byte: where the string ends is not known, and it may end with its allocation.
std::string Call::string(int lane, u64 address) {
  std::string text;
  while (text.size() < MAX_STRING) {
    const auto c =
        char(*resolve(w_, op_, lane, address + text.size(), 1, Access::Read, Region::Generic));
    if (c == '\0') break;
    text += c;
  }
  work_ += text.size();
  return text;
}

u64 Call::print(int lane) {
  const u64 arguments = input(1, lane);
  PrintfSource source;
  source.argument = [&](u64 offset, void* to, u64 size) {
    std::memcpy(to, resolve(w_, op_, lane, arguments + offset, size, Access::Read, Region::Generic),
                size);
  };
  source.string = [&](u64 address) { return string(lane, address); };
  std::string text;
  const u64 capacity = w_.block->launch.launch->limits.printf_bytes;
  const int count = format_printf(string(lane, input(0, lane)), source, capacity, text);
  work_ += text.size();
  if (count < 0) return u64(s64{-1});
  return put(Output::To::Stdout, text) ? u64(count) : u64(s64{-1});
}

bool Call::put(Output::To to, const std::string& text) {
  const Launch& launch = *w_.block->launch.launch;
  return launch.output && launch.output->append(to, text, launch.limits.printf_bytes);
}

u64 Call::allocate(int lane) {
  AddressSpace& space = AddressSpace::instance();
  const Launch& launch = *w_.block->launch.launch;
  const u64 size = input(0, lane);
  // Asking and taking are one step, or two blocks pass the bound together.
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  const MemoryUse used = space.use(launch.device, MemoryKind::Heap);
  const u64 limit = launch.limits.heap_bytes;
  if (size == 0 || size > limit || used.bytes > limit - size ||
      used.allocations >= limit / LEAST_HEAP_SHARE)
    return 0;
  return space.allocate(size, 16, MemoryKind::Heap, launch.device);
}

void Call::free(int lane) {
  const u64 address = input(0, lane);
  if (address == 0) return;
  AddressSpace& space = AddressSpace::instance();
  const auto range = space.find(address);
  const bool good = range && range->kind == MemoryKind::Heap && range->base == address;
  if (!good || !space.release(address))
    raise(w_, op_, lane, CUDA_ERROR_ILLEGAL_ADDRESS,
          "free of an address that malloc did not return",
          hex_text(address) + ", " + space.describe(address, 1));
}

void Call::assertion(int lane) {
  const u32* tid = reinterpret_cast<const u32*>(w_.bases[THREAD_BASE]);
  const u32* c = w_.block->ctaid;
  const std::string message = string(lane, input(0, lane)), file = string(lane, input(1, lane)),
                    function = string(lane, input(3, lane));
  char place[128];
  std::snprintf(place, sizeof place, ": block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `", c[0],
                c[1], c[2], tid[lane], tid[lane + LANES], tid[lane + 2 * LANES]);
  put(Output::To::Stderr, std::string(shown_file(file)) + ':' +
                              std::to_string(u32(input(2, lane))) + ": " + function + place +
                              message + "` failed.\n");
  raise(w_, op_, lane, CUDA_ERROR_ASSERT, "assertion failed", "`" + message + "`");
}

// Long texts count as the instructions that would take as long, or a launch that prints passes its
// budget of instructions.
void Call::charge() {
  const u64 instructions = work_ / BYTES_PER_INSTRUCTION;
  w_.worker->warp_instructions += instructions;
  w_.quantum -= s64(instructions);
}

void Call::run() {
  for (u32 m = w_.active; m; m &= m - 1) {
    const int lane = std::countr_zero(m);
    switch (site_.builtin) {
      case Builtin::Vprintf:
        output(lane, print(lane));
        break;
      case Builtin::Malloc:
        output(lane, allocate(lane));
        break;
      case Builtin::Free:
        free(lane);
        break;
      case Builtin::Assertfail:
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
  std::vector<u64> addresses;
  space.for_each([&](const Range& r) {
    if (r.kind == MemoryKind::Heap && r.device == device) addresses.push_back(r.base);
  });
  for (u64 address : addresses) space.release(address);
}

}  // namespace cucore::cpu
