// SPDX-License-Identifier: Apache-2.0
// Kernels and modules with queries of textures that drivers for GPUs refuse. The errors of the CPU
// device name the query, its line and the reason.
#include "capi_testing.hpp"

namespace {

using namespace capi_test;

std::string text_with(const char* query) {
  return std::string(
             ".version 7.8\n.target sm_75\n.address_size 64\n"
             ".visible .entry other() { ret; }\n"
             ".visible .entry queries(.param .u64 object)\n"
             "{ .reg .b32 %r<2>; .reg .b64 %rd<2>; ld.param.u64 %rd1, [object];\n") +
         query + "\nret; }\n";
}

class RefusedQueries : public OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    if (!IsSkipped() && !is_emulated()) GTEST_SKIP() << "needs the CPU device";
  }
  Code code_with(const char* query) {
    const std::string text = text_with(query);
    return make_code(CUCORE_CODE_TYPE_PTX, text.c_str(), text.size() + 1);
  }
  const cucore_launch_options shape_ = grid(1, 1);
  const uint64_t object_ = 0;
  const cucore_argument argument_ = CUCORE_ARGUMENT(object_);
};

TEST_F(RefusedQueries, KernelsAreNotFound) {
  const Code code = code_with("txq.array_size.b32 %r1, [%rd1];");
  const Kernel kernel = find_kernel(code, "queries");
  for (int round = 0; round < 2; ++round)
    FAILS(CUCORE_ERROR_NOT_FOUND,
          "kernel 'queries' uses the query 'txq.array_size.b32 %r1, [%rd1]' at PTX line 7; drivers "
          "for GPUs do not find a kernel with this query, so pass the value as a parameter",
          cucore_kernel_launch, kernel, stream_, &shape_, &argument_, 1);
  SUCCEEDS(cucore_kernel_launch, find_kernel(code, "other"), stream_, &shape_, nullptr, 0);
  SUCCEEDS(cucore_stream_synchronize, stream_);
}

TEST_F(RefusedQueries, ModulesDoNotLoad) {
  const Code code = code_with("suq.memory_layout.b32 %r1, [%rd1];");
  cucore_kernel* kernel = nullptr;
  FAILS(CUCORE_ERROR_UNSUPPORTED,
        "kernel 'queries' uses the query 'suq.memory_layout.b32 %r1, [%rd1]' at PTX line 7; "
        "drivers for GPUs refuse a module with this query",
        cucore_objectcode_find_kernel, code, "other", &kernel);
}

}  // namespace
