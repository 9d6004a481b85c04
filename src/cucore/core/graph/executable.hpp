// SPDX-License-Identifier: Apache-2.0
// A graph made ready to launch.
#pragma once

#include <memory>
#include <mutex>

#include "core/graph/graph.hpp"
#include "core/objects/deferred_release.hpp"

namespace cucore::core {

struct ExecutableOptions {
  bool free_on_launch = false, device_launch = false, node_priority = false;
  const Stream* upload = nullptr;
};

class Executable final : public Object {
 public:
  // Throws if the driver refuses the graph; the message names the node that is at fault.
  static Ref<Executable> create(const Graph& graph, const ExecutableOptions& options);

  const Device& device() const { return root_->context()->device(); }
  CUgraphExec native() const;

  void launch(const Stream& stream) const;
  void upload(const Stream& stream) const;

 private:
  class Destruction;
  template <class T, class... A>
  friend Ref<T> cucore::make(A&&...);
  Executable(Ref<GraphRoot> root, std::unique_ptr<Destruction> destruction, bool may_print);
  ~Executable() override;

  const Ref<GraphRoot> root_;  // keeps the numbers and handles of the nodes
  std::unique_ptr<Destruction> destruction_;
  const bool may_print_;
  mutable std::mutex mutex_;  // one launch, upload or change at a time
};

}  // namespace cucore::core
