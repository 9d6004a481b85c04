// SPDX-License-Identifier: Apache-2.0
// Copies of boxes. A box is a class of each language's layer, and crosses as its fields.
%extend Stream {
  //: cucore_buffer_copy_box
  void copy_box(Buffer *destination, size_t destination_offset, size_t destination_row_bytes, size_t destination_slice_rows,
                size_t destination_x, size_t destination_y, size_t destination_z,
                Buffer *source, size_t source_offset, size_t source_row_bytes, size_t source_slice_rows,
                size_t source_x, size_t source_y, size_t source_z,
                size_t width, size_t height, size_t depth) {
    const cucore::bind::Held to = held(destination), from = held(source);
    const cucore_box boxes[] = {
        cucore::bind::box_of(to, destination_offset, destination_row_bytes, destination_slice_rows, destination_x,
                             destination_y, destination_z),
        cucore::bind::box_of(from, source_offset, source_row_bytes, source_slice_rows, source_x, source_y, source_z)};
    ok(cucore_buffer_copy_box, &boxes[0], &boxes[1], width, height, depth, held($self));
  }
}
%extend Graph {
  //: cucore_graph_add_copy_box
  cucore_node add_copy_box(const cucore_node *after, size_t after_count,
                           Buffer *destination, size_t destination_offset, size_t destination_row_bytes, size_t destination_slice_rows,
                           size_t destination_x, size_t destination_y, size_t destination_z,
                           Buffer *source, size_t source_offset, size_t source_row_bytes, size_t source_slice_rows,
                           size_t source_x, size_t source_y, size_t source_z,
                           size_t width, size_t height, size_t depth) {
    const cucore::bind::Held to = held(destination), from = held(source);
    const cucore_box boxes[] = {
        cucore::bind::box_of(to, destination_offset, destination_row_bytes, destination_slice_rows, destination_x,
                             destination_y, destination_z),
        cucore::bind::box_of(from, source_offset, source_row_bytes, source_slice_rows, source_x, source_y, source_z)};
    return made<cucore_node>(cucore_graph_add_copy_box, held($self), after, after_count, &boxes[0], &boxes[1], width,
                             height, depth);
  }
  //: cucore_graph_set_copy_box
  void set_copy_box(cucore_node node, Buffer *destination, size_t destination_offset, size_t destination_row_bytes, size_t destination_slice_rows,
                    size_t destination_x, size_t destination_y, size_t destination_z,
                    Buffer *source, size_t source_offset, size_t source_row_bytes, size_t source_slice_rows,
                    size_t source_x, size_t source_y, size_t source_z,
                    size_t width, size_t height, size_t depth) {
    const cucore::bind::Held to = held(destination), from = held(source);
    const cucore_box boxes[] = {
        cucore::bind::box_of(to, destination_offset, destination_row_bytes, destination_slice_rows, destination_x,
                             destination_y, destination_z),
        cucore::bind::box_of(from, source_offset, source_row_bytes, source_slice_rows, source_x, source_y, source_z)};
    ok(cucore_graph_set_copy_box, held($self), node, &boxes[0], &boxes[1], width, height, depth);
  }
}
%extend ExecutableGraph {
  //: cucore_executable_set_copy_box
  void set_copy_box(cucore_node node, Buffer *destination, size_t destination_offset, size_t destination_row_bytes, size_t destination_slice_rows,
                    size_t destination_x, size_t destination_y, size_t destination_z,
                    Buffer *source, size_t source_offset, size_t source_row_bytes, size_t source_slice_rows,
                    size_t source_x, size_t source_y, size_t source_z,
                    size_t width, size_t height, size_t depth) {
    const cucore::bind::Held to = held(destination), from = held(source);
    const cucore_box boxes[] = {
        cucore::bind::box_of(to, destination_offset, destination_row_bytes, destination_slice_rows, destination_x,
                             destination_y, destination_z),
        cucore::bind::box_of(from, source_offset, source_row_bytes, source_slice_rows, source_x, source_y, source_z)};
    ok(cucore_executable_set_copy_box, held($self), node, &boxes[0], &boxes[1], width, height, depth);
  }
}
