// SPDX-License-Identifier: Apache-2.0
// Reads of one cell by operations of streams that have no order. A cell has the record of one
// reader. If the new reader is not after the last one, its record has an id that stands for both.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

namespace cucore::cpu {

struct Records;
struct StreamWork;

// A read whose operation is not that of the record.
struct OtherRead {
  uint32_t operation = 0;  // its number
  uint16_t site = 0;
  bool is_strong = false;
  bool operator==(const OtherRead&) const = default;
};
using OtherReads = std::vector<OtherRead>;

// The ids of one operation that stand for further reads.
class JoinedReads {
 public:
  static constexpr uint32_t MOST = 255;  // ids
  static constexpr size_t MOST_READS = 16;

  // The ids are those behind `first`.
  void begin(uint32_t first) { first_ = first; }
  struct Joined {
    uint32_t id = 0;  // 0: none is left
    bool is_new = false;
  };
  Joined join(const OtherReads& others);
  OtherReads others(uint32_t id) const;  // empty: the id stands for none
  // Whether the id is one of the operation that may stand for others.
  bool has(uint32_t id) const { return first_ != 0 && id - first_ - 1 < MOST; }

 private:
  uint32_t first_ = 0;
  mutable std::mutex mutex_;
  std::vector<OtherReads> joined_;
};

// Finds the ids for the reads of one worker, or of a copy.
class ReadJoiner {
 public:
  // `record` is the reader of cell `k`. Returns the id that stands for a read of `work`, and for
  // those reads of the record that did not happen before `work`. Reads of the program do not count.
  // Returns 0 if no other read counts, no id is left, or another worker has replaced the record.
  uint32_t id_of(const StreamWork& work, const Records& records, uint64_t k, uint32_t record);

 private:
  // The id depends on these.
  struct Key {
    OtherRead read;  // of the record's own operation
    uint32_t joined = 0;
    bool operator==(const Key&) const = default;
  };
  // Most cells that a launch reads have the same readers.
  Key last_;
  uint32_t last_id_ = 0;
};

}  // namespace cucore::cpu
