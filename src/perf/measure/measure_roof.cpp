// SPDX-License-Identifier: Apache-2.0
#include "perf/measure/measure_roof.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "perf/measure/machine.hpp"
#include "perf/measure/roof_kernels.hpp"
#include "perf/measure/statistics.hpp"
#include "perf/measure/work_timer.hpp"

namespace cucore::perf {
namespace {

constexpr const char* TAKES_ROOF = "the roof of the device is measured";
constexpr double GPU_SAMPLE = 1e-3;       // seconds, long against the launch
constexpr double EMULATED_SAMPLE = 2e-3;  // the same
constexpr double CLOCK_RISE = 0.05;       // seconds of work until the clocks are those of load
constexpr uint32_t MOST_RISING = 100;     // launches of that work
constexpr uint32_t MOST_ROUNDS = 1u << 28;
constexpr double MOST_GROWTH = 16;  // of the rounds, from one trial to the next
constexpr size_t MOST_SAMPLES = 7;
constexpr uint32_t EMPTY_LAUNCHES = 200;  // of one sample
constexpr size_t GPU_BUFFER = size_t{2} << 30;
constexpr size_t EMULATED_BUFFER = size_t{2} << 20;
constexpr size_t LEAST_BUFFER = size_t{1} << 20;
constexpr uint32_t PERSISTENT_BLOCKS = 8;  // per multiprocessor

constexpr RoofKind ARITHMETIC[] = {
    RoofKind::F32,         RoofKind::F64,        RoofKind::F16,         RoofKind::INTEGER,
    RoofKind::SPECIAL,     RoofKind::SHARED,     RoofKind::MATRIX_F16,  RoofKind::MATRIX_BF16,
    RoofKind::MATRIX_TF32, RoofKind::MATRIX_F64, RoofKind::MATRIX_INT8, RoofKind::MATRIX_FP8};
// The buffer is written before it is read.
constexpr RoofKind STREAMS[] = {RoofKind::WRITE, RoofKind::COPY, RoofKind::READ};

using RoofClock = std::chrono::steady_clock;
using CodeOwner =
    client::Native<cucore_objectcode, cucore_objectcode_retain, cucore_objectcode_release>;

double seconds_from(RoofClock::time_point begin) {
  return std::chrono::duration<double>(RoofClock::now() - begin).count();
}

struct RoofParameters {
  uint64_t data = 0;
  uint64_t other = 0;
  uint32_t count = 0;
  uint32_t rounds = 1;
};

class RoofMeter {
 public:
  RoofMeter(const DeviceOwner& device, double max_time)
      : device_(device),
        stream_(
            client::created<StreamOwner>(TAKES_ROOF, cucore_stream_create, device.get(), nullptr)),
        timer_(device_, stream_, {}),
        max_time_(max_time),
        roof_(make<Roof>()) {
    roof_->machine = roof_machine_of(device.get());
    multiprocessors_ = attribute(CUCORE_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    capability_ = 10 * attribute(CUCORE_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                  attribute(CUCORE_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    // A thread of the host runs one block at a time.
    if (is_emulated()) multiprocessors_ = std::max(roof_->machine.threads, 1u);
  }

  Ref<Roof> run() {
    timer_.measure_event_offset();
    roof_->set(RoofKind::EVENT_OFFSET, timer_.event_offset());
    steps_left_ = std::size(ARITHMETIC) + std::size(STREAMS) * std::size(ACCESS_SHAPES) + 2;
    buffer_ = make_buffer();
    measure_launch();
    if (!is_emulated()) raise_clocks();
    for (const RoofKind kind : ARITHMETIC) measure_arithmetic(kind);
    measure_memory();
    roof_->seconds = seconds_from(begin_);
    return roof_;
  }

 private:
  bool is_emulated() const { return roof_->machine.is_emulated; }

  uint32_t attribute(cucore_device_attribute_name name) const {
    int32_t value = 0;
    client::call(TAKES_ROOF, cucore_device_attribute, device_.get(), name, &value);
    return static_cast<uint32_t>(std::max(value, 0));
  }

  // An eighth of the memory at most, or what a device in use has left.
  BufferOwner make_buffer() const {
    size_t free_bytes = 0, all = 0;
    client::call(TAKES_ROOF, cucore_device_memory, device_.get(), &free_bytes, &all);
    size_t bytes = std::min(is_emulated() ? EMULATED_BUFFER : GPU_BUFFER, all / 8);
    for (bytes = std::max(bytes, LEAST_BUFFER);; bytes /= 2) try {
        return client::created<BufferOwner>(TAKES_ROOF, cucore_buffer_create, device_.get(), bytes,
                                            stream_.get());
      } catch (const client::CallFailed& failed) {
        if (failed.status() != Status::OUT_OF_DEVICE_MEMORY || bytes / 2 < LEAST_BUFFER) throw;
      }
  }

  // Returns nothing if the driver does not accept the code.
  CodeOwner load(const std::string& ptx) const {
    try {
      auto code = client::created<CodeOwner>(TAKES_ROOF, cucore_objectcode_create,
                                             CUCORE_CODE_TYPE_PTX, ptx.data(), ptx.size(), nullptr);
      client::call(TAKES_ROOF, cucore_objectcode_load, code.get(), device_.get());
      return code;
    } catch (const client::CallFailed& failed) {
      if (failed.status() != Status::INVALID_CODE && failed.status() != Status::UNSUPPORTED) throw;
      return {};
    }
  }

  static KernelOwner kernel_of(const CodeOwner& code, const std::string& entry) {
    return client::created<KernelOwner>(TAKES_ROOF, cucore_objectcode_find_kernel, code.get(),
                                        entry.c_str());
  }

  static Work launch_of(const KernelOwner& kernel, uint32_t blocks,
                        const RoofParameters& parameters) {
    return [=](const cucore_stream* stream) {
      cucore_launch_options options = CUCORE_LAUNCH_OPTIONS_INIT;
      options.grid[0] = blocks;
      options.block[0] = ROOF_BLOCK;
      const cucore_argument arguments[] = {{&parameters.data, sizeof parameters.data},
                                           {&parameters.other, sizeof parameters.other},
                                           {&parameters.count, sizeof parameters.count},
                                           {&parameters.rounds, sizeof parameters.rounds}};
      client::call(TAKES_ROOF, cucore_kernel_launch, kernel.get(), stream, &options, arguments,
                   std::size(arguments));
    };
  }

  // The median time of one call. Each step has an equal part of the time that is left.
  double time_of(const Work& work, uint32_t calls = 1) {
    const double now = seconds_from(begin_);
    const double share = std::max(max_time_ - now, 0.0) / std::max(steps_left_, size_t{1});
    if (steps_left_ > 0) --steps_left_;
    std::vector<double> samples;
    do samples.push_back(timer_.time({}, work, calls) / calls);
    while (samples.size() < MOST_SAMPLES && seconds_from(begin_) < now + share);
    return quantile(sorted_copy(samples), 0.5);
  }

  void keep_best(RoofKind kind, double amount, double seconds) {
    const double best = roof_->value(kind);
    if (seconds > 0 && !(best >= amount / seconds)) roof_->set(kind, amount / seconds);
  }

  // The driver can load a kernel at its first launch, and then waits for all work. It would wait
  // for itself while the timer holds the stream.
  void load_lazily(const Work& work) { timer_.time_plainly({}, work); }

  // Sets the rounds with which a launch is long enough. Returns the work.
  Work lengthen(const KernelOwner& kernel, uint32_t blocks, RoofParameters* parameters) {
    const double wanted = is_emulated() ? EMULATED_SAMPLE : GPU_SAMPLE;
    load_lazily(launch_of(kernel, blocks, *parameters));
    for (;;) {
      Work work = launch_of(kernel, blocks, *parameters);
      const double seconds = timer_.time({}, work);
      if (seconds >= wanted || parameters->rounds >= MOST_ROUNDS) return work;
      const double growth = seconds > 0 ? 1.2 * wanted / seconds : MOST_GROWTH;
      parameters->rounds = static_cast<uint32_t>(
          std::ceil(parameters->rounds * std::clamp(growth, 1.2, MOST_GROWTH)));
    }
  }

  void measure_launch() {
    const CodeOwner code = load(empty_kernel_ptx());
    if (!code) return;
    const Work work = launch_of(kernel_of(code, EMPTY_ENTRY), 1, {});
    load_lazily(work);
    const double seconds = time_of(work, EMPTY_LAUNCHES);
    if (seconds > 0) roof_->set(RoofKind::LAUNCH, seconds);
  }

  RoofParameters parameters_of_buffer() const {
    RoofParameters parameters;
    parameters.data = cucore_buffer_address(buffer_.get());
    parameters.other = parameters.data;
    return parameters;
  }

  void raise_clocks() {
    const auto code = arithmetic_roof_code(RoofKind::F32, capability_);
    const CodeOwner loaded = load(code->ptx);
    if (!loaded) return;
    RoofParameters parameters = parameters_of_buffer();
    const uint32_t blocks = multiprocessors_ * code->blocks_per_multiprocessor;
    const Work work = lengthen(kernel_of(loaded, code->entry), blocks, &parameters);
    double done = 0;
    for (uint32_t i = 0; i < MOST_RISING && done < CLOCK_RISE; ++i) done += timer_.time({}, work);
  }

  void measure_arithmetic(RoofKind kind) {
    const auto code = arithmetic_roof_code(kind, capability_);
    const CodeOwner loaded = code ? load(code->ptx) : CodeOwner();
    if (!loaded) return;
    RoofParameters parameters = parameters_of_buffer();
    const uint32_t blocks = multiprocessors_ * code->blocks_per_multiprocessor;
    const Work work = lengthen(kernel_of(loaded, code->entry), blocks, &parameters);
    const double amount = code->amount * blocks * ROOF_BLOCK * parameters.rounds;
    keep_best(kind, amount, time_of(work));
  }

  uint32_t blocks_of(const AccessShape& shape, uint32_t chunks) const {
    return shape.is_persistent ? std::min(chunks, multiprocessors_ * PERSISTENT_BLOCKS) : chunks;
  }

  void measure_stream(const CodeOwner& code, RoofKind kind, const AccessShape& shape) {
    const size_t half = cucore_buffer_size(buffer_.get()) / 2;
    RoofParameters parameters = parameters_of_buffer();
    if (kind == RoofKind::COPY) parameters.other += half;
    const size_t bytes = kind == RoofKind::COPY ? half : 2 * half;
    parameters.count = static_cast<uint32_t>(bytes / shape.chunk());
    const Work work = launch_of(kernel_of(code, shape.entry(kind)),
                                blocks_of(shape, parameters.count), parameters);
    load_lazily(work);
    const double moved = 1.0 * shape.chunk() * parameters.count;
    keep_best(kind, kind == RoofKind::COPY ? 2 * moved : moved, time_of(work));
  }

  // Reads a quarter of the cache, which has it from the second round on.
  void measure_l2(const CodeOwner& code) {
    const size_t cache = attribute(CUCORE_DEVICE_ATTRIBUTE_L2_CACHE_SIZE) / 4;
    const size_t bytes =
        std::min(is_emulated() ? EMULATED_BUFFER / 8 : cache, cucore_buffer_size(buffer_.get()));
    RoofParameters parameters = parameters_of_buffer();
    parameters.count = static_cast<uint32_t>(bytes / L2_SHAPE.chunk());
    if (parameters.count == 0) return;
    const uint32_t blocks = blocks_of(L2_SHAPE, parameters.count);
    const Work work = lengthen(kernel_of(code, L2_ENTRY), blocks, &parameters);
    const double read = 1.0 * L2_SHAPE.chunk() * parameters.count * parameters.rounds;
    keep_best(RoofKind::L2, read, time_of(work));
  }

  void measure_memory() {
    const CodeOwner code = load(memory_roof_ptx());
    if (!code) return;
    for (const RoofKind kind : STREAMS)
      for (const AccessShape& shape : ACCESS_SHAPES) measure_stream(code, kind, shape);
    measure_l2(code);
  }

  const DeviceOwner device_;
  const StreamOwner stream_;
  WorkTimer timer_;
  const double max_time_;
  const RoofClock::time_point begin_ = RoofClock::now();
  const Ref<Roof> roof_;
  BufferOwner buffer_;
  uint32_t multiprocessors_ = 0;
  uint32_t capability_ = 0;
  size_t steps_left_ = 0;
};

}  // namespace

Ref<Roof> measure_roof(const DeviceOwner& device, double max_time) {
  return RoofMeter(device, max_time).run();
}

}  // namespace cucore::perf
