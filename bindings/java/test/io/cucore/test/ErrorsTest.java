// SPDX-License-Identifier: Apache-2.0
package io.cucore.test;

import static io.cucore.test.World.assertFails;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cucore.CodeType;
import io.cucore.CompilationException;
import io.cucore.CucoreException;
import io.cucore.CudaBuffer;
import io.cucore.CudaDevice;
import io.cucore.CudaEvent;
import io.cucore.CudaStream;
import io.cucore.DeserializeOptions;
import io.cucore.Diagnostic;
import io.cucore.InvalidArgumentException;
import io.cucore.InvalidCodeException;
import io.cucore.InvalidHandleException;
import io.cucore.InvalidStateException;
import io.cucore.IoException;
import io.cucore.Kernel;
import io.cucore.KeyAlgorithm;
import io.cucore.LaunchConfig;
import io.cucore.LaunchException;
import io.cucore.LinkingException;
import io.cucore.NotFoundException;
import io.cucore.ObjectCode;
import io.cucore.OutOfDeviceMemoryException;
import io.cucore.Program;
import io.cucore.ProgramOptions;
import io.cucore.Severity;
import io.cucore.SignatureException;
import io.cucore.SignaturePolicy;
import io.cucore.SigningKey;
import io.cucore.SourceType;
import io.cucore.Status;
import io.cucore.UnsupportedException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Scenarios of exceptions: 4 and 5. KERNEL_FAULT and NOT_READY are provoked in LaunchTest. */
class ErrorsTest {
  @Test
  void errorClasses() throws Exception {
    assertFails(InvalidArgumentException.class, Status.INVALID_ARGUMENT, () -> new CudaDevice(1000));
    CudaDevice closed = World.device();
    closed.close();
    assertFails(InvalidHandleException.class, Status.INVALID_HANDLE, () -> new CudaStream(closed));
    NotFoundException missing =
        assertFails(NotFoundException.class, Status.NOT_FOUND, () -> World.code().kernel("no_such"));
    assertTrue(missing.getMessage().contains("scale"), missing.getMessage());
    assertFails(NotFoundException.class, Status.NOT_FOUND, () -> ObjectCode.fromFile(CodeType.PTX, Path.of("/no/such.ptx")));
    assertFails(IoException.class, Status.IO, () -> ObjectCode.fromFile(CodeType.PTX, Path.of("/tmp")));
    assertFails(UnsupportedException.class, Status.UNSUPPORTED, () -> World.code().getResources(0));
    assertFails(InvalidCodeException.class, Status.INVALID_CODE, () -> ObjectCode.deserialize(new byte[100]));
    assertFails(InvalidCodeException.class, Status.INVALID_CODE, () -> ObjectCode.fromBytes(CodeType.CUBIN, new byte[100]));
    assertFails(CompilationException.class, Status.COMPILATION, () -> World.compile("no C++"));
    signature();
    linking();
    onDevice();
    inOtherProcesses();
  }

  private void signature() {
    SigningKey key = new SigningKey(KeyAlgorithm.HMAC_SHA256, new byte[] {1, 2, 3});
    DeserializeOptions strict =
        DeserializeOptions.builder().signaturePolicy(SignaturePolicy.REQUIRED).key(key).build();
    assertFails(SignatureException.class, Status.SIGNATURE, () -> ObjectCode.deserialize(World.code().serialize(), strict));
  }

  private void linking() {
    String ptx = ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k() { call nowhere; }\n";
    ProgramOptions options = ProgramOptions.builder().arch("sm_80").build();
    try (Program program = new Program(SourceType.PTX, ptx, options)) {
      LinkingException e =
          assertFails(LinkingException.class, Status.LINKING, () -> program.compile(CodeType.CUBIN));
      assertFalse(e.log().isEmpty());
    }
  }

  private void onDevice() {
    try (CudaDevice device = World.device();
        CudaStream stream = new CudaStream(device);
        CudaEvent plain = new CudaEvent(device);
        Kernel kernel = World.code().kernel("nothing")) {
      assertFails(InvalidStateException.class, Status.INVALID_STATE, () -> plain.elapsed(plain));
      assertFails(OutOfDeviceMemoryException.class, Status.OUT_OF_DEVICE_MEMORY,
          () -> new CudaBuffer(device, 1L << 50, stream));
      LaunchConfig tooMany = LaunchConfig.builder().grid(1 << 20).block(1024).cooperative(true).build();
      LaunchException e = assertFails(LaunchException.class, Status.LAUNCH, () -> kernel.launch(stream, tooMany));
      assertTrue(e.getMessage().contains("grid is 1048576 blocks; at most "), e.getMessage());
    }
  }

  private void inOtherProcesses() throws Exception {
    Child compile = Child.run(Map.of("CUCORE_NVRTC", "/nowhere"), List.of(), "fail", "compile");
    assertEquals("LibraryMissingException LIBRARY_MISSING", compile.output);
    Child device = Child.run(Machine.withoutDevices(), List.of(), "fail", "device");
    assertEquals("NoDeviceException NO_DEVICE", device.output);
    Child driver = Child.run(Map.of("CUCORE_DRIVER", "/no/such/driver.so"), List.of(), "fail", "device");
    assertEquals("LibraryMissingException LIBRARY_MISSING", driver.output);
  }

  @Test
  void errorDetails() throws Exception {
    String source = "extern \"C\" __global__ void k() {}\n\n#error größe 漢 \uD83D\uDE00\n";
    CompilationException e = assertFails(CompilationException.class, Status.COMPILATION, () -> World.compile(source));
    assertFalse(e.getMessage().contains(e.log()), e.getMessage());
    assertTrue(e.getMessage().contains("world.cu"), e.getMessage());
    assertTrue(e.log().contains("größe 漢 \uD83D\uDE00"), e.log());
    assertEquals("nvrtc", e.origin());
    assertEquals(6, e.nativeCode());
    assertEquals("NVRTC_ERROR_COMPILATION", e.nativeName());
    assertEquals(301, e.statusCode());
    List<Diagnostic> errors =
        e.diagnostics().stream().filter(d -> d.severity() == Severity.FATAL).collect(java.util.stream.Collectors.toList());
    assertEquals(1, errors.size(), e.diagnostics().toString());
    assertEquals(3, errors.get(0).line());
    assertEquals("world.cu", errors.get(0).file());
    assertTrue(errors.get(0).text().contains("größe 漢 \uD83D\uDE00"), errors.get(0).text());
    assertThrows(UnsupportedOperationException.class, () -> e.diagnostics().clear());
    assertSerializable(e);
    beyondTheFirstPlane();
  }

  private static void assertSerializable(CucoreException e) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(e);
    }
    try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      CucoreException copy = (CucoreException) in.readObject();
      assertEquals(e.getClass(), copy.getClass());
      assertEquals(e.log(), copy.log());
      assertEquals(e.diagnostics().toString(), copy.diagnostics().toString());
    }
  }

  /** Java's and JNI's own UTF-8 differ for these; a name is passed in and returned. */
  private static void beyondTheFirstPlane() {
    String name = "k\uD83D\uDE00é漢\u0001";
    byte[] ptx = World.code().getBytes();
    assertTrue(new String(ptx, StandardCharsets.US_ASCII).contains(".version"));
    try (ObjectCode code = ObjectCode.fromBytes(CodeType.PTX, ptx, io.cucore.ObjectCodeOptions.builder().name(name).build())) {
      assertEquals(name, code.getName());
    }
    NotFoundException e = assertFails(NotFoundException.class, Status.NOT_FOUND, () -> World.code().kernel(name));
    assertTrue(e.getMessage().contains("k\uD83D\uDE00é漢"), e.getMessage());
    InvalidArgumentException broken =
        assertFails(InvalidArgumentException.class, Status.INVALID_ARGUMENT, () -> World.code().kernel("x\uD83D"));
    assertTrue(broken.getMessage().contains("lone surrogate at index 1"), broken.getMessage());
  }
}
