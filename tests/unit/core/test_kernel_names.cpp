// SPDX-License-Identifier: Apache-2.0
// The kernel that a name means; many kernels do not make the look-up slower.
#include "core/compile/kernel_names.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace cucore::core {
namespace {

using image::Symbol;
using image::SymbolKind;
using Names = std::vector<std::string>;

Names meant_by(std::string_view name, const std::vector<Symbol>& symbols) {
  const KernelNames names(symbols);
  const auto found = names.find(name);
  return {found.begin(), found.end()};
}

std::vector<Symbol> many(int count) {
  std::vector<Symbol> symbols;
  for (int i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    symbols.push_back(
        {"k<" + number + ">", "_Z1kILi" + number + "EEvv", SymbolKind::KERNEL, 0, {}});
  }
  return symbols;
}

TEST(KernelNames, AreNamesInTheCodeAndExpressions) {
  const std::vector<Symbol> symbols{{"saxpy<float>", "_Z5saxpyIfE", SymbolKind::KERNEL, 0, {}},
                                    {"f<unsigned int>", "_Z1fIjE", SymbolKind::KERNEL, 0, {}},
                                    {"", "plain", SymbolKind::KERNEL, 0, {}},
                                    {"table", "table", SymbolKind::GLOBAL, 4, {}}};
  EXPECT_EQ(meant_by("_Z5saxpyIfE", symbols), Names{"_Z5saxpyIfE"});
  EXPECT_EQ(meant_by("saxpy<float>", symbols), Names{"_Z5saxpyIfE"});
  EXPECT_EQ(meant_by(" saxpy < float > ", symbols), Names{"_Z5saxpyIfE"});
  EXPECT_EQ(meant_by("f<unsigned\tint>", symbols), Names{"_Z1fIjE"});
  EXPECT_EQ(meant_by("f<unsignedint>", symbols), Names{});
  EXPECT_EQ(meant_by("plain", symbols), Names{"plain"});
  for (const char* none : {"", " ", "table", "saxpy", "saxpy<float>x"})
    EXPECT_EQ(meant_by(none, symbols), Names{}) << none;
}

TEST(KernelNames, MayMeanSeveral) {
  const std::vector<Symbol> symbols{{"in", "in_1", SymbolKind::KERNEL, 0, {}},
                                    {"in", "in_2", SymbolKind::KERNEL, 0, {}},
                                    {"in", "in_2", SymbolKind::KERNEL, 0, {}},
                                    {"x", "in", SymbolKind::KERNEL, 0, {}}};
  EXPECT_EQ(meant_by("in", symbols), Names{"in"}) << "the name in the code goes first";
  EXPECT_EQ(meant_by("in ", symbols), (Names{"in_1", "in_2"}));
}

// A search through all of them would take a thousand times as long.
TEST(KernelNames, AreFoundAsFastAmongTenThousand) {
  const auto time_of = [](const std::vector<Symbol>& symbols) {
    const KernelNames names(symbols);
    auto least = std::chrono::nanoseconds::max();
    for (int round = 0; round < 20; ++round) {
      const auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < 500; ++i) EXPECT_EQ(names.find(symbols.back().expression).size(), 1u);
      least = std::min<std::chrono::nanoseconds>(least, std::chrono::steady_clock::now() - start);
    }
    return least;
  };
  EXPECT_LT(time_of(many(10'000)).count(), 20 * time_of(many(10)).count());
}

}  // namespace
}  // namespace cucore::core
