// SPDX-License-Identifier: Apache-2.0
// Represents the package System.Memory, whose types are in the core library of Mono and of .NET, to
// which it forwards them.
using System.Runtime.CompilerServices;
[assembly: TypeForwardedTo(typeof(System.Span<>))]
[assembly: TypeForwardedTo(typeof(System.ReadOnlySpan<>))]
[assembly: TypeForwardedTo(typeof(System.Memory<>))]
[assembly: TypeForwardedTo(typeof(System.ReadOnlyMemory<>))]
[assembly: TypeForwardedTo(typeof(System.Buffers.MemoryHandle))]
[assembly: TypeForwardedTo(typeof(System.Buffers.MemoryManager<>))]
[assembly: TypeForwardedTo(typeof(System.Buffers.IPinnable))]
[assembly: TypeForwardedTo(typeof(System.Runtime.InteropServices.MemoryMarshal))]
[assembly: System.Reflection.AssemblyVersion("4.0.1.1")]
