// SPDX-License-Identifier: Apache-2.0
#include "core/load/loaded_image.hpp"

#include <vector>

#include "core/objects/context_scope.hpp"
#include "driver/check_sessions.hpp"
#include "driver/stream_capture.hpp"
#include "support/concat.hpp"
#include "support/log.hpp"

namespace cucore::core {

using driver::check;
using driver::cuda;

namespace {

// The driver's PTX compiler writes here while a library loads. Machine code is not compiled, and to
// clear a long buffer would cost more than the rest of its load.
class JitLog {
 public:
  explicit JitLog(image::CodeType type)
      : capacity_(type == image::CodeType::CUBIN ? size_t{1} << 10 : size_t{1} << 16),
        text_(std::make_unique<char[]>(2 * capacity_)) {}

  unsigned count() const { return 4; }
  CUjit_option* names() { return names_; }
  void** values() { return values_; }

  std::string text() const {
    std::string log(errors());
    if (*info()) log += (log.empty() ? "" : "\n") + std::string(info());
    return log;
  }

 private:
  static void* as_value(size_t number) { return reinterpret_cast<void*>(number); }
  char* errors() const { return text_.get(); }
  char* info() const { return text_.get() + capacity_; }

  const size_t capacity_;
  const std::unique_ptr<char[]> text_;
  CUjit_option names_[4] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                            CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES};
  // The last byte is reserved, so that the text always ends.
  void* values_[4] = {errors(), as_value(capacity_ - 1), info(), as_value(capacity_ - 1)};
};

// The driver loads machine code of the device's architecture at its first use. It neither compiles
// such code nor refuses it for its architecture, so the load can stay that short.
bool may_enter_later(const image::Image& image, const Device& device) {
  return image.type == image::CodeType::CUBIN && image.arch.runs_on(device.capability());
}

// Loading returns success even if the driver's compiler (580) refused the PTX; the module of a
// context returns the error.
CUresult load_and_try(CUlibrary& native, const void* image, JitLog& jit) {
  const auto& cu = cuda();
  CUresult result = cu.cuLibraryLoadData(&native, image, jit.names(), jit.values(), jit.count(),
                                         nullptr, nullptr, 0);
  if (result != CUDA_SUCCESS) return result;
  CUmodule module = nullptr;
  result = cu.cuLibraryGetModule(&module, native);
  if (result != CUDA_SUCCESS)
    driver::check_release(cu.cuLibraryUnload(native), "unload object code that was refused");
  return result;
}

void compile_and_enter(CUlibrary& native, const image::Image& image, const Device& device,
                       const std::string& what) {
  JitLog jit(image.type);
  const CUresult result = load_and_try(native, image.bytes.data(), jit);
  if (result != CUDA_SUCCESS) driver::fail(result, what + " on " + device.label(), jit.text());
}

}  // namespace

Ref<LoadedImage> LoadedImage::load(const image::Image& image, const Device& device,
                                   const std::string& what) {
  start_deferred_releases();
  auto unload = std::make_unique<DeferredUnload>();
  const PrimaryScope primary(device);
  const driver::RelaxedCaptures relaxed;
  const bool is_later = may_enter_later(image, device);
  if (is_later)
    check(cuda().cuLibraryLoadData(&unload->library, image.bytes.data(), nullptr, nullptr, 0,
                                   nullptr, nullptr, 0),
          [&] { return what + " on " + device.label(); });
  else
    compile_and_enter(unload->library, image, device, what);
  log(LogLevel::DEBUG, what);
  const CUlibrary native = unload->library;
  // Code loads at its first use, which may be later than the start of checks.
  driver::keep_for_library(cuda(), native);
  try {
    return make<LoadedImage>(std::move(unload), image.symbols, may_print(image.type, image.bytes),
                             !is_later);
  } catch (...) {
    driver::check_release(cuda().cuLibraryUnload(native), "unload object code");
    throw;
  }
}

Ref<LoadedImage> LoadedImage::borrow() {
  return make<LoadedImage>(std::make_unique<DeferredUnload>(), std::vector<image::Symbol>(), true,
                           true);
}

void LoadedImage::enter(const Device& device, const std::string& what) const {
  const PrimaryScope primary(device);
  const driver::RelaxedCaptures relaxed;
  CUmodule module = nullptr;
  check(cuda().cuLibraryGetModule(&module, native_),
        [&] { return what + " on " + device.label(); });
  is_entered_.store(true, std::memory_order_release);
}

LoadedImage::~LoadedImage() {
  const auto* cu = native_ && !driver::is_gone() ? driver::cuda_if_available() : nullptr;
  if (!cu) return;
  if (is_entered()) {
    deferred_unload_->uses().mark();
    defer_release(std::move(deferred_unload_));
  } else {  // nothing can run from it
    const driver::RelaxedCaptures relaxed;
    deferred_unload_->perform(*cu);
  }
}

void DeferredUnload::perform(const driver::CudaTable& cu) noexcept {
  driver::check_release(cu.cuLibraryUnload(library), "unload object code");
  log(LogLevel::DEBUG, "unloaded object code that nothing uses any more");
}

void LoadedImage::record_use(const Stream& stream) const {
  deferred_unload_->uses().add(stream, may_print_ ? StreamUses::FORGET : StreamUses::REMEMBER);
}

CUkernel LoadedImage::find_kernel(const char* lowered_name) const {
  CUkernel kernel = nullptr;
  const CUresult result = cuda().cuLibraryGetKernel(&kernel, native_, lowered_name);
  if (result == CUDA_ERROR_NOT_FOUND) return nullptr;
  check(result, [&] { return concat("find the kernel ", lowered_name); });
  return kernel;
}

}  // namespace cucore::core
