// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** One file of a {@link Cache}, as it was when the cache told of it. */
public final class CacheEntry {
  private static final long NANOS = 1_000_000_000L;

  //: fields
  private final byte[] key; // Its key: 32 bytes, in hexadecimal its name in the folder -> a copy
  private final CacheFile kind; // What it is -> the kind of file
  private final boolean isSound; // Whether it is whole -> false if it was damaged; it has been removed then, where the cache may write
  private final long size; // Its size -> bytes
  private final Instant made; // When it was made -> the moment
  private final Instant used; // When it was used last -> the moment
  private final CodeType type;
  private final String name; // The name of its code -> the name; "" where the file was not read
  private final String arch; // The architecture of its code, "sm_90" -> the architecture; "" where the file was not read
  private final String problem; // What is wrong with it -> the problem; "" where there is none

  private CacheEntry(NativeCacheEntries all, long index) {
    key = all.key(index);
    kind = all.kind(index);
    isSound = all.isSound(index);
    size = all.size(index);
    made = instant(all.madeNs(index));
    used = instant(all.usedNs(index));
    int code = all.type(index);
    type = code == 0 ? null : CodeType.of(code);
    name = all.name(index);
    arch = all.arch(index);
    problem = all.problem(index);
  }

  static List<CacheEntry> list(NativeCacheEntries told) {
    try (NativeCacheEntries all = told) {
      List<CacheEntry> list = new ArrayList<>();
      for (long i = 0; i < all.getCount(); ++i) {
        list.add(new CacheEntry(all, i));
      }
      return Collections.unmodifiableList(list);
    }
  }

  private static Instant instant(long nanos) {
    return Instant.ofEpochSecond(Math.floorDiv(nanos, NANOS), Math.floorMod(nanos, NANOS));
  }

  /**
   * The kind of its code.
   *
   * @return the kind; empty where the file was not read, or is no entry
   */
  public Optional<CodeType> type() {
    return Optional.ofNullable(type);
  }

  @Override
  public String toString() {
    return kind + " " + name + ", " + size + " bytes" + (isSound ? "" : ": " + problem);
  }
}
