// SPDX-License-Identifier: Apache-2.0
// The state of the checks during a launch, and the hooks that the executor calls.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "cpu/checks/check_set.hpp"
#include "cpu/checks/check_table.hpp"
#include "cpu/checks/clocks.hpp"
#include "cpu/checks/joined_reads.hpp"
#include "cpu/checks/kept_accesses.hpp"
#include "cpu/checks/pending_copies.hpp"
#include "cpu/checks/product_reads.hpp"
#include "cpu/checks/read_groups.hpp"
#include "cpu/checks/reports.hpp"
#include "cpu/checks/segments.hpp"
#include "cpu/checks/shadow.hpp"
#include "cpu/exec/block.hpp"
#include "cpu/exec/program.hpp"

namespace cucore::cpu {

// The order of warps of a launch under a random schedule.
class RandomOrder {
 public:
  explicit RandomOrder(uint64_t seed) : state_(seed * 2 + 1) {}
  uint32_t below(uint32_t bound);

 private:
  uint64_t state_;
};

// State of a launch; the executor's hooks are off without it.
struct LaunchChecks {
  uint32_t set = 0;
  std::shared_ptr<StreamWork> operation;
  const ModuleChecks* module = nullptr;
  const LaneChecks* lanes = nullptr;
  const DecodedModule* traced = nullptr;  // the module to which sites belong
  uint32_t several_blocks = 0;            // the id of accesses of several blocks
  SyncVariables global_variables;
  std::unique_ptr<RandomOrder> random;  // under a random schedule, which has one worker

  // Reports one of each kind and instruction, and counts the others.
  struct Key {
    ReportKind kind;
    const Op* op;
    uint32_t other;
    auto operator<=>(const Key&) const = default;
  };
  // Returns true for the first report of the key.
  bool is_first(const Key& key);
  void flush_counts();

  std::mutex mutex;
  std::map<Key, uint64_t> counts;
  std::map<Key, Report> reports;
};

struct WorkerChecks {
  // A block takes ids from now on.
  void note_block(const void* running) {
    if (block == running) return;
    block = running;
    first_of_block = source.last() + 1;
  }

  SegmentSource source;
  const void* block = nullptr;  // the one that took the last id
  uint32_t first_of_block = 0;  // the ids from here on are its own
  bool joins_readers = false;   // warps of one block have read the same cells of global memory
  std::vector<ShadowSite> sites;
  PageSearches searches;
  ReadJoiner joiner;
  uint64_t generation = 0;
};

struct BlockChecks {
  BlockChecks(Block& block, LaunchChecks& launch, WorkerChecks& worker);
  void begin(uint64_t cluster, uint64_t number);
  std::atomic<uint64_t>* initialised_bits() const {
    return reinterpret_cast<std::atomic<uint64_t>*>(shared_bits.get());
  }

  Block& block;
  LaunchChecks& launch;
  WorkerChecks& worker;
  BlockClock clock;
  bool noting = false;  // the running instruction's accesses are reported by resolve()
  uint64_t cluster = 0;
  const bool in_cluster;   // of several blocks, which can access the shared memory
  uint32_t acquiring = 0;  // lanes whose access orders them after others
  bool acquiring_shared = false;
  bool acquiring_narrow = false;  // with the scope of the block
  uint64_t acquired[LANES] = {};  // their addresses
  AlignedBytes shared_memory;     // of the cells
  Cells shared_cells;
  AlignedBytes shared_bits;  // one per byte that is initialised
  ShadowSite shared_site;    // both
  struct KeptRule {
    uint64_t version = 0, common_version = 0;  // of the clock
    uint32_t first_of_block = 0;
    bool has_only_barriers = false;  // no other order with warps of the block
    Rule rule;
  };
  KeptRule rules[2][MAX_WARPS];  // by space, global or shared, and warp
  uint32_t last_warp[2] = {};    // whose rule is the newest
  KeptAccesses kept_accesses{*this};
  PendingCopies pending_copies;
  ProductReads product_reads;
  std::vector<ProductRegisters> products;  // by warp; empty: no products yet
  std::vector<AlignedBytes> local_bits;
  uint64_t local_strides[MAX_WARPS] = {};
  SyncVariables shared_variables;
};

// The host memory that the checks of one block use.
uint64_t bytes_of_checks(const LaunchState& launch);

// Begins the checks of a launch if any are enabled; the launch ends them.
std::unique_ptr<LaunchChecks> begin_checks(const Launch& launch, const LaunchState& state);
void end_checks(LaunchChecks& checks);
// Records a fault that ended the launch.
void report_fault(LaunchState& launch, CUresult code, const std::string& text);

// Checks a weak access to global memory, or a store to shared memory, in the usual cases. Returns
// false if it is another case, or could be wrong; then it needs the full check.
bool check_usual(Warp& w, const Op& op, const CheckedOp& checked);
// Does the same for the loads of all groups.
bool check_row_groups(Warp& w, std::span<const RowGroup> groups);
// The executor's hooks. before_access returns the lanes whose access is valid.
uint32_t before_access(Warp& w, const Op& op, const CheckedOp& checked);
void after_access(Warp& w);
void zero_lanes(Warp& w, const Op& op, const CheckedOp& checked, uint32_t lanes);
void on_fence(Warp& w, const CheckedOp& checked);
// Called by resolve() for instructions that the tables do not describe.
void note_access(Warp& w, const Op& op, int lane, uint64_t address, uint64_t size, Access access,
                 Region region);
// Called by resolve_bytes(), also for bytes that an asynchronous operation writes.
void note_write(Warp& w, uint64_t address, uint64_t size, Region region);
// A cp.async to shared memory begins, or ends.
void on_copy_begin(Warp& w, const Op& op, int lane, uint64_t to, uint32_t size);
void on_copy_end(Warp& w, uint64_t to, uint32_t size);
// A copy to shared memory that reports to an mbarrier begins, or ends. Returns false for memory of
// other blocks, and in clusters of several blocks: its end must then not be noted.
bool on_bulk_begin(Warp& w, const Op& op, int lane, uint64_t to, uint32_t size, Region region);
void on_bulk_end(Warp& w, uint64_t to, uint32_t size, Region region);
// An instruction that uses registers of products.
void on_registers(Warp& w, const Op& op);
void on_cluster_arrive(Warp& w);
void on_cluster_wait(Warp& w);
void on_block_barrier(const Warp& w, uint32_t barrier);
void on_barrier_release(Block& block, uint32_t barrier);
void on_warp_barrier(Warp& w);
void on_spill(Warp& w, int lane, uint64_t offset, uint64_t size);

// ---- used by the parts of the checks

struct AccessContext {
  Warp& w;
  const Op& op;
  const CheckedOp& checked;
  const Cells& cells;
  const Rule& rule;
  uint16_t site;              // of the instruction
  const uint64_t* addresses;  // of the lanes
  uint64_t base;              // address of cell 0
  bool in_shared;
  const std::byte* shared = nullptr;  // the memory of cell 0, if it is that of another block
};
// The exact check of one cell for which the fast one failed. Updates the cell.
// `recorded` is the lane, or SEVERAL_LANES for an access that all lanes make together.
void check_cell(const AccessContext& context, uint64_t cell, uint32_t lane, uint32_t recorded);
// The exact check of a line, as accessed by the lanes of `code`. Returns false, and changes
// nothing, if the cells of the line need separate checks.
bool check_line(const AccessContext& context, uint64_t line, uint32_t code);
// Checks and records `lanes` consecutive lanes from `lane` on, the first of which accesses the cell
// `first`. Returns the lanes with a cell that needs the exact check.
uint32_t visit_row(const AccessContext& context, uint64_t first, uint32_t lane, uint32_t lanes);
// Checks a weak access of a full warp whose halves have consecutive addresses. Returns false if it
// is another case, or could be wrong; then it needs the full check.
bool check_rows(Warp& w, const Op& op, const CheckedOp& checked);
void report_uninitialised(Warp& w, const Op& op, const CheckedOp& checked, int lane,
                          uint64_t address, const char* space);
// Checks the lanes one by one and reports invalid ones; returns the valid ones.
uint32_t check_bounds(Warp& w, const Op& op, const CheckedOp& checked, const uint64_t* addresses,
                      Region region, uint32_t lanes);
// Fills the cache of the instruction; nullptr if the address is in no allocation. Cells have at
// most `granule` bytes.
const ShadowSite* find_shadow(Warp& w, const Op& op, uint64_t address, uint32_t granule);
std::atomic<uint64_t>* local_bits(Warp& w);       // nullptr: the thread has no local memory
const Rule& renew_rule(Warp& w, bool in_shared);  // for rule_of()
// Returns the rule of the warp until its next synchronisation. `mine` is 0 if no ids are left.
inline const Rule& rule_of(Warp& w, bool in_shared) {
  const BlockChecks& checks = *w.block->checks;
  const BlockChecks::KeptRule& kept = checks.rules[in_shared][w.index];
  return kept.version == checks.clock.version(w.index) ? kept.rule : renew_rule(w, in_shared);
}
// Makes the quick check of an access. Returns false if it has none, if it is another case, or if it
// could be wrong. The running function must be of the module that has the sites.
inline bool check_quickly(Warp& w, const Op& op, const CheckedOp& checked) {
  WorkerChecks& worker = w.block->checks->worker;
  if (!checked.quick || worker.generation != w.generation->load(std::memory_order_acquire) ||
      !worker.sites[op.site].cells)
    return false;
  return checked.quick(w, op, worker.sites.data(), rule_of(w, false), worker.searches);
}
// Returns the site of the instruction for the cells; 0: it has none.
inline uint16_t site_of(const Warp& w, const Op& op) {
  const bool is_traced = w.frame->function->module == w.block->checks->launch.traced;
  return is_traced && op.site < 65536 ? uint16_t(op.site) : 0;
}
// The order that strong accesses create between threads.
bool publishes(const Warp& w, const CheckedOp& checked);
void publish(Warp& w, const CheckedOp& checked, uint64_t address, bool in_shared);
void acquire(Warp& w, uint64_t address, bool in_shared, bool is_narrow = false);

// ---- clusters of several blocks
inline bool is_in_shared(Region region) {
  return region == Region::SHARED || region == Region::CLUSTER;
}
// Returns the block whose shared memory contains the offset; nullptr: none.
Block* block_of(const Warp& w, uint64_t offset);
// Returns the key of the offset among the variables through which blocks synchronise.
uint64_t cluster_key(const Warp& w, const Block& block, uint64_t offset);

}  // namespace cucore::cpu
