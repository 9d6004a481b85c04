// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.time.Instant;
import java.util.List;

/** One file of a {@link Cache}, as it was at the time of the report. */
public final class CacheEntry {
  //: fields private (NativeCacheEntries all, long index)
  private final byte[] key = all.key(index); // Its key: 32 bytes, in hexadecimal its name in the folder -> a copy
  private final CacheFile kind = all.kind(index); // The kind of file -> the kind
  private final boolean isSound = all.isSound(index); // Whether it is intact -> false if it was damaged; it has then been removed, unless the cache is read-only
  private final long size = all.size(index); // Its size -> bytes
  private final Instant made = Instant.ofEpochSecond(0, all.madeNs(index)); // The time of its creation -> the time
  private final Instant used = Instant.ofEpochSecond(0, all.usedNs(index)); // The time of its last use -> the time
  private final CodeType type = all.type(index) == 0 ? null : CodeType.of(all.type(index)); // Optional: The kind of its code -> the kind; empty if the file was not read, or is not an entry
  private final String name = all.name(index); // The name of its code -> the name; "" if the file was not read
  private final String arch = all.arch(index); // The architecture of its code, "sm_90" -> the architecture; "" if the file was not read
  private final String problem = all.problem(index); // The description of its damage -> the problem; "" for an intact file

  static List<CacheEntry> list(NativeCacheEntries told) {
    try (NativeCacheEntries all = told) {
      return Facts.list(all.getCount(), i -> new CacheEntry(all, i));
    }
  }

  //: said kind + (name.isEmpty() ? "" : " " + name) + ", " + Said.counted(size, "byte") + (isSound ? "" : ": " + problem)
}
