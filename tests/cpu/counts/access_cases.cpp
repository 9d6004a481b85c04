// SPDX-License-Identifier: Apache-2.0
#include "access_cases.hpp"

#include <functional>
#include <initializer_list>
#include <set>
#include <stdexcept>
#include <utility>

namespace cucore::cpu::accesses {
namespace {

using Names = std::initializer_list<const char*>;
using Place = std::function<uint32_t(uint32_t lane)>;

constexpr uint32_t ALL = ~0u;
constexpr uint32_t RANDOM_ELEMENTS = 96;

uint32_t bytes_of(const std::string& access) {
  return uint32_t(std::stoul(access.substr(access.find_first_of("0123456789"))));
}

// Numbers that are the same in each run.
class Random {
 public:
  explicit Random(uint32_t seed) : state_(seed) {}
  uint32_t below(uint32_t limit) {
    state_ = state_ * 1664525u + 1013904223u;
    return (state_ >> 8) % limit;
  }

 private:
  uint32_t state_;
};

Place random_elements(uint32_t seed) {
  std::array<uint32_t, THREADS> numbers{};
  Random random(seed);
  for (uint32_t& number : numbers) number = random.below(RANDOM_ELEMENTS);
  return [numbers](uint32_t lane) { return numbers[lane]; };
}

uint32_t random_mask(uint32_t seed) {
  Random random(seed);
  return random.below(1u << 16) << 16 | random.below(1u << 16);
}

class Cases {
 public:
  // `place` returns the number of the element of a lane, which begins at `first` bytes.
  void add(const std::string& access, const std::string& pattern, uint32_t mask, const Place& place,
           uint32_t first = 0) {
    const uint32_t bytes = bytes_of(access);
    AccessCase made{access, pattern, mask, {}};
    for (uint32_t lane = 0; lane < THREADS; ++lane)
      made.offsets[lane] = first + place(lane) * bytes;
    for (const uint32_t offset : made.offsets)
      if (offset % bytes != 0 || offset + bytes > ARRAY_BYTES)
        throw std::logic_error(access + " " + pattern + " leaves the array");
    if (!names_.insert(access + " " + pattern).second)
      throw std::logic_error(access + " " + pattern + " occurs twice");
    cases_.push_back(std::move(made));
  }

  void add_all(Names accesses, const std::string& pattern, uint32_t mask, const Place& place,
               uint32_t first = 0) {
    for (const char* access : accesses) add(access, pattern, mask, place, first);
  }

  std::vector<AccessCase> take() { return std::move(cases_); }

 private:
  std::vector<AccessCase> cases_;
  std::set<std::string> names_;
};

const Names GLOBAL = {"gld1", "gld2", "gld4", "gld8", "gld16",
                      "gst1", "gst2", "gst4", "gst8", "gst16"};
const Names SHARED = {"sld1", "sld2", "sld4", "sld8", "sld16",
                      "sst1", "sst2", "sst4", "sst8", "sst16"};
const Names ATOMICS = {"gred4", "gred8", "gatom4", "satom4"};

uint32_t own(uint32_t lane) { return lane; }

Place strided(uint32_t stride) {
  return [stride](uint32_t lane) { return lane * stride; };
}

void add_inactive_lanes(Cases& cases) {
  uint32_t seed = 1;
  for (const Names& accesses : {GLOBAL, SHARED, ATOMICS}) {
    cases.add_all(accesses, "even lanes", 0x55555555, own);
    cases.add_all(accesses, "upper half", 0xffff0000, own);
    cases.add_all(accesses, "half of each eight at stride 2", 0x0f0f0f0f, strided(2));
    cases.add_all(accesses, "one lane", 1u << 20, strided(3));
    for (const char* access : accesses) {
      cases.add(access, "random lanes", random_mask(seed), random_elements(seed + 1));
      seed += 2;
    }
  }
  // Neighbours share an address, but some do not access it.
  for (const uint32_t mask : {0x7fffffffu, 0x33333333u, 0x0000ffffu, 0xaaaaaaaau})
    cases.add_all({"sld8", "sld16"}, "pairs of lanes " + std::to_string(mask), mask,
                  [](uint32_t lane) { return lane / 2 * 5; });
}

void add_small_elements(Cases& cases) {
  const Names small = {"gld1", "gld2", "gst1", "gst2", "sld1", "sld2", "sst1", "sst2"};
  for (const uint32_t stride : {1u, 2u, 4u, 33u})
    cases.add_all(small, "stride " + std::to_string(stride), ALL, strided(stride));
  cases.add_all(small, "reversed", ALL, [](uint32_t lane) { return 31 - lane; });
  cases.add_all(small, "one element", ALL, [](uint32_t) { return 5u; });
  cases.add_all(small, "random", ALL, random_elements(71));
}

void add_misaligned_rows(Cases& cases) {
  const Names wide = {"gld4", "gld8", "gld16", "gst4", "gst8", "gst16",
                      "sld4", "sld8", "sld16", "sst4", "sst8", "sst16"};
  for (const char* access : wide) {
    const uint32_t bytes = bytes_of(access);
    cases.add(access, "one element later", ALL, own, bytes);
    cases.add(access, "eleven elements later", ALL, own, 11 * bytes);
    // Four rows of eight elements, whose distance is not a multiple of 32 bytes.
    cases.add(
        access, "rows", ALL, [](uint32_t lane) { return lane / 8 * 13 + lane % 8; }, bytes);
    cases.add(
        access, "columns of rows", ALL, [](uint32_t lane) { return lane % 8 * 13 + lane / 8; },
        3 * bytes);
  }
}

void add_mixed_halves(Cases& cases) {
  const Names shared = {"sld4", "sld8", "sld16", "sst4", "sst8", "sst16"};
  const auto mixed = [&](const std::string& pattern, const Place& lower, const Place& upper) {
    cases.add_all(shared, pattern, ALL,
                  [&](uint32_t lane) { return lane < 16 ? lower(lane) : upper(lane - 16); });
  };
  mixed("neighbours then one element", own, [](uint32_t) { return 40u; });
  mixed(
      "one element then stride 8", [](uint32_t) { return 3u; }, strided(8));
  mixed("stride 32 then neighbours", strided(32), own);
  mixed(
      "pairs then neighbours", [](uint32_t lane) { return lane / 2; },
      [](uint32_t lane) { return 64 + lane; });
  mixed("both halves equal", strided(3), strided(3));
  mixed("halves interleaved", strided(2), [](uint32_t lane) { return lane * 2 + 1; });
  mixed(
      "quarters apart", [](uint32_t lane) { return lane % 8 + lane / 8 * 32; },
      [](uint32_t lane) { return lane % 8 + lane / 8 * 36; });
  // All lanes but the last one read what their neighbour reads.
  cases.add_all({"sld8", "sld16"}, "pairs but for one", ALL,
                [](uint32_t lane) { return lane == 31 ? 100 : lane / 2 * 3; });
  cases.add_all({"sld8", "sld16"}, "pairs at a distance of two", ALL,
                [](uint32_t lane) { return lane / 4 * 2 + lane % 2; });
}

void add_vector_stores(Cases& cases) {
  const Names vectors = {"gst8", "gst16", "sst8", "sst16"};
  cases.add_all(vectors, "quads swapped", ALL, [](uint32_t lane) { return lane ^ 3; });
  cases.add_all(vectors, "swizzled rows", ALL,
                [](uint32_t lane) { return lane / 8 * 8 + (lane % 8 ^ lane / 8); });
  cases.add_all(vectors, "stride 5", ALL, strided(5));
  cases.add_all(vectors, "random", ALL, random_elements(73));
  cases.add_all({"gred8"}, "neighbours", ALL, own);
  cases.add_all({"gred8"}, "eight addresses", ALL, [](uint32_t lane) { return lane % 8 * 4; });
  cases.add_all({"gred8", "gatom4"}, "random", ALL, random_elements(79));
}

// Equal addresses in both halves of a warp, and other accesses to the same sectors and lines.
void add_wide_atomics(Cases& cases) {
  const Names wide = {"gred8", "gatom8", "satom8"};
  cases.add_all(wide, "halves equal", ALL, [](uint32_t lane) { return lane % 16; });
  cases.add_all(wide, "halves overlap by one", ALL,
                [](uint32_t lane) { return lane < 16 ? lane : lane - 1; });
  cases.add_all(wide, "halves share one element", ALL,
                [](uint32_t lane) { return lane == 31 ? 0 : lane; });
  cases.add_all(wide, "interleaved halves share one element", ALL,
                [](uint32_t lane) { return lane == 31 ? 0 : lane % 16 * 2 + lane / 16; });
  cases.add_all(wide, "pairs of lanes", ALL, [](uint32_t lane) { return lane / 2; });
  uint32_t seed = 101;
  for (const uint32_t elements : {16u, 32u, 64u, 96u}) {
    for (int round = 0; round < 5; ++round, ++seed) {
      Random random(seed);
      std::array<uint32_t, THREADS> numbers{};
      for (uint32_t& number : numbers) number = random.below(elements);
      const uint32_t mask = round % 2 ? random_mask(seed) : ALL;
      cases.add_all(wide, "random " + std::to_string(seed), mask,
                    [&](uint32_t lane) { return numbers[lane]; });
    }
  }
}

}  // namespace

std::vector<AccessCase> make_access_cases() {
  Cases cases;
  add_inactive_lanes(cases);
  add_small_elements(cases);
  add_misaligned_rows(cases);
  add_mixed_halves(cases);
  add_vector_stores(cases);
  add_wide_atomics(cases);
  return cases.take();
}

}  // namespace cucore::cpu::accesses
