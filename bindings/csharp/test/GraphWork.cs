// SPDX-License-Identifier: Apache-2.0
// The work of nodes: copies, fills, boxes, events, functions, memory, words.
using System;
using System.Collections.Generic;
using System.Linq;
using Cucore;
using static GraphTesting;

public static class GraphWork {
  public static void CopiesAndFillsRun() {
    using (Bench b = new Bench())
    using (CudaBuffer x = CudaBuffer.Managed(World.Device, 8), y = CudaBuffer.Managed(World.Device, 8)) {
      GraphNode fill = b.Graph.Fill(x, (byte)7);
      GraphNode copy = b.Graph.Copy(y, x, after: fill);
      using (ExecutableGraph executable = b.Graph.Executable(upload: b.Stream)) {
        b.Run(executable);
        Check.Same(Enumerable.Repeat((byte)7, 8), Bytes(y));
        executable.SetFill(fill, x, (ushort)0x0201, 0, 4);
        executable.SetCopy(copy, y, x, 4, 4);
        b.Run(executable);
        Check.Same(new byte[] { 7, 7, 7, 7, 1, 2, 1, 2 }, Bytes(y));
        b.Graph.SetFill(fill, x, (byte)3, 0, 2);
        b.Graph.SetCopy(copy, y, x, 2);
        b.Run(executable);  // as it was made and changed
        Check.Same(new byte[] { 7, 7, 7, 7, 1, 2, 1, 2 }, Bytes(y));
      }
      b.Run();
      Check.Same(new byte[] { 3, 3, 7, 7, 1, 2, 1, 2 }, Bytes(y));
      Check.Throws<InvalidArgumentException>(() => b.Graph.SetCopy(copy, y, x, 9));
      Check.Throws<InvalidArgumentException>(() => b.Graph.SetFill(copy, x, (byte)3));
      Check.Throws<ArgumentOutOfRangeException>(() => b.Graph.Copy(y, x, -1));
      Check.Throws<ArgumentOutOfRangeException>(() => b.Graph.Copy(y, x, sourceOffset: -1));
      Check.Throws<ArgumentOutOfRangeException>(() => b.Graph.Fill(x, (byte)1, -1));
      Check.Throws<ArgumentNullException>(() => b.Graph.Copy(y, null));
      Check.Throws<ArgumentNullException>(() => b.Graph.Fill(null, (byte)1));
      Check.Throws<ArgumentNullException>(() => b.Graph.Record(null));
    }
  }

  public static void BoxesAreCopied() {
    using (Bench b = new Bench())
    using (CudaBuffer x = CudaBuffer.Managed(World.Device, 16), y = CudaBuffer.Managed(World.Device, 8)) {
      x.Write(Enumerable.Range(1, 16).Select(i => (byte)i).ToArray(), b.Stream);
      y.Fill((byte)0, b.Stream);
      Box source = new Box(x, rowBytes: 4, sliceRows: 2, x: 1, y: 1, z: 1), target = new Box(y, 1, 3);
      Check.Equal("box at (1, 1, 1)", source.ToString());
      b.Stream.CopyBox(new Box(y), new Box(x, rowBytes: 4, x: 2, y: 1), 2, 2);
      b.Stream.Synchronize();
      Check.Same(new byte[] { 7, 8, 11, 12, 0, 0, 0, 0 }, Bytes(y));
      GraphNode copy = b.Graph.CopyBox(target, source, 2, after: b.Graph.Empty());
      NodeInfo info = copy.Info;
      Check.Equal($"{y.Address + 1} {x.Address + 13} 1", $"{info.Destination} {info.Source} {info.DependencyCount}");
      Check.Equal("2 2 1 1", $"{info.Size} {info.Width} {info.Height} {info.Depth}");
      Check.Equal("3 1 4 2", $"{info.DestinationRowBytes} {info.DestinationSliceRows} {info.SourceRowBytes} {info.SourceSliceRows}");
      using (ExecutableGraph executable = b.Graph.Executable()) {
        b.Run(executable);
        Check.Same(new byte[] { 7, 14, 15, 12, 0, 0, 0, 0 }, Bytes(y));
        executable.SetCopyBox(copy, new Box(y), new Box(x), 3);
        b.Run(executable);
        Check.Same(new byte[] { 1, 2, 3, 12, 0, 0, 0, 0 }, Bytes(y));
        Check.Throws<NotUpdatableException>(() => executable.SetCopyBox(copy, new Box(y), new Box(x), 1, 2));
      }
      b.Graph.SetCopyBox(copy, new Box(y, rowBytes: 4), new Box(x, rowBytes: 8), 1, 2);
      b.Run();
      Check.Same(new byte[] { 1, 2, 3, 12, 9, 0, 0, 0 }, Bytes(y));
      Check.Contains("Box.RowBytes of the source is 1; expected 0 or at least 2",
                     Check.Throws<InvalidArgumentException>(() => b.Stream.CopyBox(new Box(y), new Box(x, rowBytes: 1), 2)).Message);
      Check.Throws<ArgumentNullException>(() => Ignore(new Box(null)));
      Check.Throws<ArgumentOutOfRangeException>(() => Ignore(new Box(x, y: -1)));
      Check.Throws<InvalidOperationException>(() => b.Stream.CopyBox(default(Box), new Box(x), 1));
    }
  }

  public static void EventsAreRecordedAndWaitedFor() {
    using (Bench b = new Bench())
    using (CudaEvent first = new CudaEvent(World.Device, new EventOptions { Timing = true }), second = new CudaEvent(World.Device, new EventOptions { Timing = true })) {
      GraphNode record = b.Graph.Record(first);
      b.Graph.Wait(first, record);
      using (ExecutableGraph executable = b.Graph.Executable()) {
        b.Run(executable);
        Check.Equal(true, first.Query());
        executable.SetEvent(record, second);
        b.Graph.SetEvent(record, second);
        Check.Equal(second.Native, record.Info.Event);
        b.Run(executable);
        Check.Equal(true, second.Query());
      }
    }
  }

  public static void FunctionsAreNodes() {
    using (Bench b = new Bench()) {
      List<float> seen = new List<float>();
      GraphNode first = b.Graph.Kernel(b.Add, One, b.X, 1f);
      GraphNode host = b.Graph.Host(() => seen.Add(b.Value), first);
      GraphNode last = b.Graph.Kernel(host, b.Add, One, b.X, 10f);
      Check.Equal(Numbers(first), Numbers(host.Dependencies));
      Check.Equal(Numbers(last), Numbers(host.Dependents));
      using (ExecutableGraph executable = b.Graph.Executable()) {
        b.Run(executable);
        b.Run(executable);
      }
      Check.Same(new[] { 1f, 12f }, seen);
      Check.Equal(22, b.Value);
      Check.Equal("", Numbers(b.Graph.Host(() => {}).Dependencies));
      Check.Throws<ArgumentNullException>(() => b.Graph.Host(null));
    }
  }

  public static void AllocateMemory() {
    using (Bench b = new Bench())
    using (CudaBuffer inside = b.Graph.Buffer(64, peers: new[] { World.Device })) {
      GraphNode allocation = b.Graph.AllocationOf(inside);
      Check.Equal($"Allocation {inside.Address} 64", $"{allocation.Kind} {allocation.Info.Destination} {allocation.Info.Size}");
      GraphNode filled = b.Graph.Fill(inside, 1f, after: allocation);
      GraphNode last = b.Graph.Copy(b.X, inside, 4, after: b.Graph.Kernel(filled, b.Add, One, inside, 1f));
      GraphNode end = b.Graph.Free(inside, last);
      Check.Equal(NodeKind.Free, end.Kind);
      Check.Equal(Numbers(last), Numbers(end.Dependencies));
      using (ExecutableGraph executable = b.Graph.Executable()) {
        b.Run(executable);
        b.Run(executable);
      }
      Check.Equal(2, b.Value);
      Check.Throws<InvalidArgumentException>(() => b.Graph.Buffer(0));
      Check.Throws<ArgumentOutOfRangeException>(() => b.Graph.Buffer(-1));
    }
  }

  public static unsafe void WordsAreNodes() {
    using (Bench b = new Bench())
    using (CudaBuffer words = CudaBuffer.Pinned(World.Device, 16)) {
      ulong* seen = (ulong*)words.HostPointer;
      seen[0] = 3;
      seen[1] = 0;
      GraphNode wait = b.Graph.WaitValue(words, 0, 3, 8, Comparison.Equal);
      GraphNode write = b.Graph.WriteValue(words, 8, 7, 8, wait);
      Check.Equal("Equal 0 7", $"{wait.Info.Comparison} {(int)write.Info.Comparison} {write.Info.Pattern}");
      b.Run();
      Check.Equal(7UL, seen[1]);
      Check.Throws<InvalidArgumentException>(() => b.Graph.WriteValue(words, 0, 1, 3));
    }
  }
}
