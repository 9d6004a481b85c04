// SPDX-License-Identifier: Apache-2.0
package io.cucore.test;

import static io.cucore.test.World.assertFails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cucore.Backend;
import io.cucore.CodeType;
import io.cucore.CudaDevice;
import io.cucore.DeserializeOptions;
import io.cucore.InvalidCodeException;
import io.cucore.InvalidStateException;
import io.cucore.Kernel;
import io.cucore.KeyAlgorithm;
import io.cucore.Linker;
import io.cucore.LinkerOptions;
import io.cucore.ObjectCode;
import io.cucore.ObjectCodeOptions;
import io.cucore.Program;
import io.cucore.ProgramOptions;
import io.cucore.SerializeOptions;
import io.cucore.SignaturePolicy;
import io.cucore.SignatureState;
import io.cucore.SigningKey;
import io.cucore.SourceType;
import io.cucore.Status;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Scenarios of stored code: 18, this language's part of 19, and linking, bundles, signatures. */
class CodeTest {
  private static byte[] serialized(ObjectCode code) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(code);
    }
    return bytes.toByteArray();
  }

  private static ObjectCode deserialized(byte[] bytes) throws Exception {
    try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
      return (ObjectCode) in.readObject();
    }
  }

  @Test
  void serialize() throws Exception {
    byte[] bytes = World.code().serialize();
    try (ObjectCode again = ObjectCode.deserialize(bytes);
        ObjectCode direct = ObjectCode.deserialize(ByteBuffer.allocateDirect(bytes.length).put(bytes).flip(), null);
        ObjectCode byJava = deserialized(serialized(World.code()));
        Kernel kernel = again.kernel("fill<float>")) {
      assertArrayEquals(bytes, again.serialize());
      assertArrayEquals(bytes, direct.serialize());
      assertArrayEquals(bytes, byJava.serialize());
      assertEquals(2, kernel.getParameterCount());
      assertEquals(World.code().getMetadata(), again.getMetadata());
    }
    for (int at = 0; at < 64; ++at) {
      byte[] damaged = bytes.clone();
      damaged[at] ^= 0x40;
      InvalidCodeException e =
          assertFails(InvalidCodeException.class, Status.INVALID_CODE, () -> ObjectCode.deserialize(damaged));
      assertFalse(e.getMessage().isEmpty());
    }
    byte[] stream = serialized(World.code());
    stream[stream.length - 10] ^= 1;
    assertThrows(InvalidCodeException.class, () -> deserialized(stream));
    ObjectCode closed = ObjectCode.deserialize(bytes);
    closed.close();
    assertThrows(io.cucore.InvalidHandleException.class, () -> serialized(closed));
    byte[] small = World.code().serialize(SerializeOptions.builder().compression(true).build());
    assertTrue(small.length < bytes.length);
    try (ObjectCode again = ObjectCode.deserialize(small)) {
      assertArrayEquals(bytes, again.serialize());
    }
  }

  /** Java's own part; bindings/exchange has all the languages. */
  @Test
  void otherLanguages() throws Exception {
    Path folder = Files.createTempDirectory("cucore-java");
    Path first = folder.resolve("first.cuco");
    Path second = folder.resolve("second.cuco");
    Exchange.main("make", first.toString());
    Exchange.main("copy", first.toString(), second.toString());
    assertArrayEquals(Files.readAllBytes(first), Files.readAllBytes(second));
    Exchange.main("launch", second.toString());
    Exchange.main("own", first.toString(), second.toString());
    assertArrayEquals(Files.readAllBytes(first), Files.readAllBytes(second));
    Files.delete(first);
    Files.delete(second);
    Files.delete(folder);
  }

  @Test
  void ofBytesAndFiles() throws Exception {
    byte[] ptx = World.code().getBytes();
    Path file = Files.createTempFile("cucore", ".ptx");
    Files.write(file, ptx);
    String lowered =
        World.code().getSymbols().stream().filter(s -> s.expression().equals("fill<int>")).findFirst().orElseThrow().loweredName();
    ObjectCodeOptions options = ObjectCodeOptions.builder().name("given").expression("mine", lowered).build();
    try (ObjectCode code = ObjectCode.fromFile(CodeType.PTX, file, options);
        ObjectCode plain = ObjectCode.fromFile(CodeType.PTX, file);
        ObjectCode detected = ObjectCode.fromFile(file);
        Kernel kernel = code.kernel("mine")) {
      assertEquals("given", code.getName());
      assertEquals(file.getFileName().toString(), plain.getName());
      assertEquals(lowered, kernel.getName());
      assertArrayEquals(ptx, plain.getBytes());
      assertEquals(CodeType.PTX, detected.getType());
      assertEquals(plain.getName(), detected.getName());
      Files.write(file, World.code().serialize());
      try (ObjectCode container = ObjectCode.fromFile(file)) {
        assertArrayEquals(World.code().getBytes(), container.getBytes());
      }
    } finally {
      Files.delete(file);
    }
  }

  @Test
  void linking() {
    ProgramOptions relocatable = ProgramOptions.builder().arch("sm_80").relocatableDeviceCode(true).build();
    String first = "extern \"C\" __device__ int twice(int x);\nextern \"C\" __global__ void k(int *x) { *x = twice(*x); }\n";
    String second = "extern \"C\" __device__ int twice(int x) { return 2 * x; }\n";
    try (Program one = Program.ofCuda(first, relocatable);
        Program two = Program.ofCuda(second, relocatable);
        ObjectCode a = one.compile(CodeType.PTX);
        ObjectCode b = two.compile(CodeType.CUBIN);
        Linker linker = new Linker(LinkerOptions.builder().name("linked").arch("sm_80").kernelsUsed("k").build())) {
      assertFails(InvalidStateException.class, Status.INVALID_STATE, () -> linker.link(CodeType.CUBIN));
      linker.add(a);
      linker.add(b);
      try (ObjectCode linked = linker.link(CodeType.CUBIN)) {
        assertEquals(CodeType.CUBIN, linked.getType());
        assertEquals("linked", linked.getName());
        assertEquals(1, linked.getSymbols().stream().filter(s -> s.loweredName().equals("k")).count());
        assertTrue(linked.getResources(0).registers() > 0);
        assertTrue(linked.getResources(0).codeSize() > 0);
      }
      assertTrue(linker.getBackend() == Backend.NVJITLINK || linker.getBackend() == Backend.DRIVER);
      assertTrue(linker.getLog() != null);
    }
  }

  @Test
  void loneSurrogates() {
    Object[][] texts = {{"\ud83d", 0}, {"a\ud83d", 1}, {"\ude00x", 0}, {"// \ud83d\ud83d\ude00", 3}, {"// \ud83d\ude00\ude00", 5}};
    for (Object[] row : texts) {
      String text = (String) row[0];
      String words = "has a lone surrogate at index " + row[1];
      org.junit.jupiter.api.function.Executable[] calls = {
        () -> Program.ofCuda(text), () -> new Program(SourceType.PTX, text, null),
        () -> Program.ofCuda("", ProgramOptions.builder().name(text).build()),
        () -> Program.ofCuda("", ProgramOptions.builder().headerNames("a.h").headerSources(text).build()),
        () -> World.code().kernel(text),
      };
      for (int i = 0; i < calls.length; ++i) {
        String message = assertFails(io.cucore.InvalidArgumentException.class, Status.INVALID_ARGUMENT, calls[i]).getMessage();
        assertTrue(message.contains(words), message);
        assertEquals(i < 2, message.startsWith("source "), message);
      }
    }
    try (Program program = Program.ofCuda("// \ud83d\ude00 \ufffd\n"); ObjectCode code = program.compile(CodeType.PTX)) {
      assertEquals(CodeType.PTX, code.getType());
    }
  }

  @Test
  void bundlesAndSignatures() {
    ProgramOptions machine = ProgramOptions.builder().arch("sm_80").build();
    SigningKey key = new SigningKey(KeyAlgorithm.HMAC_SHA256, "secret".getBytes(java.nio.charset.StandardCharsets.UTF_8));
    try (Program program = Program.ofCuda(World.SOURCE, machine);
        ObjectCode cubin = program.compile(CodeType.CUBIN);
        ObjectCode bundle = ObjectCode.bundle(World.code(), cubin);
        ObjectCode image = bundle.image(1);
        CudaDevice device = World.device()) {
      assertEquals(CodeType.BUNDLE, bundle.getType());
      assertEquals(2, bundle.getImageCount());
      assertArrayEquals(cubin.getBytes(), image.getBytes());
      assertEquals(bundle.getBytes().length, bundle.asByteBuffer().remaining());
      bundle.kernel("scale").close();
      byte[] signed = bundle.serialize(SerializeOptions.builder().signingKey(key).build());
      DeserializeOptions strict =
          DeserializeOptions.builder().signaturePolicy(SignaturePolicy.REQUIRED).key(key).build();
      try (ObjectCode trusted = ObjectCode.deserialize(signed, strict);
          ObjectCode unknown = ObjectCode.deserialize(signed)) {
        assertEquals(SignatureState.VALID, trusted.getSignature());
        assertEquals(SignatureState.UNKNOWN_KEY, unknown.getSignature());
        assertEquals(16, trusted.getSignatureKey().length());
      }
      assertFails(io.cucore.InvalidArgumentException.class, Status.INVALID_ARGUMENT, () -> ObjectCode.bundle(cubin));
      String twice = assertThrows(io.cucore.InvalidArgumentException.class, () -> ObjectCode.bundle(World.code(), cubin, cubin)).getMessage();
      assertTrue(twice.contains("images[2] is the same CUBIN for sm_80 as images[1]"), twice);
    }
  }
}
