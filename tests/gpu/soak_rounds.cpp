// SPDX-License-Identifier: Apache-2.0
#include "soak_rounds.hpp"

#include <algorithm>
#include <vector>

namespace gpu_test {

using namespace capi_test;

namespace {

// limit of a round's wait for an expected completion
constexpr int64_t A_MINUTE_NS = 60'000'000'000;
constexpr uint32_t FACTORS = 48;  // more than the cache stores

// Arguments of `add` and `look`.
struct Arguments {
  const cucore_buffer* buffer;
  uint32_t count, last;
  std::array<cucore_argument, 3> list() const {
    return {{{buffer, CUCORE_ARGUMENT_OBJECT}, CUCORE_ARGUMENT(count), CUCORE_ARGUMENT(last)}};
  }
};

bool is_injected(cucore_status status) {
  return std::any_of(std::begin(PROMISES), std::end(PROMISES),
                     [&](const Promise& promise) { return promise.status == status; });
}

}  // namespace

const SoakThread::Choice SoakThread::CHOICES[] = {
    {&SoakThread::compute, 30},
    {&SoakThread::copy_about, 12},
    {&SoakThread::use_what_is_left, 12},
    {&SoakThread::record_events, 8},
    {&SoakThread::await, 10},
    {&SoakThread::detach, 8},
    {&SoakThread::make_streams, 5},
    {&SoakThread::compile, 6},
    {&SoakThread::store, 4},
    {&SoakThread::link, 1},
    {&SoakThread::capture, 4},
};

void SoakThread::one_round() {
  uint32_t at = below(100);
  for (const Choice& choice : CHOICES) {
    if (at < choice.weight) return (this->*choice.round)();
    at -= choice.weight;
  }
}

Buffer SoakThread::make_buffer(size_t size, const cucore_stream* stream) {
  Buffer buffer;
  switch (below(8)) {
    case 0:
      TRIES(caller_, cucore_buffer_create_pinned, world_.device, size, buffer.out());
      break;
    case 1:
      TRIES(caller_, cucore_buffer_create_managed, world_.device, size, buffer.out());
      break;
    default:
      TRIES(caller_, cucore_buffer_create, world_.device, size, stream, buffer.out());
  }
  return buffer;
}

// Returns nothing if a fault prevented it.
SoakThread::Words SoakThread::make_words(const cucore_stream* stream) {
  Words words;
  words.count = 64 + 2 * below(2048);
  words.value = static_cast<uint32_t>(random_());
  words.buffer = make_buffer(words.count * sizeof(uint32_t), stream);
  if (words.buffer && !fill(words, stream)) words.buffer.reset();
  return words;
}

bool SoakThread::fill(const Words& words, const cucore_stream* stream) {
  const size_t size = words.count * sizeof(uint32_t);
  const uint32_t pair[] = {words.value, words.value};
  if (below(3) == 0) {
    const std::vector<uint32_t> source(words.count, words.value);
    return TRIES(caller_, cucore_buffer_write, words.buffer, 0, source.data(), size, stream);
  }
  const size_t pattern_size = below(2) ? sizeof pair : sizeof *pair;
  return TRIES(caller_, cucore_buffer_fill, words.buffer, 0, size, pair, pattern_size, stream);
}

void SoakThread::order(const cucore_stream* later, const cucore_stream* earlier) {
  if (!TRIES(caller_, cucore_stream_wait_stream, later, earlier))
    HAS_TO(caller_, cucore_stream_synchronize, earlier);
}

void SoakThread::add(Words& words, const cucore_stream* stream) {
  const uint32_t turns = 1 + below(200);
  const Arguments arguments{words.buffer, words.count, turns};
  const cucore_launch_options options = grid(1, 64);
  if (TRIES(caller_, cucore_kernel_launch, world_.add, stream, &options, arguments.list().data(),
            3))
    words.value += turns;
}

// A failed read is repeated without faults, so the contents are always compared.
void SoakThread::check(const Words& words, const cucore_stream* stream, uint32_t step) {
  std::vector<uint32_t> read(words.count);
  const size_t size = read.size() * sizeof read[0];
  if (!TRIES(caller_, cucore_buffer_read, words.buffer, 0, read.data(), size, stream))
    HAS_TO(caller_, cucore_buffer_read, words.buffer, 0, read.data(), size, stream);
  for (uint32_t i = 0; i < words.count; ++i)
    if (read[i] != words.value + i * step)
      return caller_.expect(false, "word " + std::to_string(i) + " is " + std::to_string(read[i]) +
                                       "; expected " + std::to_string(words.value + i * step));
}

// Fills on one stream, launches on another; then reads, or abandons the buffer while it is in use.
void SoakThread::compute() {
  const cucore_stream *own = any_stream(), *other = any_stream();
  Words words = make_words(own);
  if (!words.buffer) return;
  order(other, own);
  for (uint32_t launches = 1 + below(3); launches > 0; --launches) add(words, other);
  switch (below(4)) {
    case 0:
      return;
    case 1:
      return cucore_buffer_release(
          world_.left[below(static_cast<uint32_t>(world_.left.size()))].exchange(
              words.buffer.release()));
    default:
      check(words, other);
  }
}

void SoakThread::copy_about() {
  const cucore_stream *own = any_stream(), *other = any_stream();
  Words words = make_words(own);
  if (!words.buffer) return;
  Words copy;
  copy.count = words.count, copy.value = words.value;
  const size_t size = words.count * sizeof(uint32_t);
  copy.buffer = make_buffer(size, other);
  if (!copy.buffer) return;
  order(other, own);
  if (!TRIES(caller_, cucore_buffer_copy, copy.buffer, 0, words.buffer, 0, size, other)) return;
  words.buffer.reset();
  add(copy, other);
  check(copy, other);
}

// Another thread may release the buffer at any time, and its words are never changed.
void SoakThread::use_what_is_left() {
  const cucore_buffer* const buffer = world_.left[below(16)];
  if (!buffer) return;
  const Arguments arguments{buffer, 16, 1};
  const cucore_launch_options options = grid(1, 64);
  Error error;
  const cucore_status status = cucore_kernel_launch(world_.look, any_stream(), &options,
                                                    arguments.list().data(), 3, error.out());
  const bool right = status == CUCORE_OK || status == CUCORE_ERROR_INVALID_HANDLE ||
                     reason_against(status, error).empty();
  caller_.expect(right, "a launch during a release: " + describe(status, error));
}

void SoakThread::record_events() {
  const cucore_stream *own = any_stream(), *other = any_stream();
  cucore_event_options options = CUCORE_EVENT_OPTIONS_INIT;
  options.timing = 1;
  Event start, end;
  if (!TRIES(caller_, cucore_event_create, world_.device, &options, start.out()) ||
      !TRIES(caller_, cucore_event_create, world_.device, &options, end.out()) ||
      !TRIES(caller_, cucore_event_record, start, own))
    return;
  Words words = make_words(own);
  if (!words.buffer) return;
  add(words, own);
  if (!TRIES(caller_, cucore_event_record, end, own)) return;
  if (!TRIES(caller_, cucore_stream_wait_event, other, end))
    HAS_TO(caller_, cucore_event_synchronize, end);
  check(words, other);
  HAS_TO(caller_, cucore_event_synchronize, end);
  int32_t done = 0;
  if (TRIES(caller_, cucore_event_query, end, &done))
    caller_.expect(done == 1, "an event is not complete after a wait for it");
  float milliseconds = -1;
  if (TRIES(caller_, cucore_event_elapsed, start, end, &milliseconds))
    caller_.expect(milliseconds >= 0, "an elapsed time is negative");
}

Future SoakThread::make_future(const cucore_stream* stream, cucore_queue* queue, uint64_t token) {
  Future future;
  TRIES(caller_, cucore_future_from_stream, stream, queue, token, future.out());
  return future;
}

// A query of the driver by a thread of the library may have failed.
void SoakThread::expect_outcome(const cucore_future* future, cucore_status status) {
  Error error;
  const cucore_status outcome = cucore_future_error(future, error.out());
  caller_.expect(outcome == status, "a wait and an outcome differ: " + describe(outcome, error));
  caller_.expect(outcome == CUCORE_OK || reason_against(outcome, error).empty(),
                 "an outcome: " + describe(outcome, error));
}

void SoakThread::expect_completion(const cucore_queue* queue, uint64_t token) {
  cucore_completion completion{};
  size_t count = 0;
  HAS_TO(caller_, cucore_queue_wait, queue, A_MINUTE_NS, &completion, 1, &count);
  caller_.expect(count == 1, "a completion does not come");
  if (count == 0) return;
  caller_.expect(completion.token == token, "a completion of another future");
  caller_.expect(completion.status == CUCORE_OK || is_injected(completion.status),
                 std::string("a completion: ") + cucore_status_name(completion.status));
}

void SoakThread::await() {
  const Queue queue = make_queue();
  const cucore_stream* const stream = any_stream();
  Words words = make_words(stream);
  if (!words.buffer) return;
  add(words, stream);
  const uint64_t token = random_();
  const Future future = make_future(stream, queue, token);
  if (!future) return caller_.expect(is_empty(queue), "a completion of a future never made");
  const cucore_status early = cucore_future_wait(future, below(100'000), nullptr);
  caller_.expect(early == CUCORE_OK || early == CUCORE_ERROR_NOT_READY || is_injected(early),
                 std::string("a wait that ends early: ") + cucore_status_name(early));
  const cucore_status status = cucore_future_wait(future, A_MINUTE_NS, nullptr);
  expect_outcome(future, status);
  expect_completion(queue, token);
  check(words, status == CUCORE_OK && below(2) ? any_stream() : stream);
}

// A waiter that cancels: the completion comes unless the library reported that it will not.
void SoakThread::detach() {
  const Queue queue = make_queue();
  const cucore_stream* const stream = any_stream();
  Words words = make_words(stream);
  if (words.buffer) add(words, stream);
  Future future = make_future(stream, queue, 1);
  if (!future) return;
  int32_t detached = 0;
  HAS_TO(caller_, cucore_future_detach, future, &detached);
  if (below(2)) future.reset();
  if (!detached) expect_completion(queue, 1);
  if (future) expect_outcome(future, cucore_future_wait(future, A_MINUTE_NS, nullptr));
  caller_.expect(is_empty(queue), "a completion of a detached future");
}

// Released at once: the buffer keeps the stream.
void SoakThread::make_streams() {
  Stream stream;
  if (!TRIES(caller_, cucore_stream_create, world_.device, nullptr, stream.out())) return;
  Words words = make_words(stream);
  if (!words.buffer) return;
  add(words, stream);
  const cucore_stream* const other = any_stream();
  order(other, stream);
  stream.reset();
  add(words, other);
  if (below(2)) check(words, other);
}

void SoakThread::run_scaling(const cucore_objectcode* code, uint32_t factor) {
  Kernel kernel;
  if (!TRIES(caller_, cucore_objectcode_find_kernel, code, "scale", kernel.out()) &&
      !HAS_TO(caller_, cucore_objectcode_find_kernel, code, "scale", kernel.out()))
    return;
  const cucore_stream* const stream = any_stream();
  Words words = make_words(stream);
  if (!words.buffer) return;
  const cucore_launch_options options = grid(1, 64);
  const cucore_argument arguments[] = {{words.buffer, CUCORE_ARGUMENT_OBJECT},
                                       CUCORE_ARGUMENT(words.count)};
  if (!TRIES(caller_, cucore_kernel_launch, kernel, stream, &options, arguments, 2))
    return check(words, stream);
  words.value *= factor;
  if (below(4) == 0) kernel.reset();
  check(words, stream, 1);
}

void SoakThread::compile() {
  const uint32_t factor = 2 + below(FACTORS);
  const Program program = world_.scaling_program(factor);
  Code code;
  cucore_cache_outcome outcome{};
  if (HAS_TO(caller_, cucore_cache_compile, world_.cache, program, CUCORE_CODE_TYPE_PTX, nullptr, 0,
             code.out(), &outcome))
    run_scaling(code, factor);
}

// Writes and reads the container: equal bytes, and the same kernel.
void SoakThread::store() {
  const uint32_t factor = 2 + below(FACTORS);
  const Program program = world_.scaling_program(factor);
  Code code, again;
  cucore_cache_outcome outcome{};
  if (!HAS_TO(caller_, cucore_cache_compile, world_.cache, program, CUCORE_CODE_TYPE_PTX, nullptr,
              0, code.out(), &outcome))
    return;
  cucore_serialize_options options = CUCORE_SERIALIZE_OPTIONS_INIT;
  options.compression = below(2) ? CUCORE_TOGGLE_ON : CUCORE_TOGGLE_OFF;
  const std::vector<unsigned char> bytes = serialized(code, &options);
  if (!HAS_TO(caller_, cucore_objectcode_deserialize, bytes.data(), bytes.size(), nullptr,
              again.out()))
    return;
  caller_.expect(serialized(again, &options) == bytes, "a container changed on its way");
  if (!TRIES(caller_, cucore_objectcode_load, again, world_.device))
    caller_.expect(!cucore_objectcode_is_loaded(again), "code that did not load is loaded");
  run_scaling(again, factor);
}

void SoakThread::link() {
  if (!world_.linked) return;
  const Linker linker = world_.scaling_linker();
  ++world_.links;
  Code code;
  if (!HAS_TO(caller_, cucore_linker_link, linker, CUCORE_CODE_TYPE_PTX, code.out())) return;
  caller_.expect(bytes_of(code) == bytes_of(world_.linked), "equal inputs link to other bytes");
  run_scaling(code, LINKED_FACTOR);
}

// The CPU device has no graphs. Another thread's wait for the whole device breaks the capture.
void SoakThread::capture() {
  Stream stream;
  if (!world_.graphs || !TRIES(caller_, cucore_stream_create, world_.device, nullptr, stream.out()))
    return;
  Words words = make_words(stream);
  if (!words.buffer) return;
  if (world_.graphs.begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED) != CUDA_SUCCESS) return;
  // A capture that another thread breaks fails with a separate state.
  Error error;
  const uint32_t turns = 1 + below(200);
  const Arguments arguments{words.buffer, words.count, turns};
  const cucore_launch_options options = grid(1, 64);
  const cucore_status status =
      cucore_kernel_launch(world_.add, stream, &options, arguments.list().data(), 3, error.out());
  caller_.expect(status == CUCORE_OK || status == CUCORE_ERROR_INVALID_STATE ||
                     reason_against(status, error).empty(),
                 "a captured launch: " + describe(status, error));
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  const bool whole = world_.graphs.end(stream, graph) == CUDA_SUCCESS && status == CUCORE_OK;
  const Spared spared(world_.driver);
  if (whole && world_.graphs.instantiate(exec, graph) == CUDA_SUCCESS)
    for (uint32_t launches = below(3); launches > 0; --launches)
      if (world_.graphs.launch(exec, stream) == CUDA_SUCCESS) words.value += turns;
  check(words, stream);
  world_.graphs.destroy(graph, exec);
}

}  // namespace gpu_test
