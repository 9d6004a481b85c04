// SPDX-License-Identifier: Apache-2.0
// Section "Queue" of cucore.h: what the conventions do not cover. Each language has its own way of awaiting on
// top, which drains a queue.
%extend Queue {
  //: cucore_queue_wait
  size_t wait(int64_t timeout_ns, void *data, size_t size) {
    return made<size_t>(cucore_queue_wait, held($self), timeout_ns, static_cast<cucore_completion *>(data),
                        size / sizeof(cucore_completion));
  }
}
