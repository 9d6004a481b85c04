// SPDX-License-Identifier: Apache-2.0
// A folder of PTX files whose names are digests of CUBINs. Its files are used only if no other user
// can have written them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace cucore::cpu {

class PtxFolder {
 public:
  // Opens the folder, and creates it if it is missing. Without a folder that is safe, read finds
  // nothing and write does nothing.
  explicit PtxFolder(const std::string& path);
  ~PtxFolder();
  PtxFolder(const PtxFolder&) = delete;
  PtxFolder& operator=(const PtxFolder&) = delete;

  std::optional<std::string> read(const std::string& name) const;
  // Other processes see the whole file or none.
  void write(const std::string& name, const std::string& text) const;
  // Removes the oldest files until the rest has at most `bytes`.
  void trim(size_t bytes) const;

 private:
  int folder_ = -1;
};

}  // namespace cucore::cpu
