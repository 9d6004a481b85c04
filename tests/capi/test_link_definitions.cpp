// SPDX-License-Identifier: Apache-2.0
// Links whose inputs define a name twice are refused, for inputs of every kind; definitions that
// may be repeated are accepted. Neither case prints.
#include <array>
#include <functional>

#include "linker_testing.hpp"

namespace {

using namespace capi_test;

// Returns the process's output to stdout and stderr meanwhile, through any function.
std::string printed_by(const std::function<void()>& work) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  work();
  std::string text = testing::internal::GetCapturedStdout();
  return text + testing::internal::GetCapturedStderr();
}

struct Pair {
  const char* title;
  const char* first;
  const char* second;
  const char* name;  // as in the message
};

#define KERNEL(name, body) " extern \"C\" __global__ void " name "(float* p) { " body " }"

constexpr Pair CONFLICTS[] = {
    {"a function",
     "__device__ __noinline__ float f(float x) { return x; }" KERNEL("k1", "*p = f(*p);"),
     "__device__ __noinline__ float f(float x) { return x + 1; }" KERNEL("k2", "*p = f(*p);"),
     "'f(float)' is defined in a.cu and b.cu (symbol _Z1ff)"},
    {"a function that nothing calls",
     "extern \"C\" __device__ float f(float x) { return x; }" KERNEL("k1", ""),
     "extern \"C\" __device__ float f(float x) { return x + 1; }" KERNEL("k2", ""),
     "'f' is defined in a.cu and b.cu;"},
    {"a variable", "__device__ int v = 1;" KERNEL("k1", "*p = v;"),
     "__device__ int v = 2;" KERNEL("k2", "*p = v;"), "'v' is defined in a.cu and b.cu;"},
    {"a variable of two sizes", "__device__ int v[4];" KERNEL("k1", "*p = v[1];"),
     "__device__ int v[8];" KERNEL("k2", "*p = v[1];"), "'v' is defined in a.cu and b.cu;"},
    {"a constant", "__constant__ int v = 1;" KERNEL("k1", "*p = v;"),
     "__constant__ int v = 2;" KERNEL("k2", "*p = v;"), "'v' is defined in a.cu and b.cu;"},
    {"a managed variable", "__managed__ int v = 1;" KERNEL("k1", "*p = v;"),
     "__managed__ int v = 2;" KERNEL("k2", "*p = v;"), "'v' is defined in a.cu and b.cu;"},
    {"a kernel", KERNEL("k", "*p = 1;"), KERNEL("k", "*p = 2;"),
     "'k' is defined in a.cu and b.cu;"},
    {"a kernel of C++", "__global__ void k(float* p) { *p = 1; }",
     "__global__ void k(float* p) { *p = 2; }",
     "'k(float*)' is defined in a.cu and b.cu (symbol _Z1kPf)"},
    {"a function and a variable",
     "extern \"C\" __device__ __noinline__ float f(float x) { return x; }" KERNEL("k1",
                                                                                  "*p = f(*p);"),
     "extern \"C\" __device__ int f = 3;" KERNEL("k2", "*p = f;"),
     "'f' is defined in a.cu and b.cu;"},
};

constexpr Pair FINE[] = {
    {"an inline function",
     "inline __device__ __noinline__ float f(float x) { return x; }" KERNEL("k1", "*p = f(*p);"),
     "inline __device__ __noinline__ float f(float x) { return x; }" KERNEL("k2", "*p = f(*p);"),
     ""},
    {"a template",
     "template <class T> __device__ __noinline__ T f(T x) { return x; }" KERNEL("k1",
                                                                                "*p = f(*p);"),
     "template <class T> __device__ __noinline__ T f(T x) { return x; }" KERNEL("k2",
                                                                                "*p = f(*p);"),
     ""},
    {"a static function",
     "static __device__ __noinline__ float f(float x) { return x; }" KERNEL("k1", "*p = f(*p);"),
     "static __device__ __noinline__ float f(float x) { return x + 1; }" KERNEL("k2",
                                                                                "*p = f(*p);"),
     ""},
    {"a static variable", "static __device__ int v = 1;" KERNEL("k1", "*p = v++;"),
     "static __device__ int v = 2;" KERNEL("k2", "*p = v++;"), ""},
    {"an unnamed namespace", "namespace { __device__ int v = 1; }" KERNEL("k1", "*p = v++;"),
     "namespace { __device__ int v = 2; }" KERNEL("k2", "*p = v++;"), ""},
    {"an array that is declared without its size",
     "extern __device__ int v[];" KERNEL("k1", "*p = v[1];"),
     "__device__ int v[8];" KERNEL("k2", "*p = v[1];"), ""},
    {"a variable that is declared", "extern __device__ int v;" KERNEL("k1", "*p = v;"),
     "__device__ int v = 4;" KERNEL("k2", "*p = v;"), ""},
};

constexpr cucore_code_type KINDS[] = {CUCORE_CODE_TYPE_PTX, CUCORE_CODE_TYPE_CUBIN,
                                      CUCORE_CODE_TYPE_LTOIR};
constexpr const char* KIND_NAMES[] = {"PTX", "CUBIN", "LTOIR"};

struct Linked {
  cucore_status status = CUCORE_OK;
  std::string message, log, printed;
};

Linked link_all(const std::vector<const cucore_objectcode*>& inputs,
                const cucore_linker_options& options = for_sm_90()) {
  Linked out;
  out.printed = printed_by([&] {
    const Linker linker = make_linker(options);
    for (const cucore_objectcode* input : inputs) MUST(cucore_linker_add, linker, input);
    Code code;
    Error error;
    out.status = cucore_linker_link(linker, CUCORE_CODE_TYPE_CUBIN, code.out(), error.out());
    if (out.status == CUCORE_OK) return;
    out.message = cucore_error_message(error);
    out.log = cucore_error_log(error);
    EXPECT_EQ(out.log, cucore_linker_log(linker));
  });
  return out;
}

template <class Check>
void each_pair_of_kinds(const Pair& pair, Check check) {
  std::array<Code, 3> first, second;
  for (size_t i = 0; i < 3; ++i) {
    first[i] = compile_for(pair.first, KINDS[i], "a.cu");
    second[i] = compile_for(pair.second, KINDS[i], "b.cu");
  }
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = 0; j < 3; ++j) {
      SCOPED_TRACE(std::string(pair.title) + ", " + KIND_NAMES[i] + " and " + KIND_NAMES[j]);
      check(link_all({first[i], second[j]}));
    }
}

TEST(LinkDefinitions, OfOneNameInTwoInputsAreRefused) {
  NEEDS_REAL_LINKER();
  for (const Pair& pair : CONFLICTS)
    each_pair_of_kinds(pair, [&](const Linked& linked) {
      EXPECT_EQ(linked.status, CUCORE_ERROR_LINKING) << linked.message;
      EXPECT_TRUE(contains(linked.message, pair.name)) << linked.message;
      EXPECT_TRUE(contains(linked.message, "cannot link a.cu, b.cu for sm_90")) << linked.message;
      EXPECT_TRUE(contains(linked.message, "static, inline or extern")) << linked.message;
      EXPECT_EQ(linked.printed, "");
    });
}

TEST(LinkDefinitions, ThatMayBeRepeatedAreLinked) {
  NEEDS_REAL_LINKER();
  for (const Pair& pair : FINE)
    each_pair_of_kinds(pair, [&](const Linked& linked) {
      EXPECT_EQ(linked.status, CUCORE_OK) << linked.message << "\n" << linked.log;
      EXPECT_EQ(linked.printed, "");
    });
}

Code ptx(const std::string& body, const char* name) {
  const std::string text = ".version 8.0\n.target sm_90\n.address_size 64\n" + body +
                           "\n.visible .entry " + name + "() { ret; }\n";
  cucore_objectcode* code = nullptr;
  cucore_objectcode_options options = CUCORE_OBJECTCODE_OPTIONS_INIT;
  options.name = name;
  MUST(cucore_objectcode_create, CUCORE_CODE_TYPE_PTX, text.data(), text.size(), &options, &code);
  return Code(code);
}

// The meaning of each linkage of PTX against the others.
TEST(LinkDefinitions, FollowTheLinkageOfPtx) {
  NEEDS_REAL_LINKER();
  const std::array<const char*, 3> bodies{".func same() { ret; }", ".global .u32 same = 1;",
                                          ".const .u32 same = 1;"};
  for (const std::string body : bodies)
    for (const std::string first : {"", ".visible ", ".weak "})
      for (const std::string second : {"", ".visible ", ".weak "}) {
        SCOPED_TRACE(first + second + body);
        const Linked linked = link_all({ptx(first + body, "a"), ptx(second + body, "b")});
        const bool conflict = first == ".visible " && second == ".visible ";
        EXPECT_EQ(linked.status, conflict ? CUCORE_ERROR_LINKING : CUCORE_OK) << linked.message;
        if (conflict) {
          EXPECT_TRUE(contains(linked.message, "'same' is defined in a and b;")) << linked.message;
        }
        EXPECT_EQ(linked.printed, "");
      }
}

TEST(LinkDefinitions, OfOneStatementOfPtxAreAllRead) {
  NEEDS_REAL_LINKER();
  const Linked second = link_all({ptx(".visible .global .u32 x, y[2] = {1, 2}, same;", "a"),
                                  ptx(".visible .global .u32 same;", "b")});
  EXPECT_TRUE(contains(second.message, "'same' is defined in a and b;")) << second.message;
  const Linked alias =
      link_all({ptx(".visible .func f() { ret; }\n.visible .func same();\n.alias same, f;", "a"),
                ptx(".visible .func same() { ret; }", "b")});
  EXPECT_TRUE(contains(alias.message, "'same' is defined in a and b;")) << alias.message;
  const Linked common =
      link_all({ptx(".common .global .u32 same;", "a"), ptx(".common .global .u32 same;", "b")});
  EXPECT_EQ(common.status, CUCORE_OK) << common.message;
}

TEST(LinkDefinitions, AreAllNamedInTheLogAndCountedInTheMessage) {
  NEEDS_REAL_LINKER();
  const Code a =
      compile_for("__device__ int v, w; __device__ void f() {}", CUCORE_CODE_TYPE_PTX, "a.cu");
  const Code b =
      compile_for("__device__ int v, w; __device__ void f() {}", CUCORE_CODE_TYPE_CUBIN, "b.cu");
  const Code c = compile_for("__device__ int w;", CUCORE_CODE_TYPE_CUBIN, "c.cu");
  const Linked linked = link_all({a, b, c});
  EXPECT_TRUE(contains(linked.message, "2 more names are defined twice")) << linked.message;
  for (const char* line : {"error   : 'v' is defined in a.cu and b.cu\n",
                           "error   : 'w' is defined in a.cu, b.cu and c.cu\n",
                           "error   : 'f()' is defined in a.cu and b.cu (symbol _Z1fv)\n"})
    EXPECT_TRUE(contains(linked.log, line)) << linked.log;
}

TEST(LinkDefinitions, AreNamedByTheirExpressionAndTheirInputsByPosition) {
  NEEDS_REAL_LINKER();
  const std::string source = "__global__ void k(float* p) { *p = 1; }";
  const Code a = compile_for(source, CUCORE_CODE_TYPE_CUBIN, "same.cu", {"&k"});
  const Code b = compile_for(source, CUCORE_CODE_TYPE_CUBIN, "same.cu");
  const Linked linked = link_all({a, b});
  EXPECT_TRUE(contains(
      linked.message, "'&k' is defined in same.cu (input 0) and same.cu (input 1) (symbol _Z1kPf)"))
      << linked.message;
  const std::string image = bytes_of(a);
  const Code x = make_code(CUCORE_CODE_TYPE_CUBIN, image.data(), image.size());
  const Linked nameless = link_all({x, x});
  EXPECT_TRUE(contains(nameless.message, "'k(float*)' is defined in input 0 and input 1"))
      << nameless.message;
}

// Three inputs of LTO-IR, of which two agree; only a separate link of each pair finds the conflict.
TEST(LinkDefinitions, InLtoIrAreTracedToTheirInputs) {
  NEEDS_REAL_LINKER();
  const Code a = compile_for("__device__ int v = 1;", CUCORE_CODE_TYPE_LTOIR, "a.cu");
  const Code b = compile_for("__device__ int w = 1;", CUCORE_CODE_TYPE_LTOIR, "b.cu");
  const Code c =
      compile_for("__device__ int v = 2;" KERNEL("k", "*p = v;"), CUCORE_CODE_TYPE_LTOIR, "c.cu");
  const Linked linked = link_all({a, b, c});
  EXPECT_EQ(linked.status, CUCORE_ERROR_LINKING);
  EXPECT_TRUE(contains(linked.message, "'v' is defined in a.cu and c.cu;")) << linked.message;
  EXPECT_TRUE(contains(linked.log, "multiply defined")) << linked.log;
}

// nvJitLink reports these as errors and returns success.
TEST(LinkDefinitions, ThatDoNotFitTheirDeclarationsAreRefused) {
  NEEDS_REAL_LINKER();
  constexpr Pair WRONG[] = {
      {"a size", "extern __device__ int v[4];" KERNEL("k1", "*p = v[1];"),
       "__device__ int v[8];" KERNEL("k2", "*p = v[1];"), "Size doesn't match for 'v'"},
      {"a signature", "extern \"C\" __device__ float f(float);" KERNEL("k1", "*p = f(1);"),
       "extern \"C\" __device__ float f(float* a, int b) { return *a + b; }",
       "Prototype doesn't match for 'f'"},
      {"a memory", "extern \"C\" __constant__ int v;" KERNEL("k1", "*p = v;"),
       "extern \"C\" __device__ int v = 2;" KERNEL("k2", "*p = v;"),
       "Memory space doesn't match for 'v'"}};
  for (const Pair& pair : WRONG)
    for (const cucore_code_type kind : {CUCORE_CODE_TYPE_PTX, CUCORE_CODE_TYPE_CUBIN}) {
      SCOPED_TRACE(std::string(pair.title) + (kind == CUCORE_CODE_TYPE_PTX ? ", PTX" : ", CUBIN"));
      const Linked linked =
          link_all({compile_for(pair.first, kind, "a.cu"), compile_for(pair.second, kind, "b.cu")});
      EXPECT_EQ(linked.status, CUCORE_ERROR_LINKING);
      EXPECT_TRUE(contains(linked.message, pair.name)) << linked.message;
      EXPECT_TRUE(contains(linked.message, "link a.cu, b.cu for sm_90: error")) << linked.message;
      EXPECT_EQ(linked.printed, "");
    }
}

// nvJitLink 13.0 crashes there unless each link has a separate thread.
TEST(LinkDefinitions, AreRefusedInAThreadThatHasLinkedLtoIr) {
  NEEDS_REAL_LINKER();
  const Code lto = compile_for(KERNEL("k", "*p = 1;"), CUCORE_CODE_TYPE_LTOIR, "lto.cu");
  EXPECT_EQ(link_all({lto}).status, CUCORE_OK);
  const Linked linked =
      link_all({compile_for("extern __device__ int v[4];" KERNEL("k1", "*p = v[1];"),
                            CUCORE_CODE_TYPE_CUBIN, "a.cu"),
                compile_for("__device__ int v[8];" KERNEL("k2", "*p = v[1];"),
                            CUCORE_CODE_TYPE_CUBIN, "b.cu")});
  EXPECT_EQ(linked.status, CUCORE_ERROR_LINKING);
  EXPECT_TRUE(contains(linked.message, "Size doesn't match")) << linked.message;
}

// The image of a bundle counts that the link uses.
TEST(LinkDefinitions, OfABundleAreThoseOfTheImageThatIsTaken) {
  NEEDS_REAL_LINKER();
  const Code a =
      compile_for("__device__ int v = 1;" KERNEL("k1", "*p = v;"), CUCORE_CODE_TYPE_CUBIN, "a.cu");
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  options.arch = "sm_80";
  options.name = "a.cu";
  options.relocatable_device_code = CUCORE_TOGGLE_ON;
  const Code other =
      compile(make_program("__device__ int w = 1;" KERNEL("k1", "*p = w;"), &options),
              CUCORE_CODE_TYPE_CUBIN);
  const cucore_objectcode* images[] = {other, a};
  Code bundle;
  SUCCEEDS(cucore_objectcode_bundle, images, size_t{2}, bundle.out());
  const Linked refused =
      link_all({bundle, compile_for("__device__ int v = 2;" KERNEL("k2", "*p = v;"),
                                    CUCORE_CODE_TYPE_CUBIN, "b.cu")});
  EXPECT_TRUE(contains(refused.message, "'v' is defined in a.cu and b.cu;")) << refused.message;
  const Linked linked =
      link_all({bundle, compile_for("__device__ int w = 2;" KERNEL("k2", "*p = w;"),
                                    CUCORE_CODE_TYPE_CUBIN, "b.cu")});
  EXPECT_EQ(linked.status, CUCORE_OK) << linked.message;
}

// Code newer than nvJitLink is linked by the driver's linker.
TEST(LinkDefinitions, AreComparedForTheDriversLinkerToo) {
  if (!has_device()) GTEST_SKIP() << "no device";
  const auto newer = [](const char* name, const char* variable) {
    const std::string text =
        std::string(
            "//\n// Cuda compilation tools, release 99.1, V99.1.1\n.version 8.0\n.target sm_90\n"
            ".address_size 64\n.visible .global .u32 ") +
        variable + ";\n.visible .entry " + name + "() { ret; }\n";
    cucore_objectcode_options options = CUCORE_OBJECTCODE_OPTIONS_INIT;
    options.name = name;
    Code code;
    MUST(cucore_objectcode_create, CUCORE_CODE_TYPE_PTX, text.data(), text.size(), &options,
         code.out());
    return code;
  };
  const Code a = newer("a", "same"), b = newer("b", "same");
  const Linker linker = make_linker();
  SUCCEEDS(cucore_linker_add, linker, a);
  EXPECT_EQ(cucore_linker_backend(linker), CUCORE_BACKEND_DRIVER);
  const Linked linked = link_all({a, b});
  EXPECT_EQ(linked.status, CUCORE_ERROR_LINKING);
  EXPECT_TRUE(contains(linked.message, "'same' is defined in a and b;")) << linked.message;
}

}  // namespace
