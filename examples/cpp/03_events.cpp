// SPDX-License-Identifier: Apache-2.0
// 03: events are made from a device, recorded on any stream, any number of times; they order
// streams and measure time.
#include <cucore.hpp>
#include <iostream>

int main() try {
  constexpr std::size_t size = 16 << 20;
  if (cucore::Device::count() == 0) {
    std::cout << "events belong to a device: launching needs a device\n";
    return 0;
  }
  const auto device = cucore::Device::open();
  const auto producer = cucore::Stream::create(device), consumer = cucore::Stream::create(device);
  cucore::EventOptions timed;
  timed.timing = true;
  const auto start = cucore::Event::create(device, timed), end = cucore::Event::create(device, timed);
  const auto first = cucore::Buffer::create(device, size, producer),
             second = cucore::Buffer::create(device, size, producer);
  int wrong = 0;
  for (unsigned round = 1; round <= 3; ++round) {
    unsigned last = 0;
    start.record(producer);
    first.fill(round, producer);
    end.record(producer);
    consumer.wait_event(end);  // on the device; the host continues
    second.copy(first, consumer);
    second.read(cucore::bytes_of(last), consumer, size - sizeof last);
    end.synchronize();
    wrong += last != round;
    std::cout << "round " << round << ": filled " << (size >> 20) << " MiB in "
              << start.elapsed(end).count() << " ms, last word " << last << '\n';
  }
  return wrong != 0;
} catch (const cucore::Error &error) {
  std::cerr << error.what() << '\n';
  return 1;
}
