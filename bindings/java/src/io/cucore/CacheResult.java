// SPDX-License-Identifier: Apache-2.0
package io.cucore;

/** Object code, and the place where a {@link Cache} found it. */
public final class CacheResult {
  //: fields ()
  private final ObjectCode code; // The object code: yours to close -> the object code
  private final CacheOutcome outcome; // The place where it was found -> the outcome

  //: said outcome + ": " + code
}
