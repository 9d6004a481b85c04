// SPDX-License-Identifier: Apache-2.0
// Scenarios about the arguments of launches, and about wrong arguments of other calls.
using System;
using System.Linq;
using System.Runtime.InteropServices;
using Cucore;

public static class Launches {
  [StructLayout(LayoutKind.Sequential)]
  private struct Point {
    internal float X, Y, Z;
  }

  private struct WithReference {
    internal string Text;
  }

  private enum Color : byte { Red = 3 }

  private const string Source = @"
struct Point { float x, y, z; };
struct Large { int values[300]; };
#define COPY(name, type) extern ""C"" __global__ void name(type *to, type value) { *to = value; }
COPY(b, bool) COPY(i8, signed char) COPY(u8, unsigned char) COPY(i16, short) COPY(u16, unsigned short)
COPY(i32, int) COPY(u32, unsigned) COPY(i64, long long) COPY(u64, unsigned long long) COPY(f32, float) COPY(f64, double)
COPY(ptr, void *) COPY(point, Point) COPY(large, Large)
extern ""C"" __global__ void none() {}";

  // Returns the value that the kernel received, as bytes.
  private static T Sent<T>(string kernel, Arg value) where T : struct {
    using (CudaStream stream = World.Stream())
    using (CudaBuffer to = new CudaBuffer(World.Device, Marshal.SizeOf(typeof(T)), stream)) {
      World.Kernel(Source, kernel).Launch(stream, new LaunchConfig(1, 1), to, value);
      return to.ToArray<T>(stream)[0];
    }
  }

  public static void ArgumentTypes() {
    Check.Equal((byte)1, Sent<byte>("b", true));
    Check.Equal((sbyte)-3, Sent<sbyte>("i8", (sbyte)-3));
    Check.Equal((byte)200, Sent<byte>("u8", (byte)200));
    Check.Equal((short)-300, Sent<short>("i16", (short)-300));
    Check.Equal((ushort)60000, Sent<ushort>("u16", (ushort)60000));
    Check.Equal(-70000, Sent<int>("i32", -70000));
    Check.Equal(4000000000u, Sent<uint>("u32", 4000000000u));
    Check.Equal(-5000000000L, Sent<long>("i64", -5000000000L));
    Check.Equal(ulong.MaxValue, Sent<ulong>("u64", ulong.MaxValue));
    Check.Equal(1.5f, Sent<float>("f32", 1.5f));
    Check.Equal(Math.PI, Sent<double>("f64", Math.PI));
    Check.Equal((byte)3, Sent<byte>("u8", Arg.Of(Color.Red)));
    Check.Equal(3f, Sent<Point>("point", Arg.Of(new Point { X = 1, Y = 2, Z = 3 })).Z);
    Check.Equal(0UL, Sent<ulong>("ptr", IntPtr.Zero));
    using (CudaBuffer pinned = CudaBuffer.Pinned(World.Device, 8)) {
      Check.Equal(pinned.Address, Sent<ulong>("ptr", pinned));
      Check.Equal(pinned.Address, Sent<ulong>("ptr", Arg.Address(pinned.Address)));
    }
    using (CudaStream stream = World.Stream()) World.Kernel(Source, "none").Launch(stream, new LaunchConfig(1, 1));
  }

  [StructLayout(LayoutKind.Sequential, Size = 1200)]
  private unsafe struct Large {
    internal fixed int Values[300];
  }

  public static unsafe void LargeArguments() {
    Large large = new Large();
    for (int i = 0; i < 300; ++i) large.Values[i] = i * i;
    Large got = Sent<Large>("large", Arg.Of(large));
    for (int i = 0; i < 300; ++i) Check.Equal(i * i, got.Values[i]);
  }

  public static void LaunchPacked() {
    using (CudaStream stream = World.Stream())
    using (CudaBuffer to = new CudaBuffer(World.Device, 4, stream)) {
      byte[] block = BitConverter.GetBytes(to.Address).Concat(BitConverter.GetBytes(77)).ToArray();
      World.Kernel(Source, "i32").LaunchPacked(stream, new LaunchConfig(1, 1), block);
      Check.Equal(77, to.ToArray<int>(stream)[0]);
      BitConverter.GetBytes(78).CopyTo(block, 8);
      World.Kernel(Source, "i32").LaunchPacked(stream, new LaunchConfig(1, 1), new byte[5].Concat(block).ToArray().AsSpan(5));
      Check.Equal(78, to.ToArray<int>(stream)[0]);
      Check.Throws<InvalidArgumentException>(() => World.Kernel(Source, "i32").LaunchPacked(stream, new LaunchConfig(1, 1), new byte[3]));
      Check.Throws<InvalidArgumentException>(() => World.Kernel(Source, "i32").LaunchPacked(stream, new LaunchConfig(1, 1), ReadOnlySpan<byte>.Empty));
    }
  }

  public static void WrongArguments() {
    using (CudaStream stream = World.Stream())
    using (CudaBuffer buffer = new CudaBuffer(World.Device, 4, stream)) {
      buffer.Fill(0, stream);
      Kernel kernel = World.Kernel(Source, "i32");
      CudaBuffer closed = new CudaBuffer(World.Device, 4, stream);
      closed.Dispose();
      Refused<InvalidArgumentException>(kernel, stream, "1", buffer);
      Refused<InvalidArgumentException>(kernel, stream, "3", buffer, 1, 2);
      Refused<InvalidArgumentException>(kernel, stream, "argument 0", 1, 1);
      Refused<InvalidArgumentException>(kernel, stream, "argument 1", buffer, Arg.Of(new Point()));
      Refused<ArgumentException>(kernel, stream, "argument 0", (CudaBuffer)null, 1);
      Refused<ArgumentException>(kernel, stream, "argument 1", buffer, default(Arg));
      Refused<ObjectDisposedException>(kernel, stream, "argument 0", closed, 1);
      Check.Throws<ArgumentException>(() => Arg.Of(new WithReference()));
      Check.Throws<ArgumentNullException>(() => kernel.Launch(stream, new LaunchConfig(1, 1), (Arg[])null));
      Check.Equal(0, buffer.ToArray<int>(stream)[0]);
    }
  }

  private static void Refused<T>(Kernel kernel, CudaStream stream, string named, params Arg[] arguments) where T : Exception {
    T thrown = Check.Throws<T>(() => kernel.Launch(stream, new LaunchConfig(1, 1), arguments));
    Check.Contains(named, thrown.Message);
    if (thrown is CucoreException) Check.Contains("i32", thrown.Message);
  }

  public static void WrongTypes() {
    using (CudaStream stream = World.Stream())
    using (CudaBuffer buffer = new CudaBuffer(World.Device, 16, stream)) {
      Kernel none = World.Kernel(Source, "none");
      Check.Throws<InvalidArgumentException>(() => none.Launch(stream, new LaunchConfig(0, 1)));
      Check.Throws<InvalidArgumentException>(() => none.Launch(stream, default(LaunchConfig)));
      Check.Throws<ArgumentException>(() => buffer.Write(new WithReference[1], stream));
      Check.Throws<ArgumentException>(() => World.Code(World.Scale).GetKernel("a\0b"));
      Check.Throws<InvalidArgumentException>(() => World.Device.GetAttribute((DeviceAttribute)100000));
      Check.Throws<InvalidArgumentException>(() => World.Device.GetDefaultStream((DefaultStream)9));
      Check.Throws<InvalidArgumentException>(() => new CudaProgram("").Compile((CodeType)99));
      Check.Throws<InvalidArgumentException>(() => World.Kernel(World.Scale, "scale").GetParameter(3));
      Check.Throws<ArgumentException>(() => new CudaProgram("").Compile(CodeType.Ptx, "a", null));
    }
  }

  private static void Null(string parameter, Action action) {
    Check.Equal(parameter, Check.Throws<ArgumentNullException>(action).ParamName);
  }

  // Null causes the same exception everywhere, which names the parameter.
  public static void NullsAreNamed() {
    using (CudaStream stream = World.Stream())
    using (CudaQueue queue = new CudaQueue())
    using (CudaBuffer buffer = new CudaBuffer(World.Device, 16, stream)) {
      Kernel none = World.Kernel(Source, "none"), i32 = World.Kernel(Source, "i32");
      Null("stream", () => none.Launch(null, new LaunchConfig(1, 1)));
      Null("stream", () => i32.Launch(null, new LaunchConfig(1, 1), buffer, 1));
      Null("stream", () => none.LaunchPacked(null, new LaunchConfig(1, 1), new byte[0]));
      Null("arguments", () => none.LaunchPacked(stream, new LaunchConfig(1, 1), null));
      Null("arguments", () => none.Launch(stream, new LaunchConfig(1, 1), (Arg[])null));
      Null("device", () => new CudaStream(null));
      Null("device", () => new CudaEvent(null));
      Null("device", () => new CudaBuffer(null, 16, stream));
      Null("device", () => CudaBuffer.Pinned(null, 4));
      Null("source", () => buffer.Write((byte[])null, stream));
      Null("destination", () => buffer.Read((byte[])null, stream));
      Null("source", () => buffer.CopyFrom(null, stream));
      Null("event", () => stream.WaitEvent(null));
      Null("other", () => stream.WaitStream(null));
      Null("end", () => new CudaEvent(World.Device).Elapsed(null));
      Null("stream", () => CudaFuture.FromStream(null, queue, 1));
      Null("queue", () => CudaFuture.FromStream(stream, null, 1));
      Null("device", () => World.Code(World.Scale).Load(null));
      Null("device", () => World.Code(World.Scale).FindGlobal("a", null));
      Null("name", () => World.Code(World.Scale).FindGlobal(null, World.Device));
      Null("name", () => World.Code(World.Scale).GetKernel(null));
      Null("device", () => none.Occupancy(null, 32));
      Null("device", () => none.GetAttribute(KernelAttribute.MaxThreadsPerBlock, null));
      Null("code", () => new Linker().Add(null));
      Null("data", () => ObjectCode.Load((byte[])null));
      Null("data", () => ObjectCode.FromBytes(CodeType.Ptx, (byte[])null));
      Null("path", () => ObjectCode.FromFile(CodeType.Ptx, null));
      Null("images", () => ObjectCode.Bundle(null));
      Null("source", () => new CudaProgram(null));
      Null("source", () => new CudaProgram(SourceType.Ptx, (byte[])null));
      Null("nameOrPath", () => CucoreLibrary.SelectDriver(null));
      Null("receiver", () => CucoreLog.Subscribe(LogLevel.Info, null));
      Null("bytes", () => new Key(KeyAlgorithm.HmacSha256, null));
    }
  }

  private static void Negative(string parameter, Action action) {
    Check.Equal(parameter, Check.Throws<ArgumentOutOfRangeException>(action).ParamName);
  }

  // So does a size or an offset below 0.
  public static void NegativeSizesAreNamed() {
    using (CudaStream stream = World.Stream())
    using (CudaBuffer buffer = new CudaBuffer(World.Device, 16, stream)) {
      Kernel scale = World.Kernel(World.Scale, "scale");
      Negative("length", () => new CudaBuffer(World.Device, -1, stream));
      Negative("length", () => CudaBuffer.Pinned(World.Device, -1));
      Negative("length", () => CudaBuffer.Managed(World.Device, -1));
      Negative("length", () => CudaBuffer.FromNative(World.Device, buffer.Address, -1));
      Negative("offset", () => buffer.Write(new byte[1], stream, -1));
      Negative("offset", () => buffer.Read(new byte[1], stream, -1));
      Negative("offset", () => buffer.Read(new Span<byte>(new byte[1]), stream, -1));
      Negative("offset", () => buffer.Fill(1, stream, -4));
      Negative("length", () => buffer.Fill(1, stream, 0, -4));
      Negative("offset", () => buffer.CopyFrom(buffer, stream, 4, -1));
      Negative("sourceOffset", () => buffer.CopyFrom(buffer, stream, 4, 0, -1));
      Negative("length", () => buffer.CopyFrom(buffer, stream, -1));
      Negative("index", () => scale.GetParameter(-1));
      Negative("index", () => World.Code(World.Scale).GetImage(-1));
      Negative("dynamicShared", () => scale.Occupancy(World.Device, 32, -1));
      Negative("dynamicShared", () => scale.MaxPotentialBlockSize(World.Device, -1));
      Negative("x", () => new LaunchConfig(-1, 1));
      Negative("y", () => new LaunchConfig((1, -1), 1));
      Negative("z", () => new LaunchConfig(1, (1, 1, -1)));
      Negative("DynamicShared", () => new LaunchConfig(1, 1) { DynamicShared = -1 }.ToString());
    }
  }

  // The profile of the CPU device decides, as the architecture of a GPU.
  public static void Clusters() {
    LaunchConfig clusters = new LaunchConfig(2, 1) { Cluster = 2 };
    Kernel none = World.Kernel(Source, "none");
    if (World.Device.ComputeCapability.Major >= 9)
      Check.That(none.MaxActiveClusters(World.Device, clusters) > 0);
    else
      Check.Throws<UnsupportedException>(() => none.MaxActiveClusters(World.Device, clusters));
  }
}
