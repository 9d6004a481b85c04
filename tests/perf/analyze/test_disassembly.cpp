// SPDX-License-Identifier: Apache-2.0
// The output of nvdisasm as this library reads it.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "perf/analyze/disassembler.hpp"

namespace cucore::perf {
namespace {

using Lines = std::map<uint64_t, std::string>;

TEST(Disassembly, HasTheInstructionsOfEachKernel) {
  const Disassembly found = read_disassembly(R"(
	.headerflags	@"EF_CUDA_SM90"
//--------------------- .text.first --------------------------
	.section	.text.first,"ax",@progbits
	.sectioninfo	@"SHI_REGISTERS=8"
        .global         first
        .type           first,@function
.text.first:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
.L_x_0:
        /*0010*/              @!P0 IMAD R2, R3, 0x4, RZ ;
        /*0020*/                   BRA `(.L_x_0);
	.section	.nv.constant0.first,"a",@progbits
        /*0000*/ 	.byte	0x00
	.section	.text.second,"ax",@progbits
.text.second:
        /*00a0*/                   EXIT ;
)");
  EXPECT_EQ(found.missing, "");
  ASSERT_EQ(found.kernels.size(), 2u);
  EXPECT_EQ(found.kernels.at("first"), (Lines{{0, "LDC R1, c[0x0][0x28]"},
                                              {0x10, "@!P0 IMAD R2, R3, 0x4, RZ"},
                                              {0x20, "BRA `(.L_x_0)"}}));
  EXPECT_EQ(found.kernels.at("second"), (Lines{{0xa0, "EXIT"}}));
}

TEST(Disassembly, IgnoresWhatIsNotAnInstruction) {
  for (const char* line : {"", "/*", "/**/ EXIT ;", "/*zz*/ EXIT ;", "/*0000 EXIT ;", "/*0000*/",
                           "/*0000*/ ;", "// EXIT ;"}) {
    const Disassembly found = read_disassembly(std::string(".text.k:\n") + line);
    EXPECT_TRUE(found.kernels.at("k").empty()) << line;
  }
  EXPECT_TRUE(read_disassembly("/*0000*/ EXIT ;\n").kernels.empty());
}

}  // namespace
}  // namespace cucore::perf
