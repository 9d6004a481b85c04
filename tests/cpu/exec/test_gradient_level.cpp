// SPDX-License-Identifier: Apache-2.0
// Levels of gradients on cubes that an H200 selected. Each of them needs the 23 bits of the
// reciprocal: one bit more or one less selects another level.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "cpu/exec/gradient_level.hpp"

namespace cucore::cpu::test {
namespace {

struct Read {
  std::array<float, 3> at;
  Gradients by;
  int level;  // in 1/256
};

constexpr Read READS[] = {
    {{-0.500090599f, -0.816425323f, 0.0671070814f},
     {{0, 6.48727791e-08f, 1.91169903e-07f}, {0, -0.0595267564f, 0.0146871358f}},
     394},
    {{-0.996753097f, -0.493570209f, -2.94561291f},
     {{0, -0.123749062f, 0.0176400002f}, {0, -0.0088200001f, -0.0618745312f}},
     382},
    {{-3.98314857f, 0.409929872f, 0.830705762f},
     {{-0.0359480381f, 0.119719416f, 0}, {-0.059859708f, -0.0179740191f, 0}},
     235},
    {{-1.01775551f, -0.856024265f, -0.114660144f},
     {{1.12547667e-07f, 0, 1.35908891e-07f}, {-0.0392731577f, 0, -0.0288943648f}},
     340},
    {{0.207525373f, -2.54924345f, -0.788351297f}, {{0, 0.15625f, 0.125f}, {}}, 286},
    {{-0.181436062f, -0.945334673f, -1.34695673f},
     {{0.0114330864f, 0, -0.124476038f}, {-0.062238019f, 0, -0.00571654318f}},
     532},
    {{0.77557528f, -0.124197125f, -3.71240711f},
     {{0.0684080943f, 0, -0.104619943f}, {-0.0523099713f, 0, -0.0342040472f}},
     81},
    {{-0.15932703f, 0.611278534f, 0.141941309f},
     {{0, 1.17188478e-07f, 2.45466083e-08f}, {0, -0.0674894154f, -0.0481580347f}},
     557},
};

TEST(GradientLevel, IsThatOfAnH200OnCubes) {
  ImageObject cube;
  cube.image.dimensions = 2;
  cube.image.is_cube = true;
  cube.image.levels = {{.width = 128, .height = 128, .planes = 6}};
  cube.sampler.is_normalized = true;
  for (const Read& read : READS)
    EXPECT_EQ(std::trunc(level_of(cube, read.at, read.by) * 256), read.level) << read.at[0];
}

// A direction without a face has a level too.
TEST(GradientLevel, IsDefinedForDirectionsOfZeroAndInfinity) {
  ImageObject cube;
  cube.image.dimensions = 2;
  cube.image.is_cube = true;
  cube.image.levels = {{.width = 128, .height = 128, .planes = 6}};
  const Gradients by{{INFINITY, 1, 0}, {0, NAN, 1}};
  for (const std::array<float, 3>& at :
       {std::array<float, 3>{}, {INFINITY, 1, 0}, {INFINITY, -INFINITY, 0}, {NAN, NAN, NAN}})
    EXPECT_FALSE(std::isnan(level_of(cube, at, by)));
}

}  // namespace
}  // namespace cucore::cpu::test
