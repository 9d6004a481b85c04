// SPDX-License-Identifier: Apache-2.0
// The work of a node of a graph, with the objects that it uses. It is immutable, so a graph, its
// clones and its executables share it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/graph/kept_object.hpp"
#include "core/objects/box_copy.hpp"
#include "core/objects/event.hpp"
#include "core/objects/node_kind.hpp"
#include "core/objects/peer_copy.hpp"

namespace cucore::core {

class External;

// Throws INVALID_ARGUMENT for a node without bytes. `verb` is "copies".
void require_some(size_t size, const char* verb);

// The kind of a node that somebody else has added.
NodeKind kind_of(CUgraphNodeType type);

// The shape of a copy. A copy without a box is one row, whose distances are 0.
struct BoxFacts {
  BoxExtent extent;
  size_t to_row_bytes = 0, to_slice_rows = 0;
  size_t from_row_bytes = 0, from_slice_rows = 0;
};

// The facts about a node that a program can read.
struct NodeFacts {
  const char* kernel = "";  // its label
  std::array<uint32_t, 3> grid{}, block{}, cluster{};
  uint32_t dynamic_shared = 0;
  uint64_t destination = 0, source = 0;
  size_t size = 0;
  BoxFacts box;  // of a copy
  uint64_t pattern = 0;
  size_t pattern_size = 0;
  const Event* event = nullptr;
  CUevent native_event = nullptr;  // of a node that a capture or other code has added
  const External* semaphore = nullptr;
  uint64_t condition = 0;
  int32_t comparison = 0;
};

class NodeWork : public KeptObject {
 public:
  // No registry holds a work. So no thread adds a reference while another one drops the last.
  void drop_reference() const noexcept {
    if (has_one_reference())
      delete this;
    else
      Object::drop_reference();
  }

  NodeKind kind() const { return kind_; }

  // Adds a node that does the work after others, in the current context. Throws if the driver
  // fails; the graph is then unchanged.
  virtual CUgraphNode add_to(const driver::CudaTable& cu, CUgraph graph,
                             std::span<const CUgraphNode> after) const = 0;

  // Gives this work to a node that has had other work of the kind, in a graph or in an executable.
  // `before` is null if that is not known. Returns the driver's result. After a failure, a node of
  // a graph may have a part of the new work.
  virtual CUresult set_in_graph(const driver::CudaTable& cu, CUgraphNode node,
                                const NodeWork* before) const = 0;
  virtual CUresult set_in_executable(const driver::CudaTable& cu, CUgraphExec executable,
                                     CUgraphNode node) const = 0;
  // Returns why a node with the other work of the kind cannot have this work, or "".
  virtual std::string obstacle(const NodeWork& before) const;
  // The same for a node of an executable.
  virtual std::string executable_obstacle(const NodeWork& before) const { return obstacle(before); }
  // Returns the reason if the driver may refuse the work because of the device of the node, or "".
  virtual std::string refusal() const { return {}; }
  // Whether this copies several rows. The driver refuses to set such work in an executable.
  virtual bool copies_rows() const { return false; }

  // Whether add_to() needs the context of the graph as the current one.
  virtual bool needs_context() const { return true; }
  // Whether a graph must keep this alive.
  virtual bool keeps() const { return true; }
  // Throws INVALID_STATE if an object that the work uses was lost in a reset.
  virtual void require_usable() const {}
  virtual NodeFacts facts() const { return {}; }
  // Whether the work may begin before kernels before it have ended.
  virtual bool is_programmatic() const { return false; }
  // Whether the body of a conditional node can hold the node.
  virtual bool may_be_conditional() const { return may_be_in_body(kind()); }
  // Whether an executable can leave the node out.
  virtual bool can_be_disabled() const { return true; }
  // Whether launches may print.
  virtual bool may_print() const { return false; }

 protected:
  explicit NodeWork(NodeKind kind) : kind_(kind) {}

 private:
  const NodeKind kind_;
};

class EmptyWork final : public NodeWork {
 public:
  EmptyWork() : NodeWork(NodeKind::EMPTY) {}
  CUgraphNode add_to(const driver::CudaTable& cu, CUgraph graph,
                     std::span<const CUgraphNode> after) const override;
  CUresult set_in_graph(const driver::CudaTable& cu, CUgraphNode node,
                        const NodeWork* before) const override;
  CUresult set_in_executable(const driver::CudaTable& cu, CUgraphExec executable,
                             CUgraphNode node) const override;
  bool keeps() const override { return false; }
};

struct CopyPart {
  Ref<const Buffer> buffer;
  size_t offset = 0;
};

// Gives the kinds of memory that a copy node has to the new copy, where its addresses allow that.
// A captured node has kinds of its own, and an executable takes no others.
CUresult keep_memory_types(const driver::CudaTable& cu, CUgraphNode node, CUDA_MEMCPY3D& copy);

// Sets the copy of a node with the context of either side. A captured node has the context of its
// stream, and an executable takes no other.
CUresult set_copy_in_executable(const driver::CudaTable& cu, CUgraphExec executable,
                                CUgraphNode node, const CUDA_MEMCPY3D& copy, CUcontext destination,
                                CUcontext source);

class CopyWork final : public NodeWork {
 public:
  // Throws INVALID_ARGUMENT unless the ranges are valid. See open_pools() for the rest.
  CopyWork(CopyNode node, CopyPart destination, CopyPart source, size_t size);
  CUgraphNode add_to(const driver::CudaTable& cu, CUgraph graph,
                     std::span<const CUgraphNode> after) const override;
  CUresult set_in_graph(const driver::CudaTable& cu, CUgraphNode node,
                        const NodeWork* before) const override;
  CUresult set_in_executable(const driver::CudaTable& cu, CUgraphExec executable,
                             CUgraphNode node) const override;
  std::string refusal() const override { return refusal_; }
  void require_usable() const override;
  NodeFacts facts() const override;

 private:
  CUDA_MEMCPY3D native() const;
  CUcontext context() const { return destination_.buffer->context()->native(); }

  const CopyPart destination_, source_;
  const size_t size_;
  const std::string refusal_;
};

class FillWork final : public NodeWork {
 public:
  FillWork(Ref<const Buffer> buffer, size_t offset, size_t size, const void* pattern,
           size_t pattern_size);
  CUgraphNode add_to(const driver::CudaTable& cu, CUgraph graph,
                     std::span<const CUgraphNode> after) const override;
  CUresult set_in_graph(const driver::CudaTable& cu, CUgraphNode node,
                        const NodeWork* before) const override;
  CUresult set_in_executable(const driver::CudaTable& cu, CUgraphExec executable,
                             CUgraphNode node) const override;
  std::string obstacle(const NodeWork& before) const override;
  bool can_be_disabled() const override { return !is_wide(); }
  void require_usable() const override { buffer_->require_usable(); }
  NodeFacts facts() const override;

 private:
  CUdeviceptr address() const { return buffer_->address() + offset_; }
  bool is_wide() const;
  CUDA_MEMSET_NODE_PARAMS narrow() const;
  CUDA_MEMSET_NODE_PARAMS column(unsigned index) const;
  void add_columns(const driver::CudaTable& cu, CUgraph graph) const;
  CUresult set_columns(const driver::CudaTable& cu, CUgraphNode node) const;

  const Ref<const Buffer> buffer_;
  const size_t offset_, size_;
  uint64_t pattern_ = 0;
  const size_t pattern_size_;
};

class HostWork final : public NodeWork {
 public:
  HostWork(CUhostFn function, UserData data) noexcept
      : NodeWork(NodeKind::HOST), function_(function), data_(std::move(data)) {}
  CUgraphNode add_to(const driver::CudaTable& cu, CUgraph graph,
                     std::span<const CUgraphNode> after) const override;
  CUresult set_in_graph(const driver::CudaTable& cu, CUgraphNode node,
                        const NodeWork* before) const override;
  CUresult set_in_executable(const driver::CudaTable& cu, CUgraphExec executable,
                             CUgraphNode node) const override;
  bool keeps() const override { return data_.has_end(); }
  void forget() const noexcept override { data_.end(); }

 private:
  const CUhostFn function_;
  const UserData data_;
};

// A record of an event, or a wait for one.
class EventWork final : public NodeWork {
 public:
  // `kind` is RECORD or WAIT.
  EventWork(NodeKind kind, Ref<const Event> event);
  CUgraphNode add_to(const driver::CudaTable& cu, CUgraph graph,
                     std::span<const CUgraphNode> after) const override;
  CUresult set_in_graph(const driver::CudaTable& cu, CUgraphNode node,
                        const NodeWork* before) const override;
  CUresult set_in_executable(const driver::CudaTable& cu, CUgraphExec executable,
                             CUgraphNode node) const override;
  void require_usable() const override { event_->require_usable(); }
  NodeFacts facts() const override;

 private:
  const Ref<const Event> event_;
};

}  // namespace cucore::core
