// SPDX-License-Identifier: Apache-2.0
// The fake driver's graphs and objects that graphs keep, and its linker.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

#include "fakes/fake_api.hpp"
#include "fakes/fake_checks.hpp"
#include "fakes/fake_driver.hpp"

namespace fake::api {

CUresult cuGraphCreate(CUgraph* out, unsigned) {
  const auto lock = locked();
  *out = driver().graphs.add({});
  return CUDA_SUCCESS;
}

CUresult cuGraphDebugDotPrint(CUgraph handle, const char* path, unsigned) {
  const auto lock = locked();
  const Graph* graph = driver().graphs.find_or_note(handle, "cuGraphDebugDotPrint");
  NEED(graph, CUDA_ERROR_INVALID_VALUE);
  std::ofstream file(path);
  file << "digraph dot {\n";
  for (size_t i = 0; i < graph->nodes.size(); ++i) file << "  node" << i << ";\n";
  file << "}\n";
  return file ? CUDA_SUCCESS : CUDA_ERROR_OPERATING_SYSTEM;
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
  graph->kept.push_back({object, *kept});
  driver().user_objects.remove(object, "cuGraphRetainUserObject");
  return CUDA_SUCCESS;
}

CUresult cuGraphReleaseUserObject(CUgraph handle, CUuserObject object, unsigned count) {
  const auto lock = locked();
  Graph* graph = driver().graphs.find_or_note(handle, "cuGraphReleaseUserObject");
  NEED(graph && count == 1, CUDA_ERROR_INVALID_VALUE);
  const auto kept = std::ranges::find(graph->kept, object, &Kept::handle);
  if (kept == graph->kept.end()) {
    calls().violation("cuGraphReleaseUserObject of an object that the graph does not keep");
    return CUDA_ERROR_INVALID_VALUE;
  }
  graph->kept.erase(kept);
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
