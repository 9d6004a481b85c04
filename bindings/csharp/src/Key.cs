// Keys from bytes.
using System;

namespace Cucore {
public partial class Key {
  /// <summary>Takes a copy of the bytes: a shared secret, the seed of a private key, or a public key.</summary>
  /// <param name="algorithm">how it signs or verifies</param>
  /// <param name="bytes">of HmacSha256 1 or more, of Ed25519 32</param>
  public Key(KeyAlgorithm algorithm, byte[] bytes) : this(Make(algorithm, bytes), true) {}

  private static IntPtr Make(KeyAlgorithm algorithm, byte[] bytes) {
    if (bytes == null) throw new ArgumentNullException(nameof(bytes));
    using (Pinned pinned = new Pinned(bytes)) {
      IntPtr made = CucoreNativePINVOKE.new_Key((int)algorithm, pinned.Address, (UIntPtr)bytes.Length);
      CucoreNativePINVOKE.Check();
      return made;
    }
  }
}
}
