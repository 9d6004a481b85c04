// SPDX-License-Identifier: Apache-2.0
// Scenarios of C#'s own code inside a call of the cache, of many threads, and of batches.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using Cucore;

public static class CacheBuilds {
  private static ObjectCode Copy() { return ObjectCode.Load(World.Code(World.Scale).ToBytes()); }
  private static ObjectCode Never() { throw new Exception("it was called"); }

  public static void EightThreadsBuildOnce() {
    Caches.InFolder(folder => {
      using (Cache cache = new Cache(folder)) {
        int builds = 0;
        World.Together(8, which => {
          using (ObjectCode code = cache.GetOrBuild(Caches.Key(1), () => {
            Interlocked.Increment(ref builds);
            Thread.Sleep(100);
            return Copy();
          }).Code) Check.Same(World.Code(World.Scale).ToBytes(), code.ToBytes());
        });
        Check.Equal(1, builds);
        CacheStatistics s = cache.Statistics;
        Check.Same(new[] { 1L, 7, 1 }, new[] { s.Builds, s.Joins + s.HitsMemory, s.Stores });
      }
    });
  }

  public static void EightThreadsCompileOnce() {
    Caches.InFolder(folder => {
      using (Cache cache = new Cache(folder))
      using (CudaProgram program = Caches.Named(World.Scale, "eight.cu")) {
        World.Together(8, which => program.Compile(CodeType.Ptx, cache).Dispose());
        Check.Equal(1L, cache.Statistics.Builds);
      }
    });
  }

  public static void GivesTheBuiltObjectItself() {
    using (Cache cache = new Cache(""))
    using (ObjectCode made = Copy()) {
      CacheResult got = cache.GetOrBuild(Caches.Key(1), () => made);
      Check.That(ReferenceEquals(made, got.Code));
      using (ObjectCode again = cache.GetOrBuild(Caches.Key(1), Never).Code) {
        Check.That(!ReferenceEquals(made, again));
        made.Dispose();
        Check.Same(World.Code(World.Scale).ToBytes(), again.ToBytes());
      }
    }
  }

  private sealed class OwnException : Exception {}
  private static ObjectCode Own() { throw new OwnException(); }

  [MethodImpl(MethodImplOptions.NoInlining)]
  private static ObjectCode WhereItWasThrown(Exception e) { throw e; }

  public static void WhatBuildThrowsComesOut() {
    using (Cache cache = new Cache("")) {
      int number = 0;
      CompilationException compiler = Check.Throws<CompilationException>(() => new CudaProgram("#error this one\n").Compile());
      foreach (Exception thrown in new Exception[] { new OwnException(), new IOException("x"), compiler, new ObjectDisposedException("y"), new System.OutOfMemoryException() }) {
        byte[] key = Caches.Key(++number);
        Exception caught = null;
        try { cache.GetOrBuild(key, () => WhereItWasThrown(thrown)); } catch (Exception e) { caught = e; }
        Check.That(ReferenceEquals(thrown, caught), $"{caught}");
        Check.Contains(nameof(WhereItWasThrown), caught.StackTrace);
        cache.GetOrBuild(key, Copy).Code.Dispose();
      }
      Check.Equal(5L, cache.Statistics.BuildFailures);
      byte[] last = Caches.Key(99);
      Check.Throws<InvalidOperationException>(() => cache.GetOrBuild(last, () => null));
      Check.Throws<ArgumentNullException>(() => cache.GetOrBuild(last, null));
      Check.Throws<ArgumentNullException>(() => cache.GetOrBuild(null, Copy));
      Check.Throws<ObjectDisposedException>(() => cache.GetOrBuild(last, () => {
        ObjectCode closed = Copy();
        closed.Dispose();
        return closed;
      }));
      cache.GetOrBuild(last, Copy).Code.Dispose();
    }
  }

  public static void ThreadsThatAreAborted() {
    using (Cache cache = new Cache("")) {
      for (int i = 0; i < 20; ++i) {
        bool isCaught = false, wentOn = false;
        using (ManualResetEvent inside = new ManualResetEvent(false)) {
          Thread thread = new Thread(() => {
            try {
              cache.GetOrBuild(Caches.Key(i), () => {
                inside.Set();
                Thread.Sleep(System.Threading.Timeout.Infinite);
                return null;
              });
              wentOn = true;
            } catch (ThreadAbortException) { isCaught = true; }
            wentOn = true;
          });
          thread.Start();
          inside.WaitOne();
          thread.Abort();
          thread.Join();
        }
        Check.That(isCaught && !wentOn, $"caught: {isCaught}, went on: {wentOn}");
        cache.GetOrBuild(Caches.Key(i), Copy).Code.Dispose();
      }
    }
  }

  // Those that waited for a build that threw build for themselves.
  public static void OthersBuildForThemselves() {
    foreach (Exception first in new Exception[] { new OwnException(), Check.Throws<CompilationException>(() => new CudaProgram("#error\n").Compile()) })
      using (Cache cache = new Cache("")) {
        int calls = 0, failed = 0;
        World.Together(8, which => {
          try {
            cache.GetOrBuild(Caches.Key(1), () => {
              if (Interlocked.Increment(ref calls) != 1) return Copy();
              Thread.Sleep(200);
              throw first;
            }).Code.Dispose();
          } catch (Exception e) {
            Check.That(ReferenceEquals(first, e), $"{e}");
            Interlocked.Increment(ref failed);
          }
        });
        Check.Equal(1, failed);
        Check.That(calls >= 2);
      }
  }

  public static void BuildsInsideOfBuilds() {
    using (Cache cache = new Cache(""))
    using (CudaProgram program = Caches.Named(World.Scale, "inside.cu"))
    using (ObjectCode outer = cache.GetOrBuild(Caches.Key(1), () => {
      Check.Throws<OwnException>(() => cache.GetOrBuild(Caches.Key(3), Own));
      Check.Throws<InvalidArgumentException>(() => cache.Get(new byte[1]));
      return cache.GetOrBuild(Caches.Key(2), () => program.Compile(CodeType.Ptx, cache)).Code;
    }).Code)
    using (CudaStream stream = World.Stream()) {
      World.CheckScale(stream, outer.GetKernel("scale"), 2);
      Check.Equal(4L, cache.Statistics.Builds);
    }
  }

  public static void ABuildThatRequestsItsOwnResult() {
    using (Cache cache = new Cache("")) {
      cache.GetOrBuild(Caches.Key(1), () => {
        var watch = System.Diagnostics.Stopwatch.StartNew();
        string message = Check.Throws<InvalidStateException>(() => cache.GetOrBuild(Caches.Key(1), Copy)).Message;
        Check.Contains("key is one that this thread is already building", message);
        Check.That(watch.ElapsedMilliseconds < 5000);
        return Copy();
      }).Code.Dispose();
      cache.Trim(0);
      // Through another key; an uncaught exception leaves every call.
      Check.Throws<InvalidStateException>(() => cache.GetOrBuild(Caches.Key(1), () =>
          cache.GetOrBuild(Caches.Key(2), () => cache.GetOrBuild(Caches.Key(1), Copy).Code).Code));
      cache.GetOrBuild(Caches.Key(1), () => cache.GetOrBuild(Caches.Key(2), Copy).Code).Code.Dispose();
    }
  }

  public static void CloseWhileInUse() {
    Caches.InFolder(folder => {
      Cache cache = new Cache(folder);
      using (ManualResetEvent inside = new ManualResetEvent(false))
      using (ManualResetEvent closed = new ManualResetEvent(false)) {
        object result = null;
        Thread thread = new Thread(() => {
          try {
            result = cache.GetOrBuild(Caches.Key(1), () => {
              inside.Set();
              closed.WaitOne();
              return Copy();
            }).Outcome;
          } catch (Exception e) { result = e; }
        });
        thread.Start();
        inside.WaitOne();
        cache.Dispose();
        Check.That(cache.IsDisposed);
        closed.Set();
        thread.Join();
        Check.Equal((object)CacheOutcome.Built, result);
        Check.Throws<ObjectDisposedException>(() => cache.GetOrBuild(Caches.Key(1), Never));
      }
      using (Cache later = new Cache(folder)) later.GetOrBuild(Caches.Key(1), Never).Code.Dispose();
    });
  }

  public static void CloseInManyThreads() {
    Caches.InFolder(folder => {
      Cache shared = new Cache(folder);
      World.Together(6, which => {
        for (int i = 0; i < 200; ++i) {
          Cache cache = Volatile.Read(ref shared);
          try {
            if (which < 2) {
              cache.Dispose();
              Volatile.Write(ref shared, new Cache(folder));
            } else {
              cache.GetOrBuild(Caches.Key(1), Copy).Code.Dispose();
              Check.That(cache.Statistics.MaxBytes > 0);
            }
          } catch (ObjectDisposedException) {
          }
        }
      });
      shared.Dispose();
    });
  }

  // During the call, only the call itself needs the delegate, the cache and the array.
  public static void CollectedWhileInUse() {
    for (int i = 0; i < 20; ++i)
      using (ObjectCode code = new Cache("").GetOrBuild(Caches.Key(i), () => {
        World.Collect();
        return Copy();
      }).Code) Check.Equal(World.Code(World.Scale).Name, code.Name);
  }

  private static void UseAndFail(Cache cache, int times) {
    for (int i = 0; i < times; ++i) {
      cache.GetOrBuild(Caches.Key(1), Never).Code.Dispose();
      Check.Throws<OwnException>(() => cache.GetOrBuild(Caches.Key(2), Own));
      Check.Equal(1L, cache.Statistics.Entries);
      if (i % 1000 == 0) World.Collect();
    }
  }

  public static void NothingLeaks() {
    Caches.InFolder(folder => {
      using (Cache cache = new Cache(folder)) {
        cache.Put(Caches.Key(1), World.Code(World.Scale));
        UseAndFail(cache, 5000);
        World.Collect();
        long before = Lifetimes.ResidentKib();
        UseAndFail(cache, 15000);
        World.Collect();
        long grown = Lifetimes.ResidentKib() - before;
        Console.WriteLine($"resident memory: {before} KiB, grown by {grown} KiB");
        Check.That(grown < 8 * 1024, $"{grown} KiB more");
      }
    });
  }

  private static string Numbered(int number) { return $"extern \"C\" __global__ void k{number}(int *p) {{ *p = {number}; }}\n"; }

  public static void Batches() {
    Caches.InFolder(folder => {
      List<BatchItem> items = Enumerable.Range(0, 6)
          .Select(i => new BatchItem(Caches.Named(i == 3 ? "#error this one\n" : Numbered(i), "batch.cu"))).ToList();
      items.Add(new BatchItem(Caches.Named(Caches.Fill, "fill.cu"), CodeType.Ptx, "fill<int>", "fill<float>"));
      items.Add(new BatchItem(items[0].Program));
      using (Cache cache = new Cache(folder)) {
        BatchOptions options = new BatchOptions { Workers = 2, TimeLimit = TimeSpan.FromMinutes(5), Cache = cache };
        for (int round = 0; round < 2; ++round) {
          IReadOnlyList<BatchResult> results = CudaProgram.CompileBatch(items, options);
          Check.Equal(items.Count, results.Count);
          for (int i = 0; i < items.Count; ++i) {
            Check.Equal(i == 3, results[i].Error != null);
            if (i == 3) continue;
            using (ObjectCode alone = items[i].Program.Compile(CodeType.Ptx, items[i].NameExpressions.ToArray()))
            using (results[i].Code) Check.Same(alone.ToBytes(), results[i].Code.ToBytes());
          }
          Check.That(results[3].Code == null && results[3].Error is CompilationException);
          Check.Contains("this one", results[3].Error.Log);
          Check.Equal(1, results[3].Error.Diagnostics[0].Line);
          Check.Equal(results[3].Error.Message, results[3].ToString());
        }
        Check.Same(new[] { 6L + 2, 6 }, new[] { cache.Statistics.Builds, cache.Statistics.Stores });
      }
      foreach (BatchResult each in CudaProgram.CompileBatch(items.Take(2))) each.Code.Dispose();
    });
  }

  public static void BatchesThatAreWrong() {
    Check.Equal(0, CudaProgram.CompileBatch(new BatchItem[0]).Count);
    Check.Throws<ArgumentNullException>(() => new BatchItem(null));
    Check.Throws<ArgumentNullException>(() => CudaProgram.CompileBatch(null));
    Check.Throws<ArgumentException>(() => CudaProgram.CompileBatch(new BatchItem[] { null }));
    CudaProgram program = new CudaProgram(World.Scale);
    BatchItem[] items = { new BatchItem(program) };
    Check.Contains("workers", Check.Throws<InvalidArgumentException>(() => CudaProgram.CompileBatch(items, new BatchOptions { Workers = -1 })).Message);
    Check.Throws<ArgumentOutOfRangeException>(() => CudaProgram.CompileBatch(items, new BatchOptions { TimeLimit = TimeSpan.FromTicks(1) }));
    Cache cache = new Cache("");
    cache.Dispose();
    Check.Throws<ObjectDisposedException>(() => CudaProgram.CompileBatch(items, new BatchOptions { Cache = cache }));
    program.Dispose();
    Check.Throws<ObjectDisposedException>(() => CudaProgram.CompileBatch(items));
    Check.Contains("NotFound", Processes.Run("CompileMany", 0, "CUCORE_WORKER=/no/such/worker"));
  }

  // One that takes too long does not affect the other.
  public static void TimeLimit() {
    string endless = "template <int N, int M> struct G { static constexpr int v = G<N - 1, 2 * M>::v + G<N - 1, 2 * M + 1>::v; };\n"
        + "template <int M> struct G<0, M> { static constexpr int v = M; };\n__global__ void k(int *p) { *p = G<24, 0>::v; }\n";
    BatchItem[] items = { new BatchItem(new CudaProgram(endless)), new BatchItem(new CudaProgram(World.Scale)) };
    IReadOnlyList<BatchResult> results = CudaProgram.CompileBatch(items, new BatchOptions { Workers = 2, TimeLimit = TimeSpan.FromSeconds(5) });
    Check.Contains("5000", results[0].Error.Message);
    Check.That(results[1].Error == null, results[1].ToString());
  }
}
