// SPDX-License-Identifier: Apache-2.0
package io.cucore;

final class CudaDevice {
  static {
    NativeLoader.supply(NativeLoader.CPU_DEVICE);
  }

  /** Opens device 0.
   * @return the device */
  public static CudaDevice first() {
    return new CudaDevice(0);
  }

  /** One property of a device, by the driver's number (CUdevice_attribute).
   * @param attribute the number
   * @return its value
   * @throws InvalidArgumentException the attribute is unknown to the driver */
  public int attribute(int attribute) {
    return CucoreNativeJNI.CudaDevice_attribute(open(), this, attribute);
  }

  /** One property of a device, by its name in cuda.h: "WARP_SIZE" or "CU_DEVICE_ATTRIBUTE_WARP_SIZE", in any case.
   * @param name the name
   * @return its value
   * @throws InvalidArgumentException the name is none of CUdevice_attribute, or its attribute is unknown to the driver */
  public int attribute(String name) {
    open();
    return attribute(CucoreNative.deviceAttributeNumber(Given.notNull(name, "name")));
  }

  //: cucore_device_graph_memory
  public GraphMemory getGraphMemory() {
    return new GraphMemory(graphMemoryNow());
  }

  //: cucore_device_uuid
  // @return the bytes as a UUID
  public java.util.UUID getUuid() {
    java.nio.ByteBuffer bytes = java.nio.ByteBuffer.wrap(uuidNow());
    return new java.util.UUID(bytes.getLong(), bytes.getLong());
  }

  //: cucore_device_compute_capability
  // @return major and minor
  public ComputeCapability getComputeCapability() {
    return new ComputeCapability(computeCapabilityNow());
  }

  //: cucore_device_memory
  // @return the free bytes and all bytes
  public MemoryInfo getMemory() {
    return new MemoryInfo(memoryNow());
  }

  //: cucore_device_stream_priorities
  // @return the least, which is the default, and the greatest, a lower number
  public PriorityRange getStreamPriorities() {
    return new PriorityRange(streamPrioritiesNow());
  }

  /** Captures the work of a new stream, which the close of the capture closes.
   * @return the capture; its stream is {@link Capture#getStream()} */
  public Capture capture() {
    return capture(CaptureMode.RELAXED);
  }

  /** Captures the work of a new stream, which the close of the capture closes.
   * @param mode the calls of other code that break the capture
   * @return the capture; its stream is {@link Capture#getStream()} */
  public Capture capture(CaptureMode mode) {
    Given.notNull(mode, "mode");
    return new Capture(new CudaStream(this), true, mode, null, null);
  }

  /** Returns whether both are open and the same device.
   * @param other an object
   * @return true for one device opened twice */
  @Override public boolean equals(Object other) {
    if (this == other || !(other instanceof CudaDevice)) {
      return this == other;
    }
    CudaDevice that = (CudaDevice) other;
    return !isClosed() && !that.isClosed() && getOrdinal() == that.getOrdinal();
  }

  @Override public int hashCode() {
    return CudaDevice.class.hashCode(); // closing must not change it
  }

  //: wait cucore_device_synchronize Waits.device(timeout, this)

  //: said Said.of("CudaDevice", this::isClosed, () -> getOrdinal() + " (" + getName() + ")")
}
