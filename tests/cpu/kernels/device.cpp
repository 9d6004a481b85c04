// SPDX-License-Identifier: Apache-2.0
// Opening of the driver library and of NVRTC, and launches.
#include "device.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <optional>
#include <random>

#include "../tools/nvrtc.hpp"
#include "cpu/driver/control.hpp"

namespace cucore::cpu::kernels {
namespace {

// cuda.h renames some functions by macro; this is the exported name.
#define TEXT_OF(name) #name
#define EXPORTED(name) TEXT_OF(name)

template <class F>
void bind(void* library, F& function, const char* name) {
  function = reinterpret_cast<F>(dlsym(library, name));
  if (function == nullptr) throw std::runtime_error(std::string("the driver lacks ") + name);
}

CUdevice device = 0;

Calls opened() {
  const char* path = std::getenv("CUCORE_CPU_LIBRARY");
  void* library = dlopen(path ? path : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  Calls all;
#define CALL(name) bind(library, all.name, EXPORTED(name));
#include "driver_calls.inc"
#undef CALL
  CUcontext context = nullptr;
  if (all.cuInit(0) != CUDA_SUCCESS || all.cuDeviceGet(&device, 0) != CUDA_SUCCESS ||
      all.cuDevicePrimaryCtxRetain(&context, device) != CUDA_SUCCESS ||
      all.cuCtxSetCurrent(context) != CUDA_SUCCESS)
    throw std::runtime_error("no device");
  return all;
}

const cucore::cpu::test::Nvrtc* compiler() {
  static const std::optional<cucore::cpu::test::Nvrtc> nvrtc = cucore::cpu::test::Nvrtc::open();
  return nvrtc ? &*nvrtc : nullptr;
}

const cucore_cpu_control* control_table() {
  static const CUuuid id = CUCORE_CPU_CONTROL_ID;
  const cucore_cpu_control* control = nullptr;
  calls().cuGetExportTable(reinterpret_cast<const void**>(&control), &id);
  return control;
}

// Returns the CPU device's text of the fault; "" on a GPU.
std::string fault_text() {
  char text[1024] = "";
  if (const cucore_cpu_control* control = control_table())
    control->last_fault_text(nullptr, text, sizeof text, nullptr);
  return text;
}

int capability() {
  int major = 0, minor = 0;
  calls().cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  calls().cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  return 10 * major + minor;
}

}  // namespace

const std::vector<Build> BUILDS = {
    {"hopper", {"-arch=compute_90", "-std=c++17"}},
    {"turing", {"-arch=compute_75", "-std=c++17"}},
    {"debug", {"-arch=compute_80", "-std=c++17", "-G"}},
    {"fast", {"-arch=compute_89", "-std=c++17", "-use_fast_math", "-lineinfo"}},
    {"narrow", {"-arch=compute_90", "-std=c++20", "-maxrregcount=32"}},
    {"blackwell", {"-arch=compute_100", "-std=c++20", "--jump-table-density=50"}}};
const std::vector<Build> FEW_BUILDS = {BUILDS[0], BUILDS[1]};
const std::vector<Build> MATH_BUILDS = {BUILDS[0], BUILDS[2]};
const std::vector<Build> EXACT_BUILDS = {BUILDS[0], BUILDS[1], BUILDS[2], BUILDS[5]};

std::ostream& operator<<(std::ostream& out, const Build& build) { return out << build.name; }
std::string name_of(const testing::TestParamInfo<Build>& info) { return info.param.name; }

const Calls& calls() {
  static const Calls all = opened();
  return all;
}

void check(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  const char* name = nullptr;
  calls().cuGetErrorName(result, &name);
  throw std::runtime_error(std::string(what) + ": " + (name ? name : "unknown error"));
}

void reset() {
  CUcontext context = nullptr;
  calls().cuDevicePrimaryCtxReset(device);
  calls().cuDevicePrimaryCtxRelease(device);
  check(calls().cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
  check(calls().cuCtxSetCurrent(context), "cuCtxSetCurrent");
}

int target_of(const Build& build) {
  for (const std::string& option : build.options)
    if (option.starts_with("-arch=compute_")) return std::stoi(option.substr(14));
  return 0;
}

bool explains_faults() { return control_table() != nullptr; }

bool has_compiler() { return compiler() != nullptr; }

void Kernels::SetUp() {
  if (!has_compiler()) GTEST_SKIP() << "no NVRTC on this machine";
  if (target_of(GetParam()) > capability()) GTEST_SKIP() << "newer than the device";
}

void Kernels::TearDown() {
  const cucore_cpu_control* control = control_table();
  if (!control || control->check_count() == 0) return;
  size_t length = 0;
  control->check_text(nullptr, 0, &length);
  std::string text(length + 1, '\0');
  control->check_text(text.data(), text.size(), nullptr);
  control->clear_checks();
  ADD_FAILURE() << text.c_str();
}

Program::Program(const std::string& source, const std::vector<std::string>& options) {
  std::string error;
  std::vector<std::string> all = options;
  all.push_back("--device-int128");
  const std::string ptx = compiler()->compile(source, "kernel.cu", all, error);
  if (ptx.empty()) throw std::runtime_error(error);
  if (const char* file = std::getenv("CUCORE_TEST_PTX"))
    if (FILE* out = std::fopen(file, "w")) {
      std::fputs(ptx.c_str(), out);
      std::fclose(out);
    }
  char log[4096] = {};
  CUjit_option keys[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  if (calls().cuModuleLoadDataEx(&module_, ptx.c_str(), 2, keys, values) != CUDA_SUCCESS)
    throw std::runtime_error(std::string("cuModuleLoadDataEx: ") + log);
}

Program::~Program() {
  if (module_ != nullptr) calls().cuModuleUnload(module_);
}

CUfunction Program::function(const char* kernel) const {
  CUfunction found = nullptr;
  check(calls().cuModuleGetFunction(&found, module_, kernel), kernel);
  return found;
}

CUdeviceptr Program::global(const char* name) const {
  CUdeviceptr address = 0;
  size_t size = 0;
  check(calls().cuModuleGetGlobal(&address, &size, module_, name), name);
  return address;
}

void Program::start(const char* kernel, const Shape& s,
                    std::vector<std::vector<char>>& packed) const {
  std::vector<void*> parameters;
  for (std::vector<char>& bytes : packed) parameters.push_back(bytes.data());
  const CUfunction f = function(kernel);
  if (s.shared > 48 * 1024)
    check(calls().cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                     static_cast<int>(s.shared)),
          "cuFuncSetAttribute");
  CUlaunchAttribute attributes[2] = {};
  attributes[0].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  attributes[0].value.cooperative = s.cooperative;
  attributes[1].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attributes[1].value.clusterDim = {s.cluster, 1, 1};
  const CUlaunchConfig config{s.grid,    s.grid_y, 1,       s.block,    s.block_y,
                              s.block_z, s.shared, nullptr, attributes, s.cluster ? 2u : 1u};
  CUresult result = calls().cuLaunchKernelEx(&config, f, parameters.data(), nullptr);
  if (result == CUDA_SUCCESS) result = calls().cuCtxSynchronize();
  if (result == CUDA_SUCCESS) return;
  const std::string text = std::string(kernel) + ": " + fault_text();
  reset();
  check(result, text.c_str());
}

std::vector<unsigned> random_words(size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<unsigned> words(count);
  for (unsigned& word : words) word = static_cast<unsigned>(generator());
  return words;
}

}  // namespace cucore::cpu::kernels
