/* SPDX-License-Identifier: Apache-2.0 */
/* 03: events are made from a device, recorded on any stream, any number of times; they order
 * streams and measure time. */
#include <cucore.h>
#include <stdio.h>

#define TRY(call) \
  if ((call) != CUCORE_OK) goto done

int main(void) {
  enum { size = 16 << 20, rounds = 3 };
  cucore_error *error = NULL;
  cucore_device *device = NULL;
  cucore_stream *producer = NULL, *consumer = NULL;
  cucore_event *start = NULL, *end = NULL;
  cucore_buffer *first = NULL, *second = NULL;
  cucore_event_options timed = CUCORE_EVENT_OPTIONS_INIT;
  int32_t devices = 0, wrong = 0;
  timed.timing = 1;

  TRY(cucore_device_count(&devices, &error));
  if (devices == 0) { puts("events belong to a device: launching needs a device"); goto done; }
  TRY(cucore_device_open(0, &device, &error));
  TRY(cucore_stream_create(device, NULL, &producer, &error));
  TRY(cucore_stream_create(device, NULL, &consumer, &error));
  TRY(cucore_event_create(device, &timed, &start, &error));
  TRY(cucore_event_create(device, &timed, &end, &error));
  TRY(cucore_buffer_create(device, size, producer, &first, &error));
  TRY(cucore_buffer_create(device, size, producer, &second, &error));

  for (uint32_t round = 1; round <= rounds; ++round) {
    float milliseconds = 0;
    uint32_t last = 0;
    TRY(cucore_event_record(start, producer, &error));
    TRY(cucore_buffer_fill(first, 0, size, &round, sizeof round, producer, &error));
    TRY(cucore_event_record(end, producer, &error));
    /* the consumer waits on the device for the producer's work so far; the host continues */
    TRY(cucore_stream_wait_event(consumer, end, &error));
    TRY(cucore_buffer_copy(second, 0, first, 0, size, consumer, &error));
    TRY(cucore_buffer_read(second, size - sizeof last, &last, sizeof last, consumer, &error));
    TRY(cucore_event_synchronize(end, &error));
    TRY(cucore_event_elapsed(start, end, &milliseconds, &error));
    wrong += last != round;
    printf("round %u: filled %d MiB in %.3f ms, last word %u\n", (unsigned)round, size >> 20,
           milliseconds, (unsigned)last);
  }
done:
  if (error) fprintf(stderr, "%s\n", cucore_error_message(error));
  wrong += error != NULL;
  cucore_buffer_release(second); cucore_buffer_release(first);
  cucore_event_release(end); cucore_event_release(start);
  cucore_stream_release(consumer); cucore_stream_release(producer);
  cucore_device_release(device); cucore_error_release(error);
  return wrong != 0;
}
