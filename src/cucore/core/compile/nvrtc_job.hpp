// SPDX-License-Identifier: Apache-2.0
// One compile by NVRTC as plain values, so that this or another process can run it.
#pragma once

#include <string>
#include <vector>

#include "container/objectcode.hpp"

namespace cucore::core {

struct NvrtcJob {
  std::string source;
  std::string name;  // the compiler's name for it
  std::vector<std::string> header_names, header_sources;
  std::vector<std::string> flags, expressions;
  image::CodeType target = image::CodeType::PTX;
  std::string what;        // "compile x.cu for sm_90", for messages
  bool makes_code = true;  // false: only the files that its flags name
};

struct NvrtcResult {
  image::Bytes bytes;
  // of the same compile, in addition to a CUBIN; empty if the compiler does not return it
  image::Bytes ptx;
  std::string log;
  std::vector<std::string> lowered_names;  // of the expressions, in their order
};

class NvrtcRunner {
 public:
  virtual ~NvrtcRunner() = default;
  // Throws COMPILATION with the whole log.
  virtual NvrtcResult run(const NvrtcJob& job) = 0;
};

// Runs in this process.
NvrtcRunner& nvrtc_here();

}  // namespace cucore::core
