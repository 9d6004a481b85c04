// SPDX-License-Identifier: Apache-2.0
#include "gpu_testing.hpp"

#include <unistd.h>

#include <fstream>
#include <sstream>

namespace gpu_test {
namespace {

// Returns the folder of the kernels' sources; a folder copied to another machine sets it itself.
std::string source_of(const std::string& name) {
  const char* folder = std::getenv("CUCORE_TEST_KERNELS");
  std::ifstream file(std::string(folder ? folder : CUCORE_KERNELS) + "/" + name + ".cu");
  if (!file) throw std::runtime_error("no source of the kernel " + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

size_t host_bytes() {
  if (__sanitizer_get_current_allocated_bytes) return __sanitizer_get_current_allocated_bytes();
  std::ifstream statm("/proc/self/statm");
  size_t pages = 0, resident = 0;
  statm >> pages >> resident;
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

void OnGpu::SetUp() {
  if (capi_test::fake_driver()) GTEST_SKIP() << "needs a device that runs kernels";
  OnDevice::SetUp();
  if (!IsSkipped() && !has_compiler()) GTEST_SKIP() << "needs NVRTC";
}

Code OnGpu::compile_file(const std::string& name, const std::vector<const char*>& expressions,
                         cucore_code_type target) const {
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  // CUDA's headers, and the C++ library that they use.
  const char* given = std::getenv("CUCORE_TEST_INCLUDE");
  const std::string include = given ? given : "", library = include + "/cccl";
  const char* folders[] = {include.c_str(), library.c_str()};
  options.include_paths = folders;
  options.include_path_count = given ? 2 : 0;
  options.arch = target == CUCORE_CODE_TYPE_CUBIN ? cucore_device_arch(device_) : nullptr;
  options.name = name.c_str();
  return compile(make_program(source_of(name), &options), target, expressions);
}

Kernel OnGpu::kernel(const std::string& file, const char* name,
                     const std::vector<const char*>& expressions) const {
  return find_kernel(compile_file(file, expressions), name);
}

Buffer OnGpu::global(const cucore_objectcode* code, const char* name) const {
  uint64_t address = 0;
  size_t size = 0;
  MUST(cucore_objectcode_find_global, code, name, device_, &address, &size);
  Buffer buffer;
  MUST(cucore_buffer_from_native, device_, address, size, buffer.out());
  return buffer;
}

}  // namespace gpu_test
