// SPDX-License-Identifier: Apache-2.0
#include "driver/captured_output.hpp"

#include <pthread.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <new>
#include <string_view>

namespace cucore::driver {

struct CapturedOutput::Sink {
  std::mutex mutex;
  std::string text;

  void add(std::string_view more) noexcept {
    constexpr size_t MOST = size_t{1} << 20;
    const std::lock_guard lock(mutex);
    try {
      text.append(more.substr(0, MOST - text.size()));
    } catch (const std::bad_alloc&) {
      // If memory is exhausted the text is lost; the link fails for the same reason.
    }
  }
};

namespace {

// Owned by a CapturedOutput, or by start(), whose frame is on this thread's stack.
constinit thread_local const std::shared_ptr<CapturedOutput::Sink>* current = nullptr;

bool is_captured(FILE* stream) { return current && (stream == stdout || stream == stderr); }
bool is_captured(int descriptor) {
  return current && (descriptor == STDOUT_FILENO || descriptor == STDERR_FILENO);
}

void add(std::string_view text) noexcept { (*current)->add(text); }

__attribute__((format(printf, 2, 0))) int print_to(FILE* stream, const char* format,
                                                   va_list values) noexcept {
  if (!is_captured(stream)) return vfprintf(stream, format, values);
  char text[4096];
  const int size = vsnprintf(text, sizeof text, format, values);
  if (size > 0) add({text, std::min(static_cast<size_t>(size), sizeof text - 1)});
  return size;
}

#define PRINT(stream)                                \
  va_list values;                                    \
  va_start(values, format);                          \
  const int size = print_to(stream, format, values); \
  va_end(values);                                    \
  return size

// The names that the libraries import; those with _chk come from _FORTIFY_SOURCE.
int take_printf(const char* format, ...) { PRINT(stdout); }
int take_fprintf(FILE* stream, const char* format, ...) { PRINT(stream); }
int take_printf_chk(int, const char* format, ...) { PRINT(stdout); }
int take_fprintf_chk(FILE* stream, int, const char* format, ...) { PRINT(stream); }
int take_vprintf(const char* format, va_list values) { return print_to(stdout, format, values); }
int take_vfprintf(FILE* stream, const char* format, va_list values) {
  return print_to(stream, format, values);
}
int take_vfprintf_chk(FILE* stream, int, const char* format, va_list values) {
  return print_to(stream, format, values);
}
#undef PRINT

int take_fputs(const char* text, FILE* stream) {
  if (!is_captured(stream)) return fputs(text, stream);
  add(text);
  return 1;
}

int take_puts(const char* text) {
  if (!is_captured(stdout)) return puts(text);
  add(text);
  add("\n");
  return 1;
}

int take_fputc(int character, FILE* stream) {
  if (!is_captured(stream)) return fputc(character, stream);
  const char text = static_cast<char>(character);
  add({&text, 1});
  return static_cast<unsigned char>(text);
}

int take_putchar(int character) { return take_fputc(character, stdout); }

size_t take_fwrite(const void* data, size_t size, size_t count, FILE* stream) {
  if (!is_captured(stream)) return fwrite(data, size, count, stream);
  add({static_cast<const char*>(data), size * count});
  return count;
}

ssize_t take_write(int descriptor, const void* data, size_t size) {
  if (!is_captured(descriptor)) return write(descriptor, data, size);
  add({static_cast<const char*>(data), size});
  return static_cast<ssize_t>(size);
}

ssize_t take_writev(int descriptor, const iovec* parts, int count) {
  if (!is_captured(descriptor)) return writev(descriptor, parts, count);
  ssize_t size = 0;
  for (int i = 0; i < count; ++i)
    size += take_write(descriptor, parts[i].iov_base, parts[i].iov_len);
  return size;
}

void take_perror(const char* text) {
  if (!is_captured(stderr)) return perror(text);
  if (text && *text) {
    add(text);
    add(": ");
  }
  char reason[256];
  add(strerror_r(errno, reason, sizeof reason));
  add("\n");
}

struct Start {
  void* (*body)(void*);
  void* argument;
  std::shared_ptr<CapturedOutput::Sink> sink;
};

struct Forget {
  ~Forget() { current = nullptr; }
};

void* start(void* given) {
  const std::unique_ptr<Start> own(static_cast<Start*>(given));
  const Forget at_end;  // also if the thread ends itself
  current = &own->sink;
  return own->body(own->argument);
}

int take_pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*),
                        void* argument) {
  if (!current) return pthread_create(thread, attributes, body, argument);
  auto* own = new (std::nothrow) Start{body, argument, *current};
  if (!own) return EAGAIN;
  const int result = pthread_create(thread, attributes, start, own);
  if (result != 0) delete own;
  return result;
}

template <class Function>
void* address(Function* function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

CapturedOutput::CapturedOutput() : sink_(std::make_shared<Sink>()), before_(current) {
  current = &sink_;
}

CapturedOutput::~CapturedOutput() { current = before_; }

std::string CapturedOutput::text() const {
  const std::lock_guard lock(sink_->mutex);
  return sink_->text;
}

std::span<const Import> output_imports() noexcept {
  static const Import imports[] = {{"printf", address(take_printf)},
                                   {"fprintf", address(take_fprintf)},
                                   {"__printf_chk", address(take_printf_chk)},
                                   {"__fprintf_chk", address(take_fprintf_chk)},
                                   {"vprintf", address(take_vprintf)},
                                   {"vfprintf", address(take_vfprintf)},
                                   {"__vfprintf_chk", address(take_vfprintf_chk)},
                                   {"fputs", address(take_fputs)},
                                   {"puts", address(take_puts)},
                                   {"fputc", address(take_fputc)},
                                   {"putc", address(take_fputc)},
                                   {"_IO_putc", address(take_fputc)},
                                   {"putchar", address(take_putchar)},
                                   {"fwrite", address(take_fwrite)},
                                   {"write", address(take_write)},
                                   {"writev", address(take_writev)},
                                   {"perror", address(take_perror)},
                                   {"pthread_create", address(take_pthread_create)}};
  return imports;
}

}  // namespace cucore::driver
