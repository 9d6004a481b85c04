// SPDX-License-Identifier: Apache-2.0
package io.cucore;

final class ExecutableGraph {
  private int ordinalAndOne; // 0: not read yet

  private LaunchBlock.Changed changed(long lease) {
    if (ordinalAndOne == 0) {
      try (CudaDevice device = getDevice()) {
        ordinalAndOne = device.getOrdinal() + 1;
      }
    }
    return new LaunchBlock.Changed(this, lease, ordinalAndOne - 1, this::getDevice);
  }

  //: cucore_executable_set_kernel
  // @param kernel the kernel, also the one before
  // @param arguments one per parameter, in order, as for {@link Kernel#launch}
  public void setKernel(GraphNode node, Kernel kernel, LaunchConfig config, Object... arguments) {
    long lease = open();
    Given.notNull(config, "config");
    change(lease, node, kernel, config, arguments);
  }

  //: cucore_executable_set_kernel
  // @param kernel the kernel of the node. It is replaced if it is another one
  // @param arguments one per parameter, in order, as for {@link Kernel#launch}
  public void setArguments(GraphNode node, Kernel kernel, Object... arguments) {
    change(open(), node, kernel, null, arguments);
  }

  private void change(long lease, GraphNode node, Kernel kernel, LaunchConfig config, Object[] arguments) {
    Given.notNull(node, "node");
    Given.notNull(kernel, "kernel");
    Given.notNull(arguments, "arguments");
    LaunchBlock.setKernel(changed(lease), node, kernel, config, arguments);
  }

  //: cucore_executable_set_kernel
  // @param config grid, block and dynamic shared memory; the kernel and its arguments stay
  public void setConfig(GraphNode node, LaunchConfig config) {
    long lease = open();
    LaunchBlock.setConfig(changed(lease), Given.notNull(node, "node"), Given.notNull(config, "config"));
  }

  //: cucore_executable_set_copy
  // @param length in bytes, at least 1
  // @param offset in bytes, in the destination
  public void setCopy(GraphNode node, CudaBuffer destination, CudaBuffer source, long length, long offset, long sourceOffset) {
    setCopyNow(node, destination, Given.notNegative(offset, "offset"), source,
        Given.notNegative(sourceOffset, "sourceOffset"), Given.notNegative(length, "length"));
  }

  //: cucore_executable_set_copy
  // @param source the buffer that is read as a whole
  public void setCopy(GraphNode node, CudaBuffer destination, CudaBuffer source) {
    setCopy(node, destination, source, Given.notNull(source, "source").getSize(), 0, 0);
  }

  //: cucore_executable_set_copy_box
  // @param width bytes of a row
  // @param height rows of a slice
  // @param depth slices
  public void setCopyBox(GraphNode node, Box destination, Box source, long width, long height, long depth) {
    Given.notNull(destination, "destination");
    Given.notNull(source, "source");
    setCopyBoxNow(node, destination.buffer(), destination.offset(), destination.rowBytes(), destination.sliceRows(), destination.x(), destination.y(), destination.z(),
        source.buffer(), source.offset(), source.rowBytes(), source.sliceRows(), source.x(), source.y(), source.z(),
        Given.notNegative(width, "width"), Given.notNegative(height, "height"), Given.notNegative(depth, "depth"));
  }

  //: cucore_executable_set_fill
  // @param value a Byte, Short, Character, Integer, Float, Long or Double
  // @param offset in bytes, a multiple of the value's size
  // @param length in bytes, a multiple of the value's size
  public void setFill(GraphNode node, CudaBuffer buffer, Object value, long offset, long length) {
    setFillNow(Given.notNull(node, "node"), Given.notNull(buffer, "buffer"), Given.notNegative(offset, "offset"),
        Given.notNegative(length, "length"), Memory.pattern(value));
  }

  //: cucore_executable_set_fill
  // @param buffer the buffer, which is filled as a whole
  // @param value a Byte, Short, Character, Integer, Float, Long or Double
  public void setFill(GraphNode node, CudaBuffer buffer, Object value) {
    setFill(node, buffer, value, 0, Given.notNull(buffer, "buffer").getSize());
  }

  //: cucore_executable_set_enabled
  // @param enabled whether launches do its work
  public void setEnabled(GraphNode node, boolean enabled) {
    setEnabledNow(node, enabled ? 1 : 0);
  }

  //: said Said.of("ExecutableGraph", this::isClosed, () -> Said.handle(getNativeHandle(), getDevice()))
}
