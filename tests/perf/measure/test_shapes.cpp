// SPDX-License-Identifier: Apache-2.0
// Each synthetic series is named by what is wrong with it, and good ones are STEADY.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

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

// Each sample of a processor is like the one before it. Short parts of such a series differ.
TEST(Shapes, OfLongSteadySeriesWithMemory) {
  Random random(7);
  std::normal_distribution<double> normal(0, synthetic::DEVIATION);
  constexpr double MEMORY = 0.98;
  int steady = 0;
  for (int i = 0; i < 20; ++i) {
    double level = 0;
    std::vector<double> samples(20'000);
    for (double& sample : samples) {
      level = MEMORY * level + std::sqrt(1 - MEMORY * MEMORY) * normal(random);
      sample = synthetic::TIME * (1 + level);
    }
    steady += shape_of(samples) == Shape::STEADY;
  }
  EXPECT_EQ(steady, 20);
}

TEST(Shapes, OfLongSeriesThatChange) {
  Random random(7);
  const auto step = synthetic::series(random, 20'000, [](double x) { return x > 0.6 ? 0.02 : 0; });
  EXPECT_EQ(shape_of(step), Shape::STEPPED);
  const auto drift = synthetic::series(random, 20'000, [](double x) { return 0.03 * x; });
  EXPECT_EQ(shape_of(drift), Shape::DRIFTING);
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
