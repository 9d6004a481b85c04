// SPDX-License-Identifier: Apache-2.0
// Bundles: several images of one program; each device uses the one that fits.
#include <cstring>

#include "capi_testing.hpp"

namespace {

using namespace capi_test;

std::string ptx_for(const std::string& target) {
  std::string text(PTX, PTX_SIZE);
  const size_t at = text.find(".target ") + 8;
  text.replace(at, text.find_first_of(" \n,", at) - at, target);
  return text;
}

Code ptx_code(const std::string& target) {
  const std::string text = ptx_for(target);
  return make_code(CUCORE_CODE_TYPE_PTX, text.data(), text.size());
}

Code bundle_of(const std::vector<const cucore_objectcode*>& images) {
  Code code;
  MUST(cucore_objectcode_bundle, images.data(), images.size(), code.out());
  return code;
}

TEST(Bundle, HoldsItsImages) {
  const Code old = ptx_code("sm_50"), recent = ptx_code("sm_60");
  const Code both = bundle_of({old, recent});
  EXPECT_EQ(cucore_objectcode_type(both), CUCORE_CODE_TYPE_BUNDLE);
  ASSERT_EQ(cucore_objectcode_image_count(both), 2u);
  Code image;
  SUCCEEDS(cucore_objectcode_image_at, both, 1, image.out());
  EXPECT_EQ(bytes_of(image), bytes_of(recent));
  EXPECT_STREQ(cucore_objectcode_arch(image), cucore_objectcode_arch(recent));
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "index is 2|2 images", cucore_objectcode_image_at, both, 2,
        image.out());
  EXPECT_EQ(cucore_objectcode_symbol_count(both), cucore_objectcode_symbol_count(old));
}

TEST(Bundle, OfOneKindIsItsOwnImage) {
  const Code code = make_ptx_code();
  EXPECT_EQ(cucore_objectcode_image_count(code), 1u);
  Code self;
  SUCCEEDS(cucore_objectcode_image_at, code, 0, self.out());
  EXPECT_EQ(self.get(), code.get());
}

TEST(Bundle, IsWrittenAndRead) {
  const Code both = bundle_of({ptx_code("sm_50"), ptx_code("sm_60")});
  const std::vector<unsigned char> bytes = serialized(both);
  // Its content is the container.
  EXPECT_EQ(bytes_of(both), std::string(bytes.begin(), bytes.end()));
  Code again;
  SUCCEEDS(cucore_objectcode_deserialize, bytes.data(), bytes.size(), nullptr, again.out());
  EXPECT_EQ(serialized(again), bytes);
  EXPECT_EQ(cucore_objectcode_image_count(again), 2u);
  // The images of a bundle inside a bundle become images of the outer one.
  EXPECT_EQ(cucore_objectcode_image_count(bundle_of({again, ptx_code("sm_70")})), 3u);
}

TEST(Bundle, RefusesWhatIsNone) {
  Code out;
  const Code one = make_ptx_code();
  const cucore_objectcode* images[] = {one, nullptr};
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "two images", cucore_objectcode_bundle, images, 1,
        out.out());
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "images[1]", cucore_objectcode_bundle, images, 2, out.out());
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "two images", cucore_objectcode_bundle, nullptr, 0,
        out.out());
}

// No device can ever use the second of two equal images.
TEST(Bundle, RefusesTheSameImageTwice) {
  Code out;
  const Code a = ptx_code("sm_50"), b = ptx_code("sm_60"), same = ptx_code("sm_50");
  const cucore_objectcode* twice[] = {a, b, a};
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "images[2]|images[0]|compute_50", cucore_objectcode_bundle,
        twice, 3, out.out());
  const cucore_objectcode* equal[] = {b, a, same};
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "images[2]|images[1]", cucore_objectcode_bundle, equal, 3,
        out.out());
  // Inside a bundle also, whose own position is named.
  const Code both = bundle_of({a, b});
  const Code third = ptx_code("sm_70");
  const cucore_objectcode* inside[] = {both, third, same};
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "images[2]|images[0]", cucore_objectcode_bundle, inside, 3,
        out.out());
  EXPECT_EQ(out.get(), nullptr);
  // Two different images of one architecture are two images.
  std::string text = ptx_for("sm_50");
  text += "// another\n";
  const Code other = make_code(CUCORE_CODE_TYPE_PTX, text.data(), text.size());
  EXPECT_EQ(cucore_objectcode_image_count(bundle_of({a, other})), 2u);
}

class Bundles : public OnDevice {};

// A launch on each device: one kernel object, each device's own image.
TEST_F(Bundles, LoadWhatFitsTheDevice) {
  const Code both = bundle_of({ptx_code("sm_50"), ptx_code("sm_60")});
  EXPECT_EQ(cucore_objectcode_is_loaded(both), 0);
  const Kernel kernel = find_kernel(both, "empty");
  EXPECT_EQ(cucore_objectcode_is_loaded(both), 1);
  const cucore_launch_options one = grid(1, 1);
  SUCCEEDS(cucore_kernel_launch, kernel, stream_, &one, nullptr, 0);
  SUCCEEDS(cucore_stream_synchronize, stream_);
  int32_t devices = 0;
  SUCCEEDS(cucore_device_count, &devices);
  if (devices < 2) return;
  const Device other = open_device(1);
  const Stream stream = make_stream(other);
  SUCCEEDS(cucore_kernel_launch, kernel, stream, &one, nullptr, 0);
  SUCCEEDS(cucore_stream_synchronize, stream);
}

TEST_F(Bundles, HaveOneImageInUse) {
  const Code recent = ptx_code("sm_60");
  const Code both = bundle_of({ptx_code("sm_50"), recent});
  const Kernel kernel = find_kernel(both, "empty");
  Code used;
  SUCCEEDS(cucore_kernel_objectcode, kernel, device_, used.out());
  EXPECT_EQ(cucore_objectcode_type(used), CUCORE_CODE_TYPE_PTX);
  EXPECT_EQ(bytes_of(used), bytes_of(recent));
}

TEST_F(Bundles, DevicesOfDifferentArchitecturesGetDifferentImages) {
  NEEDS_FAKE_DRIVER();
  int32_t devices = 0;
  SUCCEEDS(cucore_device_count, &devices);
  ASSERT_GE(devices, 2);
  const Code both = bundle_of({ptx_code("sm_50"), ptx_code("sm_60")});
  const Device other = open_device(1);
  const uint64_t before = fake_->call_count("cuLibraryLoadData");
  SUCCEEDS(cucore_objectcode_load, both, device_);
  SUCCEEDS(cucore_objectcode_load, both, other);
  // Both have one architecture, so one image serves them.
  EXPECT_EQ(fake_->call_count("cuLibraryLoadData") - before, 1u);
}

TEST_F(Bundles, SayWhatThereIsAndWhatWasNeeded) {
  const Code none = bundle_of({ptx_code("sm_120"), ptx_code("sm_121")});
  int32_t major = 0, minor = 0;
  SUCCEEDS(cucore_device_compute_capability, device_, &major, &minor);
  if (major >= 12) GTEST_SKIP() << "the device runs these";
  FAILS(CUCORE_ERROR_INVALID_CODE, "sm_" + std::to_string(major * 10 + minor) + "|_120|_121",
        cucore_objectcode_load, none, device_);
  EXPECT_EQ(cucore_objectcode_is_loaded(none), 0);
}

// LTOIR is linked for the device that it is loaded on.
TEST_F(Bundles, LtoirIsLinkedWhenItIsLoaded) {
  NEEDS_REAL_COMPILER();
  cucore_library_info info = CUCORE_LIBRARY_INFO_INIT;
  SUCCEEDS(cucore_library_query, CUCORE_LIBRARY_NVJITLINK, &info);
  if (!info.available || std::getenv("CUCORE_NVJITLINK")) GTEST_SKIP() << "needs nvJitLink";
  const Code code = compile(make_program(SAXPY_SOURCE), CUCORE_CODE_TYPE_LTOIR);
  ASSERT_EQ(cucore_objectcode_symbol_count(code), 1u);
  cucore_symbol_info symbol = CUCORE_SYMBOL_INFO_INIT;
  SUCCEEDS(cucore_objectcode_symbol_at, code, 0, &symbol);
  EXPECT_STREQ(symbol.lowered_name, "saxpy");
  EXPECT_EQ(symbol.parameter_count, 4u);
  const Kernel kernel = find_kernel(code, "saxpy");
  EXPECT_EQ(cucore_kernel_parameter_count(kernel), 4u);
  EXPECT_EQ(cucore_objectcode_is_loaded(code), 1);
}

TEST(Kinds, OfHostObjectsAreForLinkersAlone) {
  const std::string archive = "!<arch>\n";
  const Code library = make_code(CUCORE_CODE_TYPE_LIBRARY, archive.data(), archive.size());
  EXPECT_EQ(cucore_objectcode_type(library), CUCORE_CODE_TYPE_LIBRARY);
  Kernel kernel;
  FAILS(CUCORE_ERROR_INVALID_STATE, "LIBRARY|link it first", cucore_objectcode_find_kernel, library,
        "k", kernel.out());
  Code out;
  FAILS(CUCORE_ERROR_INVALID_CODE, "OBJECT", cucore_objectcode_create, CUCORE_CODE_TYPE_OBJECT,
        "junk", size_t{4}, nullptr, out.out());
  FAILS(CUCORE_ERROR_INVALID_CODE, "LTOIR|empty", cucore_objectcode_create, CUCORE_CODE_TYPE_LTOIR,
        "", size_t{0}, nullptr, out.out());
}

}  // namespace
