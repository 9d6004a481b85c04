// SPDX-License-Identifier: Apache-2.0
// A driver that fails at random. It passes calls to a real driver, but lets some fail before they
// reach it, so that the real context stays healthy. Environment variables:
//
//   CUCORE_TEST_REAL_DRIVER   the driver to pass calls to: libcuda.so.1, or the CPU device's path
//   CUCORE_TEST_FAULT_ONE_IN  one of this many calls fails; unset or 0: none until faulty_arm()
//   CUCORE_TEST_FAULT_SEED    chooses the calls
//   CUCORE_TEST_FAULT_REPORT  set: the counts go to stderr at exit
#include "fakes/faulty_control.h"

#include <cuda.h>
#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <span>

namespace faulty {
namespace {

enum class Faults { NEVER, CREATION, LAUNCH, USE };
enum class Kind {
  STREAM,
  EVENT,
  MEMORY,
  HOST_MEMORY,
  LIBRARY,
  LINK,
  GRAPH,
  GRAPH_EXEC,
  POOL,
  NOTHING,
};
constexpr const char* KIND_NAMES[] = {"stream", "event", "memory",     "host_memory", "library",
                                      "link",   "graph", "graph_exec", "pool"};

struct Call {
  const char* name;
  Faults faults;
  Kind kind;
  int change;
  std::atomic<void*> real{nullptr};
  std::atomic<uint64_t> made{0}, struck{0};
};

Call calls[] = {
#define CALL(name, faults, kind, change) {#name, Faults::faults, Kind::kind, change},
#include "fakes/faulty_calls.inc"
#undef CALL
};

enum Index : size_t {
#define CALL(name, faults, kind, change) INDEX_##name,
#include "fakes/faulty_calls.inc"
#undef CALL
};

// Each is documented for the functions of its class with a healthy context.
constexpr CUresult OF_CREATION[] = {CUDA_ERROR_OUT_OF_MEMORY, CUDA_ERROR_NOT_SUPPORTED,
                                    CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_UNKNOWN};
constexpr CUresult OF_LAUNCH[] = {CUDA_ERROR_OUT_OF_MEMORY, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
                                  CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_UNKNOWN};
constexpr CUresult OF_USE[] = {CUDA_ERROR_OUT_OF_MEMORY, CUDA_ERROR_INVALID_VALUE,
                               CUDA_ERROR_UNKNOWN};

std::span<const CUresult> results_of(Faults faults) {
  switch (faults) {
    case Faults::CREATION:
      return OF_CREATION;
    case Faults::LAUNCH:
      return OF_LAUNCH;
    case Faults::USE:
      return OF_USE;
    case Faults::NEVER:
      break;
  }
  return {};
}

uint64_t number(const char* variable) {
  const char* text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 0) : 0;
}

std::atomic<uint64_t> one_in{0}, seed{0}, counter{0}, total_struck{0};
std::atomic<int64_t> live[std::size(KIND_NAMES)];
thread_local uint64_t struck_here = 0;
thread_local int32_t spared = 0;

uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

// Returns CUDA_SUCCESS if the call should continue.
CUresult strike(Call& call) {
  call.made.fetch_add(1, std::memory_order_relaxed);
  const uint64_t rate = one_in.load(std::memory_order_relaxed);
  const auto results = results_of(call.faults);
  if (rate == 0 || spared != 0 || results.empty()) return CUDA_SUCCESS;
  const uint64_t chance = mix(seed.load(std::memory_order_relaxed) ^ mix(counter.fetch_add(1)));
  if (chance % rate != 0) return CUDA_SUCCESS;
  ++struck_here;
  total_struck.fetch_add(1, std::memory_order_relaxed);
  call.struck.fetch_add(1, std::memory_order_relaxed);
  return results[(chance >> 32) % results.size()];
}

void count(const Call& call) {
  if (call.kind != Kind::NOTHING) live[static_cast<size_t>(call.kind)] += call.change;
}

template <size_t INDEX, class Function>
struct Wrapper;

template <size_t INDEX, class... A>
struct Wrapper<INDEX, CUresult (*)(A...)> {
  static CUresult call(A... arguments) {
    Call& call = calls[INDEX];
    if (const CUresult struck = strike(call); struck != CUDA_SUCCESS) return struck;
    const auto real = reinterpret_cast<CUresult (*)(A...)>(call.real.load());
    const CUresult result = real(arguments...);
    if (result == CUDA_SUCCESS) count(call);
    return result;
  }
};

void* const wrappers[] = {
#define CALL(name, faults, kind, change) \
  reinterpret_cast<void*>(&Wrapper<INDEX_##name, decltype(&::name)>::call),
#include "fakes/faulty_calls.inc"
#undef CALL
};

// The real driver, which is required.
class Real {
 public:
  static const Real& instance() {
    static const auto& real = *new Real;  // never destroyed
    return real;
  }

  template <class Function>
  Function find(const char* name) const {
    return reinterpret_cast<Function>(library_ ? dlsym(library_, name) : nullptr);
  }

 private:
  Real() {
    const char* path = std::getenv("CUCORE_TEST_REAL_DRIVER");
    library_ = dlopen(path ? path : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    seed = number("CUCORE_TEST_FAULT_SEED");
    one_in = number("CUCORE_TEST_FAULT_ONE_IN");
    if (std::getenv("CUCORE_TEST_FAULT_REPORT")) std::atexit([] { faulty_report(stderr); });
  }

  void* library_;
};

}  // namespace
}  // namespace faulty

extern "C" {

FAULTY_API CUresult cuDriverGetVersion(int* version) {
  const auto real = faulty::Real::instance().find<CUresult (*)(int*)>("cuDriverGetVersion");
  return real ? real(version) : CUDA_ERROR_NO_DEVICE;
}

FAULTY_API CUresult cuGetProcAddress_v2(const char* symbol, void** function, int version,
                                        cuuint64_t flags, CUdriverProcAddressQueryResult* status) {
  const auto get =
      faulty::Real::instance().find<decltype(&cuGetProcAddress_v2)>("cuGetProcAddress_v2");
  if (!get) return CUDA_ERROR_NO_DEVICE;
  const CUresult result = get(symbol, function, version, flags, status);
  if (result != CUDA_SUCCESS || !*function) return result;
  for (size_t i = 0; i < std::size(faulty::calls); ++i)
    if (std::strcmp(faulty::calls[i].name, symbol) == 0) {
      faulty::calls[i].real = *function;
      *function = faulty::wrappers[i];
    }
  return result;
}

void faulty_arm(uint64_t one_in, uint64_t seed) {
  faulty::seed = seed;
  faulty::one_in = one_in;
}

void faulty_spare(int32_t change) { faulty::spared += change; }

uint64_t faulty_struck(void) { return faulty::total_struck; }
uint64_t faulty_struck_here(void) { return faulty::struck_here; }

int64_t faulty_live_objects(const char* kind) {
  for (size_t i = 0; i < std::size(faulty::KIND_NAMES); ++i)
    if (std::strcmp(faulty::KIND_NAMES[i], kind) == 0) return faulty::live[i];
  return -1;
}

void faulty_report(FILE* file) {
  for (const faulty::Call& call : faulty::calls)
    std::fprintf(file, "%-28s %12llu calls %10llu failed\n", call.name,
                 static_cast<unsigned long long>(call.made),
                 static_cast<unsigned long long>(call.struck));
}

}  // extern "C"
