// SPDX-License-Identifier: Apache-2.0
import io.cucore.Arg;
import io.cucore.CodeType;
import io.cucore.CudaBuffer;
import io.cucore.CudaDevice;
import io.cucore.CudaStream;
import io.cucore.InvalidArgumentException;
import io.cucore.Kernel;
import io.cucore.LaunchConfig;
import io.cucore.ObjectCode;
import io.cucore.Program;
import java.util.Arrays;

/** Records as structs: their layout as a kernel sees it, and the refusals. */
class Records {
  private static final String SOURCE = """
      struct Inner { char tag; short value; };
      struct Every { bool b; signed char i1; long long i8; short i2; char16_t c; float f; double d; Inner in[2]; int i4; };
      struct Point { float x, y, z; };
      struct Tiny { char a; };
      extern "C" __global__ void every(double *out, Every e) {
        out[0] = e.b; out[1] = e.i1; out[2] = e.i8; out[3] = e.i2; out[4] = e.c; out[5] = e.f; out[6] = e.d;
        out[7] = e.in[0].tag; out[8] = e.in[0].value; out[9] = e.in[1].tag; out[10] = e.in[1].value; out[11] = e.i4;
        out[12] = sizeof(Every);
      }
      extern "C" __global__ void point(double *out, Point p, Tiny t) { out[0] = p.x; out[1] = p.y; out[2] = p.z; out[3] = t.a; }
      """;

  record Inner(byte tag, short value) {}

  record Every(boolean b, byte i1, long i8, short i2, char c, float f, double d, Inner first, Inner second, int i4) {}

  private record Point(float x, float y, float z) {}

  record Tiny(byte a) {}

  record Point2(float x, float y) {}

  record WithArray(int n, float[] values) {}

  record WithText(String text) {}

  record WithBuffer(CudaBuffer buffer) {}

  record Empty() {}

  record Outer(Inner inner) {}

  record Throwing(int a) {
    public int a() {
      throw new IllegalStateException("of the accessor");
    }
  }

  public static void main(String[] none) {
    try (Program program = Program.ofCuda(SOURCE);
        ObjectCode code = program.compile(CodeType.PTX);
        CudaDevice device = CudaDevice.first();
        CudaStream stream = new CudaStream(device);
        CudaBuffer out = new CudaBuffer(device, 13 * 8, stream);
        Kernel every = code.kernel("every");
        Kernel point = code.kernel("point")) {
      LaunchConfig one = LaunchConfig.of(1, 1);
      Every all = new Every(true, (byte) -2, 1L << 40, (short) -3, 'x', 1.5f, -2.25, new Inner((byte) 5, (short) 6),
          new Inner((byte) 7, (short) 8), 9);
      for (int i = 0; i < 2; ++i) { // also with the remembered layout
        every.launch(stream, one, out, Arg.struct(all));
      }
      double[] got = new double[13];
      out.read(got, stream);
      check(new double[] {1, -2, 1L << 40, -3, 'x', 1.5, -2.25, 5, 6, 7, 8, 9, Arg.struct(all).size()}, got);
      point.launch(stream, one, out, Arg.struct(new Point(1, 2, 3)), Arg.struct(new Tiny((byte) 4)));
      out.read(got, 0, 4, stream, 0);
      check(new double[] {1, 2, 3, 4}, Arrays.copyOf(got, 4));

      refused("argument 1 of kernel point is the record Point2 of 8 bytes; expected a struct of 12 bytes; declare a component for"
          + " each member of the struct, in its order", () -> point.launch(stream, one, out, Arg.struct(new Point2(1, 2)), Arg.struct(new Tiny((byte) 0))));
      refused("argument 0 of kernel point is the record Point of 12 bytes; expected a pointer; pass a CudaBuffer, null, or"
          + " Arg.address(long) for the address of memory that no CudaBuffer has", () -> point.launch(stream, one, Arg.struct(new Point(1, 2, 3)), out, 1));
      refused("argument 1 of kernel point has type Records$Point; make it a struct by Arg.struct()",
          () -> point.launch(stream, one, out, new Point(1, 2, 3), 1));
      refused("component values of record WithArray is a float[]; expected a number, a char, a boolean or a record; declare a"
          + " component for each element", () -> Arg.struct(new WithArray(1, new float[1])));
      refused("component text of record WithText is a java.lang.String; expected a number, a char, a boolean or a record; pass the"
          + " bytes of the struct by Arg.of(byte[])", () -> Arg.struct(new WithText("x")));
      refused("component buffer of record WithBuffer is a io.cucore.CudaBuffer; expected a number, a char, a boolean or a record;"
          + " pass its address as a long, and call recordUse() after the launch", () -> Arg.struct(new WithBuffer(out)));
      refused("record Empty has no components; expected at least one", () -> Arg.struct(new Empty()));
      refused("component inner of record Outer is null", () -> Arg.struct(new Outer(null)));
      refused("record is a java.lang.String; expected a record", () -> Arg.struct("x"));
      refused("record is null", () -> Arg.struct(null));
      refused("accessor a of record Throwing throws java.lang.IllegalStateException: of the accessor", () -> Arg.struct(new Throwing(1)));
    }
    System.out.print("records are structs");
  }

  private static void check(double[] expected, double[] got) {
    if (!Arrays.equals(expected, got)) {
      throw new AssertionError(Arrays.toString(got) + ", not " + Arrays.toString(expected));
    }
  }

  private static void refused(String message, Runnable body) {
    try {
      body.run();
    } catch (InvalidArgumentException e) {
      if (!e.getMessage().equals(message)) {
        throw new AssertionError(e.getMessage() + "\nnot\n" + message);
      }
      return;
    }
    throw new AssertionError("accepted: " + message);
  }
}
