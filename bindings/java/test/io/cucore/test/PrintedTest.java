// SPDX-License-Identifier: Apache-2.0
package io.cucore.test;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The output of kernels is on stdout when a wait returns, for every kind of wait. */
class PrintedTest {
  /** The work is done before the first query, or takes some time. */
  private static void check(int turns) throws Exception {
    for (String wait : new Printed().waits().keySet()) {
      Child child = Child.run(Map.of(), List.of(), "printed", wait, "" + turns);
      assertEquals(0, child.code, wait + ": " + child.output);
      assertEquals("said " + turns + "\n", child.output, wait);
    }
  }

  @Test
  void writtenByEveryWait() throws Exception {
    check(1);
  }

  @Test
  void writtenByEveryWaitForLongWork() throws Exception {
    check(20_000);
  }
}
