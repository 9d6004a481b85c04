// SPDX-License-Identifier: Apache-2.0
// A library that prints in every way that a toolkit library may, for the tests of captured output.
#include <pthread.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

void format_to(FILE* stream, const char* format, ...) {
  va_list values;
  va_start(values, format);
  vfprintf(stream, format, values);
  va_end(values);
}

void* print_in_thread(void*) {
  fprintf(stderr, "thread %d\n", 1);
  return nullptr;
}

}  // namespace

EXPORT void print_in_every_way() {
  printf("printf %d\n", 1);
  fprintf(stdout, "fprintf %s\n", "stdout");
  fprintf(stderr, "fprintf %s\n", "stderr");
  format_to(stderr, "vfprintf %d\n", 2);
  fputs("fputs\n", stderr);
  puts("puts");
  for (const char* at = "fputc\n"; *at; ++at) fputc(*at, stderr);
  for (const char* at = "putchar\n"; *at; ++at) putchar(*at);
  fwrite("fwrite\n", 1, 7, stderr);
  (void)!write(STDERR_FILENO, "write\n", 6);
  char parts[] = "writev\n";
  const iovec vector[] = {{parts, 3}, {parts + 3, 4}};
  (void)!writev(STDERR_FILENO, vector, 2);
  pthread_t thread;
  if (pthread_create(&thread, nullptr, print_in_thread, nullptr) == 0)
    pthread_join(thread, nullptr);
}

EXPORT void print_to_file(FILE* file) { fprintf(file, "file\n"); }
EXPORT size_t length_of(const char* text) { return strlen(text); }
EXPORT int write_to(int descriptor) {
  return static_cast<int>(write(descriptor, "descriptor\n", 11));
}
EXPORT void print_a_long_line(size_t size) {
  for (; size > 0; --size) fputc('x', stderr);
}
EXPORT size_t length_through_pointer(const char* text) {
  static size_t (*const volatile function)(const char*) = &strlen;
  return function(text);
}
