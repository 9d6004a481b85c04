// SPDX-License-Identifier: Apache-2.0
// The options of every command that launches a kernel.
#pragma once

#include <CLI/CLI.hpp>

#include "number_check.hpp"

namespace cucore::cli {

// `request` has the members grid, block, shared and device.
template <class Request>
void add_geometry(CLI::App& command, Request& request) {
  command.add_option("-g,--grid", request.grid, "blocks, X[,Y[,Z]]; default 1")
      ->type_name("EXTENT");
  command.add_option("-b,--block", request.block, "threads per block, X[,Y[,Z]]")
      ->required()
      ->type_name("EXTENT");
  command.add_option("--shared", request.shared, "dynamic shared memory, bytes per block")
      ->check(from_zero())
      ->type_name("BYTES");
  command.add_option("-d,--device", request.device, "number of the device; default 0")
      ->type_name("N");
}

}  // namespace cucore::cli
