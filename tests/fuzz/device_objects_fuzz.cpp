// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: a kernel uses any bytes as a tensor map, or any numbers as matrix descriptors.
// It succeeds or ends with a fault that names the instruction. A copy writes its box, or its part
// of the tensor, and nothing else. The layout of an input is in device_objects_seeds.py.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "../cpu/exec/text.hpp"
#include "cpu/exec/tensor_map.hpp"
#include "cpu/exec/tensor_walk.hpp"
#include "tensor_reference.hpp"

namespace {

using namespace cucore::cpu;
using namespace cucore::cpu::test;

[[noreturn]] void broken(const char* what, const std::string& text) {
  std::fprintf(stderr, "broken promise: %s\n%s\n", what, text.c_str());
  std::abort();
}

struct Input {
  uint8_t kernel = 0, rank = 0;  // of the instruction
  uint16_t offsets[3] = {};      // im2col
  int32_t coordinates[TENSOR_RANKS] = {};
  uint32_t place = 0;            // of the box in shared memory
  uint64_t descriptors[2] = {};  // the map is behind them
  uint8_t map[sizeof(TensorMap)] = {};
};

enum Kernel : uint8_t {
  LOAD,
  LOAD_IM2COL,
  STORE,
  STORE_IM2COL,
  REDUCE,
  PREFETCH,
  PRODUCT,
  KERNELS
};
constexpr uint32_t ROOM = 16 << 10, THREADS = 128;
constexpr uint8_t BYTE = 0xAA;  // in all memory before the kernel

std::string list(const char* open, unsigned count, const char* name, unsigned first,
                 const char* close) {
  std::string text = open;
  for (unsigned k = 0; k < count; ++k)
    text += (k ? ", " : "") + std::string(name) + std::to_string(first + k);
  return text + close;
}

// Each word of shared memory differs from the others, and from global memory.
constexpr uint32_t FACTOR = 0x9E37'79B1;
uint32_t word_of_store(uint32_t number) { return (number + 1) * FACTOR; }
const char* const FILL_OF_STORE = "mad.lo.u32 %r6, %r4, 0x9E3779B1, 0x9E3779B1;";
const char* const FILL = "mov.u32 %r6, 0xAAAAAAAA;";

// Fills the shared memory, reads the coordinates and offsets from b, executes `use` in thread 0,
// and copies the shared memory to b.
std::string copy_text(const std::string& use, const std::string& fill = FILL) {
  return kernel_text(
      "mov.u32 %r10, box; mov.u32 %r4, %r1;\n"
      "clear: shl.b32 %r5, %r4, 2; add.u32 %r5, %r5, %r10;" +
          fill +
          "st.shared.u32 [%r5], %r6;"
          "add.u32 %r4, %r4, 128; setp.lt.u32 %p2, %r4, 4096; @%p2 bra clear;"
          "setp.ne.u32 %p1, %r1, 0; @!%p1 mbarrier.init.shared.b64 [bar], 1; bar.sync 0;"
          "ld.global.v4.u32 {%r20, %r21, %r22, %r23}, [%rd1]; ld.global.v2.u32 {%r24, %r9}, "
          "[%rd1+16];"
          "ld.global.v4.u16 {%rs0, %rs1, %rs2, %rs3}, [%rd1+24]; add.u32 %r11, %r10, %r9;"
          "@%p1 bra over;" +
          use +
          "over: bar.sync 0; mov.u32 %r4, %r1;\n"
          "more: shl.b32 %r5, %r4, 2; cvt.u64.u32 %rd3, %r5; add.s64 %rd3, %rd3, %rd1;"
          "add.u32 %r5, %r5, %r10; ld.shared.u32 %r6, [%r5]; st.global.u32 [%rd3], %r6;"
          "add.u32 %r4, %r4, 128; setp.lt.u32 %p2, %r4, 4096; @%p2 bra more;",
      ".shared .align 1024 .b8 box[16384]; .shared .align 8 .b64 bar;\n");
}

// A copy may expect another number of bytes than it has, so the wait is bounded.
const char* const WAIT =
    "mov.u32 %r7, 0;\nwaits: mbarrier.test_wait.parity.shared.b64 %p3, [bar], 0; add.u32 %r7, %r7, "
    "1;"
    "setp.lt.and.u32 %p4, %r7, 64, !%p3; @%p4 bra waits;\n";

std::string text_of(Kernel kernel, unsigned rank) {
  const std::string d = std::to_string(rank) + "d",
                    place = "[%rd0, " + list("{", rank, "%r", 20, "}") + "]";
  const unsigned count = rank > 2 ? rank - 2 : 1;
  const std::string offsets = list("{", count, "%rs", 0, "}");
  const auto load = [&](const char* mode, const std::string& end) {
    return copy_text(
        "mbarrier.arrive.expect_tx.shared.b64 %rd2, [bar], %r0; cp.async.bulk.tensor." + d +
        ".shared::cluster.global" + mode + ".mbarrier::complete_tx::bytes [%r11], " + place +
        ", [bar]" + end + ";" + WAIT);
  };
  const auto store = [&](const char* name, const char* mode) {
    return copy_text(std::string(name) + d + ".global.shared::cta" + mode + ".bulk_group " + place +
                         ", [%r11]; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;",
                     FILL_OF_STORE);
  };
  switch (kernel) {
    case LOAD:
      return load("", "");
    case LOAD_IM2COL:
      return load(".im2col", ", " + offsets);
    case STORE:
      return store("cp.async.bulk.tensor.", "");
    case STORE_IM2COL:
      return store("cp.async.bulk.tensor.", ".im2col_no_offs");
    case REDUCE:
      return store("cp.reduce.async.bulk.tensor.", ".add");
    case PREFETCH:
      return copy_text("cp.async.bulk.prefetch.tensor." + d + ".L2.global " + place + ";");
    default:
      break;
  }
  static const char* const FORMS[] = {"m64n8k16.f32.f16.f16", "m64n8k8.f32.tf32.tf32",
                                      "m64n8k32.s32.s8.s8", "m64n8k32.f32.e4m3.e5m2",
                                      "m64n8k16.f32.bf16.bf16"};
  const unsigned form = rank - 1;
  const bool is_integer = form == 2, has_transpose = form == 0 || form == 4;
  const std::string d4 = is_integer ? "{%r12, %r13, %r14, %r15}" : "{%f1, %f2, %f3, %f4}";
  return kernel_text(
      ".shared .align 1024 .b8 box[16384]; ld.global.v2.u64 {%rd2, %rd3}, [%rd1+32];"
      "setp.eq.u32 %p1, 0, 0; wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned." +
      std::string(FORMS[form]) + " " + d4 + ", %rd2, %rd3, %p1" + (is_integer ? "" : ", 1, 1") +
      (has_transpose ? ", 1, 1" : "") +
      "; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;");
}

const LoadedModule& module_of(Kernel kernel, unsigned rank) {
  static std::map<std::pair<Kernel, unsigned>, std::shared_ptr<LoadedModule>> modules;
  auto& module = modules[{kernel, rank}];
  if (!module) module = load_text(text_of(kernel, rank));
  return *module;
}

// The memory of the device: the tensor lies in the middle.
struct Memory {
  Array<uint8_t> tensor{ROOM, BYTE}, map{TENSOR_MAP_BYTES}, words{ROOM};

  void prepare(const Input& input, const TensorMap& used) {
    std::fill_n(tensor.data(), ROOM, BYTE);
    std::fill_n(map.data(), TENSOR_MAP_BYTES, BYTE);
    std::memcpy(map.data(), &used, sizeof used);
    std::memcpy(words.data(), input.coordinates, sizeof input.coordinates);
    std::memcpy(words.data() + 20, &input.place, sizeof input.place);
    std::memcpy(words.data() + 24, input.offsets, sizeof input.offsets);
    std::memcpy(words.data() + 32, input.descriptors, sizeof input.descriptors);
  }
};

void require_fault(const Fault& fault) {
  static constexpr CUresult CODES[] = {
      CUDA_ERROR_ILLEGAL_INSTRUCTION,   CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_MISALIGNED_ADDRESS,
      CUDA_ERROR_INVALID_ADDRESS_SPACE, CUDA_ERROR_NOT_SUPPORTED,   CUDA_ERROR_LAUNCH_FAILED};
  if (std::find(std::begin(CODES), std::end(CODES), fault.code) == std::end(CODES))
    broken("another kind of fault", fault.text);
  if (fault.text.find("PTX line") == std::string::npos) broken("no line", fault.text);
}

bool has_only(const uint8_t* bytes, size_t first, size_t last) {
  return std::all_of(bytes + first, bytes + last, [](uint8_t byte) { return byte == BYTE; });
}

// An address of shared memory has the block of the cluster in the bits from here on.
constexpr uint32_t BLOCK_BITS = 1 << 24;

// Requires that a load wrote within its box alone, and no global memory.
void require_box(const Input& input, const TensorMap& map, const Memory& memory) {
  if (!has_only(memory.tensor.data(), 0, ROOM)) broken("a load wrote to global memory", "");
  TensorTransfer transfer;
  transfer.map = map;
  const uint64_t first = std::min(input.place % BLOCK_BITS, ROOM);
  const uint64_t last = std::min<uint64_t>(first + transfer.space(), ROOM);
  if (!has_only(memory.words.data(), 0, first) || !has_only(memory.words.data(), last, ROOM))
    broken("a load wrote outside of its box",
           std::to_string(first) + " to " + std::to_string(last));
}

// The memory that a store or reduction must leave behind. Elements at one place may be stored in
// any order.
class Expected {
 public:
  Expected(const Input& input, const TensorMap& map, Kernel kernel)
      : box_(map, input.coordinates, input.place % BLOCK_BITS),
        is_reduction_(kernel == REDUCE),
        is_float_(is_tensor_float(map.type)) {
    for (uint32_t k = 0; k < ROOM / sizeof(uint32_t); ++k) {
      const uint32_t word = word_of_store(k);
      std::memcpy(shared_ + k * sizeof word, &word, sizeof word);
    }
    std::memset(tensor_, BYTE, ROOM);
    std::memset(map_, BYTE, sizeof map_);
    std::memcpy(map_, &map, sizeof map);
  }

  void require(const Memory& memory) {
    box_.each([&](uint64_t place, uint64_t address) {
      const Place to = find(memory, address);
      if (!to.expected) return;
      // Sums of floating-point numbers, and the memory behind the box, are not computed here.
      if (place + box_.element() > ROOM || (is_reduction_ && is_float_))
        std::memcpy(to.expected, to.actual, box_.element());
      else if (is_reduction_)
        add(to.expected, shared_ + place);
      else
        std::memcpy(to.expected, shared_ + place, box_.element());
    });
    if (std::memcmp(memory.words.data(), shared_, ROOM) != 0)
      broken("a store changed shared memory", "");
    require_equal(memory.tensor, tensor_, "a store differs in the tensor");
    require_equal(memory.map, map_, "a store differs in the map");
  }

 private:
  struct Place {
    uint8_t* expected;  // nullptr: outside of the memory that is compared
    const uint8_t* actual;
  };
  Place find(const Memory& memory, uint64_t address) {
    const auto offset_in = [&](const Array<uint8_t>& bytes) { return address - bytes.address(); };
    if (const uint64_t offset = offset_in(memory.tensor); offset < ROOM)
      return {tensor_ + offset, memory.tensor.data() + offset};
    if (const uint64_t offset = offset_in(memory.map); offset < sizeof map_)
      return {map_ + offset, memory.map.data() + offset};
    return {};
  }
  void add(uint8_t* to, const uint8_t* from) const {
    uint64_t sum = 0, more = 0;
    std::memcpy(&sum, to, box_.element());
    std::memcpy(&more, from, box_.element());
    sum += more;
    std::memcpy(to, &sum, box_.element());
  }
  void require_equal(const Array<uint8_t>& actual, const uint8_t* expected, const char* what) {
    for (size_t k = 0; k < actual.size(); ++k)
      if (actual[k] != expected[k] && !is_stored(actual.address() + k, actual[k]))
        broken(what, "byte " + std::to_string(k) + " is " + std::to_string(actual[k]) +
                         "; expected " + std::to_string(expected[k]));
  }
  // Returns whether another element of the box has this byte for this place.
  bool is_stored(uint64_t address, uint8_t byte) const {
    bool found = false;
    if (is_reduction_) return false;
    box_.each([&](uint64_t place, uint64_t first) {
      const uint64_t k = address - first;
      found |= k < box_.element() && (place + k >= ROOM || shared_[place + k] == byte);
    });
    return found;
  }

  const ReferenceBox box_;
  const bool is_reduction_, is_float_;
  uint8_t shared_[ROOM], tensor_[ROOM], map_[TENSOR_MAP_BYTES];
};

// Returns the map of an input: its address counts from the tensor.
TensorMap map_of(const Input& input, const Memory& memory) {
  TensorMap map;
  std::memcpy(static_cast<void*>(&map), input.map, sizeof map);
  map.address += memory.tensor.address();
  return map;
}

void run(const Input& input) {
  static Memory memory;
  const auto kernel = Kernel(input.kernel % KERNELS);
  const unsigned rank = input.rank % TENSOR_RANKS + 1;
  const bool is_im2col = kernel == LOAD_IM2COL || kernel == STORE_IM2COL;
  const TensorMap map = map_of(input, memory);
  memory.prepare(input, map);
  const auto fault = launch(
      *module_of(kernel, is_im2col ? std::max(rank, 3u) : rank).find_kernel("k"), shape(1, THREADS),
      nullptr, memory.map.address(), memory.words.address(), int(input.descriptors[0] % ROOM));
  if (fault) return require_fault(*fault);
  if (kernel == LOAD || kernel == LOAD_IM2COL) require_box(input, map, memory);
  if (kernel == PREFETCH && !has_only(memory.tensor.data(), 0, ROOM))
    broken("a prefetch wrote", "");
  if (kernel == STORE || kernel == STORE_IM2COL || kernel == REDUCE)
    Expected(input, map, kernel).require(memory);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Input input;
  std::memcpy(static_cast<void*>(&input), data, std::min(size, sizeof input));
  run(input);
  return 0;
}
