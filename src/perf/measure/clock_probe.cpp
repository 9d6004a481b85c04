// SPDX-License-Identifier: Apache-2.0
#include "perf/measure/clock_probe.hpp"

#include <cstdint>
#include <cstring>

namespace cucore::perf {
namespace {

constexpr const char* READS_CLOCK = "the measurement reads the clock";
constexpr char CLOCK_KERNEL[] = "cucore_perf_clock";

// Writes the cycles and the nanoseconds of one run.
constexpr char CLOCK_PTX[] = R"(.version 6.0
.target sm_50
.address_size 64
.visible .entry cucore_perf_clock(.param .u64 out) {
  .reg .b64 %r<8>;
  .reg .pred %p;
  ld.param.u64 %r0, [out];
  mov.u64 %r1, %globaltimer;
  mov.u64 %r2, %clock64;
again:
  mov.u64 %r3, %globaltimer;
  sub.u64 %r4, %r3, %r1;
  setp.lt.u64 %p, %r4, 20000;
  @%p bra again;
  mov.u64 %r5, %clock64;
  sub.u64 %r6, %r5, %r2;
  st.global.u64 [%r0], %r6;
  st.global.u64 [%r0+8], %r4;
  ret;
}
)";

struct Counts {
  uint64_t cycles;
  uint64_t nanoseconds;
};

using Code = client::Native<cucore_objectcode, cucore_objectcode_retain, cucore_objectcode_release>;

}  // namespace

std::unique_ptr<ClockProbe> ClockProbe::create(const DeviceOwner& device,
                                               const StreamOwner& stream) {
  std::unique_ptr<ClockProbe> probe(new ClockProbe);
  try {
    const auto code =
        client::created<Code>(READS_CLOCK, cucore_objectcode_create, CUCORE_CODE_TYPE_PTX,
                              CLOCK_PTX, sizeof CLOCK_PTX - 1, nullptr);
    probe->kernel_ = client::created<KernelOwner>(READS_CLOCK, cucore_objectcode_find_kernel,
                                                  code.get(), CLOCK_KERNEL);
    probe->counts_ = client::created<BufferOwner>(READS_CLOCK, cucore_buffer_create_pinned,
                                                  device.get(), sizeof(Counts));
    probe->stream_ = stream;
    probe->mhz();
  } catch (const client::CallFailed& failed) {
    if (failed.status() == Status::OUT_OF_MEMORY) throw;
    return nullptr;
  }
  return probe;
}

double ClockProbe::mhz() {
  cucore_launch_options options = CUCORE_LAUNCH_OPTIONS_INIT;
  options.grid[0] = 1;
  options.block[0] = 1;
  const uint64_t address = cucore_buffer_address(counts_.get());
  const cucore_argument argument = {&address, sizeof address};
  client::call(READS_CLOCK, cucore_kernel_launch, kernel_.get(), stream_.get(), &options, &argument,
               size_t{1});
  client::call(READS_CLOCK, cucore_stream_synchronize, stream_.get());
  Counts counts{};
  std::memcpy(&counts, cucore_buffer_host_pointer(counts_.get()), sizeof counts);
  if (counts.nanoseconds == 0) return 0;
  return static_cast<double>(counts.cycles) * 1e3 / static_cast<double>(counts.nanoseconds);
}

}  // namespace cucore::perf
