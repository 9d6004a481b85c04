// SPDX-License-Identifier: Apache-2.0
// The text of machine code, by nvdisasm of the CUDA toolkit. The analysis itself needs no tool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace cucore::perf {

struct Disassembly {
  // The instructions of each kernel by their addresses.
  std::map<std::string, std::map<uint64_t, std::string>, std::less<>> kernels;
  std::string missing;  // why the code has no text; "" if it has
};

// Runs nvdisasm, which it looks for in the folders of PATH, in bin of CUDA_HOME, and in
// /usr/local/cuda/bin.
Disassembly disassemble(std::span<const std::byte> cubin);

// Reads the output of `nvdisasm -c`.
Disassembly read_disassembly(std::string_view text);

}  // namespace cucore::perf
