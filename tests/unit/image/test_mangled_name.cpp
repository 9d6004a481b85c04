// SPDX-License-Identifier: Apache-2.0
// Types of parameters in the mangled names of C++ functions.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "image/mangled_name.hpp"

namespace cucore::image {
namespace {

// Returns a letter per parameter: i f p n, and ? for an unknown kind; "-" if not supported.
std::string kinds(std::string_view name) {
  const auto found = parameter_kinds(name);
  if (!found) return "-";
  std::string letters;
  for (const TypeKind kind : *found) letters += "?ifpn"[static_cast<int>(kind)];
  return letters;
}

TEST(MangledName, OfFunctions) {
  EXPECT_EQ(kinds("_Z1kv"), "");
  EXPECT_EQ(kinds("_Z1kfPfm"), "fpi");
  EXPECT_EQ(kinds("_Z1kbcahstijlmxynow"), "iiiiiiiiiiiiiii");
  EXPECT_EQ(kinds("_Z1kfd"), "ff");
  EXPECT_EQ(kinds("_Z1kPKfPVKvPPiRdOx"), "ppppp");
  EXPECT_EQ(kinds("_ZL1kPfm"), "pi");
  EXPECT_EQ(kinds("_Z1kPFvvEDn"), "pp");
  EXPECT_EQ(kinds("_Z1kPA4_fM1Si"), "p?");
  EXPECT_EQ(kinds("_Z1k6__halfSt4pairIifE1EDv4_f"), "nnn?");
  EXPECT_EQ(kinds("_Z1kPf.cold"), "p");
}

TEST(MangledName, OfMembersOfNamespaces) {
  EXPECT_EQ(kinds("_ZN2ns1kEPfm"), "pi");
  EXPECT_EQ(kinds("_ZN2ns5inner1kENS_1SEPNS0_1TES3_"), "npp");
  EXPECT_EQ(kinds("_ZN12_GLOBAL__N_11kEPKfm"), "pi");
  EXPECT_EQ(kinds("_ZN2ns1kIfEEvPT_m"), "pi");
}

TEST(MangledName, OfInstancesOfTemplates) {
  EXPECT_EQ(kinds("_Z4axpyIfEvT_PKS0_PS0_m"), "fppi");
  EXPECT_EQ(kinds("_Z4axpyIPfEvT_PKS1_S1_l"), "pppi");
  EXPECT_EQ(kinds("_Z1kIlLi4EEvT_S0_"), "ii");
  EXPECT_EQ(kinds("_Z1kIfdEvT_T0_PS0_"), "ffp");
  EXPECT_EQ(kinds("_Z1kI1SEvT_PS1_"), "np");
  EXPECT_EQ(kinds("_Z1kILb1ELin3EEvPfm"), "pi");
  EXPECT_EQ(kinds("_Z1kIfEvN1AIT_E4typeEm"), "?i") << "the member may be any type";
  EXPECT_EQ(kinds("_Z1kIfEv1AIT_ENS2_4typeE"), "n?");
  EXPECT_EQ(kinds("_Z1kIfEvN2ns1AIT_EE"), "n");
  EXPECT_EQ(kinds("_Z1kIN2ns1SEEvT_S2_"), "nn");
}

TEST(MangledName, NotRead) {
  for (const char* name :
       {"", "saxpy", "_Z", "_Zk", "_Z1k", "_Z9k", "_Z1kQ", "_Z1kS_", "_Z1kT_", "_Z1kP", "_Z1kN1SE1",
        "_Z1kIJfiEEvDpT_", "_Z1kIXadL_Z1fvEEEvv", "_Z1kIZ1gvEUlvE_EvT_", "_Z1kDTfp_E",
        "_Z99999999999999999999k", "_Z1kSZZZZZZZZZZZ_", "_Z1kM1S"})
    EXPECT_EQ(kinds(name), "-") << name;
}

TEST(MangledName, HostileOnesEnd) {
  EXPECT_EQ(kinds("_Z1k" + std::string(60000, 'P') + "f"), "-");
  EXPECT_EQ(kinds("_Z1k" + std::string(1 << 20, 'i')), "-");
  EXPECT_EQ(kinds("_Z1k" + std::string(60000, 'i')), std::string(60000, 'i'));
  std::mt19937 random(7);
  const std::string_view letters = "_ZNSTDIELJKPRAFMvfdilmx0123456789St";
  for (int i = 0; i < 20000; ++i) {
    std::string name = "_Z4axpyIfEvT_PKS0_PS0_m";
    for (int changes = 0; changes < 3; ++changes)
      name[2 + random() % (name.size() - 2)] = letters[random() % letters.size()];
    kinds(name.substr(0, random() % (name.size() + 1)));
  }
}

}  // namespace
}  // namespace cucore::image
