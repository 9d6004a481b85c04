// Section "Device" of cucore.h.
%quick(Device::ordinal)
%quick(Device::name)
%quick(Device::arch)
%quick(Device::pci_bus_id)
%quick(Device::is_emulated)
%newobject Device::default_stream;

/** A GPU, or the CPU device. */
struct Device {
  %extend {
    //: cucore_device_open
    Device(int32_t ordinal = 0) { return made<Device *>(cucore_device_open, ordinal); }
    ~Device() { cucore_device_release($self); }

    //: cucore_device_count
    static int32_t count() { return made<int32_t>(cucore_device_count); }
    //: cucore_device_attribute
    int32_t attribute(cucore_device_attribute_name name) {
      return made<int32_t>(cucore_device_attribute, held($self), name);
    }
    //: cucore_device_can_access_peer
    bool can_access_peer(Device *peer) {
      return made<int32_t>(cucore_device_can_access_peer, held($self), held(peer)) != 0;
    }
    //: cucore_device_synchronize
    void synchronize() { wait_for($self, cucore_device_synchronize); }
    //: cucore_device_default_stream
    Stream *default_stream(cucore_default_stream kind = CUCORE_DEFAULT_STREAM_LEGACY) {
      return made<Stream *>(cucore_device_default_stream, held($self), kind);
    }
    //: cucore_device_reset
    void reset() { ok(cucore_device_reset, held($self)); }
    //: cucore_device_uuid
    Bytes uuid() {
      static thread_local uint8_t uuid[16];
      ok(cucore_device_uuid, held($self), uuid);
      return {uuid, sizeof uuid};
    }
    //: cucore_device_compute_capability pair
    Pair compute_capability() {
      return pair_of<int32_t>(cucore_device_compute_capability, held($self));
    }
    //: cucore_device_memory pair
    Pair memory() { return pair_of<size_t>(cucore_device_memory, held($self)); }
    //: cucore_device_stream_priorities pair
    Pair stream_priorities() {
      return pair_of<int32_t>(cucore_device_stream_priorities, held($self));
    }

    %immutable;
    //: cucore_device_ordinal
    int32_t ordinal;
    //: cucore_device_name
    const char *name;
    //: cucore_device_arch
    const char *arch;
    //: cucore_device_pci_bus_id
    const char *pci_bus_id;
    //: cucore_device_is_emulated
    bool is_emulated;
    %mutable;
  }
};
%{
static int32_t Device_ordinal_get(Device *device) { return cucore_device_ordinal(device); }
static const char *Device_name_get(Device *device) { return cucore_device_name(device); }
static const char *Device_arch_get(Device *device) { return cucore_device_arch(device); }
static const char *Device_pci_bus_id_get(Device *device) { return cucore_device_pci_bus_id(device); }
static bool Device_is_emulated_get(Device *device) { return cucore_device_is_emulated(device) != 0; }
%}
