// SPDX-License-Identifier: Apache-2.0
// Objects with device memory that a launch takes as arguments: the arrays of Cucore.Arrays.
using System;

namespace Cucore {
/// <summary>An object whose device memory a launch borrows.</summary>
internal interface IDeviceMemory {
  ILoan Lend();
}

/// <summary>Memory for one launch. The streams of its owner and of the launch wait for one another.</summary>
internal interface ILoan : IDisposable {
  ulong Address { get; }
  void Begin(CudaStream stream);
  void Record(CudaStream stream);
}
}
