// SPDX-License-Identifier: Apache-2.0
// 08: compile once: threads, processes and languages share a cache. Needs no device.
using System;
using System.Collections.Generic;
using System.IO;
using System.Security.Cryptography;
using System.Text;
using Cucore;

static class Example {
  const string Source = "template <class T> __global__ void saxpy(T a, const T *x, T *y) { *y += a * *x; }";

  static int Main() {
    string folder = Path.Combine(Path.GetTempPath(), "cucore-" + Guid.NewGuid());
    var options = new ProgramOptions { Name = "saxpy.cu", Arch = "compute_80" };
    CacheOutcome outcome;
    IReadOnlyList<BatchResult> many;
    // snippet: cache
    using (var cache = new Cache(folder))  // or new Cache(): $CUCORE_CACHE_DIR, else ~/.cache/cucore
    using (var program = new CudaProgram(Source, options))
    using (var code = program.Compile(CodeType.Ptx, cache, "saxpy<float>")) {  // the same result as Compile alone
      outcome = cache.Compile(program, CodeType.Ptx, "saxpy<float>").Outcome;
      Console.WriteLine($"the second time: {outcome}");

      byte[] key = SHA256.Create().ComputeHash(Encoding.UTF8.GetBytes("my generator 1.0; n = 4"));
      ObjectCode mine = cache.GetOrBuild(key,  // called once for all threads and processes
          () => program.Compile(CodeType.Ptx, "saxpy<double>")).Code;

      Console.WriteLine(cache.ExplainMiss(program, CodeType.Ptx, "saxpy<int>"));
      many = CudaProgram.CompileBatch(  // in worker processes
          new[] { new BatchItem(program, CodeType.Ptx, "saxpy<int>"), new BatchItem(program, CodeType.Ptx, "saxpy<char>") },
          new BatchOptions { Cache = cache });
      Console.WriteLine($"builds: {cache.Statistics.Builds}, {many[0]}");
    }
    // end of snippet
    Directory.Delete(folder, true);
    return outcome == CacheOutcome.HitMemory && many[1].Error == null ? 0 : 1;
  }
}
