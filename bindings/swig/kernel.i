// Section "Kernel" of cucore.h.
%quick(Kernel::name)
%quick(Kernel::native)
%quick(Kernel::parameter_count)

/** A function that a grid of threads runs. */
struct Kernel {
  %extend {
    ~Kernel() { cucore_kernel_release($self); }

    //: cucore_kernel_attribute
    int32_t attribute(cucore_kernel_attribute_name name, Device *device) {
      return made<int32_t>(cucore_kernel_attribute, held($self), name, held(device));
    }
    //: cucore_kernel_set_attribute
    void set_attribute(cucore_kernel_attribute_name name, Device *device, int32_t value) {
      ok(cucore_kernel_set_attribute, held($self), name, held(device), value);
    }
    //: cucore_kernel_parameter_at pair
    Pair parameter(size_t index, Device *device_or_null) {
      return pair_of<size_t>(cucore_kernel_parameter_at, held($self), index, held(device_or_null));
    }
    //: cucore_kernel_occupancy
    int32_t occupancy(Device *device, int32_t block_size, size_t dynamic_shared = 0) {
      return made<int32_t>(cucore_kernel_occupancy, held($self), held(device), block_size, dynamic_shared);
    }
    //: cucore_kernel_max_potential_block_size pair
    Pair max_potential_block_size(Device *device, size_t dynamic_shared = 0, int32_t block_size_limit = 0) {
      return pair_of<int32_t>(cucore_kernel_max_potential_block_size, held($self), held(device),
                              dynamic_shared, block_size_limit);
    }
    //: cucore_kernel_available_dynamic_shared
    size_t available_dynamic_shared(Device *device, int32_t blocks_per_multiprocessor, int32_t block_size) {
      return made<size_t>(cucore_kernel_available_dynamic_shared, held($self), held(device),
                          blocks_per_multiprocessor, block_size);
    }

    %immutable;
    //: cucore_kernel_name
    const char *name;
    //: cucore_kernel_native
    uint64_t native;
    //: cucore_kernel_parameter_count
    int64_t parameter_count;
    %mutable;
  }
};
%{
static const char *Kernel_name_get(Kernel *kernel) { return cucore_kernel_name(kernel); }
static uint64_t Kernel_native_get(Kernel *kernel) { return reinterpret_cast<uint64_t>(cucore_kernel_native(kernel)); }
static int64_t Kernel_parameter_count_get(Kernel *kernel) { return static_cast<int64_t>(cucore_kernel_parameter_count(kernel)); }
%}
