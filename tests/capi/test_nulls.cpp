// SPDX-License-Identifier: Apache-2.0
// Every pointer argument of every function, one row each. The rows pass NULL, and for handles a
// released one and live ones of every other type. The script null_rows.py writes the rows from the
// public header; functions that cannot fail have rows here. The export map lists the functions that
// need one.
#include <algorithm>
#include <cstring>
#include <deque>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>

#include "completion_testing.hpp"
#include "external_testing.hpp"

namespace {

using namespace capi_test;

// Memory for a call's outputs, filled with garbage before it; after a failure all outputs must be
// zero.
class Outputs {
 public:
  template <class T>
  T* room() {
    slots_.emplace_back(sizeof(T), static_cast<unsigned char>(0xa5));
    return reinterpret_cast<T*>(slots_.back().data());
  }
  int32_t* i32() { return room<int32_t>(); }
  size_t* size() { return room<size_t>(); }
  float* f32() { return room<float>(); }
  uint64_t* u64() { return room<uint64_t>(); }
  template <class T>
  T** handle() {
    return room<T*>();
  }
  bool are_cleared() const {
    return std::ranges::all_of(slots_, [](const auto& slot) {
      return std::ranges::all_of(slot, [](unsigned char byte) { return byte == 0; });
    });
  }

 private:
  std::deque<std::vector<unsigned char>> slots_;
};

cucore_observer_options observes_nothing() {
  cucore_observer_options options = CUCORE_OBSERVER_OPTIONS_INIT;
  options.begin = [](const cucore_operation*, void**, void*) {};
  return options;
}

struct Handles {
  Device device;
  Stream stream;
  Event event;
  Pool pool;
  Buffer buffer;
  Program program;
  Code code;
  Kernel kernel;
  PreparedLaunch prepared_launch;
  Linker linker;
  Cache cache;
  uint8_t cache_key[32] = {};
  cucore_cache_remote remote = CUCORE_CACHE_REMOTE_INIT;
  cucore_batch_item item = {};
  Queue queue;
  Future future;
  Checks checks;
  Graph graph;
  Executable executable;
  Observer observer;
  External external;
  cucore_node node = 0;
  cucore_launch_options launch = grid(1, 1);
  cucore_observer_options observing = observes_nothing();
  cucore_argument argument = CUCORE_ARGUMENT(bytes);
  char bytes[16] = {};
  cucore_box boxes[2] = {};
  const cucore_objectcode* images[2] = {};

  const cucore_box* box_at(size_t offset) {
    cucore_box& box = boxes[offset == 0];
    box = CUCORE_BOX_INIT;
    box.buffer = buffer;
    box.offset = offset;
    return &box;
  }

  // A struct of the caller that a call fills in.
  template <class T>
  T* info(const T& initial) {
    static T room;
    room = initial;
    return &room;
  }

  const cucore_objectcode* const* two() {
    images[0] = images[1] = code;
    return images;
  }

  const cucore_batch_item* one_item() {
    item.program = program;
    item.target = CUCORE_CODE_TYPE_PTX;
    return &item;
  }

  std::map<std::string, void*> handles() const {
    return {{"device", device.get()},     {"stream", stream.get()},
            {"event", event.get()},       {"buffer", buffer.get()},
            {"pool", pool.get()},         {"program", program.get()},
            {"objectcode", code.get()},   {"kernel", kernel.get()},
            {"linker", linker.get()},     {"queue", queue.get()},
            {"future", future.get()},     {"cache", cache.get()},
            {"checks", checks.get()},     {"prepared_launch", prepared_launch.get()},
            {"graph", graph.get()},       {"executable", executable.get()},
            {"observer", observer.get()}, {"external", external.get()}};
  }
};

using Call = std::function<cucore_status(Handles&, Outputs&, void*, cucore_error**)>;

struct Row {
  std::string function, argument;
  std::string type;  // of a handle; "" for other pointers
  Call call;
};

// H(type, argument, function, arguments...): `argument` stands for the handle under test.
#define H(type, argument, function, ...)                                                      \
  Row {                                                                                       \
#function, #argument, #type,                                                                \
      []([[maybe_unused]] Handles& w, [[maybe_unused]] Outputs& o, void* x, cucore_error** e) {     \
        auto* argument = static_cast<cucore_##type*>(x);                                          \
        return function(__VA_ARGS__, e);                                                          \
      } \
  }
// P(argument, function, arguments...): another pointer, written as nullptr in its place.
#define P(argument, function, ...)                                            \
  Row {                                                                       \
#function, #argument, "",                                                 \
        []([[maybe_unused]] Handles & w, [[maybe_unused]] Outputs & o, void*, \
           cucore_error** e) { return function(__VA_ARGS__, e); }             \
  }

constexpr auto ATTRIBUTE = CUCORE_DEVICE_ATTRIBUTE_WARP_SIZE;
constexpr auto REGISTERS = CUCORE_KERNEL_ATTRIBUTE_NUM_REGS;
constexpr auto LEGACY = CUCORE_DEFAULT_STREAM_LEGACY;
constexpr auto CUDA_CPP = CUCORE_SOURCE_TYPE_CUDA_CPP;

cucore_status builds_nothing(cucore_objectcode**, cucore_error**, void*) {
  return CUCORE_ERROR_COMPILATION;
}
void takes_back_nothing(void*) {}
void does_nothing(void*) {}
int32_t goes_on(const cucore_cache_entry_info*, void*) { return 1; }
constexpr auto PTX_CODE = CUCORE_CODE_TYPE_PTX;

std::vector<Row> rows() {
  return {
#include "null_rows.inc"
  };
}

// Functions that cannot fail: their results for NULL and for dead handles.
struct Neutral {
  std::string function, type;
  std::function<bool(void*)> is_neutral;
};

bool empty(const char* text) { return text && !*text; }

#define N(type, function, check)                                                  \
  Neutral {                                                                       \
#function, #type, [](void* x) {                                                 \
      auto value = function(static_cast<cucore_##type*>(x));                        \
      return check;                                                                 \
    } \
  }
// Tests that it returns; retain returns its argument.
#define RETAIN(type)                                                                            \
  Neutral{"cucore_" #type "_retain", #type,                                                     \
          [](void* x) { return cucore_##type##_retain(static_cast<cucore_##type*>(x)) == x; }}, \
      Neutral {                                                                                 \
    "cucore_" #type "_release", #type, [](void* x) {                                            \
      cucore_##type##_release(static_cast<cucore_##type*>(x));                                  \
      return true;                                                                              \
    }                                                                                           \
  }

std::vector<Neutral> neutrals() {
  return {
      Neutral{"cucore_objectcode_data", "objectcode",
              [](void* x) {
                size_t size = 7;
                auto* code = static_cast<cucore_objectcode*>(x);
                return !cucore_objectcode_data(code, &size) && size == 0 &&
                       !cucore_objectcode_data(code, nullptr);
              }},
      Neutral{"cucore_objectcode_metadata_key", "objectcode",
              [](void* x) {
                return empty(cucore_objectcode_metadata_key(static_cast<cucore_objectcode*>(x), 0));
              }},
      Neutral{"cucore_objectcode_metadata_value", "objectcode",
              [](void* x) {
                return empty(
                    cucore_objectcode_metadata_value(static_cast<cucore_objectcode*>(x), 0));
              }},
#include "neutral_rows.inc"
  };
}

class Nulls : public OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    if (IsSkipped()) return;
    world_.device = open_device();
    world_.stream = make_stream(device_);
    world_.event = make_event(device_);
    world_.pool = make_pool(device_);
    world_.buffer = make_buffer(device_, 16, world_.stream);
    world_.program = make_program("");
    world_.code = make_ptx_code();
    world_.kernel = find_kernel(world_.code, "empty");
    world_.prepared_launch = prepare(world_.kernel, world_.stream);
    MUST(cucore_linker_create, nullptr, world_.linker.out());
    world_.queue = make_queue();
    world_.future = make_future(world_.stream, world_.queue, 1);
    world_.checks = make_ended_checks();
    world_.graph = make_graph(device_);
    world_.executable = make_executable(world_.graph);
    MUST(cucore_observer_create, &world_.observing, world_.observer.out());
    world_.external = make_semaphore(device_);
    MUST(cucore_cache_open, &memory_alone(), world_.cache.out());
  }
  static const cucore_cache_options& memory_alone() {
    static cucore_cache_options options = CUCORE_CACHE_OPTIONS_INIT;
    options.directory = "";
    return options;
  }
  void TearDown() override {
    world_ = Handles();
    OnDevice::TearDown();
  }

  // Only some drivers make these handles, which precede the argument under test.
  bool needs_missing_handle(const Row& row) const {
    const bool is_of_external =
        row.function.starts_with("cucore_external_") || row.function.ends_with("_semaphore");
    if (is_of_external && row.argument != "semaphore" && row.argument != "external")
      return !world_.external;
    return !world_.checks && row.function.starts_with("cucore_checks_") && row.type.empty();
  }

  void expect_failure(const Row& row, void* x, cucore_status expected, const std::string& parts) {
    SCOPED_TRACE(row.function + "(" + row.argument + ")");
    Outputs outputs;
    cucore_error* error = garbage();
    const cucore_status status = row.call(world_, outputs, x, &error);
    EXPECT_TRUE(failed(status, error, expected, parts));
    EXPECT_TRUE(outputs.are_cleared());
    if (error != garbage()) cucore_error_release(error);
    Outputs others;
    EXPECT_EQ(row.call(world_, others, x, nullptr), expected) << "without an error";
    EXPECT_TRUE(others.are_cleared());
  }

  Handles world_;
};

TEST_F(Nulls, EveryPointerArgument) {
  for (const Row& row : rows()) {
    if (!needs_missing_handle(row))
      expect_failure(row, nullptr, CUCORE_ERROR_INVALID_ARGUMENT, row.argument + "|NULL");
  }
}

TEST_F(Nulls, EveryHandleThatWasReleased) {
  Handles other;
  other.stream = make_stream(device_);
  other.event = make_event(device_);
  other.pool = make_pool(device_);
  other.buffer = make_buffer(device_, 16, stream_);
  other.program = make_program("");
  other.code = make_ptx_code();
  other.kernel = find_kernel(other.code, "empty");
  other.prepared_launch = prepare(other.kernel, other.stream);
  MUST(cucore_cache_open, &memory_alone(), other.cache.out());
  other.queue = make_queue();
  other.future = make_future(other.stream, other.queue, 1);
  other.checks = make_ended_checks();
  other.graph = make_graph(device_);
  other.executable = make_executable(other.graph);
  MUST(cucore_observer_create, &other.observing, other.observer.out());
  other.external = make_semaphore(device_);
  int32_t devices = 0;
  ASSERT_EQ(cucore_device_count(&devices, nullptr), CUCORE_OK);
  if (devices > 1) other.device = open_device(1);
  const auto released = other.handles();
  other = Handles();
  for (const Row& row : rows())
    if (void* dead =
            row.type.empty() || needs_missing_handle(row) ? nullptr : released.at(row.type))
      expect_failure(row, dead, CUCORE_ERROR_INVALID_HANDLE,
                     row.argument + "|it is a released cucore_" + row.type);
  for (const Neutral& neutral : neutrals())
    if (neutral.type != "error" && released.at(neutral.type)) {
      EXPECT_TRUE(neutral.is_neutral(released.at(neutral.type))) << neutral.function;
    }
}

TEST_F(Nulls, EveryHandleOfAnotherType) {
  for (const Row& row : rows())
    for (const auto& [type, handle] : world_.handles())
      if (handle && !row.type.empty() && type != row.type && !needs_missing_handle(row))
        expect_failure(
            row, handle, CUCORE_ERROR_INVALID_HANDLE,
            row.argument + "|not a live cucore_" + row.type + ": it is a cucore_" + type);
  for (const Neutral& neutral : neutrals())
    for (const auto& [type, handle] : world_.handles())
      if (handle && type != neutral.type) {
        EXPECT_TRUE(neutral.is_neutral(handle)) << neutral.function << " of a " << type;
      }
  // A release through the wrong function removed no reference.
  EXPECT_EQ(cucore_stream_synchronize(world_.stream, nullptr), CUCORE_OK);
  EXPECT_STREQ(cucore_kernel_name(world_.kernel), "empty");
}

TEST(NullsAlone, NeutralValues) {
  for (const Neutral& neutral : neutrals())
    EXPECT_TRUE(neutral.is_neutral(nullptr)) << neutral.function;
}

TEST(NullsAlone, CoverTheWholeExportMap) {
  std::ifstream map(CUCORE_MAP);
  const std::string text{std::istreambuf_iterator<char>(map), {}};
  if (text.empty()) GTEST_SKIP() << "no export map here";
  // NULL is allowed in the last five, which test_log.cpp, test_error_create.cpp and
  // test_launch_tallies.cpp test.
  std::set<std::string> covered{"cucore_version",          "cucore_version_string",
                                "cucore_status_name",      "cucore_log_enabled",
                                "cucore_log_set_callback", "cucore_log_write",
                                "cucore_error_create",     "cucore_operation_tally"};
  for (const Row& row : rows()) covered.insert(row.function);
  for (const Neutral& neutral : neutrals()) covered.insert(neutral.function);
  const std::regex name("cucore_\\w+(?=;)");
  size_t exports = 0;
  for (std::sregex_iterator at(text.begin(), text.end(), name), end; at != end; ++at, ++exports)
    EXPECT_TRUE(covered.count(at->str())) << at->str() << " has no row";
  EXPECT_EQ(exports, covered.size());
}

}  // namespace
