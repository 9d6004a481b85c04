// SPDX-License-Identifier: Apache-2.0
// Compiles a file and handles signals meanwhile: Compiling.exe exit|unix FILE
using System;
using System.IO;
using System.Threading;
using Cucore;
using Mono.Unix;
using Mono.Unix.Native;

public static class Compiling {
  private static void Say(string word) {
    Console.Out.WriteLine(word);
    Console.Out.Flush();
  }

  // Mono raises Console.CancelKeyPress only if the output goes to a terminal.
  private static void Learn(string how) {
    var signals = new[] { new UnixSignal(Signum.SIGINT), new UnixSignal(Signum.SIGTERM) };
    new Thread(() => {
      UnixSignal.WaitAny(signals);
      Say("handled");
      if (how == "exit") Environment.Exit(5);
    }) { IsBackground = true }.Start();
  }

  public static void Main(string[] arguments) {
    Learn(arguments[0]);
    using (var program = new CudaProgram(File.ReadAllText(arguments[1]))) {
      Say("compiling");
      program.Compile(CodeType.Ptx).Dispose();
      Say("compiled");
    }
  }
}
