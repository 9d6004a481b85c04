// SPDX-License-Identifier: Apache-2.0
// Rows of modules and libraries: images, options of the compiler, names, lifetimes.
#include <cstring>

#include "rows.hpp"

namespace cucore::cpu::record {
namespace {

const char* const SMALL =
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n";
const char* const BAD =
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { nonsense.u32 a, b; }\n";
const char* const OPEN =
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret;";
const char* const EXTERN =
    ".version 8.0\n.target sm_90\n.address_size 64\n.extern .func missing();\n"
    ".visible .entry k() { call missing; ret; }\n";

const struct {
  const char* name;
  const char* image;
} IMAGES[] = {
    {"empty text", ""},
    {"spaces", "   \n"},
    {"one letter", "x"},
    {"text", "some text"},
    {"version only", ".version 8.0\n"},
    {"version and target", ".version 8.0\n.target sm_90\n"},
    {"header", ".version 8.0\n.target sm_90\n.address_size 64\n"},
    {"kernel", SMALL},
    {"comment first",
     "// a comment\n.version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n"},
    {"truncated in a kernel", OPEN},
    {"truncated in a word", ".version 8.0\n.target sm_90\n.addr"},
    {"unknown instruction", BAD},
    {"unknown function", EXTERN},
    {"later version",
     ".version 99.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n"},
    {"version 1.0", ".version 1.0\n.target sm_10\n.visible .entry k() { ret; }\n"},
    {"later architecture",
     ".version 8.6\n.target sm_100\n.address_size 64\n.visible .entry k() { ret; }\n"},
    {"unknown architecture",
     ".version 8.0\n.target sm_999\n.address_size 64\n.visible .entry k() { ret; }\n"},
    {"earlier architecture",
     ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() { ret; }\n"},
    {"architecture of one family",
     ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k() { ret; }\n"},
    {"32-bit addresses",
     ".version 8.0\n.target sm_90\n.address_size 32\n.visible .entry k() { ret; }\n"},
    {"no target", ".version 8.0\n.address_size 64\n.visible .entry k() { ret; }\n"},
    {"two kernels of one name",
     ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n.visible .entry "
     "k() { ret; }\n"},
    {"ELF magic",
     "\x7f"
     "ELF"},
};

void load_image(Line& line, const char* image) {
  // A copy with zeros behind it: a reader of a binary header stays inside.
  std::vector<char> bytes(4096, 0);
  std::memcpy(bytes.data(), image, std::strlen(image));
  auto* made = reinterpret_cast<CUmodule>(UNSET);
  line("module", cu.cuModuleLoadData(&made, bytes.data())).handle("is", made);
  auto* library = reinterpret_cast<CUlibrary>(UNSET);
  line("library",
       cu.cuLibraryLoadData(&library, bytes.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  line.handle("is", library);
}

void add_images(Rows& rows) {
  rows.subject("image");
  for (const auto& i : IMAGES)
    rows.add(Start::SHARED, i.name, [i](Line& line) { load_image(line, i.image); });
  rows.add(Start::SHARED, "NULL", [](Line& line) {
    CUmodule module = nullptr;
    CUlibrary library = nullptr;
    line("image", cu.cuModuleLoadData(&module, nullptr));
    line("output", cu.cuModuleLoadData(nullptr, SMALL));
    line("fat binary", cu.cuModuleLoadFatBinary(&module, nullptr));
    line("file", cu.cuModuleLoad(&module, nullptr));
    line("library",
         cu.cuLibraryLoadData(&library, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0));
    line("library output",
         cu.cuLibraryLoadData(nullptr, SMALL, nullptr, nullptr, 0, nullptr, nullptr, 0));
    line("library file",
         cu.cuLibraryLoadFromFile(&library, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0));
  });
  rows.add(Start::SHARED, "files", [](Line& line) {
    CUmodule module = nullptr;
    CUlibrary library = nullptr;
    for (const char* path : {"", "/no/such/file", "/tmp", "/dev/null"}) {
      line(("'" + std::string(path) + "'").c_str(), cu.cuModuleLoad(&module, path));
      line("library",
           cu.cuLibraryLoadFromFile(&library, path, nullptr, nullptr, 0, nullptr, nullptr, 0));
    }
  });
}

void* word(uintptr_t number) { return reinterpret_cast<void*>(number); }

// Loads the image with both logs of `size` bytes; shows how much of them is used.
void logs(Line& line, const char* image, unsigned size) {
  std::vector<char> error(4096, 'z'), info(4096, 'z');
  CUjit_option options[] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                            CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {info.data(), word(size), error.data(), word(size)};
  CUmodule module = nullptr;
  line(cu.cuModuleLoadDataEx(&module, image, 4, options, values));
  const auto used = [&](int i) {
    return static_cast<unsigned>(reinterpret_cast<uintptr_t>(values[i]));
  };
  const auto kind = [&](unsigned n) {
    return n == 0 ? "0" : n == size ? "size" : n < size ? "less" : "more";
  };
  line.text("info", kind(used(1))).text("error", kind(used(3)));
  line.value("touched", static_cast<int>(error[0] != 'z'));
  line.value("beyond", static_cast<int>(error[size] != 'z'));
}

void add_options(Rows& rows) {
  rows.subject("JIT option");
  for (unsigned size : {0u, 1u, 10u, 4000u}) {
    rows.add(Start::SHARED, "logs of " + std::to_string(size) + " bytes, good image",
             [size](Line& line) { logs(line, SMALL, size); });
    rows.add(Start::SHARED, "logs of " + std::to_string(size) + " bytes, bad image",
             [size](Line& line) { logs(line, OPEN, size); });
  }
  const struct {
    const char* name;
    int option;
    uintptr_t value;
  } single[] = {{"MAX_REGISTERS 32", CU_JIT_MAX_REGISTERS, 32},
                {"MAX_REGISTERS 0", CU_JIT_MAX_REGISTERS, 0},
                {"MAX_REGISTERS 100000", CU_JIT_MAX_REGISTERS, 100000},
                {"OPTIMIZATION_LEVEL 0", CU_JIT_OPTIMIZATION_LEVEL, 0},
                {"OPTIMIZATION_LEVEL 4", CU_JIT_OPTIMIZATION_LEVEL, 4},
                {"OPTIMIZATION_LEVEL 5", CU_JIT_OPTIMIZATION_LEVEL, 5},
                {"THREADS_PER_BLOCK 64", CU_JIT_THREADS_PER_BLOCK, 64},
                {"TARGET 90", CU_JIT_TARGET, 90},
                {"TARGET 100", CU_JIT_TARGET, 100},
                {"TARGET 1", CU_JIT_TARGET, 1},
                {"TARGET_FROM_CUCONTEXT", CU_JIT_TARGET_FROM_CUCONTEXT, 0},
                {"FALLBACK_STRATEGY 1", CU_JIT_FALLBACK_STRATEGY, 1},
                {"FALLBACK_STRATEGY 9", CU_JIT_FALLBACK_STRATEGY, 9},
                {"GENERATE_DEBUG_INFO", CU_JIT_GENERATE_DEBUG_INFO, 1},
                {"LOG_VERBOSE", CU_JIT_LOG_VERBOSE, 1},
                {"GENERATE_LINE_INFO", CU_JIT_GENERATE_LINE_INFO, 1},
                {"CACHE_MODE 2", CU_JIT_CACHE_MODE, 2},
                {"CACHE_MODE 9", CU_JIT_CACHE_MODE, 9},
                {"POSITION_INDEPENDENT_CODE", CU_JIT_POSITION_INDEPENDENT_CODE, 1},
                {"MIN_CTA_PER_SM 1", CU_JIT_MIN_CTA_PER_SM, 1},
                {"SPLIT_COMPILE 2", CU_JIT_SPLIT_COMPILE, 2},
                {"number 1000", 1000, 0},
                {"number -1", -1, 0}};
  for (const auto& s : single)
    rows.add(Start::SHARED, s.name, [s](Line& line) {
      auto option = static_cast<CUjit_option>(s.option);
      void* value = word(s.value);
      CUmodule module = nullptr;
      CUlibrary library = nullptr;
      line("module", cu.cuModuleLoadDataEx(&module, SMALL, 1, &option, &value));
      line("library",
           cu.cuLibraryLoadData(&library, SMALL, &option, &value, 1, nullptr, nullptr, 0));
    });
  rows.add(Start::SHARED, "NULL lists", [](Line& line) {
    CUmodule module = nullptr;
    CUjit_option option = CU_JIT_MAX_REGISTERS;
    void* value = word(32);
    line("options", cu.cuModuleLoadDataEx(&module, SMALL, 1, nullptr, &value));
    line("values", cu.cuModuleLoadDataEx(&module, SMALL, 1, &option, nullptr));
    line("count 0", cu.cuModuleLoadDataEx(&module, SMALL, 0, nullptr, nullptr));
  });
  rows.add(Start::SHARED, "library options", [](Line& line) {
    CUlibrary library = nullptr;
    void* value = word(1);
    for (int number : {0, 1, 2, 100}) {
      auto option = static_cast<CUlibraryOption>(number);
      line(std::to_string(number).c_str(),
           cu.cuLibraryLoadData(&library, SMALL, nullptr, nullptr, 0, &option, &value, 1));
    }
    line("NULL", cu.cuLibraryLoadData(&library, SMALL, nullptr, nullptr, 0, nullptr, nullptr, 1));
  });
}

void global(Line& line, CUmodule module, const char* name) {
  CUdeviceptr p = UNSET;
  size_t bytes = unset<size_t>();
  line(name, cu.cuModuleGetGlobal_v2(&p, &bytes, module, name)).handle("pointer", p);
  line.value("bytes", bytes);
}

void add_module_lookups(Rows& rows) {
  rows.subject("module");
  rows.add(Start::SHARED, "functions by name", [](Line& line) {
    CUmodule module = load();
    for (const char* name : {"nothing", "Nothing", "", "counter", "nothing "}) {
      auto* found = reinterpret_cast<CUfunction>(UNSET);
      line(name, cu.cuModuleGetFunction(&found, module, name)).handle("is", found);
    }
    CUfunction found = nullptr;
    line("NULL name", cu.cuModuleGetFunction(&found, module, nullptr));
    line("NULL output", cu.cuModuleGetFunction(nullptr, module, "nothing"));
    line("NULL module", cu.cuModuleGetFunction(&found, nullptr, "nothing"));
  });
  rows.add(Start::SHARED, "same handle for one name", [](Line& line) {
    CUmodule module = load();
    CUfunction a = nullptr, b = nullptr;
    line(cu.cuModuleGetFunction(&a, module, "nothing"))(
        cu.cuModuleGetFunction(&b, module, "nothing"));
    line.value("same", static_cast<int>(a == b));
  });
  rows.add(Start::SHARED, "variables by name", [](Line& line) {
    CUmodule module = load();
    for (const char* name :
         {"counter", "table", "odd", "scale", "shared_value", "nothing", "none", "", "text"})
      global(line, module, name);
    CUdeviceptr p = 0;
    size_t bytes = 0;
    line("NULL pointer", cu.cuModuleGetGlobal_v2(nullptr, &bytes, module, "counter"))
        .value("bytes", bytes);
    line("NULL size", cu.cuModuleGetGlobal_v2(&p, nullptr, module, "counter"));
    line("NULL both", cu.cuModuleGetGlobal_v2(nullptr, nullptr, module, "counter"));
    line("NULL name", cu.cuModuleGetGlobal_v2(&p, &bytes, module, nullptr));
    line("NULL module", cu.cuModuleGetGlobal_v2(&p, &bytes, nullptr, "counter"));
  });
  rows.add(Start::SHARED, "counts", [](Line& line) {
    CUmodule module = load();
    unsigned count = unset<unsigned>();
    CUfunction found[3] = {};
    line("count", cu.cuModuleGetFunctionCount(&count, module)).value("is", count);
    line("NULL", cu.cuModuleGetFunctionCount(nullptr, module));
    line("3", cu.cuModuleEnumerateFunctions(found, 3, module)).handle("third", found[2]);
    line("0", cu.cuModuleEnumerateFunctions(found, 0, module));
    line("NULL", cu.cuModuleEnumerateFunctions(nullptr, 3, module));
    auto mode = unset<CUmoduleLoadingMode>();
    line("mode", cu.cuModuleGetLoadingMode(&mode)).value("is", static_cast<int>(mode));
    line("NULL", cu.cuModuleGetLoadingMode(nullptr));
  });
  rows.add(Start::SHARED, "initial values", [](Line& line) {
    CUmodule module = load();
    for (const char* name : {"counter", "scale", "shared_value"}) {
      CUdeviceptr p = 0;
      size_t bytes = 0;
      int value = unset<int>();
      check(cu.cuModuleGetGlobal_v2(&p, &bytes, module, name), name);
      line(name, cu.cuMemcpyDtoH_v2(&value, p, 4)).value("is", value);
    }
  });
  rows.add(Start::SHARED, "variables of two modules of one image", [](Line& line) {
    CUdeviceptr a = 0, b = 0;
    size_t bytes = 0;
    line(cu.cuModuleGetGlobal_v2(&a, &bytes, load(), "counter"));
    line(cu.cuModuleGetGlobal_v2(&b, &bytes, load(), "counter"))
        .value("same", static_cast<int>(a == b));
  });
}

void add_module_ends(Rows& rows) {
  rows.add(Start::PROCESS, "unload NULL", [](Line& line) {
    new_context();
    line(cu.cuModuleUnload(nullptr));
  });
  rows.add(Start::PROCESS, "unload twice", [](Line& line) {
    new_context();
    CUmodule module = load();
    line("once", cu.cuModuleUnload(module));
    line("twice", cu.cuModuleUnload(module));
  });
  rows.add(Start::PROCESS, "variable after unload", [](Line& line) {
    new_context();
    CUmodule module = load();
    CUdeviceptr p = 0;
    size_t bytes = 0;
    check(cu.cuModuleGetGlobal_v2(&p, &bytes, module, "counter"), "counter");
    line("unload", cu.cuModuleUnload(module));
    int value = 0;
    line("copy", cu.cuMemcpyDtoH_v2(&value, p, 4));
  });
  rows.add(Start::PROCESS, "unload in another context", [](Line& line) {
    new_context();
    CUmodule module = load();
    new_context();
    CUfunction found = nullptr;
    line("function", cu.cuModuleGetFunction(&found, module, "nothing")).handle("is", found);
    line("unload", cu.cuModuleUnload(module));
  });
}

}  // namespace

void add_module(Rows& rows) {
  add_images(rows);
  add_options(rows);
  add_module_lookups(rows);
  add_module_ends(rows);
}

}  // namespace cucore::cpu::record
