/* SPDX-License-Identifier: Apache-2.0 */
/* 09: graphs: turns of a solver are captured once, a loop ends on the device, and an update changes a
 * pointer. The solver is that of Jacobi for a rod with fixed ends: each turn replaces each temperature
 * by the mean of its neighbours. */
#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#include <cucore.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define TRY(call) \
  if ((call) != CUCORE_OK) goto done

static const char source[] =
    "extern \"C\" __device__ void cudaGraphSetConditional(unsigned long long condition, unsigned int value);\n"
    "extern \"C\" __global__ void relax(const float *from, float *to, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) to[i] = i == 0 || i == n - 1 ? from[i] : 0.5f * (from[i - 1] + from[i + 1]);\n"
    "}\n"
    "extern \"C\" __global__ void decide(const float *now, const float *before, int n, float limit, int *turns,\n"
    "                                  unsigned long long condition) {\n"
    "  float most = 0;\n"
    "  for (int i = 0; i < n; ++i) most = fmaxf(most, fabsf(now[i] - before[i]));\n"
    "  *turns += 1;\n"
    "  cudaGraphSetConditional(condition, most > limit);\n"
    "}\n";

enum { N = 32, TURNS = 50, RODS = 8, ROUNDS = 20 };
static cucore_error *error = NULL;
static cucore_stream *stream = NULL;
static cucore_kernel *relax = NULL, *decide = NULL;
static cucore_buffer *rods[RODS];
static cucore_launch_options one = CUCORE_LAUNCH_OPTIONS_INIT;
static const int n = N;

static cucore_status turns_of(cucore_buffer *x, cucore_buffer *y, int count) { /* there and back */
  const cucore_argument there[] = {{x, CUCORE_ARGUMENT_OBJECT}, {y, CUCORE_ARGUMENT_OBJECT}, CUCORE_ARGUMENT(n)};
  const cucore_argument back[] = {there[1], there[0], there[2]};
  cucore_status status = CUCORE_OK;
  for (int i = 0; i < count && status == CUCORE_OK; ++i) {
    status = cucore_kernel_launch(relax, stream, &one, there, 3, &error);
    if (status == CUCORE_OK) status = cucore_kernel_launch(relax, stream, &one, back, 3, &error);
  }
  return status;
}

static double microseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

/* The least time of all turns until they have ended: as a graph, or one by one if it is NULL. */
static cucore_status least_time(cucore_executable *graph, double *least) {
  cucore_status status = CUCORE_OK;
  *least = 1e12;
  for (int i = 0; i < ROUNDS && status == CUCORE_OK; ++i) {
    double time = -microseconds();
    status = graph ? cucore_executable_launch(graph, stream, &error) : turns_of(rods[2], rods[3], TURNS);
    if (status == CUCORE_OK) status = cucore_stream_synchronize(stream, &error);
    time += microseconds();
    if (time < *least) *least = time;
  }
  return status;
}

int main(void) {
  float start[N] = {100}, plain[N], graph_values[N], limit = 0.01f;
  double plain_time = 0, graph_time = 0;
  int32_t turns = 0, devices = 0, failed = 1;
  uint64_t condition = 0;
  cucore_node node = 0;
  cucore_device *device = NULL;
  cucore_program *program = NULL;
  cucore_objectcode *code = NULL;
  cucore_graph *graph = NULL, *loop = NULL, *body = NULL, *step = NULL;
  cucore_executable *executable = NULL, *converging = NULL, *once = NULL;
  cucore_buffer *counter = NULL;

  start[N - 1] = 50;
  TRY(cucore_device_count(&devices, &error));
  if (devices == 0) { puts("graphs need a device"); failed = 0; goto done; }
  TRY(cucore_device_open(0, &device, &error));
  TRY(cucore_stream_create(device, NULL, &stream, &error));
  TRY(cucore_program_create(CUCORE_SOURCE_TYPE_CUDA_CPP, source, sizeof source - 1, NULL, &program, &error));
  TRY(cucore_program_compile(program, CUCORE_CODE_TYPE_PTX, NULL, 0, &code, &error));
  TRY(cucore_objectcode_find_kernel(code, "relax", &relax, &error));
  TRY(cucore_objectcode_find_kernel(code, "decide", &decide, &error));
  TRY(cucore_buffer_create(device, sizeof turns, stream, &counter, &error));
  TRY(cucore_buffer_write(counter, 0, &turns, sizeof turns, stream, &error));
  for (int i = 0; i < RODS; ++i) {
    TRY(cucore_buffer_create(device, sizeof start, stream, &rods[i], &error));
    TRY(cucore_buffer_write(rods[i], 0, start, sizeof start, stream, &error));
  }
  one.grid[0] = 1;
  one.block[0] = N;

  TRY(turns_of(rods[0], rods[1], TURNS)); /* plain launches: two for each turn */
  TRY(cucore_buffer_read(rods[0], 0, plain, sizeof plain, stream, &error));
  /* snippet: capture */
  TRY(cucore_stream_begin_capture(stream, NULL, &error));
  TRY(turns_of(rods[2], rods[3], TURNS)); /* nothing runs */
  TRY(cucore_stream_end_capture(stream, &graph, &error));
  TRY(cucore_executable_create(graph, NULL, &executable, &error));
  TRY(cucore_executable_launch(executable, stream, &error)); /* all launches by one call */
  /* end of snippet */
  TRY(cucore_buffer_read(rods[2], 0, graph_values, sizeof plain, stream, &error));
  printf("%d turns: %.3f degrees plain, %.3f as a graph\n", TURNS, plain[N / 4], graph_values[N / 4]);
  if (memcmp(plain, graph_values, sizeof plain) != 0) goto done;
  TRY(least_time(NULL, &plain_time));
  TRY(least_time(executable, &graph_time));
  printf("%d launches: %.0f us one by one, %.0f us as a graph, %.1f times as fast\n", 2 * TURNS, plain_time,
         graph_time, plain_time / graph_time);

  /* snippet: while */
  TRY(cucore_graph_create(device, &loop, &error));
  TRY(cucore_graph_add_condition(loop, 1, 1, &condition, &error)); /* each launch begins with 1 */
  TRY(cucore_graph_add_conditional(loop, NULL, 0, condition, CUCORE_CONDITIONAL_WHILE, 1, &body, &node,
                                   &error));
  const cucore_argument there[] = {{rods[4], CUCORE_ARGUMENT_OBJECT}, {rods[5], CUCORE_ARGUMENT_OBJECT},
                                   CUCORE_ARGUMENT(n)};
  const cucore_argument back[] = {there[1], there[0], there[2]};
  const cucore_argument decision[] = {there[0], there[1], there[2], CUCORE_ARGUMENT(limit),
                                      {counter, CUCORE_ARGUMENT_OBJECT}, CUCORE_ARGUMENT(condition)};
  TRY(cucore_graph_add_kernel(body, NULL, 0, relax, &one, there, 3, &node, &error));
  TRY(cucore_graph_add_kernel(body, &node, 1, relax, &one, back, 3, &node, &error));
  one.block[0] = 1;
  TRY(cucore_graph_add_kernel(body, &node, 1, decide, &one, decision, 6, &node, &error));
  one.block[0] = N;
  TRY(cucore_executable_create(loop, NULL, &converging, &error));
  TRY(cucore_executable_launch(converging, stream, &error)); /* ends when no temperature changes by more than limit */
  /* end of snippet */
  TRY(cucore_buffer_read(counter, 0, &turns, sizeof turns, stream, &error));
  TRY(cucore_buffer_read(rods[4], 0, graph_values, sizeof plain, stream, &error));
  TRY(turns_of(rods[6], rods[7], turns));
  TRY(cucore_buffer_read(rods[6], 0, plain, sizeof plain, stream, &error));
  printf("the loop had %d turns: %.3f degrees plain, %.3f as a graph\n", (int)turns, plain[N / 4], graph_values[N / 4]);
  if (turns < 2 || memcmp(plain, graph_values, sizeof plain) != 0) goto done;

  TRY(cucore_graph_create(device, &step, &error));
  TRY(cucore_graph_add_kernel(step, NULL, 0, relax, &one, there, 3, &node, &error));
  TRY(cucore_executable_create(step, NULL, &once, &error));
  /* snippet: update */
  const cucore_argument elsewhere[] = {there[0], {rods[7], CUCORE_ARGUMENT_OBJECT}, CUCORE_ARGUMENT(n)};
  TRY(cucore_executable_set_kernel(once, node, NULL, NULL, elsewhere, 3, &error)); /* for later launches */
  TRY(cucore_executable_launch(once, stream, &error));
  /* end of snippet */
  TRY(cucore_kernel_launch(relax, stream, &one, there, 3, &error));
  TRY(cucore_buffer_read(rods[5], 0, plain, sizeof plain, stream, &error));
  TRY(cucore_buffer_read(rods[7], 0, graph_values, sizeof plain, stream, &error));
  printf("one more turn: %.3f degrees plain, %.3f in another buffer\n", plain[N / 4], graph_values[N / 4]);
  failed = memcmp(plain, graph_values, sizeof plain) != 0;
done:
  if (error) fprintf(stderr, "%s\n%s", cucore_error_message(error), cucore_error_log(error));
  for (int i = 0; i < RODS; ++i) cucore_buffer_release(rods[i]);
  cucore_executable_release(executable), cucore_executable_release(converging), cucore_executable_release(once);
  cucore_graph_release(graph), cucore_graph_release(body), cucore_graph_release(loop), cucore_graph_release(step);
  cucore_buffer_release(counter), cucore_kernel_release(relax), cucore_kernel_release(decide);
  cucore_objectcode_release(code), cucore_program_release(program), cucore_stream_release(stream);
  cucore_device_release(device), cucore_error_release(error);
  return failed;
}
