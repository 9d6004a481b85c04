// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

namespace classes_test {
namespace {

constexpr auto INTEGER = CUCORE_PARAMETER_CLASS_INTEGER;
constexpr auto FLOAT = CUCORE_PARAMETER_CLASS_FLOAT;
constexpr auto POINTER = CUCORE_PARAMETER_CLASS_POINTER;
constexpr auto AGGREGATE = CUCORE_PARAMETER_CLASS_AGGREGATE;

struct Type {
  const char* name;
  cucore_parameter_class parameter_class;
  size_t size;
};

constexpr Type TYPES[] = {
    {"bool", INTEGER, 1},
    {"char", INTEGER, 1},
    {"signed char", INTEGER, 1},
    {"unsigned char", INTEGER, 1},
    {"short", INTEGER, 2},
    {"unsigned short", INTEGER, 2},
    {"char16_t", INTEGER, 2},
    {"int", INTEGER, 4},
    {"unsigned", INTEGER, 4},
    {"wchar_t", INTEGER, 4},
    {"long", INTEGER, 8},
    {"unsigned long", INTEGER, 8},
    {"long long", INTEGER, 8},
    {"const unsigned long long", INTEGER, 8},
    {"size_t", INTEGER, 8},
    {"Color", INTEGER, 4},
    {"Small", INTEGER, 1},
    {"Large", INTEGER, 8},
    {"space::Deep", INTEGER, 8},
    {"float", FLOAT, 4},
    {"double", FLOAT, 8},
    {"const float", FLOAT, 4},
    {"float*", POINTER, 8},
    {"const double*", POINTER, 8},
    {"int* __restrict__", POINTER, 8},
    {"const char* const __restrict__", POINTER, 8},
    {"void*", POINTER, 8},
    {"long long**", POINTER, 8},
    {"S8*", POINTER, 8},
    {"space::Deep*", POINTER, 8},
    {"Pair<int, float*>*", POINTER, 8},
    {"S1", AGGREGATE, 1},
    {"S2", AGGREGATE, 2},
    {"S4", AGGREGATE, 4},
    {"S8", AGGREGATE, 8},
    {"S16", AGGREGATE, 16},
    {"SFloat", AGGREGATE, 4},
    {"SDouble", AGGREGATE, 8},
    {"SPointer", AGGREGATE, 8},
    {"Half", AGGREGATE, 2},
    {"Either", AGGREGATE, 4},
    {"Aligned", AGGREGATE, 16},
    {"Map", AGGREGATE, 128},
    {"Pair<int, float*>", AGGREGATE, 16},
    {"float2", AGGREGATE, 8},
    {"float3", AGGREGATE, 12},
    {"float4", AGGREGATE, 16},
    {"uchar4", AGGREGATE, 4},
};

constexpr const char* DECLARATIONS = R"(
enum Color { RED };
enum class Small : unsigned char { ONE };
enum class Large : long long { TWO };
namespace space { enum class Deep : unsigned long long { THREE }; }
struct S1 { char a; };
struct S2 { short a; };
struct S4 { int a; };
struct S8 { int a, b; };
struct S16 { int a[4]; };
struct SFloat { float a; };
struct SDouble { double a; };
struct SPointer { float* a; };
struct alignas(2) Half { unsigned short bits; };
union Either { int a; float b; };
struct alignas(16) Aligned { float a; };
struct alignas(64) Map { unsigned long long words[16]; };
template <class A, class B> struct Pair { A a; B b; };
template <class T> struct Id { using type = T; };
__device__ double out[4096];
template <class T> __device__ void take(const T& value, int at) {
  out[at] = *(const volatile char*)&value;
}
template <class T> __device__ void write(T* pointer, int at) { out[at] = *(volatile char*)pointer; }
)";

class Maker {
 public:
  explicit Maker(unsigned seed) : seed_(seed), random_(seed) {}

  Module make() {
    module_.source = DECLARATIONS;
    const size_t count = 3 + below(4);
    for (size_t i = 0; i < count; ++i) add_kernel(i);
    return std::move(module_);
  }

 private:
  size_t below(size_t count) { return random_() % count; }
  const Type& any_type() { return TYPES[below(std::size(TYPES))]; }

  void add_kernel(size_t index) {
    KernelCase kernel;
    kernel.linkage = static_cast<Linkage>(below(4));
    kernel.identifier = "kernel_" + std::to_string(seed_) + "_" + std::to_string(index) + "_x";
    const Type& argument = any_type();
    const size_t count = below(10);
    std::string parameters, types, body;
    for (size_t i = 0; i < count; ++i) {
      const bool is_template = kernel.linkage == Linkage::TEMPLATE;
      const size_t form = is_template ? below(6) : 5;  // T, T*, Id<T>::type, or any type
      const Type type = form < 3 ? argument : any_type();
      std::string name = type.name;
      Expected expected{name, type.parameter_class, type.size};
      if (form == 0) name = "T";
      if (form == 1) name = "const T*", expected = {name, POINTER, 8};
      if (form == 2) name = "typename Id<T>::type", expected.is_dependent = true;
      kernel.parameters.push_back(expected);
      const std::string parameter = "a" + std::to_string(i);
      parameters += (i ? ", " : "") + name + " " + parameter;
      types += (i ? ", " : "") + in_instance(name, argument.name);
      body += use(expected, form == 1 ? POINTER : type.parameter_class, parameter, i);
    }
    add_source(kernel, parameters, types, argument.name, body);
    module_.kernels.push_back(std::move(kernel));
  }

  static std::string in_instance(const std::string& name, const std::string& argument) {
    if (name == "T" || name == "typename Id<T>::type") return argument;
    if (name == "const T*") return "const Argument*";
    return name;
  }

  // Returns "", an expression of the value's first byte, or for a pointer an expression of its
  // target.
  std::string use(const Expected& expected, cucore_parameter_class known, const std::string& name,
                  size_t at) {
    const std::string end = "(" + name + ", " + std::to_string(at) + ");\n";
    const size_t how = below(3);
    if (how == 0) return "";
    const bool can_read = known == POINTER && expected.type.find("**") == std::string::npos;
    return (how == 1 && can_read ? "  write" : "  take") + end;
  }

  void add_source(const KernelCase& kernel, const std::string& parameters, const std::string& types,
                  const std::string& argument, const std::string& body) {
    const std::string function =
        "__global__ void " + kernel.identifier + "(" + parameters + ") {\n" + body + "}\n";
    std::string& source = module_.source;
    if (kernel.linkage == Linkage::C) source += "extern \"C\" " + function;
    if (kernel.linkage == Linkage::CPP) source += function;
    if (kernel.linkage == Linkage::NAMESPACE)
      source += "namespace space { namespace inner {\n" + function + "} }\n";
    if (kernel.linkage != Linkage::TEMPLATE) return;
    source += "template <class T> " + function;
    // The instance is named through an alias; a const cannot be put before it.
    const std::string alias = "Argument_" + kernel.identifier;
    std::string instance = types;
    for (size_t at; (at = instance.find("const Argument*")) != std::string::npos;)
      instance.replace(at, 15, "const " + alias + "*");
    source += "using " + alias + " = " + argument + ";\ntemplate __global__ void " +
              kernel.identifier + "<" + alias + ">(" + instance + ");\n";
  }

  const unsigned seed_;
  std::mt19937 random_;
  Module module_;
};

}  // namespace

Module make_module(unsigned seed) { return Maker(seed).make(); }

}  // namespace classes_test
