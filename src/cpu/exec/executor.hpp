// SPDX-License-Identifier: Apache-2.0
// The executor's interface for the driver: load PTX, look symbols up, run a kernel.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cucore::cpu {

class Output;
struct StreamWork;  // of a stream, for the checks
struct TraceRequest;

enum class Simd : uint8_t { AUTOMATIC, BASELINE, AVX2, AVX512 };

// Process-wide settings. cuInit passes them once before the first load or launch.
struct Settings {
  unsigned threads = 0;  // threads of the worker pool; 0: one per core
  // a level that the processor lacks falls back to the next lower one
  Simd simd = Simd::AUTOMATIC;
  uint64_t instruction_budget = 0;  // warp instructions per launch; 0: no limit
  uint64_t launch_memory = 0;       // host memory for the blocks of one launch; 0: the default
  uint64_t launch_output = 0;       // bytes of text that one launch prints; 0: no limit
  bool compile = true;              // machine code for runs of instructions, with AVX-512
  bool show_ptx = false;            // fault texts contain the instruction
};
void configure(const Settings& settings);
const Settings& settings();
Simd simd_level();  // the level in use
const char* simd_name(Simd level);

// The limits of a device; they also define %smid, %nsmid, and heap and FIFO sizes.
struct DeviceLimits {
  int sm = 90;  // compute capability x 10
  unsigned sm_count = 132;
  unsigned max_threads_per_block = 1024;
  unsigned max_shared_per_block = 48 << 10;         // static
  unsigned max_shared_per_block_optin = 227 << 10;  // static + dynamic after opt-in
  uint64_t heap_bytes = 8u << 20;                   // CU_LIMIT_MALLOC_HEAP_SIZE
  uint64_t printf_bytes = 1u << 20;                 // CU_LIMIT_PRINTF_FIFO_SIZE
  uint64_t stack_bytes = 1u << 10;       // CU_LIMIT_STACK_SIZE; 64 times this bounds the call depth
  uint64_t memory_bytes = ~uint64_t{0};  // limit for the variables of a module
  unsigned max_registers = 0;  // of the load: bounds the estimate of registers; 0: no bound
  uint64_t accessible_devices = ~uint64_t{0};  // one bit per device whose memory kernels may access
};

struct ParamInfo {
  size_t offset = 0;
  size_t size = 0;
  size_t align = 0;
};

struct KernelInfo {
  std::string name;
  std::vector<ParamInfo> params;
  size_t param_bytes = 0;
  uint32_t static_shared = 0;
  uint32_t local_bytes = 0;
  uint32_t const_bytes = 0;
  uint32_t max_threads = 1024;      // .maxntid / .reqntid, else the device's
  uint32_t registers = 0;           // an estimate that is the same for every load
  uint32_t required_block[3] = {};  // .reqntid, 0: any
  uint32_t required_cluster[3] = {};
  uint32_t max_cluster = 0;       // .maxclusterrank: blocks per cluster, 0: the device's limit
  bool explicit_cluster = false;  // .explicitcluster: a launch needs the size of a cluster
  uint32_t min_ctas = 0;
  bool uses_dynamic_shared = false;
  int ptx_version = 0;  // 83 for 8.3
  int target = 0;       // 90 for sm_90a
  std::string refusal;  // the reason that drivers for GPUs do not find the kernel; "": they do
};

class LoadedModule;

// A kernel of a loaded module; valid as long as its module.
class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual const KernelInfo& info() const = 0;
  virtual LoadedModule& module() const = 0;
};

struct GlobalInfo {
  std::string name;
  uint64_t address = 0;
  uint64_t size = 0;
  bool managed = false;
  bool constant = false;
};

class LoadedModule {
 public:
  // Loads PTX text. On failure returns nullptr, with the driver's CUresult and a log.
  static std::shared_ptr<LoadedModule> load(const char* image, size_t size, int device,
                                            const DeviceLimits& limits, std::string& log,
                                            CUresult& code);
  virtual ~LoadedModule() = default;
  virtual const Kernel* find_kernel(std::string_view name) const = 0;
  virtual const std::vector<const Kernel*>& kernels() const = 0;  // in the order of the text
  virtual const GlobalInfo* find_global(std::string_view name) const = 0;
  virtual const std::vector<GlobalInfo>& globals() const = 0;
  virtual int device() const = 0;
};

struct Launch {
  const Kernel* kernel = nullptr;
  unsigned grid[3] = {1, 1, 1};
  unsigned block[3] = {1, 1, 1};
  unsigned cluster[3] = {1, 1, 1};
  bool explicit_cluster = false;  // the launch or the kernel has set the size of a cluster
  uint32_t dynamic_shared = 0;
  bool cooperative = false;
  const void* params = nullptr;  // param_bytes, each parameter at its offset
  int device = 0;
  DeviceLimits limits;
  Output* output = nullptr;               // the context's output; must outlive the launch
  std::shared_ptr<StreamWork> operation;  // its order, if checks are enabled
  const TraceRequest* trace = nullptr;    // nullptr: counted if a trace is running
};

struct Fault {
  CUresult code = CUDA_SUCCESS;
  std::string text;
};

// Returns a kernel's name as in its source: "fill<float>" for _Z4fillIfEvPT_S0_.
std::string shown_name(std::string_view name);

// Statistics of a launch, for benchmarks and reports.
struct LaunchStatistics {
  uint64_t warp_instructions = 0;
  uint64_t thread_instructions = 0;
};

// Runs the kernel and returns when all blocks have ended or one has faulted. Several threads may
// call it at once; all share one worker pool.
std::optional<Fault> execute(const Launch& launch, LaunchStatistics* statistics = nullptr);

// Returns true for a function that the device provides to kernels, such as vprintf.
bool is_builtin_function(std::string_view name);

// Frees the device memory that kernels allocated with malloc and did not free, at the end or reset
// of the primary context.
void release_heap(int device);

}  // namespace cucore::cpu
