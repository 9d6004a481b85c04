// SPDX-License-Identifier: Apache-2.0
// Converts the driver's results to errors with the attempted action, the reason and the advice.
#include <cstdio>

#include "driver/broken_capture.hpp"
#include "driver/cpu_control.hpp"
#include "driver/cuda.hpp"
#include "driver/driver_opening.hpp"
#include "driver/result_meaning.hpp"
#include "support/log.hpp"

namespace cucore::driver {
namespace {

constexpr const char* RESET =
    "call cucore_device_reset to go on; if the reset fails, restart the process";

constexpr Meaning<CUresult> MEANINGS[] = {
#define RESULT(name, status, advice) {name, #name, Status::status, advice},
#include "driver/error_map.inc"
#undef RESULT
};

const Meaning<CUresult>* meaning_of(CUresult result) noexcept {
  return find_meaning(MEANINGS, result);
}

std::string unknown_name(const CudaTable* table, CUresult result) {
  const char* name = nullptr;
  if (table && table->cuGetErrorName(result, &name) == CUDA_SUCCESS && name) return name;
  return "CUresult " + std::to_string(static_cast<int>(result));
}

std::string name_by(const CudaTable* table, CUresult result) {
  if (result == CUDA_SUCCESS) return "CUDA_SUCCESS";
  const Meaning<CUresult>* meaning = meaning_of(result);
  return meaning ? meaning->name : unknown_name(table, result);
}

std::string text_by(const CudaTable* table, CUresult result) {
  const char* text = nullptr;
  if (table && table->cuGetErrorString(result, &text) == CUDA_SUCCESS && text) return text;
  return {};
}

// The CPU device cannot be updated as a driver, and runs no machine code.
const char* advice_by(const CudaTable* table, const Meaning<CUresult>* meaning) {
  if (!meaning) return "";
  if (!table || !table->cpu) return meaning->advice;
  switch (meaning->result) {
    case CUDA_ERROR_NO_DEVICE:
      return "set CUCORE_CPU_DEVICES to 1 or more";
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
      return "the PTX is newer than the CPU device: compile with an older toolkit, or update "
             "libcucore";
    default:
      return meaning->advice;
  }
}

// In a context that a kernel has broken, the driver fails every call with the kernel's result.
// Other results that break a context come from the device or the machine.
bool is_of_kernel(CUresult result) {
  switch (result) {
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_CONTAINED:
    case CUDA_ERROR_EXTERNAL_DEVICE:
    case CUDA_ERROR_MPS_CLIENT_TERMINATED:
      return false;
    default:
      return true;
  }
}

// Returns the work that broke the context. The CPU device names it, and its position: "; at
// saxpy.cu:12 (PTX line 34)", or "; at PTX line 34" for code without line information.
std::string culprit(const CudaTable* table) {
  const std::string kernel = "an earlier kernel broke the context";
  if (!table || !table->cpu)
    return kernel +
           " (NVIDIA's driver does not report which one: with CUDA_LAUNCH_BLOCKING=1 set, the "
           "launch of that kernel fails, and compute-sanitizer names it)";
  std::string text = fault_text(*table);
  if (text.starts_with("copy:") || text.starts_with("memset:"))
    return "earlier work broke the context: " + text;
  if (text.find(" at PTX line ") != std::string::npos)
    text += " (for the source line, compile with cucore_program_options.lineinfo)";
  return text.empty() ? kernel : kernel + ": " + text;
}

// Instructions that the CPU device lacks, and launches beyond its budgets, break the context as a
// fault does.
bool is_fault_of_cpu(const CudaTable* table, CUresult result) {
  if (!table || !table->cpu) return false;
  if (result == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES) return !fault_text(*table).empty();
  return result == CUDA_ERROR_NOT_SUPPORTED &&
         fault_text(*table).find("instruction not implemented") != std::string::npos;
}

// Returns the reason of the failed call that the CPU device has kept; "" for other drivers.
std::string reason_by(const CudaTable* table, CUresult result) {
  const bool may_have = result == CUDA_ERROR_NOT_FOUND || result == CUDA_ERROR_NOT_SUPPORTED;
  const std::string reason = may_have && table && table->cpu ? failure_text(*table) : std::string();
  return reason.empty() ? reason : "; " + reason;
}

Status status_by(const CudaTable* table, CUresult result) {
  if (is_fault_of_cpu(table, result)) return Status::KERNEL_FAULT;
  const Meaning<CUresult>* meaning = meaning_of(result);
  return meaning ? meaning->status : Status::CUDA;
}

}  // namespace

Error error_of(const CudaTable* table, CUresult result, std::string_view what) {
  const Status status = status_by(table, result);
  std::string name = name_by(table, result), said = name;
  if (const std::string text = text_by(table, result); !text.empty()) said += " (" + text + ")";
  const bool broken = status == Status::KERNEL_FAULT && is_of_kernel(result);
  std::string message = std::string(what) + ": " + said;
  // Any later call may find the fault.
  if (broken) message = culprit(table) + "; found by the attempt to " + message;
  const char* advice = broken ? RESET : advice_by(table, meaning_of(result));
  if (*advice) message += "; " + std::string(advice);
  message += reason_by(table, result);
  return Error(status, std::move(message), {},
               {"cuda", static_cast<int32_t>(result), std::move(name)});
}

void detail::fail(CUresult result, std::string_view what) {
  note_capture_failure(result, what);
  throw error_of(published.load(std::memory_order_acquire), result, what);
}

void fail(CUresult result, std::string_view what, std::string log) {
  const Error error = error_of(detail::published.load(std::memory_order_acquire), result, what);
  throw Error(error.status(), error.message(), std::move(log), error.origin());
}

void check_release(CUresult result, const char* what) noexcept {
  if (result == CUDA_SUCCESS || result == CUDA_ERROR_DEINITIALIZED ||
      result == CUDA_ERROR_CONTEXT_IS_DESTROYED || is_sticky(result) ||
      !log_enabled(LogLevel::ERROR))
    return;
  const Meaning<CUresult>* meaning = meaning_of(result);
  char text[256];
  std::snprintf(text, sizeof text, "%s: %s (CUresult %d)", what,
                meaning ? meaning->name : "a result unknown to this version",
                static_cast<int>(result));
  log(LogLevel::ERROR, text);
}

Status status_of(CUresult result) noexcept {
  if (result == CUDA_SUCCESS) return Status::OK;
  try {
    return status_by(detail::published.load(std::memory_order_acquire), result);
  } catch (...) {
    return Status::OUT_OF_MEMORY;
  }
}

bool is_sticky(CUresult result) noexcept { return status_of(result) == Status::KERNEL_FAULT; }

std::string name_of(CUresult result) {
  return name_by(detail::published.load(std::memory_order_acquire), result);
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

void throw_missing_entry(const char* name, int since) {
  throw Error(Status::UNSUPPORTED, std::string(name) + " needs a driver of CUDA " +
                                       version_text(since) + " or newer, and this one is of CUDA " +
                                       version_text(cuda().version) + "; update the driver");
}

}  // namespace cucore::driver
