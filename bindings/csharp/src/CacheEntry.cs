// SPDX-License-Identifier: Apache-2.0
// One file of a cache.
using System;
using System.Collections.Generic;

namespace Cucore {
/// <summary>One file of a cache, as it was at the time of the report.</summary>
public sealed class CacheEntry {
  //: fields private (NativeCacheEntries all, long index)
  private readonly byte[] key = all.Key(index);
  /// <summary>The kind of file.</summary>
  public CacheFile Kind { get; } = all.Kind(index);
  /// <summary>Whether it is intact. If not, it has been removed, unless the cache is
  /// read-only.</summary>
  public bool IsSound { get; } = all.IsSound(index);
  /// <summary>In bytes.</summary>
  public long Size { get; } = all.Size(index);
  /// <summary>The time of its creation.</summary>
  public DateTimeOffset Made { get; } = Moment(all.MadeNs(index));
  /// <summary>The time of its last use.</summary>
  public DateTimeOffset Used { get; } = Moment(all.UsedNs(index));
  /// <summary>The kind of its code; null if the file was not read, or is not an entry.</summary>
  public CodeType? Type { get; } = all.Type(index) == 0 ? (CodeType?)null : (CodeType)all.Type(index);
  /// <summary>The name of its code; "" if the file was not read.</summary>
  public string Name { get; } = all.Name(index);
  /// <summary>The architecture of its code, "sm_90"; "" if the file was not read.</summary>
  public string Arch { get; } = all.Arch(index);
  /// <summary>The description of its damage; "" for an intact file.</summary>
  public string Problem { get; } = all.Problem(index);

  /// <summary>A copy of its key: 32 bytes, in hexadecimal its name in the folder.</summary>
  public byte[] GetKey() { return (byte[])key.Clone(); }

  private static DateTimeOffset Moment(long nanoseconds) { return DateTimeOffset.FromUnixTimeSeconds(0).AddTicks(nanoseconds / Timeout.NanosecondsPerTick); }

  internal static CacheEntry[] List(NativeCacheEntries told) {
    using (told) {
      CacheEntry[] all = new CacheEntry[told.Count];
      for (int i = 0; i < all.Length; ++i) all[i] = new CacheEntry(told, i);
      return all;
    }
  }

  /// <summary>Its kind, its size, and its damage.</summary>
  public override string ToString() { return $"{Kind}{(Name.Length == 0 ? "" : " " + Name)}, {Describe.Bytes(Size)}{(IsSound ? "" : ": " + Problem)}"; }
}
}
