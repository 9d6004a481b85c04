// SPDX-License-Identifier: Apache-2.0
// The address space: lookup, reuse, limits, pinned memory, pins, threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <thread>

#include "device.hpp"

namespace cucore::cpu::test {
namespace {

AddressSpace& space() { return AddressSpace::instance(); }

TEST(Memory, AllocationsAreApartAlignedAndZero) {
  const uint64_t a = space().allocate(1, 1, MemoryKind::DEVICE, 0),
                 b = space().allocate(100, 4096, MemoryKind::DEVICE, 0, 42);
  EXPECT_EQ(a % 512, 0u);
  EXPECT_EQ(b % 4096, 0u);
  EXPECT_GE(b - a, 512u);
  EXPECT_EQ(space().find(b + 99)->base, b);
  EXPECT_EQ(space().find(b + 99)->tag, 42u);
  EXPECT_FALSE(space().find(b + 100));
  EXPECT_FALSE(space().find(a - 1));
  EXPECT_FALSE(space().host(b + 50, 51));
  const auto* p = static_cast<const char*>(space().host(b, 100));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(p[i], 0);
  EXPECT_TRUE(space().release(a));
  EXPECT_TRUE(space().release(b));
  EXPECT_FALSE(space().release(b));
  EXPECT_FALSE(space().find(b));
}

TEST(Memory, FreedAddressesDoNotComeBackSoon) {
  std::vector<uint64_t> seen;
  for (int i = 0; i < 1000; ++i) {
    const uint64_t a = space().allocate(10000, 16, MemoryKind::DEVICE, 0);
    for (uint64_t other : seen) ASSERT_NE(a, other);
    seen.push_back(a);
    space().release(a);
  }
}

TEST(Memory, TheAddressSpaceCanBeUsedForever) {
  // More bytes than the reservation has, in parts.
  const uint64_t kept = space().allocate(1000, 16, MemoryKind::DEVICE, 0);
  for (int i = 0; i < 300; ++i) {
    const uint64_t a = space().allocate(uint64_t{4} << 30, 16, MemoryKind::DEVICE, 0);
    ASSERT_NE(a, 0u) << i;
    ASSERT_EQ(space().find(a)->base, a);
    ASSERT_TRUE(space().release(a));
  }
  EXPECT_TRUE(space().release(kept));
}

TEST(Memory, ImpossibleRequests) {
  EXPECT_EQ(space().allocate(0, 16, MemoryKind::DEVICE, 0), 0u);
  EXPECT_EQ(space().allocate(uint64_t{1} << 47, 16, MemoryKind::DEVICE, 0), 0u);
  EXPECT_EQ(space().allocate(~uint64_t{0}, 16, MemoryKind::PINNED, 0), 0u);
}

TEST(Memory, PinnedAndManagedAreTheHosts) {
  for (MemoryKind kind : {MemoryKind::PINNED, MemoryKind::MANAGED}) {
    const uint64_t a = space().allocate(5000, 16, kind, 0);
    ASSERT_NE(a, 0u);
    EXPECT_EQ(space().host(a, 5000), reinterpret_cast<void*>(a));
    std::memset(reinterpret_cast<void*>(a), 7, 5000);
    EXPECT_TRUE(space().release(a));
  }
}

TEST(Memory, Registered) {
  std::vector<char> mine(1000);
  EXPECT_TRUE(space().register_host(mine.data(), 1000, 0));
  EXPECT_FALSE(space().register_host(mine.data() + 500, 1000, 0));
  EXPECT_EQ(space().find(reinterpret_cast<uint64_t>(&mine[999]))->kind, MemoryKind::REGISTERED);
  EXPECT_TRUE(space().release(reinterpret_cast<uint64_t>(mine.data())));
  mine[0] = 1;
}

TEST(Memory, PinsKeepTheBytes) {
  const uint64_t a = space().allocate(4 << 20, 16, MemoryKind::DEVICE, 0);
  auto* p = static_cast<volatile char*>(space().host(a, 1));
  {
    AddressSpace::Pin pin;
    EXPECT_TRUE(space().release(a));
    EXPECT_FALSE(space().find(a));
    p[1000] = 1;  // still mapped: a running kernel may use it
    EXPECT_EQ(p[1000], 1);
  }
}

TEST(Memory, Descriptions) {
  const uint64_t a = space().allocate(100, 16, MemoryKind::DEVICE, 0);
  EXPECT_EQ(space().describe(~uint64_t{0} - 4095, 4), "near the null pointer");
  EXPECT_EQ(space().describe(uint64_t{1} << 63, 4),
            "far from every allocation (copy host memory to the device first)");
  EXPECT_EQ(space().describe(a + 108, 4).find("8 bytes past the end of the 100-byte allocation"),
            0u);
  EXPECT_EQ(space().describe(a + 98, 4).find("across the end of the 100-byte allocation"), 0u);
  space().release(a);
  EXPECT_NE(space().describe(a + 98, 4).find("that was freed"), std::string::npos);
}

// Between two allocations, also closer to the second one than its distance from other memory.
TEST(Memory, HistoriesAreOfTheAllocationThatIsDescribed) {
  const uint64_t a = space().allocate(4096, 256, MemoryKind::DEVICE, 0);
  const uint64_t b = space().allocate(4096, 256, MemoryKind::DEVICE, 0);
  const uint64_t first = std::min(a, b), end = std::max(a, b) + 4096 + 2048;
  for (uint64_t address = first; address < end; address += 4) {
    const auto history = space().history(address);
    ASSERT_TRUE(history) << address - first;
    char base[32];
    std::snprintf(base, sizeof base, "at 0x%llx", static_cast<unsigned long long>(history->base));
    ASSERT_NE(space().describe(address, 4).find(base), std::string::npos)
        << space().describe(address, 4) << ", history of " << base;
  }
  space().release(a);
  space().release(b);
  const auto freed = space().history(a + 100);
  ASSERT_TRUE(freed);
  EXPECT_TRUE(freed->freed);
  EXPECT_FALSE(space().history(uint64_t{1} << 63));
}

TEST(Memory, Windows) {
  for (uint64_t w : {space().shared_window(), space().local_window(), space().param_window()}) {
    EXPECT_FALSE(space().find(w));
    EXPECT_FALSE(space().find(w + AddressSpace::WINDOW - 1));
  }
}

TEST(Memory, ManyThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([t] {
      for (int i = 1; i < 300; ++i) {
        AddressSpace::Pin pin;
        const uint64_t a = space().allocate(uint64_t(i) * 100, 16, MemoryKind::DEVICE, t);
        std::memset(space().host(a, uint64_t(i) * 100), t, size_t(i) * 100);
        EXPECT_EQ(static_cast<char*>(space().host(a + 99, 1))[0], t);
        space().release(a);
      }
    });
  for (auto& t : threads) t.join();
  for (int t = 0; t < 4; ++t) EXPECT_EQ(space().use(t, MemoryKind::DEVICE).allocations, 0u);
}

}  // namespace
}  // namespace cucore::cpu::test
