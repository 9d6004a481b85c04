// SPDX-License-Identifier: Apache-2.0
// Behaviour of a process as a whole: forks, an exit in the middle, and equal bytes in every
// process.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "capi_testing.hpp"

namespace {

using namespace capi_test;

class Process : public OnDevice {
 protected:
  // The checks of a child made by fork; a number other than 0 names the check that failed.
  template <class Body>
  void in_child(Body&& body) {
    const pid_t child = fork();
    if (child == 0) _exit(body());
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 0) << "the check of that number failed in the child";
  }
};

TEST_F(Process, AForkLosesTheDriverAndSaysSo) {
  const Code code = make_ptx_code();
  const Kernel kernel = find_kernel(code, "empty");
  in_child([&] {
    int32_t done = 0, count = 7;
    cucore_device* device = nullptr;
    const cucore_launch_options options = grid(1, 1);
    Error error;
    if (cucore_stream_synchronize(stream_, error.out()) != CUCORE_ERROR_INVALID_STATE) return 1;
    if (!contains(cucore_error_message(error), "fork")) return 2;
    if (cucore_stream_query(stream_, &done, nullptr) != CUCORE_ERROR_INVALID_STATE) return 3;
    if (cucore_device_count(&count, nullptr) != CUCORE_ERROR_INVALID_STATE || count != 0) return 4;
    if (cucore_device_open(0, &device, nullptr) != CUCORE_ERROR_INVALID_STATE) return 5;
    if (cucore_kernel_launch(kernel, stream_, &options, nullptr, 0, nullptr) !=
        CUCORE_ERROR_INVALID_STATE)
      return 6;
    return 0;
  });
  SUCCEEDS(cucore_stream_synchronize, stream_);
}

TEST_F(Process, AForkedChildReleasesInSilence) {
  Code code = make_ptx_code();
  Kernel kernel = find_kernel(code, "empty");
  Buffer buffer = make_buffer(device_, 16, stream_);
  Event event = make_event(device_);
  Graph graph = make_graph(device_);
  Executable executable = make_executable(graph);
  MUST(cucore_executable_launch, executable, stream_);
  const uint64_t before = fake_ ? fake_->total_calls() : 0;
  in_child([&] {
    kernel.reset();
    code.reset();
    buffer.reset();
    event.reset();
    executable.reset();
    graph.reset();
    stream_.reset();
    return fake_ && fake_->total_calls() != before ? 1 : 0;
  });
}

// A lock that another thread had at the fork stays locked in the child.
TEST_F(Process, AForkedChildIsToldWhateverLocksWereTaken) {
  const Graph graph = make_graph(device_);
  const Executable executable = make_executable(graph);
  std::atomic<bool> is_over{false};
  std::thread calls([&] {
    while (!is_over) {
      EXPECT_EQ(cucore_executable_launch(executable, stream_, nullptr), CUCORE_OK);
      EXPECT_EQ(cucore_executable_update(executable, graph, nullptr, nullptr), CUCORE_OK);
    }
  });
  const Kernel kernel = find_kernel(make_ptx_code(), "empty");
  for (int i = 0; i < 30 && !HasFatalFailure(); ++i)
    in_child([&] {
      alarm(20);
      const cucore_launch_options options = grid(1, 1);
      cucore_stream* stream = nullptr;
      cucore_node node = 0;
      if (cucore_executable_launch(executable, stream_, nullptr) != CUCORE_ERROR_INVALID_STATE)
        return 1;
      if (cucore_executable_update(executable, graph, nullptr, nullptr) !=
          CUCORE_ERROR_INVALID_STATE)
        return 2;
      if (cucore_graph_add_empty(graph, nullptr, 0, &node, nullptr) != CUCORE_ERROR_INVALID_STATE)
        return 3;
      if (cucore_stream_create(device_, nullptr, &stream, nullptr) != CUCORE_ERROR_INVALID_STATE)
        return 4;
      if (cucore_graph_add_kernel(graph, nullptr, 0, kernel, &options, nullptr, 0, &node,
                                  nullptr) != CUCORE_ERROR_INVALID_STATE)
        return 5;
      if (cucore_graph_native(graph)) return 6;
      return 0;
    });
  is_over = true;
  calls.join();
  SUCCEEDS(cucore_stream_synchronize, stream_);
}

TEST_F(Process, AForkedChildStillCompiles) {
  NEEDS_COMPILER();
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  options.arch = "compute_90";
  const Program program = make_program(SAXPY_SOURCE, &options);
  compile(program);
  in_child([&] {
    Code code;
    if (cucore_program_compile(program, CUCORE_CODE_TYPE_PTX, nullptr, 0, code.out(), nullptr) !=
        CUCORE_OK)
      return 1;
    return cucore_objectcode_symbol_count(code) == 1 ? 0 : 2;
  });
}

// Exits with all objects alive and another thread at work, without a crash.
TEST(ProcessExit, InTheMiddleOfEverything) {
  if (!has_device()) GTEST_SKIP() << "no device";
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        // Never released, and reachable for leak checkers.
        static auto* device = new Device(open_device());
        static auto* stream = new Stream(make_stream(*device));
        static auto* kernel = new Kernel(find_kernel(make_ptx_code(), "empty"));
        static Buffer buffer =
            make_buffer(*device, 64, *stream);  // released by a destructor at exit
        std::thread([] {
          const cucore_launch_options options = grid(1, 1);
          for (;;) cucore_kernel_launch(*kernel, *stream, &options, nullptr, 0, nullptr);
        }).detach();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        std::exit(0);
      },
      testing::ExitedWithCode(0), "^$");
}

// The bytes of a compile in a separate process, as text that two processes can compare.
TEST(ProcessPrint, Compile) {
  if (!std::getenv("CUCORE_TEST_PRINT")) GTEST_SKIP() << "run by the test of equal bytes";
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  options.arch = "sm_90";
  const Program program = make_program(
      "namespace { __device__ int counter; template <class T> __global__ void add(T* x) "
      "{ x[threadIdx.x] += counter; } }\n"
      "static __device__ int other;\n"
      "extern \"C\" __global__ void k(int* x) { *x = other + counter; }\n",
      &options);
  for (const auto target : {CUCORE_CODE_TYPE_PTX, CUCORE_CODE_TYPE_CUBIN}) {
    std::string hex = "bytes:";
    for (const unsigned char byte : serialized(compile(program, target, {"add<int>"}))) {
      hex += "0123456789abcdef"[byte >> 4];
      hex += "0123456789abcdef"[byte & 15];
    }
    puts(hex.c_str());
  }
}

std::string printed() {
  const std::string command = "CUCORE_TEST_PRINT=1 /proc/" + std::to_string(getpid()) +
                              "/exe --gtest_filter=ProcessPrint.Compile";
  FILE* pipe = popen(command.c_str(), "r");
  std::string text, line;
  for (int c = 0; pipe && (c = fgetc(pipe)) != EOF;) {
    line += static_cast<char>(c);
    if (c != '\n') continue;
    if (line.substr(0, 6) == "bytes:") text += line;
    line.clear();
  }
  EXPECT_EQ(pclose(pipe), 0);
  return text;
}

TEST(ProcessExit, TwoProcessesCompileToEqualBytes) {
  NEEDS_COMPILER();
  const std::string first = printed();
  EXPECT_NE(first, "");
  EXPECT_EQ(first, printed());
}

}  // namespace
