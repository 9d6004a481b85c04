// SPDX-License-Identifier: Apache-2.0
// Copies and fills of boxes of memory: the location of the bytes, when the caller waits, and the
// work of the stream.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/driver/stream.hpp"

namespace cucore::cpu {

// The function's requirement for an address, beyond what the address itself shows.
enum class Claim : uint8_t { ANY, DEVICE };

struct Side {
  uint64_t address = 0;
  size_t pitch = 0;  // bytes from row to row
  size_t slice = 0;  // bytes from plane to plane
  Claim claim = Claim::ANY;
  int user = -1;  // the device that the call names for this side; -1: that of the work
};

struct Box {
  size_t width = 0;  // bytes
  size_t height = 1;
  size_t depth = 1;

  bool empty() const { return width == 0 || height == 0 || depth == 0; }
  bool flat() const { return height == 1 && depth == 1; }
};

enum class Waiting : uint8_t {
  BLOCKING,  // cuMemcpyHtoD: the caller's memory is not used after the return
  // cuMemcpyHtoDAsync: pinned memory is still in use after the return, pageable memory is not
  ASYNC
};

struct DescribedCopy {
  Side to, from;
  Box box;
};
DescribedCopy described(const CUDA_MEMCPY3D& copy);  // checks everything but the addresses

void copy(Side to, Side from, Box box, Waiting waiting, Stream& stream);
// `unit` is 1, 2 or 4 bytes; box.width is in bytes.
void fill(Side to, uint32_t value, size_t unit, Box box, Waiting waiting, Stream& stream);

// The same for a node of a graph. The checks are those that no later change of memory can affect.
void check_copy(const DescribedCopy& copy, const Context& context);
void check_fill(const Side& to, size_t unit, const Box& box, const Context& context);
// Run in a job; a fault poisons the context.
void copy_now(const DescribedCopy& copy, Context& context, std::shared_ptr<StreamWork> operation);
void fill_now(const Side& to, uint32_t value, size_t unit, const Box& box, Context& context,
              std::shared_ptr<StreamWork> operation);

}  // namespace cucore::cpu
