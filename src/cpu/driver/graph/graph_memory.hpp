// SPDX-License-Identifier: Apache-2.0
// Memory that a graph allocates when it runs. Its address is fixed, and using it outside of its
// lifetime is a fault.
#pragma once

#include <memory>
#include <mutex>

#include "cpu/driver/cuda_api.hpp"

namespace cucore::cpu {

class Context;
class Device;
class Graph;
class Stream;
struct Allocation;

struct GraphMemoryLeak {
  uint64_t count = 0;
  uint64_t bytes = 0;
};
// Ends the unfreed memory of a context.
GraphMemoryLeak end_graph_memory(uint64_t context);

class GraphMemory : public std::enable_shared_from_this<GraphMemory> {
 public:
  // Takes an address; the memory does not exist yet.
  static std::shared_ptr<GraphMemory> make(const Context& context, Device& device, uint64_t size);
  ~GraphMemory();

  uint64_t address() const { return address_; }
  uint64_t size() const { return size_; }
  const void* owner = nullptr;  // the root of its graph; the lock of graphs guards these members
  bool freed_inside = false, freed_outside = false;  // by a node of its graph, of another one

  // At a submission. `claim` returns false if the device's budget is exhausted. `unfreed` is the
  // state after all submitted work; unfreed memory outlives its graph, until its context ends.
  bool claim();
  void give_up();  // after a claim whose work is not submitted
  bool unfreed() const;
  void set_unfreed(bool unfreed);
  // Submits a free that the program has requested; throws INVALID_VALUE unless there is memory.
  void free_in(Stream& stream);

  // In jobs.
  void begin();
  void end();

 private:
  GraphMemory(Device& device, uint64_t context, uint64_t size)
      : device_(device), context_(context), size_(size) {}

  friend GraphMemoryLeak end_graph_memory(uint64_t context);

  Device& device_;
  const uint64_t context_;  // id
  const uint64_t size_;
  uint64_t address_ = 0;
  uint64_t claims_ = 0;  // the lock of the accounts guards these members
  bool unfreed_ = false;
  bool exists_ = false;
};

// Returns the memory of a graph behind an allocation; nullptr for a null or another allocation.
std::shared_ptr<GraphMemory> graph_memory_of(const std::shared_ptr<Allocation>& allocation);

uint64_t graph_memory_attribute(const Device& device, CUgraphMem_attribute which);
void reset_graph_memory_attribute(const Device& device, CUgraphMem_attribute which);
void trim_graph_memory(Device& device);

}  // namespace cucore::cpu
