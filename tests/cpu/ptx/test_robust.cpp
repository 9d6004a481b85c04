// SPDX-License-Identifier: Apache-2.0
// Texts that are cut off or changed: every result except a crash is accepted, and a module must
// satisfy the guarantees of verification.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "../tools/promises.hpp"
#include "ptx_test.hpp"

namespace cucore::ptx::test {
namespace {

std::vector<std::string> corpus() {
  std::vector<std::string> texts;
  for (const auto& file : std::filesystem::directory_iterator(CUCORE_PTX_CORPUS)) {
    std::ifstream stream(file.path(), std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  return texts;
}

void check(const std::string& text) {
  Parsed parsed(text);
  if (parsed.module == nullptr) {
    EXPECT_FALSE(parsed.log.errors.empty());
  } else
    EXPECT_EQ(broken_promise(*parsed.module), "");
}

TEST(Robust, TheCorpusParses) {
  std::vector<std::string> texts = corpus();
  ASSERT_GE(texts.size(), 5u);
  for (const std::string& text : texts) {
    Parsed parsed(text);
    EXPECT_PARSES(parsed);
    EXPECT_EQ(broken_promise(*parsed.module), "");
  }
}

TEST(Robust, EveryTruncation) {
  for (const std::string& text : corpus())
    for (size_t size = 0; size<text.size(); size += text.size()> 4000 ? 7 : 1)
      check(text.substr(0, size));
}

TEST(Robust, RandomChanges) {
  std::mt19937 random(7);
  const std::string CHARACTERS = "%r0.;,{}[]()+-@!|<>\"/*\n\xff:$_x1";
  for (const std::string& text : corpus()) {
    for (int round = 0; round < 300; ++round) {
      std::string changed = text;
      for (int i = 0; i < 3; ++i)
        changed[random() % changed.size()] = CHARACTERS[random() % CHARACTERS.size()];
      check(changed);
    }
  }
}

TEST(Robust, LinesSwappedAndDropped) {
  std::mt19937 random(11);
  for (const std::string& text : corpus()) {
    for (int round = 0; round < 100; ++round) {
      size_t a = text.find('\n', random() % text.size()),
             b = text.find('\n', random() % text.size());
      if (a == std::string::npos || b == std::string::npos || a >= b) continue;
      check(text.substr(0, a) + text.substr(b));
      check(text.substr(0, b) + text.substr(a));
    }
  }
}

}  // namespace
}  // namespace cucore::ptx::test
