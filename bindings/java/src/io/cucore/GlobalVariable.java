package io.cucore;

/** Where a variable is on a device. */
public final class GlobalVariable {
  private final long address;
  private final long size;

  GlobalVariable(long[] both) {
    address = both[0];
    size = both[1];
  }

  /**
   * The address, good while the code is loaded.
   *
   * @return the address
   */
  public long address() {
    return address;
  }

  /**
   * The size.
   *
   * @return bytes
   */
  public long size() {
    return size;
  }

  @Override
  public boolean equals(Object other) {
    if (!(other instanceof GlobalVariable)) {
      return false;
    }
    GlobalVariable that = (GlobalVariable) other;
    return address == that.address && size == that.size;
  }

  @Override
  public int hashCode() {
    return java.util.Objects.hash(address, size);
  }

  @Override
  public String toString() {
    return size + " bytes at 0x" + Long.toHexString(address);
  }
}
