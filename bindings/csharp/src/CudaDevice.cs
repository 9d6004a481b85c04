// SPDX-License-Identifier: Apache-2.0
// Members of a device in addition to the generated ones.
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

  //: cucore_device_memory
  public (long Free, long Total) GetMemory() {
    NativePair memory = RawMemory();
    return (memory.First, memory.Second);
  }

  //: cucore_device_default_stream
  public CudaStream GetDefaultStream(DefaultStream kind = DefaultStream.Legacy) { return RawDefaultStream(kind); }
}
}
