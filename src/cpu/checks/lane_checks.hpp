// SPDX-License-Identifier: Apache-2.0
// The parts of the checks that are compiled for each instruction set: the addresses of a warp, and
// the cells of consecutive accesses. Includes no templates of the library, see the handlers.
#pragma once

#include <atomic>
#include <cstdint>

#include "cpu/exec/warp.hpp"

namespace cucore::cpu {

// A cell contains a segment id (see segments.hpp), a flag and a lane. 0: no access.
inline constexpr uint32_t SEGMENT_SHIFT = 7;
inline constexpr uint32_t CELL_STRONG = 1u << 6;
inline constexpr uint32_t CELL_LANE = 63;
inline constexpr uint32_t SEVERAL_LANES = 32;

// The last accesses to cells, or to lines of cells, and their instructions. A reader that stands
// for several blocks has the instruction of the first.
struct Records {
  uint32_t* writer = nullptr;
  uint32_t* reader = nullptr;
  uint16_t* writer_site = nullptr;
  uint16_t* reader_site = nullptr;
};
// The ends of the records of a memory: each operation that has one notes an end above it. Most
// memory is only read, or only written, by a launch. Then one comparison with an end replaces those
// with the records.
struct RecordEnds {
  std::atomic<uint32_t> writer{0}, reader{0};
  std::atomic<bool> has_writer_pages{false}, has_reader_pages{false};  // see cell_pages.hpp

  static void note(std::atomic<uint32_t>& end, uint32_t value) {
    uint32_t last = end.load(std::memory_order_relaxed);
    while (last < value && !end.compare_exchange_weak(last, value, std::memory_order_relaxed)) {
    }
  }
};
// The sites of the cells of a page, see cell_pages.hpp.
struct PageSites {
  uint32_t writer, reader;
};
struct Cells : Records {
  uint32_t shift = 2;  // log2 of the bytes of a cell
  uint64_t count = 0;
  Records lines;               // see cell_lines.hpp; none for shared memory
  PageSites* pages = nullptr;  // none for shared memory
  RecordEnds* ends = nullptr;  // of cells, lines and pages; none for shared memory
};

// The values of cells from `low` to `low + width`.
struct CellWindow {
  uint32_t low = ~0u, width = 0;  // at first, none that a cell has
};

// Which cells an access may find without a report. With this alignment, gcc copies it in vectors.
struct alignas(16) Rule {
  uint32_t mine = 0;
  uint32_t end = 0;               // the records of the worker are smaller
  uint32_t stale = 0;             // smaller values are of accesses that happened before
  uint32_t low = ~0u, width = 0;  // so are those in this window
  uint32_t several_warps = ~0u, several_blocks = ~0u;  // ~0: none
  // Records up to this distance behind `several_blocks` stand for other operations also.
  uint32_t several_width = 0;
  // Readers that have no order with this warp, unless they happened before: other warps of the
  // block, and other blocks of the launch.
  CellWindow other_warps, other_blocks[2];
};

enum class Pattern : uint8_t { LANES, CONSECUTIVE, EQUAL };

struct Lanes {
  uint64_t addresses[LANES];  // inactive lanes: that of an active one
  uint64_t low, high, any;    // any: the bits of all addresses
  Pattern whole;
  Pattern parts[4];  // of eight lanes each, if all lanes are active
};

// Cells [first, first + count), of lanes from `lane` on, each with 2^shift cells.
struct Span {
  uint64_t first;
  uint32_t count;
  uint32_t shift;
  uint32_t lane;
};

enum class CellAccess : uint8_t { READ, STRONG_READ, WRITE, STRONG_WRITE };

// The addresses of a warp that have 32 bits.
struct NarrowRange {
  uint32_t low, high, any;  // any: the bits of all addresses
};

// The shadow of the allocation that a memory instruction hit last.
struct ShadowSite {
  uint64_t base = 1;
  uint64_t size = 0;  // 0: not cached
  const Cells* cells = nullptr;
  std::atomic<uint64_t>* initialised = nullptr;
  bool read_only = false;
  bool is_of_host = false;  // pinned, managed or registered
};

// The accesses of a worker until it looks for a page whose cells have one site. Searches without
// success become less frequent.
class PageSearches {
 public:
  bool is_due() { return --left_ == 0; }
  void note(bool has_found) {
    interval_ = has_found ? SHORTEST : interval_ < LONGEST ? interval_ * 2 + 1 : interval_;
    left_ = interval_;
    ++count_;
  }
  // Returns one of the lanes, another one each time.
  int lane_of(uint32_t lanes) const {
    const uint32_t later = lanes & ~uint32_t{0} << count_ % LANES;
    return __builtin_ctz(later ? later : lanes);
  }

 private:
  static constexpr uint32_t SHORTEST = 61, LONGEST = 4096;  // odd, unlike the steps of loops
  uint32_t left_ = SHORTEST, interval_ = SHORTEST, count_ = 0;
};

// A weak access to global memory, or to shared memory, whose site begins at 0.
struct RowAccess {
  const ShadowSite& site;
  uint64_t low, high;  // the offsets in the site that the lanes may access
  const Rule& rule;
  uint64_t size;  // of a lane
  uint16_t op_site;
  bool is_store;
  bool is_unused;  // nothing depends on the loaded values
  PageSearches& searches;
};

// Loads of rows that begin one element after the other, as those of a stencil. Each lane loads
// `more` further elements. The first and the last `more` elements of the union have own sites.
struct RowSites {
  uint32_t more;
  const uint16_t* low;
  const uint16_t* high;
  const uint16_t* each;  // those of the loads
};

// Checks and records a weak access to global memory in the most frequent cases. `sites` are those
// of the instructions. Returns false if it is another case, or could be wrong.
using QuickCheck = bool (*)(const Warp& w, const Op& op, const ShadowSite* sites, const Rule& rule,
                            PageSearches& searches);

struct LaneChecks {
  void (*addresses)(const Warp& w, const Op& op, uint64_t size, bool narrow, uint64_t base,
                    Lanes& lanes);
  // Writes the first address of each half of a full warp. Returns false if one half has other than
  // consecutive addresses.
  bool (*rows)(const Warp& w, const Op& op, uint64_t size, bool is_narrow, uint64_t (&first)[2]);
  // Checks and records an access to global memory, in the usual cases: rows of whole lines, and
  // cells of lines that are divided. Returns false if it is another case, or could be wrong.
  bool (*global)(const Warp& w, const Op& op, const RowAccess& access);
  // Does the same for several loads, of which `op` has the lowest address.
  bool (*row_group)(const Warp& w, const Op& op, const RowAccess& access, const RowSites& sites);
  // Does the same for rows of shared memory, which has no lines.
  bool (*shared)(const Warp& w, const Op& op, bool is_narrow, const RowAccess& access);
  // Returns the quick check of loads, or of stores; nullptr: the size has none.
  QuickCheck (*quick)(uint32_t size, bool is_store);
  // Returns false if an address has more bits.
  bool (*narrow)(const Warp& w, const Op& op, bool is_narrow, uint32_t* addresses,
                 NarrowRange& range);
  // Fills `lanes` from the addresses that narrow() returned.
  void (*widen)(const uint32_t* addresses, uint32_t mask, uint64_t size, Lanes& lanes);
  // Records the access. Returns the lanes of the span that need the exact check of a cell. Bit 0 is
  // the lane of the first cell.
  uint32_t (*span)(const Cells& cells, const Rule& rule, uint16_t site, const Span& span,
                   CellAccess access);
  // Does the same for lines; their lanes and cells are those of the span. Returns false, and
  // records a part at most, if a line needs the exact check.
  bool (*lines)(const Cells& cells, const Rule& rule, uint16_t site, const Span& span,
                CellAccess access);
  // Does the same for the lanes of a mask, of whose addresses `base` is that of cell 0. Returns the
  // lanes that need the exact check.
  uint32_t (*lanes)(const Cells& cells, const Rule& rule, uint16_t site, const Lanes& lanes,
                    uint32_t mask, uint64_t base, uint64_t size, CellAccess access);
  // Returns the lanes of the mask with a cell whose line is not divided.
  uint32_t (*undivided)(const Cells& cells, const Lanes& lanes, uint32_t mask, uint64_t base,
                        uint64_t size);
  // Returns the lanes of the mask with a byte whose bit is not set. The addresses are multiples of
  // the size, a power of two up to 32.
  uint32_t (*unset)(const std::atomic<uint64_t>* bits, const Lanes& lanes, uint32_t mask,
                    uint64_t base, uint64_t size);
};

}  // namespace cucore::cpu
