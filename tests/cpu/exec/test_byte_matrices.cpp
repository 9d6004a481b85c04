// SPDX-License-Identifier: Apache-2.0
// ldmatrix and stmatrix of bytes, and of elements of 4 and 6 bits. Each expected element follows
// from the thread whose address names its row.
#include <gtest/gtest.h>

#include "expect.hpp"

namespace cucore::cpu::test {
namespace {

// Thread t names the row t ^ 5, so that rows are not in the order of their addresses.
const char* const ROW_ADDRESS =
    ".shared .align 16 .b8 sh[512]; mov.u32 %r9, sh; xor.b32 %r8, %r1, 5; shl.b32 %r8, %r8, 4;"
    "add.u32 %r8, %r8, %r9; shl.b32 %r10, %r1, 4; add.u32 %r10, %r10, %r9;"
    "mul.wide.u32 %rd2, %r1, 16; add.s64 %rd3, %rd2, %rd1; add.s64 %rd2, %rd2, %rd0;";

std::string registers(unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i) text += (i ? ", %r" : "%r") + std::to_string(3 + i);
  return text + "}";
}

std::vector<uint8_t> random_bytes() {
  std::vector<uint8_t> bytes(512);
  uint32_t state = 12345;
  for (uint8_t& byte : bytes) byte = uint8_t((state = state * 1664525 + 1013904223) >> 24);
  return bytes;
}

// Runs a load of 32 rows of 16 bytes; each thread returns four registers.
std::vector<uint8_t> loaded_bytes(const std::string& name, unsigned count,
                                  const std::vector<uint8_t>& rows) {
  Array<uint8_t> in(rows), out(512);
  const std::string text = kernel_text(
      std::string(ROW_ADDRESS) +
      "ld.global.v4.u32 {%r3,%r4,%r5,%r6}, [%rd2]; st.shared.v4.u32 [%r10], {%r3,%r4,%r5,%r6};"
      "bar.sync 0; " +
      name + " " + registers(count) +
      ", [%r8];"
      "st.global.v4.u32 [%rd3], {%r3,%r4,%r5,%r6};");
  expect_success(run_text(text, shape(1, 32), in.address(), out.address()));
  return out.values();
}

// Returns the element of a row whose elements have some bits, and follow each other.
unsigned packed_element(const uint8_t* row, unsigned index, unsigned bits) {
  unsigned value = 0;
  for (unsigned k = 0; k < bits; ++k) {
    const unsigned at = index * bits + k;
    value |= unsigned(row[at / 8] >> at % 8 & 1) << k;
  }
  return value;
}

struct Source {
  const char* name;
  unsigned bits;
};
const Source SOURCES[] = {{".b8x16.b6x16_p32", 6}, {".b8x16.b4x16_p64", 4}};

TEST(ByteMatrices, LoadRowsOfNarrowElements) {
  const auto rows = random_bytes();
  for (const Source& source : SOURCES)
    for (const unsigned count : {1u, 2u, 4u}) {
      const std::string name =
          "ldmatrix.sync.aligned.m8n16.x" + std::to_string(count) + ".shared" + source.name;
      const auto got = loaded_bytes(name, count, rows);
      for (unsigned i = 0; i < count; ++i)
        for (unsigned row = 0; row < 8; ++row)
          for (unsigned column = 0; column < 16; ++column) {
            // Four threads share a row.
            const unsigned lane = row * 4 + column / 4;
            const unsigned thread = 8 * i + row;
            ASSERT_EQ(got[lane * 16 + i * 4 + column % 4],
                      packed_element(&rows[(thread ^ 5) * 16], column, source.bits))
                << name << " row " << row << " column " << column;
          }
    }
}

// The transpose of 16 rows. A thread receives four rows, from 4 (lane % 4) on, two per register. Of
// each row, it has the columns lane / 4 and lane / 4 + 8.
TEST(ByteMatrices, LoadTransposes) {
  const auto rows = random_bytes();
  const Source all[] = {{".b8", 8}, SOURCES[0], SOURCES[1]};
  for (const Source& source : all)
    for (const unsigned count : {1u, 2u}) {
      const std::string name =
          "ldmatrix.sync.aligned.m16n16.x" + std::to_string(count) + ".trans.shared" + source.name;
      const auto got = loaded_bytes(name, 2 * count, rows);
      for (unsigned matrix = 0; matrix < count; ++matrix)
        for (unsigned row = 0; row < 16; ++row)
          for (unsigned column = 0; column < 16; ++column) {
            const unsigned lane = column % 8 * 4 + row / 4;
            const unsigned at = matrix * 8 + row % 4 / 2 * 4 + column / 8 * 2 + row % 2;
            const unsigned thread = 16 * matrix + row;
            ASSERT_EQ(got[lane * 16 + at],
                      packed_element(&rows[(thread ^ 5) * 16], column, source.bits))
                << name << " row " << row << " column " << column;
          }
    }
}

// The bytes have the places of an accumulator of 16 x 8. A thread has the rows lane / 4 and
// lane / 4 + 8, and two columns from 2 (lane % 4) on. A column is 16 bytes of memory.
TEST(ByteMatrices, StoreColumns) {
  const auto values = random_bytes();
  for (const unsigned count : {1u, 2u, 4u}) {
    const std::string name =
        "stmatrix.sync.aligned.m16n8.x" + std::to_string(count) + ".trans.shared.b8";
    Array<uint8_t> in(values), out(512);
    const std::string text = kernel_text(
        std::string(ROW_ADDRESS) +
        "st.shared.v4.u32 [%r10], {0, 0, 0, 0}; ld.global.v4.u32 {%r3,%r4,%r5,%r6}, [%rd2];"
        "bar.sync 0; " +
        name + " [%r8], " + registers(count) +
        "; bar.sync 0; ld.shared.v4.u32 {%r3,%r4,%r5,%r6}, [%r10];"
        "st.global.v4.u32 [%rd3], {%r3,%r4,%r5,%r6};");
    expect_success(run_text(text, shape(1, 32), in.address(), out.address()));
    std::vector<uint8_t> expected(512);
    for (unsigned i = 0; i < count; ++i)
      for (unsigned row = 0; row < 16; ++row)
        for (unsigned column = 0; column < 8; ++column) {
          const unsigned lane = row % 8 * 4 + column / 2, e = column % 2 + row / 8 * 2;
          expected[((8 * i + column) ^ 5) * 16 + row] = values[lane * 16 + i * 4 + e];
        }
    EXPECT_EQ(out.values(), expected) << name;
  }
}

TEST(ByteMatrices, RowsAreChecked) {
  expect_fault(run_text(kernel_text(std::string(ROW_ADDRESS) +
                                    "add.u32 %r8, %r8, 256; stmatrix.sync.aligned.m16n8.x4.trans"
                                    ".shared.b8 [%r8], {%r3,%r4,%r5,%r6};"),
                        shape(1, 32)),
               CUDA_ERROR_ILLEGAL_ADDRESS, {"wrote 16 bytes", "stmatrix"});
}

}  // namespace
}  // namespace cucore::cpu::test
