// SPDX-License-Identifier: Apache-2.0
// Scenarios about the evaluation and the life of arrays: kernels, scopes, tasks, threads, the collector, the exit.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Text.RegularExpressions;
using System.Threading;
using System.Threading.Tasks;
using Cucore;
using Cucore.Arrays;

public static class ArrayLives {
  private static readonly float[] X = { 0.5f, 1, 2, 4, 8, 16 };

  private static NdArray Numbers(double from, double to) { return Nd.Linspace(from, to, 4000).Cast(DType.Float32).Reshape(new long[] { 4, 1000 }).Evaluate(); }

  private static long Count(string counts, string name) { return long.Parse(Regex.Match(counts, $"\"{name}\": *([0-9]+)").Groups[1].Value); }

  // The results with the bytes that they read and write in total. The intermediate arrays are released: a kernel that
  // reduces would store those that the program still has.
  private static IEnumerable<(string Name, NdArray[] Results, long Bytes)> Patterns(NdArray x, NdArray y) {
    const long Whole = 16000, Number = 4;
    Func<NdArray> exponentials = () => Nd.Exp(x - x.Max(1, true)), centred = () => x - x.Mean(1, true);
    yield return ("sample 4", Made(() => Nd.Sqrt(Nd.Sin(x) * Nd.Cos(y) + Nd.Exp(-y * y) + Nd.Log(x + 1))), 3 * Whole);
    yield return ("softmax", Made(() => { NdArray e = exponentials(); return e / e.Sum(1, true); }), 2 * Whole);
    yield return ("log-softmax", Made(() => x - x.Max(1, true) - Nd.Log(exponentials().Sum(1, true))), 2 * Whole);
    yield return ("layer norm", Made(() => centred() / Nd.Sqrt(x.Var(1, true) + 1e-5)), 2 * Whole);
    yield return ("standardise", Made(() => centred() / x.Std(1, true)), 2 * Whole);
    yield return ("sum(x * y)", Made(() => (x * y).Sum()), 2 * Whole + Number);
    yield return ("sqrt(sum(x * x))", Made(() => Nd.Sqrt((x * x).Sum())), Whole + Number);
    yield return ("where", Made(() => Nd.Where(x > 0.5, x + 1, y) * y), 3 * Whole);
    yield return ("mean and var", Made(() => x.Mean(), () => x.Var()), Whole + 2 * Number);
  }

  private static NdArray[] Made(params Func<NdArray>[] results) {
    using (Scope scope = new Scope()) return results.Select(result => scope.Keep(result())).ToArray();
  }

  // Operations round one by one: fusion never changes a bit.
  public static void FusedEqualsEager() {
    float[][] ofPolicy = new[] { Policy.Lazy, Policy.Eager }.Select(policy => {
      using (Context context = new Context(World.Device, new ContextOptions { Policy = policy }))
      using (new Scope(context))
        return Patterns(Numbers(0.1, 1), Numbers(1, 2)).SelectMany(p => p.Results).SelectMany(r => r.ToArray<float>()).ToArray();
    }).ToArray();
    Check.Same(ofPolicy[0], ofPolicy[1]);
    Check.That(ofPolicy[0].Length > 20000 && ofPolicy[0].Distinct().Count() > 1000);
  }

  public static void StatisticsCountOneKernel() {
    using (Context context = new Context(World.Device))
    using (new Scope(context)) {
      NdArray x = NdArray.Of(X), r = ((Nd.Sin(x) + Nd.Cos(x)) * x).Named("r");
      Check.That(r.IsPending);
      Check.Contains("r = ", r.Explain());
      Check.Contains("__global__", r.Explain(Explanation.Source));
      long before = context.Statistics.KernelsLaunched;
      r.Evaluate();
      Check.That(!r.IsPending);
      Check.Equal(before + 1, context.Statistics.KernelsLaunched);
      context.Synchronize();
      Check.Equal(0L, context.Statistics.Pending);
      Check.That(context.Statistics.ReservedBytes > 0);
      context.Trim(0);
      Check.Equal(0L, context.Statistics.PlansCached);
      Check.Contains("KernelsLaunched=", context.Statistics.ToString());
      Check.Equal(0, context.Device.Ordinal);
      Check.Equal(context.Stream.Native, r.Context.Stream.Native);
    }
  }

  public static void AContextUsesTheStreamOfItsUser() {
    using (CudaStream stream = World.Stream())
    using (Context context = new Context(World.Device, new ContextOptions { Stream = stream, Policy = Policy.Eager, DefaultFloat = DType.Float32 }))
    using (new Scope(context)) {
      Check.Equal(stream.Native, context.Stream.Native);
      Check.That(!(NdArray.Of(X) + 1).IsPending);
      Check.Equal(DType.Float32, Nd.Linspace(0, 1, 3).DType);
      stream.Dispose();
      Check.Same(X.Select(v => v * 2), (NdArray.Of(X) * 2).ToArray<float>());
    }
  }

  public static void TwoContextsMix() {
    using (Context one = new Context(World.Device), two = new Context(World.Device)) {
      NdArray x, y;
      using (Scope scope = new Scope(one)) x = scope.Keep(NdArray.Of(X) * 3);
      using (Scope scope = new Scope(two)) y = scope.Keep(NdArray.Of(X) + 1);
      using (x) using (y) using (NdArray sum = x + y) Check.Same(X.Select(v => v * 3 + (v + 1)), sum.ToArray<float>());
    }
  }

  public static void LimitsAreKept() {
    using (Context context = new Context(World.Device, new ContextOptions { MaxBytes = 1 << 20 }))
    using (new Scope(context)) {
      NdArray large = Nd.Zeros(DType.Float32, 1 << 20) + 1;
      Check.Contains("max", Check.Throws<OutOfDeviceMemoryException>(() => large.Evaluate()).Message.ToLowerInvariant());
      Check.Same(X, NdArray.Of(X).ToArray<float>());
    }
  }

  // An index that the device computed is reported by the read.
  public static void LateFailuresReachTheReader() {
    using (Context context = new Context(World.Device))
    using (new Scope(context)) {
      NdArray x = NdArray.Of(X), wrong = x.Take(NdArray.Of(new[] { 1L, 7 }) * 2, 0);
      Check.Contains("is out of range for axis 0 of size 6", Check.Throws<IndexException>(() => wrong.ToArray<float>()).Message);
      Check.Same(X, (x * 1).ToArray<float>());
    }
  }

  public static void EvaluationsCanBeAwaited() {
    using (NdArray x = NdArray.Of(X), doubled = x * 2) {
      Task<NdArray> task = doubled.EvaluateAsync();
      Check.That(task.Wait(60000) && ReferenceEquals(task.Result, doubled) && !doubled.IsPending);
      Task cancelled = (x * 3).EvaluateAsync(new CancellationToken(true));
      Check.That(Check.Throws<AggregateException>(() => cancelled.Wait(60000)).InnerException is TaskCanceledException);
    }
  }

  // A task ends with the array's own work, although later work of the stream does not end by itself.
  public static void TasksWaitForTheirOwnWork() {
    using (CudaStream stream = World.Stream())
    using (Context context = new Context(World.Device, new ContextOptions { Stream = stream }))
    using (new Scope(context)) {
      NdArray x = NdArray.Of(X) * 2, sum = x.Sum(), wrong = x.Take(NdArray.Of(new[] { 98L }) + 1, 0);
      Task<NdArray> ofX = x.EvaluateAsync(), ofSum = sum.EvaluateAsync(), ofWrong = wrong.EvaluateAsync();
      using (World.Busy(stream)) {
        NdArray other = x + 1;
        Check.That(ofX.Wait(60000) && ofSum.Wait(60000));
        Exception found = Check.Throws<AggregateException>(() => ofWrong.Wait(60000)).InnerException;
        Check.Contains("index 99 is out of range for axis 0 of size 6", found.Message);
        Check.That(other.IsPending && !stream.Query());
      }
    }
  }

  // The index is computed on the device, so that only the end of the kernel shows it.
  public static void TasksFailAsTheKernelsDo() {
    using (new Scope()) {
      NdArray wrong = Nd.Arange(5)[NdArray.Of(new[] { 1L, 99 }) + 0], other = Nd.Arange(5) + 1;
      foreach (NdArray each in new[] { wrong, wrong.Reshape(new long[] { 2, 1 }) + 1 }) {
        Exception found = Check.Throws<AggregateException>(() => each.EvaluateAsync().Wait(60000)).InnerException;
        Check.That(found is IndexException);
        Check.Contains("index 99 is out of range for axis 0 of size 5", found.Message);
      }
      foreach (NdArray each in new[] { other, other.Sum(), Nd.Zeros(DType.Int8, 0, 3) }) {
        Task<NdArray> task = each.EvaluateAsync();
        Check.That(task.Wait(60000) && ReferenceEquals(task.Result, each));
      }
      Task<NdArray> disposed = (other * 2).EvaluateAsync();
      using (other) {}
      Check.That(disposed.Wait(60000));
    }
  }

  [MethodImpl(MethodImplOptions.NoInlining)]
  private static List<WeakReference> Disposed(int count) {
    List<WeakReference> all = new List<WeakReference>();
    NdArray x = Nd.Arange(5);
    for (int i = 0; i < count; ++i) using (NdArray each = x + 1) all.Add(new WeakReference(each));
    return all;
  }

  public static void AScopeForgetsArraysThatTheProgramDisposesOf() {
    using (Scope scope = new Scope()) {
      List<WeakReference> all = Disposed(1000);
      Check.Equal("scope of 1 array", scope.ToString());
      GC.Collect();
      GC.WaitForPendingFinalizers();
      Check.That(all.Count(each => each.IsAlive) <= 200);
    }
  }

  // Each ends the scope once, or arrays would look for no scope afterwards.
  public static void ThreadsMayDisposeOfAScopeTogether() {
    for (int round = 0; round < 3000; ++round) {
      Scope scope = new Scope();
      using (ManualResetEventSlim go = new ManualResetEventSlim()) {
        Action end = () => { go.Wait(); scope.Dispose(); };
        Task all = Task.WhenAll(Task.Run(end), Task.Run(end));
        go.Set();
        all.Wait();
      }
      scope.Dispose();
    }
    using (Scope scope = new Scope()) {
      Nd.Arange(3);
      Check.Equal("scope of 1 array", scope.ToString());
    }
  }

  private static async Task<NdArray> SumOf(float factor) {
    using (Scope scope = new Scope()) {
      NdArray product = NdArray.Of(X) * factor;
      await product.EvaluateAsync().ConfigureAwait(false);
      NdArray sum = product.Sum();  // perhaps in another thread: the scope has come along
      Check.Equal("scope of 3 arrays", scope.ToString());
      return scope.Keep(await sum.EvaluateAsync().ConfigureAwait(false));
    }
  }

  public static void AScopeFollowsAwaits() {
    Task<NdArray>[] all = Enumerable.Range(0, 8).Select(i => Task.Run(() => SumOf(i))).ToArray();
    Check.That(Task.WaitAll(all, 60000));
    for (int i = 0; i < all.Length; ++i) using (all[i].Result) Check.Equal(31.5f * i, all[i].Result.Item<float>());
  }

  public static void AScopeDisposesOfWhatIsMadeInside() {
    NdArray inside, kept, outermost;
    using (Scope outer = new Scope()) {
      using (Scope scope = new Scope()) {
        inside = NdArray.Of(X);
        kept = scope.Keep(inside + 1);
        outermost = outer.Keep(scope.Keep(inside + 2));
        Check.Equal("scope of 1 array", scope.ToString());
      }
      Check.That(inside.IsDisposed && !kept.IsDisposed && !outermost.IsDisposed);
      Check.Contains("NdArray", Check.Throws<ObjectDisposedException>(() => inside.Sin()).Message);
      Check.Same(X.Select(v => v + 1), kept.ToArray<float>());
    }
    Check.That(kept.IsDisposed && !outermost.IsDisposed);
    outermost.Dispose();
    outermost.Dispose();
    Scope first = new Scope(), second = new Scope();
    Check.Contains("dispose of it first", Check.Throws<InvalidStateException>(() => first.Dispose()).Message);
    string refused = null;
    Thread other = new Thread(() => refused = Check.Throws<InvalidStateException>(() => first.Dispose()).Message);
    using (ExecutionContext.SuppressFlow()) other.Start();
    other.Join();
    Check.Contains("another method or thread began it", refused);
    second.Dispose();
    first.Dispose();
    first.Dispose();
    Check.Equal("scope, disposed", first.ToString());
  }

  // A thread has the scopes of the one that began it.
  public static void AThreadMayDisposeOfTheScopeThatItBeganIn() {
    using (Context context = new Context(World.Device))
    using (new Scope()) {
      Scope scope = new Scope(context);
      Thread other = new Thread(scope.Dispose);
      other.Start();
      other.Join();
      scope.Dispose();
      using (Context ofNext = Nd.Ones(DType.Float32, 1).Context) Check.That(ofNext.Stream.Native != context.Stream.Native, "the scope is still in force");
    }
  }

  // An operand that is disposed of must not keep those before it.
  public static void ARefusedCallKeepsNoArray() {
    using (Context context = new Context(World.Device))
    using (new Scope(context)) {
      NdArray ended = Nd.Zeros(DType.Bool, 1);
      ended.Dispose();
      Func<NdArray, object>[] calls = {
        x => Nd.Where(x, x, ended), x => Nd.Concat(0, x, ended), x => Nd.Explain(Explanation.Plan, x, ended), x => x[x, ended], x => x[x, default(Slice)]
      };
      long before = context.Statistics.Arrays;
      foreach (Func<NdArray, object> call in calls) {
        using (new Scope()) {
          NdArray x = Nd.Zeros(DType.Bool, 2, 2);
          try {
            call(x);
            throw new Exception("expected a refusal");
          } catch (ObjectDisposedException) {
          } catch (ArgumentException) {}
        }
        context.Synchronize();
        Check.Equal(before, context.Statistics.Arrays);
      }
    }
  }

  [MethodImpl(MethodImplOptions.NoInlining)]
  private static void Forget(NdArray x, int count) {
    for (int i = 0; i < count; ++i) x.Add(i);
  }

  // 100 000 arrays that the program forgets: their release never waits, and memory stays flat.
  public static void ForgottenArraysAreReleased() {
    using (Context context = new Context(World.Device))
    using (new Scope(context)) {
      NdArray x = NdArray.Of(X);
      Thread storm = new Thread(() => Forget(x, 100000));
      using (ExecutionContext.SuppressFlow()) storm.Start();  // outside of the scope
      storm.Join();
      for (int i = 0; i < 200 && context.Statistics.Arrays > 100; ++i) {
        World.Collect();
        x.Add(1).Evaluate();
      }
      Check.That(context.Statistics.Arrays <= 400, $"{context.Statistics.Arrays} arrays are left");
      Check.Same(X, x.ToArray<float>());
    }
  }

  private static Thread[] Started(int count, List<Exception> failed, Action body) {
    Thread[] threads = Enumerable.Range(0, count).Select(i => new Thread(() => {
      try {
        body();
      } catch (Exception e) {
        lock (failed) failed.Add(e);
      }
    })).ToArray();
    foreach (Thread each in threads) each.Start();
    return threads;
  }

  // 100 000 arrays that two threads forget, while others compute in the same context.
  public static void AStormOfReleasesDisturbsNobody() {
    const long limit = 32 << 20;
    using (Context context = new Context(World.Device, new ContextOptions { MaxBytes = limit })) {
      NdArray x;
      using (Scope scope = new Scope(context)) x = scope.Keep(Nd.Ones(DType.Float32, 1024));
      List<Exception> failed = new List<Exception>();
      Thread[] storms = Started(2, failed, () => Forget(x, 50000));
      int rounds = 0;
      while (storms.Any(each => each.IsAlive)) {
        ++rounds;
        using (NdArray product = x * rounds)
        using (NdArray sum = product.Sum()) Check.Equal(1024.0 * rounds, (double)sum.Item());
      }
      Check.Equal("", string.Join("\n", failed));
      Check.That(rounds > 2 && context.Statistics.PeakBytes <= limit, context.Statistics.ToString());
      for (int i = 0; i < 200 && context.Statistics.Arrays > 400; ++i) World.Collect();
      context.Synchronize();
      Check.That(context.Statistics.Arrays <= 400 && context.Statistics.LiveBytes < 4 << 20, context.Statistics.ToString());
      x.Dispose();
    }
  }

  // Each thread finds memory, although the others could take what its collection releases.
  public static void ThreadsThatForgetFindRoom() {
    const long limit = 1 << 20;
    using (Context context = new Context(World.Device, new ContextOptions { MaxBytes = limit })) {
      NdArray x;
      using (Scope scope = new Scope(context)) x = scope.Keep(Nd.Ones(DType.Float32, 1024));
      List<Exception> failed = new List<Exception>();
      Thread[] threads = Started(4, failed, () => {
        for (int k = 0; k < 2500; ++k) x.Add(k).Evaluate();
      });
      foreach (Thread each in threads) each.Join();
      Check.Equal("", string.Join("\n", failed));
      Check.That(context.Statistics.PeakBytes <= limit, context.Statistics.ToString());
      x.Dispose();
    }
  }

  // x = x * a + b, with arrays that are left to the collector.
  public static void ALoopHasFlatMemory() {
    using (Context context = new Context(World.Device)) {
      Scope scope = new Scope(context);
      NdArray a = scope.Keep(NdArray.Of(Enumerable.Repeat(0.5f, 1 << 18).ToArray())), b = scope.Keep(Nd.Ones(DType.Float32, 1 << 18));
      scope.Dispose();
      NdArray x = a;
      for (int i = 0; i < 300; ++i) x = (x * a + b).Evaluate();
      Check.That(context.Statistics.KernelsCompiled + context.Statistics.KernelsFromDisk <= 3, context.Statistics.ToString());
      World.Collect();
      (x + 1).Evaluate();
      Check.That(context.Statistics.LiveBytes < 16L << 20, $"{context.Statistics.LiveBytes} bytes are left");
      Check.That(Math.Abs(x[0].Item<float>() - 2) < 1e-6);
    }
  }

  public static void ThreadsShareAnArray() {
    using (NdArray sum = Nd.Zeros(DType.Int64, 8)) {
      World.Together(4, which => { for (int k = 0; k < 100; ++k) sum.AddAssign(1); });
      Check.Same(Enumerable.Repeat(400L, 8), sum.ToArray<long>());
    }
  }

  // A call of another thread ends before the array does, or is refused.
  public static void DisposingWhileInUse() {
    for (int round = 0; round < 50; ++round) {
      NdArray x = NdArray.Of(X);
      World.Together(3, which => {
        try {
          if (which == 0) x.Dispose(); else for (int k = 0; k < 20; ++k) using (NdArray y = x + 1) y.ToArray<float>();
        } catch (ObjectDisposedException) {
        }
      });
    }
  }

  // The process ends with operations that wait, and with arrays that the program forgot.
  public static void Exit() { Check.Equal("", Processes.Run("ArrayLives.ExitWithPending")); }

  internal static void ExitWithPending() {
    new Scope();
    Leave(NdArray.Of(X));
  }

  internal static NdArray left;

  private static void Leave(NdArray x) {
    x.AddAssign(1);
    left = Nd.Sin(x * 2).Evaluate() + Nd.Cos(x);
  }
}
