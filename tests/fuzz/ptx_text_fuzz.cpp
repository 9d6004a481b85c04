// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: the reader of PTX text.
#include <cstdlib>

#include "container/objectcode.hpp"
#include "support/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cucore;
  using namespace cucore::container;
  using namespace cucore::image;
  const auto text = std::as_bytes(std::span(data, size));
  guess_type(text);
  try {
    const Code code = make_code(CodeType::PTX, text, "fuzz");
    if (code.data().size() > size || code.bytes.back() != std::byte{0}) std::abort();
  } catch (const Error& error) {
    if (error.message().find("at offset") == std::string::npos) std::abort();
  }
  return 0;
}
