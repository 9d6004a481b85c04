// Section "Stream" of cucore.h.
%quick(Stream::native)
%newobject Stream::from_native;
%newobject Stream::device;

/** Work that runs in order. */
struct Stream {
  %extend {
    //: cucore_stream_create
    Stream(Device *device, cucore_toggle nonblocking = CUCORE_TOGGLE_DEFAULT, int32_t priority = 0) {
      cucore_stream_options options = CUCORE_STREAM_OPTIONS_INIT;
      options.nonblocking = nonblocking;
      options.priority = priority;
      return made<Stream *>(cucore_stream_create, held(device), &options);
    }
    ~Stream() { cucore_stream_release($self); }

    //: cucore_stream_from_native raw
    static Stream *from_native(Device *device, uint64_t native) {
      return made<Stream *>(cucore_stream_from_native, held(device), reinterpret_cast<void *>(native));
    }
    //: cucore_stream_synchronize
    void synchronize() { wait_for($self, cucore_stream_synchronize, cucore_stream_query); }
    //: cucore_stream_query
    bool query() { return made<int32_t>(cucore_stream_query, held($self)) != 0; }
    //: cucore_stream_wait_event
    void wait_event(Event *event) { ok(cucore_stream_wait_event, held($self), held(event)); }
    //: cucore_stream_wait_stream
    void wait_stream(Stream *other) { ok(cucore_stream_wait_stream, held($self), held(other)); }

    %immutable;
    //: cucore_stream_device
    Device *device;
    //: cucore_stream_native
    uint64_t native;
    %mutable;
  }
};
%{
static Device *Stream_device_get(Stream *stream) { return made<Device *>(cucore_stream_device, held(stream)); }
static uint64_t Stream_native_get(Stream *stream) { return reinterpret_cast<uint64_t>(cucore_stream_native(stream)); }
%}
