// SPDX-License-Identifier: Apache-2.0
// Options of object code: what goes with bytes from elsewhere, how it is written, what is asked when it is read.
using System.Collections.Generic;

namespace Cucore {
/// <summary>What goes with the bytes of object code made elsewhere.</summary>
public sealed class ObjectCodeOptions {
  /// <summary>Shown in messages; default "".</summary>
  public string Name { get; set; }
  /// <summary>The architecture, where the bytes do not say it themselves.</summary>
  public string Arch { get; set; }
  /// <summary>Names under which kernels are to be found, each with the name that the kernel has in the code.</summary>
  public NamedList<string> LoweredNames { get; set; } = new NamedList<string>();

  internal string[] Pick(bool lowered) {
    string[] picked = new string[LoweredNames == null ? 0 : LoweredNames.Count];
    for (int i = 0; i < picked.Length; ++i) picked[i] = lowered ? LoweredNames[i].Value : LoweredNames[i].Key;
    return picked;
  }

  //: described
}

/// <summary>How to write object code to bytes.</summary>
public sealed class SerializeOptions {
  /// <summary>Whether to compress (zstd); by default the bytes are written as they are.</summary>
  public bool? Compression { get; set; }
  /// <summary>The key that signs; null: unsigned.</summary>
  public Key SigningKey { get; set; }

  //: described
}

/// <summary>What to ask of bytes that are read.</summary>
public sealed class DeserializeOptions {
  /// <summary>Refuses images above this many bytes; 0: 1 GiB.</summary>
  public ulong MaxCodeSize { get; set; }
  /// <summary>Whether a signature is asked for.</summary>
  public SignaturePolicy SignaturePolicy { get; set; }
  /// <summary>The keys that verify; SignaturePolicy.Required needs one or more.</summary>
  public IList<Key> Keys { get; set; } = new List<Key>();

  //: described
}
}
