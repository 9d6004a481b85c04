// SPDX-License-Identifier: Apache-2.0
// Writes how many blocks one multiprocessor runs, as a driver calculates it. The kernels differ in
// registers, size of the block, and dynamic shared memory.
//   occupancy_table --driver PATH --write FOLDER    writes FOLDER/sm_XX.csv
#include <cuda.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <map>
#include <set>
#include <stdexcept>
#include <string>

namespace {

constexpr int LEAST_REGISTERS = 16, MOST_REGISTERS = 255, STEP = 3;
constexpr int MOST_VALUES = 250;  // that a thread of a kernel holds at a time
constexpr int THREADS[] = {32,  33,  64,  96,  128, 160, 192, 224, 256, 320,
                           384, 448, 512, 576, 640, 768, 800, 896, 960, 1024};
constexpr size_t SHARED[] = {0,     1,     1000,  2048,  4097,  8192,   12288,
                             16384, 24576, 32768, 49152, 65536, 102400, 166912};

class Driver {
 public:
  explicit Driver(const std::string& path) : library_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (!library_) throw std::runtime_error(dlerror());
  }

  template <class Function, class... Arguments>
  void call(const char* name, Arguments... arguments) const {
    const auto function = reinterpret_cast<Function>(dlsym(library_, name));
    if (!function) throw std::runtime_error(std::string(name) + " is missing");
    if (const CUresult result = function(arguments...); result != CUDA_SUCCESS)
      throw std::runtime_error(std::string(name) + " returns " + std::to_string(result));
  }

 private:
  void* library_;
};

#define CALL(function, ...) driver_.call<decltype(&function)>(#function, __VA_ARGS__)

// A kernel that holds more words at a time than its limit of registers permits, so that it needs
// all of them.
std::string kernel_of(int limit) {
  const int values = std::min(limit + 8, MOST_VALUES);
  std::string text =
      ".version 7.0\n.target sm_75\n.address_size 64\n"
      ".visible .entry k(.param .u64 data) .maxnreg " +
      std::to_string(limit) + "\n{\n.reg .b32 %r<" + std::to_string(values) +
      ">; .reg .b64 %rd<2>;\nld.param.u64 %rd1, [data];\n";
  const auto access = [&](int at, bool load) {
    const std::string address = "[%rd1+" + std::to_string(4 * at) + "]";
    const std::string value = "%r" + std::to_string(at);
    text += load ? "ld.volatile.global.u32 " + value + ", " + address + ";\n"
                 : "st.volatile.global.u32 " + address + ", " + value + ";\n";
  };
  for (int at = 0; at < values; ++at) access(at, true);
  for (int at = 0; at < values; ++at) access(values - 1 - at, false);
  return text + "ret;\n}\n";
}

class Table {
 public:
  explicit Table(const std::string& path) : driver_(path) {
    CALL(cuInit, 0u);
    CALL(cuDeviceGet, &device_, 0);
    CUcontext context = nullptr;
    CALL(cuDevicePrimaryCtxRetain, &context, device_);
    CALL(cuCtxSetCurrent, context);
  }

  void write(const std::string& folder) {
    const std::string path =
        folder + "/sm_" + std::to_string(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)) +
        std::to_string(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)) + ".csv";
    std::ofstream file(path);
    file << "registers,threads";
    for (const size_t shared : SHARED)
      if (is_possible(shared)) file << "," << shared;
    file << "\n";
    std::set<int> counts;
    for (int limit = LEAST_REGISTERS; limit <= MOST_REGISTERS; limit += STEP)
      write_kernel(file, limit, counts);
    file.flush();
    if (!file) throw std::runtime_error("cannot write " + path);
    std::printf("%zu counts of registers, %zu answers\n", counts.size(), answers_);
  }

 private:
  int attribute(CUdevice_attribute which) {
    int value = 0;
    CALL(cuDeviceGetAttribute, &value, which, device_);
    return value;
  }

  bool is_possible(size_t shared) {
    return shared <= size_t(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
  }

  void write_kernel(std::ofstream& file, int limit, std::set<int>& counts) {
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    int registers = 0;
    CALL(cuModuleLoadData, &module, static_cast<const void*>(kernel_of(limit).c_str()));
    CALL(cuModuleGetFunction, &function, module, "k");
    CALL(cuFuncGetAttribute, &registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function);
    CALL(cuFuncSetAttribute, function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
         attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
    if (!counts.insert(registers).second) return;
    for (const int threads : THREADS) {
      file << registers << "," << threads;
      for (const size_t shared : SHARED) {
        if (!is_possible(shared)) continue;
        int blocks = -1;
        CALL(cuOccupancyMaxActiveBlocksPerMultiprocessor, &blocks, function, threads, shared);
        file << "," << blocks;
        ++answers_;
      }
      file << "\n";
    }
  }

  Driver driver_;
  CUdevice device_ = 0;
  size_t answers_ = 0;
};

}  // namespace

int main(int count, char** arguments) {
  std::map<std::string, std::string> options;
  for (int at = 1; at + 1 < count; at += 2) options[arguments[at]] = arguments[at + 1];
  if (count != 5 || options["--driver"].empty() || options["--write"].empty()) {
    std::fprintf(stderr, "usage: occupancy_table --driver PATH --write FOLDER\n");
    return 2;
  }
  try {
    Table(options["--driver"]).write(options["--write"]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "occupancy_table: %s\n", error.what());
    return 1;
  }
}
