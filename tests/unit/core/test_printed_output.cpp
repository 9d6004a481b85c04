// SPDX-License-Identifier: Apache-2.0
#include "core/completion/printed_output.hpp"

#include <gtest/gtest.h>

#include <string>

namespace cucore::core {
namespace {

using image::CodeType;

bool may_print(CodeType type, const std::string& text) {
  return core::may_print(type, std::as_bytes(std::span(text.data(), text.size())));
}

TEST(PrintedOutput, OfCodeThatCallsWhatTheDriverPrintsWith) {
  const std::string zero(1, '\0');
  for (const CodeType type : {CodeType::PTX, CodeType::CUBIN}) {
    EXPECT_FALSE(may_print(type, ""));
    EXPECT_FALSE(may_print(type, "printf vprint assertfail"));
    EXPECT_TRUE(may_print(type, zero + "names" + zero + "vprintf" + zero));
    EXPECT_TRUE(may_print(type, ".extern .func __assertfail"));
  }
}

TEST(PrintedOutput, OfCodeThatIsNotKnown) {
  for (const CodeType type : {CodeType::FATBIN, CodeType::OBJECT, CodeType::LIBRARY, CodeType{}})
    EXPECT_TRUE(may_print(type, ""));
}

}  // namespace
}  // namespace cucore::core
