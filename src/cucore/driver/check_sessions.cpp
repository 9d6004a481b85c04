// SPDX-License-Identifier: Apache-2.0
#include "driver/check_sessions.hpp"

#include <cstring>

#include "driver/cuda.hpp"
#include "support/concat.hpp"

namespace cucore::driver {
namespace {

constexpr CUuuid SESSIONS_ID = {
    {'c', 'u', 'c', 'o', 'r', 'e', '-', 'c', 'p', 'u', '-', 'c', 'h', 'k', '-', '1'}};

}  // namespace

const CheckSessions* find_check_sessions(const CudaTable& table) {
  const void* found = nullptr;
  if (!table.cuGetExportTable || table.cuGetExportTable(&found, &SESSIONS_ID) != CUDA_SUCCESS ||
      !found)
    return nullptr;
  const auto* sessions = static_cast<const CheckSessions*>(found);
  return sessions->size >= sizeof(CheckSessions) ? sessions : nullptr;
}

const CheckSessions& require_check_sessions(const CudaTable& table) {
  if (table.checks) return *table.checks;
  throw Error(Status::UNSUPPORTED,
              concat("the driver in use is ", table.path,
                     ", which has no checks; expected the CPU device of this release; set "
                     "CUCORE_DRIVER to cpu, or call cucore_driver_select() with \"cpu\" first"));
}

void keep_for_library(const CudaTable& table, const void* handle) noexcept {
  if (table.checks) table.checks->keep(handle);
}

CUresult create_own_event(const CudaTable& table, CUevent* event) noexcept {
  const CUresult made = table.cuEventCreate(event, CU_EVENT_DISABLE_TIMING);
  if (made == CUDA_SUCCESS) keep_for_library(table, *event);
  return made;
}

CUresult create_own_stream(const CudaTable& table, CUstream* stream) noexcept {
  const CUresult made = table.cuStreamCreateWithPriority(stream, CU_STREAM_NON_BLOCKING, 0);
  if (made == CUDA_SUCCESS) keep_for_library(table, *stream);
  return made;
}

}  // namespace cucore::driver
