// SPDX-License-Identifier: Apache-2.0
package io.cucore.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.cucore.CudaBuffer;
import io.cucore.ExecutableGraph;
import io.cucore.Graph;
import io.cucore.GraphNode;
import io.cucore.InvalidArgumentException;
import io.cucore.NodeKind;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Conditions of graphs: IF, WHILE and SWITCH, and their values. */
class GraphConditionsTest extends GraphTesting {
  @Test
  void ifRunsOneOfTwoGraphs() {
    for (int decision : new int[] {0, 1, 7}) {
      try (Graph own = new Graph(device)) {
        view.putFloat(0, 0);
        long condition = own.condition(0);
        GraphNode decide = own.kernel(kernel("decide"), ONE, condition, decision);
        GraphNode node = own.ifElse(decide, condition);
        node.body(0).kernel(add, ONE, x, 1f);
        node.body(1).kernel(add, ONE, x, 100f);
        assertEquals(NodeKind.CONDITIONAL, node.getKind());
        assertEquals(List.of(decide), node.getDependencies());
        assertEquals(condition, node.getInfo().condition());
        float expected = decision == 0 ? 100 : 1;
        try (ExecutableGraph executable = own.executable()) {
          run(executable);
          assertEquals(expected, value());
          Graph then = node.body(0);
          then.setArguments(then.getNodes().get(0), add, x, 50f);
          executable.update(own);
          run(executable);
          assertEquals(expected + (decision == 0 ? 100 : 50), value());
        }
        assertEquals(1, node.body(1).getNodeCount());
      }
    }
  }

  @Test
  void aConditionHasAValueAtEachLaunch() {
    long condition = graph.condition(1);
    Graph then = graph.ifThen(null, condition).body();
    then.kernel(add, ONE, x, 1f);
    then.kernel(kernel("decide"), ONE, condition, 0);
    try (ExecutableGraph executable = graph.executable()) {
      run(executable);
      run(executable);
    }
    assertEquals(2, value());
  }

  @Test
  void aConditionKeepsItsValueBetweenLaunches() {
    long condition = graph.condition(0, false);
    GraphNode node = graph.ifElse(null, condition);
    for (int i = 0; i < 2; ++i) {
      node.body(i).kernel(add, ONE, x, i == 0 ? 100f : 1f);
      node.body(i).kernel(kernel("decide"), ONE, condition, i);
    }
    // The value of the first launch is not defined. From then on, each launch decides the next one.
    try (ExecutableGraph executable = graph.executable()) {
      run(executable);
      run(executable);
      assertEquals(101, value());
      run(executable);
      run(executable);
      assertEquals(202, value());
    }
  }

  @Test
  void whileRunsUntilTheConditionIsZero() {
    try (CudaBuffer left = CudaBuffer.managed(device, 4)) {
      left.asByteBuffer().putInt(0, 5);
      long condition = graph.condition(1);
      try (Graph body = graph.whileTrue(null, condition).body()) {
        GraphNode step = body.kernel(add, ONE, x, 2f);
        body.kernel(step, kernel("count_down"), ONE, condition, left);
      }
      run();
      assertEquals(10, value());
    }
  }

  @Test
  void switchRunsTheGraphAtTheIndex() {
    int[] expected = {1, 2, 3, 0};
    for (int i = 0; i < expected.length; ++i) {
      try (Graph own = new Graph(device)) {
        view.putFloat(0, 0);
        GraphNode node = own.switchTo(null, own.condition(i), 3);
        for (int k = 0; k < 3; ++k) {
          node.body(k).kernel(add, ONE, x, k + 1f);
        }
        try (ExecutableGraph executable = own.executable()) {
          run(executable);
        }
        assertEquals(expected[i], value());
      }
    }
  }

  @Test
  void mistakesAboutConditionsAreRefused() {
    long condition = graph.condition(0);
    graph.whileTrue(null, condition);
    assertThrows(InvalidArgumentException.class, () -> graph.whileTrue(null, condition));
    assertThrows(InvalidArgumentException.class, () -> graph.switchTo(null, graph.condition(0), 0));
    for (int many : new int[] {65537, 1 << 28, Integer.MAX_VALUE}) {
      assertThrows(InvalidArgumentException.class, () -> graph.switchTo(null, graph.condition(0), many));
    }
    assertEquals("value is -1, below 0", refused(() -> graph.condition(-1)));
    assertEquals("count is -1, below 0", refused(() -> graph.switchTo(null, condition, -1)));
    assertEquals(1, graph.getNodeCount());
  }
}
