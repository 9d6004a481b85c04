// SPDX-License-Identifier: Apache-2.0
// User objects, and the memory of graphs per device.
#include <climits>
#include <cstring>

#include "cpu/driver/api.hpp"
#include "cpu/driver/graph/graph.hpp"
#include "cpu/driver/graph/graph_memory.hpp"
#include "cpu/driver/process.hpp"

namespace cucore::cpu::api {
namespace {

std::shared_ptr<UserObject> find_object(CUuserObject handle) {
  return lookup<UserObject>(handle, CUDA_ERROR_INVALID_VALUE);
}

void check_count(unsigned count) { require(count > 0 && count <= INT_MAX); }

}  // namespace

CUresult cuUserObjectCreate(CUuserObject* object_out, void* ptr, CUhostFn destroy,
                            unsigned int initialRefcount, unsigned int flags) {
  require(object_out && destroy && flags == CU_USER_OBJECT_NO_DESTRUCTOR_SYNC);
  check_count(initialRefcount);
  *object_out =
      new_handle<CUuserObject>(std::make_shared<UserObject>(ptr, destroy, initialRefcount));
  return CUDA_SUCCESS;
}

CUresult cuUserObjectRetain(CUuserObject object, unsigned int count) {
  check_count(count);
  find_object(object)->retain(count);
  return CUDA_SUCCESS;
}

CUresult cuUserObjectRelease(CUuserObject object, unsigned int count) {
  check_count(count);
  find_object(object)->release(count);
  return CUDA_SUCCESS;
}

CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned int count,
                                 unsigned int flags) {
  check_count(count);
  require(flags == 0 || flags == CU_GRAPH_USER_OBJECT_MOVE);
  GraphLock lock;
  auto owner = find_graph(graph);
  auto found = find_object(object);
  if (flags == 0) found->retain(count);
  owner->objects().add(found, count);
  return CUDA_SUCCESS;
}

CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned int count) {
  check_count(count);
  GraphLock lock;
  find_graph(graph)->objects().remove(find_object(object), count);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr, void* value) {
  require(value != nullptr);
  const cuuint64_t number = graph_memory_attribute(find_device(device), attr);
  std::memcpy(value, &number, sizeof number);
  return CUDA_SUCCESS;
}

// The value must be 0, because a high watermark can only be reset.
CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr, void* value) {
  require(value != nullptr);
  cuuint64_t number = 0;
  std::memcpy(&number, value, sizeof number);
  require(number == 0);
  reset_graph_memory_attribute(find_device(device), attr);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGraphMemTrim(CUdevice device) {
  trim_graph_memory(find_device(device));
  return CUDA_SUCCESS;
}

}  // namespace cucore::cpu::api
