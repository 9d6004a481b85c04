// Sections "Queue" and "Future" of cucore.h: awaiting work. Each language has its own way of awaiting
// on top, which drains a queue. Closing a queue is end() here: close() gives the object back.
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

    %immutable;
    /** How many futures have work that is not complete. */
    int64_t pending;
    /** How many completions nobody has taken yet. */
    int64_t waiting;
    /** How many completions ever came to the queue. */
    int64_t completed;
    //: cucore_queue_query
    int64_t cpu_ns;
    /** Whether it was ended. */
    bool is_ended;
    //: cucore_queue_descriptor
    int32_t descriptor;
    %mutable;
  }
};
%{
static int64_t Queue_pending_get(Queue *queue) { return static_cast<int64_t>(queue_info(queue).pending); }
static int64_t Queue_waiting_get(Queue *queue) { return static_cast<int64_t>(queue_info(queue).waiting); }
static int64_t Queue_completed_get(Queue *queue) { return static_cast<int64_t>(queue_info(queue).completed); }
static int64_t Queue_cpu_ns_get(Queue *queue) { return static_cast<int64_t>(queue_info(queue).cpu_ns); }
static bool Queue_is_ended_get(Queue *queue) { return queue_info(queue).is_closed != 0; }
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
    //: cucore_future_wait
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
