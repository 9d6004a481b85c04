// SPDX-License-Identifier: Apache-2.0
// A link of the driver, cuLinkCreate to cuLinkDestroy. Its result is PTX.
#pragma once

#include <cuda.h>

#include <mutex>
#include <string>

#include "cpu/driver/image.hpp"
#include "cpu/driver/jit_options.hpp"
#include "cpu/driver/registry.hpp"
#include "ptx/linker.hpp"

namespace cucore::cpu {

// One image for a link. The bytes are read during the call only.
struct LinkPart {
  CUjitInputType type = CU_JIT_INPUT_PTX;
  const void* data = nullptr;
  size_t size = 0;
  std::string name;
  bool is_of_program = false;  // memory of the program, in which a pointer may be followed
};

// The images of a link as PTX, linked for one target.
class PtxLink {
 public:
  explicit PtxLink(int sm);
  // Adds an image of any kind. The log has the reason of a failure.
  CUresult add(const LinkPart& part, std::string& log);
  CUresult complete(std::string& ptx, std::string& log);

 private:
  PtxText ptx_of(const LinkPart& part) const;
  CUresult add_ptx(const std::string& name, const PtxText& ptx, std::string& log);
  CUresult add_object(const LinkPart& part, std::string& log);
  CUresult add_library(const LinkPart& part, std::string& log);

  const int sm_;
  ptx::Linker linker_;
};

class Link : public Object {
 public:
  static constexpr ObjectKind KIND = ObjectKind::LINK;
  Link(const JitOptions& options, int sm) : options_(options), link_(sm) {}

  CUresult add(LinkPart part, JitOptions& options);
  CUresult add_failed(CUresult code, const std::string& log);
  // The image lives as long as the link.
  CUresult complete(void** image, size_t* size);

 private:
  CUresult report(CUresult code, const std::string& log);
  void bound_registers(const JitOptions& of_input);
  void require_additions() const;

  std::mutex mutex_;
  JitOptions options_;
  std::string log_;  // of all calls
  PtxLink link_;
  unsigned parts_ = 0;
  unsigned max_registers_ = 0;  // the largest bound of an input
  bool is_bounded_ = true;      // each input has a bound
  JitOptions::Clock::duration time_{};
  CUresult add_code_ = CUDA_SUCCESS;  // of the last failed addition
  bool is_complete_ = false;
  std::string image_;
};

}  // namespace cucore::cpu
