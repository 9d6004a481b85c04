// SPDX-License-Identifier: Apache-2.0
// Runs planned kernels of int64 on host memory, without a compiler. It visits the rows in a random
// order, so that a wrong decision about memory changes a result.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "array/plan/plan.hpp"

namespace cucore::array::testing {

struct HostStorage : Storage {
  explicit HostStorage(std::span<int64_t> memory) : Storage(false), data(memory) {
    std::fill(data.begin(), data.end(), -77777);
  }
  int64_t& at(int64_t position) const {
    if (position < 0 || size_t(position) >= data.size())
      throw std::logic_error("a position outside the memory");
    return data[size_t(position)];
  }
  const std::span<int64_t> data;
};

struct OwnStorage : HostStorage {
  explicit OwnStorage(size_t count) : OwnStorage(std::make_unique<int64_t[]>(count), count) {}

 private:
  OwnStorage(std::unique_ptr<int64_t[]> memory, size_t count)
      : HostStorage({memory.get(), count}), memory_(std::move(memory)) {}
  std::unique_ptr<int64_t[]> memory_;
};

inline int64_t wrap(uint64_t value) { return static_cast<int64_t>(value); }

inline int64_t operate(std::string_view op, const std::vector<int64_t>& x) {
  if (op == "add") return wrap(uint64_t(x[0]) + uint64_t(x[1]));
  if (op == "subtract") return wrap(uint64_t(x[0]) - uint64_t(x[1]));
  if (op == "multiply") return wrap(uint64_t(x[0]) * uint64_t(x[1]));
  if (op == "negative") return wrap(0 - uint64_t(x[0]));
  if (op == "maximum") return std::max(x[0], x[1]);
  if (op == "less") return x[0] < x[1];
  if (op == "where") return x[0] ? x[1] : x[2];
  throw std::logic_error("an operation that the tests do not know");
}

class HostMachine : public Machine {
 public:
  explicit HostMachine(uint32_t seed) : random_(seed) {}

  Ref<Storage> allocate(int64_t bytes) override { return make<OwnStorage>(size_t(bytes / 8 + 1)); }
  void copy(Storage& to, Storage& from, int64_t bytes) override {
    ++copies;
    const auto& source = static_cast<HostStorage&>(from).data;
    std::copy_n(source.begin(), bytes / 8, static_cast<HostStorage&>(to).data.begin());
  }

  void launch(const Kernel& kernel, std::span<Storage* const> inputs,
              std::span<Storage* const> outputs) override {
    ++kernels;
    last_.clear();
    const Run run{kernel, inputs};
    std::vector<int64_t> rows(size_t(kernel.rows()));
    std::iota(rows.begin(), rows.end(), 0);
    std::shuffle(rows.begin(), rows.end(), random_);
    const int64_t length = kernel.row_size();
    for (const int64_t row : rows) {
      // A row is computed before any of it is stored, as registers do.
      std::vector<std::vector<int64_t>> found;
      for (const Store& store : kernel.stores) {
        const bool per_element = kernel.nodes[store.node].per_element ||
                                 !is_constant_from(store.access, kernel.outer.size());
        std::vector<int64_t> values;
        for (int64_t at = 0; at < (per_element ? length : 1); ++at)
          values.push_back(run.value(store.node, row, at));
        found.push_back(std::move(values));
      }
      for (size_t each = 0; each < kernel.stores.size(); ++each) {
        const Store& store = kernel.stores[each];
        const auto& storage = static_cast<HostStorage&>(*outputs[store.slot]);
        for (int64_t at = 0; at < int64_t(found[each].size()); ++at) {
          int64_t place = run.position(store.access, row, at);
          if (store.indices) place += run.steps(store.arguments, *store.indices, row, at);
          int64_t& last = last_[place];
          if (store.ordered && last > row + 1) continue;
          last = row + 1;
          storage.at(place) = found[each][size_t(at)];
        }
      }
    }
  }

  int kernels = 0, copies = 0;

 private:
  struct Run {
    const Kernel& kernel;
    std::span<Storage* const> inputs;

    static int64_t dot(const View& view, int64_t position, size_t first, const Dims& sizes) {
      int64_t sum = 0;
      for (size_t axis = sizes.size(); axis-- > 0;) {
        sum += position % sizes[axis] * view.strides[first + axis];
        position /= sizes[axis];
      }
      return sum;
    }

    int64_t position(const Access& access, int64_t row, int64_t at) const {
      const int64_t position = access.outer.offset + dot(access.outer, row, 0, kernel.outer) +
                               dot(access.outer, at, kernel.outer.size(), kernel.inner);
      if (!access.inner) return position;
      return access.inner->offset + dot(*access.inner, position, 0, access.inner->shape);
    }

    int64_t load(uint16_t slot, int64_t position) const {
      const auto* storage = static_cast<const HostStorage*>(inputs[slot]);
      if (!storage) throw std::logic_error("a kernel reads a value whose memory is gone");
      return storage->at(position);
    }

    int64_t gathered(const Node& node, int64_t row, int64_t at) const {
      const int64_t place = position(node.access, row, at);
      return load(node.slot, place + steps(node.arguments, *node.indices, row, at));
    }

    int64_t steps(const std::vector<uint16_t>& arguments, const std::vector<IndexDetail>& indices,
                  int64_t row, int64_t at) const {
      int64_t sum = 0;
      for (size_t each = 0; each < arguments.size(); ++each) {
        const IndexDetail& index = indices[each];
        const int64_t value = this->value(arguments[each], row, at);
        sum += (value < 0 ? value + index.size : value) * index.stride;
      }
      return sum;
    }

    int64_t product(const Node& node, int64_t row) const {
      const Node &x = kernel.nodes[node.arguments[0]], &y = kernel.nodes[node.arguments[1]];
      const View &a = x.access.outer, &b = y.access.outer;
      const size_t axes = kernel.outer.size();
      const int64_t columns = kernel.outer[axes - 1];
      // The steps along the summed axis are not those of the kernel's axis.
      int64_t first = a.offset + row / columns % kernel.outer[axes - 2] * a.strides[axes - 2];
      int64_t second = b.offset + row % columns * b.strides[axes - 1];
      int64_t batch = row / columns / kernel.outer[axes - 2], sum = 0;
      for (size_t axis = axes - 2; axis-- > 0; batch /= kernel.outer[axis]) {
        first += batch % kernel.outer[axis] * a.strides[axis];
        second += batch % kernel.outer[axis] * b.strides[axis];
      }
      for (int64_t at = 0; at < a.shape[axes - 1]; ++at)
        sum = wrap(uint64_t(sum) + uint64_t(load(x.slot, first + at * a.strides[axes - 1])) *
                                       uint64_t(load(y.slot, second + at * b.strides[axes - 2])));
      return sum;
    }

    int64_t searched(const Node& node, int64_t row, int64_t at) const {
      const IndexDetail& index = (*node.indices)[0];
      const int64_t sought = value(node.arguments[0], row, at);
      int64_t place = 0;
      for (int64_t each = 0; each < index.size; ++each) {
        const int64_t element =
            load(node.slot, position(node.access, row, at) + each * index.stride);
        place += node.sort.right ? element <= sought : element < sought;
      }
      return place;
    }

    int64_t sorted(const Node& node, int64_t row, int64_t at) const {
      std::vector<std::pair<int64_t, int64_t>> all;
      for (int64_t each = 0; each < kernel.row_size(); ++each)
        all.emplace_back(value(node.arguments[0], row, each), each);
      std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) {
        return node.sort.descending ? b.first < a.first : a.first < b.first;
      });
      return node.sort.positions ? all[size_t(at)].second : all[size_t(at)].first;
    }

    int64_t combined(const Node& node, int64_t row, int64_t first, int64_t last) const {
      int64_t result = 0, number = 0;
      for (int64_t at = first; at < last; ++at) {
        const int64_t next = value(node.arguments[0], row, at);
        const bool begin = at == first;
        switch (node.reduction) {
          case Reduction::SUM:
            result = wrap(uint64_t(result) + uint64_t(next));
            break;
          case Reduction::MIN:
            result = begin ? next : std::min(result, next);
            break;
          case Reduction::MAX:
            result = begin ? next : std::max(result, next);
            break;
          case Reduction::ARGMAX: {
            const int64_t own = value(node.arguments[1], row, at);
            if (begin || next > result || (next == result && own < number)) {
              result = next;
              number = own;
            }
            break;
          }
          default:
            throw std::logic_error("a reduction that the tests do not know");
        }
      }
      return node.reduction == Reduction::ARGMAX ? number : result;
    }

    int64_t value(uint16_t number, int64_t row, int64_t at) const {
      const Node& node = kernel.nodes[number];
      switch (node.kind) {
        case NodeKind::LOAD:
          return load(node.slot, position(node.access, row, at));
        case NodeKind::POSITION:
          return position(node.access, row, at);
        case NodeKind::CONSTANT:
          return kernel.constants[node.slot].integer;
        case NodeKind::GATHER:
          return gathered(node, row, at);
        case NodeKind::REDUCED:
          return combined(node, row, 0, kernel.row_size());
        case NodeKind::PRODUCT:
          return product(node, row);
        case NodeKind::SEARCH:
          return searched(node, row, at);
        case NodeKind::SORTED:
          return sorted(node, row, at);
        case NodeKind::SCANNED:
          return combined(node, row, 0, at + 1);
        case NodeKind::PART:
          throw std::logic_error("a part of int64");
        case NodeKind::MAP:
          break;
      }
      std::vector<int64_t> arguments;
      for (const uint16_t argument : node.arguments) arguments.push_back(value(argument, row, at));
      return node.map->op ? operate(node.map->op->name, arguments) : arguments[0];
    }
  };

  std::mt19937 random_;
  std::map<int64_t, int64_t> last_;  // the row that wrote a position, plus 1
};

}  // namespace cucore::array::testing
