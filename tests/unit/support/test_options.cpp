// SPDX-License-Identifier: Apache-2.0
// Option structs of callers built against older and newer headers, in full and byte by byte.
#include "support/options.hpp"

#include <gtest/gtest.h>

#include <cstddef>

namespace cucore {
namespace {

// The first release had a and b; this library also has c.
struct Known {
  size_t struct_size;
  int32_t a, b;
  int64_t c;
};
constexpr size_t FIRST = offsetof(Known, b) + sizeof(int32_t);

struct Newer {
  Known known;
  unsigned char later[16];
};

template <class Call>
std::string refusal_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::ABI_MISMATCH);
    return error.message();
  }
  return "no failure";
}

TEST(Options, NullIsAllDefaults) {
  const Known options = read_options<Known>(nullptr, FIRST, "known");
  EXPECT_EQ(options.struct_size, sizeof(Known));
  EXPECT_EQ(options.a + options.b + options.c, 0);
}

TEST(Options, OfAnOlderCallerHaveZeroForWhatHeDidNotKnow) {
  Known given{FIRST, 1, 2, 77};  // c lies beyond the declared size
  const Known options = read_options(&given, FIRST, "known");
  EXPECT_EQ(options.a, 1);
  EXPECT_EQ(options.b, 2);
  EXPECT_EQ(options.c, 0);
  EXPECT_EQ(options.struct_size, sizeof(Known));
}

TEST(Options, OfANewerCallerMustBeZeroWhereWeKnowNothing) {
  for (size_t at = 0; at <= sizeof Newer::later; ++at) {
    Newer given{{sizeof(Newer), 1, 2, 3}, {}};
    if (at < sizeof given.later) given.later[at] = 0x80;
    const std::string message = refusal_of([&] { read_options(&given.known, FIRST, "known"); });
    if (at == sizeof given.later) {
      EXPECT_EQ(message, "no failure");
    } else
      EXPECT_NE(message.find("byte " + std::to_string(sizeof(Known) + at)), std::string::npos)
          << message;
  }
}

TEST(Options, RefuseSizesThatNobodySet) {
  for (const size_t size : {size_t{0}, FIRST - 1, size_t{65537}, SIZE_MAX}) {
    Known given{size, 1, 2, 3};
    const std::string message = refusal_of([&] { read_options(&given, FIRST, "known"); });
    EXPECT_NE(message.find("known.struct_size is " + std::to_string(size)), std::string::npos)
        << message;
  }
}

TEST(Infos, AreFilledInAsFarAsTheCallerKnows) {
  Known out{FIRST, 7, 7, 7};
  write_info(&out, Known{0, 1, 2, 3}, FIRST, "known");
  EXPECT_EQ(out.struct_size, FIRST);
  EXPECT_EQ(out.b, 2);
  EXPECT_EQ(out.c, 7) << "beyond his struct";
  Newer newer{{sizeof(Newer), 7, 7, 7}, {9}};
  write_info(&newer.known, Known{0, 1, 2, 3}, FIRST, "known");
  EXPECT_EQ(newer.known.struct_size, sizeof(Newer));
  EXPECT_EQ(newer.known.c, 3);
  EXPECT_EQ(newer.later[0], 9);
}

TEST(Infos, AreClearedAfterAFailure) {
  Known out{sizeof(Known), 7, 7, 7};
  clear_info(&out, FIRST);
  EXPECT_EQ(out.struct_size, sizeof(Known));
  EXPECT_EQ(out.a + out.b + out.c, 0);
  Known wild{3, 7, 7, 7};
  clear_info(&wild, FIRST);
  EXPECT_EQ(wild.a, 7) << "a size that cannot be believed";
}

}  // namespace
}  // namespace cucore
