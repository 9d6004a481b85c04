// SPDX-License-Identifier: Apache-2.0
#include "core/graph/value_work.hpp"

#include <utility>

#include "core/objects/stream_words.hpp"
#include "support/concat.hpp"

namespace cucore::core {
namespace {

void require_comparison(int32_t comparison) {
  if (comparison < 0 || comparison > CUCORE_COMPARISON_NOR)
    throw Error(Status::INVALID_ARGUMENT, concat("comparison is ", comparison,
                                                 "; expected 0 or a cucore_comparison, 1 to 4"));
}

}  // namespace

ValueWork::ValueWork(Ref<const Buffer> buffer, size_t offset, uint64_t value, size_t size,
                     int32_t comparison)
    : NodeWork(NodeKind::VALUE),
      buffer_(std::move(buffer)),
      offset_(offset),
      value_(value),
      size_(size),
      comparison_(comparison) {
  buffer_->require_usable();
  require_word(*buffer_, offset, value, size);
  require_comparison(comparison);
}

CUstreamBatchMemOpParams ValueWork::native() const {
  CUstreamBatchMemOpParams operation{};
  const bool is_narrow = size_ == sizeof(uint32_t);
  const CUdeviceptr address = buffer_->address() + offset_;
  if (comparison_ == 0) {
    auto& write = operation.writeValue;
    write.operation = is_narrow ? CU_STREAM_MEM_OP_WRITE_VALUE_32 : CU_STREAM_MEM_OP_WRITE_VALUE_64;
    write.address = address;
    write.value64 = value_;  // little endian, as all hosts of CUDA are
    write.flags = CU_STREAM_WRITE_VALUE_DEFAULT;
  } else {
    auto& wait = operation.waitValue;
    wait.operation = is_narrow ? CU_STREAM_MEM_OP_WAIT_VALUE_32 : CU_STREAM_MEM_OP_WAIT_VALUE_64;
    wait.address = address;
    wait.value64 = value_;
    wait.flags = wait_flags(static_cast<cucore_comparison>(comparison_));
  }
  return operation;
}

CUgraphNode ValueWork::add_to(const driver::CudaTable& cu, CUgraph graph,
                              std::span<const CUgraphNode> after) const {
  CUstreamBatchMemOpParams operation = native();
  const CUDA_BATCH_MEM_OP_NODE_PARAMS parameters{buffer_->context()->native(), 1, &operation, 0};
  CUgraphNode node = nullptr;
  check_word(cu.cuGraphAddBatchMemOpNode(&node, graph, after.data(), after.size(), &parameters),
             comparison_ ? "add a node that waits for" : "add a node that writes", *buffer_, size_);
  return node;
}

CUresult ValueWork::set_in_graph(const driver::CudaTable&, CUgraphNode, const NodeWork*) const {
  return CUDA_ERROR_NOT_SUPPORTED;
}
CUresult ValueWork::set_in_executable(const driver::CudaTable&, CUgraphExec, CUgraphNode) const {
  return CUDA_ERROR_NOT_SUPPORTED;
}

NodeFacts ValueWork::facts() const {
  NodeFacts facts;
  facts.destination = buffer_->address() + offset_;
  facts.size = size_;
  facts.pattern = value_;
  facts.pattern_size = size_;
  facts.comparison = comparison_;
  return facts;
}

}  // namespace cucore::core
