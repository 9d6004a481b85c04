// SPDX-License-Identifier: Apache-2.0
// Sections "Graph", "Executable" and "Capture" of cucore.h: what the conventions do not cover.
%{
using NodeInfo = cucore_node_info;
// The library refuses more, before it looks at the room for them.
constexpr size_t MOST_BODIES = 65536;
%}
%extend Graph {
  //: cucore_graph_node_query
  NodeInfo node_info(cucore_node node) {
    return info_of<cucore_node_info>(cucore_graph_node_query, held($self), node);
  }
  //: cucore_graph_add_conditional
  cucore_node add_conditional(const cucore_node *after, size_t after_count, uint64_t condition,
                              cucore_conditional kind, size_t body_count) {
    std::vector<cucore_graph *> bodies(body_count <= MOST_BODIES ? body_count : 0);
    const auto node = made<cucore_node>(cucore_graph_add_conditional, held($self), after, after_count, condition, kind,
                                        body_count, bodies.empty() ? nullptr : bodies.data());
    for (cucore_graph *body : bodies) cucore_graph_release(body);  // the node has them
    return node;
  }
  //: cucore_graph_hold
  void hold_token(uint64_t owner, uint64_t token) { cucore::bind::hold_token(held($self), owner, token); }
  //: cucore_graph_add_buffer
  Buffer *add_buffer(const cucore_node *after, size_t after_count, int64_t length, uint64_t peers) {
    return cucore::bind::add_buffer(held($self), after, after_count, length, peers);
  }
  //: cucore_graph_clone
  Graph *clone() { return made<Graph *>(cucore_graph_clone, held($self)); }
  //: cucore_graph_dot
  const char *dot(uint32_t details = 0) {
    static thread_local std::string text;
    text = cucore::bind::dot_of(held($self), details);
    return text.c_str();
  }
}
%extend Stream {
  //: cucore_stream_begin_capture
  void begin_capture(cucore_capture_mode mode, Graph *into_or_null, const cucore_node *after, size_t after_count) {
    const cucore::bind::Held into = held(into_or_null);
    cucore_capture_options options = CUCORE_CAPTURE_OPTIONS_INIT;
    options.mode = mode;
    options.into = into;
    options.after = after;
    options.after_count = after_count;
    ok(cucore_stream_begin_capture, held($self), &options);
  }
  //: cucore_stream_end_capture
  Graph *end_capture() { return made<Graph *>(cucore_stream_end_capture, held($self)); }
  //: cucore_stream_set_capture_nodes
  void set_capture_nodes(const cucore_node *after, size_t after_count) {
    ok(cucore_stream_set_capture_nodes, held($self), after, after_count);
  }
}
%extend ExecutableGraph {
  //: cucore_executable_create
  static ExecutableGraph *of(Graph *graph, bool free_on_launch = false, bool device_launch = false,
                             bool node_priority = false, OptionalStream *upload = nullptr) {
    cucore_executable_options options = CUCORE_EXECUTABLE_OPTIONS_INIT;
    options.free_on_launch = free_on_launch;
    options.device_launch = device_launch;
    options.node_priority = node_priority;
    options.upload = upload;
    return made<ExecutableGraph *>(cucore_executable_create, held(graph), &options);
  }
  //: cucore_executable_update
  void update(Graph *graph) {
    ok(cucore_executable_update, held($self), held(graph), nullptr);
  }
}
%inline %{
// See cpp/held_tokens.hpp.
uint64_t new_token() { return cucore::bind::new_token(); }
uint64_t take_dropped_token(uint64_t owner) { return cucore::bind::take_dropped_token(owner); }
%}
#if defined(SWIGPYTHON)
%inline %{
// The node of Graph::add_buffer().
cucore_node allocation_of(Graph *graph, Buffer *buffer) {
  return cucore::bind::allocation_of(held(graph), held(buffer));
}
%}
#else
%extend Graph {
  //: cucore_graph_add_buffer
  cucore_node allocation_of(Buffer *buffer) { return cucore::bind::allocation_of(held($self), held(buffer)); }
}
#endif
