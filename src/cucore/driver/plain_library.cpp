// SPDX-License-Identifier: Apache-2.0
#include "driver/plain_library.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <utility>

namespace cucore::driver {
namespace {

// Reads the version by the library's own function; returns false if that fails. 0 is success for
// each.
using ReadVersion = bool (*)(void* function, PlainTable& table);

// libraryPropertyType of library_types.h: MAJOR_VERSION is 0, MINOR_VERSION 1.
bool read_property(void* function, PlainTable& table) {
  const auto get = reinterpret_cast<int (*)(int, int*)>(function);
  return get(0, &table.version_major) == 0 && get(1, &table.version_minor) == 0;
}

// 22809 is 2.28.9; before NCCL 2.9, 2804 was 2.8.4.
bool read_nccl(void* function, PlainTable& table) {
  int version = 0;
  if (reinterpret_cast<int (*)(int*)>(function)(&version) != 0) return false;
  const int unit = version < 10000 ? 1000 : 10000;
  table.version_major = version / unit;
  table.version_minor = version % unit / 100;
  return true;
}

// 130001 is update 1 of CUDA 13.0; before CUDA 13 releases were counted: 18 is CUDA 12.0.
bool read_cupti(void* function, PlainTable& table) {
  uint32_t version = 0;
  if (reinterpret_cast<int (*)(uint32_t*)>(function)(&version) != 0) return false;
  const bool is_counted = version < 10000;
  table.version_major = static_cast<int>(is_counted ? version : version / 10000);
  table.version_minor = static_cast<int>(is_counted ? 0 : version % 10000 / 100);
  return true;
}

// "13.580.82.07"
bool read_nvml(void* function, PlainTable& table) {
  char version[80] = {};
  if (reinterpret_cast<int (*)(char*, unsigned)>(function)(version, sizeof version) != 0)
    return false;
  return std::sscanf(version, "%d.%d", &table.version_major, &table.version_minor) == 2;
}

using Names = const char* const[];
constexpr Names CUBLAS = {"libcublas.so.13", "libcublas.so.12", "libcublas.so"};
constexpr Names CUBLASLT = {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"};
constexpr Names CUFFT = {"libcufft.so.12", "libcufft.so.11", "libcufft.so"};
constexpr Names CUSOLVER = {"libcusolver.so.12", "libcusolver.so.11", "libcusolver.so"};
constexpr Names CURAND = {"libcurand.so.10", "libcurand.so"};
constexpr Names CUSPARSE = {"libcusparse.so.12", "libcusparse.so"};
constexpr Names NCCL = {"libnccl.so.2", "libnccl.so"};
constexpr Names CUPTI = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};
constexpr Names NVML = {"libnvidia-ml.so.1", "libnvidia-ml.so"};

constexpr Names LIB = {"lib64", "lib"};
constexpr Names LIB_OF_CUPTI = {"lib64", "lib", "extras/CUPTI/lib64"};
constexpr Names FOLDERS_OF_DRIVER = {"/usr/lib/wsl/lib", "/usr/local/nvidia/lib64"};

constexpr const char* TOOLKIT = "the CUDA toolkit";
constexpr bool UNCALLED = false;

struct Row {
  Library library;
  ToolkitLibrary search;
  const char* function;  // reports the version; every release of the library has it
  ReadVersion read;
};

constexpr Row ROWS[] = {
    {Library::CUBLAS,
     {"cuBLAS", "CUCORE_CUBLAS", "cublas", CUBLAS, LIB, {}, TOOLKIT, UNCALLED},
     "cublasGetProperty",
     read_property},
    {Library::CUBLASLT,
     {"cuBLASLt", "CUCORE_CUBLASLT", "cublas", CUBLASLT, LIB, {}, TOOLKIT, UNCALLED},
     "cublasLtGetProperty",
     read_property},
    {Library::CUFFT,
     {"cuFFT", "CUCORE_CUFFT", "cufft", CUFFT, LIB, {}, TOOLKIT, UNCALLED},
     "cufftGetProperty",
     read_property},
    {Library::CUSOLVER,
     {"cuSOLVER", "CUCORE_CUSOLVER", "cusolver", CUSOLVER, LIB, {}, TOOLKIT, UNCALLED},
     "cusolverGetProperty",
     read_property},
    {Library::CURAND,
     {"cuRAND", "CUCORE_CURAND", "curand", CURAND, LIB, {}, TOOLKIT, UNCALLED},
     "curandGetProperty",
     read_property},
    {Library::CUSPARSE,
     {"cuSPARSE", "CUCORE_CUSPARSE", "cusparse", CUSPARSE, LIB, {}, TOOLKIT, UNCALLED},
     "cusparseGetProperty",
     read_property},
    {Library::NCCL,
     {"NCCL", "CUCORE_NCCL", "nccl", NCCL, LIB, {}, "NCCL", UNCALLED},
     "ncclGetVersion",
     read_nccl},
    {Library::CUPTI,
     {"CUPTI", "CUCORE_CUPTI", "cuda_cupti", CUPTI, LIB_OF_CUPTI, {}, TOOLKIT, UNCALLED},
     "cuptiGetVersion",
     read_cupti},
    {Library::NVML,
     {"NVML", "CUCORE_NVML", nullptr, NVML, LIB, FOLDERS_OF_DRIVER, "the NVIDIA driver", UNCALLED},
     "nvmlSystemGetNVMLVersion",
     read_nvml},
};

template <size_t INDEX>
std::string fill(const OpenedLibrary& library, PlainTable& table) {
  constexpr const Row& ROW = ROWS[INDEX];
  EntryFinder entries(library);
  void* const found = entries.find(ROW.function, Need::REQUIRED);
  if (!found) return entries.refusal();
  return ROW.read(found, table) ? "" : "does not report its version";
}

using StateFunction = ToolkitTable<PlainTable>& (*)();

template <size_t INDEX>
ToolkitTable<PlainTable>& state() {
  static auto* state = new ToolkitTable<PlainTable>(ROWS[INDEX].search, &fill<INDEX>);
  return *state;
}

template <size_t... INDEX>
constexpr std::array<StateFunction, sizeof...(INDEX)> states(std::index_sequence<INDEX...>) {
  return {&state<INDEX>...};
}
constexpr auto STATES = states(std::make_index_sequence<std::size(ROWS)>());

}  // namespace

ToolkitTable<PlainTable>* plain_state(Library library) {
  for (size_t i = 0; i < std::size(ROWS); ++i)
    if (ROWS[i].library == library) return &STATES[i]();
  return nullptr;
}

}  // namespace cucore::driver
