// SPDX-License-Identifier: Apache-2.0
// Functions that one library imports are replaced for it alone, and what it prints is captured.
#include "driver/imports.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <thread>

#include "driver/captured_output.hpp"
#include "fakes/fake_client.hpp"
#include "own_process.hpp"

namespace cucore::driver::test {
namespace {

template <class Function>
Function* function(void* library, const char* name) {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

void* printer() {
  static void* library = dlopen(fake::path("fake_printer").c_str(), RTLD_NOW | RTLD_LOCAL);
  return library;
}

size_t longer(const char* text) { return std::strlen(text) + 100; }

class Printer : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(printer(), nullptr) << dlerror(); }
  void* library_ = printer();
};

// The calls, and a pointer to the function, use the replacement; those of this program do not.
TEST_F(Printer, ImportsAreReplacedForOneLibrary) {
  const auto length = function<size_t(const char*)>(library_, "length_of");
  const auto through = function<size_t(const char*)>(library_, "length_through_pointer");
  EXPECT_EQ(length("12345"), 5u);
  EXPECT_EQ(through("12345"), 5u);
  const Import imports[] = {{"strlen", reinterpret_cast<void*>(&longer)},
                            {"no_such_import", nullptr}};
  EXPECT_GE(replace_imports(library_, imports), 1u);
  EXPECT_EQ(length("12345"), 105u);
  EXPECT_EQ(through("12345"), 105u);
  EXPECT_GE(replace_imports(library_, imports), 1u) << "a second time";
  EXPECT_EQ(length("12345"), 105u);
  char text[] = "12345";
  EXPECT_EQ(std::strlen(text), 5u);
  const Import back[] = {{"strlen", dlsym(RTLD_DEFAULT, "strlen")}};
  EXPECT_GE(replace_imports(library_, back), 1u);
}

constexpr const char* PRINTED[] = {
    "printf 1\n", "fprintf stdout\n", "fprintf stderr\n", "vfprintf 2\n", "fputs\n",  "puts\n",
    "fputc\n",    "putchar\n",        "fwrite\n",         "write\n",      "writev\n", "thread 1\n"};

std::string printed_by_this_process(const std::function<void()>& work) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  work();
  std::fflush(stdout);
  const std::string text = testing::internal::GetCapturedStdout();
  return text + testing::internal::GetCapturedStderr();
}

TEST_F(Printer, EveryWayToPrintIsCaptured) {
  replace_imports(library_, output_imports());
  const auto print = function<void()>(library_, "print_in_every_way");
  std::string captured;
  EXPECT_EQ(printed_by_this_process([&] {
              const CapturedOutput output;
              print();
              captured = output.text();
            }),
            "");
  std::string expected;
  for (const char* line : PRINTED) expected += line;
  EXPECT_EQ(captured, expected);
}

TEST_F(Printer, NothingIsCapturedOutsideOrInOtherThreads) {
  replace_imports(library_, output_imports());
  const auto print = function<void()>(library_, "print_in_every_way");
  const std::string plain = printed_by_this_process(print);
  const std::string other = printed_by_this_process([&] {
    const CapturedOutput output;
    std::thread(print).join();
    EXPECT_EQ(output.text(), "");
  });
  for (const char* line : PRINTED) {
    EXPECT_TRUE(has(plain, line)) << line;
    EXPECT_TRUE(has(other, line)) << line;
  }
}

TEST_F(Printer, OtherFilesAreWrittenTo) {
  replace_imports(library_, output_imports());
  const CapturedOutput output;
  std::FILE* file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  function<void(FILE*)>(library_, "print_to_file")(file);
  std::fflush(file);
  EXPECT_EQ(function<int(int)>(library_, "write_to")(fileno(file)), 11);
  char text[32] = {};
  std::rewind(file);
  EXPECT_EQ(std::fread(text, 1, sizeof text, file), 16u);
  EXPECT_STREQ(text, "file\ndescriptor\n");
  EXPECT_EQ(output.text(), "");
  std::fclose(file);
}

TEST_F(Printer, TheNewestCaptureOfAThreadHasIt) {
  replace_imports(library_, output_imports());
  const auto print = function<void(size_t)>(library_, "print_a_long_line");
  const CapturedOutput outer;
  {
    const CapturedOutput inner;
    print(3);
    EXPECT_EQ(inner.text(), "xxx");
  }
  print(2);
  EXPECT_EQ(outer.text(), "xx");
  print(size_t{1} << 21);
  EXPECT_EQ(outer.text().size(), size_t{1} << 20)
      << "a limit, so that no compiler fills the memory";
}

}  // namespace
}  // namespace cucore::driver::test
