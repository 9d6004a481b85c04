// SPDX-License-Identifier: Apache-2.0
// Writes a row's kernel: load the operands, copy them to shared memory, run the text, store.
#include "kernel_text.hpp"

#include <algorithm>

namespace cucore::cpu::matrix {

std::string module_text(const Case& row, unsigned target) {
  auto number = [](size_t value) { return std::to_string(value); };
  const unsigned threads = row.threads, shared = row.shared ? row.shared : row.in;
  std::string text = ".version 8.7\n.target sm_" + number(target) + (row.needs_variant ? "a" : "") +
                     "\n.address_size 64\n.visible .entry k(.param .u64 in_, .param .u64 out_, "
                     ".param .u64 scratch_)\n{\n .reg .pred %p<2>; .reg .b32 %t<40>, %a<" +
                     number(row.in + 1) + ">, %d<" + number(row.out + 1) +
                     ">, %i<4>; .reg .b64 %x<40>, %in, %out, %at;\n .shared .align 1024 .b8 sh[" +
                     number(size_t{shared} * threads * 4) + "];\n";
  text +=
      " ld.param.u64 %in, [in_]; ld.param.u64 %out, [out_]; cvta.to.global.u64 %in, %in;"
      " cvta.to.global.u64 %out, %out; mov.u32 %i0, %ctaid.x; mov.u32 %i1, %tid.x;\n";
  text += " mad.wide.u32 %in, %i0, " + number(row.in * threads * 4) + ", %in;" +
          " mad.wide.u32 %out, %i0, " + number(row.out * threads * 4) + ", %out;\n";
  text +=
      " mad.wide.u32 %at, %i1, 4, %in; shl.b32 %i2, %i1, 2; mov.u32 %i3, sh;"
      " add.u32 %i2, %i2, %i3;\n";
  for (unsigned i = 0; i < row.in; ++i) {
    const std::string place = "+" + number(i * threads * 4) + "]", a = "%a" + number(i);
    text += " ld.global.b32 " + a + ", [%at" + place + ";\n";
    if (i < shared) text += " st.shared.b32 [%i2" + place + ", " + a + ";\n";
  }
  text += " bar.sync 0;\n " + row.body + "\n mad.wide.u32 %at, %i1, 4, %out;\n";
  for (unsigned i = 0; i < row.out && !row.writes_results; ++i)
    text += " st.global.b32 [%at+" + number(i * threads * 4) + "], %d" + number(i) + ";\n";
  return text + " ret;\n}\n";
}

Words results_of(ops::Driver& driver, const Case& row, const Words& in, unsigned sets) {
  CUmodule module = driver.load(module_text(row, std::min(driver.target(), 90u)));
  std::vector<uint64_t> packed((in.size() + 1) / 2);
  for (size_t i = 0; i < in.size(); ++i) packed[i / 2] |= uint64_t{in[i]} << (i % 2 * 32);
  const size_t size = size_t{row.out} * row.threads * sets;
  const std::vector<uint64_t> raw =
      driver.run(module, "k", packed, (size + 1) / 2, size_t{row.threads} * sets, 32, row.threads);
  driver.unload(module);
  Words out(size);
  for (size_t i = 0; i < size; ++i) out[i] = static_cast<uint32_t>(raw[i / 2] >> (i % 2 * 32));
  return out;
}

}  // namespace cucore::cpu::matrix
