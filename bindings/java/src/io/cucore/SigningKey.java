// SPDX-License-Identifier: Apache-2.0
package io.cucore;

/** A key that signs containers of object code, or verifies their signatures. */
public final class SigningKey {
  //: fields
  private final KeyAlgorithm algorithm; // Its purpose -> the algorithm
  private final byte[] bytes;

  /**
   * Makes a key from its bytes.
   *
   * @param algorithm what it is for
   * @param bytes a shared secret; of ED25519 32 bytes: the private key's seed signs, the public key
   *     verifies. They are copied
   */
  public SigningKey(KeyAlgorithm algorithm, byte[] bytes) {
    this.algorithm = Given.notNull(algorithm, "algorithm");
    this.bytes = Given.notNull(bytes, "bytes").clone();
  }

  /** Excludes the key itself. */
  @Override
  public String toString() {
    return algorithm + " key of " + Said.counted(bytes.length, "byte");
  }

  void addTo(Options.Target target, String field) {
    target.addKey(field, algorithm, bytes);
  }

  void addTo(NativeKeys keys) {
    keys.add(algorithm, bytes);
  }

  NativeKeys toNative() {
    NativeKeys keys = new NativeKeys();
    addTo(keys);
    return keys;
  }
}
