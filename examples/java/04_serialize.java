// SPDX-License-Identifier: Apache-2.0
import io.cucore.*;
import java.util.Arrays;

/** 04: store object code as bytes and restore it, here or in another process. Needs no device. */
class Serialize {
  public static void main(String[] args) {
    String source =
        "__device__ int counter;\n"
            + "extern \"C\" __global__ void count() { atomicAdd(&counter, 1); }\n";
    try (Program program = Program.ofCuda(source);
        ObjectCode code = program.compile(CodeType.PTX)) {
      // snippet: serialize
      byte[] bytes = code.serialize(); // the same container in every language
      try (ObjectCode restored = ObjectCode.deserialize(bytes)) {
        boolean equal = Arrays.equals(code.getBytes(), restored.getBytes());
        System.out.println(bytes.length + " bytes; restored " + (equal ? "equal" : "differently"));
        System.exit(equal ? check(bytes) : 1);
      }
      // end of snippet
    }
  }

  /** Flips a bit: the container is refused with the reason. */
  private static int check(byte[] bytes) {
    bytes[bytes.length / 2] ^= 1;
    try {
      ObjectCode.deserialize(bytes);
      return 1;
    } catch (InvalidCodeException e) {
      System.out.println("damaged: " + e.getMessage());
      return 0;
    }
  }
}
