// SPDX-License-Identifier: Apache-2.0
// Rows of libraries and kernels.
#include <cstring>

#include "rows.hpp"

namespace cucore::cpu::record {
namespace {

void parameter(Line& line, const char* step, CUresult result, size_t offset, size_t size) {
  line(step, result).value("offset", offset).value("size", size);
}

void add_handles(Rows& rows) {
  rows.add(Start::SHARED, "kernels by name", [](Line& line) {
    CUlibrary library = load_library();
    for (const char* name : {"nothing", "none", "", "counter"}) {
      auto* found = reinterpret_cast<CUkernel>(UNSET);
      line(name, cu.cuLibraryGetKernel(&found, library, name)).handle("is", found);
    }
    CUkernel found = nullptr;
    line("NULL name", cu.cuLibraryGetKernel(&found, library, nullptr));
    line("NULL output", cu.cuLibraryGetKernel(nullptr, library, "nothing"));
    line("NULL library", cu.cuLibraryGetKernel(&found, nullptr, "nothing"));
    CUkernel again = nullptr;
    line("again", cu.cuLibraryGetKernel(&found, library, "nothing"));
    line("again", cu.cuLibraryGetKernel(&again, library, "nothing"))
        .value("same", static_cast<int>(found == again));
  });
  rows.add(Start::SHARED, "counts", [](Line& line) {
    CUlibrary library = load_library();
    unsigned count = unset<unsigned>();
    CUkernel found[3] = {};
    line("count", cu.cuLibraryGetKernelCount(&count, library)).value("is", count);
    line("NULL", cu.cuLibraryGetKernelCount(nullptr, library));
    line("3", cu.cuLibraryEnumerateKernels(found, 3, library)).handle("third", found[2]);
    line("0", cu.cuLibraryEnumerateKernels(found, 0, library));
    line("NULL", cu.cuLibraryEnumerateKernels(nullptr, 3, library));
  });
  rows.add(Start::SHARED, "variables", [](Line& line) {
    CUlibrary library = load_library();
    for (const char* name : {"counter", "shared_value", "scale", "none", "nothing"}) {
      CUdeviceptr p = UNSET;
      size_t bytes = unset<size_t>();
      line(name, cu.cuLibraryGetGlobal(&p, &bytes, library, name)).value("bytes", bytes);
      bytes = unset<size_t>();
      line("managed", cu.cuLibraryGetManaged(&p, &bytes, library, name)).value("bytes", bytes);
    }
    CUdeviceptr p = 0;
    size_t bytes = 0;
    line("NULL both", cu.cuLibraryGetGlobal(nullptr, nullptr, library, "counter"));
    line("NULL name", cu.cuLibraryGetGlobal(&p, &bytes, library, nullptr));
    line("NULL managed name", cu.cuLibraryGetManaged(&p, &bytes, library, nullptr));
  });
  rows.add(Start::SHARED, "module of a library", [](Line& line) {
    CUlibrary library = load_library();
    CUmodule a = nullptr, b = nullptr;
    CUfunction f = nullptr, g = nullptr;
    line("module", cu.cuLibraryGetModule(&a, library));
    line("again", cu.cuLibraryGetModule(&b, library)).value("same", static_cast<int>(a == b));
    line("function", cu.cuModuleGetFunction(&f, a, "nothing"));
    line("of the kernel", cu.cuKernelGetFunction(&g, kernel(library, "nothing")));
    line.value("same", static_cast<int>(f == g));
    line("unload", cu.cuModuleUnload(a));
    line("NULL output", cu.cuLibraryGetModule(nullptr, library));
    line("NULL library", cu.cuLibraryGetModule(&a, nullptr));
  });
  rows.add(Start::SHARED, "module of a function", [](Line& line) {
    CUmodule module = load(), found = nullptr;
    CUfunction f = nullptr;
    check(cu.cuModuleGetFunction(&f, module, "nothing"), "nothing");
    line(cu.cuFuncGetModule(&found, f)).value("same", static_cast<int>(found == module));
    line("NULL", cu.cuFuncGetModule(nullptr, f));
    line("NULL function", cu.cuFuncGetModule(&found, nullptr));
  });
  rows.add(Start::SHARED, "library of a kernel", [](Line& line) {
    CUlibrary library = load_library(), found = nullptr;
    line(cu.cuKernelGetLibrary(&found, kernel(library, "nothing")))
        .value("same", static_cast<int>(found == library));
    line("NULL", cu.cuKernelGetLibrary(nullptr, kernel(library, "nothing")));
    line("NULL kernel", cu.cuKernelGetLibrary(&found, nullptr));
  });
}

void add_kernel_lookups(Rows& rows) {
  rows.add(Start::SHARED, "names of functions and kernels", [](Line& line) {
    CUlibrary library = load_library();
    const char* name = nullptr;
    CUfunction f = function("nothing");
    line("function", cu.cuFuncGetName(&name, f)).text("is", name ? name : "null");
    line("kernel", cu.cuKernelGetName(&name, kernel(library, "mixed")))
        .text("is", name ? name : "null");
    line("NULL output", cu.cuFuncGetName(nullptr, f));
    line("NULL function", cu.cuFuncGetName(&name, nullptr));
    line("kernel NULL output", cu.cuKernelGetName(nullptr, kernel(library, "mixed")));
    line("kernel NULL", cu.cuKernelGetName(&name, nullptr));
    line("kernel as function",
         cu.cuFuncGetName(&name, reinterpret_cast<CUfunction>(kernel(library, "mixed"))));
  });
  rows.add(Start::SHARED, "parameters", [](Line& line) {
    CUlibrary library = load_library();
    CUfunction f = function("mixed");
    for (size_t i : {size_t{0}, size_t{1}, size_t{2}, size_t{3}, size_t{4}, size_t{5}, SIZE_MAX}) {
      size_t offset = unset<size_t>(), size = unset<size_t>();
      const CUresult of_function = cu.cuFuncGetParamInfo(f, i, &offset, &size);
      parameter(line, "function", of_function, offset, size);
      offset = size = unset<size_t>();
      const CUresult of_kernel =
          cu.cuKernelGetParamInfo(kernel(library, "mixed"), i, &offset, &size);
      parameter(line, "kernel", of_kernel, offset, size);
    }
  });
  rows.add(Start::SHARED, "parameters with NULL", [](Line& line) {
    CUfunction f = function("mixed");
    size_t offset = 0, size = 0;
    line("no size", cu.cuFuncGetParamInfo(f, 1, &offset, nullptr));
    line("no offset", cu.cuFuncGetParamInfo(f, 1, nullptr, &size));
    line("no function", cu.cuFuncGetParamInfo(nullptr, 1, &offset, &size));
    line("of none", cu.cuFuncGetParamInfo(function("nothing"), 0, &offset, &size));
  });
  rows.add(Start::SHARED, "loading of a function", [](Line& line) {
    CUlibrary library = load_library();
    CUfunction f = nullptr;
    check(cu.cuKernelGetFunction(&f, kernel(library, "mixed")), "mixed");
    auto state = unset<CUfunctionLoadingState>();
    line("state", cu.cuFuncIsLoaded(&state, f)).value("is", static_cast<int>(state));
    line("load", cu.cuFuncLoad(f));
    line("state", cu.cuFuncIsLoaded(&state, f)).value("is", static_cast<int>(state));
    line("NULL", cu.cuFuncIsLoaded(nullptr, f));
    line("load NULL", cu.cuFuncLoad(nullptr));
  });
}

void add_library_ends(Rows& rows) {
  rows.add(Start::PROCESS, "unload NULL", [](Line& line) {
    new_context();
    line(cu.cuLibraryUnload(nullptr));
  });
  rows.add(Start::PROCESS, "unload twice", [](Line& line) {
    new_context();
    CUlibrary library = load_library();
    line("once", cu.cuLibraryUnload(library));
    line("twice", cu.cuLibraryUnload(library));
  });
  rows.add(Start::PROCESS, "kernel after unload", [](Line& line) {
    new_context();
    CUlibrary library = load_library();
    CUkernel k = kernel(library, "nothing");
    line("unload", cu.cuLibraryUnload(library));
    CUfunction f = nullptr;
    line("function", cu.cuKernelGetFunction(&f, k));
  });
  rows.add(Start::PROCESS, "launch of a function after unload", [](Line& line) {
    new_context();
    CUlibrary library = load_library();
    CUfunction f = nullptr;
    check(cu.cuKernelGetFunction(&f, kernel(library, "nothing")), "nothing");
    line("unload", cu.cuLibraryUnload(library));
    line("launch", cu.cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  });
  rows.add(Start::PROCESS, "unload without a context, after use", [](Line& line) {
    CUcontext context = new_context();
    CUlibrary library = load_library();
    CUmodule module = nullptr;
    check(cu.cuLibraryGetModule(&module, library), "cuLibraryGetModule");
    check(cu.cuCtxPopCurrent_v2(&context), "cuCtxPopCurrent");
    line(cu.cuLibraryUnload(library));
  });
  rows.add(Start::PROCESS, "use in a second context", [](Line& line) {
    new_context();
    CUlibrary library = load_library();
    CUkernel k = kernel(library, "nothing");
    CUfunction f = nullptr, g = nullptr;
    CUdeviceptr p = 0, q = 0;
    size_t bytes = 0;
    line("function", cu.cuKernelGetFunction(&f, k));
    check(cu.cuLibraryGetGlobal(&p, &bytes, library, "counter"), "counter");
    new_context();
    line("function", cu.cuKernelGetFunction(&g, k)).value("same", static_cast<int>(f == g));
    line("variable", cu.cuLibraryGetGlobal(&q, &bytes, library, "counter"))
        .value("same", static_cast<int>(p == q));
    line("managed", cu.cuLibraryGetManaged(&p, &bytes, library, "shared_value"));
    line("launch of the kernel", cu.cuLaunchKernel(reinterpret_cast<CUfunction>(k), 1, 1, 1, 1, 1,
                                                   1, 0, nullptr, nullptr, nullptr));
    line("launch of the first function",
         cu.cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  });
}

}  // namespace

void add_library(Rows& rows) {
  rows.subject("library");
  add_handles(rows);
  add_kernel_lookups(rows);
  add_library_ends(rows);
}

}  // namespace cucore::cpu::record
