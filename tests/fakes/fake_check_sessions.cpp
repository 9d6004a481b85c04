// SPDX-License-Identifier: Apache-2.0
// The fake driver's sessions of checks, which report what the test sets.
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "fakes/fake_api.hpp"
#include "fakes/fake_checks.hpp"
#include "fakes/fake_driver.hpp"

namespace fake {
namespace sessions {
namespace {

constexpr const char* NAMES[] = {"checks_begin", "checks_end", "checks_json", "checks_reason",
                                 "checks_wait"};

// The same layouts as in the CPU device's session_table.hpp.
struct CheckSettings {
  size_t size;
  const char *checks, *schedule, *faults, *trace_file;
  int stop, reserved;
  uint64_t launch_instructions, launch_memory, launch_output;
  const char* suppressions;
};
struct CheckSessions {
  size_t size;
  CUresult (*begin)(const char*, int, const char*, const char*, const char*);
  CUresult (*end)();
  CUresult (*json)(char*, size_t, size_t*);
  CUresult (*reason)(char*, size_t, size_t*);
  CUresult (*wait)();
  CUresult (*keep)(const void*);
  CUresult (*begin_with)(const CheckSettings*);
};

CUresult begin_with(const CheckSettings* settings) {
  NEED(settings->size == sizeof *settings, CUDA_ERROR_INVALID_VALUE);
  const auto lock = locked();
  NEED(!driver().checks_running, CUDA_ERROR_ILLEGAL_STATE);
  NEED(std::strcmp(settings->checks, "all") == 0, CUDA_ERROR_INVALID_VALUE);
  driver().checks_running = true;
  return CUDA_SUCCESS;
}

CUresult end() {
  const auto lock = locked();
  NEED(driver().checks_running, CUDA_ERROR_ILLEGAL_STATE);
  driver().checks_running = false;
  return CUDA_SUCCESS;
}

CUresult write(const char* text, char* buffer, size_t capacity, size_t* length) {
  if (length) *length = std::strlen(text);
  if (buffer) std::snprintf(buffer, capacity, "%s", text);
  return CUDA_SUCCESS;
}

constexpr char RESULTS[] = R"({"dropped":0,"faults":1,"calls":{"cuMemAlloc_v2":2}}
{"kind":"leak","kernel":"cuMemAlloc_v2","message":"4 bytes were not freed","count":1,"text":"leak"}
)";

CUresult json(char* buffer, size_t capacity, size_t* length) {
  return write(RESULTS, buffer, capacity, length);
}

CUresult reason(char* buffer, size_t capacity, size_t* length) {
  return write("kinds is wrong; expected all", buffer, capacity, length);
}

CUresult wait() { return CUDA_SUCCESS; }
CUresult keep(const void*) { return CUDA_SUCCESS; }

const CheckSessions& table() {
  static const CheckSessions all = {sizeof(CheckSessions),
                                    nullptr,  // of older libraries
                                    &Entry<NAMES, 1, Role::RELEASE, &end>::call,
                                    &Entry<NAMES, 2, Role::NORMAL, &json>::call,
                                    &Entry<NAMES, 3, Role::NORMAL, &reason>::call,
                                    &Entry<NAMES, 4, Role::NORMAL, &wait>::call,
                                    &keep,
                                    &Entry<NAMES, 0, Role::NORMAL, &begin_with>::call};
  return all;
}

}  // namespace
}  // namespace sessions

const void* check_sessions() { return &sessions::table(); }

}  // namespace fake
