// SPDX-License-Identifier: Apache-2.0
// Buffers of every kind: their ranges, transfers, and the time at which their memory is freed.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include "capi_testing.hpp"

namespace {

using namespace capi_test;

class Buffers : public OnDevice {
 protected:
  Buffer make(int kind, size_t size) {
    Buffer buffer;
    if (kind == 0) MUST(cucore_buffer_create, device_, size, stream_, buffer.out());
    if (kind == 1) MUST(cucore_buffer_create_pinned, device_, size, buffer.out());
    if (kind == 2) MUST(cucore_buffer_create_managed, device_, size, buffer.out());
    return buffer;
  }
  std::string read(const cucore_buffer* buffer, size_t offset, size_t size) {
    std::string bytes(size, '?');
    MUST(cucore_buffer_read, buffer, offset, bytes.data(), size, stream_);
    return bytes;
  }
};

TEST_F(Buffers, OfEveryKindGiveBackWhatWasWritten) {
  for (const int kind : {0, 1, 2}) {
    SCOPED_TRACE(kind);
    const Buffer buffer = make(kind, 16);
    EXPECT_EQ(cucore_buffer_size(buffer), 16u);
    EXPECT_NE(cucore_buffer_address(buffer), 0u);
    EXPECT_EQ(reinterpret_cast<uint64_t>(cucore_buffer_native(buffer)),
              cucore_buffer_address(buffer));
    EXPECT_EQ(cucore_buffer_host_pointer(buffer) != nullptr, kind != 0);
    SUCCEEDS(cucore_buffer_write, buffer, 0, "0123456789abcdef", 16, stream_);
    SUCCEEDS(cucore_buffer_write, buffer, 4, "XYZ", 3, stream_);
    EXPECT_EQ(read(buffer, 2, 8), "23XYZ789");
    if (kind != 0) {
      EXPECT_EQ(std::memcmp(cucore_buffer_host_pointer(buffer), "0123XYZ", 7), 0);
    }
    Device device;
    SUCCEEDS(cucore_buffer_device, buffer, device.out());
    EXPECT_EQ(device.get(), device_.get());
  }
}

TEST_F(Buffers, OfSizeZero) {
  for (const int kind : {0, 1, 2}) {
    const Buffer buffer = make(kind, 0);
    EXPECT_EQ(cucore_buffer_size(buffer), 0u);
    EXPECT_EQ(cucore_buffer_address(buffer), 0u);
    SUCCEEDS(cucore_buffer_write, buffer, 0, nullptr, 0, stream_);
    SUCCEEDS(cucore_buffer_read, buffer, 0, nullptr, 0, stream_);
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "1 byte at offset 0|0 bytes", cucore_buffer_write, buffer,
          0, "a", 1, stream_);
  }
}

TEST_F(Buffers, RefuseRangesOutsideThem) {
  const Buffer buffer = make(0, 16), other = make(0, 64);
  char bytes[64] = {};
  const struct {
    size_t offset, size;
  } ranges[] = {{0, 17}, {16, 1}, {17, 0}, {1, SIZE_MAX}, {SIZE_MAX, 1}, {SIZE_MAX, SIZE_MAX}};
  for (const auto& [offset, size] : ranges) {
    const std::string parts = (size == 1 ? "1 byte" : std::to_string(size) + " bytes") +
                              " at offset " + std::to_string(offset) + "|16 bytes";
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "write|" + parts, cucore_buffer_write, buffer, offset,
          bytes, size, stream_);
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "read|" + parts, cucore_buffer_read, buffer, offset, bytes,
          size, stream_);
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "fill|" + parts, cucore_buffer_fill, buffer, offset, size,
          bytes, 1, stream_);
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "copy", cucore_buffer_copy, buffer, offset, other, 0, size,
          stream_);
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "copy", cucore_buffer_copy, other, 0, buffer, offset, size,
          stream_);
  }
  SUCCEEDS(cucore_buffer_write, buffer, 16, bytes, 0, stream_);
  if (fake_) {
    EXPECT_EQ(fake_->call_count("cuMemcpyHtoDAsync") + fake_->call_count("cuMemcpyAsync"), 0u);
  }
}

TEST_F(Buffers, AreCopied) {
  const Buffer from = make(0, 16), to = make(1, 16);
  SUCCEEDS(cucore_buffer_write, from, 0, "0123456789abcdef", 16, stream_);
  SUCCEEDS(cucore_buffer_write, to, 0, "................", 16, stream_);
  SUCCEEDS(cucore_buffer_copy, to, 2, from, 10, 6, stream_);
  EXPECT_EQ(read(to, 0, 16), "..abcdef........");
  SUCCEEDS(cucore_buffer_copy, from, 0, from, 8, 8, stream_);  // adjacent ranges do not overlap
  EXPECT_EQ(read(from, 0, 16), "89abcdef89abcdef");
}

TEST_F(Buffers, ACopyRefusesAnOverlap) {
  const Buffer buffer = make(0, 16);
  for (const size_t offset : {0, 1, 7})
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "overlap", cucore_buffer_copy, buffer, offset, buffer, 0,
          8, stream_);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "overlap", cucore_buffer_copy, buffer, 0, buffer, 7, 8,
        stream_);
}

TEST_F(Buffers, AreFilledWithPatterns) {
  const Buffer buffer = make(0, 16);
  SUCCEEDS(cucore_buffer_fill, buffer, 0, 16, ".", 1, stream_);
  SUCCEEDS(cucore_buffer_fill, buffer, 3, 2, "a", 1, stream_);
  SUCCEEDS(cucore_buffer_fill, buffer, 6, 4, "bc", 2, stream_);
  SUCCEEDS(cucore_buffer_fill, buffer, 12, 4, "wxyz", 4, stream_);
  SUCCEEDS(cucore_buffer_fill, buffer, 8, 0, "wxyz", 4, stream_);
  EXPECT_EQ(read(buffer, 0, 16), "...aa.bcbc..wxyz");
}

TEST_F(Buffers, RefusePatternsThatDoNotFit) {
  const Buffer buffer = make(0, 16);
  for (const size_t size : {0, 3, 5, 6, 7, 16})
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT,
          "the pattern is " + std::to_string(size) + " bytes|1, 2, 4 or 8", cucore_buffer_fill,
          buffer, 0, 0, "abcdefghijklmnop", size, stream_);
  const struct {
    size_t offset, size, pattern_size;
    const char* parts;
  } rows[] = {
      {0, 6, 4, "the length is 6|multiples of the pattern's 4 bytes"},
      {2, 8, 4, "the offset is 2|4 bytes"},
      {1, 2, 2, "the offset is 1|2 bytes"},
      {0, 12, 8, "the length is 12|8 bytes"},
      {4, 8, 8, "the offset is 4|8 bytes"},
  };
  for (const auto& row : rows)
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, row.parts, cucore_buffer_fill, buffer, row.offset,
          row.size, "abcdefgh", row.pattern_size, stream_);
  Buffer odd;
  SUCCEEDS(cucore_buffer_from_native, device_, cucore_buffer_address(buffer) + 4, 8, odd.out());
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "the address is|8 bytes", cucore_buffer_fill, odd, 0, 8,
        "abcdefgh", 8, stream_);
}

TEST_F(Buffers, OfEveryKindAreFilledWithPatternsOfEverySize) {
  const std::string pattern = "abcdefgh", twice = "abcdabcd";
  for (const int kind : {0, 1, 2}) {
    const Buffer buffer = make(kind, 64);
    for (const size_t size : {1, 2, 4, 8}) {
      SUCCEEDS(cucore_buffer_fill, buffer, 0, 64, ".", 1, stream_);
      SUCCEEDS(cucore_buffer_fill, buffer, 8, 24, pattern.data(), size, stream_);
      std::string wanted;
      while (wanted.size() < 24) wanted += pattern.substr(0, size);
      EXPECT_EQ(read(buffer, 0, 64), std::string(8, '.') + wanted + std::string(32, '.'))
          << "kind " << kind << ", pattern of " << size;
    }
    SUCCEEDS(cucore_buffer_fill, buffer, 56, 8, twice.data(), 8, stream_);
    EXPECT_EQ(read(buffer, 48, 16), "........abcdabcd");
    SUCCEEDS(cucore_buffer_fill, buffer, 64, 0, twice.data(), 8, stream_);
  }
}

// Equal halves make it a pattern of 4 bytes.
TEST_F(Buffers, PatternsOfEightBytesTakeAsFewCallsAsTheyCan) {
  NEEDS_FAKE_DRIVER();
  const Buffer buffer = make(0, 64);
  SUCCEEDS(cucore_buffer_fill, buffer, 0, 64, "abcdabcd", 8, stream_);
  EXPECT_EQ(fake_->call_count("cuMemsetD32Async"), 1u);
  EXPECT_EQ(fake_->call_count("cuMemsetD2D32Async"), 0u);
  SUCCEEDS(cucore_buffer_fill, buffer, 0, 64, "abcdefgh", 8, stream_);
  EXPECT_EQ(fake_->call_count("cuMemsetD2D32Async"), 2u);
}

// The count is not a power of two, and the range neither begins nor ends the buffer.
TEST_F(Buffers, LongRangesAreFilledWithPatternsOfEightBytes) {
  const size_t count = 1'000'003, size = 8 * count;
  for (const int kind : {0, 1, 2}) {
    const Buffer buffer = make(kind, size + 24);
    SUCCEEDS(cucore_buffer_fill, buffer, 0, size + 24, ".", 1, stream_);
    SUCCEEDS(cucore_buffer_fill, buffer, 8, size, "abcdefgh", 8, stream_);
    const std::string got = read(buffer, 0, size + 24);
    EXPECT_EQ(got.substr(0, 8) + got.substr(size + 8), std::string(24, '.'));
    size_t wrong = 0;
    for (size_t i = 0; i < size; ++i) wrong += got[8 + i] != "abcdefgh"[i % 8];
    EXPECT_EQ(wrong, 0u) << "kind " << kind;
    Buffer same;
    SUCCEEDS(cucore_buffer_from_native, device_, cucore_buffer_address(buffer), size, same.out());
    SUCCEEDS(cucore_buffer_fill, same, 0, size, "hgfedcba", 8, stream_);
    EXPECT_EQ(read(buffer, size - 16, 40), "hgfedcbahgfedcbaabcdefgh................");
  }
}

TEST_F(Buffers, OfSomebodyElseAreBorrowed) {
  const Buffer owner = make(0, 16);
  Buffer borrowed;
  SUCCEEDS(cucore_buffer_from_native, device_, cucore_buffer_address(owner) + 4, 8, borrowed.out());
  SUCCEEDS(cucore_buffer_write, borrowed, 0, "abcdefgh", 8, stream_);
  EXPECT_EQ(read(owner, 4, 8), "abcdefgh");
  EXPECT_EQ(cucore_buffer_host_pointer(borrowed), nullptr);
  if (fake_) {
    const uint64_t freed = fake_->call_count("cuMemFreeAsync");
    borrowed.reset();
    EXPECT_EQ(fake_->call_count("cuMemFreeAsync"), freed);
  }
  cucore_buffer* buffer = nullptr;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "address is 0", cucore_buffer_from_native, device_, 0, 1,
        &buffer);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "address", cucore_buffer_from_native, device_, UINT64_MAX, 2,
        &buffer);
  SUCCEEDS(cucore_buffer_from_native, device_, 0, 0, borrowed.out());
}

// Memory whose owner counts its returns.
class Lent {
 public:
  static void take_back(void* self) { ++static_cast<Lent*>(self)->returns_; }
  int returns() const { return returns_; }
  bool comes_back() const {
    for (int i = 0; i < 20000 && returns_ == 0; ++i)
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    return returns_ == 1;
  }

 private:
  std::atomic<int> returns_{0};
};

TEST_F(Buffers, GoBackToTheirOwner) {
  const Buffer memory = make(0, 16);
  const uint64_t address = cucore_buffer_address(memory);
  Lent lent;
  Buffer buffer;
  SUCCEEDS(cucore_buffer_from_owner, device_, address + 4, 8, Lent::take_back, &lent, buffer.out());
  EXPECT_EQ(cucore_buffer_address(buffer), address + 4);
  EXPECT_EQ(cucore_buffer_size(buffer), 8u);
  EXPECT_EQ(cucore_buffer_host_pointer(buffer), nullptr);
  EXPECT_EQ(cucore_buffer_memory_kind(buffer), CUCORE_MEMORY_KIND_DEVICE);
  SUCCEEDS(cucore_buffer_write, buffer, 0, "abcdefgh", 8, stream_);
  EXPECT_EQ(read(memory, 4, 8), "abcdefgh");
  FAILS(CUCORE_ERROR_INVALID_STATE, "cucore_buffer_create", cucore_buffer_set_stream, buffer,
        stream_);
  Buffer second(cucore_buffer_retain(buffer));
  buffer.reset();
  EXPECT_EQ(lent.returns(), 0);
  second.reset();
  EXPECT_TRUE(lent.comes_back());
}

TEST_F(Buffers, GoBackToTheirOwnerAtOnceIfNoWorkUsesThem) {
  Lent lent;
  Buffer buffer;
  SUCCEEDS(cucore_buffer_from_owner, device_, 64, 8, Lent::take_back, &lent, buffer.out());
  buffer.reset();
  EXPECT_EQ(lent.returns(), 1);
  SUCCEEDS(cucore_buffer_from_owner, device_, 0, 0, Lent::take_back, &lent, buffer.out());
  buffer.reset();
  EXPECT_EQ(lent.returns(), 2);
}

TEST_F(Buffers, GoBackToTheirOwnerAfterTheWorkThatUsesThem) {
  NEEDS_FAKE_DRIVER();
  const Buffer memory = make(0, 16);
  for (const bool is_recorded : {false, true}) {
    Lent lent;
    Buffer buffer;
    SUCCEEDS(cucore_buffer_from_owner, device_, cucore_buffer_address(memory), 16, Lent::take_back,
             &lent, buffer.out());
    fake_->hold_streams(1);
    if (is_recorded)
      SUCCEEDS(cucore_buffer_record_use, buffer, stream_);
    else
      SUCCEEDS(cucore_buffer_fill, buffer, 0, 16, "x", 1, stream_);
    buffer.reset();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(lent.returns(), 0);
    fake_->hold_streams(0);
    EXPECT_TRUE(lent.comes_back());
  }
}

TEST_F(Buffers, GoBackToTheirOwnerAfterAReset) {
  Lent used, unused;
  const Device device = open_device(fake_ ? 1 : 0);
  const Stream stream = make_stream(device);
  Buffer first, second;
  SUCCEEDS(cucore_buffer_from_owner, device, 64, 8, Lent::take_back, &used, first.out());
  SUCCEEDS(cucore_buffer_from_owner, device, 64, 8, Lent::take_back, &unused, second.out());
  SUCCEEDS(cucore_buffer_record_use, first, stream);
  if (!fake_) return;
  SUCCEEDS(cucore_device_reset, device);
  EXPECT_EQ(used.returns() + unused.returns(), 0);
  first.reset();
  second.reset();
  EXPECT_EQ(used.returns(), 1);
  EXPECT_EQ(unused.returns(), 1);
}

TEST_F(Buffers, WithoutAnOwnerOrAnAddressAreRefused) {
  Lent lent;
  cucore_buffer* buffer = nullptr;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "destroy must not be NULL", cucore_buffer_from_owner,
        device_, 64, 8, nullptr, &lent, &buffer);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "address is 0", cucore_buffer_from_owner, device_, 0, 1,
        Lent::take_back, &lent, &buffer);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "address", cucore_buffer_from_owner, device_, UINT64_MAX, 2,
        Lent::take_back, &lent, &buffer);
  EXPECT_EQ(lent.returns(), 0);
}

TEST_F(Buffers, ReportTheKindOfTheirMemory) {
  const cucore_memory_kind kinds[] = {CUCORE_MEMORY_KIND_DEVICE, CUCORE_MEMORY_KIND_PINNED,
                                      CUCORE_MEMORY_KIND_MANAGED};
  for (int kind = 0; kind < 3; ++kind) {
    const Buffer owner = make(kind, 16);
    EXPECT_EQ(cucore_buffer_memory_kind(owner), kinds[kind]);
    Buffer borrowed;
    SUCCEEDS(cucore_buffer_from_native, device_, cucore_buffer_address(owner) + 4, 8,
             borrowed.out());
    EXPECT_EQ(cucore_buffer_memory_kind(borrowed), kinds[kind]);
    Buffer empty;
    SUCCEEDS(cucore_buffer_from_native, device_, cucore_buffer_address(owner), 0, empty.out());
    EXPECT_EQ(cucore_buffer_memory_kind(empty), CUCORE_MEMORY_KIND_UNKNOWN);
  }
  char own[16] = "";
  Buffer pageable;
  SUCCEEDS(cucore_buffer_from_native, device_, reinterpret_cast<uintptr_t>(own), sizeof own,
           pageable.out());
  EXPECT_EQ(cucore_buffer_memory_kind(pageable), CUCORE_MEMORY_KIND_UNKNOWN);
}

TEST_F(Buffers, AreFreedInTheOrderOfTheirStream) {
  Buffer buffer = make(0, 16), pinned = make(1, 16);
  const Stream other = make_stream(device_);
  SUCCEEDS(cucore_buffer_set_stream, buffer, other);
  FAILS(CUCORE_ERROR_INVALID_STATE, "cucore_buffer_create", cucore_buffer_set_stream, pinned,
        other);
  if (!fake_) return;
  const Device second = open_device(1);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "device 1|device 0", cucore_buffer_set_stream, buffer,
        make_stream(second));
  buffer.reset();
  pinned.reset();
  EXPECT_EQ(fake_->call_count("cuMemFreeAsync"), 1u);
  // A thread of the library frees host memory.
  for (int i = 0; i < 20000 && fake_->call_count("cuMemFreeHost") == 0; ++i)
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  EXPECT_EQ(fake_->call_count("cuMemFreeHost"), 1u);
}

TEST_F(Buffers, KeepTheirStream) {
  NEEDS_FAKE_DRIVER();
  Stream own = make_stream(device_);
  Buffer buffer = make_buffer(device_, 16, own);
  own.reset();
  EXPECT_EQ(fake_->call_count("cuStreamDestroy"), 0u);
  buffer.reset();
  const std::vector<std::string> log = fake_->log();
  EXPECT_EQ(fake_->call_count("cuStreamDestroy"), 1u);
  EXPECT_LT(std::find(log.begin(), log.end(), "cuMemFreeAsync"),
            std::find(log.begin(), log.end(), "cuStreamDestroy"));
}

TEST_F(Buffers, ThatCannotBeHadSayHowMuchThereWas) {
  NEEDS_FAKE_DRIVER();
  fake_->set_memory(1 << 20);
  cucore_buffer* buffer = nullptr;
  FAILS(CUCORE_ERROR_OUT_OF_DEVICE_MEMORY,
        "allocate 2097152 bytes|device 0|of 1048576 bytes are free", cucore_buffer_create, device_,
        1 << 21, stream_, &buffer);
  // Each allocation is tried again once memory has been freed.
  fake_->fail_call("cuMemHostAlloc", 1, 2);
  Buffer second_try;
  SUCCEEDS(cucore_buffer_create_pinned, device_, 16, second_try.out());
  for (const uint64_t nth : {1, 2}) fake_->fail_call("cuMemHostAlloc", nth, 2);
  FAILS_ONCE(CUCORE_ERROR_OUT_OF_DEVICE_MEMORY, "pinned", cucore_buffer_create_pinned, device_, 16,
             &buffer);
  for (const uint64_t nth : {1, 2}) fake_->fail_call("cuMemAllocManaged", nth, 2);
  FAILS_ONCE(CUCORE_ERROR_OUT_OF_DEVICE_MEMORY, "managed", cucore_buffer_create_managed, device_,
             16, &buffer);
}

TEST_F(Buffers, ReadWhatAFaultLeftAsAFault) {
  NEEDS_FAKE_DRIVER();
  const Buffer buffer = make(0, 16);
  char bytes[16];
  fake_->set_fault(719);
  FAILS(CUCORE_ERROR_KERNEL_FAULT, "CUDA_ERROR_LAUNCH_FAILED", cucore_buffer_read, buffer, 0, bytes,
        16, stream_);
  fake_->set_fault(0);
}

}  // namespace
