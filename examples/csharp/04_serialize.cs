// SPDX-License-Identifier: Apache-2.0
// 04: store object code as bytes and restore it, here, in another process or another language.
using System;
using System.Linq;
using Cucore;

static class Example {
  const string Source = @"
__device__ int counter;
extern ""C"" __global__ void count() { atomicAdd(&counter, 1); }";

  static int Main() {
    using (var program = new CudaProgram(Source))
    using (var code = program.Compile(CodeType.Ptx)) {
      byte[] bytes = code.ToBytes();
      using (var restored = ObjectCode.Load(bytes)) {
        Console.WriteLine($"{code.Data.Length} bytes of PTX in a container of {bytes.Length} bytes");
        if (!restored.Data.SequenceEqual(code.Data) || !restored.ToBytes().SequenceEqual(bytes)) return 1;
      }

      var key = new Key(KeyAlgorithm.HmacSha256, new byte[] { 1, 2, 3, 4 });
      byte[] signed = code.ToBytes(new SerializeOptions { Compression = true, SigningKey = key });
      var strict = new DeserializeOptions { SignaturePolicy = SignaturePolicy.Required, Keys = { key } };
      using (var restored = ObjectCode.Load(signed, strict))
        Console.WriteLine($"compressed and signed: {signed.Length} bytes, {restored.Signature}");

      bytes[bytes.Length / 2] ^= 1;  // a flipped bit: the container is refused with the reason
      try {
        ObjectCode.Load(bytes);
      } catch (InvalidCodeException e) {
        Console.WriteLine($"damaged: {e.Message}");
        return 0;
      }
      return 1;
    }
  }
}
