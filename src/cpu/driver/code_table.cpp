// SPDX-License-Identifier: Apache-2.0
#include "cpu/driver/code_table.hpp"

#include "cpu/driver/calls.hpp"
#include "cpu/driver/cubin.hpp"
#include "cpu/driver/failure.hpp"
#include "cpu/driver/known_code.hpp"
#include "cpu/driver/link.hpp"

namespace cucore::cpu {
namespace {

template <class F>
int result_of_call(F&& function) noexcept {
  try {
    return static_cast<int>(function());
  } catch (...) {
    return static_cast<int>(result_of_exception());
  }
}

std::span<const std::byte> checked_cubin(const void* cubin, size_t size) {
  require(cubin != nullptr);
  const auto bytes = cubin_in(cubin, size);
  require(!bytes.empty(), CUDA_ERROR_INVALID_IMAGE);
  return bytes;
}

int remember_ptx(const void* cubin, size_t cubin_size, const char* ptx, size_t ptx_size) {
  return result_of_call([&] {
    require(ptx && ptx_size);
    std::string text(ptx, ptx_size);
    text.resize(text.find_last_not_of('\0') + 1);
    require(!text.empty());
    KnownCode::instance().remember(checked_cubin(cubin, cubin_size), std::move(text));
    return CUDA_SUCCESS;
  });
}

CUresult add_part(PtxLink& link, const cucore_cpu_part& part, std::string& log) {
  const auto type = static_cast<CUjitInputType>(part.kind);
  std::string bytes;
  if (part.data) return link.add({type, part.data, part.size, part.name}, log);
  if (CUresult code = read_image_file(part.name, bytes); code != CUDA_SUCCESS) return code;
  return link.add({type, bytes.data(), bytes.size(), part.name}, log);
}

int remember_link(const void* cubin, size_t cubin_size, const cucore_cpu_part* parts, size_t count,
                  int sm) {
  return result_of_call([&] {
    const auto key = checked_cubin(cubin, cubin_size);
    PtxLink link(sm);
    std::string log, ptx;
    for (size_t i = 0; i < count; ++i)
      if (CUresult code = add_part(link, parts[i], log); code != CUDA_SUCCESS) return code;
    if (CUresult code = link.complete(ptx, log); code != CUDA_SUCCESS) return code;
    KnownCode::instance().remember(key, std::move(ptx));
    return CUDA_SUCCESS;
  });
}

}  // namespace

const cucore_cpu_code& code_table() {
  static const cucore_cpu_code table = {sizeof(cucore_cpu_code), remember_ptx, remember_link};
  return table;
}

}  // namespace cucore::cpu
