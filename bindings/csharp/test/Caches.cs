// SPDX-License-Identifier: Apache-2.0
// Scenarios of the cache: its results, its reports, its refusals.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Threading;
using Cucore;

public static class Caches {
  internal const string Fill = "template <typename T> __global__ void fill(T *p, T v) { p[threadIdx.x] = v; }\n";

  // Uses a folder that other users cannot write to, and removes it at the end.
  internal static void InFolder(Action<string> action) {
    string folder = Path.Combine(Path.GetTempPath(), "cucore-" + Guid.NewGuid().ToString("N"));
    Directory.CreateDirectory(folder);
    System.Diagnostics.Process.Start("chmod", $"700 {folder}").WaitForExit();
    try { action(folder); } finally { Directory.Delete(folder, true); }
  }

  internal static CudaProgram Named(string source, string name) {
    return new CudaProgram(source, new ProgramOptions { Arch = "compute_80", Name = name });
  }

  internal static byte[] Key(int number) { return Enumerable.Repeat((byte)number, 32).ToArray(); }

  private static void CheckOutcome(CacheOutcome wanted, byte[] bytes, CacheResult got) {
    // Mono's compiler does not call it by itself
    got.Deconstruct(out ObjectCode code, out CacheOutcome outcome);
    using (code) {
      Check.Equal(wanted, outcome);
      Check.Same(bytes, code.ToBytes());
      Check.Contains(wanted.ToString(), got.ToString());
    }
  }

  private static string[] Files(string folder) { return Directory.GetFiles(folder, "*.cuco", SearchOption.AllDirectories); }

  public static void GivesWhatCompilingGives() {
    InFolder(folder => {
      using (CudaProgram program = Named(Fill, "fill.cu")) {
        byte[] bytes = program.Compile(CodeType.Ptx, "fill<float>", "fill<int>").ToBytes();
        Check.Same(bytes, program.Compile(CodeType.Ptx, (Cache)null, "fill<float>", "fill<int>").ToBytes());
        using (Cache cache = new Cache(folder)) {
          Check.Equal(folder, cache.Directory);
          CheckOutcome(CacheOutcome.Built, bytes, cache.Compile(program, CodeType.Ptx, "fill<float>", "fill<int>"));
          CheckOutcome(CacheOutcome.HitMemory, bytes, cache.Compile(program, CodeType.Ptx, "fill<float>", "fill<int>"));
          Check.Same(bytes, program.Compile(CodeType.Ptx, cache, "fill<float>", "fill<int>").ToBytes());
        }
        using (Cache cache = new Cache(new CacheOptions { Directory = folder })) {
          CheckOutcome(CacheOutcome.HitDisk, bytes, cache.Compile(program, CodeType.Ptx, "fill<float>", "fill<int>"));
          using (ObjectCode other = cache.Compile(program, CodeType.Ptx, "fill<double>").Code) Check.Equal(1, other.Symbols.Count);
          Check.Equal(1L, cache.Statistics.Misses);
        }
      }
    });
  }

  public static void FindCompilesNothing() {
    InFolder(folder => {
      using (CudaProgram program = Named(Fill, "fill.cu"))
      using (Cache cache = new Cache(folder)) {
        Check.That(cache.Find(program) == null, "an empty cache has no code");
        Check.Equal(0L, cache.Statistics.Builds + cache.Statistics.Misses);
        byte[] bytes = cache.Compile(program).Code.ToBytes();
        CheckOutcome(CacheOutcome.HitMemory, bytes, cache.Find(program));
        using (Cache other = new Cache(folder)) CheckOutcome(CacheOutcome.HitDisk, bytes, other.Find(program));
      }
    });
  }

  public static void WhatComesFromItStays() {
    InFolder(folder => {
      ObjectCode code;
      using (CudaProgram program = Named(World.Scale, "stays.cu"))
      using (Cache cache = new Cache(folder)) {
        code = cache.Compile(program).Code;
        cache.Trim(0);
      }
      using (CudaStream stream = World.Stream())
      using (code) World.CheckScale(stream, code.GetKernel("scale"), 3);
    });
  }

  public static void Links() {
    InFolder(folder => {
      ProgramOptions relocatable = new ProgramOptions { Arch = "sm_80", RelocatableDeviceCode = true };
      LinkerOptions options = new LinkerOptions { Name = "linked", Arch = "sm_80" };
      using (Cache cache = new Cache(folder))
      using (ObjectCode input = new CudaProgram(World.Scale, relocatable).Compile(CodeType.Cubin)) {
        Linker[] linkers = Enumerable.Range(0, 3).Select(i => new Linker(options)).ToArray();
        foreach (Linker each in linkers) each.Add(input);
        CacheResult built = cache.Link(linkers[0]);
        byte[] bytes = built.Code.ToBytes();
        CheckOutcome(CacheOutcome.Built, bytes, built);
        CheckOutcome(CacheOutcome.HitMemory, bytes, cache.Link(linkers[1], CodeType.Cubin));
        Check.Same(bytes, linkers[2].Link(CodeType.Cubin, cache).ToBytes());
        Check.Same(bytes, linkers[2].Link(CodeType.Cubin, null).ToBytes());
        Check.Equal(2L, cache.Statistics.HitsMemory);
      }
    });
  }

  public static void Failures() {
    InFolder(folder => {
      using (Cache cache = new Cache(folder))
      using (CudaProgram program = new CudaProgram("#error this one\n")) {
        CompilationException e = Check.Throws<CompilationException>(() => cache.Compile(program));
        Check.Contains("this one", e.Log);
        Check.That(e.Diagnostics.Count > 0);
        Check.Throws<ArgumentNullException>(() => cache.Compile(null));
        Check.Throws<ArgumentNullException>(() => cache.Link(null));
        Check.Equal(1L, cache.Statistics.BuildFailures);
        Check.Equal(0L, cache.Statistics.Stores);
      }
    });
  }

  public static void KeysOfYourOwn() {
    InFolder(folder => {
      ObjectCode code = World.Code(World.Scale);
      using (Cache cache = new Cache(folder)) {
        Check.That(cache.Get(Key(1)) == null);
        cache.Put(Key(1), code);
        using (ObjectCode again = cache.Get(Key(1))) Check.Same(code.ToBytes(), again.ToBytes());
        Check.That(cache.Get(Key(2)) == null);
        foreach (int size in new[] { 0, 31, 33 }) {
          byte[] wrong = new byte[size];
          string message = Check.Throws<InvalidArgumentException>(() => cache.Get(wrong)).Message;
          Check.Contains("32 bytes", message);
          Check.Contains(size.ToString(), message);
          Check.Throws<InvalidArgumentException>(() => cache.Put(wrong, code));
          Check.Throws<InvalidArgumentException>(() => cache.GetOrBuild(wrong, () => throw new Exception("it was called")));
        }
        Check.Throws<ArgumentNullException>(() => cache.Get(null));
        Check.Throws<ArgumentNullException>(() => cache.Put(null, code));
        Check.Throws<ArgumentNullException>(() => cache.Put(Key(3), null));
      }
      using (Cache later = new Cache(folder)) {
        CheckOutcome(CacheOutcome.HitDisk, code.ToBytes(), later.GetOrBuild(Key(1), () => throw new Exception("it was called")));
        Check.Equal(1L, later.Statistics.HitsDisk);
      }
    });
  }

  public static void InMemory() {
    using (Cache cache = new Cache("")) {
      Check.Equal("", cache.Directory);
      cache.Put(Key(1), World.Code(World.Scale));
      cache.Get(Key(1)).Dispose();
      Check.Equal(0, cache.Entries.Count);
    }
  }

  public static void OptionsThatAreWrong() {
    InFolder(folder => {
      Check.Contains("CacheOptions.MaxBytes", Check.Throws<InvalidArgumentException>(
          () => new Cache(new CacheOptions { Directory = folder, MaxBytes = -1 })).Message);
      Check.Contains("CacheOptions.LockTimeoutMs", Check.Throws<InvalidArgumentException>(
          () => new Cache(new CacheOptions { Directory = folder, LockTimeoutMs = 1L << 32 })).Message);
      Key bad = new Key(KeyAlgorithm.Ed25519, new byte[5]);
      Check.Throws<InvalidArgumentException>(() => new Cache(new CacheOptions { Directory = folder, Keys = { bad } }));
      Check.Throws<ArgumentNullException>(() => new Cache((string)null));
      string open = Path.Combine(folder, "open");
      Directory.CreateDirectory(open);
      System.Diagnostics.Process.Start("chmod", $"777 {open}").WaitForExit();
      Check.Throws<IoException>(() => new Cache(open));
      using (Cache cache = new Cache(folder)) Check.Throws<ArgumentOutOfRangeException>(() => cache.Trim(-1));
    });
  }

  public static void ReadOnlyNameSpacesHermetic() {
    InFolder(folder => {
      using (Cache cache = new Cache(folder)) cache.Put(Key(1), World.Code(World.Scale));
      int before = Files(folder).Length;
      CudaProgram program = Named(World.Scale, "read.cu");
      using (Cache cache = new Cache(new CacheOptions { Directory = folder, ReadOnly = true })) {
        cache.Get(Key(1)).Dispose();
        Check.Equal(CacheOutcome.Built, cache.Compile(program).Outcome);
        Check.Equal(before, Files(folder).Length);
      }
      using (Cache one = new Cache(new CacheOptions { Directory = folder, NameSpace = "one" }))
      using (Cache again = new Cache(new CacheOptions { Directory = folder, NameSpace = "one", Locking = true }))
      using (Cache two = new Cache(new CacheOptions { Directory = folder, NameSpace = "two", TrustToolkit = true, Durable = true })) {
        Check.Equal(CacheOutcome.Built, one.Compile(program).Outcome);
        Check.Equal(CacheOutcome.HitDisk, again.Compile(program).Outcome);
        Check.Equal(CacheOutcome.Built, two.Compile(program).Outcome);
      }
      File.WriteAllText(Path.Combine(folder, "a.h"), "#define A 1\n");
      using (Cache cache = new Cache(new CacheOptions { Directory = folder, Hermetic = true })) {
        CudaProgram reads = new CudaProgram("#include \"a.h\"\n", new ProgramOptions { IncludePaths = { folder } });
        Check.Contains("a.h", Check.Throws<InvalidArgumentException>(() => cache.Compile(reads)).Message);
      }
    });
  }

  public static void Statistics() {
    InFolder(folder => {
      CacheOptions options = new CacheOptions { Directory = folder, MaxBytes = 1 << 20, MaxEntries = 100, MaxMemory = 1 << 20, MaxAgeSeconds = 1000 };
      using (CudaProgram program = Named(Fill, "count.cu"))
      using (Cache cache = new Cache(options)) {
        for (int i = 0; i < 3; ++i)
          foreach (string name in new[] { "fill<int>", "fill<float>" }) cache.Compile(program, CodeType.Ptx, name).Code.Dispose();
        CacheStatistics s = cache.Statistics;
        Check.Same(new[] { 2L, 2, 1, 1, 4, 2, 2 }, new[] { s.Builds, s.Misses, s.MissesNew, s.MissesExpressions, s.HitsMemory, s.Entries, s.Stores });
        Check.Equal(0L, s.HitsDisk + s.HitsRemote + s.Joins + s.Bypasses + s.Corrupt + s.Evictions);
        Check.Same(new[] { 1L << 20, 100 }, new[] { s.MaxBytes, s.MaxEntries });
        Check.That(s.Bytes > 0 && s.BytesWritten > 0);
      }
      using (Cache other = new Cache(folder)) {
        Check.Equal(0L, other.Statistics.Builds);
        Check.Equal(2L, other.StatisticsOfAll.Builds);
        Check.Equal(4L, other.StatisticsOfAll.HitsMemory);
        PropertyInfo[] numbers = typeof(CacheStatistics).GetProperties().Where(p => p.PropertyType == typeof(long)).ToArray();
        Check.That(numbers.Length >= 35, $"{numbers.Length} numbers");
        CacheStatistics all = other.StatisticsOfAll;
        foreach (PropertyInfo each in numbers) Check.Contains($"{each.Name}={each.GetValue(all)}", all.ToString());
      }
    });
  }

  public static void EntriesVerifyTrim() {
    InFolder(folder => {
      DateTimeOffset before = DateTimeOffset.UtcNow.AddSeconds(-2);
      using (CudaProgram program = Named(Fill, "entry.cu"))
      using (CudaProgram own = Named(World.Scale, "own.cu"))
      using (Cache cache = new Cache(folder)) {
        cache.Compile(program, CodeType.Ptx, "fill<int>").Code.Dispose();
        cache.Put(Key(7), own.Compile());
        Check.Equal(2, cache.Entries.Count(e => e.Kind == CacheFile.Entry));
        Check.That(cache.Verify().All(e => e.IsSound));
        CacheEntry entry = cache.Verify().Single(e => e.Name == "own.cu");
        Check.Equal(CodeType.Ptx, entry.Type.Value);
        Check.Equal("compute_80", entry.Arch);
        Check.Equal("", entry.Problem);
        Check.That(entry.Size > 100);
        foreach (DateTimeOffset moment in new[] { entry.Made, entry.Used })
          Check.That(before < moment && moment < DateTimeOffset.UtcNow.AddSeconds(2), $"{moment}");
        string hex = BitConverter.ToString(entry.GetKey()).Replace("-", "").ToLowerInvariant();
        entry.GetKey()[0] ^= 1;
        string file = Path.Combine(folder, "v1", hex.Substring(0, 2), hex.Substring(2) + ".cuco");
        byte[] bytes = File.ReadAllBytes(file);
        File.WriteAllBytes(file, new byte[1]);
        Check.Contains("Entry, 1 byte: ", cache.Entries.Single(e => e.Size == 1).ToString());
        bytes[bytes.Length / 2] ^= 1;
        File.WriteAllBytes(file, bytes);
        CacheEntry bad = cache.Verify().Single(e => !e.IsSound);
        Check.Same(entry.GetKey(), bad.GetKey());
        Check.That(bad.Problem.Length != 0);
        Check.Contains(bad.Problem, bad.ToString());
        Check.That(!File.Exists(file));
        Check.Equal(1L, cache.Statistics.Corrupt);
        Check.Equal(0, cache.Trim(long.MaxValue).Count);
        Check.That(typeof(Cache).GetMethod("Trim").GetParameters().All(p => !p.IsOptional), "everything is removed only if that is said");
        Check.That(cache.Trim(0).Any(e => e.Kind == CacheFile.Entry));
        Check.Equal(0, Files(folder).Length);
      }
    });
  }

  public static void ExplainsMisses() {
    InFolder(folder => {
      using (CudaProgram program = Named(Fill, "explain.cu"))
      using (CudaProgram changed = Named(Fill + "// more\n", "explain.cu"))
      using (Cache cache = new Cache(folder)) {
        Check.That(cache.ExplainMiss(program, CodeType.Ptx, "fill<int>").StartsWith("miss"));
        cache.Compile(program, CodeType.Ptx, "fill<int>").Code.Dispose();
        Check.That(cache.ExplainMiss(program, CodeType.Ptx, "fill<int>").StartsWith("hit"));
        string text = cache.ExplainMiss(changed, CodeType.Ptx, "fill<int>");
        Check.That(text.StartsWith("miss"));
        Check.Contains("source", text);
      }
    });
  }

  public static void Remotes() {
    InFolder(folder => {
      Key key = new Key(KeyAlgorithm.HmacSha256, new byte[] { 1, 2, 3 });
      Key stranger = new Key(KeyAlgorithm.HmacSha256, new byte[] { 4 });
      string shared = Path.Combine(folder, "shared");
      Directory.CreateDirectory(shared);
      CudaProgram program = Named(World.Scale, "remote.cu");
      using (Cache cache = new Cache(new CacheOptions { Directory = Path.Combine(folder, "a"), SigningKey = key, Keys = { key } })) {
        cache.AddRemote("file://" + shared);
        Check.Equal(CacheOutcome.Built, cache.Compile(program).Outcome);
        for (int i = 0; i < 1000 && cache.Statistics.RemoteStores == 0; ++i) Thread.Sleep(10);
        Check.Equal(1L, cache.Statistics.RemoteStores);
      }
      using (Cache cache = new Cache(new CacheOptions { Directory = Path.Combine(folder, "b"), Keys = { stranger, key } })) {
        cache.AddRemote("file://" + shared, readOnly: true, timeout: TimeSpan.FromSeconds(5));
        Check.Equal(CacheOutcome.HitRemote, cache.Compile(program).Outcome);
      }
      using (Cache cache = new Cache(new CacheOptions { Directory = Path.Combine(folder, "c"), Keys = { stranger } })) {
        cache.AddRemote("file://" + shared, connectTimeout: TimeSpan.FromSeconds(1));
        Check.Equal(CacheOutcome.Built, cache.Compile(program).Outcome);
        Check.Equal(1L, cache.Statistics.RemoteRefused);
        Check.Throws<InvalidArgumentException>(() => cache.AddRemote("ftp://host/"));
        Check.Throws<ArgumentNullException>(() => cache.AddRemote(null));
        foreach (TimeSpan wrong in new[] { TimeSpan.FromTicks(1), TimeSpan.FromSeconds(-1), TimeSpan.FromDays(365) })
          Check.Throws<ArgumentOutOfRangeException>(() => cache.AddRemote("file:///", timeout: wrong));
      }
    });
  }

  public static void ProcessesShareAFolder() {
    InFolder(folder => {
      string[] where = { "CUCORE_CACHE_DIR=" + folder };
      Check.Equal("Built", Processes.Run("CompileCached", 0, where));
      Check.Equal("HitDisk", Processes.Run("CompileCached", 0, where));
      using (CudaProgram program = Named(World.Scale, "shared.cu"))
      using (Cache cache = new Cache(folder)) {
        Check.Equal(CacheOutcome.HitDisk, cache.Compile(program).Outcome);
        Check.Equal(1L, cache.StatisticsOfAll.Builds);
      }
      string[] outputs = new string[2];
      World.Together(2, which => outputs[which] = Processes.Run("CompileCached", 0, "CUCORE_CACHE_DIR=" + Path.Combine(folder, "second")));
      Check.Same(new[] { "Built", "HitDisk" }, outputs.OrderBy(o => o));
    });
  }

  public static void SwitchedOff() {
    InFolder(folder => {
      Check.Equal("Bypassed", Processes.Run("CompileCached", 0, "CUCORE_CACHE=off", "CUCORE_CACHE_DIR=" + folder));
      Check.Equal(0, Files(folder).Length);
    });
  }
}
