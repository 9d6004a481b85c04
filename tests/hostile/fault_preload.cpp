// SPDX-License-Identifier: Apache-2.0
// Makes system calls fail, in programs that run with this library in LD_PRELOAD.
//
//   FAULTS        rules, separated by ';':  CALL=FAILURE[@N[+]]
//                   write=ENOSPC       each write
//                   write=ENOSPC@3     the third, write=ENOSPC@3+ the third and all later ones
//                   read=short         one byte at a time
//                   read=slow          waits 1 ms before each read
//                   read=trickle       both
//   FAULT_BELOW   only files below this folder; else every descriptor and path
//   FAULT_PROGRAM only in the program of this name
//   FAULT_REPORT  a file that is created when a rule has struck
//
// Both names of each call are defined here, so no name may be a macro for the other.
#undef _FILE_OFFSET_BITS

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int SHORT = -1, SLOW = -2, TRICKLE = -3;
constexpr int MOST_RULES = 8;

struct Named {
  const char* name;
  int failure;
};
constexpr Named FAILURES[] = {{"EIO", EIO},       {"ENOSPC", ENOSPC}, {"ENOLCK", ENOLCK},
                              {"EMFILE", EMFILE}, {"EDQUOT", EDQUOT}, {"ESTALE", ESTALE},
                              {"EINTR", EINTR},   {"EACCES", EACCES}, {"EROFS", EROFS},
                              {"short", SHORT},   {"slow", SLOW},     {"trickle", TRICKLE}};

struct Rule {
  char call[16] = "";
  int failure = 0;
  uint64_t first = 1, last = UINT64_MAX;
  std::atomic<uint64_t> seen{0};
};
Rule rules[MOST_RULES];
char below[PATH_MAX], report[PATH_MAX];

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

void read_rule(char* text, Rule& rule) {
  char* equals = std::strchr(text, '=');
  if (!equals) return;
  *equals = '\0';
  char* at = std::strchr(equals + 1, '@');
  if (at) {
    *at = '\0';
    rule.first = std::strtoull(at + 1, nullptr, 10);
    if (at[std::strlen(at + 1)] != '+') rule.last = rule.first;
  }
  for (const Named& named : FAILURES)
    if (std::strcmp(named.name, equals + 1) == 0) rule.failure = named.failure;
  std::snprintf(rule.call, sizeof rule.call, "%s", text);
}

__attribute__((constructor)) void read_rules() {
  const char* program = getenv("FAULT_PROGRAM");
  if (program && std::strcmp(program, program_invocation_short_name) != 0) return;
  if (const char* folder = getenv("FAULT_BELOW")) std::snprintf(below, sizeof below, "%s", folder);
  if (const char* file = getenv("FAULT_REPORT")) std::snprintf(report, sizeof report, "%s", file);
  const char* given = getenv("FAULTS");
  if (!given) return;
  char* text = strdup(given);
  char* rest = nullptr;
  int count = 0;
  for (char* one = strtok_r(text, ";", &rest); one && count < MOST_RULES;
       one = strtok_r(nullptr, ";", &rest))
    read_rule(one, rules[count++]);
  free(text);
}

bool is_below(const char* path) {
  return !*below || std::strncmp(path, below, std::strlen(below)) == 0;
}

bool is_meant(int fd, const char* path) {
  if (!*below) return true;
  if (path && *path == '/') return is_below(path);
  char link[64], folder[PATH_MAX];
  if (fd == AT_FDCWD)
    std::snprintf(link, sizeof link, "/proc/self/cwd");
  else
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t size = readlink(link, folder, sizeof folder - 1);
  if (size < 0) return false;
  folder[size] = '\0';
  return is_below(folder);
}

void tell() {
  if (!*report) return;
  static auto* open_file = real<int(const char*, int, ...)>("open");
  const int fd = open_file(report, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (fd >= 0) close(fd);
}

// Returns 0, or the failure of this call.
int strike(const char* call, int fd, const char* path = nullptr) {
  const int before = errno;
  for (Rule& rule : rules) {
    if (rule.failure == 0 || std::strcmp(rule.call, call) != 0 || !is_meant(fd, path)) continue;
    const uint64_t number = ++rule.seen;
    if (number < rule.first || number > rule.last) continue;
    tell();
    if (rule.failure == SLOW || rule.failure == TRICKLE) usleep(1000);
    errno = rule.failure > 0 ? rule.failure : before;
    return rule.failure;
  }
  errno = before;
  return 0;
}

size_t cut(int failure, size_t size) {
  return (failure == SHORT || failure == TRICKLE) && size > 1 ? 1 : size;
}

mode_t mode_of(int flags, va_list more) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
}

}  // namespace

#define OPEN(name)                                               \
  extern "C" int name(const char* path, int flags, ...) {        \
    static auto* next = real<int(const char*, int, ...)>(#name); \
    va_list more;                                                \
    va_start(more, flags);                                       \
    const mode_t mode = mode_of(flags, more);                    \
    va_end(more);                                                \
    if (strike("open", AT_FDCWD, path) > 0) return -1;           \
    return next(path, flags, mode);                              \
  }
#define OPENAT(name)                                                  \
  extern "C" int name(int folder, const char* path, int flags, ...) { \
    static auto* next = real<int(int, const char*, int, ...)>(#name); \
    va_list more;                                                     \
    va_start(more, flags);                                            \
    const mode_t mode = mode_of(flags, more);                         \
    va_end(more);                                                     \
    if (strike("open", folder, path) > 0) return -1;                  \
    return next(folder, path, flags, mode);                           \
  }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

#define TRANSFER(name, call, type, more, ...)                             \
  extern "C" ssize_t name(int fd, type data, size_t size more) {          \
    static auto* next = real<ssize_t(int, type, size_t more)>(#name);     \
    const int failure = strike(call, fd);                                 \
    if (failure > 0) return -1;                                           \
    return next(fd, data, cut(failure, size) __VA_OPT__(, ) __VA_ARGS__); \
  }
#define NOTHING
#define OFFSET , off_t offset
#define FLAGS , int flags
TRANSFER(read, "read", void*, NOTHING)
TRANSFER(pread, "read", void*, OFFSET, offset)
TRANSFER(pread64, "read", void*, OFFSET, offset)
TRANSFER(recv, "recv", void*, FLAGS, flags)
TRANSFER(write, "write", const void*, NOTHING)
TRANSFER(pwrite, "write", const void*, OFFSET, offset)
TRANSFER(pwrite64, "write", const void*, OFFSET, offset)
TRANSFER(send, "send", const void*, FLAGS, flags)

#define LOCK(name)                                                                            \
  extern "C" int name(int fd, int command, ...) {                                             \
    static auto* next = real<int(int, int, ...)>(#name);                                      \
    va_list more;                                                                             \
    va_start(more, command);                                                                  \
    void* argument = va_arg(more, void*);                                                     \
    va_end(more);                                                                             \
    const bool locks = command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK || \
                       command == F_OFD_SETLKW;                                               \
    if (locks && strike("lock", fd) > 0) return -1;                                           \
    return next(fd, command, argument);                                                       \
  }
LOCK(fcntl)
LOCK(fcntl64)

// A stream of the C library makes its system calls inside it: one that fails is made of the calls
// above.
namespace {

int file_of(void* cookie) { return static_cast<int>(reinterpret_cast<intptr_t>(cookie)); }

FILE* open_stream(const char* path, const char* mode) {
  const int writes = *mode == 'w' ? O_WRONLY | O_CREAT | O_TRUNC : O_RDONLY;
  const int fd = open(path, writes | (std::strchr(mode, 'e') ? O_CLOEXEC : 0), 0666);
  if (fd < 0) return nullptr;
  const cookie_io_functions_t calls = {
      [](void* cookie, char* data, size_t size) { return read(file_of(cookie), data, size); },
      [](void* cookie, const char* data, size_t size) {
        const ssize_t put = write(file_of(cookie), data, size);
        return put < 0 ? 0 : put;
      },
      nullptr, [](void* cookie) { return close(file_of(cookie)); }};
  return fopencookie(reinterpret_cast<void*>(static_cast<intptr_t>(fd)), mode, calls);
}

}  // namespace

#define STREAM(name)                                                                               \
  extern "C" FILE* name(const char* path, const char* mode) {                                      \
    static auto* next = real<FILE*(const char*, const char*)>(#name);                              \
    const bool is_simple = std::strchr("rw", *mode) && !std::strchr(mode, '+');                    \
    if (rules[0].failure == 0 || !is_simple || !is_meant(AT_FDCWD, path)) return next(path, mode); \
    return open_stream(path, mode);                                                                \
  }
STREAM(fopen)
STREAM(fopen64)

extern "C" int renameat(int from_folder, const char* from, int to_folder, const char* to) {
  static auto* next = real<int(int, const char*, int, const char*)>("renameat");
  if (strike("rename", from_folder, from) > 0) return -1;
  return next(from_folder, from, to_folder, to);
}

extern "C" int rename(const char* from, const char* to) {
  static auto* next = real<int(const char*, const char*)>("rename");
  if (strike("rename", AT_FDCWD, from) > 0) return -1;
  return next(from, to);
}

extern "C" int mkdirat(int folder, const char* path, mode_t mode) {
  static auto* next = real<int(int, const char*, mode_t)>("mkdirat");
  if (strike("mkdir", folder, path) > 0) return -1;
  return next(folder, path, mode);
}

extern "C" int mkdir(const char* path, mode_t mode) {
  static auto* next = real<int(const char*, mode_t)>("mkdir");
  if (strike("mkdir", AT_FDCWD, path) > 0) return -1;
  return next(path, mode);
}

extern "C" int socketpair(int domain, int type, int protocol, int ends[2]) {
  static auto* next = real<int(int, int, int, int*)>("socketpair");
  if (strike("socketpair", AT_FDCWD, "/") > 0) return -1;
  return next(domain, type, protocol, ends);
}
