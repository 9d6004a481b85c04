// SPDX-License-Identifier: Apache-2.0
// The cache: compiles and links only programs that it has not built before.
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;

namespace Cucore {
/// <summary>Object code, and the place where a cache found it.</summary>
public sealed class CacheResult {
  //: fields internal (ObjectCode code, int outcome)
  /// <summary>The object code, which the caller disposes of.</summary>
  public ObjectCode Code { get; } = code;
  /// <summary>The place where it was found.</summary>
  public CacheOutcome Outcome { get; } = (CacheOutcome)outcome;

  /// <summary>For "var (code, outcome) = cache.Compile(...)".</summary>
  public void Deconstruct(out ObjectCode code, out CacheOutcome outcome) {
    code = Code;
    outcome = Outcome;
  }

  /// <summary>The outcome and the object code.</summary>
  public override string ToString() { return $"{Outcome}: {Code}"; }
}

public partial class Cache {
  /// <summary>Opens a cache in a folder, with the defaults for the rest.</summary>
  /// <param name="directory">the folder, which is created if it is missing; "": only memory</param>
  public Cache(string directory)
      : this(new CacheOptions { Directory = directory ?? throw new ArgumentNullException(nameof(directory)) }) {}

  //: cucore_cache_compile
  /// <returns>the object code, and the place where it was found</returns>
  public CacheResult Compile(CudaProgram program, CodeType target = CodeType.Ptx, params string[]? nameExpressions) {
    return Find(program, target, nameExpressions) ?? Waits.Finish(new NativeCompiling(program, this, target, nameExpressions));
  }

  //: cucore_cache_find
  /// <returns>the object code, and the place where it was found; null if it is missing</returns>
  public CacheResult? Find(CudaProgram program, CodeType target = CodeType.Ptx, params string[]? nameExpressions) {
    ObjectCode? code = RawFind(program, target, nameExpressions, out int outcome);
    return code == null ? null : new CacheResult(code, outcome);
  }

  //: cucore_cache_link
  /// <returns>the object code, and the place where it was found</returns>
  public CacheResult Link(Linker linker, CodeType target = CodeType.Cubin) {
    ObjectCode code = RawLink(linker, target, out int outcome);
    return new CacheResult(code, outcome);
  }

  //: cucore_cache_get
  public ObjectCode? Get(byte[] key) { return Get(Checked.NotNull(key, nameof(key))); }

  //: cucore_cache_put
  public void Put(byte[] key, ObjectCode code) { Put(Checked.NotNull(key, nameof(key)), code); }

  //: cucore_cache_get_or_build
  /// <param name="build">called on this thread if the entry is missing; must not request the same
  /// key</param>
  /// <returns>the object code, and the place where it was found; a new build returns the object of
  /// build</returns>
  /// <remarks>An exception of build leaves this call unchanged.</remarks>
  public CacheResult GetOrBuild(byte[] key, Func<ObjectCode> build) { return GetOrBuild(Checked.NotNull(key, nameof(key)), build); }

  //: cucore_cache_get
  public unsafe ObjectCode? Get(ReadOnlySpan<byte> key) {
    fixed (byte* first = &MemoryMarshal.GetReference(key)) return RawGet((IntPtr)first, key.Length);
  }

  //: cucore_cache_put
  public unsafe void Put(ReadOnlySpan<byte> key, ObjectCode code) {
    fixed (byte* first = &MemoryMarshal.GetReference(key)) RawPut((IntPtr)first, key.Length, code);
  }

  //: cucore_cache_get_or_build
  /// <param name="build">called on this thread if the entry is missing; must not request the same
  /// key</param>
  /// <returns>the object code, and the place where it was found; a new build returns the object of
  /// build</returns>
  /// <remarks>An exception of build leaves this call unchanged.</remarks>
  public unsafe CacheResult GetOrBuild(ReadOnlySpan<byte> key, Func<ObjectCode> build) {
    CacheBuilding building = new CacheBuilding(build);
    fixed (byte* first = &MemoryMarshal.GetReference(key)) return building.Ask(this, (IntPtr)first, key.Length);
  }

  //: cucore_cache_remove
  public bool Remove(byte[] key) { return Remove(Checked.NotNull(key, nameof(key))); }

  //: cucore_cache_remove
  public unsafe bool Remove(ReadOnlySpan<byte> key) {
    fixed (byte* first = &MemoryMarshal.GetReference(key)) return RawRemove((IntPtr)first, key.Length);
  }

  //: cucore_cache_statistics
  public CacheStatistics Statistics { get { return new CacheStatistics(RawStatistics()); } }

  //: cucore_cache_statistics_of_all
  public CacheStatistics StatisticsOfAll { get { return new CacheStatistics(RawStatisticsOfAll()); } }

  //: cucore_cache_query
  public IReadOnlyList<CacheEntry> Entries { get { return CacheEntry.List(RawEntries()); } }

  //: cucore_cache_verify
  /// <returns>every file; those that are not IsSound were damaged</returns>
  public IReadOnlyList<CacheEntry> Verify() { return CacheEntry.List(RawVerify()); }

  //: cucore_cache_trim
  /// <returns>the removed files</returns>
  public IReadOnlyList<CacheEntry> Trim(long maxBytes) { return CacheEntry.List(RawTrim((ulong)Checked.NotNegative(maxBytes, nameof(maxBytes)))); }

  //: cucore_cache_explain_miss
  public string ExplainMiss(CudaProgram program, CodeType target = CodeType.Ptx, params string[]? nameExpressions) {
    return RawExplainMiss(program, target, nameExpressions);
  }

  //: cucore_cache_add_remote_url
  /// <param name="url">file:///shared/folder, http://host/path, https://, or redis://:password@host:port/database</param>
  /// <param name="readOnly">whether nothing is sent to it</param>
  /// <param name="connectTimeout">in whole milliseconds; null: 100 ms</param>
  /// <param name="timeout">limit per request; null: one second</param>
  public void AddRemote(string url, bool readOnly = false, TimeSpan? connectTimeout = null, TimeSpan? timeout = null) {
    if (url == null) throw new ArgumentNullException(nameof(url));
    RawAddRemote(url, readOnly, Timeout.Milliseconds(connectTimeout, nameof(connectTimeout)), Timeout.Milliseconds(timeout, nameof(timeout)));
  }
}
}
