// SPDX-License-Identifier: Apache-2.0
import com.sun.jna.Library;
import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.PointerByReference;
import java.nio.charset.StandardCharsets;

/** The property and the launch again by JNA, as a program without this binding would call the C API. */
public final class JnaBench {
  private static final int ROUNDS = 400;
  private static final int OPTIONS = 64; // sizeof(cucore_launch_options)
  private static volatile long sink;

  /** The functions that are called. */
  public interface C extends Library {
    int cucore_device_open(int ordinal, PointerByReference out, PointerByReference error);

    int cucore_device_synchronize(Pointer device, PointerByReference error);

    int cucore_stream_create(Pointer device, Pointer options, PointerByReference out, PointerByReference error);

    int cucore_buffer_create(Pointer device, long size, Pointer stream, PointerByReference out, PointerByReference error);

    long cucore_buffer_address(Pointer buffer);

    int cucore_objectcode_create(int type, byte[] data, long size, Pointer options, PointerByReference out, PointerByReference error);

    int cucore_objectcode_find_kernel(Pointer code, String name, PointerByReference out, PointerByReference error);

    long cucore_kernel_parameter_count(Pointer kernel);

    int cucore_kernel_launch(Pointer kernel, Pointer stream, Pointer options, Pointer arguments, long count, Pointer error);
  }

  private JnaBench() {}

  private static Pointer made(int status, PointerByReference out) {
    if (status != 0) {
      throw new IllegalStateException("status " + status);
    }
    return out.getValue();
  }

  private static double measure(int times, Bench.Batch batch, Runnable settle) {
    double[] each = new double[ROUNDS];
    for (int i = -ROUNDS / 2; i < ROUNDS; ++i) {
      long start = System.nanoTime();
      batch.run(times);
      double took = (System.nanoTime() - start) / (double) times;
      settle.run();
      if (i >= 0) {
        each[i] = took;
      }
    }
    return Bench.median(each);
  }

  /** Prints both figures. */
  public static void run(String library) {
    C c = Native.load(library, C.class);
    PointerByReference out = new PointerByReference();
    Pointer device = made(c.cucore_device_open(0, out, null), out);
    Pointer stream = made(c.cucore_stream_create(device, null, out, null), out);
    Pointer buffer = made(c.cucore_buffer_create(device, 4096, stream, out, null), out);
    byte[] ptx = Bench.PTX.getBytes(StandardCharsets.US_ASCII);
    Pointer code = made(c.cucore_objectcode_create(1, ptx, ptx.length, null, out, null), out);
    Pointer kernel = made(c.cucore_objectcode_find_kernel(code, "three", out, null), out);
    Memory options = new Memory(OPTIONS);
    Memory values = new Memory(16);
    Memory arguments = new Memory(48);
    System.out.printf("| by JNA: %s | | %.1f | | |%n", "property", measure(2000, n -> {
      for (int i = 0; i < n; ++i) {
        sink += c.cucore_kernel_parameter_count(kernel);
      }
    }, () -> {}));
    System.out.printf("| by JNA: %s | | %.1f | | |%n", "launch with three arguments", measure(256, n -> {
      for (int i = 0; i < n; ++i) {
        launch(c, kernel, stream, buffer, i, options, values, arguments);
      }
    }, () -> c.cucore_device_synchronize(device, null)));
  }

  private static void launch(
      C c, Pointer kernel, Pointer stream, Pointer buffer, int n, Memory options, Memory values, Memory arguments) {
    options.clear();
    options.setLong(0, OPTIONS);
    options.setInt(8, 1);
    options.setInt(20, 32);
    values.setFloat(0, 2f);
    values.setInt(4, n);
    values.setLong(8, c.cucore_buffer_address(buffer));
    long[][] places = {{0, 4}, {4, 4}, {8, 8}};
    for (int i = 0; i < 3; ++i) {
      arguments.setPointer(16L * i, values.share(places[i][0]));
      arguments.setLong(16L * i + 8, places[i][1]);
    }
    int status = c.cucore_kernel_launch(kernel, stream, options, arguments, 3, null);
    if (status != 0) {
      throw new IllegalStateException("status " + status);
    }
  }
}
