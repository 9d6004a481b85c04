// SPDX-License-Identifier: Apache-2.0
// The options that few launches have.
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;

namespace Cucore {
/// <summary>A part of a buffer whose accesses the L2 cache treats in its own way.</summary>
public sealed class AccessWindow {
  /// <summary>The buffer.</summary>
  public CudaBuffer Buffer { get; }
  /// <summary>The begin of the window, in bytes.</summary>
  public long Offset { get; }
  /// <summary>Its size in bytes.</summary>
  public long Size { get; }
  /// <summary>The part of the accesses that gets Hit, 0 to 1; the others get Miss.</summary>
  public float HitRatio { get; }
  /// <summary>The property of that part.</summary>
  public AccessProperty Hit { get; }
  /// <summary>The property of the others, Normal or Streaming.</summary>
  public AccessProperty Miss { get; }

  /// <summary>A window; by default its accesses stay in the cache.</summary>
  public AccessWindow(CudaBuffer buffer, long offset, long size, float hitRatio = 1,
                      AccessProperty hit = AccessProperty.Persisting, AccessProperty miss = AccessProperty.Normal) {
    Buffer = buffer ?? throw new ArgumentNullException(nameof(buffer));
    if (offset < 0) throw new ArgumentOutOfRangeException(nameof(offset));
    if (size < 0) throw new ArgumentOutOfRangeException(nameof(size));
    Offset = offset;
    Size = size;
    HitRatio = hitRatio;
    Hit = hit;
    Miss = miss;
  }

  /// <summary>"window of 64 bytes at 0".</summary>
  public override string ToString() { return $"window of {Describe.Bytes(Size)} at {Offset}"; }
}

// Behind the head of a block: LaunchTail of cpp/launch.hpp.
internal sealed class LaunchTail {
  internal const int ValueSize = 64;
  internal static readonly LaunchTail None = new LaunchTail();

  [StructLayout(LayoutKind.Sequential)]
  internal struct Numbers {
    internal Dim3 PreferredCluster;
    internal int ClusterScheduling, SharedCarveout, MemoryDomain, MemoryDomainMap, DeviceUpdatable, NvlinkScheduling, ProgrammaticAtStart;
    internal float HitRatio;
    internal int Hit, Miss, AttributeCount;
    internal long ProgrammaticEvent, CompletionEvent, Buffer, Offset, Size;
  }

  internal Numbers Words;
  internal CudaEvent? ProgrammaticEvent, CompletionEvent;
  internal AccessWindow? Window;
  internal SortedDictionary<int, byte[]> Attributes = new SortedDictionary<int, byte[]>();

  internal LaunchTail Clone() {
    LaunchTail clone = (LaunchTail)MemberwiseClone();
    clone.Attributes = new SortedDictionary<int, byte[]>(Attributes);
    return clone;
  }

  internal unsafe int Size { get { return sizeof(Numbers) + Attributes.Count * (8 + ValueSize); } }

  // Writes the tail with the handles of its objects, which stay valid until Leave.
  internal unsafe byte* WriteAndEnter(byte* to) {
    CudaEvent.Handle? first = null, second = null;
    Numbers* numbers = WriteNumbers(to);
    try {
      if (ProgrammaticEvent != null) numbers->ProgrammaticEvent = (long)(first = CudaEvent.getCPtr(ProgrammaticEvent)).Enter();
      if (CompletionEvent != null) numbers->CompletionEvent = (long)(second = CudaEvent.getCPtr(CompletionEvent)).Enter();
      if (Window != null) numbers->Buffer = (long)CudaBuffer.getCPtr(Window.Buffer).Enter();
    } catch {
      if (numbers->CompletionEvent != 0) second!.Leave();
      if (numbers->ProgrammaticEvent != 0) first!.Leave();
      throw;
    }
    return to + Size;
  }

  internal void Leave() {
    if (ProgrammaticEvent != null) ProgrammaticEvent.LeaveHandle();
    if (CompletionEvent != null) CompletionEvent.LeaveHandle();
    if (Window != null) Window.Buffer.LeaveHandle();
  }

  // Writes the tail without its objects.
  internal unsafe byte* Write(byte* to) {
    WriteNumbers(to);
    return to + Size;
  }

  private unsafe Numbers* WriteNumbers(byte* to) {
    Numbers* numbers = (Numbers*)to;
    *numbers = Words;
    if (Window != null) {
      numbers->HitRatio = Window.HitRatio;
      numbers->Hit = (int)Window.Hit;
      numbers->Miss = (int)Window.Miss;
      numbers->Offset = Window.Offset;
      numbers->Size = Window.Size;
    }
    numbers->AttributeCount = Attributes.Count;
    byte* next = to + sizeof(Numbers);
    foreach (KeyValuePair<int, byte[]> each in Attributes) {
      *(long*)next = (uint)each.Key;
      for (int i = 0; i < ValueSize; ++i) next[8 + i] = i < each.Value.Length ? each.Value[i] : (byte)0;
      next += 8 + ValueSize;
    }
    return numbers;
  }
}

public partial class CudaEvent {
  internal void LeaveHandle() { owned.Leave(); }
}

public partial class CudaBuffer {
  internal void LeaveHandle() { owned.Leave(); }
}

public partial class CudaStream {
  //: cucore_stream_set_access_window
  /// <param name="window">null: none</param>
  public void SetAccessWindow(AccessWindow? window) {
    if (window == null) RawSetAccessWindow(null, 0, 0, 0, AccessProperty.Normal, AccessProperty.Normal);
    else RawSetAccessWindow(window.Buffer, window.Offset, window.Size, window.HitRatio, window.Hit, window.Miss);
  }
}
}
