// SPDX-License-Identifier: Apache-2.0
#include "core/graph/box_work.hpp"

#include <utility>

#include "support/concat.hpp"

namespace cucore::core {
namespace {

void require_extent(size_t value, const char* name) {
  if (value == 0)
    throw Error(Status::INVALID_ARGUMENT,
                concat(name,
                       " is 0; expected at least 1 for a node that copies; leave the node "
                       "out"));
}

std::string check_and_open(CopyNode node, const BoxCopy& copy) {
  require_extent(copy.extent().width, "width");
  require_extent(copy.extent().height, "height");
  require_extent(copy.extent().depth, "depth");
  return copy.open_pools(node);
}

}  // namespace

BoxWork::BoxWork(CopyNode node, BoxCopy copy)
    : NodeWork(NodeKind::COPY), copy_(std::move(copy)), refusal_(check_and_open(node, copy_)) {}

CUgraphNode BoxWork::add_to(const driver::CudaTable& cu, CUgraph graph,
                            std::span<const CUgraphNode> after) const {
  const CUDA_MEMCPY3D copy = copy_.native();
  CUgraphNode node = nullptr;
  driver::check(cu.cuGraphAddMemcpyNode(&node, graph, after.data(), after.size(), &copy, context()),
                [&] { return "add a node to " + copy_.describe(); });
  return node;
}

CUresult BoxWork::set_in_graph(const driver::CudaTable& cu, CUgraphNode node,
                               const NodeWork*) const {
  CUDA_MEMCPY3D copy = copy_.native();
  const CUresult result = keep_memory_types(cu, node, copy);
  return result == CUDA_SUCCESS ? cu.cuGraphMemcpyNodeSetParams(node, &copy) : result;
}

CUresult BoxWork::set_in_executable(const driver::CudaTable& cu, CUgraphExec executable,
                                    CUgraphNode node) const {
  CUDA_MEMCPY3D copy = copy_.native();
  const CUresult result = keep_memory_types(cu, node, copy);
  if (result != CUDA_SUCCESS) return result;
  return set_copy_in_executable(cu, executable, node, copy, context(),
                                copy_.source_context()->native());
}

bool BoxWork::copies_rows() const { return copy_.extent().height > 1 || copy_.extent().depth > 1; }

NodeFacts BoxWork::facts() const {
  NodeFacts facts;
  facts.destination = copy_.to().first;
  facts.source = copy_.from().first;
  facts.size = copy_.size();
  facts.box = {copy_.extent(), copy_.to().row_bytes, copy_.to().slice_rows, copy_.from().row_bytes,
               copy_.from().slice_rows};
  return facts;
}

}  // namespace cucore::core
