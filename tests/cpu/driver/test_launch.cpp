// SPDX-License-Identifier: Apache-2.0
// Launches: parameters, limits, attributes, faults.
#include <cstring>
#include <string>

#include "driver.hpp"

namespace cutest {
namespace {

class Launches : public DeviceTest {
 protected:
  CUresult shape(const char* name, std::array<unsigned, 6> d, unsigned shared = 0) {
    return cu.cuLaunchKernel(function(name), d[0], d[1], d[2], d[3], d[4], d[5], shared, nullptr,
                             nullptr, nullptr);
  }
  CUresult with(const char* name, std::vector<CUlaunchAttribute> attributes, unsigned grid = 1,
                unsigned block = 32) {
    CUlaunchConfig c{grid,
                     1,
                     1,
                     block,
                     1,
                     1,
                     0,
                     nullptr,
                     attributes.data(),
                     static_cast<unsigned>(attributes.size())};
    return cu.cuLaunchKernelEx(&c, function(name), nullptr, nullptr);
  }
  static CUlaunchAttribute attribute(CUlaunchAttributeID id) {
    CUlaunchAttribute a{};
    a.id = id;
    return a;
  }
  static CUlaunchAttribute cluster(unsigned x, unsigned y = 1, unsigned z = 1) {
    CUlaunchAttribute a = attribute(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
    a.value.clusterDim = {x, y, z};
    return a;
  }
};

TEST_F(Launches, ComputeWhatTheySay) {
  constexpr unsigned N = 1000;
  CUdeviceptr p = 0;
  unsigned value = 42, n = N - 1;
  OK(cu.cuMemAlloc_v2(&p, N * 4));
  OK(cu.cuMemsetD32_v2(p, 1, N));
  OK(launch("fill", {&p, &value, &n}, 256, nullptr, 4));
  std::vector<unsigned> back(N);
  OK(cu.cuMemcpyDtoH_v2(back.data(), p, N * 4));
  EXPECT_EQ(42u, back[0]);
  EXPECT_EQ(42u, back[N - 2]);
  EXPECT_EQ(1u, back[N - 1]);
}

TEST_F(Launches, ParametersAreCopiedAtTheCall) {
  CUdeviceptr out = 0;
  OK(cu.cuMemAlloc_v2(&out, 8));
  unsigned char a = 200;
  uint64_t b = uint64_t{1} << 40, wanted = 0, result = 0;
  uint16_t c = 60000;
  uint32_t d[3] = {1, 2, 77}, e = 4000000000u;
  wanted = a + b + c + d[2] + e;
  CUstream s = nullptr;
  OK(cu.cuStreamCreate(&s, 0));
  close_gate(s);
  OK(launch("mixed", {&a, &b, &c, d, &e, &out}, 1, s));
  a = 0;
  b = c = e = d[2] = 0;
  open_gate();
  OK(cu.cuStreamSynchronize(s));
  OK(cu.cuMemcpyDtoH_v2(&result, out, 8));
  EXPECT_EQ(wanted, result);
}

TEST_F(Launches, ParametersInABuffer) {
  CUdeviceptr out = 0;
  OK(cu.cuMemAlloc_v2(&out, 8));
  unsigned char buffer[48] = {};
  uint32_t e = 5;
  buffer[0] = 3;
  std::memcpy(buffer + 36, &e, 4);
  std::memcpy(buffer + 40, &out, 8);
  size_t size = sizeof buffer;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   CU_LAUNCH_PARAM_END};
  CUfunction f = function("mixed");
  OK(cu.cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra));
  uint64_t result = 0;
  OK(cu.cuMemcpyDtoH_v2(&result, out, 8));
  EXPECT_EQ(8u, result);
  size = 49;
  EXPECT_CU(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
            cu.cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra));
  for (size_t wrong : {size_t{0}, size_t{1} << 20}) {
    size = wrong;
    EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
              cu.cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra));
  }
  void* both[] = {&out};
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, both, extra));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
}

TEST_F(Launches, Dimensions) {
  EXPECT_CU(0, shape("nothing", {1, 1, 1, 1024, 1, 1}));
  EXPECT_CU(0, shape("nothing", {1, 1, 1, 4, 4, 64}));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, shape("nothing", {0, 1, 1, 32, 1, 1}));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, shape("nothing", {1, 1, 1, 0, 1, 1}));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, shape("nothing", {1, 65536, 1, 32, 1, 1}));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, shape("nothing", {0x80000000u, 1, 1, 32, 1, 1}));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, shape("nothing", {1, 1, 1, 1025, 1, 1}));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, shape("nothing", {1, 1, 1, 1, 1, 65}));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, shape("nothing", {1, 1, 1, 64, 32, 1}));
  EXPECT_CU(0, shape("at_most_64", {1, 1, 1, 64, 1, 1}));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, shape("at_most_64", {1, 1, 1, 65, 1, 1}));
  EXPECT_CU(0, shape("exactly_32", {1, 1, 1, 32, 1, 1}));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, shape("exactly_32", {1, 1, 1, 16, 1, 1}));
  OK(cu.cuCtxSynchronize());
}

TEST_F(Launches, DynamicSharedMemoryNeedsOptingIn) {
  CUfunction f = function("dynamic_shared");
  CUdeviceptr out = 0;
  OK(cu.cuMemAlloc_v2(&out, 4));
  auto run = [&](unsigned bytes) {
    void* parameters[] = {&out, &bytes};
    return cu.cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, bytes, nullptr, parameters, nullptr);
  };
  EXPECT_CU(0, run(49152));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, run(49153));
  OK(cu.cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 232448));
  EXPECT_CU(0, run(232448));
  unsigned result = 0;
  OK(cu.cuMemcpyDtoH_v2(&result, out, 4));
  EXPECT_EQ(232448u, result);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, run(232449));
}

TEST_F(Launches, Cooperative) {
  CUfunction f = function("nothing");
  EXPECT_CU(0, cu.cuLaunchCooperativeKernel(f, 132, 1, 1, 1024, 1, 1, 0, nullptr, nullptr));
  EXPECT_CU(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
            cu.cuLaunchCooperativeKernel(f, 132 * 2 + 1, 1, 1, 1024, 1, 1, 0, nullptr, nullptr));
  CUlaunchAttribute a = attribute(CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
  a.value.cooperative = 1;
  EXPECT_CU(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, with("nothing", {a}, 100000, 1024));
  a.value.cooperative = 2;
  EXPECT_CU(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, with("nothing", {a}, 100000, 1024));
  OK(cu.cuCtxSynchronize());
}

TEST_F(Launches, Clusters) {
  EXPECT_CU(0, with("nothing", {cluster(1)}, 4));
  EXPECT_CU(0, with("nothing", {cluster(2)}, 4));
  EXPECT_CU(CUDA_ERROR_INVALID_CLUSTER_SIZE, with("nothing", {cluster(2)}, 5));
  EXPECT_CU(CUDA_ERROR_INVALID_CLUSTER_SIZE, with("nothing", {cluster(0)}, 4));
  EXPECT_CU(CUDA_ERROR_INVALID_CLUSTER_SIZE, with("nothing", {cluster(16)}, 16));
  OK(cu.cuFuncSetAttribute(function("nothing"), CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
                           1));
  EXPECT_CU(0, with("nothing", {cluster(16)}, 16));
  EXPECT_CU(CUDA_ERROR_INVALID_CLUSTER_SIZE, with("nothing", {cluster(32)}, 32));
  OK(cu.cuCtxSynchronize());
}

TEST_F(Launches, OtherAttributesAreChecked) {
  CUlaunchAttribute priority = attribute(CU_LAUNCH_ATTRIBUTE_PRIORITY);
  priority.value.priority = -1;
  CUlaunchAttribute serial = attribute(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
  serial.value.programmaticStreamSerializationAllowed = 1;
  EXPECT_CU(0, with("nothing", {priority, serial, attribute(CU_LAUNCH_ATTRIBUTE_IGNORE)}));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            with("nothing", {attribute(static_cast<CUlaunchAttributeID>(77))}));
  CUlaunchAttribute done = attribute(CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT);
  CUevent event = nullptr;
  OK(cu.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  done.value.launchCompletionEvent.event = event;
  EXPECT_CU(0, with("nothing", {done}));
  OK(cu.cuEventSynchronize(event));
  CUlaunchConfig c{1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, 1};
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuLaunchKernelEx(&c, function("nothing"), nullptr, nullptr));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuLaunchKernelEx(nullptr, function("nothing"), nullptr, nullptr));
}

TEST_F(Launches, FunctionAndStreamMustBeOfOneContext) {
  CUfunction f = function("nothing");
  CUcontext other = nullptr;
  OK(cu.cuCtxCreate_v4(&other, nullptr, 0, 0));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE,
            cu.cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE,
            cu.cuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  OK(cu.cuCtxDestroy_v2(other));
}

TEST_F(Launches, IllegalAddressPoisonsTheContext) {
  CUdeviceptr p = 0;
  unsigned value = 1, n = 64;
  OK(cu.cuMemAlloc_v2(&p, 128));  // half of the required size
  EXPECT_EQ("", fault_text());
  CUfunction nothing = function("nothing");
  OK(launch("fill", {&p, &value, &n}, 64));
  EXPECT_CU(CUDA_ERROR_ILLEGAL_ADDRESS, cu.cuCtxSynchronize());
  EXPECT_CU(CUDA_ERROR_ILLEGAL_ADDRESS, cu.cuMemAlloc_v2(&p, 16));
  EXPECT_CU(CUDA_ERROR_ILLEGAL_ADDRESS, cu.cuStreamQuery(nullptr));
  EXPECT_CU(CUDA_ERROR_ILLEGAL_ADDRESS,
            cu.cuLaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  std::string text = fault_text();
  EXPECT_NE(std::string::npos, text.find("fill")) << text;
  EXPECT_NE(std::string::npos, text.find("; at PTX line ")) << text;
  CUcontext current = nullptr;
  OK(cu.cuCtxGetCurrent(&current));  // still allowed
  CUcontext fresh = nullptr;
  OK(cu.cuCtxCreate_v4(&fresh, nullptr, 0, 0));  // other contexts are unaffected
  OK(cu.cuMemAlloc_v2(&p, 16));
  OK(cu.cuCtxDestroy_v2(fresh));
}

TEST_F(Launches, TrapIsSticky) {
  CUevent event = nullptr;
  OK(cu.cuEventCreate(&event, 0));
  OK(launch("traps", {}));
  CUresult recorded = cu.cuEventRecord(event, nullptr);
  EXPECT_TRUE(recorded == CUDA_SUCCESS || recorded == CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_CU(CUDA_ERROR_LAUNCH_FAILED, cu.cuStreamSynchronize(nullptr));
  EXPECT_CU(CUDA_ERROR_LAUNCH_FAILED, cu.cuEventQuery(event));
  EXPECT_CU(CUDA_ERROR_LAUNCH_FAILED, cu.cuEventDestroy_v2(event));
}

TEST_F(Launches, PrimaryContextRecoversByReset) {
  CUcontext primary = nullptr;
  OK(cu.cuDevicePrimaryCtxRetain(&primary, 0));
  OK(cu.cuCtxPushCurrent_v2(primary));
  CUmodule m = nullptr;
  CUfunction f = nullptr;
  OK(cu.cuModuleLoadData(&m, PTX));
  OK(cu.cuModuleGetFunction(&f, m, "traps"));
  OK(cu.cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  EXPECT_CU(CUDA_ERROR_LAUNCH_FAILED, cu.cuCtxSynchronize());
  OK(cu.cuDevicePrimaryCtxReset_v2(0));
  EXPECT_CU(CUDA_ERROR_CONTEXT_IS_DESTROYED, cu.cuCtxSynchronize());
  OK(cu.cuDevicePrimaryCtxRetain(&primary, 0));
  OK(cu.cuCtxSynchronize());
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cu.cuModuleGetFunction(&f, m, "traps"));
  CUcontext popped = nullptr;
  OK(cu.cuCtxPopCurrent_v2(&popped));
  OK(cu.cuDevicePrimaryCtxRelease_v2(0));
  OK(cu.cuDevicePrimaryCtxRelease_v2(0));
}

TEST_F(Launches, HostFunctionsAreSkippedAfterAFault) {
  static bool ran, told;
  ran = told = false;
  close_gate(nullptr);
  OK(launch("traps", {}));
  OK(cu.cuLaunchHostFunc(
      nullptr, [](void*) { ran = true; }, nullptr));
  OK(cu.cuStreamAddCallback(
      nullptr, [](CUstream, CUresult status, void*) { told = status == CUDA_ERROR_LAUNCH_FAILED; },
      nullptr, 0));
  open_gate();
  EXPECT_CU(CUDA_ERROR_LAUNCH_FAILED, cu.cuStreamSynchronize(nullptr));
  EXPECT_FALSE(ran);
  EXPECT_TRUE(told);
}

TEST_F(Launches, FromManyThreadsAtOnce) {
  constexpr int THREADS = 4, LAUNCHES = 50;
  CUdeviceptr sums = 0;
  OK(cu.cuMemAlloc_v2(&sums, THREADS * 4));
  OK(cu.cuMemsetD32_v2(sums, 0, THREADS));
  OK(cu.cuCtxSynchronize());
  std::vector<std::thread> threads;
  for (int t = 0; t < THREADS; ++t) {
    threads.emplace_back([&, t] {
      EXPECT_CU(0, cu.cuCtxSetCurrent(context));
      CUstream s = nullptr;
      EXPECT_CU(0, cu.cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
      CUdeviceptr mine = sums + static_cast<unsigned>(t) * 4;
      unsigned one = 1;
      for (int i = 0; i < LAUNCHES; ++i) EXPECT_CU(0, launch("increase", {&mine, &one}, 1, s));
      EXPECT_CU(0, cu.cuStreamSynchronize(s));
      EXPECT_CU(0, cu.cuStreamDestroy_v2(s));
    });
  }
  for (auto& thread : threads) thread.join();
  int back[THREADS] = {};
  OK(cu.cuMemcpyDtoH_v2(back, sums, sizeof back));
  for (int sum : back) EXPECT_EQ(LAUNCHES, sum);
}

}  // namespace
}  // namespace cutest
