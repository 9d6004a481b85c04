// SPDX-License-Identifier: Apache-2.0
// The most common mistakes with arguments: the page of parameters contains the exact message of
// each.
#include <fstream>
#include <iterator>
#include <map>

#include "capi_testing.hpp"

namespace {

using namespace capi_test;

constexpr char KERNELS[] =
    ".version 7.8\n.target sm_75\n.address_size 64\n"
    ".visible .entry scale(.param .f32 a, .param .u64 .ptr .align 4 x, .param .u32 n) { ret; }\n"
    ".visible .entry sum(.param .align 4 .b8 pair[8], .param .u64 .ptr .align 4 out) { ret; }\n";

// Returns {mistake: message of C} from the table.
std::map<std::string, std::string> messages_of_page() {
  const char* folder = std::getenv("CUCORE_TEST_PAGES");
  std::ifstream page(std::string(folder ? folder : "docs") + "/parameters.md");
  std::map<std::string, std::string> messages;
  for (std::string line; std::getline(page, line);) {
    const size_t begin = line.find(" | `"), end = line.find("` | ");
    if (line.rfind("| ", 0) == 0 && begin != line.npos && end != line.npos && end > begin)
      messages[line.substr(2, begin - 2)] = line.substr(begin + 4, end - begin - 4);
  }
  return messages;
}

class Mistakes : public OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    if (IsSkipped()) return;
    page_ = messages_of_page();
    if (page_.empty()) GTEST_SKIP() << "the pages are not here";
    code_ = make_code(CUCORE_CODE_TYPE_PTX, KERNELS, sizeof KERNELS - 1);
    buffer_ = make_buffer(device_, 16, stream_);
  }
  void TearDown() override {
    buffer_.reset();
    code_.reset();
    OnDevice::TearDown();
  }

  void expect(const std::string& mistake, const char* kernel,
              const std::vector<cucore_argument>& arguments) {
    const Kernel found = find_kernel(code_, kernel);
    const cucore_launch_options options = grid(1, 1);
    Error error;
    EXPECT_NE(cucore_kernel_launch(found, stream_, &options, arguments.data(), arguments.size(),
                                   error.out()),
              CUCORE_OK)
        << mistake;
    EXPECT_EQ(page_[mistake], error ? cucore_error_message(error) : "") << mistake;
    ++checked_;
  }
  cucore_argument as_object(const cucore_buffer* buffer) const {
    return {buffer, CUCORE_ARGUMENT_OBJECT};
  }

  std::map<std::string, std::string> page_;
  size_t checked_ = 0;
  Code code_;
  Buffer buffer_;
};

TEST_F(Mistakes, OfOneByteAreCounted) {
  page_["one byte"] =
      "argument 2 of kernel scale has 1 byte, the kernel's parameter has 4 bytes (integer); "
      "pass a value of that type";
  const float a = 1;
  const uint8_t n = 4;
  expect("one byte", "scale", {CUCORE_ARGUMENT(a), as_object(buffer_), CUCORE_ARGUMENT(n)});
}

TEST_F(Mistakes, HaveTheMessagesOfThePage) {
  const float a = 1;
  const uint32_t n = 4;
  const uint64_t wide = 4;
  const unsigned char triple[12] = {};
  const cucore_argument first = CUCORE_ARGUMENT(a), x = as_object(buffer_),
                        last = CUCORE_ARGUMENT(n);
  expect("too large", "scale", {first, x, CUCORE_ARGUMENT(wide)});
  expect("pointer for number", "scale", {x, x, last});
  expect("number for pointer", "scale", {first, last, last});
  expect("struct size", "sum", {CUCORE_ARGUMENT(triple), x});
  expect("wrong count", "scale", {first, x});
  Buffer closed = make_buffer(device_, 16, stream_);
  const cucore_argument gone = as_object(closed);
  closed.reset();
  expect("closed buffer", "scale", {first, gone, last});
  int32_t devices = 0;
  SUCCEEDS(cucore_device_count, &devices);
  if (devices > 1) {
    const Device second = open_device(1);
    const Stream other = make_stream(second);
    const Buffer far = make_buffer(second, 16, other);
    expect("buffer of another device", "scale", {first, as_object(far), last});
  }
  EXPECT_EQ(page_.size(), checked_ + (devices > 1 ? 0 : 1)) << "rows that nothing checks";
}

}  // namespace
