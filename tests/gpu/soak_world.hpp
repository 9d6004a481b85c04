// SPDX-License-Identifier: Apache-2.0
// The common state of the soak's threads: a device, its streams, compiled code, and a cache in a
// separate folder.
#pragma once

#include <array>
#include <atomic>
#include <filesystem>
#include <random>

#include "capi/completion_testing.hpp"
#include "capi/linker_testing.hpp"
#include "capi/native_capture.hpp"
#include "faulty_client.hpp"

namespace gpu_test {

using Cache = capi_test::Cache;
using Random = std::minstd_rand;

// A stream created through the driver, for cucore_stream_from_native().
class NativeStream {
 public:
  NativeStream();
  ~NativeStream();
  NativeStream(const NativeStream&) = delete;
  NativeStream& operator=(const NativeStream&) = delete;
  void* get() const { return stream_; }

 private:
  CUstream stream_ = nullptr;
  decltype(&::cuStreamDestroy) destroy_ = nullptr;
};

class SoakWorld {
 public:
  SoakWorld(const FaultyDriver& driver, const cucore_device* device);
  ~SoakWorld();
  SoakWorld(const SoakWorld&) = delete;
  SoakWorld& operator=(const SoakWorld&) = delete;

  const cucore_stream* any_stream(Random& random) const {
    return streams_[random() % streams_.size()];
  }
  // Multiplies each word of its input by the factor; see `scale` in the source.
  capi_test::Program scaling_program(uint32_t factor) const;
  capi_test::Linker scaling_linker() const;
  // Waits for all work and releases the buffers that threads left to each other.
  void settle();

  const FaultyDriver& driver;
  const cucore_device* const device;
  const capi_test::NativeGraphs graphs;
  capi_test::Kernel add, look;
  Cache cache;
  std::atomic<int64_t> links{0};  // with link-time optimisation
  capi_test::Code linked;         // the result of scaling_linker(), NULL without a linker
  std::array<std::atomic<cucore_buffer*>, 16> left{};

 private:
  void compile();
  void open_cache();
  void link();

  std::string arch_;
  std::filesystem::path folder_;
  NativeStream native_;
  std::array<capi_test::Stream, 4> streams_;
  capi_test::Code scaling_ltoir_, factor_ltoir_;
};

constexpr uint32_t LINKED_FACTOR = 7;

}  // namespace gpu_test
