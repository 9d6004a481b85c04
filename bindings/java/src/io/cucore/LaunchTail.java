// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/** The options that few launches have, behind the head of a block: LaunchTail of launch.hpp. */
final class LaunchTail {
  private static final int SIZE = 96;
  private static final int ATTRIBUTE = 72;
  private static final int WORDS = 10; // the hit ratio follows
  private static final String[] NAMES = {"programmaticEvent", "completionEvent", "accessWindow"};

  private final int[] words;
  private final CudaEvent programmaticEvent;
  private final CudaEvent completionEvent;
  private final AccessWindow window;
  private final Map<Integer, byte[]> attributes;
  private final long[] leases; // of the two events and of the window's buffer; 0: none

  private LaunchTail(
      int[] words, CudaEvent programmaticEvent, CudaEvent completionEvent, AccessWindow window, Map<Integer, byte[]> attributes) {
    this.words = words;
    this.programmaticEvent = programmaticEvent;
    this.completionEvent = completionEvent;
    this.window = window;
    this.attributes = new TreeMap<>(attributes);
    this.leases = new long[] {CudaEvent.getCPtr(programmaticEvent), CudaEvent.getCPtr(completionEvent),
        window == null ? 0 : CudaBuffer.getCPtr(window.buffer())};
  }

  /** Returns null if nothing is set. The words begin at the preferred cluster. */
  static LaunchTail of(
      int[] words, CudaEvent programmaticEvent, CudaEvent completionEvent, AccessWindow window, Map<Integer, byte[]> attributes) {
    boolean isSet = programmaticEvent != null || completionEvent != null || window != null || !attributes.isEmpty();
    for (int word : words) {
      isSet |= word != 0;
    }
    return isSet ? new LaunchTail(words, programmaticEvent, completionEvent, window, attributes) : null;
  }

  int size() {
    return SIZE + ATTRIBUTE * attributes.size();
  }

  /** How many objects it has, which come first in a block. */
  int objectCount() {
    int count = 0;
    for (long lease : leases) {
      count += lease == 0 ? 0 : 1;
    }
    return count;
  }

  /** The failure of a launch for which one of the objects was closed. */
  CucoreException closed(int which) {
    int left = which;
    for (int i = 0; i < leases.length; ++i) {
      if (leases[i] != 0 && left-- == 0) {
        return Exceptions.of(new Failure(Status.INVALID_HANDLE, "LaunchConfig." + NAMES[i] + " has been closed; expected an"
            + " open one; close it after the launch has returned"));
      }
    }
    throw new AssertionError(which);
  }

  /** Writes it behind the head, without objects if they are not needed. */
  void put(ByteBuffer to, int at, boolean withObjects) {
    for (int i = 0; i < WORDS; ++i) {
      to.putInt(at + 4 * i, words[i]);
    }
    to.putFloat(at + 4 * WORDS, window == null ? 0 : (float) window.hitRatio());
    to.putInt(at + 44, window == null ? 0 : window.hit().getValue());
    to.putInt(at + 48, window == null ? 0 : window.miss().getValue());
    to.putInt(at + 52, attributes.size());
    for (int i = 0; i < leases.length; ++i) {
      to.putLong(at + 56 + 8 * i, withObjects ? leases[i] : 0);
    }
    to.putLong(at + 80, window == null ? 0 : window.offset());
    to.putLong(at + 88, window == null ? 0 : window.size());
    int next = at + SIZE;
    for (Map.Entry<Integer, byte[]> each : attributes.entrySet()) {
      to.putInt(next, each.getKey());
      to.putInt(next + 4, 0);
      byte[] value = Arrays.copyOf(each.getValue(), ATTRIBUTE - 8);
      for (int i = 0; i < value.length; ++i) {
        to.put(next + 8 + i, value[i]);
      }
      next += ATTRIBUTE;
    }
  }

  @Override
  public boolean equals(Object other) {
    if (!(other instanceof LaunchTail)) {
      return false;
    }
    LaunchTail that = (LaunchTail) other;
    return Arrays.equals(words, that.words) && Arrays.equals(leases, that.leases)
        && java.util.Objects.equals(window, that.window) && attributes.keySet().equals(that.attributes.keySet())
        && Arrays.deepEquals(attributes.values().toArray(), that.attributes.values().toArray());
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(words) * 31 + Arrays.hashCode(leases);
  }
}
