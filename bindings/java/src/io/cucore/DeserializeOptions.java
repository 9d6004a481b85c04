// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.util.List;

/** Options for reading bytes. */
public final class DeserializeOptions {
  //: builder
  final long maxCodeSize; // Refuses images above a size -> the most bytes; 0: 1 GiB
  final SignaturePolicy signaturePolicy = SignaturePolicy.NONE; // Whether a signature is asked for; default: it is not, but one by a known key must be right -> the policy
  private final List<SigningKey> keys; // Adds a key that verifies -> the key

  NativeKeys toNative() {
    NativeKeys all = new NativeKeys();
    keys.forEach(key -> key.addTo(all));
    return all;
  }
}
