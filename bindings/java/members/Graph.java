// SPDX-License-Identifier: Apache-2.0
package io.cucore;

final class Graph {
  private int ordinalAndOne; // 0: not read yet

  /** The device's number. */
  int ordinal() {
    if (ordinalAndOne == 0) {
      try (CudaDevice device = getDevice()) {
        ordinalAndOne = device.getOrdinal() + 1;
      }
    }
    return ordinalAndOne - 1;
  }

  //: cucore_graph_add_kernel
  // @param after the nodes that the new one comes after: a node, a list of nodes, or null for none
  // @param config grid and block
  // @param arguments one per parameter, in order, as for {@link Kernel#launch}
  public GraphNode kernel(Iterable<? extends GraphNode> after, Kernel kernel, LaunchConfig config, Object... arguments) {
    long lease = open();
    Given.notNull(kernel, "kernel");
    Given.notNull(config, "config");
    Given.notNull(arguments, "arguments");
    return new GraphNode(this, LaunchBlock.addKernel(lease, this, GraphNode.numbers(after), kernel, config, arguments));
  }

  //: cucore_graph_add_kernel
  // @param config grid and block
  // @param arguments one per parameter, in order, as for {@link Kernel#launch}
  public GraphNode kernel(Kernel kernel, LaunchConfig config, Object... arguments) {
    return kernel(null, kernel, config, arguments);
  }

  //: cucore_graph_add_copy
  // @param after the nodes that the new one comes after, or null
  // @param length in bytes, at least 1
  // @param offset in bytes, in the destination
  public GraphNode copy(Iterable<? extends GraphNode> after, CudaBuffer destination, CudaBuffer source, long length, long offset,
      long sourceOffset) {
    return addCopyNow(after, destination, Given.notNegative(offset, "offset"), source,
        Given.notNegative(sourceOffset, "sourceOffset"), Given.notNegative(length, "length"));
  }

  //: cucore_graph_add_copy
  // @param after the nodes that the new one comes after, or null
  // @param source the buffer that is read as a whole
  public GraphNode copy(Iterable<? extends GraphNode> after, CudaBuffer destination, CudaBuffer source) {
    return copy(after, destination, source, Given.notNull(source, "source").getSize(), 0, 0);
  }

  //: cucore_graph_add_copy
  // @param source the buffer that is read as a whole
  public GraphNode copy(CudaBuffer destination, CudaBuffer source) {
    return copy(null, destination, source);
  }

  //: cucore_graph_add_copy_box
  // @param after the nodes that the new one comes after, or null
  // @param width bytes of a row
  // @param height rows of a slice
  // @param depth slices
  public GraphNode copyBox(Iterable<? extends GraphNode> after, Box destination, Box source, long width, long height, long depth) {
    Given.notNull(destination, "destination");
    Given.notNull(source, "source");
    return addCopyBoxNow(after, destination.buffer(), destination.offset(), destination.rowBytes(), destination.sliceRows(), destination.x(), destination.y(), destination.z(),
        source.buffer(), source.offset(), source.rowBytes(), source.sliceRows(), source.x(), source.y(), source.z(),
        Given.notNegative(width, "width"), Given.notNegative(height, "height"), Given.notNegative(depth, "depth"));
  }

  //: cucore_graph_add_fill
  // @param after the nodes that the new one comes after, or null
  // @param value a Byte, Short, Character, Integer, Float, Long or Double
  // @param offset in bytes, a multiple of the value's size
  // @param length in bytes, a multiple of the value's size
  public GraphNode fill(Iterable<? extends GraphNode> after, CudaBuffer buffer, Object value, long offset, long length) {
    return addFillNow(after, Given.notNull(buffer, "buffer"), Given.notNegative(offset, "offset"),
        Given.notNegative(length, "length"), Memory.pattern(value));
  }

  //: cucore_graph_add_fill
  // @param after the nodes that the new one comes after, or null
  // @param buffer the buffer, which is filled as a whole
  // @param value a Byte, Short, Character, Integer, Float, Long or Double
  public GraphNode fill(Iterable<? extends GraphNode> after, CudaBuffer buffer, Object value) {
    return fill(after, buffer, value, 0, Given.notNull(buffer, "buffer").getSize());
  }

  //: cucore_graph_add_fill
  // @param buffer the buffer, which is filled as a whole
  // @param value a Byte, Short, Character, Integer, Float, Long or Double
  public GraphNode fill(CudaBuffer buffer, Object value) {
    return fill(null, buffer, value);
  }

  //: cucore_graph_add_buffer
  // @param after the nodes that the new one comes after, or null
  // @param length in bytes, at least 1
  // @param peers further devices whose kernels may use the memory
  // @return the buffer; {@link #allocationOf(CudaBuffer)} is its node
  public CudaBuffer buffer(Iterable<? extends GraphNode> after, long length, CudaDevice... peers) {
    long ordinals = 0;
    for (CudaDevice each : Given.noneNull(peers, "peers")) {
      ordinals |= 1L << each.getOrdinal();
    }
    return addBufferNow(after, Given.notNegative(length, "length"), ordinals);
  }

  /** The node that allocates the memory of a buffer.
   * @param buffer of {@link #buffer(Iterable, long, CudaDevice...)}
   * @return the node */
  public GraphNode allocationOf(CudaBuffer buffer) {
    return allocationOfNow(buffer);
  }

  //: cucore_graph_add_semaphore
  // @param after the nodes that the new one comes after, or null
  // @param value the new number of a timeline; a binary semaphore ignores it
  public GraphNode signalSemaphore(Iterable<? extends GraphNode> after, External semaphore, long value) {
    return addSemaphoreNow(after, semaphore, value, 1);
  }

  //: cucore_graph_add_semaphore
  // @param after the nodes that the new one comes after, or null
  // @param value the least number of a timeline; a binary semaphore ignores it
  public GraphNode waitSemaphore(Iterable<? extends GraphNode> after, External semaphore, long value) {
    return addSemaphoreNow(after, semaphore, value, 0);
  }

  //: cucore_graph_add_value
  // @param after the nodes that the new one comes after, or null
  // @param value the value to write
  public GraphNode writeValue(Iterable<? extends GraphNode> after, CudaBuffer buffer, long offset, long value, long size) {
    return addValueNow(after, buffer, offset, value, size, 0);
  }

  //: cucore_graph_add_value
  // @param after the nodes that the new one comes after, or null
  // @param value the value to compare the word with
  // @param comparison the comparison that ends the wait
  public GraphNode waitValue(Iterable<? extends GraphNode> after, CudaBuffer buffer, long offset, long value, long size, Comparison comparison) {
    return addValueNow(after, buffer, offset, value, size, Comparison.number(comparison, "comparison"));
  }

  /** Adds a node that runs a function at each launch, as {@link CudaStream#launchHost(Runnable)} does. The
   * nodes after it begin when the function has returned. The graph keeps it.
   * @param after the nodes that the new one comes after, or null
   * @param function the function
   * @param executor runs the function
   * @return the node */
  public GraphNode host(Iterable<? extends GraphNode> after, Runnable function, java.util.concurrent.Executor executor) {
    Given.notNull(function, "function");
    Given.notNull(executor, "executor");
    return HostFunctions.add(function, executor, this, (queue, token) -> addHostQueued(after, queue, token, 1));
  }

  /** Adds a node that runs a function at each launch, as {@link CudaStream#launchHost(Runnable)} does. The
   * nodes after it begin when the function has returned. The graph keeps it.
   * @param after the nodes that the new one comes after, or null
   * @param function the function
   * @return the node */
  public GraphNode host(Iterable<? extends GraphNode> after, Runnable function) {
    return host(after, function, Completions.DEFAULT);
  }

  /** Adds a node that records an event at each launch, and begins with the graph.
   * @param event the event
   * @return the node */
  public GraphNode record(CudaEvent event) {
    return record(null, event);
  }

  /** Adds a node that waits for an event at each launch, and begins with the graph.
   * @param event the event
   * @return the node */
  public GraphNode wait(CudaEvent event) {
    return wait(null, event);
  }

  /** Adds a node that does nothing, and begins with the graph.
   * @return the node */
  public GraphNode empty() {
    return empty(null);
  }

  /** Adds a node that runs a copy of another graph, and begins with the graph.
   * @param child the other graph
   * @return the node */
  public GraphNode child(Graph child) {
    return child(null, child);
  }

  //: cucore_graph_add_condition
  // @param value the number at the launch, if it is reset; at least 0
  // @param resetAtLaunch whether each launch begins with the value, and not with the number of the last one
  public long condition(int value, boolean resetAtLaunch) {
    return addConditionNow(Given.notNegative(value, "value"), resetAtLaunch ? 1 : 0);
  }

  //: cucore_graph_add_condition
  // @param value the number at each launch, at least 0
  public long condition(int value) {
    return condition(value, true);
  }

  /** Adds a node that runs one graph unless the condition is 0: {@link GraphNode#body()}.
   * @param after the nodes that the new one comes after, or null
   * @param condition of {@link #condition(int)} for this graph
   * @return the node */
  public GraphNode ifThen(Iterable<? extends GraphNode> after, long condition) {
    return addConditional(after, condition, Conditional.IF, 1);
  }

  /** Adds a node with two graphs. It runs {@link GraphNode#body(int)} 0 unless the condition is 0, and body 1 if
   * it is 0. Drivers before CUDA 12.8 do not have this.
   * @param after the nodes that the new one comes after, or null
   * @param condition of {@link #condition(int)} for this graph
   * @return the node */
  public GraphNode ifElse(Iterable<? extends GraphNode> after, long condition) {
    return addConditional(after, condition, Conditional.IF, 2);
  }

  /** Adds a node that runs a graph again and again until the condition is 0: {@link GraphNode#body()}.
   * @param after the nodes that the new one comes after, or null
   * @param condition of {@link #condition(int)} for this graph
   * @return the node */
  public GraphNode whileTrue(Iterable<? extends GraphNode> after, long condition) {
    return addConditional(after, condition, Conditional.WHILE, 1);
  }

  /** Adds a node with several graphs. It runs the one at the index that the condition is, or none.
   * @param after the nodes that the new one comes after, or null
   * @param condition of {@link #condition(int)} for this graph
   * @param count of graphs, at least 1; drivers before CUDA 12.8 do not have this
   * @return the node */
  public GraphNode switchTo(Iterable<? extends GraphNode> after, long condition, int count) {
    return addConditional(after, condition, Conditional.SWITCH, Given.notNegative(count, "count"));
  }

  //: cucore_graph_add_edge
  // @param programmatic whether the second kernel may begin before the first has ended
  public void addEdge(GraphNode first, GraphNode then, boolean programmatic) {
    addEdgeNow(first, then, programmatic ? 1 : 0);
  }

  //: cucore_graph_add_edge
  public void addEdge(GraphNode first, GraphNode then) {
    addEdge(first, then, false);
  }

  //: cucore_graph_set_kernel
  // @param kernel the kernel, also the one before
  // @param arguments one per parameter, in order, as for {@link Kernel#launch}
  public void setKernel(GraphNode node, Kernel kernel, LaunchConfig config, Object... arguments) {
    long lease = open();
    Given.notNull(config, "config");
    change(lease, node, kernel, config, arguments);
  }

  //: cucore_graph_set_kernel
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

  //: cucore_graph_set_kernel
  // @param config all options; the kernel and its arguments stay
  public void setConfig(GraphNode node, LaunchConfig config) {
    long lease = open();
    LaunchBlock.setConfig(changed(lease), Given.notNull(node, "node"), Given.notNull(config, "config"));
  }

  private LaunchBlock.Changed changed(long lease) {
    return new LaunchBlock.Changed(this, lease, ordinal(), this::getDevice);
  }

  //: cucore_graph_set_copy
  // @param length in bytes, at least 1
  // @param offset in bytes, in the destination
  public void setCopy(GraphNode node, CudaBuffer destination, CudaBuffer source, long length, long offset, long sourceOffset) {
    setCopyNow(node, destination, Given.notNegative(offset, "offset"), source,
        Given.notNegative(sourceOffset, "sourceOffset"), Given.notNegative(length, "length"));
  }

  //: cucore_graph_set_copy
  // @param source the buffer that is read as a whole
  public void setCopy(GraphNode node, CudaBuffer destination, CudaBuffer source) {
    setCopy(node, destination, source, Given.notNull(source, "source").getSize(), 0, 0);
  }

  //: cucore_graph_set_copy_box
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

  //: cucore_graph_set_fill
  // @param value a Byte, Short, Character, Integer, Float, Long or Double
  // @param offset in bytes, a multiple of the value's size
  // @param length in bytes, a multiple of the value's size
  public void setFill(GraphNode node, CudaBuffer buffer, Object value, long offset, long length) {
    setFillNow(Given.notNull(node, "node"), Given.notNull(buffer, "buffer"), Given.notNegative(offset, "offset"),
        Given.notNegative(length, "length"), Memory.pattern(value));
  }

  //: cucore_graph_set_fill
  // @param buffer the buffer, which is filled as a whole
  // @param value a Byte, Short, Character, Integer, Float, Long or Double
  public void setFill(GraphNode node, CudaBuffer buffer, Object value) {
    setFill(node, buffer, value, 0, Given.notNull(buffer, "buffer").getSize());
  }

  //: cucore_graph_node_at
  /** The nodes, in the order of adding.
   * @return the nodes, unmodifiable */
  public java.util.List<GraphNode> getNodes() {
    GraphNode[] all = new GraphNode[(int) getNodeCount()];
    for (int i = 0; i < all.length; ++i) {
      all[i] = nodeAtNow(i);
    }
    return java.util.List.of(all);
  }

  //: cucore_executable_create
  // @return the executable
  public ExecutableGraph executable() {
    return executable(null);
  }

  //: cucore_executable_create
  // @return the executable
  public ExecutableGraph executable(ExecutableOptions options) {
    ExecutableOptions o = options == null ? ExecutableOptions.DEFAULTS : options;
    return ExecutableGraph.ofNow(this, o.freeOnLaunch, o.deviceLaunch, o.nodePriority, o.upload);
  }

  //: said Said.of("Graph", this::isClosed, () -> "of " + Said.counted(getNodeCount(), "node"))
}
