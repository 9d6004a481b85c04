// SPDX-License-Identifier: Apache-2.0
// Memory counts against the counters of an H200: tests/data/access_patterns.
#include <array>
#include <fstream>
#include <map>
#include <numeric>
#include <sstream>
#include <vector>

#include "counted.hpp"

namespace cucore::cpu::test {
namespace {

constexpr size_t COUNTERS = 10;
constexpr uint32_t SHARED_BYTES = 48 << 10;

struct Recorded {
  std::string access, pattern;
  std::array<uint64_t, COUNTERS> counters;  // in the order of the file
  std::vector<uint32_t> indices;

  bool has_counters() const {
    return std::accumulate(counters.begin(), counters.end(), uint64_t{0}) != 0;
  }
};

std::vector<Recorded> read_patterns() {
  std::ifstream file(CUCORE_ACCESS_PATTERNS);
  std::vector<Recorded> list;
  std::string line, word;
  std::getline(file, line);  // names
  while (std::getline(file, line)) {
    std::stringstream words(line);
    Recorded& row = list.emplace_back();
    std::getline(words, row.access, ',');
    std::getline(words, row.pattern, ',');
    for (uint64_t& counter : row.counters) {
      std::getline(words, word, ',');
      counter = std::stoull(word);
    }
    while (std::getline(words, word, ',')) row.indices.push_back(uint32_t(std::stoul(word)));
  }
  return list;
}

// Loads the indices from b: %r3 is the lane's index, %r4 and %rd4 its byte offset.
std::string index_of_lane(unsigned bytes) {
  return "mul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\nld.global.u32 %r3, [%rd3];\n"
         "mul.lo.u32 %r4, %r3, " +
         std::to_string(bytes) + ";\ncvt.u64.u32 %rd4, %r4;\nadd.u64 %rd5, %rd0, %rd4;\n";
}

// The access of one element, whose registers are %r8 and the next.
std::string element(const std::string& op, const std::string& address, unsigned bytes) {
  const bool load = op.starts_with("ld");
  const std::string type = bytes == 1   ? ".u8"
                           : bytes == 4 ? ".u32"
                           : bytes == 8 ? ".v2.u32"
                                        : ".v4.u32";
  const std::string value = bytes <= 4   ? "%r8"
                            : bytes == 8 ? "{%r8, %r9}"
                                         : "{%r8, %r9, %r10, %r11}";
  return load ? op + type + " " + value + ", [" + address + "];\n"
              : op + type + " [" + address + "], " + value + ";\n";
}

// Fills shared memory with words, 32 in each turn.
std::string fill(unsigned words) {
  return "mov.u32 %r5, %r1;\nFILL:\nshl.b32 %r6, %r5, 2;\nst.shared.u32 [%r6], %r5;\n"
         "add.u32 %r5, %r5, 32;\nsetp.lt.u32 %p0, %r5, " +
         std::to_string(words) + ";\n@%p0 bra FILL;\nbar.warp.sync -1;\n";
}

std::string body_of(const std::string& access) {
  const std::string kind = access.substr(0, access.find_first_of("0123456789"));
  const bool is_atomic = kind.ends_with("atom");
  const unsigned bytes = is_atomic ? 4 : unsigned(std::stoul(access.substr(kind.size())));
  const std::string begin = index_of_lane(bytes) + "mov.u32 %r8, %r0;\nmov.u32 %r9, %r0;\n" +
                            "mov.u32 %r10, %r0;\nmov.u32 %r11, %r0;\n";
  if (kind == "gld") return begin + element("ld.global", "%rd5", bytes);
  if (kind == "gst") return begin + element("st.global", "%rd5", bytes);
  if (kind == "gatom") return begin + "red.global.add.u32 [%rd5], 3;\n";
  if (kind == "sld") return begin + fill(3072) + element("ld.shared", "%r4", bytes);
  if (kind == "satom") return begin + fill(1024) + "atom.shared.add.u32 %r8, [%r4], 3;\n";
  return begin + element("st.shared", "%r4", bytes) +
         "bar.warp.sync -1;\nld.volatile.shared.u32 %r8, [4];\n";
}

std::array<uint64_t, COUNTERS> counters_of(const cucore_cpu_counts& c) {
  return {c.shared_load.bank_conflicts, c.shared_store.bank_conflicts, c.shared_atomic.wavefronts,
          c.shared_load.wavefronts,     c.shared_store.wavefronts,     c.global_load.requests,
          c.global_store.requests,      c.global_load.sectors,         c.global_atomic.sectors,
          c.global_store.sectors};
}

TEST(AccessPatterns, HaveTheCountersOfAnH200) {
  Array<uint32_t> data(1 << 16);
  std::map<std::string, std::shared_ptr<LoadedModule>> modules;
  size_t global = 0, shared = 0, atomic = 0, unmeasured = 0;
  for (const Recorded& row : read_patterns()) {
    ASSERT_EQ(row.indices.size(), size_t{LANES});
    if (!row.has_counters()) {
      EXPECT_EQ(row.access, "gld1");
      ++unmeasured;
      continue;
    }
    auto& module = modules[row.access];
    if (!module)
      module =
          load_text(kernel_text(body_of(row.access), ".extern .shared .align 16 .b8 dynamic[];\n"));
    const Array<uint32_t> indices(row.indices);
    const Counted counted = count_launch(*module->find_kernel("k"), shape(1, 32, SHARED_BYTES),
                                         data.address(), indices.address(), 1);
    EXPECT_EQ(counters_of(counted.totals()), row.counters) << row.access << " " << row.pattern;
    ++(row.access.ends_with("atom") ? atomic : row.access[0] == 's' ? shared : global);
  }
  EXPECT_EQ(global, 170u);
  EXPECT_EQ(shared, 204u);
  EXPECT_EQ(atomic, 68u);
  EXPECT_EQ(unmeasured, 34u);
}

}  // namespace
}  // namespace cucore::cpu::test
