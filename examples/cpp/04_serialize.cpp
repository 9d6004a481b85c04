// SPDX-License-Identifier: Apache-2.0
// 04: store object code as bytes and restore it, here or in another process. Needs no device.
#include <algorithm>
#include <cucore.hpp>
#include <iostream>

const char source[] = R"(
__device__ int counter;
extern "C" __global__ void count() { atomicAdd(&counter, 1); }
)";

int main() try {
  const auto code = cucore::Program::create(source).compile();
  // snippet: serialize
  std::vector<std::byte> bytes = code.serialize();
  const auto restored = cucore::ObjectCode::deserialize(bytes);
  // end of snippet
  const auto before = code.data(), after = restored.data();
  const bool equal = std::equal(before.begin(), before.end(), after.begin(), after.end());
  std::cout << before.size() << " bytes of PTX in a container of " << bytes.size() << " bytes; restored "
            << (equal ? "equal" : "differently") << '\n';
  bytes[bytes.size() / 2] ^= std::byte{1};  // one flipped bit, and the container is refused with the reason
  try {
    static_cast<void>(cucore::ObjectCode::deserialize(bytes));
    return 1;
  } catch (const cucore::InvalidCodeError &error) {
    std::cout << "damaged: " << error.what() << '\n';
  }
  return !equal;
} catch (const cucore::Error &error) {
  std::cerr << error.what() << '\n' << error.log();
  return 1;
}
