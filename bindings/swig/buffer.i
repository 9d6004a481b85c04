// Section "Buffer" of cucore.h.
%quick(Buffer::address)
%quick(Buffer::host_pointer)
%quick(Buffer::size)
%quick(Buffer::native)
%newobject Buffer::pinned;
%newobject Buffer::managed;
%newobject Buffer::from_native;
%newobject Buffer::device;

/** Device, pinned or managed memory. */
struct Buffer {
  %extend {
    //: cucore_buffer_create
    Buffer(Device *device, size_t length, Stream *stream) {
      return made<Buffer *>(cucore_buffer_create, held(device), length, held(stream));
    }
    ~Buffer() { cucore_buffer_release($self); }

    //: cucore_buffer_create_pinned
    static Buffer *pinned(Device *device, size_t length) {
      return made<Buffer *>(cucore_buffer_create_pinned, held(device), length);
    }
    //: cucore_buffer_create_managed
    static Buffer *managed(Device *device, size_t length) {
      return made<Buffer *>(cucore_buffer_create_managed, held(device), length);
    }
    //: cucore_buffer_from_native
    static Buffer *from_native(Device *device, uint64_t address, size_t length) {
      return made<Buffer *>(cucore_buffer_from_native, held(device), address, length);
    }
    //: cucore_buffer_set_stream
    void set_stream(Stream *stream) { ok(cucore_buffer_set_stream, held($self), held(stream)); }
    //: cucore_buffer_record_use
    void record_use(Stream *stream) { ok(cucore_buffer_record_use, held($self), held(stream)); }
    //: cucore_buffer_write
    void write(const void *data, size_t size, Stream *stream, size_t offset = 0) {
      ok(cucore_buffer_write, held($self), offset, data, size, held(stream));
    }
    //: cucore_buffer_read
    void read(void *data, size_t size, Stream *stream, size_t offset = 0) {
      ok(cucore_buffer_read, held($self), offset, data, size, held(stream));
    }
    //: cucore_buffer_copy
    void copy_from(Buffer *source, size_t length, Stream *stream, size_t offset = 0,
                   size_t source_offset = 0) {
      ok(cucore_buffer_copy, held($self), offset, held(source), source_offset, length, held(stream));
    }
    //: cucore_buffer_fill
    void fill(const void *data, size_t size, size_t length, Stream *stream, size_t offset = 0) {
      ok(cucore_buffer_fill, held($self), offset, length, data, size, held(stream));
    }

    %immutable;
    //: cucore_buffer_device
    Device *device;
    //: cucore_buffer_address
    uint64_t address;
    //: cucore_buffer_host_pointer
    uint64_t host_pointer;
    //: cucore_buffer_size
    size_t size;
    //: cucore_buffer_native
    uint64_t native;
    %mutable;
  }
};
%{
static Device *Buffer_device_get(Buffer *buffer) { return made<Device *>(cucore_buffer_device, held(buffer)); }
static uint64_t Buffer_address_get(Buffer *buffer) { return cucore_buffer_address(buffer); }
static uint64_t Buffer_host_pointer_get(Buffer *buffer) { return reinterpret_cast<uint64_t>(cucore_buffer_host_pointer(buffer)); }
static size_t Buffer_size_get(Buffer *buffer) { return cucore_buffer_size(buffer); }
static uint64_t Buffer_native_get(Buffer *buffer) { return reinterpret_cast<uint64_t>(cucore_buffer_native(buffer)); }
%}
