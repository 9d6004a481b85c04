// SPDX-License-Identifier: Apache-2.0
import io.cucore.CodeType;
import io.cucore.Cucore;
import io.cucore.CudaDevice;
import io.cucore.CudaStream;
import io.cucore.Kernel;
import io.cucore.LaunchConfig;
import io.cucore.ObjectCode;
import java.nio.file.Files;
import java.nio.file.Paths;

/** The first call, and with a file of PTX the first launch of its kernel "nothing". */
class Start {
  public static void main(String[] arguments) throws Exception {
    Cucore.version();
    if (arguments.length == 0) {
      return;
    }
    byte[] ptx = Files.readAllBytes(Paths.get(arguments[0]));
    try (CudaDevice device = CudaDevice.first();
        CudaStream stream = new CudaStream(device);
        ObjectCode code = ObjectCode.fromBytes(CodeType.PTX, ptx);
        Kernel kernel = code.kernel("nothing")) {
      kernel.launch(stream, LaunchConfig.of(1, 1));
      stream.synchronize();
    }
  }
}
