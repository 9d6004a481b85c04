// SPDX-License-Identifier: Apache-2.0
#include "support/options.hpp"

namespace cucore::detail {

size_t checked_struct_size(const void* options, size_t first_release, const char* type_name) {
  size_t size = 0;
  std::memcpy(&size, options, sizeof size);
  if (size < first_release || size > MAX_STRUCT_SIZE)
    throw Error(Status::ABI_MISMATCH,
                std::string(type_name) + ".struct_size is " + std::to_string(size) + ", at least " +
                    std::to_string(first_release) + " was expected: set it to sizeof(" + type_name +
                    "), as the INIT macro does");
  return size;
}

void check_unknown_tail(const void* options, size_t known, size_t given, const char* type_name) {
  const auto* bytes = static_cast<const unsigned char*>(options);
  for (size_t i = known; i < given; ++i)
    if (bytes[i] != 0)
      throw Error(Status::ABI_MISMATCH,
                  std::string(type_name) + " has a field at byte " + std::to_string(i) +
                      " that this library does not know: update the library, or leave the field 0");
}

}  // namespace cucore::detail
