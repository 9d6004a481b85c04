// SPDX-License-Identifier: Apache-2.0
// Converts the inputs of a link to PTX, which src/shared/ptx/link joins.
#include "cpu/driver/link.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "cpu/driver/device_runtime.hpp"
#include "cpu/driver/failure.hpp"
#include "cpu/driver/fatbin.hpp"
#include "cpu/driver/register_note.hpp"
#include "cpu/exec/executor.hpp"
#include "image/host_object.hpp"

namespace cucore::cpu {
namespace {

using image::ByteView;

CUresult result_of(ptx::LinkStatus status) {
  switch (status) {
    case ptx::LinkStatus::OK:
      return CUDA_SUCCESS;
    case ptx::LinkStatus::INVALID_PTX:
      return CUDA_ERROR_INVALID_PTX;
    case ptx::LinkStatus::UNSUPPORTED_VERSION:
      return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
    case ptx::LinkStatus::TOO_LARGE:
      return CUDA_ERROR_OUT_OF_MEMORY;
    default:  // a driver of NVIDIA returns it for a name that is defined twice
      return CUDA_ERROR_INVALID_SOURCE;
  }
}

CUresult noted(const ptx::LinkResult& result, std::string& log) {
  log += result.log;
  return result_of(result.status);
}

ByteView view_of(const LinkPart& part) {
  return {part.name, {static_cast<const std::byte*>(part.data), part.size}};
}

// A library may contain files of any kind.
bool has_relocatable_code(const ByteView& member) {
  try {
    return image::device_code_of_object(member) == image::DeviceCode::RELOCATABLE;
  } catch (const Error&) {
    return false;
  }
}

constexpr const char* NO_LTO =
    "the input is NVVM IR or LTO-IR; link it to PTX first (nvJitLink -lto -ptx)\n";

}  // namespace

PtxLink::PtxLink(int sm) : sm_(sm), linker_(is_builtin_function) {
  linker_.add_member("cudadevrt", DEVICE_RUNTIME);
}

CUresult PtxLink::add(const LinkPart& part, std::string& log) {
  switch (part.type) {
    case CU_JIT_INPUT_NVVM:
      log += NO_LTO;
      return CUDA_ERROR_NO_BINARY_FOR_GPU;
    case CU_JIT_INPUT_OBJECT:
      return add_object(part, log);
    case CU_JIT_INPUT_LIBRARY:
      return add_library(part, log);
    default:
      return add_ptx(part.name, ptx_of(part), log);
  }
}

PtxText PtxLink::ptx_of(const LinkPart& part) const {
  return part.is_of_program ? ptx_of_memory(part.data, part.size, sm_)
                            : ptx_of_bytes(part.data, part.size, sm_);
}

CUresult PtxLink::add_ptx(const std::string& name, const PtxText& ptx, std::string& log) {
  log += ptx.log;
  if (ptx.code != CUDA_SUCCESS) return ptx.code;
  return noted(linker_.add(name, ptx.text), log);
}

// An object of nvcc -dc contains fat binaries; an object of ptxas -c is a CUBIN.
CUresult PtxLink::add_object(const LinkPart& part, std::string& log) {
  CUresult code = CUDA_SUCCESS;
  bool found = false;
  try {
    image::each_relocatable_fatbin(view_of(part), [&](const ByteView& fatbin) {
      found = true;
      if (code != CUDA_SUCCESS) return;
      code = add_ptx(part.name, ptx_of_bytes(fatbin.bytes().data(), fatbin.size(), sm_), log);
    });
  } catch (const Error& error) {
    log += error.message() + "\n";
    return CUDA_ERROR_INVALID_IMAGE;
  }
  return found ? code : add_ptx(part.name, ptx_of(part), log);
}

// A member without PTX for this device has no effect. If only it defines a name, the name is
// reported as undefined.
CUresult PtxLink::add_library(const LinkPart& part, std::string& log) {
  CUresult code = CUDA_SUCCESS;
  const auto add_fatbin = [&](std::string_view member, const ByteView& fatbin) {
    const PtxText ptx = ptx_of_bytes(fatbin.bytes().data(), fatbin.size(), sm_);
    if (code != CUDA_SUCCESS || ptx.code != CUDA_SUCCESS) return;
    const std::string name = part.name + ":" + std::string(member);
    code = noted(linker_.add_member(name, ptx.text), log);
  };
  try {
    image::each_member(view_of(part), [&](std::string_view name, const ByteView& member) {
      if (!has_relocatable_code(member)) return;
      image::each_relocatable_fatbin(member,
                                     [&](const ByteView& fatbin) { add_fatbin(name, fatbin); });
    });
  } catch (const Error& error) {
    log += error.message() + "\n";
    return CUDA_ERROR_INVALID_IMAGE;
  }
  return code;
}

CUresult PtxLink::complete(std::string& ptx, std::string& log) {
  return noted(linker_.complete(ptx), log);
}

namespace {

// Adds the time of a call to the total.
class LinkTimer {
 public:
  using Clock = JitOptions::Clock;
  explicit LinkTimer(Clock::duration& total) : total_(total) {}
  ~LinkTimer() { total_ += Clock::now() - begin_; }
  LinkTimer(const LinkTimer&) = delete;
  LinkTimer& operator=(const LinkTimer&) = delete;

 private:
  Clock::duration& total_;
  const Clock::time_point begin_ = Clock::now();
};

}  // namespace

// The options of an input replace those of the link.
void Link::bound_registers(const JitOptions& of_input) {
  const unsigned own = of_input.max_registers();
  const unsigned bound = own ? own : options_.max_registers();
  is_bounded_ &= bound != 0;
  max_registers_ = std::max(max_registers_, bound);
}

CUresult Link::add(LinkPart part, JitOptions& options) {
  std::lock_guard lock(mutex_);
  const LinkTimer timer(time_);
  if (is_complete_) add_code_ = CUDA_ERROR_INVALID_VALUE;
  require(!is_complete_ && part.data && part.size);
  ++parts_;
  if (part.name.empty()) part.name = "Input " + std::to_string(parts_);
  std::string log;
  const CUresult code = link_.add(part, log);
  if (code != CUDA_SUCCESS) {
    options.write_error_log(log);
    add_code_ = code;
  }
  options.write_wall_time();
  bound_registers(options);
  return report(code, log);
}

CUresult Link::add_failed(CUresult code, const std::string& log) {
  std::lock_guard lock(mutex_);
  return report(code, log);
}

// As in the real driver, text of a later version alone leaves the link as it was.
void Link::require_additions() const {
  switch (add_code_) {
    case CUDA_SUCCESS:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
      return;
    case CUDA_ERROR_INVALID_SOURCE:
      fail(CUDA_ERROR_INVALID_SOURCE);
    case CUDA_ERROR_INVALID_VALUE:
      fail(CUDA_ERROR_INVALID_HANDLE);
    default:
      fail(CUDA_ERROR_UNKNOWN);
  }
}

CUresult Link::complete(void** image, size_t* size) {
  std::lock_guard lock(mutex_);
  require_additions();
  if (!is_complete_) {
    std::string ptx, log;
    CUresult code = CUDA_SUCCESS;
    {
      const LinkTimer timer(time_);
      code = link_.complete(ptx, log);
    }
    options_.write_wall_time(time_);
    report(code, log);
    if (code != CUDA_SUCCESS) return code;
    image_ = std::move(ptx);
    if (is_bounded_ && max_registers_) image_ += register_note(max_registers_);
    is_complete_ = true;
  }
  *image = image_.data();
  if (size) *size = image_.size() + 1;  // a copy of the image keeps the zero at its end
  return CUDA_SUCCESS;
}

// The driver writes the logs of all calls into the buffers of cuLinkCreate.
CUresult Link::report(CUresult code, const std::string& log) {
  if (code != CUDA_SUCCESS) log_ += log;
  options_.write_link_log(log_);
  options_.write_info_log({});
  return code;
}

}  // namespace cucore::cpu
