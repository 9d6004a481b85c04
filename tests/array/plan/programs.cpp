// SPDX-License-Identifier: Apache-2.0
// Random programs of arrays that share memory, against a model that computes each statement at
// once.
//
//   plan_programs FIRST LAST [generated | FAULT]
//
// "generated" runs the kernels' code on the CPU device. FAULT plants a defect, which must be found:
// forwarding, overlap, donation, key.
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "array/ir/build.hpp"
#include "array/ir/graph.hpp"
#include "array/model/indexing.hpp"
#include "array/model/transforms.hpp"
#include "array/plan/cache.hpp"
#include "array/plan/plan.hpp"
#include "generated_machine.hpp"
#include "support/error.hpp"

using namespace cucore;
using namespace cucore::array;
using namespace cucore::array::testing;

namespace {

std::string planted;
bool generated = false;
PlanCache plans(512);
long evaluations = 0;

// An array as the model sees it: numbers that others share, and where the elements are.
struct Model {
  std::shared_ptr<std::vector<int64_t>> base;
  std::vector<int64_t> places;
  Dims shape;

  int64_t at(size_t element) const { return (*base)[size_t(places[element])]; }
  std::vector<int64_t> values() const {
    std::vector<int64_t> result;
    for (const int64_t place : places) result.push_back((*base)[size_t(place)]);
    return result;
  }
};

Model model_of(const std::vector<int64_t>& values, const Dims& shape) {
  Model model{std::make_shared<std::vector<int64_t>>(values), {}, shape};
  for (size_t at = 0; at < values.size(); ++at) model.places.push_back(int64_t(at));
  return model;
}

// The elements that a view of a dense array of `shape` shows.
std::vector<int64_t> elements_of(const View& view) {
  std::vector<int64_t> result{view.offset};
  for (size_t axis = 0; axis < view.ndim(); ++axis) {
    std::vector<int64_t> next;
    for (const int64_t place : result)
      for (int64_t at = 0; at < view.shape[axis]; ++at)
        next.push_back(place + at * view.strides[axis]);
    result = std::move(next);
  }
  return result;
}

Model viewed(const Model& model, const View& view) {
  Model result{model.base, {}, view.shape};
  for (const int64_t element : elements_of(view))
    result.places.push_back(model.places[size_t(element)]);
  return result;
}

class Program {
 public:
  explicit Program(uint32_t seed) : random_(seed) {
    machine_ =
        generated ? std::make_unique<GeneratedMachine>(seed) : std::make_unique<HostMachine>(seed);
    policy_ = pick(4);
    limits_.fuse = policy_ != 0;
    if (pick(4) == 0) limits_.nodes = 6;
    if (pick(4) == 0) limits_.cheap_weight = 1;
    if (pick(3) == 0) limits_.small_bytes = 0;
  }

  // Throws a text if a result differs.
  void run() {
    for (int each = 0; each < 3; ++each) make_new();
    for (int step = 0; step < 40; ++step) {
      statement();
      if (policy_ == 0 || (policy_ == 1 && pick(3) == 0) || graph_.pending() > 200) flush();
    }
    std::shuffle(pairs_.begin(), pairs_.end(), random_);
    for (size_t at = 0; at < pairs_.size(); ++at) check(pairs_[at]);
    pairs_.clear();
    if (graph_.pending() != 0) throw std::string("values stay pending after their arrays");
  }

  int kernels() const { return machine_->kernels; }
  int copies() const { return machine_->copies; }
  int taken = 0, in_place = 0;

 private:
  struct Pair {
    Model model;
    Array array;
  };

  // The model and the library see the same functions of views, which other tests compare with
  // NumPy.
  uint32_t pick(uint32_t count) {
    return std::uniform_int_distribution<uint32_t>(0, count - 1)(random_);
  }
  Pair& any() { return pairs_[pick(uint32_t(pairs_.size()))]; }

  void make_new() {
    static const std::vector<Dims> shapes{{6},       {8},    {3, 4}, {4, 3},
                                          {2, 3, 2}, {4, 4}, {1, 4}, {12}};
    const Dims shape = shapes[pick(uint32_t(shapes.size()))];
    const int64_t count = count_of(shape);
    std::vector<int64_t> values;
    for (int64_t at = 0; at < count; ++at) values.push_back(pick(100));
    if (pick(5) == 0) {
      const int64_t value = pick(100);
      pairs_.push_back({model_of(std::vector<int64_t>(size_t(count), value), shape),
                        full(graph_, {.dtype = Dtype::INT64, .integer = value}, shape)});
      return;
    }
    if (pick(6) == 0) {
      for (int64_t at = 0; at < count; ++at) values[size_t(at)] = at;
      pairs_.push_back({model_of(values, shape), positions(graph_, shape)});
      return;
    }
    Ref<Storage> storage = machine_->allocate(count * 8);
    std::copy(values.begin(), values.end(), static_cast<HostStorage&>(*storage).data.begin());
    pairs_.push_back({model_of(values, shape),
                      stored(graph_, Dtype::INT64, count, dense(shape), std::move(storage))});
  }

  // A function that makes a random view of views of this shape.
  std::function<View(const View&)> random_view(const Dims& shape) {
    const uint32_t kind = pick(8);
    if (kind == 0) return [](const View& view) { return permuted(view, {}); };
    if (kind == 1 && !shape.empty()) {
      const std::vector<int32_t> axes{int32_t(pick(uint32_t(shape.size())))};
      return [axes](const View& view) { return flipped(view, axes); };
    }
    std::vector<Index> items;
    for (const int64_t size : shape)
      items.push_back({.kind = IndexKind::SLICE, .slice = random_slice(size)});
    return [items](const View& view) { return select(view, items); };
  }

  Slice random_slice(int64_t size) {
    static const int64_t steps[] = {1, 1, 1, 2, -1, -2};
    const int64_t step = steps[pick(6)];
    int64_t low = pick(uint32_t(size + 1)), high = pick(uint32_t(size + 1));
    if (low > high) std::swap(low, high);
    Slice slice;
    slice.step = step;
    if (step > 0) {
      slice.start = low;
      slice.stop = high;
    } else {
      slice.start = high - 1 - size;  // counted from the end
      if (high == 0) slice.start = -size - 1;
      if (low > 0) slice.stop = low - 1;
    }
    return slice;
  }

  void make_view() {
    const Pair pair = any();
    const auto view = random_view(pair.model.shape);
    const View part = view(dense(pair.model.shape));
    if (is_empty(part)) return;
    pairs_.push_back(
        {viewed(pair.model, part), {.cell = pair.array.cell, .view = view(pair.array.view)}});
  }

  std::optional<Dims> common(const Dims& a, const Dims& b) {
    const Dims shapes[] = {a, b};
    try {
      return broadcast_shape(shapes, "test");
    } catch (const Error&) {
      return {};
    }
  }
  static Model broadcast_model(const Model& model, const Dims& shape) {
    return viewed(model, broadcast(dense(model.shape), shape, "test"));
  }

  static constexpr std::string_view BINARY[] = {"add", "subtract", "multiply", "maximum"};

  void binary() {
    const Pair a = any(), b = any();
    const std::string_view op = BINARY[pick(4)];
    if (pick(4) == 0) {
      const int64_t number = pick(9);
      std::vector<int64_t> values;
      for (const int64_t x : a.model.values()) values.push_back(operate(op, {x, number}));
      const Input inputs[] = {{.array = &a.array}, {.number = Number::of(number)}};
      pairs_.push_back({model_of(values, a.model.shape), apply_one(graph_, op, inputs)});
      return;
    }
    const auto shape = common(a.model.shape, b.model.shape);
    if (!shape) return;
    const std::vector<int64_t> x = broadcast_model(a.model, *shape).values(),
                               y = broadcast_model(b.model, *shape).values();
    std::vector<int64_t> values;
    for (size_t at = 0; at < x.size(); ++at) values.push_back(operate(op, {x[at], y[at]}));
    const Input inputs[] = {{.array = &a.array}, {.array = &b.array}};
    pairs_.push_back({model_of(values, *shape), apply_one(graph_, op, inputs)});
  }

  void in_place_write() {
    const Pair a = any(), b = any();
    const auto shape = common(a.model.shape, b.model.shape);
    if (shape && *shape == a.model.shape) update(a, b, pick(5));
  }

  // The last kind is an assignment.
  void update(const Pair& a, const Pair& b, uint32_t kind) {
    const std::vector<int64_t> y = broadcast_model(b.model, a.model.shape).values();
    std::vector<int64_t> values = y;
    if (kind < 4) {
      const std::vector<int64_t> x = a.model.values();
      for (size_t at = 0; at < x.size(); ++at) values[at] = operate(BINARY[kind], {x[at], y[at]});
    }
    for (size_t at = 0; at < values.size(); ++at)
      (*a.model.base)[size_t(a.model.places[at])] = values[at];
    if (kind < 4)
      assign_op(*find_op(BINARY[kind]), a.array, {.array = &b.array});
    else
      assign(a.array, {.array = &b.array}, "assign");
  }

  // Neighbours of one base in one statement: a[1:] += a[:-1].
  void shifted_write() {
    const Pair a = any();
    if (a.model.shape.empty() || a.model.shape[0] < 2) return;
    const auto part = [&](int64_t first, int64_t last) {
      std::vector<Index> items(a.model.shape.size(), {.kind = IndexKind::SLICE});
      items[0].slice = {first, last, 1};
      return Pair{viewed(a.model, select(dense(a.model.shape), items)),
                  {.cell = a.array.cell, .view = select(a.array.view, items)}};
    };
    const int64_t size = a.model.shape[0];
    const bool up = pick(2) != 0;
    pairs_.push_back(part(up ? 1 : 0, up ? size : size - 1));
    pairs_.push_back(part(up ? 0 : 1, up ? size - 1 : size));
    update(pairs_[pairs_.size() - 2], pairs_.back(), pick(5));
  }

  void fill() {
    const Pair a = any();
    const int64_t number = pick(50);
    for (const int64_t place : a.model.places) (*a.model.base)[size_t(place)] = number;
    assign(a.array, {.number = Number::of(number)}, "assign");
  }

  void copy() {
    const Pair a = any();
    pairs_.push_back({model_of(a.model.values(), a.model.shape), copied(a.array)});
  }

  void reshape() {
    const Pair a = any();
    const int64_t count = count_of(a.model.shape);
    const Dims shape = count % 2 == 0 && pick(2) ? Dims{count / 2, 2} : Dims{count};
    Array result = reshaped_array(a.array, shape);
    Model model = a.model;
    model.shape = shape;
    if (result.cell != a.array.cell) model = model_of(a.model.values(), shape);
    pairs_.push_back({std::move(model), std::move(result)});
  }

  void reduction() {
    const Pair a = any();
    if (a.model.shape.empty()) return;
    static constexpr std::string_view OPS[] = {"sum", "max", "min", "argmax"};
    const std::string_view op = OPS[pick(4)];
    const bool keep = pick(2) == 0;
    ReduceOptions options{.keepdims = keep};
    std::vector<bool> reduced(a.model.shape.size(), true);
    if (pick(3) != 0) {
      std::fill(reduced.begin(), reduced.end(), false);
      options.axes.emplace();
      for (size_t axis = 0; axis < reduced.size(); ++axis)
        if (options.axes->empty() || (op != "argmax" && pick(3) == 0)) {
          const auto chosen =
              uint32_t(options.axes->empty() ? pick(uint32_t(reduced.size())) : axis);
          if (reduced[chosen]) continue;
          reduced[chosen] = true;
          options.axes->push_back(int32_t(chosen));
        }
    }
    Dims shape;
    View kept = dense(a.model.shape), run = kept;
    View outer{.shape = {}, .strides = {}}, inner{.shape = {}, .strides = {}};
    for (size_t axis = 0; axis < reduced.size(); ++axis) {
      View& part = reduced[axis] ? inner : outer;
      part.shape.push_back(kept.shape[axis]);
      part.strides.push_back(kept.strides[axis]);
      if (!reduced[axis])
        shape.push_back(kept.shape[axis]);
      else if (keep)
        shape.push_back(1);
    }
    std::vector<int64_t> values;
    const std::vector<int64_t> all = a.model.values();
    for (const int64_t row : elements_of(outer)) {
      int64_t sum = 0, number = 0, at = 0, best = 0;
      for (const int64_t element : elements_of(inner)) {
        const int64_t x = all[size_t(row + element)];
        sum = wrap(uint64_t(sum) + uint64_t(x));
        const bool better = op == "min" ? x < best : x > best;
        if (at == 0 || better) best = x, number = at;
        ++at;
      }
      values.push_back(op == "sum" ? sum : op == "argmax" ? number : best);
    }
    pairs_.push_back({model_of(values, shape), reduce(*find_op(op), a.array, options)});
  }

  // Random places on the first axis, some of them several times.
  Pair random_indices(int64_t size) {
    std::vector<int64_t> values;
    for (uint32_t at = 0, count = 1 + pick(6); at < count; ++at)
      values.push_back(int64_t(pick(uint32_t(2 * size))) - size);
    const auto count = static_cast<int64_t>(values.size());
    Ref<Storage> storage = machine_->allocate(count * 8);
    std::copy(values.begin(), values.end(), static_cast<HostStorage&>(*storage).data.begin());
    return {model_of(values, {count}),
            stored(graph_, Dtype::INT64, count, dense({count}), std::move(storage))};
  }
  static Model indexed(const Model& model, const Model& indices) {
    View row = dense(model.shape);
    row.shape[0] = 1;
    Model result{model.base, {}, model.shape};
    result.shape[0] = count_of(indices.shape);
    for (const int64_t index : indices.values())
      for (const int64_t element : elements_of(row))
        result.places.push_back(
            model.places[size_t(element + (index < 0 ? index + model.shape[0] : index) *
                                              dense(model.shape).strides[0])]);
    return result;
  }

  void indices() {
    const Pair a = any();
    if (a.model.shape.empty() || a.model.shape[0] == 0) return;
    const Pair places = random_indices(a.model.shape[0]);
    const Item item[] = {{.index = {.kind = IndexKind::ARRAY}, .array = &places.array}};
    const Model chosen = indexed(a.model, places.model);
    if (pick(2)) {
      pairs_.push_back({model_of(chosen.values(), chosen.shape), selected(a.array, item)});
      return;
    }
    if (pick(3) == 0) {  // a[i] += number
      for (size_t at = 0; at < chosen.places.size(); ++at)
        last_values_.push_back(chosen.at(at) + 3);
      write_places(chosen);
      assign_op_selected(*find_op("add"), a.array, item, false, {.number = Number::of(int64_t{3})});
      return;
    }
    // a[i] = a[j]
    Pair from = random_indices(a.model.shape[0]);
    const int64_t count = count_of(places.model.shape);
    if (count_of(from.model.shape) != count) from = places;
    last_values_ = indexed(a.model, from.model).values();
    write_places(chosen);
    const Item source_item[] = {{.index = {.kind = IndexKind::ARRAY}, .array = &from.array}};
    const Array source = selected(a.array, source_item);
    assign_selected(a.array, item, false, {.array = &source}, "assign");
  }
  void write_places(const Model& model) {
    for (size_t at = 0; at < model.places.size(); ++at)
      (*model.base)[size_t(model.places[at])] = last_values_[at];
    last_values_.clear();
  }

  void order() {
    const Pair a = any();
    if (a.model.shape.size() != 1 || a.model.shape[0] == 0) return;
    const std::vector<int64_t> x = a.model.values();
    std::vector<int64_t> places(x.size()), values;
    std::iota(places.begin(), places.end(), 0);
    const bool descending = pick(2) != 0;
    std::stable_sort(places.begin(), places.end(), [&](int64_t i, int64_t j) {
      return descending ? x[size_t(j)] < x[size_t(i)] : x[size_t(i)] < x[size_t(j)];
    });
    if (pick(2)) {
      pairs_.push_back({model_of(places, a.model.shape), argsorted(a.array, 0, descending)});
      return;
    }
    for (const int64_t place : places) values.push_back(x[size_t(place)]);
    const Array result = sorted(a.array, 0, descending);
    pairs_.push_back({model_of(values, a.model.shape), result});
    if (descending) return;
    const Pair b = any();
    std::vector<int64_t> found;
    for (const int64_t y : b.model.values())
      found.push_back(std::lower_bound(values.begin(), values.end(), y) - values.begin());
    pairs_.push_back({model_of(found, b.model.shape), search_sorted(result, b.array, false)});
  }

  void product() {
    const Pair a = any(), b = any();
    if (a.model.shape.size() != 2 || b.model.shape.size() != 2) return;
    const int64_t rows = a.model.shape[0], depth = a.model.shape[1], columns = b.model.shape[1];
    if (b.model.shape[0] != depth) return;
    const std::vector<int64_t> x = a.model.values(), y = b.model.values();
    std::vector<int64_t> values(size_t(rows * columns));
    for (size_t at = 0; at < values.size(); ++at)
      for (int64_t k = 0; k < depth; ++k)
        values[at] = wrap(uint64_t(values[at]) +
                          uint64_t(x[size_t(int64_t(at) / columns * depth + k)]) *
                              uint64_t(y[size_t(k * columns + int64_t(at) % columns)]));
    pairs_.push_back({model_of(values, {rows, columns}), matmul(a.array, b.array)});
  }

  void statement() {
    const uint32_t dice = pick(112);
    if (dice >= 108) return product();
    if (dice >= 104) return order();
    if (dice >= 100) return indices();
    if (dice < 5)
      make_new();
    else if (dice < 25)
      make_view();
    else if (dice < 45)
      binary();
    else if (dice < 62)
      in_place_write();
    else if (dice < 68)
      shifted_write();
    else if (dice < 71)
      fill();
    else if (dice < 75)
      copy();
    else if (dice < 79)
      reshape();
    else if (dice < 85)
      reduction();
    else if (dice < 93 && pairs_.size() > 3)
      pairs_.erase(pairs_.begin() + pick(uint32_t(pairs_.size())));
    else
      check(any());
  }

  void flush() {
    std::vector<Value*> roots;
    for (const Pair& pair : pairs_)
      if (pair.array.cell->current().is_pending() && (policy_ == 0 || pick(2)))
        roots.push_back(&pair.array.cell->current());
    evaluate(roots);
  }

  void evaluate(std::span<Value* const> roots) {
    if (planted == "forwarding") plant_forwarding(roots);
    const Cone cone(graph_, roots);
    if (planted.empty() || planted == "key") return run_known(cone);
    Plan plan = plan_of(cone, limits_);
    for (Step& step : plan.steps)
      for (Output& output : step.outputs) {
        taken += output.memory == Memory::TAKEN;
        in_place += output.memory == Memory::IN_PLACE;
        if (planted == "overlap" && output.memory == Memory::COPIED && is_own(*output.from, plan))
          output.memory = Memory::IN_PLACE;
        if (planted == "donation" && output.memory == Memory::NEW && step.outputs.size() == 1)
          plant_donation(step, output);
      }
    execute(plan, *machine_);
  }

  // Plans of earlier programs are used too.
  void run_known(const Cone& cone) {
    const HiddenOffsets hidden(cone);
    const ConeKey key(graph_, cone, limits_);
    hidden.restore();
    const KnownPlan::Use use(plans.find(cone, key, limits_), cone, key);
    for (const Step& step : use.plan().steps)
      for (const Output& output : step.outputs) {
        taken += output.memory == Memory::TAKEN;
        in_place += output.memory == Memory::IN_PLACE;
      }
    execute(use.plan(), *machine_);
    ++evaluations;
  }

  // The planted fault in the key: views of the cone begin at 0, until restore().
  class HiddenOffsets {
   public:
    explicit HiddenOffsets(const Cone& cone) {
      if (planted != "key") return;
      for (const ValueRef& value : cone.values())
        for (const Operand& operand : value->operands()) {
          View& view = const_cast<View&>(operand.view);
          offsets_.emplace_back(&view, std::exchange(view.offset, 0));
        }
    }
    void restore() const {
      for (const auto& [view, offset] : offsets_) view->offset = offset;
    }

   private:
    std::vector<std::pair<View*, int64_t>> offsets_;
  };

  // Whether one step of the plan uses the value, and nobody else.
  static bool is_own(const Value& base, const Plan& plan) {
    const auto uses = [&](const Step& step) {
      return std::any_of(step.kernel.inputs.begin(), step.kernel.inputs.end(),
                         [&](const ValueRef& input) { return input.get() == &base; }) ||
             std::any_of(step.outputs.begin(), step.outputs.end(),
                         [&](const Output& output) { return output.from.get() == &base; });
    };
    return base.cells() == 0 && std::count_if(plan.steps.begin(), plan.steps.end(), uses) == 1;
  }

  // Reads elements of a write in the order of its source, although the read has another order.
  void plant_forwarding(std::span<Value* const> roots) {
    for (Value* root : roots)
      for (size_t at = 0; at < root->operands().size(); ++at) {
        const Operand& operand = root->operands()[at];
        if (root->kind != ValueKind::MAP || operand.is_constant() ||
            operand.value->kind != ValueKind::UPDATE || !operand.value->is_pending())
          continue;
        const Operand& source = operand.value->operands()[1];
        if (!source.is_constant() && source.view.shape == operand.view.shape)
          root->set_operand(at, Operand(source));
      }
  }
  void plant_donation(const Step& step, Output& output) {
    for (const ValueRef& input : step.kernel.inputs)
      if (input->cells() == 0 && input->state() == ValueState::READY &&
          input->bytes() == output.value->bytes() && input->users().size() <= 1) {
        output.memory = Memory::TAKEN;
        output.from = input;
        return;
      }
  }

  void check(const Pair& pair) {
    // As a read does: the view is made dense unless its base has the elements in order.
    const Array dense_copy = reshaped_array(copied(pair.array), {count_of(pair.model.shape)});
    std::vector<Value*> roots{&dense_copy.cell->current()};
    if (policy_ == 3) roots.insert(roots.begin(), &pair.array.cell->current());
    evaluate(roots);
    const Value& value = dense_copy.cell->current();
    if (value.state() != ValueState::READY) throw std::string("a value was not evaluated");
    const auto data = static_cast<HostStorage&>(*value.storage()).data;
    const std::vector<int64_t> places = elements_of(dense_copy.view);
    for (size_t at = 0; at < places.size(); ++at)
      if (data[size_t(places[at])] != pair.model.at(at))
        throw "element " + std::to_string(at) + " is " + std::to_string(data[size_t(places[at])]) +
            "; expected " + std::to_string(pair.model.at(at));
  }

  std::mt19937 random_;
  std::unique_ptr<HostMachine> machine_;
  Graph graph_;
  PartitionLimits limits_;
  uint32_t policy_ = 0;
  std::vector<Pair> pairs_;
  std::vector<int64_t> last_values_;
};

}  // namespace

int main(int argc, char** argv) {
  const uint32_t first = uint32_t(std::stoul(argv[1])), last = uint32_t(std::stoul(argv[2]));
  const std::string mode = argc > 3 ? argv[3] : "";
  generated = mode == "generated";
  if (!generated) planted = mode;
  int wrong = 0;
  long kernels = 0, copies = 0, taken = 0, in_place = 0;
  for (uint32_t seed = first; seed < last; ++seed) {
    Program program(seed);
    try {
      program.run();
    } catch (const std::string& text) {
      if (wrong++ == 0) std::printf("program %u: %s\n", seed, text.c_str());
    } catch (const std::exception& error) {
      if (wrong++ == 0) std::printf("program %u: %s\n", seed, error.what());
    }
    kernels += program.kernels(), copies += program.copies(), taken += program.taken,
        in_place += program.in_place;
  }
  std::printf(
      "%u programs, %d wrong; %ld kernels, %ld in place, %ld copies, %ld taken over; "
      "%ld evaluations, %lu planned\n",
      last - first, wrong, kernels, in_place, copies, taken, evaluations,
      static_cast<unsigned long>(plans.planned()));
  if (!planted.empty()) return wrong > 0 ? 0 : 1;
  return wrong == 0 ? 0 : 1;
}
