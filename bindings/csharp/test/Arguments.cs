// SPDX-License-Identifier: Apache-2.0
// Scenarios about the classes of parameters: conversions, and the message of each mistake.
using System;
using System.Linq;
using System.Runtime.InteropServices;
using Cucore;

public static class Arguments {
  private const string Source = @"
struct Point { float x, y, z; };
template <class T> __global__ void axpy(T a, T *p) { *p = a; }
template <class T> __global__ void copy(T *to, T value) { *to = value; }
#define COPY(name, type) extern ""C"" __global__ void name(type *to, type value) { *to = value; }
COPY(i8, signed char) COPY(i16, short) COPY(i32, int) COPY(f32, float) COPY(f64, double) COPY(point, Point)";
  // such names define the class of every parameter
  private const string Axpy = "axpy<float>", Long = "copy<long long>";

  [StructLayout(LayoutKind.Sequential)]
  private struct Point {
    internal float X, Y, Z;
  }

  private static readonly ObjectCode code = new CudaProgram(Source).Compile(CodeType.Ptx, Axpy, Long);

  // Returns the value that the kernel received.
  private static T Sent<T>(string kernel, Arg value) where T : struct {
    using (CudaStream stream = World.Stream())
    using (CudaBuffer to = new CudaBuffer(World.Device, Marshal.SizeOf(typeof(T)), stream)) {
      code.GetKernel(kernel).Launch(stream, new LaunchConfig(1, 1), to, value);
      return to.ToArray<T>(stream)[0];
    }
  }

  public static void IntegersOfAnySize() {
    Check.Equal(-3, Sent<int>("i32", (sbyte)-3));
    Check.Equal(200, Sent<int>("i32", (byte)200));
    Check.Equal(1, Sent<int>("i32", true));
    Check.Equal(-7, Sent<int>("i32", -7L));
    Check.Equal(-1L, Sent<long>(Long, -1));
    Check.Equal(4294967295L, Sent<long>(Long, uint.MaxValue));
    Check.Equal((sbyte)-128, Sent<sbyte>("i8", -128));
    Check.Equal(byte.MaxValue, Sent<byte>("i8", 255));
    Check.Equal((short)-1, Sent<short>("i16", -1L));
    Check.Equal(uint.MaxValue, Sent<uint>("i32", 4294967295L));
    Check.Equal(ulong.MaxValue, Sent<ulong>(Long, ulong.MaxValue));
    Check.Equal(DayOfWeek.Friday, (DayOfWeek)Sent<int>("i32", Arg.Of(DayOfWeek.Friday)));
    Check.Equal(65L, Sent<long>(Long, Arg.Of('A')));
  }

  public static void FloatsAndIntegers() {
    Check.Equal(2f, Sent<float>("f32", 2));
    Check.Equal(-2f, Sent<float>("f32", -2L));
    Check.Equal(0.5f, Sent<float>("f32", 0.5));
    Check.Equal(float.PositiveInfinity, Sent<float>("f32", double.PositiveInfinity));
    Check.That(float.IsNaN(Sent<float>("f32", double.NaN)));
    Check.Equal((double)0.1f, Sent<double>("f64", 0.1f));
    Check.Equal(18446744073709549568.0, Sent<double>("f64", 18446744073709549568UL));
    Check.Equal((double)long.MinValue, Sent<double>("f64", long.MinValue));
    Check.Equal(2, Sent<int>("i32", 2f));
    Check.Equal(-3L, Sent<long>(Long, -3.0));
    Check.Equal(9223372036854775808UL, Sent<ulong>(Long, 9223372036854775808.0));
  }

  public static void ClassesOfParameters() {
    Kernel axpy = code.GetKernel(Axpy), point = code.GetKernel("point");
    Check.Same(new[] { ParameterClass.Float, ParameterClass.Pointer }, axpy.GetParameters().Select(p => p.Class));
    Check.Same(new[] { 0L, 8 }, axpy.GetParameters(World.Device).Select(p => p.Offset));
    Check.Equal("12 bytes at 8", point.GetParameter(1).ToString());
    using (Kernel take = World.Kernel(@"extern ""C"" __global__ void take(char value) {}", "take"))
      Check.Equal("1 byte at 0", take.GetParameter(0).ToString());
    Check.Equal(ParameterClass.Aggregate, code.Symbols.Single(s => s.LoweredName == "point").Parameters[1].Class);
    Check.Throws<InvalidArgumentException>(() => axpy.GetParameter(2));
  }

  // In PTX without ".ptr" an integer of 8 bytes and a pointer look the same.
  public static void UnknownClassesTakeWhatHasTheirSize() {
    const string ptx = @".version 8.0
.target sm_75
.address_size 64
.visible .entry unknown(.param .u64 to, .param .u64 value) {
  .reg .b64 %rd<2>;
  ld.param.u64 %rd0, [to];
  ld.param.u64 %rd1, [value];
  st.global.u64 [%rd0], %rd1;
  ret;
}";
    using (ObjectCode old = ObjectCode.FromBytes(CodeType.Ptx, System.Text.Encoding.ASCII.GetBytes(ptx)))
    using (Kernel kernel = old.GetKernel("unknown"))
    using (CudaStream stream = World.Stream())
    using (CudaBuffer to = new CudaBuffer(World.Device, 8, stream)) {
      Check.Equal(ParameterClass.Unknown, kernel.GetParameter(1).Class);
      Func<Arg, ulong> sent = value => {
        kernel.Launch(stream, new LaunchConfig(1, 1), to, value);
        return to.ToArray<ulong>(stream)[0];
      };
      Check.Equal(5UL, sent(5L));
      Check.Equal(0.5, BitConverter.Int64BitsToDouble((long)sent(0.5)));
      Check.Equal(5UL, sent(Arg.Address(5)));
      Check.Equal(to.Address, sent(to));
      Check.Equal("argument 1 of kernel unknown is the int 5; expected a value of 8 bytes; pass a value of this size",
                  Check.Throws<InvalidArgumentException>(() => sent(5)).Message);
    }
  }

  // The mistakes of docs/csharp.md with their full messages.
  public static void CommonestMistakes() {
    using (CudaStream stream = World.Stream())
    using (CudaBuffer buffer = new CudaBuffer(World.Device, 16, stream)) {
      CudaBuffer closed = new CudaBuffer(World.Device, 16, stream);
      closed.Dispose();
      Arg address = Arg.Address(buffer.Address);
      Refused(Axpy, "argument 0 of kernel axpy<float> is the int 16777217; expected a float; pass a number that is exact as a float, or cast it", 16777217, buffer);
      Refused(Axpy, "argument 0 of kernel axpy<float> is the double 0.1; expected a float; cast it to float", 0.1, buffer);
      Refused("i32", "argument 1 of kernel i32 is the float 2.5; expected an integer from -2147483648 to 4294967295 (int or uint); convert it to an integer", buffer, 2.5f);
      Refused("i32", "argument 1 of kernel i32 is the long 5000000000; expected an integer from -2147483648 to 4294967295 (int or uint); pass a value in this range", buffer, 5000000000L);
      Refused("i8", "argument 1 of kernel i8 is the int -129; expected an integer from -128 to 255 (sbyte or byte); pass a value in this range", buffer, -129);
      Refused(Axpy, "argument 0 of kernel axpy<float> is a CudaBuffer; expected a float; pass a number", buffer, buffer);
      Refused(Long, "argument 1 of kernel copy<long long> is a CudaBuffer; expected an integer from -9223372036854775808 to 18446744073709551615 (long or ulong); pass a number", buffer, buffer);
      Refused(Long, $"argument 1 of kernel copy<long long> is the address 0x{buffer.Address:x}; expected an integer from -9223372036854775808 to 18446744073709551615 (long or ulong); pass a number", buffer, address);
      Refused(Axpy, "argument 1 of kernel axpy<float> is the float 1; expected a pointer (CudaBuffer or Arg.Address); pass the CudaBuffer, or Arg.Address(address)", 1f, 1f);
      Refused(Axpy, $"argument 1 of kernel axpy<float> is the ulong {buffer.Address}; expected a pointer (CudaBuffer or Arg.Address); pass the CudaBuffer, or Arg.Address(address)", 1f, buffer.Address);
      Refused("point", "argument 1 of kernel point is a struct of 16 bytes; expected a struct of 12 bytes (Arg.Of); declare the struct as the kernel does", buffer, Arg.Of(Guid.Empty));
      Refused("point", "argument 1 of kernel point is the float 1; expected a struct of 12 bytes (Arg.Of); pass Arg.Of(a struct)", buffer, 1f);
      Refused("i32", "argument 1 of kernel i32 is a struct of 12 bytes; expected an integer from -2147483648 to 4294967295 (int or uint); pass a number", buffer, Arg.Of(new Point()));
      Refused(Axpy, "kernel axpy<float> is launched with 1 argument; expected 2; pass one for each parameter", 1f);
      Refused("i32", "kernel i32 is launched with 3 arguments; expected 2; pass one for each parameter", buffer, 1, 2);
      Refused<ObjectDisposedException>(Axpy, "argument 1 of kernel axpy<float> is a CudaBuffer that was disposed; expected one in use; dispose of it after the launch\n"
          + "Object name: 'CudaBuffer'.", 1f, closed);
      Refused<ArgumentException>(Axpy, "argument 1 of kernel axpy<float> is null; expected a pointer (CudaBuffer or Arg.Address); pass Arg.Address(0) for a null pointer", 1f, (CudaBuffer)null);
    }
  }

  // The process needs two devices.
  public static void BufferOfAnotherDevice() {
    if (!Machine.IsCpu) Machine.NeedsDevices(2);
    string said = Processes.Run("Arguments.UseOtherDevice", 0, "CUCORE_CPU_DEVICES=2").Trim();
    Check.Contains("argument 1 of kernel axpy<float> is a buffer of device 1", said);
    Check.Contains("expected one of device 0", said);
    Check.Contains("an NdArray of the launch is of device 1; expected one of device 0, the device of the stream; copy it, as by ToContext()", said);
  }

  internal static void UseOtherDevice() {
    using (CudaDevice other = new CudaDevice(1))
    using (CudaStream stream = World.Stream(), there = new CudaStream(other))
    using (CudaBuffer buffer = new CudaBuffer(other, 16, there))
    using (Cucore.Arrays.Context context = new Cucore.Arrays.Context(other))
    using (new Cucore.Arrays.Scope(context)) {
      Cucore.Arrays.NdArray array = Cucore.Arrays.Nd.Zeros(Cucore.Arrays.DType.Float32, 4);
      Console.WriteLine(Check.Throws<InvalidArgumentException>(() => code.GetKernel(Axpy).Launch(stream, new LaunchConfig(1, 1), 1f, array)).Message);
      Console.WriteLine(Check.Throws<InvalidArgumentException>(() => code.GetKernel(Axpy).Launch(stream, new LaunchConfig(1, 1), 1f, buffer)).Message);
      // Each device has its own layouts, so both are read.
      code.GetKernel(Axpy).Launch(there, new LaunchConfig(1, 1), 1, buffer);
      Check.Equal(1f, buffer.ToArray<float>(there)[0]);
    }
  }

  private static void Refused(string kernel, string message, params Arg[] arguments) { Refused<InvalidArgumentException>(kernel, message, arguments); }

  // With and without an array, which are different entry points.
  private static void Refused<T>(string kernel, string message, params Arg[] arguments) where T : Exception {
    using (CudaStream stream = World.Stream())
    using (Kernel of = code.GetKernel(kernel)) {
      Check.Equal(message, Check.Throws<T>(() => of.Launch(stream, new LaunchConfig(1, 1), arguments)).Message);
      if (arguments.Length == 2)
        Check.Equal(message, Check.Throws<T>(() => of.Launch(stream, new LaunchConfig(1, 1), arguments[0], arguments[1])).Message);
    }
  }
}
