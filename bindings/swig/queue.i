// SPDX-License-Identifier: Apache-2.0
// Section "Queue" of cucore.h: what the conventions do not cover. Each language has its own way of awaiting on
// top, which drains a queue.
%{
static cucore_queue_info queue_info(Queue *queue) {
  cucore_queue_info info = CUCORE_QUEUE_INFO_INIT;
  ok(cucore_queue_query, held(queue), &info);
  return info;
}
%}
%extend Queue {
  //: cucore_queue_wait
  size_t wait(int64_t timeout_ns, void *data, size_t size) {
    return made<size_t>(cucore_queue_wait, held($self), timeout_ns, static_cast<cucore_completion *>(data),
                        size / sizeof(cucore_completion));
  }
  //: cucore_queue_query
  int64_t query(int32_t which) {
    const cucore_queue_info info = queue_info($self);
    const uint64_t all[] = {info.pending, info.waiting, info.completed, info.cpu_ns, (uint64_t)info.is_closed};
    return static_cast<int64_t>(all[which]);
  }
}
