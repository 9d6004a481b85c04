#include "core/loaded_image.hpp"

#include <algorithm>
#include <vector>

#include "support/log.hpp"
#include "support/text.hpp"

namespace cucore::core {

using driver::check;
using driver::cuda;

namespace {

// The driver's PTX compiler writes here while a library loads.
class JitLog {
 public:
  static constexpr size_t CAPACITY = size_t{1} << 16;

  JitLog() : errors_(CAPACITY), info_(CAPACITY) {}

  unsigned count() const { return 4; }
  CUjit_option* names() { return names_; }
  void** values() { return values_; }

  std::string text() const {
    std::string log(errors_.data());
    if (*info_.data()) log += (log.empty() ? "" : "\n") + std::string(info_.data());
    return log;
  }

 private:
  static void* as_value(size_t number) { return reinterpret_cast<void*>(number); }

  std::vector<char> errors_, info_;
  CUjit_option names_[4] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                            CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES};
  // The last byte stays ours, so that the text always ends.
  void* values_[4] = {errors_.data(), as_value(CAPACITY - 1), info_.data(), as_value(CAPACITY - 1)};
};

}  // namespace

namespace {

// Loading says that all is well also where the driver's compiler refused the PTX (driver 580); the
// module of a context says the truth.
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

}  // namespace

Ref<LoadedImage> LoadedImage::load(const void* image, const Device& device, const std::string& what,
                                   std::vector<container::Symbol> symbols) {
  start_unloader();
  auto unload = std::make_unique<Unload>();
  const Ref<Context> context = device.context();
  const driver::ContextGuard guard(context->native());
  JitLog jit;
  const CUresult result = load_and_try(unload->library, image, jit);
  if (result != CUDA_SUCCESS) driver::fail(result, what + " on " + device.label(), jit.text());
  log(LogLevel::DEBUG, what);
  const CUlibrary native = unload->library;
  try {
    return make<LoadedImage>(std::move(unload), std::move(symbols));
  } catch (...) {
    driver::check_release(cuda().cuLibraryUnload(native), "unload object code");
    throw;
  }
}

LoadedImage::~LoadedImage() {
  if (driver::is_gone() || !driver::cuda_if_available()) return;
  mark_streams(*unload_);
  unload_later(std::move(unload_));
}

void LoadedImage::note_new(const Stream& stream) const {
  std::lock_guard lock(mutex_);
  const auto is_known = [](const auto& list, const void* key) {
    return std::ranges::any_of(list, [key](const auto& entry) { return entry.get() == key; });
  };
  const void* key = stream.mark_key();
  if (stream.mark()) {
    if (!is_known(unload_->streams, key)) {
      forget_finished();
      unload_->streams.push_back(stream.mark());
      // A release, which must not allocate, may have to wait for the stream's context instead.
      unload_->contexts.reserve(unload_->contexts.size() + unload_->streams.size());
      stream.mark()->use();
    }
  } else if (!is_known(unload_->contexts, key)) {
    unload_->contexts.reserve(unload_->contexts.size() + unload_->streams.size() + 1);
    unload_->contexts.push_back(stream.context());
  }
  known_[slot(key)].store(key, std::memory_order_release);
}

// Streams come and go while code stays: those that have gone and are done need no waiting for.
void LoadedImage::forget_finished() const {
  auto& streams = unload_->streams;
  if (streams.size() < forget_at_) return;
  // First, since a new stream may get the place in memory of one that is forgotten.
  for (auto& known : known_) known.store(nullptr, std::memory_order_release);
  std::erase_if(streams, [](const Ref<StreamMark>& stream) { return stream->is_finished(); });
  forget_at_ = std::max<size_t>(16, streams.size() * 2);
}

CUkernel LoadedImage::find_kernel(const char* lowered_name) const {
  CUkernel kernel = nullptr;
  const CUresult result = cuda().cuLibraryGetKernel(&kernel, native_, lowered_name);
  if (result == CUDA_ERROR_NOT_FOUND) return nullptr;
  check(result, [&] { return text("find the kernel ", lowered_name); });
  return kernel;
}

}  // namespace cucore::core
