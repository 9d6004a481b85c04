// SPDX-License-Identifier: Apache-2.0
// The fake driver's graphs and its linker.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

#include "fakes/fake_api.hpp"
#include "fakes/fake_checks.hpp"
#include "fakes/fake_driver.hpp"

namespace fake::api {

CUresult cuStreamBeginCapture(CUstream handle, CUstreamCaptureMode) {
  const auto lock = locked();
  Stream* stream = driver().streams.find_or_note(handle, "cuStreamBeginCapture");
  NEED(stream, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  RETURN_IF_FAILED(usable(stream->context));
  NEED(!stream->capture.active, CUDA_ERROR_ILLEGAL_STATE);
  stream->capture = {true, false, 0, ++driver().captures, driver().graphs.add({})};
  return CUDA_SUCCESS;
}

CUresult cuStreamEndCapture(CUstream handle, CUgraph* out) {
  const auto lock = locked();
  Stream* stream = driver().streams.find_or_note(handle, "cuStreamEndCapture");
  NEED(stream, CUDA_ERROR_INVALID_HANDLE);
  NEED(stream->capture.active, CUDA_ERROR_ILLEGAL_STATE);
  stream->capture.active = false;
  if (stream->capture.invalidated) {
    driver().graphs.remove(stream->capture.graph, "cuStreamEndCapture");
    *out = nullptr;
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  }
  *out = stream->capture.graph;
  driver().graphs.find(*out)->nodes = stream->capture.nodes;
  return CUDA_SUCCESS;
}

CUresult cuGraphCreate(CUgraph* out, unsigned) {
  const auto lock = locked();
  *out = driver().graphs.add({});
  return CUDA_SUCCESS;
}

CUresult cuGraphClone(CUgraph* out, CUgraph original) {
  const auto lock = locked();
  const Graph* graph = driver().graphs.find_or_note(original, "cuGraphClone");
  NEED(graph, CUDA_ERROR_INVALID_VALUE);
  *out = driver().graphs.add(*graph);
  return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph graph) {
  const auto lock = locked();
  return driver().graphs.remove(graph, "cuGraphDestroy") ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphDebugDotPrint(CUgraph handle, const char* path, unsigned) {
  const auto lock = locked();
  const Graph* graph = driver().graphs.find_or_note(handle, "cuGraphDebugDotPrint");
  NEED(graph, CUDA_ERROR_INVALID_VALUE);
  std::ofstream file(path);
  file << "digraph dot {\n";
  for (size_t i = 0; i < graph->nodes; ++i) file << "  node" << i << ";\n";
  file << "}\n";
  return file ? CUDA_SUCCESS : CUDA_ERROR_OPERATING_SYSTEM;
}

CUresult cuGraphGetNodes(CUgraph handle, CUgraphNode* nodes, size_t* count) {
  const auto lock = locked();
  const Graph* graph = driver().graphs.find_or_note(handle, "cuGraphGetNodes");
  NEED(graph, CUDA_ERROR_INVALID_VALUE);
  for (size_t i = 0; nodes && i < std::min(*count, graph->nodes); ++i)
    nodes[i] = to_handle<CUgraphNode>(0x90000000 + i * 16);
  *count = graph->nodes;
  return CUDA_SUCCESS;
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec* out, CUgraph handle, unsigned long long) {
  const auto lock = locked();
  const Graph* graph = driver().graphs.find_or_note(handle, "cuGraphInstantiate");
  NEED(graph, CUDA_ERROR_INVALID_VALUE);
  *out = driver().graph_execs.add(*graph);
  return CUDA_SUCCESS;
}

CUresult cuGraphExecDestroy(CUgraphExec exec) {
  const auto lock = locked();
  return driver().graph_execs.remove(exec, "cuGraphExecDestroy") ? CUDA_SUCCESS
                                                                 : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphExecUpdate(CUgraphExec handle, CUgraph graph_handle,
                           CUgraphExecUpdateResultInfo* info) {
  const auto lock = locked();
  const GraphExec* exec = driver().graph_execs.find_or_note(handle, "cuGraphExecUpdate");
  const Graph* graph = driver().graphs.find_or_note(graph_handle, "cuGraphExecUpdate");
  NEED(exec && graph, CUDA_ERROR_INVALID_VALUE);
  std::memset(info, 0, sizeof *info);
  if (exec->nodes == graph->nodes) return CUDA_SUCCESS;
  info->result = CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
  return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
}

CUresult cuGraphUpload(CUgraphExec exec, CUstream) {
  const auto lock = locked();
  return driver().graph_execs.find_or_note(exec, "cuGraphUpload") ? CUDA_SUCCESS
                                                                  : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphLaunch(CUgraphExec handle, CUstream stream_handle) {
  const auto lock = locked();
  Context* context = nullptr;
  Stream* stream = nullptr;
  RETURN_IF_FAILED(resolve_work(stream_handle, context, stream, "cuGraphLaunch"));
  const GraphExec* exec = driver().graph_execs.find_or_note(handle, "cuGraphLaunch");
  NEED(exec, CUDA_ERROR_INVALID_VALUE);
  driver().launch_count += exec->nodes;
  return CUDA_SUCCESS;
}

CUresult cuUserObjectCreate(CUuserObject* out, void* pointer, CUhostFn destroy, unsigned references,
                            unsigned flags) {
  const auto lock = locked();
  NEED(destroy && references == 1 && flags == CU_USER_OBJECT_NO_DESTRUCTOR_SYNC,
       CUDA_ERROR_INVALID_VALUE);
  *out = driver().user_objects.add(UserObject(pointer, destroy));
  return CUDA_SUCCESS;
}

CUresult cuUserObjectRelease(CUuserObject object, unsigned) {
  const auto lock = locked();
  return driver().user_objects.remove(object, "cuUserObjectRelease") ? CUDA_SUCCESS
                                                                     : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphRetainUserObject(CUgraph handle, CUuserObject object, unsigned, unsigned flags) {
  const auto lock = locked();
  Graph* graph = driver().graphs.find_or_note(handle, "cuGraphRetainUserObject");
  const UserObject* kept = driver().user_objects.find_or_note(object, "cuGraphRetainUserObject");
  NEED(graph && kept && flags == CU_GRAPH_USER_OBJECT_MOVE, CUDA_ERROR_INVALID_VALUE);
  graph->kept.push_back(*kept);
  driver().user_objects.remove(object, "cuGraphRetainUserObject");
  return CUDA_SUCCESS;
}

CUresult cuLinkCreate(unsigned, CUjit_option*, void**, CUlinkState* out) {
  const auto lock = locked();
  Context* context = nullptr;
  RETURN_IF_FAILED(current(context));
  *out = driver().links.add({});
  return CUDA_SUCCESS;
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void* data, size_t size, const char*,
                       unsigned, CUjit_option*, void**) {
  const auto lock = locked();
  Link* link = driver().links.find_or_note(state, "cuLinkAddData");
  NEED(link, CUDA_ERROR_INVALID_HANDLE);
  NEED(data && size > 4, CUDA_ERROR_INVALID_VALUE);
  const Image image = type == CU_JIT_INPUT_PTX ? read_ptx({static_cast<const char*>(data), size})
                                               : read_image(data);
  NEED(image.kind != Image::INVALID,
       type == CU_JIT_INPUT_PTX ? CUDA_ERROR_INVALID_PTX : CUDA_ERROR_INVALID_IMAGE);
  Image& sum = link->image;
  sum.kernels.insert(sum.kernels.end(), image.kernels.begin(), image.kernels.end());
  sum.globals.insert(sum.globals.end(), image.globals.begin(), image.globals.end());
  return CUDA_SUCCESS;
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char* path, unsigned count,
                       CUjit_option* options, void** values) {
  std::ifstream file(path, std::ios::binary);
  NEED(file, CUDA_ERROR_FILE_NOT_FOUND);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  return api::cuLinkAddData(state, type, bytes.data(), bytes.size(), path, count, options, values);
}

CUresult cuLinkComplete(CUlinkState state, void** out, size_t* size) {
  const auto lock = locked();
  Link* link = driver().links.find_or_note(state, "cuLinkComplete");
  NEED(link, CUDA_ERROR_INVALID_HANDLE);
  link->output = write_cubin(link->image, 90);
  *out = link->output.data();
  *size = link->output.size();
  return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState state) {
  const auto lock = locked();
  return driver().links.remove(state, "cuLinkDestroy") ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

}  // namespace fake::api
