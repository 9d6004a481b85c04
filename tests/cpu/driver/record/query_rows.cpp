// SPDX-License-Identifier: Apache-2.0
// Rows of kernels with queries of textures and surfaces: which of them a driver finds.
#include "rows.hpp"

namespace cucore::cpu::record {
namespace {

const char* const QUERIES[] = {"txq.width",
                               "txq.height",
                               "txq.depth",
                               "txq.level.width",
                               "txq.array_size",
                               "txq.channel_data_type",
                               "txq.channel_order",
                               "txq.normalized_coords",
                               "txq.num_mipmap_levels",
                               "txq.num_samples",
                               "txq.filter_mode",
                               "txq.addr_mode_0",
                               "txq.addr_mode_1",
                               "txq.addr_mode_2",
                               "txq.force_unnormalized_coords",
                               "suq.width",
                               "suq.height",
                               "suq.depth",
                               "suq.channel_data_type",
                               "suq.channel_order",
                               "suq.array_size",
                               "suq.memory_layout"};
const char* const QUERY_HEAD =
    ".version 7.8\n.target sm_75\n.address_size 64\n.global .texref t;\n";
const char* const QUERY_REGISTERS = "{ .reg .b32 %r<2>; .reg .b64 %rd<2>; .reg .pred %p<2>;\n";
const char* const OTHER_KERNEL = ".visible .entry other() { ret; }\n";

// A kernel k, which stores a result so that no compiler removes the query.
std::string query_kernel(const std::string& body) {
  return std::string(".visible .entry k(.param .u64 object, .param .u64 out)\n") + QUERY_REGISTERS +
         "ld.param.u64 %rd0, [object]; ld.param.u64 %rd1, [out]; mov.u32 %r0, 0;\n" + body +
         "\nst.global.u32 [%rd1], %r0; ret; }\n";
}

std::string query_function(const std::string& query) {
  return std::string(".visible .func (.param .u32 result) f(.param .u64 object)\n") +
         QUERY_REGISTERS + "ld.param.u64 %rd0, [object];\n" + query +
         "\nst.param.u32 [result], %r0; ret; }\n";
}

constexpr const char* CALL_OF_FUNCTION =
    "{ .param .u64 p; .param .u32 q; st.param.u64 [p], %rd0; call.uni (q), f, (p);\n"
    "ld.param.u32 %r0, [q]; }";

// A second lookup of a kernel that is not found has other results on some drivers.
void find_kernels(Line& line, const std::string& text) {
  CUmodule module = nullptr;
  const CUresult result = cu.cuModuleLoadData(&module, text.c_str());
  line("load", result);
  if (result != CUDA_SUCCESS) return;
  auto* found = reinterpret_cast<CUfunction>(UNSET);
  line("k", cu.cuModuleGetFunction(&found, module, "k"));
  line("other", cu.cuModuleGetFunction(&found, module, "other"));
  unsigned count = unset<unsigned>();
  line("count", cu.cuModuleGetFunctionCount(&count, module)).value("is", count);
}

void find_library_kernels(Line& line, const std::string& text) {
  CUlibrary library = nullptr;
  line("load",
       cu.cuLibraryLoadData(&library, text.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  CUkernel kernel = nullptr;
  CUfunction function = nullptr;
  line("k", cu.cuLibraryGetKernel(&kernel, library, "k"));
  line("function", cu.cuKernelGetFunction(&function, kernel));
  line("other", cu.cuLibraryGetKernel(&kernel, library, "other"));
  line("function", cu.cuKernelGetFunction(&function, kernel));
}

}  // namespace

void add_queries(Rows& rows) {
  rows.subject("query");
  for (const std::string query : QUERIES) {
    const std::string level = query.starts_with("txq.level") ? ", 1" : "";
    const std::string of_register = query + ".b32 %r0, [%rd0]" + level + ";";
    rows.add(Start::CONTEXT, query, [of_register](Line& line) {
      find_kernels(line, std::string(QUERY_HEAD) + OTHER_KERNEL + query_kernel(of_register));
    });
  }
  const std::string query = "txq.array_size.b32 %r0, [%rd0];";
  const std::string of_surface = "suq.array_size.b32 %r0, [%rd0];";
  const struct {
    const char* name;
    std::string text;
  } modules[] = {
      {"of a variable", query_kernel("txq.array_size.b32 %r0, [t];")},
      {"in a branch that is not taken",
       query_kernel("setp.ne.u64 %p0, %rd0, %rd0; @!%p0 bra END;\n" + query + "\nEND:")},
      {"in a function that is called", query_function(query) + query_kernel(CALL_OF_FUNCTION)},
      {"in a function that is not called", query_function(query) + query_kernel("")},
      {"suq in a function that is called",
       query_function(of_surface) + query_kernel(CALL_OF_FUNCTION)},
      {"suq in a function that is not called", query_function(of_surface) + query_kernel("")},
  };
  for (const auto& m : modules)
    rows.add(Start::CONTEXT, m.name, [text = m.text](Line& line) {
      find_kernels(line, std::string(QUERY_HEAD) + OTHER_KERNEL + text);
    });
  rows.add(Start::CONTEXT, "in a library", [query](Line& line) {
    find_library_kernels(line, std::string(QUERY_HEAD) + OTHER_KERNEL + query_kernel(query));
  });
  rows.add(Start::CONTEXT, "launch of a library's kernel", [query](Line& line) {
    const std::string text = QUERY_HEAD + query_kernel(query);
    CUlibrary library = nullptr;
    check(cu.cuLibraryLoadData(&library, text.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0),
          "library");
    CUdeviceptr object = 0, out = allocate(4);
    void* parameters[] = {&object, &out};
    line(cu.cuLaunchKernel(reinterpret_cast<CUfunction>(kernel(library, "k")), 1, 1, 1, 1, 1, 1, 0,
                           nullptr, parameters, nullptr));
  });
  rows.add(Start::CONTEXT, "attributes of a library's kernel", [query](Line& line) {
    const std::string text = QUERY_HEAD + query_kernel(query);
    CUlibrary library = nullptr;
    check(cu.cuLibraryLoadData(&library, text.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0),
          "library");
    int value = 0;
    line(cu.cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                                 kernel(library, "k"), 0));
  });
  rows.add(Start::CONTEXT, "list of functions", [query](Line& line) {
    const std::string text = std::string(QUERY_HEAD) + OTHER_KERNEL + query_kernel(query);
    CUmodule module = nullptr;
    check(cu.cuModuleLoadData(&module, text.c_str()), "module");
    CUfunction found[2] = {};
    line(cu.cuModuleEnumerateFunctions(found, 2, module))
        .handle("first", found[0])
        .handle("second", found[1]);
  });
}

}  // namespace cucore::cpu::record
