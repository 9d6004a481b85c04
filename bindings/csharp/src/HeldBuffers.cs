// SPDX-License-Identifier: Apache-2.0
// The buffers, arrays and objects of the options of one launch, which other threads cannot release until the launch has returned.
using System;
using System.Collections.Generic;

namespace Cucore {
internal struct HeldBuffers {
  private CudaBuffer.Handle first, second, third, fourth;  // without an object for the collector
  private List<CudaBuffer.Handle> more;
  private List<ILoan> loans;
  private LaunchTail tail;

  /// <summary>Takes a handle that was entered.</summary>
  [System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.AggressiveInlining)]
  internal void Add(CudaBuffer.Handle handle) {
    if (first == null) first = handle;
    else if (second == null) second = handle;
    else if (third == null) third = handle;
    else if (fourth == null) fourth = handle;
    else (more ?? (more = new List<CudaBuffer.Handle>())).Add(handle);
  }

  /// <summary>Borrows the memory of an array, and returns the address of its first element. Leaves all if it fails.</summary>
  internal ulong Lend(IDeviceMemory owner) {
    try {
      ILoan loan = owner.Lend();
      (loans ?? (loans = new List<ILoan>())).Add(loan);
      return loan.Address;
    } catch {
      Leave();
      throw;
    }
  }

  /// <summary>Refuses arrays, whose streams a later launch could not order.</summary>
  internal void RefuseLoans(string taker) {
    if (loans == null) return;
    Leave();
    throw new ArgumentException(taker + " takes no array; pass its memory, as by GetBuffer()");
  }

  /// <summary>Whether an array was lent. The other methods for arrays would cost a launch without arrays a closure.</summary>
  internal bool HasLoans { get { return loans != null; } }

  /// <summary>Lets the stream wait for what computes the arrays.</summary>
  internal void Begin(CudaStream stream) { loans.ForEach(each => each.Begin(stream)); }

  /// <summary>Records that the stream uses the memory of the arrays, after the launch.</summary>
  internal void Record(CudaStream stream) { loans.ForEach(each => each.Record(stream)); }

  /// <summary>Writes the tail of the options, if there is one, with its objects.</summary>
  internal unsafe byte* WriteTail(LaunchTail? of, byte* to) {
    if (of == null) return to;
    byte* end = of.WriteAndEnter(to);
    tail = of;
    return end;
  }

  internal void Leave() {
    if (loans != null) EndLoans();
    if (tail != null) LeaveTail();
    if (first == null) return;
    first.Leave();
    second?.Leave();
    third?.Leave();
    fourth?.Leave();
    more?.ForEach(each => each.Leave());
    this = default(HeldBuffers);
  }

  private void LeaveTail() {
    LaunchTail left = tail;
    tail = null;
    left.Leave();
  }

  private void EndLoans() {
    List<ILoan> all = loans;
    loans = null;
    all.ForEach(each => each.Dispose());
  }
}
}
