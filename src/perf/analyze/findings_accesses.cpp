// SPDX-License-Identifier: Apache-2.0
// The findings from addresses: how the lanes of a warp lie to each other.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "perf/analyze/findings.hpp"
#include "perf/analyze/ptx_class.hpp"
#include "support/concat.hpp"
#include "support/counted.hpp"

namespace cucore::perf {
namespace {

using ptx::Opcode;
using ptx::Operand;
using ptx::Space;

constexpr int64_t SECTOR = 32;
constexpr int64_t BANKS = 32;
constexpr int64_t BANK = 4;  // bytes
constexpr int64_t FARTHEST = int64_t{1} << 40;
constexpr double WASTEFUL = 0.5;
constexpr uint32_t MANY_WAVES = 4;
constexpr uint32_t NARROW = 2;  // bytes

int64_t floor_divide(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// The sectors of an access of 32 lanes, `step` bytes apart.
size_t sectors_of(int64_t step, int64_t width) {
  std::set<int64_t> sectors;
  for (int64_t lane = 0; lane < int64_t{WARP_SIZE}; ++lane)
    for (int64_t byte = 0; byte < width; byte += std::min<int64_t>(width, BANK))
      sectors.insert(floor_divide(step * lane + byte, SECTOR));
  return sectors.size();
}

// The wavefronts per group of lanes that one wavefront could serve.
uint32_t waves_of(int64_t step, int64_t width) {
  const int64_t words = std::max<int64_t>(1, width / BANK);
  const int64_t lanes = int64_t{WARP_SIZE} / words;  // of a group
  std::array<std::set<int64_t>, BANKS> rows;
  uint32_t most = 1;
  for (int64_t lane = 0; lane < lanes; ++lane)
    for (int64_t word = 0; word < words; ++word) {
      const int64_t at = floor_divide(step * lane, BANK) + word;
      auto& row = rows[static_cast<size_t>(((at % BANKS) + BANKS) % BANKS)];
      row.insert(at);
      most = std::max(most, static_cast<uint32_t>(row.size()));
    }
  return most;
}

struct Access {
  size_t instruction;
  const Operand* memory;
  Space space;
  bool is_load;
  int64_t width;
  Value address;
};

std::vector<Access> accesses_of(const PtxKernel& ptx) {
  std::vector<Access> result;
  for (size_t at = 0; at < ptx.size(); ++at) {
    const ptx::Form& form = ptx.form(at);
    const uint32_t width = width_of(form);
    if (width == 0 || (form.space != Space::global && form.space != Space::shared)) continue;
    const bool is_load = form.op != Opcode::st;
    const Operand& memory = ptx.operands(at)[is_load ? 1 : 0];
    Value address = ptx.values().of_address(memory);
    // Farther apart is not worse, and sums of addresses stay in range.
    address.step = std::clamp(address.step, -FARTHEST, FARTHEST);
    result.push_back({at, &memory, form.space, is_load, width, address});
  }
  return result;
}

// The bytes of each step that accesses with one base register touch. A struct that is read member
// by member uses its sectors in the end.
using Used = std::map<std::tuple<uint32_t, bool, int64_t>, std::set<uint64_t>>;

Used bytes_used(const std::vector<Access>& accesses) {
  Used used;
  for (const Access& access : accesses) {
    if (access.memory->base != ptx::Base::REG || access.address.kind != Step::KNOWN) continue;
    auto& bytes = used[{access.memory->index, access.is_load, access.address.step}];
    for (int64_t byte = 0; byte < access.width; ++byte)
      bytes.insert(access.memory->bits + static_cast<uint64_t>(byte));
  }
  return used;
}

const char* verb(const Access& access) { return access.is_load ? "loads" : "stores"; }

void find_uncoalesced(const PtxKernel& ptx, const Access& access, const Used& used,
                      Findings& findings) {
  const Place place = ptx.place_of(access.instruction);
  if (access.address.kind == Step::UNIFORM) {
    findings.add(RuleId::UNCOALESCED, Severity::WARNING, place,
                 concat("neighbouring threads access addresses that are a variable number of "
                        "elements apart: a warp ",
                        verb(access), " up to 32 sectors of 32 bytes"));
    return;
  }
  if (access.address.kind != Step::KNOWN || access.address.step == 0) return;
  const int64_t step = access.address.step;
  const size_t sectors = sectors_of(step, access.width);
  const double share = static_cast<double>(access.width * int64_t{WARP_SIZE}) /
                       static_cast<double>(sectors * SECTOR);
  if (share < WASTEFUL) {
    const auto found = used.find({access.memory->index, access.is_load, step});
    const int64_t distance = step < 0 ? -step : step;
    if (found != used.end() &&
        static_cast<double>(found->second.size()) >= WASTEFUL * static_cast<double>(distance))
      return;
    findings.add(RuleId::UNCOALESCED, Severity::WARNING, place,
                 concat("neighbouring threads access addresses ", distance, " bytes apart: a warp ",
                        verb(access), " ", sectors, " sectors of 32 bytes, of which it uses ",
                        access.width * int64_t{WARP_SIZE}, " bytes"));
  } else if (access.width <= int64_t{NARROW} && step == access.width) {
    findings.add(RuleId::NARROW_ACCESS, Severity::NOTE, place,
                 concat("each thread ", verb(access), " ",
                        counted(static_cast<uint64_t>(access.width), "byte")));
  }
}

void find_conflict(const PtxKernel& ptx, const Access& access, Findings& findings) {
  // With fewer threads in x, the lanes of a warp also differ in y.
  const uint32_t block = ptx.function().required_threads[0];
  if (block != 0 && block < WARP_SIZE) return;
  if (access.address.kind != Step::KNOWN || access.address.step == 0) return;
  const uint32_t waves = waves_of(access.address.step, access.width);
  if (waves < 2) return;
  findings.add(RuleId::BANK_CONFLICT, waves >= MANY_WAVES ? Severity::WARNING : Severity::NOTE,
               ptx.place_of(access.instruction),
               concat("neighbouring threads access shared memory ",
                      access.address.step < 0 ? -access.address.step : access.address.step,
                      " bytes apart: the access takes ", waves, " times as long"));
}

}  // namespace

void find_in_accesses(const PtxKernel& ptx, Findings& findings) {
  const std::vector<Access> accesses = accesses_of(ptx);
  const Used used = bytes_used(accesses);
  for (const Access& access : accesses) {
    if (ptx.is_for_one_thread(access.instruction)) continue;
    if (access.space == Space::global)
      find_uncoalesced(ptx, access, used, findings);
    else
      find_conflict(ptx, access, findings);
  }
}

}  // namespace cucore::perf
