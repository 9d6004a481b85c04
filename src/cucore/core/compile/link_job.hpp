// SPDX-License-Identifier: Apache-2.0
// One link, in a form for both backends.
#pragma once

#include <string>
#include <vector>

#include "container/objectcode.hpp"
#include "core/compile/linker_options.hpp"

namespace cucore::core {

struct LinkInput {
  image::CodeType type;
  std::string name;  // its name in the linker's messages
  const image::Bytes* bytes;
};

struct LinkJob {
  image::CodeType target;  // PTX or CUBIN
  image::Arch arch;
  bool lto = false;
  const LinkerOptions* options;
  std::vector<LinkInput> inputs;
  std::string what;  // "link a.cu, b.cu for sm_90"
};

struct LinkResult {
  image::Bytes bytes;
  std::string log;
  std::vector<std::string> flags;  // the flags that the backend received
};

// Each throws an Error that carries the linker's whole output.
LinkResult link_with_nvjitlink(const LinkJob& job);
LinkResult link_with_driver(const LinkJob& job);

// Returns "link a.cu, b.cu for sm_90: error : Undefined reference to 'helper'".
std::string with_first_error(std::string what, const std::string& log);

}  // namespace cucore::core
