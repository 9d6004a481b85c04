// SPDX-License-Identifier: Apache-2.0
// A lock on one byte of a file that excludes other descriptors, of this process and of others. The
// kernel drops it with the descriptor, so a killed process leaves none behind.
#pragma once

#include <fcntl.h>
#include <sys/types.h>

namespace cucore::cache {

inline bool set_lock(int fd, short type, off_t at, off_t length) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = at;
  lock.l_len = length;
  return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

}  // namespace cucore::cache
