// SPDX-License-Identifier: Apache-2.0
package io.cucore;

/** A part of a buffer whose accesses the L2 cache treats in its own way. It does not keep the buffer open. */
public final class AccessWindow {
  //: fields equal private ()
  private final CudaBuffer buffer; // The buffer -> the buffer
  private final long offset; // The begin of the window -> bytes
  private final long size; // The size of the window -> bytes
  private final double hitRatio; // The part of the accesses that gets hit; the others get miss -> 0 to 1
  private final AccessProperty hit; // The property of that part -> the property
  private final AccessProperty miss; // The property of the others -> the property

  /**
   * A window with all settings.
   *
   * @param buffer the buffer
   * @param offset where it begins, in bytes
   * @param size its size in bytes
   * @param hitRatio the part of the accesses that gets hit, 0 to 1
   * @param hit the property of that part
   * @param miss the property of the others, NORMAL or STREAMING
   * @return the window
   */
  public static AccessWindow of(
      CudaBuffer buffer, long offset, long size, double hitRatio, AccessProperty hit, AccessProperty miss) {
    return new AccessWindow(Given.notNull(buffer, "buffer"), Given.notNegative(offset, "offset"),
        Given.notNegative(size, "size"), hitRatio, Given.notNull(hit, "hit"), Given.notNull(miss, "miss"));
  }

  /**
   * A window whose accesses stay in the cache.
   *
   * @param buffer the buffer
   * @param offset where it begins, in bytes
   * @param size its size in bytes
   * @return the window
   */
  public static AccessWindow persisting(CudaBuffer buffer, long offset, long size) {
    return of(buffer, offset, size, 1, AccessProperty.PERSISTING, AccessProperty.NORMAL);
  }

  //: said "window of " + Said.counted(size, "byte") + " at " + offset + " of " + buffer
}
