// SPDX-License-Identifier: Apache-2.0
// The fixture of the tests of graphs: short calls for common nodes, and buffers of words.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "../driver.hpp"

namespace cutest {

extern const char* const GRAPH_PTX;

class GraphTest : public DeviceTest {
 protected:
  void SetUp() override;
  void TearDown() override;

  CUstream make_stream(unsigned flags = CU_STREAM_NON_BLOCKING);
  CUevent make_event(unsigned flags = 0);
  CUdeviceptr words(size_t count, unsigned value = 0);  // allocated, each with the value
  std::vector<unsigned> read(CUdeviceptr address, size_t count);
  unsigned word(CUdeviceptr address) { return read(address, 1)[0]; }
  CUfunction kernel(const char* name);  // of GRAPH_PTX, else of PTX

  CUgraph make_graph();
  CUgraphNode add_kernel(CUgraph graph, std::vector<CUgraphNode> before, const char* name,
                         std::vector<void*> parameters);
  // *p += value
  CUgraphNode add_increase(CUgraph graph, std::vector<CUgraphNode> before, CUdeviceptr p,
                           unsigned value);
  CUgraphNode add_fill(CUgraph graph, std::vector<CUgraphNode> before, CUdeviceptr p,
                       unsigned value, size_t count = 1);
  CUgraphNode add_copy(CUgraph graph, std::vector<CUgraphNode> before, CUdeviceptr to,
                       CUdeviceptr from, size_t bytes);
  CUgraphNode add_empty(CUgraph graph, std::vector<CUgraphNode> before = {});
  // Appends the letter to the log.
  CUgraphNode add_mark(CUgraph graph, std::vector<CUgraphNode> before, char letter);
  CUgraphExec instantiate(CUgraph graph, unsigned long long flags = 0);
  void run(CUgraphExec executable, CUstream stream = nullptr);  // and waits
  std::vector<CUgraphNode> nodes_of(CUgraph graph);
  size_t edges_of(CUgraph graph);
  CUgraphNodeType type_of(CUgraphNode node);

  void limit_time();  // kills the process if the test takes more than a minute
  std::string log();
  uint64_t live(const char* kind);  // from the report
  uint64_t leaked(const char* kind);

 private:
  uint64_t count_of(const char* part, const char* kind);
  struct Note {
    GraphTest* test;
    char letter;
  };
  CUmodule graph_module_ = nullptr;
  std::mutex mutex_;
  std::string log_;
  std::vector<std::unique_ptr<Note>> notes_;
  std::vector<CUgraph> graphs_;
  std::vector<CUgraphExec> executables_;
};

CUDA_MEMCPY3D row_copy(CUdeviceptr to, CUdeviceptr from, size_t bytes);
CUDA_MEMSET_NODE_PARAMS word_fill(CUdeviceptr p, unsigned value, size_t count);
CUDA_KERNEL_NODE_PARAMS kernel_node(CUfunction function, void** parameters, unsigned threads = 1);

}  // namespace cutest
