/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the installed array library by its soname, and adds the elements of an array. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { FLOAT64 = 13 };

static void* library;

/* ISO C has no conversion from void * to a function; POSIX allows to copy the bytes. */
static void find(void* function, const char* name) {
  void* symbol = dlsym(library, name);
  memcpy(function, &symbol, sizeof symbol);
}

int main(int argc, char** argv) {
  int (*context_default)(const void*, void**, void**);
  int (*from_host)(void*, int32_t, const void*, const int64_t*, size_t, const int64_t*, void**,
                   void**);
  int (*op_find)(const char*, int32_t*, void**);
  int (*reduce)(int32_t, const void*, const void*, void**, void**);
  int (*read)(const void*, void*, size_t, void**);
  void (*release)(void*), (*release_context)(void*);
  static const double values[] = {1, 2, 4};
  static const int64_t shape[] = {3};
  void *context = NULL, *x = NULL, *total = NULL, *error = NULL;
  double result = 0;
  int32_t sum = 0;
  if (argc != 2 || (library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL)) == NULL) {
    fprintf(stderr, "%s\n", argc == 2 ? dlerror() : "which library?");
    return 1;
  }
  find(&context_default, "cucore_array_context_default");
  find(&from_host, "cucore_array_from_host");
  find(&op_find, "cucore_array_op_find");
  find(&reduce, "cucore_array_reduce");
  find(&read, "cucore_array_read");
  find(&release, "cucore_array_release");
  find(&release_context, "cucore_array_context_release");
  if (!context_default || !from_host || !op_find || !reduce || !read || !release ||
      !release_context)
    return 1;
  if (context_default(NULL, &context, &error) ||
      from_host(context, FLOAT64, values, shape, 1, NULL, &x, &error) ||
      op_find("sum", &sum, &error) || reduce(sum, x, NULL, &total, &error) ||
      read(total, &result, sizeof result, &error))
    return 1;
  release(total);
  release(x);
  release_context(context);
  printf("sum %g\n", result);
  return 0;
}
