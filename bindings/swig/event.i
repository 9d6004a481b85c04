// Section "Event" of cucore.h.
%quick(Event::has_timing)
%quick(Event::native)
%newobject Event::device;

/** A point in a stream's work. */
struct Event {
  %extend {
    //: cucore_event_create
    Event(Device *device, bool timing = false, bool blocking_sync = false, bool interprocess = false) {
      cucore_event_options options = CUCORE_EVENT_OPTIONS_INIT;
      options.timing = timing;
      options.blocking_sync = blocking_sync;
      options.interprocess = interprocess;
      return made<Event *>(cucore_event_create, held(device), &options);
    }
    ~Event() { cucore_event_release($self); }

    //: cucore_event_record
    void record(Stream *stream) { ok(cucore_event_record, held($self), held(stream)); }
    //: cucore_event_synchronize
    void synchronize() { wait_for($self, cucore_event_synchronize, cucore_event_query); }
    //: cucore_event_query
    bool query() { return made<int32_t>(cucore_event_query, held($self)) != 0; }
    //: cucore_event_elapsed
    float elapsed(Event *end) { return made<float>(cucore_event_elapsed, held($self), held(end)); }

    %immutable;
    //: cucore_event_device
    Device *device;
    //: cucore_event_has_timing
    bool has_timing;
    //: cucore_event_native
    uint64_t native;
    %mutable;
  }
};
%{
static Device *Event_device_get(Event *event) { return made<Device *>(cucore_event_device, held(event)); }
static bool Event_has_timing_get(Event *event) { return cucore_event_has_timing(event) != 0; }
static uint64_t Event_native_get(Event *event) { return reinterpret_cast<uint64_t>(cucore_event_native(event)); }
%}
