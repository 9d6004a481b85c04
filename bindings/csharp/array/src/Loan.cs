// SPDX-License-Identifier: Apache-2.0
// The memory of an array that is an argument of a launch.
using System;

namespace Cucore.Arrays {
public sealed partial class NdArray : IDeviceMemory {
  ILoan IDeviceMemory.Lend() { return new Loan(this); }

  /// <summary>An argument of a launch: the memory of an array whose elements are consecutive. The stream of the launch waits
  /// for what computes the array, and later operations of its context wait for the kernel.</summary>
  public static implicit operator Arg(NdArray? array) { return array == null ? default(Arg) : Arg.Memory(array); }
}

/// <summary>The memory of an array for one launch. The streams of the array and of the launch wait for one another.</summary>
internal sealed class Loan : ILoan {
  private readonly CudaBuffer memory;
  private readonly long offset;
  private readonly CudaStream own;
  private CudaStream? other;  // of the launch, if it is another one

  internal Loan(NdArray array) {
    if (!array.IsContiguous)
      throw Calls.Refused(Status.InvalidArgument, $"an NdArray of the launch has the strides ({string.Join(", ", array.Strides)}); expected consecutive elements; pass a copy, as by Copy()");
    using (Context context = array.Context) {
      context.Evaluate();  // the kernel may write into what waiting operations read
      (memory, offset) = array.GetBuffer();
      own = context.Stream;
    }
  }

  public ulong Address { get { return memory.Address + (ulong)offset; } }

  public void Begin(CudaStream stream) {
    if (own.Native == stream.Native) return;
    using (CudaDevice from = own.Device, to = stream.Device)
      if (from.Ordinal != to.Ordinal)
        throw Calls.Refused(Status.InvalidArgument, $"an NdArray of the launch is of device {from.Ordinal}; expected one of device {to.Ordinal}, the device of the stream; copy it, as by ToContext()");
    stream.WaitStream(own);
    other = stream;
  }

  public void Record(CudaStream stream) { memory.RecordUse(stream); }

  public void Dispose() {
    if (other != null) own.WaitStream(other);
    own.Dispose();
    memory.Dispose();
  }
}
}
