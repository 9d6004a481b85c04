// SPDX-License-Identifier: Apache-2.0
// Creates and opens files of shared memory. A file that another process can shrink would end this
// process with SIGBUS, so only files with a sealed size are opened.
#include "cpu/exec/shared_memory.hpp"

#include "cpu/checks/shadow.hpp"
#include "cpu/exec/memory_state.hpp"
#include "cpu/exec/round_up.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

namespace cucore::cpu {
namespace {

constexpr uint64_t SHARED_MAGIC = 0x316d656d75706363;  // "ccpumem1"
constexpr uint64_t MOST_SHARED = uint64_t{1} << 46;
constexpr char SHARED_NAME[] = "cucore-cpu";
constexpr char SHARED_LINK[] = "/memfd:cucore-cpu";
constexpr int SHARED_SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

uint64_t header_offset(uint64_t size) { return round_up(size, MEMORY_PAGE); }

bool prepare(int file, const SharedHeader& header) {
  const uint64_t at = header_offset(header.size);
  return ftruncate(file, static_cast<off_t>(at + MEMORY_PAGE)) == 0 &&
         pwrite(file, &header, sizeof header, static_cast<off_t>(at)) == ssize_t{sizeof header} &&
         fcntl(file, F_ADD_SEALS, SHARED_SEALS) == 0;
}

// Returns false unless the file has the layout of prepare().
bool read_header(int file, SharedHeader& header) {
  struct stat status {};
  const int seals = fcntl(file, F_GET_SEALS);
  if (seals < 0 || (seals & SHARED_SEALS) != SHARED_SEALS || (seals & F_SEAL_WRITE)) return false;
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return false;
  const auto bytes = static_cast<uint64_t>(status.st_size);
  if (bytes < 2 * MEMORY_PAGE || bytes > MOST_SHARED || bytes % MEMORY_PAGE) return false;
  const auto at = static_cast<off_t>(bytes - MEMORY_PAGE);
  if (pread(file, &header, sizeof header, at) != ssize_t{sizeof header}) return false;
  return header.magic == SHARED_MAGIC && header.size > 0 && header.size <= bytes - MEMORY_PAGE &&
         header_offset(header.size) == bytes - MEMORY_PAGE;
}

// Opening another kind of file may block or have an effect, for example on a device.
bool is_shared_memory(const char* path) {
  char target[sizeof SHARED_LINK] = {};
  const ssize_t size = readlink(path, target, sizeof SHARED_LINK - 1);
  return size == ssize_t{sizeof SHARED_LINK - 1} &&
         std::memcmp(target, SHARED_LINK, sizeof SHARED_LINK - 1) == 0;
}

}  // namespace

SharedMemory::SharedMemory(int file, const SharedHeader& header) : file_(file), header_(header) {}

SharedMemory::~SharedMemory() { close(file_); }

std::shared_ptr<SharedMemory> SharedMemory::create(SharedKind kind, uint64_t size, int device,
                                                   uint64_t handle_types) {
  if (size == 0 || size > MOST_SHARED - 2 * MEMORY_PAGE) return nullptr;
  SharedHeader header{SHARED_MAGIC, kind, device, size, handle_types, {}};
  if (getrandom(header.key.data(), header.key.size(), 0) != ssize_t{sizeof header.key})
    return nullptr;
  const int file = memfd_create(SHARED_NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) return nullptr;
  auto made = std::shared_ptr<SharedMemory>(new SharedMemory(file, header));
  return prepare(file, header) ? made : nullptr;
}

std::shared_ptr<SharedMemory> SharedMemory::open(int file, SharedKind kind) {
  const int own = file < 0 ? -1 : fcntl(file, F_DUPFD_CLOEXEC, 0);
  if (own < 0) return nullptr;
  SharedHeader header;
  if (read_header(own, header) && header.kind == kind)
    return std::shared_ptr<SharedMemory>(new SharedMemory(own, header));
  close(own);
  return nullptr;
}

std::shared_ptr<SharedMemory> SharedMemory::open_of(int process, int file, SharedKind kind) {
  if (process <= 0 || file < 0) return nullptr;
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/fd/%d", process, file);
  if (!is_shared_memory(path)) return nullptr;
  const int opened = ::open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (opened < 0) return nullptr;
  auto memory = open(opened, kind);
  close(opened);
  return memory;
}

int SharedMemory::duplicate() const { return fcntl(file_, F_DUPFD_CLOEXEC, 0); }

std::byte* SharedMemory::map(uint64_t size, std::byte* place) const {
  const int fixed = place ? MAP_FIXED : 0;
  const uint64_t bytes = round_up(size, MEMORY_PAGE);
  void* p = mmap(place, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | fixed, file_, 0);
  if (p == MAP_FAILED) return nullptr;
  madvise(p, bytes, MADV_HUGEPAGE);  // see make_backing()
  return static_cast<std::byte*>(p);
}

Shadow* SharedMemory::shadow() {
  std::lock_guard lock(mutex_);
  if (!shadow_) shadow_ = std::make_unique<Shadow>(header_.size);
  return shadow_.get();
}

}  // namespace cucore::cpu
