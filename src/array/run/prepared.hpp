// SPDX-License-Identifier: Apache-2.0
// The decisions about a planned kernel. A context keeps them for the next launch.
#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <vector>

#include "array/codegen/form.hpp"
#include "array/run/native.hpp"

namespace cucore::array {

// The form of a kernel whose memory has one alignment, and its code.
struct PreparedForm {
  std::string alignment;
  Form form;
  std::string key;
  NativeKernel code = {};  // empty before the first launch
};

// The inputs and the reports of indices that the elements of an output depend on.
struct OutputSources {
  std::vector<bool> inputs;  // by slot
  uint32_t reports = 0;      // a bit per report of indices
};

class PreparedKernel final : public Object {
 public:
  // That of the kernel, which is made at the first call.
  static PreparedKernel& of(const Kernel& kernel);

  PreparedForm& form(const Kernel& kernel, const Target& target, const Addresses& addresses);

  const Scratch scratch;
  const bool has_indices;
  const std::vector<OutputSources> sources;  // by slot of the outputs
  const uint64_t bytes_read, bytes_written;

 private:
  explicit PreparedKernel(const Kernel& kernel);

  std::list<PreparedForm> forms_;
};

}  // namespace cucore::array
