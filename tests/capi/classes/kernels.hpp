// SPDX-License-Identifier: Apache-2.0
// Makes CUDA C++ with kernels of random parameters whose classes are known from their C++ types.
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
  bool is_dependent = false;  // named through a template argument, so not readable in the name
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

// The same for the same seed.
Module make_module(unsigned seed);

}  // namespace classes_test
