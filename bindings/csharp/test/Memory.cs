// SPDX-License-Identifier: Apache-2.0
// Scenarios about buffers and views of memory.
using System;
using System.Buffers;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Cucore;

public static class Memory {
  public static void WithoutAStream() {
    using (CudaBuffer a = new CudaBuffer(World.Device, 16), b = new CudaBuffer(World.Device, 16, null))
    using (CudaEvent done = new CudaEvent(World.Device))
    using (CudaStream order = World.Device.GetDefaultStream()) {
      a.Fill(5);
      a.Write(new[] { 1, 2 }, offset: 4);
      b.CopyFrom(a);
      int[] two = new int[2];
      b.Read(two, offset: 8);
      Check.Same(new[] { 2, 5 }, two);
      Check.Same(new[] { 5, 1, 2, 5 }, b.ToArray<int>());
      using (World.Busy(order)) {
        done.Record();
        Check.That(!done.Query(), "the record is behind the work of the default stream");
      }
      Check.That(done.Query());
      Check.Throws<ArgumentNullException>(() => a.RecordUse(null));
      Check.Throws<ArgumentNullException>(() => new CudaBuffer(null, 16));
    }
  }

  public static void OfGraphs() {
    World.Device.TrimGraphMemory(true);
    GraphMemory counted = World.Device.GetGraphMemory();
    Check.Equal(counted.Used, counted.UsedPeak);
    Check.Equal(counted.Reserved, counted.ReservedPeak);
    World.Device.TrimGraphMemory(false);
  }

  public static void FromAPool() {
    using (CudaStream stream = World.Stream())
    using (CudaMemoryPool pool = new CudaMemoryPool(World.Device, new PoolOptions { Keep = -1 }))
    using (CudaBuffer first = CudaBuffer.FromPool(pool, 1 << 20, stream), second = CudaBuffer.FromPool(pool, 64)) {
      first.Fill((byte)7, stream);
      Check.Equal(pool.Native, second.Pool.Native);
      PoolStatistics counted = pool.Statistics;
      Check.Equal(2L, counted.Live);
      Check.Equal(1L << 20, counted.Largest);
      Check.Equal(-1L, counted.Keep);
      Check.That(counted.Used >= 1 << 20 && counted.Reserved >= counted.Used);
      first.Dispose();
      stream.Synchronize();
      pool.Trim(0);
      // A GPU reserves at least 2 MiB, which the other buffer may share.
      if (Machine.IsCpu) Check.That(pool.Statistics.Reserved < 1 << 20);
      else Check.That(pool.Statistics.Reserved <= counted.Reserved);
      pool.SetKeep(0);
      World.Device.SetPool(pool);
      try {
        using (CudaBuffer third = new CudaBuffer(World.Device, 16)) Check.Equal(pool.Native, World.Device.Pool.Native);
        Check.Equal(3L, pool.Statistics.Allocations);
      } finally {
        World.Device.SetPool(null);
      }
      ulong address = pool.Allocate(64, stream);
      pool.Free(address, 64, stream);
      Check.Equal(1L, pool.Statistics.Live);
      Check.Contains("keep is -2", Check.Throws<InvalidArgumentException>(() => pool.SetKeep(-2)).Message);
    }
  }

  public static void BufferRanges() {
    using (CudaStream stream = World.Stream())
    using (CudaBuffer a = new CudaBuffer(World.Device, 64, stream), b = new CudaBuffer(World.Device, 64, stream)) {
      a.Fill((byte)1, stream);
      a.Fill((short)0x0202, stream, 8, 8);
      a.Fill(0x03030303, stream, 60);
      b.CopyFrom(a, stream);
      b.CopyFrom(a, stream, 4, 0, 60);
      b.Write(new byte[] { 9, 9 }, stream, 20);
      byte[] wanted = Enumerable.Range(0, 64).Select(i => (byte)(i < 4 || i >= 60 ? 3 : i < 8 ? 1 : i < 16 ? 2 : i == 20 || i == 21 ? 9 : 1)).ToArray();
      Check.Same(wanted, b.ToArray<byte>(stream));
      byte[] two = new byte[2];
      b.Read(two, stream, 15);
      Check.Same(new byte[] { 2, 1 }, two);
      a.Write(new byte[0], stream, 64);
      a.Read(new byte[0], stream, 64);
      Check.Throws<InvalidArgumentException>(() => a.Write(new byte[2], stream, 63));
      Check.Throws<InvalidArgumentException>(() => a.Read(new byte[65], stream));
      Check.Throws<ArgumentOutOfRangeException>(() => a.Write(new byte[1], stream, -1));
      Check.Throws<InvalidArgumentException>(() => a.CopyFrom(b, stream, 65));
      Check.Throws<ArgumentOutOfRangeException>(() => a.CopyFrom(b, stream, -1));
      Check.Throws<ArgumentOutOfRangeException>(() => a.Fill(1, stream, -4));
      a.Fill(0.1, stream);
      a.Fill(-2L, stream, 8, 16);
      double[] values = a.ToArray<double>(stream);
      Check.That(values[0] == 0.1 && values[7] == 0.1 && BitConverter.DoubleToInt64Bits(values[2]) == -2);
      Check.Contains("the pattern is 16 bytes; expected 1, 2, 4 or 8 bytes",
          Check.Throws<InvalidArgumentException>(() => a.Fill(1m, stream)).Message);
      Check.Throws<InvalidArgumentException>(() => a.Fill(1L, stream, 4, 8));
      Check.Throws<InvalidArgumentException>(() => a.Fill(1, stream, 2, 4));
    }
    using (CudaStream stream = World.Stream())
    using (CudaBuffer empty = new CudaBuffer(World.Device, 0, stream)) {
      Check.That(empty.Address == 0 && empty.Size == 0);
      Check.Equal(0, empty.ToArray<int>(stream).Length);
    }
  }

  public static void SpansOfArrays() {
    using (CudaStream stream = World.Stream())
    using (CudaBuffer buffer = new CudaBuffer(World.Device, 8, stream)) {
      buffer.Fill((byte)0, stream);
      int[] numbers = { 1, 2, 3, 4 };
      buffer.Write<int>(numbers.AsSpan(1, 2), stream);  // without its rest
      int[] got = new int[4];
      buffer.Read(got.AsSpan(2, 2), stream);
      Check.Same(new[] { 0, 0, 2, 3 }, got);
      Span<byte> onStack = stackalloc byte[4];
      buffer.Read(onStack, stream, 4);
      Check.Equal((byte)3, onStack[0]);
      buffer.Write(ReadOnlySpan<byte>.Empty, stream);
    }
    byte[] ptx = World.Code(World.Scale).Data;
    byte[] padded = new byte[10].Concat(ptx).ToArray();
    Check.Same(ptx, ObjectCode.FromBytes(CodeType.Ptx, padded.AsSpan(10)).Data);
    byte[] stored = World.Code(World.Scale).ToBytes();
    Check.Same(ptx, ObjectCode.Load(new ReadOnlySpan<byte>(stored)).Data);
    Check.Throws<InvalidCodeException>(() => ObjectCode.Load(ReadOnlySpan<byte>.Empty));
  }

  private struct Mixed {
    internal bool Flag;
    internal char Letter;
    internal int Number;
  }

  // .NET Core pins no arrays of these by a handle.
  public static void TypesThatAreNotBlittable() {
    using (CudaStream stream = World.Stream())
    using (CudaBuffer buffer = new CudaBuffer(World.Device, 16, stream)) {
      Mixed[] two = { new Mixed { Flag = true, Letter = 'x', Number = 7 }, new Mixed { Letter = 'y', Number = 8 } };
      buffer.Write(two, stream);
      Check.Same(two, buffer.ToArray<Mixed>(stream));
      buffer.Fill('z', stream);
      Check.Same(Enumerable.Repeat('z', 8), buffer.ToArray<char>(stream));
      buffer.Write(new[] { true, false, true }, stream, 13);
      Check.Same(new byte[] { 1, 0, 1 }, buffer.ToArray<byte>(stream).Skip(13));
    }
  }

  // Object code into memory of the caller, compressed and signed as ToBytes does.
  public static void SpansOfObjectCode() {
    ObjectCode code = World.Code(World.Scale);
    byte[] secret = { 1, 2, 3 }, other = { 0, 1, 2, 3, 0 };
    Key key = new Key(KeyAlgorithm.HmacSha256, other.AsSpan(1, 3));
    foreach (SerializeOptions options in new[] { null, new SerializeOptions { Compression = true, SigningKey = new Key(KeyAlgorithm.HmacSha256, secret) } }) {
      byte[] wanted = code.ToBytes(options), room = new byte[wanted.Length + 8];
      Check.That(code.TryWriteBytes(room.AsSpan(8), out int written, options) && written == wanted.Length);
      Check.Same(wanted, room.Skip(8));
      Check.That(!code.TryWriteBytes(room.AsSpan(9), out written, options) && written == 0, "too small by a byte");
      Check.That(ObjectCode.Load(room.AsSpan(8), new DeserializeOptions { Keys = { key } }).Data.Length != 0);
    }
    Check.That(!code.TryWriteBytes(Span<byte>.Empty, out int none) && none == 0);
    World.Device.Synchronize();
  }

  public static void SpansOfCacheKeys() {
    byte[] keys = new byte[96];
    for (int i = 0; i < keys.Length; ++i) keys[i] = (byte)(i / 32 + 1);
    byte[] first = keys.Take(32).ToArray();
    using (Cache cache = new Cache("")) {
      cache.Put(keys.AsSpan(0, 32), World.Code(World.Scale));
      using (ObjectCode code = cache.Get(first)) Check.Same(World.Code(World.Scale).Data, code.Data);
      using (ObjectCode code = cache.Get(keys.AsSpan(0, 32))) Check.That(code != null);
      Check.That(cache.Get(keys.AsSpan(32, 32)) == null);
      Check.Equal(CacheOutcome.Built, cache.GetOrBuild(keys.AsSpan(64, 32), () => ObjectCode.Load(World.Code(World.Scale).ToBytes())).Outcome);
      Check.That(cache.Get(keys.AsSpan(64, 32)) != null);
      Check.That(cache.Remove(keys.AsSpan(64, 32)) && !cache.Remove(keys.AsSpan(64, 32)) && cache.Get(keys.AsSpan(64, 32)) == null);
      Check.That(cache.Remove(first) && cache.Get(first) == null);
      Check.Throws<ArgumentNullException>(() => cache.Remove(null));
      Check.Throws<InvalidArgumentException>(() => cache.Get(keys.AsSpan(0, 31)));
    }
  }

  public static void BytesWithoutCopies() {
    Memory<byte> view;
    using (CudaStream stream = World.Stream()) {
      foreach (CudaBuffer buffer in new[] { CudaBuffer.Pinned(World.Device, 16), CudaBuffer.Managed(World.Device, 16) }) {
        view = buffer.HostMemory;
        Check.Equal(16, view.Length);
        MemoryMarshal.Cast<byte, float>(view.Span).Fill(2);
        World.Kernel(World.Scale, "scale").Launch(stream, new LaunchConfig(1, 4), 5f, buffer, 4);
        stream.Synchronize();
        buffer.Dispose();
        World.Collect();
        // valid after Dispose
        Check.Equal(10f, MemoryMarshal.Cast<byte, float>(view.Span)[3]);
        Check.Throws<ObjectDisposedException>(() => buffer.HostMemory.ToString());
      }
      using (CudaBuffer device = new CudaBuffer(World.Device, 16, stream)) Check.That(device.HostMemory.IsEmpty);
    }
    ObjectCode code = new CudaProgram(World.Scale).Compile();
    byte[] copy = code.Data;
    ReadOnlyMemory<byte> bytes = code.DataMemory;
    code.Dispose();
    World.Collect();
    Check.That(bytes.Span.SequenceEqual(copy));
  }

  // Pins the memory, and returns a reference to the view that must live as long as the pin.
  [MethodImpl(MethodImplOptions.NoInlining)]
  private static WeakReference Pin(ReadOnlyMemory<byte> memory, out MemoryHandle pin) {
    MemoryManager<byte> view;
    Check.That(MemoryMarshal.TryGetMemoryManager(memory, out view));
    pin = memory.Pin();
    return new WeakReference(view);
  }

  [MethodImpl(MethodImplOptions.NoInlining)]
  private static WeakReference PinBuffer(out MemoryHandle pin) {
    using (CudaBuffer buffer = CudaBuffer.Pinned(World.Device, 16)) return Pin(buffer.HostMemory, out pin);
  }

  [MethodImpl(MethodImplOptions.NoInlining)]
  private static WeakReference PinCode(out MemoryHandle pin) {
    using (ObjectCode code = new CudaProgram(World.Scale).Compile()) return Pin(code.DataMemory, out pin);
  }

  public static void PinnedViewsStay() {
    MemoryHandle buffer, code;
    WeakReference[] views = { PinBuffer(out buffer), PinCode(out code) };
    World.Collect();
    foreach (WeakReference view in views) Check.That(view.IsAlive, "the pin keeps the memory");
    buffer.Dispose();
    code.Dispose();
  }

  public static void ViewsOfMoreThanAMemoryHolds() {
    using (CudaBuffer buffer = CudaBuffer.Managed(World.Device, 1L << 31)) {
      Check.That(Check.Throws<UnsupportedException>(() => buffer.HostMemory.ToString()).Message.Contains("2147483648 bytes"));
    }
  }
}
