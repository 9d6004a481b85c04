// Sections "Queue" and "Future" of cucore.h: awaiting work. Each language has its own way of awaiting
// on top, which drains a queue.
%quick(Queue::descriptor)
%quick(Future::token)
%newobject Future::from_stream;
%{
static cucore_queue_info queue_info(Queue *queue) {
  cucore_queue_info info = CUCORE_QUEUE_INFO_INIT;
  ok(cucore_queue_query, held(queue), &info);
  return info;
}
%}

/** Completions of futures come out of it, in any thread, one or many at a time. */
struct Queue {
  %extend {
    //: cucore_queue_create
    Queue(int64_t spin_ns = 0, int64_t sweep_ns = 0) {
      cucore_queue_options options = CUCORE_QUEUE_OPTIONS_INIT;
      options.spin_ns = spin_ns;
      options.sweep_ns = sweep_ns;
      return made<Queue *>(cucore_queue_create, &options);
    }
    ~Queue() { cucore_queue_release($self); }

    //: cucore_queue_wait raw
    size_t wait(int64_t timeout_ns, void *data, size_t size) {
      return made<size_t>(cucore_queue_wait, held($self), timeout_ns, static_cast<cucore_completion *>(data),
                          size / sizeof(cucore_completion));
    }
    //: cucore_queue_close
    void end() { ok(cucore_queue_close, held($self)); }
    //: cucore_queue_query raw
    int64_t query(int32_t which) {
      const cucore_queue_info info = queue_info($self);
      const uint64_t all[] = {info.pending, info.waiting, info.completed, info.cpu_ns, (uint64_t)info.is_closed};
      return static_cast<int64_t>(all[which]);
    }

    %immutable;
    //: cucore_queue_descriptor
    int32_t descriptor;
    %mutable;
  }
};
%{
static int32_t Queue_descriptor_get(Queue *queue) { return cucore_queue_descriptor(queue); }
%}

/** All the work that was in a stream when it was made. */
struct Future {
  %extend {
    ~Future() { cucore_future_release($self); }

    //: cucore_future_from_stream
    static Future *from_stream(Stream *stream, Queue *queue, uint64_t token) {
      return made<Future *>(cucore_future_from_stream, held(stream), held(queue), token);
    }
    //: cucore_future_query
    bool query() { return made<int32_t>(cucore_future_query, held($self)) != 0; }
    //: cucore_future_wait raw
    void wait(int64_t timeout_ns) { ok(cucore_future_wait, held($self), timeout_ns); }
    //: cucore_future_error
    void check() { ok(cucore_future_error, held($self)); }
    //: cucore_future_detach
    bool detach() { return made<int32_t>(cucore_future_detach, held($self)) != 0; }

    %immutable;
    //: cucore_future_token
    uint64_t token;
    %mutable;
  }
};
%{
static uint64_t Future_token_get(Future *future) { return cucore_future_token(future); }
%}
