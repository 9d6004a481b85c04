// SPDX-License-Identifier: Apache-2.0
import io.cucore.CodeType;
import io.cucore.Program;
import java.nio.file.Files;
import java.nio.file.Paths;

/** Compiles a file; a shutdown hook handles signals. */
public final class Compiling {
  public static void main(String[] arguments) throws Exception {
    Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("handled")));
    String source = new String(Files.readAllBytes(Paths.get(arguments[0])));
    try (Program program = Program.ofCuda(source)) {
      System.out.println("compiling");
      program.compile(CodeType.PTX).close();
      System.out.println("compiled");
    }
  }
}
