// SPDX-License-Identifier: Apache-2.0
// A copy between two boxes of one, two or three dimensions, in buffers or in memory of the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/objects/peer_copy.hpp"

namespace cucore::core {

struct BoxExtent {
  size_t width = 0, height = 0, depth = 0;  // width in bytes
  bool is_empty() const { return width == 0 || height == 0 || depth == 0; }
};

// One side of a copy. The fields are those of cucore_box.
struct Box {
  Ref<const Buffer> buffer;  // null for memory of the program
  void* host = nullptr;
  size_t offset = 0, row_bytes = 0, slice_rows = 0;
  size_t x = 0, y = 0, z = 0;
};

// The bytes of a box: rows that begin at equal distances.
struct BoxLayout {
  uint64_t first = 0;     // the address of the first byte
  size_t row_bytes = 0;   // never 0
  size_t slice_rows = 0;  // never 0
  size_t last = 0;        // bytes from the first byte to the end of the last row
  size_t slice_bytes() const { return row_bytes * slice_rows; }
};

class BoxCopy {
 public:
  // Throws INVALID_ARGUMENT unless the boxes are valid and do not overlap.
  BoxCopy(Box destination, Box source, const BoxExtent& extent);

  const BoxExtent& extent() const { return extent_; }
  size_t size() const { return extent_.width * extent_.height * extent_.depth; }
  const BoxLayout& to() const { return to_; }
  const BoxLayout& from() const { return from_; }

  // The context of the destination, or of the source if that is memory of the program.
  const Ref<Context>& context() const;
  // The context of the source, or of the destination if the source is memory of the program.
  const Ref<Context>& source_context() const;
  void require_usable() const;
  CUDA_MEMCPY3D native() const;
  // See peer_copy.hpp.
  std::string open_pools(CopyNode node) const;
  std::string describe() const;  // "copy a box of 12 bytes from device 0 to device 0"

  // Copies in the order of a stream of the device of either buffer.
  void run(const Stream& stream) const;

 private:
  void require_stream(const Stream& stream) const;
  void add(const Stream& stream) const;
  CUresult add_to_driver(const Stream& stream, CopyCall call) const;
  CUDA_MEMCPY3D_PEER with_contexts() const;
  void add_with_copy(const Stream& stream) const;

  const Box destination_, source_;
  const BoxExtent extent_;
  const BoxLayout to_, from_;
};

}  // namespace cucore::core
