// SPDX-License-Identifier: Apache-2.0
// Members of a device in addition to the generated ones.
using System;

namespace Cucore {
public partial class CudaDevice {
  /// <summary>Opens device 0.</summary>
  public CudaDevice() : this(0) {}

  //: cucore_device_count
  public static int Count { get { return RawCount(); } }
  //: cucore_device_compute_capability
  public (int Major, int Minor) ComputeCapability { get { return RawComputeCapability().ToInts(); } }
  //: cucore_device_stream_priorities
  public (int Least, int Greatest) StreamPriorities { get { return RawStreamPriorities().ToInts(); } }
  //: cucore_device_uuid
  public byte[] Uuid { get { return RawUuid(); } }

  /// <summary>One property of a device, by its name in cuda.h: "WARP_SIZE" or "CU_DEVICE_ATTRIBUTE_WARP_SIZE", in any case.</summary>
  /// <param name="name">the name</param>
  /// <returns>its value</returns>
  /// <exception cref="InvalidArgumentException">the name is none of CUdevice_attribute, or its attribute is unknown to the driver</exception>
  public int GetAttribute(string name) {
    using (new Use(swigCPtr))
      return GetAttribute((DeviceAttribute)CucoreNative.DeviceAttributeNumber(name ?? throw new ArgumentNullException(nameof(name))));
  }

  //: cucore_device_memory
  public (long Free, long Total) GetMemory() {
    NativePair memory = RawMemory();
    return (memory.First, memory.Second);
  }

  //: cucore_device_graph_memory
  public GraphMemory GetGraphMemory() { return new GraphMemory(RawGraphMemory()); }

  //: cucore_device_default_stream
  public CudaStream GetDefaultStream(DefaultStream kind = DefaultStream.Legacy) { return RawDefaultStream(kind); }
}
}
