// SPDX-License-Identifier: Apache-2.0
#include "soak_world.hpp"

#include <unistd.h>

#include "gpu_testing.hpp"

namespace gpu_test {

using namespace capi_test;

namespace {

const char SCALING[] =
    "extern \"C\" __global__ void scale(unsigned *x, unsigned n) {\n"
    "  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) x[i] = x[i] * FACTOR + i;\n"
    "}\n";

std::string compute_arch(const cucore_device* device) {
  std::string arch = cucore_device_arch(device);
  return arch.replace(0, 2, "compute");
}

}  // namespace

NativeStream::NativeStream() {
  const NativeDriver driver;
  decltype(&::cuStreamCreateWithPriority) create = nullptr;
  decltype(&::cuDevicePrimaryCtxRetain) retain = nullptr;
  decltype(&::cuDevicePrimaryCtxRelease) release = nullptr;
  decltype(&::cuCtxSetCurrent) set_current = nullptr;
  driver.find("cuStreamCreateWithPriority", create);
  driver.find("cuDevicePrimaryCtxRetain", retain);
  driver.find("cuDevicePrimaryCtxRelease", release);
  driver.find("cuCtxSetCurrent", set_current);
  driver.find("cuStreamDestroy", destroy_);
  CUcontext context = nullptr;
  retain(&context, 0);
  set_current(context);
  create(&stream_, CU_STREAM_NON_BLOCKING, 0);
  set_current(nullptr);
  release(0);
}

NativeStream::~NativeStream() {
  if (stream_) destroy_(stream_);
}

SoakWorld::SoakWorld(const FaultyDriver& faulty, const cucore_device* on)
    : driver(faulty), device(on), arch_(compute_arch(on)) {
  streams_[0] = make_stream(device);
  streams_[1] = make_stream(device);
  MUST(cucore_stream_from_native, device, native_.get(), streams_[2].out());
  MUST(cucore_device_default_stream, device, CUCORE_DEFAULT_STREAM_LEGACY, streams_[3].out());
  compile();
  open_cache();
  if (has_linker()) link();
}

SoakWorld::~SoakWorld() {
  settle();
  cache.reset();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void SoakWorld::compile() {
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  options.arch = arch_.c_str();
  const Code code = capi_test::compile(make_program(ADD_AND_LOOK, &options));
  add = find_kernel(code, "add");
  look = find_kernel(code, "look");
}

Program SoakWorld::scaling_program(uint32_t factor) const {
  const std::string macro = "FACTOR=" + std::to_string(factor) + "u";
  const char* macros[] = {macro.c_str()};
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  options.arch = arch_.c_str();
  options.name = "scaling";
  options.define_macros = macros;
  options.define_macro_count = 1;
  return make_program(SCALING, &options);
}

// Limits that the soak reaches, so that entries are removed from memory and from disk.
void SoakWorld::open_cache() {
  std::string folder = (std::filesystem::temp_directory_path() / "cucore-soak-XXXXXX").string();
  if (!mkdtemp(folder.data())) throw std::runtime_error("no folder for the cache");
  folder_ = folder;
  cucore_cache_options options = CUCORE_CACHE_OPTIONS_INIT;
  options.directory = folder.c_str();
  options.max_memory = 16 << 10;
  options.max_entries = 32;
  MUST(cucore_cache_open, &options, cache.out());
}

void SoakWorld::link() {
  const std::string factor = "extern \"C\" __device__ unsigned factor() { return " +
                             std::to_string(LINKED_FACTOR) + "u; }\n";
  const std::string scaling =
      std::string("extern \"C\" __device__ unsigned factor();\n#define FACTOR factor()\n") +
      SCALING;
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  options.arch = arch_.c_str();
  options.relocatable_device_code = CUCORE_TOGGLE_ON;
  scaling_ltoir_ = capi_test::compile(make_program(scaling, &options), CUCORE_CODE_TYPE_LTOIR);
  factor_ltoir_ = capi_test::compile(make_program(factor, &options), CUCORE_CODE_TYPE_LTOIR);
  const Linker linker = scaling_linker();
  linked = capi_test::link(linker, CUCORE_CODE_TYPE_PTX);
}

Linker SoakWorld::scaling_linker() const {
  cucore_linker_options options = CUCORE_LINKER_OPTIONS_INIT;
  const std::string arch = cucore_device_arch(device);
  options.arch = arch.c_str();
  Linker linker = make_linker(options);
  MUST(cucore_linker_add, linker, scaling_ltoir_);
  MUST(cucore_linker_add, linker, factor_ltoir_);
  return linker;
}

void SoakWorld::settle() {
  for (auto& buffer : left) cucore_buffer_release(buffer.exchange(nullptr));
  MUST(cucore_device_synchronize, device);
}

}  // namespace gpu_test
