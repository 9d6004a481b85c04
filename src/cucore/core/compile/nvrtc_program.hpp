// SPDX-License-Identifier: Apache-2.0
// One run of NVRTC: owns the nvrtcProgram and converts its results to values and errors.
#pragma once

#include <string>
#include <vector>

#include "container/objectcode.hpp"
#include "driver/nvrtc.hpp"

namespace cucore::core {

class NvrtcProgram {
 public:
  // `name` is the compiler's name for the source; see compiler_name().
  NvrtcProgram(const std::string& source, const std::string& name,
               const std::vector<std::string>& header_names,
               const std::vector<std::string>& header_sources);
  ~NvrtcProgram();
  NvrtcProgram(const NvrtcProgram&) = delete;
  NvrtcProgram& operator=(const NvrtcProgram&) = delete;

  void add_expression(const std::string& expression);
  // Throws COMPILATION with the whole log; `what` is "compile x.cu for sm_90".
  void compile(const std::vector<std::string>& flags, const std::string& what);
  std::string log() const;
  std::string lowered_name(const std::string& expression) const;
  image::Bytes output(image::CodeType target) const;
  // Returns the PTX from which a CUBIN was made; empty if this NVRTC does not return it.
  image::Bytes ptx_beside() const;

 private:
  const driver::NvrtcTable& rtc_;
  nvrtcProgram program_ = nullptr;
  std::string printed_;  // printed by the compiler, instead of written into its log
};

// Adds a folder that does not exist to a name without one, so that a quoted #include does not
// search the current folder. The compiler's mangling stays the same.
std::string compiler_name(const std::string& name);

// Returns the numbers of the architectures that this NVRTC supports: 75, 80 and so on.
std::vector<int> nvrtc_architectures();

// Returns a log without that folder.
std::string readable_log(std::string log);

}  // namespace cucore::core
