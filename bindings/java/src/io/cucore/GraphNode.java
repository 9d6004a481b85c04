// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;

/**
 * A node of a {@link Graph}: a number, and the graph. As an Iterable it contains itself, so that it may be what a
 * new node comes after, as a list of nodes may.
 */
public final class GraphNode implements Iterable<GraphNode> {
  private final Graph graph;
  private final long number;

  GraphNode(Graph graph, long number) {
    this.graph = graph;
    this.number = number;
  }

  static long number(GraphNode given, String name) {
    return Given.notNull(given, name).number;
  }

  /** The numbers of nodes; null is none. */
  static long[] numbers(Iterable<? extends GraphNode> nodes) {
    if (nodes instanceof GraphNode) {
      return new long[] {((GraphNode) nodes).number};
    }
    List<GraphNode> all = new ArrayList<>();
    if (nodes != null) {
      nodes.forEach(all::add);
    }
    long[] numbers = new long[all.size()];
    for (int i = 0; i < numbers.length; ++i) {
      if (all.get(i) == null) {
        throw CucoreException.invalid("after[" + i + "] is null");
      }
      numbers[i] = all.get(i).number;
    }
    return numbers;
  }

  static List<GraphNode> list(Graph graph, long[] numbers) {
    return Facts.list(numbers.length, i -> new GraphNode(graph, numbers[(int) i]));
  }

  /** The nodes of the graph into which a stream is captured. */
  static List<GraphNode> list(CudaStream stream, long[] numbers) {
    return list(stream.getCaptureGraph(), numbers);
  }

  /**
   * The number. No other node of the process has it, except for copies in clones of the graph.
   *
   * @return the number
   */
  public long number() {
    return number;
  }

  /**
   * The graph.
   *
   * @return the graph
   */
  public Graph getGraph() {
    return graph;
  }

  /**
   * Lets another node come after this one.
   *
   * @param next the other node
   * @return the other node, for a.then(b).then(c)
   * @throws InvalidArgumentException the nodes are the same, the edge exists, or it would close a circle
   */
  public GraphNode then(GraphNode next) {
    graph.addEdge(this, Given.notNull(next, "next"));
    return next;
  }

  //: cucore_graph_set_label
  // @return this node
  public GraphNode label(String label) {
    graph.setLabelNow(this, Given.notNull(label, "label"));
    return this;
  }

  //: cucore_graph_node_query
  public NodeInfo getInfo() {
    return graph.nodeInfoNow(this);
  }

  /**
   * The work of the node.
   *
   * @return the kind
   */
  public NodeKind getKind() {
    return getInfo().kind();
  }

  /**
   * The label, which messages and {@link Graph#dot()} contain.
   *
   * @return the label, "" without one
   */
  public String getLabel() {
    return getInfo().label();
  }

  //: cucore_graph_dependencies
  // @return the nodes
  public List<GraphNode> getDependencies() {
    return graph.dependenciesNow(this);
  }

  //: cucore_graph_dependents
  // @return the nodes
  public List<GraphNode> getDependents() {
    return graph.dependentsNow(this);
  }

  //: cucore_graph_node_event
  public CudaEvent getEvent() {
    return graph.nodeEventNow(this);
  }

  //: cucore_graph_node_semaphore
  public External getSemaphore() {
    return graph.nodeSemaphoreNow(this);
  }

  //: cucore_graph_child
  // @param index 0 for a child
  public Graph body(int index) {
    return graph.bodyNow(this, Given.notNegative(index, "index"));
  }

  //: cucore_graph_child
  public Graph body() {
    return body(0);
  }

  //: cucore_graph_remove_node
  public void remove() {
    graph.removeNodeNow(this);
  }

  /** The node itself. */
  @Override
  public Iterator<GraphNode> iterator() {
    return Collections.singleton(this).iterator();
  }

  /** Returns whether the numbers are equal. */
  @Override
  public boolean equals(Object other) {
    return other instanceof GraphNode && ((GraphNode) other).number == number;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(number);
  }

  @Override
  public String toString() {
    return "node " + number;
  }
}
