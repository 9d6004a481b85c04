// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The part of scenario 4 that users cannot provoke: each status has a class, a new status the base. */
class MadeByNumberTest {
  private static CucoreException make(int status) {
    return CucoreException.make(status, "what", "log", "cuda", 7, "NAME", null, null);
  }

  @Test
  void errorClassesByNumber() {
    Set<Class<?>> classes = new HashSet<>();
    for (Status status : Status.values()) {
      if (status.value() <= 0) {
        continue;
      }
      CucoreException e = make(status.value());
      assertEquals(status, e.status());
      assertNotEquals(CucoreException.class, e.getClass());
      String name = e.getClass().getSimpleName().replace("Exception", "");
      assertEquals(status.name().replace("_", ""), name.toUpperCase(java.util.Locale.ROOT));
      assertTrue(classes.add(e.getClass()));
      assertEquals("what log cuda 7 NAME", e.getMessage() + " " + e.log() + " " + e.origin() + " " + e.nativeCode() + " " + e.nativeName());
    }
    assertTrue(classes.size() >= 20);
    CucoreException later = make(4711);
    assertEquals(CucoreException.class, later.getClass());
    assertEquals(Status.UNKNOWN, later.status());
    assertEquals(4711, later.statusCode());
  }
}
