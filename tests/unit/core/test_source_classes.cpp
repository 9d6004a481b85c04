// SPDX-License-Identifier: Apache-2.0
// Classes of parameters, as CUDA C++ declares them.
#include <gtest/gtest.h>

#include <string>

#include "core/compile/source_classes.hpp"

namespace cucore::core {
namespace {

using image::ParameterClass;
using image::Symbol;

// A letter for each parameter: i p ?
std::string read(const std::string& source, std::string_view kernel = "k") {
  std::string letters;
  for (const ParameterClass one : classes_in_source(source, kernel))
    letters += one == ParameterClass::INTEGER ? 'i' : one == ParameterClass::POINTER ? 'p' : '?';
  return letters;
}

std::string of(const std::string& parameters) {
  return read("extern \"C\" __global__ void k(" + parameters + ") { }");
}

TEST(SourceClasses, OfDeclarators) {
  EXPECT_EQ(of("float* a, float *b, const float * __restrict__ c, float d[], int& e"), "ppppp");
  EXPECT_EQ(of("void (*f)(int, long), S<int, long*> s, S<float>* t, const A::B& u"), "p?pp");
  EXPECT_EQ(of("long a, unsigned long long b, size_t c, const uint64_t d, std::size_t e"), "iiiii");
  EXPECT_EQ(of("long, size_t, float*"), "iip");
  EXPECT_EQ(of("T a, Handle b, unsigned c = 1 * 2, auto d"), "??i?");
  EXPECT_EQ(of("long a /* float* */, // float*\n size_t b"), "ii");
}

TEST(SourceClasses, OfTheKernelAlone) {
  EXPECT_EQ(
      read("__global__ void kk(long* a); __device__ void k(long* a); __global__ void k(long a);"),
      "i");
  EXPECT_EQ(read("__global__ void other(long* a) { k(a); }"), "");
  EXPECT_EQ(
      read("// __global__ void k(long* a);\n/* __global__ void k(long* a); */\n"
           "const char* s = \"__global__ void k(long* a);\";\n"
           "#define X __global__ void k(long* a);\n#define Y \\\n __global__ void k(int* a);\n"
           "__global__ void __launch_bounds__(128) k(size_t n) { int a = 1'000; }"),
      "i");
  EXPECT_EQ(read("extern \"C\" {\n__global__ void k\n(long n)\n{}\n}"), "i");
  EXPECT_EQ(read("void k(long n) {}"), "");
}

TEST(SourceClasses, OfTypesThatTheSourceDeclares) {
  const std::string types =
      "enum class Large : long long { A };\nenum Plain : unsigned long long { B };\n"
      "typedef unsigned long long u64; using Index = u64; typedef float* Row;\n"
      "using Rows = Row const*; struct Handle { long bits; }; using Loop = Other; using Other = "
      "Loop;"
      "template <class T> using Id = T; typedef S<long> Odd; using Endless";
  const auto of_type = [&](const std::string& type) {
    return read(types + "\n; __global__ void k(" + type + " a);");
  };
  for (const char* type : {"Large", "const Plain", "u64", "Index", "space::Index", "enum Later"})
    EXPECT_EQ(of_type(type), "i") << type;
  for (const char* type : {"Row", "Rows", "Handle*"}) EXPECT_EQ(of_type(type), "p") << type;
  for (const char* type : {"Handle", "Loop", "Id<long>", "Odd", "Unheard", "Endless", "A"})
    EXPECT_EQ(of_type(type), "?") << type;
}

TEST(SourceClasses, OfTypesThatAreDeclaredInSeveralPlaces) {
  const auto of_type = [](const std::string& types, const std::string& type = "T") {
    return read(types + "\nextern \"C\" __global__ void k(" + type + " a) {}");
  };
  EXPECT_EQ(of_type("namespace a { typedef float* T; } namespace b { typedef long T; }"), "?");
  EXPECT_EQ(of_type("struct A { using T = long; }; struct B { using T = int*; };", "B::T"), "?");
  EXPECT_EQ(of_type("#if 0\ntypedef void* T;\n#else\ntypedef size_t T;\n#endif"), "?");
  EXPECT_EQ(of_type("void f() { typedef float* T; } enum T : long {};"), "?");
  EXPECT_EQ(of_type("typedef Other T; typedef long T;"), "?");
  EXPECT_EQ(of_type("#if 0\ntypedef long long T;\n#else\ntypedef unsigned long T;\n#endif"), "i");
}

TEST(SourceClasses, OfExpressionsAndAttributes) {
  EXPECT_EQ(of("[[maybe_unused]] long a, [[maybe_unused]] float* b, long c [[maybe_unused]]"),
            "ipi");
  EXPECT_EQ(of("decltype(sizeof(int*)) a"), "?");
  EXPECT_EQ(read("typedef decltype(sizeof(int*)) T; using U = decltype(*p); "
                 "__global__ void k(T a, U b);"),
            "??");
}

TEST(SourceClasses, OfSeveralDeclarations) {
  EXPECT_EQ(read("__global__ void k(long a, int* b); __global__ void k(long a, int* b) {}"), "ip");
  EXPECT_EQ(read("__global__ void k(long a, int* b); __global__ void k(long* a, int* b) {}"), "?p");
  EXPECT_EQ(read("__global__ void k(long a); __global__ void k(long a, int* b) {}"), "");
}

TEST(SourceClasses, OfTextThatEndsEarly) {
  const std::string whole =
      "/* a */ __global__ void k(S<int> a, long b[2], float* c = \"x\") { 'a' }";
  for (size_t size = 0; size <= whole.size(); ++size) read(whole.substr(0, size));
  EXPECT_EQ(read(whole), "?pp");
}

TEST(SourceClasses, CompleteWhatPtxLeavesOpen) {
  using enum ParameterClass;
  Symbol symbol;
  symbol.lowered_name = "k";
  symbol.parameters = {{0, 8, 8, UNKNOWN},
                       {8, 8, 8, POINTER},
                       {16, 8, 8, FLOAT},
                       {24, 8, 8, UNKNOWN},
                       {32, 4, 4, UNKNOWN}};
  const std::string_view sources[] = {
      "struct H;", "__global__ void k(float* a, size_t b, long c, H d, long e);"};
  add_classes_of_sources({&symbol, 1}, sources);
  std::vector<ParameterClass> classes;
  for (const auto& one : *symbol.parameters) classes.push_back(one.parameter_class);
  EXPECT_EQ(classes, (std::vector{POINTER, INTEGER, FLOAT, UNKNOWN, UNKNOWN}));
}

}  // namespace
}  // namespace cucore::core
