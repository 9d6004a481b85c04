// SPDX-License-Identifier: Apache-2.0
#include "core/compile/nvrtc_job.hpp"

#include "core/compile/nvrtc_program.hpp"

namespace cucore::core {
namespace {

class Here final : public NvrtcRunner {
 public:
  NvrtcResult run(const NvrtcJob& job) override {
    NvrtcProgram program(job.source, job.name, job.header_names, job.header_sources);
    for (const std::string& expression : job.expressions) program.add_expression(expression);
    program.compile(job.flags, job.what);
    NvrtcResult result;
    result.log = program.log();
    if (!job.makes_code) return result;
    result.bytes = program.output(job.target);
    if (job.target == image::CodeType::CUBIN) result.ptx = program.ptx_beside();
    for (const std::string& expression : job.expressions)
      result.lowered_names.push_back(program.lowered_name(expression));
    return result;
  }
};

}  // namespace

NvrtcRunner& nvrtc_here() {
  static auto* here = new Here;
  return *here;
}

}  // namespace cucore::core
