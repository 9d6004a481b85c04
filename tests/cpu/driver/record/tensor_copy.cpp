// SPDX-License-Identifier: Apache-2.0
// Kernels that copy one box of a tensor, and the text of what they copied.
#include "tensor_copy.hpp"

#include <cstdio>
#include <cstring>

namespace cucore::cpu::record {
namespace {

constexpr size_t TENSOR_WORDS = 0x8000, TENSOR_BYTES = 2 << 20;  // words of 16 bits
constexpr size_t BOX_BYTES = 16 << 10;
constexpr int MOST_BYTES = 64 << 10;  // of a copy, as the mbarrier counts them

// The mbarrier expects MOST_BYTES and has all arrivals, so that no copy ends its phase. After a
// time in which the copy has ended, it takes 16 bytes at a time until the phase ends.
std::string kernel_of(unsigned rank, bool is_im2col) {
  std::string start, more;
  for (unsigned k = 0; k < rank; ++k) start += (k ? ", %c" : "%c") + std::to_string(k);
  std::string text = ".visible .entry " + std::string(is_im2col ? "pixels" : "tile") +
                     std::to_string(rank) + "(.param .align 64 .b8 map[128]";
  for (unsigned k = 0; k < 5; ++k) text += ", .param .u32 start" + std::to_string(k);
  text += R"(, .param .u64 seen)
{
  .shared .align 1024 .b8 box[)" +
          std::to_string(BOX_BYTES) + R"(];
  .shared .align 8 .b64 bar;
  .reg .pred %p<4>;
  .reg .b16 %o<3>;
  .reg .b32 %r<9>, %c<5>;
  .reg .b64 %a<6>;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %r1;
fill:
  shl.b32 %r3, %r2, 2;
  mov.u32 %r4, box;
  add.u32 %r4, %r4, %r3;
  st.shared.u32 [%r4], 0xaaaaaaaa;
  add.u32 %r2, %r2, 128;
  setp.lt.u32 %p1, %r2, )" +
          std::to_string(BOX_BYTES / 4) + R"(;
  @%p1 bra fill;
  ld.param.u64 %a1, [seen];
  cvta.to.global.u64 %a1, %a1;
  setp.ne.u32 %p2, %r1, 0;
  @%p2 bra ready;
  mbarrier.init.shared.b64 [bar], 1;
  fence.proxy.async.shared::cta;
ready:
  bar.sync 0;
  @%p2 bra copied;
)";
  for (unsigned k = 0; k < rank; ++k)
    text += "  ld.param.u32 %c" + std::to_string(k) + ", [start" + std::to_string(k) + "];\n";
  text += "  mov.b16 %o0, 1;\n  mov.b16 %o1, 2;\n  mov.b16 %o2, 0;\n  mov.b64 %a2, map;\n";
  text += "  cvta.param.u64 %a2, %a2;\n  mov.u32 %r4, box;\n  mov.u32 %r5, bar;\n";
  text +=
      "  mbarrier.arrive.expect_tx.shared.b64 %a3, [%r5], " + std::to_string(MOST_BYTES) + ";\n";
  if (is_im2col) {
    more = ", {%o0";
    for (unsigned k = 1; k + 2 < rank; ++k) more += ", %o" + std::to_string(k);
    more += "}";
  }
  text += "  cp.async.bulk.tensor." + std::to_string(rank) + "d.shared::cluster.global." +
          (is_im2col ? "im2col" : "tile") + ".mbarrier::complete_tx::bytes [%r4], [%a2, {" + start +
          "}], [%r5]" + more + ";\n";
  return text + R"(  mov.u32 %r6, 0;
wait:
  mbarrier.test_wait.parity.shared.b64 %p3, [%r5], 0;
  nanosleep.u32 1000;
  add.u32 %r6, %r6, 1;
  setp.lt.u32 %p1, %r6, 200;
  @%p1 bra wait;
  mov.u32 %r6, )" +
         std::to_string(MOST_BYTES) + R"(;
count:
  mbarrier.test_wait.parity.shared.b64 %p3, [%r5], 0;
  @%p3 bra counted;
  mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r5], 16;
  add.s32 %r6, %r6, -16;
  setp.ge.s32 %p1, %r6, 0;
  @%p1 bra count;
  mov.u32 %r6, -1;
counted:
  st.global.u32 [%a1+)" +
         std::to_string(BOX_BYTES) + R"(], %r6;
copied:
  bar.sync 0;
  mov.u32 %r2, %r1;
show:
  shl.b32 %r3, %r2, 2;
  mov.u32 %r4, box;
  add.u32 %r4, %r4, %r3;
  ld.shared.u32 %r7, [%r4];
  cvt.u64.u32 %a4, %r3;
  add.s64 %a5, %a1, %a4;
  st.global.u32 [%a5], %r7;
  add.u32 %r2, %r2, 128;
  setp.lt.u32 %p1, %r2, )" +
         std::to_string(BOX_BYTES / 4) + R"(;
  @%p1 bra show;
  ret;
}
)";
}

std::string module_text() {
  std::string text = ".version 8.0\n.target sm_90\n.address_size 64\n";
  for (unsigned rank = 1; rank <= 5; ++rank) text += kernel_of(rank, false);
  for (unsigned rank = 3; rank <= 5; ++rank) text += kernel_of(rank, true);
  return text;
}

// The text for 16 bytes. `unit` is their place in the tensor, or -1.
struct Atom {
  std::string text;
  int64_t unit = -1;
};

Atom atom_of(const uint16_t* words) {
  bool same = true, counts = true;
  for (int k = 1; k < 8; ++k) {
    same = same && words[k] == words[0];
    counts = counts && words[k] == words[0] + k;
  }
  if (same && words[0] == 0xaaaa) return {"."};
  if (same && words[0] == 0) return {"z"};
  if (counts && words[0] != 0 && words[0] <= TENSOR_WORDS) {
    const unsigned first = words[0] - 1u;
    if (first % 8 == 0) return {"", first / 8};
    return {std::to_string(first / 8) + "+" + std::to_string(first % 8)};
  }
  std::string text = "#";
  for (int k = 0; k < 8; ++k) {
    char digits[8];
    std::snprintf(digits, sizeof digits, "%04x", words[k]);
    text += digits;
  }
  return {text};
}

}  // namespace

TensorCopies& TensorCopies::get() {
  static TensorCopies made;
  return made;
}

TensorCopies::TensorCopies() : words_(BOX_BYTES / 4 + 1) {
  tensor_ = allocate(TENSOR_BYTES);
  seen_ = allocate(BOX_BYTES + 4);
  std::vector<uint16_t> words(TENSOR_BYTES / 2, 0xbbbb);
  for (size_t k = 0; k < TENSOR_WORDS; ++k) words[k] = uint16_t(k + 1);
  check(cu.cuMemcpyHtoD_v2(tensor_, words.data(), TENSOR_BYTES), "cuMemcpyHtoD");
  check(cu.cuModuleLoadData(&module_, module_text().c_str()), "cuModuleLoadData");
}

CUresult TensorCopies::encode(const TensorShape& s) {
  map_ = reinterpret_cast<CUtensorMap*>(maps_ + s.place);
  auto* address = reinterpret_cast<void*>(tensor_ + s.offset);
  if (s.is_im2col)
    return cu.cuTensorMapEncodeIm2col(map_, s.type, s.rank, address, s.sizes.data(),
                                      s.strides.data(), s.lower.data(), s.upper.data(), s.channels,
                                      s.pixels, s.steps.data(), s.interleave, s.swizzle,
                                      s.promotion, s.fill);
  return cu.cuTensorMapEncodeTiled(map_, s.type, s.rank, address, s.sizes.data(), s.strides.data(),
                                   s.box.data(), s.steps.data(), s.interleave, s.swizzle,
                                   s.promotion, s.fill);
}

CUresult TensorCopies::load(const TensorShape& s, const std::vector<int>& start) {
  const std::string name = (s.is_im2col ? "pixels" : "tile") + std::to_string(s.rank);
  CUfunction kernel = nullptr;
  check(cu.cuModuleGetFunction(&kernel, module_, name.c_str()), "cuModuleGetFunction");
  int places[5] = {};
  for (size_t k = 0; k < start.size(); ++k) places[k] = start[k];
  void* arguments[] = {map_, &places[0], &places[1], &places[2], &places[3], &places[4], &seen_};
  CUresult result = cu.cuLaunchKernel(kernel, 1, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr);
  if (result == CUDA_SUCCESS) result = cu.cuCtxSynchronize();
  if (result == CUDA_SUCCESS)
    result = cu.cuMemcpyDtoH_v2(words_.data(), seen_, words_.size() * sizeof(words_[0]));
  return result;
}

std::string TensorCopies::atoms() const {
  std::vector<uint16_t> halves(BOX_BYTES / 2);
  std::memcpy(halves.data(), words_.data(), BOX_BYTES);
  std::vector<Atom> atoms;
  for (size_t k = 0; k < BOX_BYTES / 16; ++k) atoms.push_back(atom_of(&halves[k * 8]));
  while (!atoms.empty() && atoms.back().text == ".") atoms.pop_back();
  std::string text;
  for (size_t k = 0, count = 1; k < atoms.size(); k += count) {
    const Atom& first = atoms[k];
    count = 1;
    if (first.unit >= 0) {
      while (k + count < atoms.size() && atoms[k + count].unit == first.unit + int64_t(count))
        ++count;
      text += (k ? "," : "") + std::to_string(first.unit);
      if (count > 1) text += ".." + std::to_string(first.unit + int64_t(count) - 1);
    } else {
      while (k + count < atoms.size() && atoms[k + count].text == first.text) ++count;
      text += (k ? "," : "") + first.text;
      if (count > 1) text += "x" + std::to_string(count);
    }
  }
  return text.empty() ? "none" : text;
}

}  // namespace cucore::cpu::record
