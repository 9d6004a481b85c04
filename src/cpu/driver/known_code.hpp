// SPDX-License-Identifier: Apache-2.0
// The PTX of CUBINs that a compiler of this process, or of an earlier one, has made.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "cpu/driver/digest.hpp"
#include "cpu/driver/ptx_folder.hpp"

namespace cucore::cpu {

class KnownCode {
 public:
  static KnownCode& instance();

  void remember(std::span<const std::byte> cubin, std::string ptx);
  std::optional<std::string> find(std::span<const std::byte> cubin);

 private:
  KnownCode();
  void keep(const Digest& digest, const std::string& ptx);

  const PtxFolder folder_;
  std::mutex mutex_;
  std::map<Digest, std::string> texts_;
  std::deque<Digest> order_;  // the oldest first
  size_t bytes_ = 0;
  bool is_trimmed_ = false;
};

}  // namespace cucore::cpu
