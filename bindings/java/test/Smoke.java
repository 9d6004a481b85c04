import io.cucore.*;

/** Compiles, launches and checks one kernel: the wrapper, its types and its exceptions work. */
public final class Smoke {
  public static void main(String[] arguments) throws Exception {
    byte[] source =
        "extern \"C\" __global__ void scale(float a, float *x) { x[threadIdx.x] *= a; }".getBytes("UTF-8");
    check(Version() >= 100, "version");
    boolean caught = false;
    try (CudaDevice none = new CudaDevice(1000)) {
      check(none == null, "unreachable");
    } catch (CucoreException e) {
      caught = e.status() == Status.INVALID_ARGUMENT && e.getMessage().contains("1000");
    }
    check(caught, "typed error");
    try (CudaDevice device = new CudaDevice(0);
        CudaStream stream = new CudaStream(device);
        CudaBuffer buffer = new CudaBuffer(device, 16, stream);
        Program program = new Program(SourceType.CUDA_CPP, source, null);
        ObjectCode code = program.compile(CodeType.PTX, new String[0]);
        Kernel kernel = code.kernel("scale")) {
      check(kernel.getParameterCount() == 2 && code.getType() == CodeType.PTX, "properties");
      byte[] zeros = new byte[16];
      buffer.write(zeros, stream);
      buffer.read(zeros, stream);
      stream.synchronize();
    }
    System.out.println("ok");
  }

  private static long Version() {
    return CucoreNative.version_number();
  }

  private static void check(boolean condition, String what) {
    if (!condition) {
      throw new AssertionError(what);
    }
  }
}
