// SPDX-License-Identifier: Apache-2.0
package io.cucore.test;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The stress, in a JVM whose heap has a size from the start. CUCORE_STRESS_SECONDS sets its length. */
class StressTest {
  @Test
  void stress() throws Exception {
    String seconds = System.getenv().getOrDefault("CUCORE_STRESS_SECONDS", "5");
    Child child = Child.run(Map.of(), List.of("-Xmx64m", "-Xms64m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC"),
        "stress", seconds);
    assertEquals(0, child.code, child.output);
    System.out.print(child.output);
  }
}
