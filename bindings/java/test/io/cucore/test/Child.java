// SPDX-License-Identifier: Apache-2.0
package io.cucore.test;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Another JVM that runs one of Errands. */
final class Child {
  private static final int LONGEST_S = Integer.getInteger("cucore.test.child", 180)
      + Integer.parseInt(System.getenv().getOrDefault("CUCORE_STRESS_SECONDS", "0"));

  final int code;
  final String output;

  private Child(int code, String output) {
    this.code = code;
    this.output = output;
  }

  static Child run(Map<String, String> environment, List<String> jvm, String... errand)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xcheck:jni");
    String folder = System.getProperty("cucore.library.path");
    if (folder != null) {
      command.add("-Dcucore.library.path=" + folder);
    }
    command.addAll(jvm);
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add("io.cucore.test.Errands");
    command.addAll(List.of(errand));
    return run(command, environment, null);
  }

  static Child run(List<String> command, Map<String, String> environment, Path folder)
      throws IOException, InterruptedException {
    Path output = Files.createTempFile("cucore-child", ".txt");
    try {
      ProcessBuilder builder = new ProcessBuilder(command);
      builder.environment().putAll(environment);
      builder.directory(folder == null ? null : folder.toFile());
      builder.redirectErrorStream(true).redirectOutput(output.toFile());
      Process process = builder.start();
      process.getOutputStream().close();
      if (!process.waitFor(LONGEST_S, TimeUnit.SECONDS)) {
        new ProcessBuilder("kill", "-QUIT", "" + process.pid()).start().waitFor(); // it prints its threads
        process.waitFor(1, TimeUnit.SECONDS);
        process.destroyForcibly();
        throw new AssertionError("it does not end: " + command + "\n" + text(output));
      }
      return new Child(process.exitValue(), text(output));
    } finally {
      Files.delete(output);
    }
  }

  private static String text(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
