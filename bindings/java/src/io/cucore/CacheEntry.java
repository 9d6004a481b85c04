package io.cucore;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** One file of a {@link Cache}, as it was when the cache told of it. */
public final class CacheEntry {
  private static final long NANOS = 1_000_000_000L;

  private final byte[] key;
  private final CacheFile kind;
  private final boolean isSound;
  private final long size;
  private final Instant made;
  private final Instant used;
  private final CodeType type;
  private final String name;
  private final String arch;
  private final String problem;

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
   * Its key: 32 bytes, in hexadecimal its name in the folder.
   *
   * @return a copy
   */
  public byte[] key() {
    return key.clone();
  }

  /**
   * What it is.
   *
   * @return the kind of file
   */
  public CacheFile kind() {
    return kind;
  }

  /**
   * Whether it is whole.
   *
   * @return false if it was damaged; it has been removed then, where the cache may write
   */
  public boolean isSound() {
    return isSound;
  }

  /**
   * Its size.
   *
   * @return bytes
   */
  public long size() {
    return size;
  }

  /**
   * When it was made.
   *
   * @return the moment
   */
  public Instant made() {
    return made;
  }

  /**
   * When it was used last.
   *
   * @return the moment
   */
  public Instant used() {
    return used;
  }

  /**
   * The kind of its code.
   *
   * @return the kind; empty where the file was not read, or is no entry
   */
  public Optional<CodeType> type() {
    return Optional.ofNullable(type);
  }

  /**
   * The name of its code.
   *
   * @return the name; "" where the file was not read
   */
  public String name() {
    return name;
  }

  /**
   * The architecture of its code, "sm_90".
   *
   * @return the architecture; "" where the file was not read
   */
  public String arch() {
    return arch;
  }

  /**
   * What is wrong with it.
   *
   * @return the problem; "" where there is none
   */
  public String problem() {
    return problem;
  }

  @Override
  public String toString() {
    return kind + " " + name + ", " + size + " bytes" + (isSound ? "" : ": " + problem);
  }
}
