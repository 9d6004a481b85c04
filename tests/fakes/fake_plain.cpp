// SPDX-License-Identifier: Apache-2.0
// Represents each of the libraries that are opened for others: cuBLAS, NCCL, NVML and so on. It has
// their functions that report versions, and one that no version reader calls.
#include <cstdint>
#include <cstdio>

#define EXPORT extern "C" __attribute__((visibility("default")))

#ifndef FAKE_RESULT
#define FAKE_RESULT 0
#endif
#ifdef FAKE_OLD
constexpr int NCCL = 2804;
constexpr uint32_t CUPTI = 18;
constexpr int MAJOR = 11;
#else
constexpr int NCCL = 22809;
constexpr uint32_t CUPTI = 130001;
constexpr int MAJOR = 13;
#endif

namespace {

int property(int type, int* value) {
  const int parts[] = {MAJOR, 4, 9};
  if (type < 0 || type > 2) return 1;
  *value = parts[type];
  return FAKE_RESULT;
}

}  // namespace

EXPORT int cublasGetProperty(int type, int* value) { return property(type, value); }
EXPORT int cublasLtGetProperty(int type, int* value) { return property(type, value); }
EXPORT int cufftGetProperty(int type, int* value) { return property(type, value); }
EXPORT int cusolverGetProperty(int type, int* value) { return property(type, value); }
EXPORT int curandGetProperty(int type, int* value) { return property(type, value); }
EXPORT int cusparseGetProperty(int type, int* value) { return property(type, value); }

EXPORT int ncclGetVersion(int* version) {
  *version = NCCL;
  return FAKE_RESULT;
}

EXPORT int cuptiGetVersion(uint32_t* version) {
  *version = CUPTI;
  return FAKE_RESULT;
}

EXPORT int nvmlSystemGetNVMLVersion(char* version, unsigned size) {
  std::snprintf(version, size, "%s", "13.580.82.07");
  return FAKE_RESULT;
}

EXPORT int fake_plain_answer() { return 42; }
