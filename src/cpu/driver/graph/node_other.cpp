// SPDX-License-Identifier: Apache-2.0
// Nodes that copy, fill, call the host, use events, or access words of memory.
#include "cpu/driver/graph/node_params.hpp"
#include "cpu/driver/stream_words.hpp"

namespace cucore::cpu {
namespace {

Side fill_side(const CUDA_MEMSET_NODE_PARAMS_v2& g) { return {g.dst, g.pitch, 0, Claim::DEVICE}; }

// Pitch and height of one row are not used, and any value is accepted.
Box fill_box(const CUDA_MEMSET_NODE_PARAMS_v2& g) {
  require(g.elementSize == 1 || g.elementSize == 2 || g.elementSize == 4);
  require(g.width > 0 && g.height > 0 && g.width <= SIZE_MAX / g.elementSize);
  const Box box{g.width * g.elementSize, g.height, 1};
  require(g.height == 1 || g.pitch >= box.width);
  return box;
}

// A side of a copy in a stream, in the words of a node.
template <class Pointer>
void describe(const Side& side, CUmemorytype& type, Pointer& host, CUdeviceptr& device,
              size_t& pitch, size_t& height) {
  type = side.claim == Claim::DEVICE ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_UNIFIED;
  host = nullptr;
  device = side.address;
  pitch = side.pitch;
  height = side.pitch ? side.slice / side.pitch : 0;
}

}  // namespace

NodeParams make_copy(const CUDA_MEMCPY3D* given, CUcontext context) {
  require(given != nullptr);
  auto copy = std::make_shared<CopyParams>();
  copy->given = *given;
  copy->context = context_of_node(context);
  check_copy(described(*given), *copy->context);
  return std::shared_ptr<const CopyParams>(std::move(copy));
}

NodeParams make_copy(const DescribedCopy& copy, const std::shared_ptr<Context>& context) {
  check_copy(copy, *context);
  auto made = std::make_shared<CopyParams>();
  CUDA_MEMCPY3D& g = made->given;
  describe(copy.to, g.dstMemoryType, g.dstHost, g.dstDevice, g.dstPitch, g.dstHeight);
  describe(copy.from, g.srcMemoryType, g.srcHost, g.srcDevice, g.srcPitch, g.srcHeight);
  g.WidthInBytes = copy.box.width;
  g.Height = copy.box.height;
  g.Depth = copy.box.depth;
  made->context = context;
  return std::shared_ptr<const CopyParams>(std::move(made));
}

NodeParams make_fill(const CUDA_MEMSET_NODE_PARAMS_v2& given) {
  auto fill = std::make_shared<FillParams>();
  fill->given = given;
  fill->context = context_of_node(given.ctx);
  check_fill(fill_side(given), given.elementSize, fill_box(given), *fill->context);
  fill->given.ctx = handle_of<CUcontext>(*fill->context);
  return std::shared_ptr<const FillParams>(std::move(fill));
}

NodeParams make_fill(const CUDA_MEMSET_NODE_PARAMS* given, CUcontext context) {
  require(given != nullptr);
  return make_fill({given->dst, given->pitch, given->value, given->elementSize, given->width,
                    given->height, context});
}

NodeParams make_host(CUhostFn function, void* data) {
  require(function != nullptr);
  return std::make_shared<const HostParams>(HostParams{function, data});
}

NodeParams make_wait(CUevent event) {
  return std::make_shared<const WaitParams>(
      WaitParams{lookup<Event>(event, CUDA_ERROR_INVALID_VALUE)});
}

NodeParams make_record(CUevent event) {
  return std::make_shared<const RecordParams>(
      RecordParams{lookup<Event>(event, CUDA_ERROR_INVALID_VALUE)});
}

NodeParams make_memop(const std::shared_ptr<Context>& context, unsigned count,
                      const CUstreamBatchMemOpParams* operations, unsigned flags) {
  require(count > 0 && count <= MOST_WORD_OPERATIONS && operations && flags == 0);
  auto made = std::make_shared<MemOpParams>();
  made->context = context;
  made->operations.assign(operations, operations + count);
  for (const auto& operation : made->operations) check_word(operation);
  return std::shared_ptr<const MemOpParams>(std::move(made));
}

}  // namespace cucore::cpu
