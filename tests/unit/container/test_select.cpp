// SPDX-License-Identifier: Apache-2.0
// The selection rule, one line per case: the images, the device, and the selected image.
#include "container/select.hpp"
#include "container_testing.hpp"

namespace cucore::container {
namespace {

using namespace testing;

// "cubin sm_90a", "ptx compute_80 8.4" for its ISA, "ltoir compute_90 12.9" for its toolkit.
Image image_of(const std::string& text) {
  const size_t first = text.find(' ');
  const size_t second = std::min(text.find(' ', first + 1), text.size());
  Image image;
  const std::string kind = text.substr(0, first);
  image.type = kind == "ptx" ? CodeType::PTX : kind == "ltoir" ? CodeType::LTOIR : CodeType::CUBIN;
  const std::string arch = text.substr(first + 1, second - first - 1);
  if (arch != "none") image.arch = Arch::parse(arch).value();
  if (second < text.size()) {
    const auto version = static_cast<uint16_t>(std::stod(text.substr(second + 1)) * 10 + 0.5);
    (image.type == CodeType::LTOIR ? image.toolkit : image.ptx_isa) = version;
  }
  return image;
}

std::string selected(const std::vector<std::string>& images, const Target& target) {
  Code bundle;
  bundle.type = CodeType::BUNDLE;
  for (const std::string& one : images) bundle.images.push_back(image_of(one));
  try {
    return images[select(bundle, target)];
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::INVALID_CODE);
    return "none: " + error.message();
  }
}

TEST(Select, MachineCode) {
  const std::vector<std::string> all = {"ptx compute_70 7.0", "ltoir compute_80", "cubin sm_80",
                                        "cubin sm_86",        "cubin sm_90",      "cubin sm_90a",
                                        "cubin sm_100f",      "cubin sm_103f",    "cubin sm_100"};
  EXPECT_EQ(selected(all, {80, 90}), "cubin sm_80");
  EXPECT_EQ(selected(all, {86, 90}), "cubin sm_86");
  EXPECT_EQ(selected(all, {89, 90}), "cubin sm_86");
  EXPECT_EQ(selected(all, {90, 90}), "cubin sm_90a");
  EXPECT_EQ(selected(all, {100, 90}), "cubin sm_100f");
  EXPECT_EQ(selected(all, {103, 90}), "cubin sm_103f");
  EXPECT_EQ(selected(all, {120, 90}), "ptx compute_70 7.0");
  EXPECT_EQ(selected(all, {120, 90, false, true}), "ltoir compute_80");
  EXPECT_EQ(selected(all, {75, 90, false, true}), "ptx compute_70 7.0");
}

TEST(Select, IntermediateCode) {
  const std::vector<std::string> all = {"ptx compute_80 7.8", "ptx compute_90 8.0",
                                        "ptx compute_90a 8.0", "ptx compute_100f 8.8",
                                        "ptx compute_75 9.0"};
  EXPECT_EQ(selected(all, {90, 90}), "ptx compute_90a 8.0");
  EXPECT_EQ(selected(all, {100, 90}), "ptx compute_100f 8.8");
  EXPECT_EQ(selected(all, {103, 87}), "ptx compute_90 8.0") << "the driver does not read ISA 8.8";
  EXPECT_EQ(selected(all, {110, 0}), "ptx compute_90 8.0") << "f reaches its own major alone";
  EXPECT_EQ(selected(all, {89, 79}), "ptx compute_80 7.8");
  EXPECT_EQ(selected(all, {75, 90}), "ptx compute_75 9.0");
}

TEST(Select, ADeviceThatRunsPtx) {
  const std::vector<std::string> all = {"cubin sm_90", "ltoir sm_90", "ptx compute_80 8.0"};
  EXPECT_EQ(selected(all, {90, 90, true, true}), "ptx compute_80 8.0");
  EXPECT_EQ(selected(all, {90, 75, true, true}), "ltoir sm_90");
  EXPECT_EQ(selected({"cubin sm_90", "ltoir none"}, {90, 75, true, true}), "ltoir none");
}

TEST(Select, LtoirThatThisNvJitLinkLinks) {
  const std::vector<std::string> all = {"ltoir sm_90 12.9", "ltoir sm_80 13.1", "ltoir sm_75 13.0",
                                        "ptx compute_70 7.0"};
  const auto with = [&](uint16_t nvjitlink) {
    return selected(all, {90, 90, false, true, nvjitlink});
  };
  EXPECT_EQ(with(129), "ltoir sm_90 12.9");
  EXPECT_EQ(with(130), "ltoir sm_75 13.0") << "neither of another major version nor newer";
  EXPECT_EQ(with(131), "ltoir sm_80 13.1");
  EXPECT_EQ(with(128), "ptx compute_70 7.0") << "what fits must not be missed for what does not";
  EXPECT_EQ(selected({"ltoir sm_90", "ptx compute_90 8.0"}, {90, 90, false, true, 128}),
            "ltoir sm_90")
      << "one that does not say is tried";
  const std::string none = selected({"ltoir sm_90 12.9"}, {90, 90, false, true, 130});
  for (const char* part : {"none: ", "CUDA 12.9", "nvJitLink 13.0"})
    EXPECT_NE(none.find(part), std::string::npos) << part << " in " << none;
}

TEST(Select, OfThoseThatAreTaken) {
  Code bundle;
  for (const char* one : {"cubin sm_90", "ptx compute_80 8.0"})
    bundle.images.push_back(image_of(one));
  const auto is_ptx = [](const Image& image) { return image.type == CodeType::PTX; };
  EXPECT_EQ(find(bundle, {90, 90}, is_ptx), 1u);
  EXPECT_EQ(find(bundle, {75, 90}, is_ptx), std::nullopt);
}

TEST(Select, NothingFits) {
  const std::string message =
      selected({"cubin sm_80", "ptx compute_100 9.0", "ltoir compute_90"}, {90, 84});
  for (const char* part : {"none: ", "sm_90", "ISA 8.4", "CUBIN for sm_80", "PTX for compute_100",
                           "ISA 9.0", "LTOIR for compute_90", "nvJitLink"})
    EXPECT_NE(message.find(part), std::string::npos) << part << " in " << message;
  EXPECT_EQ(selected({"cubin sm_90", "cubin sm_80"}, {90, 90, true, true}).substr(0, 5), "none:");
}

}  // namespace
}  // namespace cucore::container
