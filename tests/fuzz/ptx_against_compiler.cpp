// SPDX-License-Identifier: Apache-2.0
// Compares the results of nvJitLink, the reader of object code and the CPU device for the same PTX.
// In a text that two of them accept, the kernels must have the same parameters.
//   ptx_against_compiler LIBNVJITLINK SECONDS [FIRST_SEED]
// Exit status 77: no nvJitLink. A compiler may crash, so it runs in separate processes.
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "ptx_grammar.hpp"
#include "read_kernels.hpp"

namespace {

using cucore::fuzz::agree;
using cucore::fuzz::read_image;
using cucore::fuzz::read_on_cpu;
using cucore::image::CodeType;

constexpr size_t KERNELS = 48;     // per module
constexpr uint64_t MODULES = 100;  // per process

// The functions of nvJitLink that are needed, under their names in any version.
class Compiler {
 public:
  explicit Compiler(const char* path) : library_(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) return;
    find(create_, "nvJitLinkCreate");
    find(add_, "nvJitLinkAddData");
    find(complete_, "nvJitLinkComplete");
    find(size_, "nvJitLinkGetLinkedCubinSize");
    find(cubin_, "nvJitLinkGetLinkedCubin");
    find(destroy_, "nvJitLinkDestroy");
  }

  explicit operator bool() const {
    return create_ && add_ && complete_ && size_ && cubin_ && destroy_;
  }

  // Returns an empty vector if it refuses.
  std::vector<std::byte> compile(const std::string& text) const {
    constexpr int PTX = 2;
    const char* options[] = {"-arch=sm_75", "-O0"};
    void* handle = nullptr;
    std::vector<std::byte> cubin;
    if (create_(&handle, 2, options) != 0) return cubin;
    size_t size = 0;
    if (add_(handle, PTX, text.c_str(), text.size() + 1, "x") == 0 && complete_(handle) == 0 &&
        size_(handle, &size) == 0) {
      cubin.resize(size);
      cubin_(handle, cubin.data());
    }
    destroy_(&handle);
    return cubin;
  }

 private:
  template <class F>
  void find(F& function, const std::string& name) {
    for (int major = 12; major < 16 && !function; ++major)
      for (int minor = 0; minor < 10 && !function; ++minor)
        function = reinterpret_cast<F>(dlsym(
            library_,
            ("__" + name + "_" + std::to_string(major) + "_" + std::to_string(minor)).c_str()));
  }

  void* library_;
  int (*create_)(void**, uint32_t, const char**) = nullptr;
  int (*add_)(void*, int, const void*, size_t, const char*) = nullptr;
  int (*complete_)(void*) = nullptr;
  int (*size_)(void*, size_t*) = nullptr;
  int (*cubin_)(void*, void*) = nullptr;
  int (*destroy_)(void**) = nullptr;
};

struct Counts {
  uint64_t next;
  uint64_t modules, compiled, kernels, ours, on_cpu, differences, crashes;
};

void report(const char* who, uint64_t seed, const std::string& text, Counts& counts) {
  ++counts.differences;
  const std::string path = "difference_" + std::to_string(seed) + ".ptx";
  if (std::FILE* file = std::fopen(path.c_str(), "wb")) {
    std::fwrite(text.data(), 1, text.size(), file);
    std::fclose(file);
  }
  std::fprintf(stderr, "seed %lu: %s reads other kernels; see %s\n",
               static_cast<unsigned long>(seed), who, path.c_str());
}

void try_one(const Compiler& compiler, uint64_t seed, Counts& counts) {
  cucore::fuzz::PtxGrammar grammar(seed);
  std::string text = grammar.module(1 + grammar.below(KERNELS));
  for (size_t i = grammar.below(4) == 0 ? 1 + grammar.below(3) : 0; i > 0; --i)
    text = grammar.mutate(std::move(text));
  const auto bytes = std::as_bytes(std::span(text));
  const auto ours = read_image(CodeType::PTX, bytes);
  const auto on_cpu = read_on_cpu(text);
  ++counts.modules;
  counts.ours += ours.has_value();
  counts.on_cpu += on_cpu.has_value();
  if (ours && on_cpu && !agree(*ours, *on_cpu)) report("the CPU device", seed, text, counts);
  const auto cubin = compiler.compile(text);
  if (cubin.empty()) return;
  const auto theirs = read_image(CodeType::CUBIN, cubin);
  ++counts.compiled;
  if (!ours || !theirs) return;
  counts.kernels += theirs->size();
  if (!agree(*ours, *theirs)) report("the compiler", seed, text, counts);
}

// Runs one process; it continues after the module at which the former one crashed.
void run_some(const Compiler& compiler, Counts& counts) {
  const pid_t child = fork();
  if (child == 0) {
    for (uint64_t i = 0; i < MODULES; ++i) try_one(compiler, counts.next++, counts);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  ++counts.crashes;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) return 2;
  const Compiler compiler(arguments[1]);
  if (!compiler) return 77;
  auto* shared =
      mmap(nullptr, sizeof(Counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 1;
  Counts& counts = *static_cast<Counts*>(shared);
  counts.next = count > 3 ? std::strtoull(arguments[3], nullptr, 10) : 1;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(std::atoi(arguments[2]));
  while (std::chrono::steady_clock::now() < end) run_some(compiler, counts);
  std::printf(
      "%lu modules, %lu read, %lu on the CPU device, %lu compiled, %lu kernels compared, "
      "%lu crashes of the compiler, %lu differences\n",
      static_cast<unsigned long>(counts.modules), static_cast<unsigned long>(counts.ours),
      static_cast<unsigned long>(counts.on_cpu), static_cast<unsigned long>(counts.compiled),
      static_cast<unsigned long>(counts.kernels), static_cast<unsigned long>(counts.crashes),
      static_cast<unsigned long>(counts.differences));
  return counts.differences != 0 || counts.kernels == 0;
}
