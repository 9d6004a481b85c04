/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of overheads.py in C: each as calls of the driver alone, and as calls of cucore.h. A function repeats its row
   and returns the nanoseconds of one, or a negative number if a call failed. */
#define _POSIX_C_SOURCE 200809L

#include <cucore.h>
#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "world.h"

#define BUFFER_SIZE ((size_t)1 << 20)

/* The entry points of the driver, which the program finds by itself. */
#define ENTRY_POINTS(X) \
  X(cuDevicePrimaryCtxRetain, 7000) X(cuCtxSetCurrent, 4000) X(cuStreamCreate, 2000) X(cuStreamSynchronize, 2000) \
  X(cuEventCreate, 2000) X(cuEventDestroy, 4000) X(cuEventRecord, 2000) X(cuEventQuery, 2000) \
  X(cuMemAllocAsync, 11020) X(cuMemFreeAsync, 11020) X(cuLibraryLoadData, 12000) X(cuLibraryUnload, 12000) \
  X(cuLibraryGetKernel, 12000) X(cuLaunchKernelEx, 12000)
#define DECLARE(name, version) static __typeof__(&name) bare_##name;
ENTRY_POINTS(DECLARE)

static CUevent bare_event;
static CUlibrary bare_library;
static cucore_event *event;
static cucore_pool *pool;
static cucore_prepared_launch *prepared;
static const void *image;
static size_t image_size;
static cucore_code_type image_type;
struct world world;
static char failure[512] = "a call failed";

int refused(cucore_status status, cucore_error *error) {
  if (status == CUCORE_OK) return 0;
  snprintf(failure, sizeof failure, "%s", cucore_error_message(error));
  cucore_error_release(error);
  return 1;
}

int failed_bare(int status, const char *call) {
  if (status != 0) snprintf(failure, sizeof failure, "%.200s returned %d", call, status);
  return status != 0;
}

EXPORT const char *overheads_failure(void) { return failure; }

void *driver_call(const char *name, int version) {
  static CUresult (*get)(const char *, void **, int, cuuint64_t, CUdriverProcAddressQueryResult *);
  void *found = NULL;
  if (!get) {
    cucore_library_info info = CUCORE_LIBRARY_INFO_INIT;
    cucore_error *error = NULL;
    void (*set_logging)(int32_t) = NULL;
    void *library;
    if (refused(cucore_library_query(CUCORE_LIBRARY_DRIVER, &info, &error), error)) return NULL;
    library = info.available ? dlopen(info.path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (library) *(void **)&get = dlsym(library, "cuGetProcAddress_v2");
    if (!get) return failed_bare(1, "dlopen of the driver"), NULL;
    /* The scripted driver lists its calls; the growth of the list is not part of a row. */
    *(void **)&set_logging = dlsym(library, "fake_set_logging");
    if (set_logging) set_logging(0);
  }
  return FAILED(get(name, &found, version, CU_GET_PROC_ADDRESS_LEGACY_STREAM, NULL)) ? NULL : found;
}

static int open_bare(void) {
  CUcontext context = NULL;
#define FIND(name, version) \
  if (!(*(void **)&bare_##name = driver_call(#name, version))) return 1;
  ENTRY_POINTS(FIND)
  return FAILED(bare_cuDevicePrimaryCtxRetain(&context, 0)) || FAILED(bare_cuCtxSetCurrent(context)) ||
         FAILED(bare_cuStreamCreate(&world.bare_stream, CU_STREAM_NON_BLOCKING)) ||
         FAILED(bare_cuEventCreate(&bare_event, CU_EVENT_DISABLE_TIMING)) ||
         FAILED(bare_cuLibraryLoadData(&bare_library, image, NULL, NULL, 0, NULL, NULL, 0)) ||
         FAILED(bare_cuLibraryGetKernel(&world.bare_kernel, bare_library, "k"));
}

/* The arguments of launch_c(). */
static int prepare(void) {
  cucore_launch_options options = CUCORE_LAUNCH_OPTIONS_INIT;
  float a = 1;
  uint64_t address = cucore_buffer_address(world.buffer);
  int32_t n = 0;
  cucore_argument arguments[3];
  cucore_error *error = NULL;
  CUCORE_ARGUMENT_SET(arguments[0], a);
  CUCORE_ARGUMENT_SET(arguments[1], address);
  CUCORE_ARGUMENT_SET(arguments[2], n);
  options.grid[0] = options.block[0] = 1;
  return refused(cucore_prepared_launch_create(world.kernel, world.stream, &options, arguments, 3, &prepared, &error), error);
}

/* data: an image with a kernel "k" of (float, pointer, int). It must stay where it is, and end with a zero byte. */
EXPORT int overheads_open(const void *data, size_t size, int32_t type) {
  cucore_error *error = NULL;
  cucore_objectcode *code = NULL;
  image = data, image_size = size, image_type = (cucore_code_type)type;
  if (refused(cucore_device_open(0, &world.device, &error), error) ||
      refused(cucore_stream_create(world.device, NULL, &world.stream, &error), error) ||
      refused(cucore_event_create(world.device, NULL, &event, &error), error) ||
      refused(cucore_buffer_create(world.device, BUFFER_SIZE, world.stream, &world.buffer, &error), error) ||
      refused(cucore_pool_create(world.device, NULL, &pool, &error), error) ||
      refused(cucore_objectcode_create(image_type, image, image_size, NULL, &code, &error), error) ||
      refused(cucore_objectcode_find_kernel(code, "k", &world.kernel, &error), error))
    return 1;
  cucore_objectcode_release(code);
  if (refused(cucore_event_record(event, world.stream, &error), error)) return 1;
  return prepare() || open_bare();
}

int synchronize_both(void) {
  return FAILED(bare_cuStreamSynchronize(world.bare_stream)) || cucore_stream_synchronize(world.stream, NULL) != CUCORE_OK;
}

/* Defines a function that repeats `body`, which sets `bad` if a call fails, and one that runs it once: the call that
   another language makes. */
#define ROW(name, body)                              \
  EXPORT int name##_once(void) {                     \
    int bad = 0;                                     \
    body                                             \
    return bad;                                      \
  }                                                  \
  EXPORT double name(int count) {                    \
    int bad = 0;                                     \
    const double began = now();                      \
    for (int i = 0; i < count; ++i) body             \
    const double took = (now() - began) / count;     \
    return synchronize_both() || bad ? -1 : took;    \
  }

int launch_bare(void) {
  CUlaunchConfig config;
  float a = 1;
  uint64_t address = cucore_buffer_address(world.buffer);
  int32_t n = 0;
  void *arguments[] = {&a, &address, &n};
  memset(&config, 0, sizeof config);
  config.gridDimX = config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = config.blockDimY = config.blockDimZ = 1;
  config.hStream = world.bare_stream;
  return FAILED(bare_cuLaunchKernelEx(&config, (CUfunction)world.bare_kernel, arguments, NULL));
}

static int launch_c(void) {
  cucore_launch_options options = CUCORE_LAUNCH_OPTIONS_INIT;
  float a = 1;
  uint64_t address = cucore_buffer_address(world.buffer);
  int32_t n = 0;
  const cucore_argument arguments[] = {CUCORE_ARGUMENT(a), CUCORE_ARGUMENT(address), CUCORE_ARGUMENT(n)};
  cucore_error *error = NULL;
  options.grid[0] = options.block[0] = 1;
  return refused(cucore_kernel_launch(world.kernel, world.stream, &options, arguments, 3, &error), error);
}

ROW(bare_launch, { bad |= launch_bare(); })
ROW(c_launch, { bad |= launch_c(); })
ROW(c_launch_prepared, { bad |= cucore_prepared_launch_run(prepared, NULL) != CUCORE_OK; })
ROW(bare_launch_prepared, { bad |= launch_bare(); })
ROW(bare_launch_synchronize, { bad |= launch_bare() || FAILED(bare_cuStreamSynchronize(world.bare_stream)); })
ROW(c_launch_synchronize, { bad |= launch_c() || cucore_stream_synchronize(world.stream, NULL); })
ROW(bare_event_create, {
  CUevent made = NULL;
  bad |= FAILED(bare_cuEventCreate(&made, CU_EVENT_DISABLE_TIMING)) || FAILED(bare_cuEventDestroy(made));
})
ROW(c_event_create, {
  cucore_event *made = NULL;
  bad |= cucore_event_create(world.device, NULL, &made, NULL) != CUCORE_OK;
  cucore_event_release(made);
})
ROW(bare_event_record, { bad |= FAILED(bare_cuEventRecord(bare_event, world.bare_stream)); })
ROW(c_event_record, { bad |= cucore_event_record(event, world.stream, NULL) != CUCORE_OK; })
ROW(bare_event_query, { bad |= FAILED(bare_cuEventQuery(bare_event)); })
ROW(c_event_query, {
  int32_t done = 0;
  bad |= cucore_event_query(event, &done, NULL) != CUCORE_OK;
})
ROW(bare_allocate, {
  CUdeviceptr address = 0;
  bad |= FAILED(bare_cuMemAllocAsync(&address, BUFFER_SIZE, world.bare_stream)) ||
         FAILED(bare_cuMemFreeAsync(address, world.bare_stream));
})
ROW(c_allocate, {
  cucore_buffer *made = NULL;
  bad |= cucore_buffer_create(world.device, BUFFER_SIZE, world.stream, &made, NULL) != CUCORE_OK;
  cucore_buffer_release(made);
})
ROW(c_allocate_pool, {
  cucore_buffer *made = NULL;
  bad |= cucore_buffer_from_pool(pool, BUFFER_SIZE, world.stream, &made, NULL) != CUCORE_OK;
  cucore_buffer_release(made);
})
ROW(bare_load, {
  CUlibrary library = NULL;
  CUkernel found = NULL;
  bad |= FAILED(bare_cuLibraryLoadData(&library, image, NULL, NULL, 0, NULL, NULL, 0)) ||
         FAILED(bare_cuLibraryGetKernel(&found, library, "k")) || FAILED(bare_cuLibraryUnload(library));
})
ROW(c_load, {
  cucore_objectcode *code = NULL;
  cucore_kernel *found = NULL;
  bad |= cucore_objectcode_create(image_type, image, image_size, NULL, &code, NULL) != CUCORE_OK ||
         cucore_objectcode_find_kernel(code, "k", &found, NULL) != CUCORE_OK;
  /* bare_load loads the code of its kernel, so this row loads it too */
  bad |= found && !cucore_kernel_native(found);
  cucore_kernel_release(found);
  cucore_objectcode_release(code);
})

static char container[1 << 16];
static cucore_objectcode *stored;
static char unheld[1 << 16];
static size_t unheld_size;

/* The object code of the rows c_bytes and c_bytes_new, which need not load on the device. Nothing
   holds the contents of `unheld`, so each read is like the first one. */
EXPORT int overheads_store(const void *data, size_t size, int32_t type) {
  cucore_objectcode_options options = CUCORE_OBJECTCODE_OPTIONS_INIT;
  cucore_error *error = NULL;
  cucore_objectcode *other = NULL;
  options.name = "other";
  if (refused(cucore_objectcode_create((cucore_code_type)type, data, size, &options, &other, &error), error)) return 1;
  if (refused(cucore_objectcode_serialize(other, NULL, unheld, sizeof unheld, &unheld_size, &error), error)) return 1;
  cucore_objectcode_release(other);
  return refused(cucore_objectcode_create((cucore_code_type)type, data, size, NULL, &stored, &error), error);
}

ROW(c_bytes, {
  size_t size = 0;
  cucore_objectcode *read = NULL;
  bad |= cucore_objectcode_serialize(stored, NULL, container, sizeof container, &size, NULL) != CUCORE_OK ||
         cucore_objectcode_deserialize(container, size, NULL, &read, NULL) != CUCORE_OK;
  cucore_objectcode_release(read);
})
ROW(c_bytes_new, {
  cucore_objectcode *read = NULL;
  bad |= cucore_objectcode_deserialize(unheld, unheld_size, NULL, &read, NULL) != CUCORE_OK;
  cucore_objectcode_release(read);
})
