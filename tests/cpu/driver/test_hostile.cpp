// SPDX-License-Identifier: Apache-2.0
// Hostile kernels: each ends within seconds, in bounded memory, with an error that names the bound.
// Each runs in a separate process, whose peak of resident memory is measured.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "driver.hpp"
#include "image/elf_file.hpp"

namespace cutest {
namespace {

constexpr long MOST_GROWTH = 256L << 10;  // KiB
constexpr rlim_t SAFETY_NET = rlim_t{2} << 30;
constexpr int MOST_SECONDS = 30;  // on a busy machine

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool MEASURED = false;  // the sanitizer uses the memory
#else
constexpr bool MEASURED = true;
#endif

const char* const DECLARATIONS = R"(
.version 8.3
.target sm_90
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.extern .func (.param .b64 r) malloc(.param .b64 s);
.extern .func free(.param .b64 p);
.extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 u, .param .b64 s);
)";

std::string kernel(const std::string& body, const std::string& before = "") {
  return DECLARATIONS + before +
         ".visible .entry k()\n{\n.reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f64 "
         "%fd<2>;\nmov.u32 %r1, %tid.x;\n" +
         body + "\nret;\n}\n";
}

// Returns a zero-terminated string as a global variable.
std::string text_variable(const char* name, const std::string& text) {
  std::string values;
  for (const char c : text) values += std::to_string(static_cast<int>(c)) + ", ";
  return ".global .align 1 .b8 " + std::string(name) + "[" + std::to_string(text.size() + 1) +
         "] = {" + values + "0};\n";
}

// Prints one value in `format` and traps unless vprintf returned -1, as it does for dropped text.
std::string print_kernel(const std::string& format, const std::string& store) {
  return kernel(
      ".local .align 8 .b8 v[16]; mov.u64 %rd1, v; cvta.local.u64 %rd2, %rd1;\n" + store +
          "mov.u64 %rd3, fmt; cvta.global.u64 %rd3, %rd3;\n"
          "{ .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %rd3; "
          "st.param.b64 [a], %rd2; call.uni (r), vprintf, (f, a); ld.param.b32 %r2, [r]; }\n"
          "setp.ne.s32 %p1, %r2, -1; @%p1 trap;",
      text_variable("fmt", format));
}

struct Case {
  std::string ptx;
  unsigned threads = 1024;
  unsigned grid = 1;
  bool cooperative = false;
  CUresult load = CUDA_SUCCESS;
  CUresult launch = CUDA_SUCCESS;
  CUresult end = CUDA_SUCCESS;
  std::vector<std::string> text = {};  // parts of the fault text, in this order
  const char* timeout = nullptr;
  const char* launch_memory = nullptr;
  const char* launch_output = nullptr;
  long most_growth = MOST_GROWTH;
};

void check(CUresult expected, CUresult result, const char* what) {
  if (result == expected) return;
  std::fprintf(stderr, "%s returned %d, not %d\n", what, static_cast<int>(result),
               static_cast<int>(expected));
  std::_Exit(90);
}

long resident_now() {
  std::ifstream file("/proc/self/statm");
  long pages = 0, resident = 0;
  file >> pages >> resident;
  return resident * (sysconf(_SC_PAGESIZE) >> 10);
}
long resident_peak() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return use.ru_maxrss;
}

// Tests that the parts occur in their order.
void expect_parts(const char* text, const Case& c) {
  const char* at = text;
  for (const std::string& part : c.text) {
    at = std::strstr(at, part.c_str());
    if (at) continue;
    std::fprintf(stderr, "no '%s' in: %s\n", part.c_str(), text);
    std::_Exit(91);
  }
}

void expect_load_text(const Driver& cu, const Case& c) {
  char text[4096] = "";
  cu.control().last_load_log(text, sizeof text, nullptr);
  expect_parts(text, c);
}

void expect_text(const Driver& cu, CUcontext context, const Case& c) {
  char text[4096] = "";
  cu.control().last_fault_text(context, text, sizeof text, nullptr);
  expect_parts(text, c);
}

void launch_and_wait(const Driver& cu, CUcontext context, CUmodule module, const Case& c) {
  CUfunction f = nullptr;
  check(CUDA_SUCCESS, cu.cuModuleGetFunction(&f, module, "k"), "cuModuleGetFunction");
  const CUresult launched =
      c.cooperative
          ? cu.cuLaunchCooperativeKernel(f, c.grid, 1, 1, c.threads, 1, 1, 0, nullptr, nullptr)
          : cu.cuLaunchKernel(f, c.grid, 1, 1, c.threads, 1, 1, 0, nullptr, nullptr, nullptr);
  check(c.launch, launched, "the launch");
  if (launched != CUDA_SUCCESS) return;
  const CUresult end = cu.cuCtxSynchronize();
  expect_text(cu, context, c);
  check(c.end, end, "cuCtxSynchronize");
}

void run(const Case& c) {
  const rlimit net{SAFETY_NET, SAFETY_NET};
  if (MEASURED) setrlimit(RLIMIT_DATA, &net);
  alarm(10 * MOST_SECONDS);
  if (c.timeout) setenv("CUCORE_CPU_TIMEOUT", c.timeout, 1);
  if (c.launch_memory) setenv("CUCORE_CPU_LAUNCH_MEMORY", c.launch_memory, 1);
  if (c.launch_output) setenv("CUCORE_CPU_LAUNCH_OUTPUT", c.launch_output, 1);
  Driver cu;
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  check(CUDA_SUCCESS, cu.cuInit(0), "cuInit");
  check(CUDA_SUCCESS, cu.cuCtxCreate_v4(&context, nullptr, 0, 0), "cuCtxCreate");
  const long before = resident_now();
  const auto begin = std::chrono::steady_clock::now();
  check(c.load, cu.cuModuleLoadData(&module, c.ptx.c_str()), "cuModuleLoadData");
  if (c.load == CUDA_SUCCESS)
    launch_and_wait(cu, context, module, c);
  else
    expect_load_text(cu, c);
  const auto seconds = std::chrono::steady_clock::now() - begin;
  const long growth = resident_peak() - before;
  if (MEASURED && growth > c.most_growth) {
    std::fprintf(stderr, "resident memory grew by %ld KiB\n", growth);
    std::_Exit(92);
  }
  if (seconds > std::chrono::seconds(MOST_SECONDS)) {
    std::fprintf(stderr, "took too long\n");
    std::_Exit(93);
  }
}

void in_child(const Case& c) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    run(c);
    std::fflush(nullptr);
    std::_Exit(0);
  }
  int status = 0;
  ASSERT_EQ(child, waitpid(child, &status, 0));
  EXPECT_TRUE(WIFEXITED(status)) << "killed by signal " << WTERMSIG(status);
  EXPECT_EQ(0, WEXITSTATUS(status));
}

const std::string STORE_INTEGER = "st.local.u32 [%rd1], 5; st.local.u32 [%rd1+4], 6;\n";
const std::string STORE_HUGE = "st.local.u32 [%rd1], 2000000000; st.local.u32 [%rd1+4], 6;\n";
const std::string STORE_REAL = "st.local.f64 [%rd1], 0d3FF0000000000000;\n";

TEST(Hostile, WidthOfAPrintedNumber) {
  in_child({.ptx = print_kernel("%2000000000d", STORE_INTEGER), .threads = 1});
}
TEST(Hostile, WidthThatIsAnArgument) {
  in_child({.ptx = print_kernel("%*d", STORE_HUGE), .threads = 1});
}
TEST(Hostile, PrecisionOfAPrintedNumber) {
  in_child({.ptx = print_kernel("%.2000000000f", STORE_REAL), .threads = 1});
}
TEST(Hostile, WidthBeyondEveryInteger) {
  in_child({.ptx = print_kernel("%99999999999999999999999d", STORE_INTEGER), .threads = 1});
}

// The text of many threads, each as long as the buffer.
TEST(Hostile, LinesAsLongAsTheBuffer) {
  const std::string ptx = print_kernel("%1048576d", STORE_INTEGER);
  in_child({.ptx = ptx.substr(0, ptx.find("setp.ne")) + "ret; }",
            .threads = 256,
            .end = CUDA_ERROR_LAUNCH_TIMEOUT,
            .text = {"CUCORE_CPU_TIMEOUT"},
            .timeout = "1000000"});
}

// Each of 1024 threads prints two bytes.
TEST(Hostile, OutputOfALaunch) {
  std::string ptx = print_kernel("%d\n", STORE_INTEGER);
  ptx.erase(ptx.find("@%p1 trap;"), 10);  // no text is dropped
  Case c{.ptx = std::move(ptx), .launch_output = "2K"};
  in_child(c);
  c.launch_output = "2047";
  c.end = CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  c.text = {"kernel 'k' block (0,0,0) thread (", "printf adds 2 bytes to 2046; a launch has 2047",
            "CUCORE_CPU_LAUNCH_OUTPUT"};
  in_child(c);
}

TEST(Hostile, LocalMemoryOfAThread) {
  in_child(
      {.ptx = kernel(".local .align 4 .b8 v[16000000]; mov.u64 %rd1, v; st.local.u32 [%rd1], 1;"),
       .end = CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
       .text = {"kernel 'k'", "16000000 bytes of local memory", "524288"}});
}
TEST(Hostile, LocalMemoryOfABlock) {
  in_child(
      {.ptx = kernel(".local .align 4 .b8 v[500000]; mov.u64 %rd1, v; st.local.u32 [%rd1], 1;"),
       .end = CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
       .text = {"kernel 'k'", "1024 threads", "CUCORE_CPU_LAUNCH_MEMORY"}});
}
TEST(Hostile, LocalMemoryOfCalledFunctions) {
  const std::string f =
      ".func f()\n{ .reg .b64 %rd<2>; .local .align 4 .b8 v[500000]; mov.u64 %rd1, v; st.local.u32 "
      "[%rd1], 1; ret; }\n";
  in_child({.ptx = kernel("call.uni f;", f),
            .end = CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
            .text = {"kernel 'k'", "thread (", "'f'", "CUCORE_CPU_LAUNCH_MEMORY"}});
}
TEST(Hostile, ParametersOfCalls) {
  const std::string f = ".func f(.param .align 4 .b8 x[8000000])\n{ ret; }\n";
  in_child({.ptx = kernel("{ .param .align 4 .b8 y[8000000]; call.uni f, (y); }", f),
            .end = CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
            .text = {"kernel 'k'", "1024 threads", "CUCORE_CPU_LAUNCH_MEMORY"}});
}
TEST(Hostile, RecursionWithoutEnd) {
  const std::string f =
      ".func f()\n{ .reg .b64 %rd<400>; .reg .pred %p; mov.u64 %rd1, 1; call.uni f; ret; }\n";
  in_child({.ptx = kernel("call.uni f;", f),
            .grid = 64,
            .end = CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
            .text = {"kernel 'k'", "thread (", "'f'", "CUCORE_CPU_LAUNCH_MEMORY"}});
}
TEST(Hostile, RegistersOfABlock) {
  in_child({.ptx = kernel(".reg .b64 %x<1000000>; mov.u64 %x1, 1;"),
            .end = CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
            .text = {"kernel 'k'", "1024 threads", "CUCORE_CPU_LAUNCH_MEMORY"}});
}

// The setting is the limit.
TEST(Hostile, BudgetThatTheSettingRaises) {
  Case c{.ptx = kernel(".local .align 4 .b8 v[300000]; mov.u64 %rd1, v; st.local.u32 [%rd1], 1;")};
  c.launch_memory = "400M";
  c.most_growth = 400L << 10;
  in_child(c);
  c.launch_memory = "200M";
  c.end = CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  c.text = {"209715200 bytes"};
  in_child(c);
}

// Blocks that take long stay resident together only while memory lasts.
TEST(Hostile, BlocksBesideEachOther) {
  in_child({.ptx = kernel(".reg .b64 %x<600>; mov.u64 %x1, 1; AGAIN: bra AGAIN;"),
            .grid = 4096,
            .end = CUDA_ERROR_LAUNCH_TIMEOUT,
            .text = {"CUCORE_CPU_TIMEOUT"},
            .timeout = "200000000"});
}
TEST(Hostile, BlocksOfACooperativeLaunch) {
  in_child({.ptx = kernel(".reg .b64 %x<4000>; mov.u64 %x1, 1; AGAIN: bra AGAIN;"),
            .grid = 132,
            .cooperative = true,
            .end = CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
            .text = {"kernel 'k'", "132 blocks", "CUCORE_CPU_LAUNCH_MEMORY"},
            .timeout = "100000000"});
}

TEST(Hostile, HeapThatIsFreedAndTakenAgain) {
  in_child(
      {.ptx = kernel("mov.u32 %r2, 0; AGAIN: { .param .b64 s; .param .b64 r; st.param.b64 [s], "
                     "60000; call.uni (r), malloc, (s); ld.param.b64 %rd1, [r]; }\n"
                     "{ .param .b64 p; st.param.b64 [p], %rd1; call.uni free, (p); }\n"
                     "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 1000; @%p1 bra AGAIN;"),
       .threads = 32});
}
TEST(Hostile, HeapOfManySmallPieces) {
  in_child(
      {.ptx = kernel("mov.u32 %r2, 0; AGAIN: { .param .b64 s; .param .b64 r; st.param.b64 [s], "
                     "1; call.uni (r), malloc, (s); ld.param.b64 %rd1, [r]; }\n"
                     "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 50000; @%p1 bra AGAIN;"),
       .threads = 32});
}

// 4 GiB and 16 bytes, of which 32-bit arithmetic keeps the 16.
TEST(Hostile, SharedMemoryBeyond32Bits) {
  in_child({.ptx = kernel(
                ".shared .align 16 .b8 v[4294967312]; mov.u32 %r2, v; st.shared.u32 [%r2], 1;"),
            .threads = 1,
            .launch = CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES});
}
TEST(Hostile, RegistersBeyond32Bits) {
  in_child({.ptx = kernel(".reg .b128 %x<8400000>;") + "//" + std::string(600000, '-') + "\n",
            .threads = 1,
            .load = CUDA_ERROR_INVALID_PTX,
            .text = {"too many registers"}});
}
TEST(Hostile, VariablesLargerThanTheDevice) {
  in_child({.ptx = kernel("", ".visible .global .align 4 .b8 v[1000000000000];\n"),
            .threads = 1,
            .load = CUDA_ERROR_OUT_OF_MEMORY,
            .text = {"'v'", "1000000000000 bytes", "CUCORE_CPU_MEMORY"}});
}

// A string without an end is read up to a bound.
TEST(Hostile, AssertionWithEndlessTexts) {
  const std::string texts = ".global .align 4 .b8 m[1000000];\n";
  in_child(
      {.ptx = kernel("mov.u64 %rd1, m; mov.u32 %r2, 0; FILL: st.global.u32 [%rd1], 1633771873; "
                     "add.u64 %rd1, %rd1, 4; add.u32 %r2, %r2, 4; setp.lt.u32 %p1, %r2, 1000000; "
                     "@%p1 bra FILL;\nmov.u64 %rd1, m; cvta.global.u64 %rd1, %rd1;\n"
                     "{ .param .b64 m0; .param .b64 f; .param .b32 l; .param .b64 u; .param .b64 "
                     "s;\nst.param.b64 [m0], %rd1; st.param.b64 [f], %rd1; st.param.b32 [l], 7; "
                     "st.param.b64 [u], %rd1; st.param.b64 [s], 1;\n"
                     "call.uni __assertfail, (m0, f, l, u, s); }",
                     texts),
       .threads = 1,
       .end = CUDA_ERROR_ASSERT,
       .text = {"assertion failed", "aaaa"}});
}

// The headers claim 4 GiB behind a few bytes.
TEST(Hostile, CubinThatClaimsMuchMemory) {
  cucore::image::ElfHeader header{};
  std::memcpy(header.ident, "\x7f\x45\x4c\x46\2\1\1\x41\x08", 9);
  header.machine = cucore::image::MACHINE_CUDA;
  header.section_count = 1;
  header.section_offset = sizeof header;
  cucore::image::ElfSectionHeader section{};
  section.type = 1;
  section.offset = section.size = uint64_t{1} << 31;
  std::string image(reinterpret_cast<const char*>(&header), sizeof header);
  image.append(reinterpret_cast<const char*>(&section), sizeof section);
  in_child({.ptx = image, .load = CUDA_ERROR_NO_BINARY_FOR_GPU, .text = {"CUBIN"}});
}

}  // namespace
}  // namespace cutest
