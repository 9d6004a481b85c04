// SPDX-License-Identifier: Apache-2.0
// Keys that sign and verify containers.
using System;

namespace Cucore {
/// <summary>A key.</summary>
public sealed partial class Key {
  private readonly byte[] bytes;

  /// <summary>How it signs or verifies.</summary>
  public KeyAlgorithm Algorithm { get; }

  /// <summary>Copies the bytes: a shared secret, the seed of a private key, or a public
  /// key.</summary>
  /// <param name="algorithm">how it signs or verifies</param>
  /// <param name="bytes">1 or more for HmacSha256, 32 for Ed25519</param>
  public Key(KeyAlgorithm algorithm, byte[] bytes) {
    if (bytes == null) throw new ArgumentNullException(nameof(bytes));
    Algorithm = algorithm;
    this.bytes = (byte[])bytes.Clone();
  }

  /// <summary>Copies the bytes: a shared secret, the seed of a private key, or a public
  /// key.</summary>
  /// <param name="algorithm">how it signs or verifies</param>
  /// <param name="bytes">1 or more for HmacSha256, 32 for Ed25519</param>
  public Key(KeyAlgorithm algorithm, ReadOnlySpan<byte> bytes) : this(algorithm, bytes.ToArray()) {}

  internal void AddTo(NativeCacheOptions options, string field) {
    using (Pinned pinned = new Pinned(bytes)) options.AddKey(field, Algorithm, pinned.Address, bytes.Length);
  }

  internal void AddTo(NativeKeys keys) {
    using (Pinned pinned = new Pinned(bytes)) keys.Add(Algorithm, pinned.Address, bytes.Length);
  }
}
}
