// SPDX-License-Identifier: Apache-2.0
// The program around a fragment of a page: the objects that fragments use exist.
#include <cucore.hpp>
#include <iostream>
#include <vector>
@HEADS@

@DECLARATIONS@

int main() {
  const auto device = cucore::Device::open();
  const auto stream = cucore::Stream::create(device);
  const auto buffer = cucore::Buffer::create(device, 4096, stream);
  {
    @BLOCK@
  }
  stream.synchronize();
}
