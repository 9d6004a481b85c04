// SPDX-License-Identifier: Apache-2.0
package io.cucore;

/** Options for writing object code. */
public final class SerializeOptions {
  //: builder
  final Toggle compression; // Whether the code is compressed with zstd; default: it is not -> the choice
  final SigningKey signingKey; // The key that signs; default: unsigned -> the key
}
