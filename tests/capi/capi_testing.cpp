// SPDX-License-Identifier: Apache-2.0
#include "capi_testing.hpp"

#include <chrono>
#include <thread>

#include "external_testing.hpp"
#include "support/idle_events.hpp"

namespace capi_test {

const char PTX[] = R"(.version 8.0
.target sm_75
.address_size 64

.visible .global .align 4 .u32 counter;

.visible .entry saxpy(
	.param .f32 saxpy_param_0,
	.param .u64 saxpy_param_1,
	.param .u64 saxpy_param_2,
	.param .u32 saxpy_param_3
)
{
	.reg .pred %p<2>;
	.reg .f32 %f<5>;
	.reg .b32 %r<6>;
	.reg .b64 %rd<8>;
	ld.param.f32 %f1, [saxpy_param_0];
	ld.param.u64 %rd1, [saxpy_param_1];
	ld.param.u64 %rd2, [saxpy_param_2];
	ld.param.u32 %r1, [saxpy_param_3];
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ntid.x;
	mov.u32 %r4, %tid.x;
	mad.lo.s32 %r5, %r2, %r3, %r4;
	setp.ge.u32 %p1, %r5, %r1;
	@%p1 bra DONE;
	cvta.to.global.u64 %rd3, %rd1;
	cvta.to.global.u64 %rd4, %rd2;
	mul.wide.u32 %rd5, %r5, 4;
	add.s64 %rd6, %rd3, %rd5;
	add.s64 %rd7, %rd4, %rd5;
	ld.global.f32 %f2, [%rd6];
	ld.global.f32 %f3, [%rd7];
	fma.rn.f32 %f4, %f1, %f2, %f3;
	st.global.f32 [%rd7], %f4;
DONE:
	ret;
}

.visible .entry empty()
{
	ret;
}

.visible .entry mixed(
	.param .u8 mixed_param_0,
	.param .u64 mixed_param_1,
	.param .u16 mixed_param_2,
	.param .u32 mixed_param_3
)
{
	ret;
}
)";
const size_t PTX_SIZE = sizeof PTX - 1;

const char SAXPY_SOURCE[] =
    "extern \"C\" __global__ void saxpy(float a, const float* x, float* y, unsigned n) {\n"
    "  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) y[i] = a * x[i] + y[i];\n"
    "}\n";

std::string describe(cucore_status status, const cucore_error* error) {
  return std::string(cucore_status_name(status)) + ": " + cucore_error_message(error) + "\n" +
         cucore_error_log(error);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

testing::AssertionResult succeeded(cucore_status status, const cucore_error* error) {
  if (status != CUCORE_OK) return testing::AssertionFailure() << describe(status, error);
  if (error) return testing::AssertionFailure() << "success, and an error was left";
  return testing::AssertionSuccess();
}

testing::AssertionResult failed(cucore_status status, const cucore_error* error,
                                cucore_status expected, const std::string& parts) {
  const auto wrong = [&](const std::string& what) {
    return testing::AssertionFailure() << what << "; " << describe(status, error);
  };
  if (status != expected) return wrong(std::string("expected ") + cucore_status_name(expected));
  if (!error || error == garbage()) return wrong("no error object");
  if (cucore_error_status(error) != status) return wrong("the error has another status");
  const std::string message = cucore_error_message(error);
  if (message.empty()) return wrong("no message");
  for (size_t at = 0; at <= parts.size();) {
    const size_t end = std::min(parts.find('|', at), parts.size());
    if (!contains(message, parts.substr(at, end - at)))
      return wrong("no \"" + parts.substr(at, end - at) + "\" in the message");
    at = end + 1;
  }
  return testing::AssertionSuccess();
}

Device open_device(int32_t ordinal) {
  Device device;
  MUST(cucore_device_open, ordinal, device.out());
  return device;
}

Stream make_stream(const cucore_device* device) {
  Stream stream;
  MUST(cucore_stream_create, device, nullptr, stream.out());
  return stream;
}

Event make_event(const cucore_device* device, bool timing) {
  cucore_event_options options = CUCORE_EVENT_OPTIONS_INIT;
  options.timing = timing;
  Event event;
  MUST(cucore_event_create, device, &options, event.out());
  return event;
}

Buffer make_buffer(const cucore_device* device, size_t size, const cucore_stream* stream) {
  Buffer buffer;
  MUST(cucore_buffer_create, device, size, stream, buffer.out());
  return buffer;
}

External make_semaphore(const cucore_device* device, const OtherSide& other, bool is_timeline) {
  External semaphore;
  const int descriptor = other.exported();
  const cucore_status status = cucore_external_semaphore_from_descriptor(
      device, descriptor, is_timeline, semaphore.out(), nullptr);
  if (status != CUCORE_OK) close(descriptor);
  const char* const driver = std::getenv("CUCORE_DRIVER");
  if (status != CUCORE_OK && !(driver && std::string(driver) == "nvidia"))
    throw std::runtime_error("no semaphore");
  return semaphore;
}

External make_semaphore(const cucore_device* device) {
  return make_semaphore(device, OtherSide(false), false);
}

Pool make_pool(const cucore_device* device) {
  Pool pool;
  MUST(cucore_pool_create, device, nullptr, pool.out());
  return pool;
}

Graph make_graph(const cucore_device* device) {
  Graph graph;
  MUST(cucore_graph_create, device, graph.out());
  return graph;
}

Executable make_executable(const cucore_graph* graph) {
  Executable executable;
  MUST(cucore_executable_create, graph, nullptr, executable.out());
  return executable;
}

Code make_code(cucore_code_type type, const void* data, size_t size) {
  Code code;
  MUST(cucore_objectcode_create, type, data, size, nullptr, code.out());
  return code;
}

Code make_ptx_code() { return make_code(CUCORE_CODE_TYPE_PTX, PTX, PTX_SIZE); }

Kernel find_kernel(const cucore_objectcode* code, const char* name) {
  Kernel kernel;
  MUST(cucore_objectcode_find_kernel, code, name, kernel.out());
  return kernel;
}

Program make_program(const std::string& source, const cucore_program_options* options) {
  Program program;
  MUST(cucore_program_create, CUCORE_SOURCE_TYPE_CUDA_CPP, source.data(), source.size(), options,
       program.out());
  return program;
}

Code compile(const cucore_program* program, cucore_code_type target,
             const std::vector<const char*>& expressions) {
  Code code;
  MUST(cucore_program_compile, program, target, expressions.data(), expressions.size(), code.out());
  return code;
}

std::string bytes_of(const cucore_objectcode* code) {
  size_t size = 0;
  const void* data = cucore_objectcode_data(code, &size);
  return {static_cast<const char*>(data), size};
}

std::vector<unsigned char> serialized(const cucore_objectcode* code,
                                      const cucore_serialize_options* options) {
  size_t size = 0;
  MUST(cucore_objectcode_serialize, code, options, nullptr, 0, &size);
  std::vector<unsigned char> bytes(size);
  MUST(cucore_objectcode_serialize, code, options, bytes.data(), bytes.size(), &size);
  return bytes;
}

cucore_launch_options grid(uint32_t blocks, uint32_t threads) {
  cucore_launch_options options = CUCORE_LAUNCH_OPTIONS_INIT;
  options.grid[0] = blocks;
  options.block[0] = threads;
  return options;
}

PreparedLaunch prepare(const cucore_kernel* kernel, const cucore_stream* stream) {
  const cucore_launch_options options = grid(1, 1);
  PreparedLaunch prepared;
  MUST(cucore_prepared_launch_create, kernel, stream, &options, nullptr, 0, prepared.out());
  return prepared;
}

cucore_status launch_saxpy(const cucore_kernel* saxpy, const cucore_stream* stream,
                           const cucore_buffer* x, cucore_error** error) {
  const float a = 1;
  const uint32_t n = 4;
  const cucore_argument arguments[] = {CUCORE_ARGUMENT(a),
                                       {x, CUCORE_ARGUMENT_OBJECT},
                                       {x, CUCORE_ARGUMENT_OBJECT},
                                       CUCORE_ARGUMENT(n)};
  const cucore_launch_options options = grid(1, 1);
  return cucore_kernel_launch(saxpy, stream, &options, arguments, 4, error);
}

namespace {

// Objects that a test must release; contexts stay, as the devices do.
uint64_t live_objects(const fake::Client& fake) {
  uint64_t sum = 0;
  for (const char* kind : {"stream", "event", "memory", "host_memory", "library", "link"})
    sum += fake.live_objects(kind);
  return sum;
}

// A context keeps streams for frees of memory that several streams used. With held work each
// release creates one, up to the limit.
void make_release_streams(const cucore_device* device, const fake::Client& fake) {
  constexpr int MOST = 8;
  const Stream own = make_stream(device), other = make_stream(device);
  const auto release = [&] {
    const Buffer buffer = make_buffer(device, 16, own);
    MUST(cucore_buffer_record_use, buffer, other);
  };
  release();  // finds the first one idle, and its queue empty
  fake.hold_streams(1);
  for (int i = 0; i < MOST; ++i) release();
  fake.hold_streams(0);
}

// Includes the objects that the library creates once per context and keeps. They serve queries of
// default streams and releases of memory that several streams used, and new events.
uint64_t live_objects_and_kept(const fake::Client& fake, const cucore_device* device) {
  Stream stream;
  int32_t done = 0;
  MUST(cucore_device_default_stream, device, CUCORE_DEFAULT_STREAM_LEGACY, stream.out());
  MUST(cucore_stream_query, stream, &done);
  stream.reset();
  int32_t devices = 0;
  MUST(cucore_device_count, &devices);
  for (int32_t i = 0; i < devices; ++i) {
    make_release_streams(open_device(i), fake);
    test_support::fill_idle_events(open_device(i));
  }
  return live_objects(fake);
}

// Returns the fake that an environment variable names, if it is set.
fake::Client* named_fake(const char* variable) {
  const char* path = std::getenv(variable);
  if (!path || !contains(path, "/fake_")) return nullptr;
  return new fake::Client(path);
}

}  // namespace

fake::Client* fake_driver() {
  static fake::Client* client = named_fake("CUCORE_DRIVER");
  return client;
}

fake::Client* fake_nvrtc() {
  static fake::Client* client = named_fake("CUCORE_NVRTC");
  return client;
}

std::vector<std::string> last_options() {
  std::vector<std::string> options;
  for (size_t i = 0; i < fake_nvrtc()->option_count(); ++i)
    options.emplace_back(fake_nvrtc()->option_at(i));
  return options;
}

bool has_device() {
  int32_t count = 0;
  return cucore_device_count(&count, nullptr) == CUCORE_OK && count > 0;
}

bool has_compiler() {
  cucore_library_info info = CUCORE_LIBRARY_INFO_INIT;
  return cucore_library_query(CUCORE_LIBRARY_NVRTC, &info, nullptr) == CUCORE_OK && info.available;
}

bool is_emulated() { return has_device() && cucore_device_is_emulated(open_device()); }

bool has_checks() {
  Checks checks;
  return cucore_checks_create(nullptr, checks.out(), nullptr) != CUCORE_ERROR_UNSUPPORTED;
}

Checks make_ended_checks() {
  Checks checks;
  if (!has_checks()) return checks;
  MUST(cucore_checks_create, nullptr, checks.out());
  MUST(cucore_checks_end, checks);
  return checks;
}

void OnDevice::SetUp() {
  fake_ = fake_driver();
  if (fake_) fake_->reset();
  if (!has_device()) {
    // If the build provides a device, its absence is not a reason to skip.
    ASSERT_FALSE(std::getenv("CUCORE_TEST_NEEDS_DEVICE")) << "there should be a device";
    GTEST_SKIP() << "no device";
  }
  device_ = open_device();
  MUST(cucore_device_synchronize, device_);
  if (fake_) alive_ = live_objects_and_kept(*fake_, device_);
  if (fake_) executables_ = fake_->live_objects("graph_exec");
  stream_ = make_stream(device_);
  if (fake_) fake_->reset();
}

void OnDevice::TearDown() {
  stream_.reset();
  device_.reset();
  if (!fake_) return;
  EXPECT_EQ(fake_->violations(), 0u) << fake_->last_violation();
  fake_->reset();
  live_objects_and_kept(*fake_, open_device());
  // A thread of the library unloads code.
  for (int i = 0; i < 20000 && live_objects(*fake_) != alive_; ++i)
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  EXPECT_EQ(live_objects(*fake_), alive_) << "objects of the driver were left behind";
  // Executables end some milliseconds after their release, and those of a lost context never do.
  for (int i = 0; i < 300 && fake_->live_objects("graph_exec") > executables_; ++i)
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  fake_->reset();
}

}  // namespace capi_test
