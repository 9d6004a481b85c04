// SPDX-License-Identifier: Apache-2.0
package io.cucore.test;

import io.cucore.CudaDevice;
import java.util.Map;

/** The machine of the tests: the CPU device, or with CUCORE_DRIVER=nvidia a GPU. */
final class Machine {
  static final boolean HAS_GPU = "nvidia".equals(System.getenv("CUCORE_DRIVER"));

  private Machine() {}

  /** For a child that needs two devices: a GPU machine has a fixed number. */
  static Map<String, String> withTwoDevices() {
    return HAS_GPU ? Map.of() : Map.of("CUCORE_CPU_DEVICES", "2");
  }

  static Map<String, String> withoutDevices() {
    return HAS_GPU ? Map.of("CUDA_VISIBLE_DEVICES", "-1") : Map.of("CUCORE_CPU_DEVICES", "0");
  }

  static boolean hasTwoDevices() {
    return CudaDevice.count() > 1;
  }

  /** Part of the name of the driver's library. */
  static String driver() {
    return HAS_GPU ? "libcuda" : "cucore-cpu";
  }
}
