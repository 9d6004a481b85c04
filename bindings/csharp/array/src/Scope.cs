// SPDX-License-Identifier: Apache-2.0
// Releases many arrays together.
using System;
using System.Collections.Generic;
using System.Threading;

namespace Cucore.Arrays {
/// <summary>Disposes of all arrays that are made inside, except those that are kept: "using var scope = new Scope();". It
/// also covers what an awaited method makes.</summary>
public sealed class Scope : IDisposable {
  private const int Least = 64;  // arrays before the first search for disposed ones

  // Follows a method through its awaits, unlike a variable of the thread.
  private static readonly AsyncLocal<Scope?> innermost = new AsyncLocal<Scope?>();
  private static int open;  // without a scope in the process, an array looks for none

  private readonly Scope? outer = innermost.Value;
  private readonly Context? context;
  private readonly List<NdArray> made = new List<NdArray>();
  private int limit = Least;
  private bool isDisposed;

  /// <summary>Begins a scope.</summary>
  public Scope() {
    context = outer?.context;
    Begin();
  }

  /// <summary>Begins a scope in which new arrays belong to a context.</summary>
  /// <param name="context">the context</param>
  public Scope(Context context) {
    this.context = Calls.NotNull(context, nameof(context));
    Begin();
  }

  private void Begin() {
    Interlocked.Increment(ref open);
    innermost.Value = this;
  }

  private static Scope? Innermost { get { return Volatile.Read(ref open) == 0 ? null : innermost.Value; } }

  internal static Context? InnermostContext { get { return Innermost?.context; } }

  internal static void Add(NdArray array) {
    for (Scope? scope = Innermost; scope != null && !scope.TryAdd(array); scope = scope.outer) {}
  }

  // Another task may outlive the scope that it began in.
  private bool TryAdd(NdArray array) {
    lock (made) {
      if (isDisposed) return false;
      if (made.Count >= limit) Forget();
      made.Add(array);
      return true;
    }
  }

  // A loop disposes of many arrays itself. They are dropped whenever the list would become twice as long.
  private void Forget() {
    made.RemoveAll(each => each.IsDisposed);
    limit = Math.Max(Least, 2 * made.Count);
  }

  /// <summary>Lets an array outlive the scope. A scope around this one disposes of it.</summary>
  /// <param name="array">an array that was made inside</param>
  /// <returns>the array</returns>
  public NdArray Keep(NdArray array) {
    Calls.NotNull(array, nameof(array));
    bool wasInside;
    lock (made) wasInside = made.RemoveAll(each => ReferenceEquals(each, array)) != 0;
    for (Scope? scope = wasInside ? outer : null; scope != null && !scope.TryAdd(array); scope = scope.outer) {}
    return array;
  }

  /// <summary>Whether Dispose was called.</summary>
  public bool IsDisposed { get { lock (made) return isDisposed; } }

  /// <summary>Disposes of the arrays, the last one first. A second call does nothing.</summary>
  /// <exception cref="Cucore.InvalidStateException">a scope inside is open, or the scope was begun elsewhere</exception>
  public void Dispose() {
    if (IsDisposed) {
      if (innermost.Value == this) innermost.Value = outer;  // a thread that it began disposed of it
      return;
    }
    if (innermost.Value != this) {
      bool isInside = false;
      for (Scope? scope = innermost.Value; scope != null; scope = scope.outer) isInside |= scope == this;
      string where = isInside ? "a scope inside is open; dispose of it first" : "another method or thread began it; dispose of it there";
      throw Calls.Refused(Status.InvalidState, "Scope.Dispose: " + where);
    }
    innermost.Value = outer;
    NdArray[] all;
    lock (made) {
      if (isDisposed) return;  // a thread that it began was faster
      isDisposed = true;
      Interlocked.Decrement(ref open);
      all = made.ToArray();
      made.Clear();
    }
    for (int i = all.Length; --i >= 0;) all[i].Dispose();
  }

  /// <summary>The number of arrays that it will dispose of.</summary>
  public override string ToString() {
    lock (made) return isDisposed ? "scope, disposed" : $"scope of {Describe.Counted(made.FindAll(each => !each.IsDisposed).Count, "array")}";
  }
}
}
