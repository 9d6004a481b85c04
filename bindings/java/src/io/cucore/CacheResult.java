// SPDX-License-Identifier: Apache-2.0
package io.cucore;

/** Object code, and where a {@link Cache} had it from. */
public final class CacheResult {
  //: fields ()
  private final ObjectCode code; // The object code: yours to close -> the object code
  private final CacheOutcome outcome; // Where it came from -> the outcome

  //: said outcome + ": " + code
}
