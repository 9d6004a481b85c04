// SPDX-License-Identifier: Apache-2.0
// Queries of textures and surfaces with which drivers for GPUs refuse a kernel or a module.
#include "driver.hpp"

namespace cutest {
namespace {

constexpr CUresult FOUND = CUDA_SUCCESS;

// The results of cuModuleLoadData and of cuModuleGetFunction for the kernel with the query.
const struct {
  const char* query;
  CUresult load, get;
} QUERIES[] = {
    {"txq.width.b32 %r0, [%rd0];", CUDA_SUCCESS, FOUND},
    {"txq.height.b32 %r0, [t];", CUDA_SUCCESS, FOUND},
    {"txq.depth.b32 %r0, [%rd0];", CUDA_SUCCESS, FOUND},
    {"txq.level.width.b32 %r0, [%rd0], %r1;", CUDA_SUCCESS, FOUND},
    {"txq.level.height.b32 %r0, [%rd0], 1;", CUDA_SUCCESS, FOUND},
    {"txq.level.depth.b32 %r0, [%rd0], 1;", CUDA_SUCCESS, FOUND},
    {"txq.array_size.b32 %r0, [%rd0];", CUDA_SUCCESS, CUDA_ERROR_NOT_FOUND},
    {"txq.channel_data_type.b32 %r0, [%rd0];", CUDA_SUCCESS, CUDA_ERROR_NOT_FOUND},
    {"txq.channel_order.b32 %r0, [t];", CUDA_SUCCESS, CUDA_ERROR_NOT_FOUND},
    {"txq.normalized_coords.b32 %r0, [%rd0];", CUDA_SUCCESS, CUDA_ERROR_NOT_FOUND},
    {"txq.num_mipmap_levels.b32 %r0, [%rd0];", CUDA_SUCCESS, CUDA_ERROR_NOT_FOUND},
    {"txq.num_samples.b32 %r0, [%rd0];", CUDA_SUCCESS, CUDA_ERROR_NOT_FOUND},
    {"txq.filter_mode.b32 %r0, [%rd0];", CUDA_SUCCESS, CUDA_ERROR_NOT_FOUND},
    {"txq.addr_mode_0.b32 %r0, [%rd0];", CUDA_SUCCESS, CUDA_ERROR_NOT_FOUND},
    {"txq.addr_mode_1.b32 %r0, [t];", CUDA_SUCCESS, CUDA_ERROR_NOT_FOUND},
    {"txq.addr_mode_2.b32 %r0, [%rd0];", CUDA_SUCCESS, CUDA_ERROR_NOT_FOUND},
    {"txq.force_unnormalized_coords.b32 %r0, [%rd0];", CUDA_SUCCESS, CUDA_ERROR_NOT_FOUND},
    {"istypep.texref %p0, %rd0;", CUDA_SUCCESS, FOUND},
    {"istypep.surfref %p0, %rd0;", CUDA_SUCCESS, FOUND},
    {"istypep.samplerref %p0, %rd0;", CUDA_SUCCESS, FOUND},
    {"suq.width.b32 %r0, [%rd0];", CUDA_SUCCESS, FOUND},
    {"suq.height.b32 %r0, [%rd0];", CUDA_SUCCESS, FOUND},
    {"suq.depth.b32 %r0, [%rd0];", CUDA_SUCCESS, FOUND},
    {"suq.channel_data_type.b32 %r0, [%rd0];", CUDA_ERROR_NOT_SUPPORTED, CUDA_ERROR_NOT_FOUND},
    {"suq.channel_order.b32 %r0, [%rd0];", CUDA_ERROR_NOT_SUPPORTED, CUDA_ERROR_NOT_FOUND},
    {"suq.array_size.b32 %r0, [%rd0];", CUDA_ERROR_NOT_SUPPORTED, CUDA_ERROR_NOT_FOUND},
    {"suq.memory_layout.b32 %r0, [%rd0];", CUDA_ERROR_NOT_SUPPORTED, CUDA_ERROR_NOT_FOUND},
};

const std::string QUERY_HEAD =
    ".version 7.8\n.target sm_75\n.address_size 64\n.global .texref t;\n";
const std::string OTHER_KERNEL = ".visible .entry other() { ret; }\n";
const std::string QUERY_REGISTERS = "{ .reg .b32 %r<4>; .reg .b64 %rd<2>; .reg .pred %p<2>;\n";

std::string kernel(const std::string& body) {
  return ".visible .entry k(.param .u64 object)\n" + QUERY_REGISTERS +
         "ld.param.u64 %rd0, [object]; mov.u32 %r1, 1;\n" + body + "\nret; }\n";
}

class TextureQueries : public DeviceTest {
 protected:
  CUmodule load(const std::string& text) {
    CUmodule made = nullptr;
    EXPECT_CU(CUDA_SUCCESS, cu.cuModuleLoadData(&made, text.c_str())) << text;
    return made;
  }
  CUresult get(CUmodule from, const char* name) {
    CUfunction found = nullptr;
    const CUresult result = cu.cuModuleGetFunction(&found, from, name);
    EXPECT_EQ(found != nullptr, result == CUDA_SUCCESS);
    return result;
  }
  std::string text_of(CUresult (*source)(char*, size_t, size_t*)) {
    char text[1024] = {};
    EXPECT_CU(CUDA_SUCCESS, source(text, sizeof text, nullptr));
    return text;
  }
  std::string log() { return text_of(cu.control().last_load_log); }
  std::string failure() { return text_of(cu.control().last_failure); }
};

void expect_part(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST_F(TextureQueries, RefusedAsByDrivers) {
  for (const auto& row : QUERIES) {
    SCOPED_TRACE(row.query);
    const std::string text = QUERY_HEAD + OTHER_KERNEL + kernel(row.query);
    CUmodule made = nullptr;
    ASSERT_CU(row.load, cu.cuModuleLoadData(&made, text.c_str()));
    const std::string named = std::string(row.query).substr(0, std::string(row.query).size() - 1);
    if (row.load != CUDA_SUCCESS) {
      const std::string reason = "kernel 'k' uses the query '" + named +
                                 "' at PTX line 9; drivers for GPUs refuse a module with this "
                                 "query, so pass the value as a parameter";
      EXPECT_EQ(log(), reason + "\n");
      EXPECT_EQ(failure(), reason);
      continue;
    }
    EXPECT_CU(row.get, get(made, "k"));
    EXPECT_CU(row.get, get(made, "k"));
    if (row.get != FOUND) {
      const std::string reason = "kernel 'k' uses the query '" + named +
                                 "' at PTX line 9; drivers for GPUs do not find a "
                                 "kernel with this query, so pass the value as a parameter";
      EXPECT_EQ(log(), reason + "\n");
      EXPECT_EQ(failure(), reason);
    } else {
      EXPECT_EQ(log(), "");
    }
    EXPECT_CU(CUDA_SUCCESS, get(made, "other"));
    unsigned count = 0;
    OK(cu.cuModuleGetFunctionCount(&count, made));
    EXPECT_EQ(count, 2u);
    OK(cu.cuModuleUnload(made));
  }
}

TEST_F(TextureQueries, OtherFailuresHaveNoReason) {
  const CUmodule made = load(QUERY_HEAD + kernel("txq.array_size.b32 %r0, [%rd0];"));
  EXPECT_CU(CUDA_ERROR_NOT_FOUND, get(made, "k"));
  EXPECT_NE(failure(), "");
  EXPECT_CU(CUDA_ERROR_NOT_FOUND, get(made, "none"));
  EXPECT_EQ(failure(), "");
}

// The kernel of a library exists, and no context has its function.
TEST_F(TextureQueries, KernelsOfLibrariesHaveNoFunction) {
  const std::string text = QUERY_HEAD + OTHER_KERNEL + kernel("txq.array_size.b32 %r0, [%rd0];");
  CUlibrary library = nullptr;
  OK(cu.cuLibraryLoadData(&library, text.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  expect_part(log(), "drivers for GPUs do not find a kernel with this query");
  unsigned count = 0;
  OK(cu.cuLibraryGetKernelCount(&count, library));
  EXPECT_EQ(count, 2u);
  CUkernel kernel = nullptr;
  OK(cu.cuLibraryGetKernel(&kernel, library, "k"));
  CUfunction found = nullptr;
  EXPECT_CU(CUDA_ERROR_NOT_FOUND, cu.cuKernelGetFunction(&found, kernel));
  expect_part(failure(), "drivers for GPUs do not find a kernel with this query");
  unsigned long long object = 0;
  void* parameters[] = {&object};
  EXPECT_CU(CUDA_ERROR_NOT_FOUND, cu.cuLaunchKernel(reinterpret_cast<CUfunction>(kernel), 1, 1, 1,
                                                    1, 1, 1, 0, nullptr, parameters, nullptr));
  expect_part(failure(), "'txq.array_size.b32 %r0, [%rd0]'");
  OK(cu.cuLibraryGetKernel(&kernel, library, "other"));
  OK(cu.cuKernelGetFunction(&found, kernel));
}

// Also in branches that no thread takes and in functions that the kernel calls, but not in others.
TEST_F(TextureQueries, CountWhereverTheKernelHasThem) {
  const CUmodule skipped =
      load(QUERY_HEAD +
           kernel("setp.ne.u32 %p0, %r1, %r1; @!%p0 bra END; txq.num_samples.b32 %r0, [%rd0];\n"
                  "END:"));
  EXPECT_CU(CUDA_ERROR_NOT_FOUND, get(skipped, "k"));
  const auto function = [](const std::string& query) {
    return ".visible .func f(.param .u64 object)\n" + QUERY_REGISTERS +
           "ld.param.u64 %rd0, [object];\n" + query + "\nret; }\n";
  };
  const std::string calls = "{ .param .u64 p; st.param.u64 [p], %rd0; call.uni f, (p); }";
  const CUmodule called =
      load(QUERY_HEAD + function("txq.array_size.b32 %r0, [%rd0];") + kernel(calls));
  EXPECT_CU(CUDA_ERROR_NOT_FOUND, get(called, "k"));
  expect_part(failure(), "'txq.array_size.b32 %r0, [%rd0]' at PTX line 8;");
  const CUmodule unused = load(
      QUERY_HEAD + function("txq.array_size.b32 %r0, [%rd0]; suq.array_size.b32 %r0, [%rd0];") +
      kernel(""));
  EXPECT_CU(CUDA_SUCCESS, get(unused, "k"));
  EXPECT_EQ(log(), "");
  CUmodule refused = nullptr;
  const std::string text = QUERY_HEAD + function("suq.array_size.b32 %r0, [%rd0];") + kernel(calls);
  EXPECT_CU(CUDA_ERROR_NOT_SUPPORTED, cu.cuModuleLoadData(&refused, text.c_str()));
}

}  // namespace
}  // namespace cutest
