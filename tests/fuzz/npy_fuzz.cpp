// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: the reader of .npy files. Accepted files are written, and read again.
#include <cstdlib>
#include <cstring>

#include "array/text/npy.hpp"
#include "support/error.hpp"

namespace {

using namespace cucore;
using namespace cucore::array;

std::vector<std::byte> written(const NpyFile& file, std::span<const std::byte> elements) {
  const std::string header = npy_header(file.dtype, file.shape);
  if (header.size() % 64 != 0) std::abort();
  std::vector<std::byte> bytes(header.size() + elements.size());
  std::memcpy(bytes.data(), header.data(), header.size());
  std::copy(elements.begin(), elements.end(), bytes.begin() + ptrdiff_t(header.size()));
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const NpyFile file = read_npy(std::as_bytes(std::span(data, size)));
    const std::vector<std::byte> elements = converted(file);
    const std::vector<std::byte> bytes = written(file, elements);
    const NpyFile again = read_npy(bytes);
    const bool equal =
        again.dtype == file.dtype && again.shape == file.shape &&
        std::equal(again.elements.begin(), again.elements.end(), elements.begin(), elements.end());
    if (!equal || again.big_endian || again.fortran_order) std::abort();
  } catch (const Error& error) {
    if (error.message().rfind("from_npy: ", 0) != 0 && error.status() != Status::SHAPE)
      std::abort();
  }
  return 0;
}
