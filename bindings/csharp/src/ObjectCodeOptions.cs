// SPDX-License-Identifier: Apache-2.0
// Options of object code: for bytes from elsewhere, for writing, and for reading.
using System.Collections.Generic;

namespace Cucore {
/// <summary>Options for the bytes of object code made elsewhere.</summary>
public sealed class ObjectCodeOptions {
  /// <summary>Shown in messages; default "".</summary>
  public string? Name { get; set; }
  /// <summary>The architecture, if the bytes do not record it.</summary>
  public string? Arch { get; set; }
  /// <summary>Names under which kernels are found, each with the kernel's name in the
  /// code.</summary>
  public NamedList<string> LoweredNames { get; set; } = new NamedList<string>();

  private static readonly NamedList<string> none = new NamedList<string>();

  internal string[] Pick(bool lowered) {
    NamedList<string> names = LoweredNames ?? none;
    string[] picked = new string[names.Count];
    for (int i = 0; i < picked.Length; ++i) picked[i] = lowered ? names[i].Value : names[i].Key;
    return picked;
  }

  //: described
}

/// <summary>Options for writing object code.</summary>
public sealed class SerializeOptions {
  /// <summary>Whether to compress (zstd); by default the bytes are not compressed.</summary>
  public bool? Compression { get; set; }
  /// <summary>The key that signs; null: unsigned.</summary>
  public Key? SigningKey { get; set; }

  //: described
}

/// <summary>Options for reading bytes.</summary>
public sealed class DeserializeOptions {
  /// <summary>Refuses images above this many bytes; 0: 1 GiB.</summary>
  public ulong MaxCodeSize { get; set; }
  /// <summary>Whether a signature is required.</summary>
  public SignaturePolicy SignaturePolicy { get; set; }
  /// <summary>The keys that verify; SignaturePolicy.Required needs one or more.</summary>
  public IList<Key> Keys { get; set; } = new List<Key>();

  //: described
}
}
