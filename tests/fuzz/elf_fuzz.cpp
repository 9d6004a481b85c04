// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: the readers of CUBINs, host objects and archives.
#include <cstdlib>

#include "image/image.hpp"
#include "support/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cucore;
  using namespace cucore::image;
  for (const CodeType type : {CodeType::CUBIN, CodeType::OBJECT, CodeType::LIBRARY}) {
    try {
      const ImageInfo info = inspect(type, std::as_bytes(std::span(data, size)));
      if (info.resources.size() > info.symbols.size()) std::abort();
    } catch (const Error& error) {
      if (error.message().find("at offset") == std::string::npos) std::abort();
    }
  }
  return 0;
}
