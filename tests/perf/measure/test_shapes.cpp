// SPDX-License-Identifier: Apache-2.0
// Each synthetic series is named by what is wrong with it, and good ones are STEADY.
#include <gtest/gtest.h>

#include "perf/measure/shape.hpp"
#include "synthetic.hpp"

namespace {

using namespace cucore::perf;
using synthetic::Random;

constexpr int SHAPED_SERIES = 2'000;

template <class Make>
int count(Shape shape, Make&& make) {
  Random random(7);
  int found = 0;
  for (int i = 0; i < SHAPED_SERIES; ++i) found += shape_of(make(random)) == shape;
  return found;
}

TEST(Shapes, OfSteadySeries) {
  for (const size_t length : {10, 30, 50, 100, 1000})
    EXPECT_GE(
        count(Shape::STEADY, [=](Random& random) { return synthetic::normal(random, length); }),
        SHAPED_SERIES * 99 / 100)
        << length;
}

TEST(Shapes, OfSteadySeriesWithALongTail) {
  EXPECT_GE(count(Shape::STEADY,
                  [](Random& random) {
                    std::exponential_distribution<double> tail(50);
                    return synthetic::series(random, 100, [&](double) { return tail(random); });
                  }),
            SHAPED_SERIES * 98 / 100);
}

TEST(Shapes, OfBimodalSeries) {
  EXPECT_GE(count(Shape::BIMODAL, [](Random& random) { return synthetic::bimodal(random, 100); }),
            SHAPED_SERIES * 99 / 100);
}

TEST(Shapes, OfDriftingSeries) {
  EXPECT_GE(count(Shape::DRIFTING,
                  [](Random& random) {
                    return synthetic::series(random, 100,
                                             [](double place) { return 0.06 * place; });
                  }),
            SHAPED_SERIES * 99 / 100);
}

TEST(Shapes, OfSeriesWithAStep) {
  EXPECT_GE(count(Shape::STEPPED,
                  [](Random& random) {
                    return synthetic::series(random, 100,
                                             [](double place) { return place > 0.6 ? 0.1 : 0.0; });
                  }),
            SHAPED_SERIES * 99 / 100);
}

TEST(Shapes, OfEqualTimes) { EXPECT_EQ(shape_of(std::vector<double>(50, 1e-5)), Shape::STEADY); }

TEST(Shapes, IgnoresWhatIsTooSmallToMatter) {
  // A drift of a tenth of a percent, with even less noise.
  Random random(1);
  const auto samples = synthetic::series(
      random, 100, [](double place) { return 0.001 * place; }, 1e-5);
  EXPECT_EQ(shape_of(samples), Shape::STEADY);
}

}  // namespace
