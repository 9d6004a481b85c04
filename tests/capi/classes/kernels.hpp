// SPDX-License-Identifier: Apache-2.0
// Generates CUDA C++ with kernels of random parameters whose classes are known from their C++
// types.
#pragma once

#include <cucore.h>

#include <random>
#include <string>
#include <vector>

namespace classes_test {

struct Expected {
  std::string type;  // for messages: "unsigned long"
  cucore_parameter_class parameter_class;
  size_t size;
  // named through a template argument, so the kernel's name does not contain it
  bool is_dependent = false;
};

enum class Linkage { C, CPP, NAMESPACE, TEMPLATE };

struct KernelCase {
  std::string identifier;  // unique, a part of the name in the code
  Linkage linkage;
  std::vector<Expected> parameters;
};

struct Module {
  std::string source;
  std::vector<KernelCase> kernels;
};

// The same seed makes the same module.
Module make_module(unsigned seed);

}  // namespace classes_test
