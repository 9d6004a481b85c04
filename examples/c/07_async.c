/* SPDX-License-Identifier: Apache-2.0 */
/* 07: launch a matrix product, do other work, and receive its completion. A future represents the
 * work of the stream, and its completion arrives in a queue. */
#include <cucore.h>
#include <poll.h>
#include <stdio.h>

#define TRY(call) \
  if ((call) != CUCORE_OK) goto done

static const char source[] =
    "extern \"C\" __global__ void matmul(const float *a, const float *b, float *c, int n) {\n"
    "  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  float sum = 0;\n"
    "  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];\n"
    "  c[row * n + col] = sum;\n"
    "}\n";
enum { n = 256, bytes = n * n * sizeof(float) };
static float a[n * n], b[n * n], c[n * n];

/* Other work of the program: one row of the product on the host. */
static double other_work(int col) {
  double sum = 0;
  for (int k = 0; k < n; ++k) sum += (double)a[k] * b[k * n + col];
  return sum;
}

int main(void) {
  cucore_error *error = NULL;
  cucore_device *device = NULL;
  cucore_stream *stream = NULL;
  cucore_program *program = NULL;
  cucore_objectcode *code = NULL;
  cucore_kernel *kernel = NULL;
  cucore_buffer *left = NULL, *right = NULL, *product = NULL;
  cucore_queue *queue = NULL;
  cucore_future *future = NULL;
  cucore_completion completion = {0};
  cucore_launch_options grid = {.struct_size = sizeof grid, .grid = {n / 16, n / 16}, .block = {16, 16}};
  int32_t devices = 0, size = n, wrong = 0, columns = 0;
  size_t count = 0;
  for (int i = 0; i < n * n; ++i) { a[i] = (float)(i % 7); b[i] = (float)(i % 5); }

  TRY(cucore_device_count(&devices, &error));
  if (devices == 0) { puts("awaiting work needs a device to work"); goto done; }
  TRY(cucore_device_open(0, &device, &error));
  TRY(cucore_stream_create(device, NULL, &stream, &error));
  TRY(cucore_program_create(CUCORE_SOURCE_TYPE_CUDA_CPP, source, sizeof source - 1, NULL, &program, &error));
  TRY(cucore_program_compile(program, CUCORE_CODE_TYPE_PTX, NULL, 0, &code, &error));
  TRY(cucore_objectcode_find_kernel(code, "matmul", &kernel, &error));
  TRY(cucore_buffer_create(device, bytes, stream, &left, &error));
  TRY(cucore_buffer_create(device, bytes, stream, &right, &error));
  TRY(cucore_buffer_create(device, bytes, stream, &product, &error));
  TRY(cucore_buffer_write(left, 0, a, bytes, stream, &error));
  TRY(cucore_buffer_write(right, 0, b, bytes, stream, &error));
  TRY(cucore_queue_create(NULL, &queue, &error));

  {
    const uint64_t from = cucore_buffer_address(left), by = cucore_buffer_address(right),
                   to = cucore_buffer_address(product);
    const cucore_argument arguments[] = {CUCORE_ARGUMENT(from), CUCORE_ARGUMENT(by), CUCORE_ARGUMENT(to),
                                         CUCORE_ARGUMENT(size)};
    TRY(cucore_kernel_launch(kernel, stream, &grid, arguments, 4, &error));
  }
  TRY(cucore_future_from_stream(stream, queue, 7, &future, &error));

  /* the device multiplies; this thread does other work and polls */
  while (count == 0 && columns < n) {
    wrong += other_work(columns++) < 0;
    TRY(cucore_queue_wait(queue, 0, &completion, 1, &count, &error));
  }
  /* no other work: any event loop accepts the queue's descriptor, here poll() */
  while (count == 0) {
    struct pollfd loop = {.fd = cucore_queue_descriptor(queue), .events = POLLIN};
    poll(&loop, 1, -1);
    TRY(cucore_queue_wait(queue, 0, &completion, 1, &count, &error));
  }
  if (completion.status != CUCORE_OK) TRY(cucore_future_error(future, &error)); /* returns the reason */
  TRY(cucore_buffer_read(product, 0, c, bytes, stream, &error));
  for (int col = 0; col < n; ++col) wrong += c[col] != (float)other_work(col);
  printf("%s: future %d is complete; %d columns done meanwhile, %d wrong\n", cucore_device_name(device),
         (int)completion.token, (int)columns, (int)wrong);
done:
  if (error) fprintf(stderr, "%s\n%s", cucore_error_message(error), cucore_error_log(error));
  wrong += error != NULL;
  cucore_future_release(future); cucore_queue_release(queue);
  cucore_buffer_release(product); cucore_buffer_release(right); cucore_buffer_release(left);
  cucore_kernel_release(kernel); cucore_objectcode_release(code); cucore_program_release(program);
  cucore_stream_release(stream); cucore_device_release(device); cucore_error_release(error);
  return wrong != 0;
}
