// SPDX-License-Identifier: Apache-2.0
package io.cucore.perf;

import java.nio.charset.StandardCharsets;

/** The highest rates that a device reaches, which kernels of the library have measured. {@link Perf#roof} opens it. */
public final class Roof extends Handle {
  Roof(long address) {
    super(address, Natives::cucore_roof_release);
  }

  /**
   * Returns one rate in bytes, operations or functions per second; in seconds for LAUNCH and EVENT_OFFSET.
   *
   * @param kind the rate
   * @return the rate, NaN if the device lacks the operation
   */
  public double value(RoofKind kind) {
    try (Frame frame = new Frame()) {
      Memory out = frame.memory(Double.BYTES);
      frame.check(Natives.cucore_roof_value(address(), Frame.notNull(kind, "kind").getValue(), out.address, frame.error()));
      return out.getDouble(0);
    }
  }

  /**
   * Returns the roof as JSON of the schema cucore.roof/1.
   *
   * @return the text
   */
  public String json() {
    return Frame.text((buffer, capacity, size, error) -> Natives.cucore_roof_serialize(address(), buffer, capacity, size, error));
  }

  /**
   * Reads the result of {@link #json()}, of any machine. It needs no device.
   *
   * @param json the text
   * @return the roof
   */
  public static Roof fromJson(String json) {
    try (Frame frame = new Frame()) {
      byte[] bytes = Frame.notNull(json, "json").getBytes(StandardCharsets.UTF_8);
      Memory out = frame.memory(Long.BYTES);
      frame.check(Natives.cucore_roof_deserialize(frame.memory(bytes.length).putBytes(bytes).address, bytes.length, out.address, frame.error()));
      return new Roof(out.getLong(0));
    }
  }

  @Override
  public String toString() {
    return isClosed() ? "Roof (closed)" : "Roof of " + value(RoofKind.COPY) / 1e9 + " GB/s";
  }
}
