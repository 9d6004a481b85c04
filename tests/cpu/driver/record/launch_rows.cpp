// SPDX-License-Identifier: Apache-2.0
// Rows of launches: limits of grids and blocks, shared memory, parameters, attributes.
#include <algorithm>

#include "rows.hpp"

namespace cucore::cpu::record {
namespace {

struct Dimensions {
  unsigned grid[3] = {1, 1, 1}, block[3] = {1, 1, 1}, shared = 0;
};

CUresult launch(CUfunction f, const Dimensions& d, void** parameters = nullptr,
                void** extra = nullptr) {
  return cu.cuLaunchKernel(f, d.grid[0], d.grid[1], d.grid[2], d.block[0], d.block[1], d.block[2],
                           d.shared, nullptr, parameters, extra);
}

std::string shown(const Dimensions& d) {
  std::string text;
  for (const auto* three : {&d.grid, &d.block}) {
    text += text.empty() ? "grid" : ", block";
    for (unsigned n : *three) text += " " + std::to_string(n);
  }
  return text + (d.shared ? ", shared " + std::to_string(d.shared) : "");
}

void add_dimensions(Rows& rows) {
  const Dimensions all[] = {{{0, 1, 1}, {1, 1, 1}},
                            {{1, 0, 1}, {1, 1, 1}},
                            {{1, 1, 0}, {1, 1, 1}},
                            {{1, 1, 1}, {0, 1, 1}},
                            {{1, 1, 1}, {1, 0, 1}},
                            {{1, 1, 1}, {1, 1, 0}},
                            {{0x80000000, 1, 1}, {1, 1, 1}},
                            {{0xffffffff, 1, 1}, {1, 1, 1}},
                            {{1, 65535, 1}, {1, 1, 1}},
                            {{1, 65536, 1}, {1, 1, 1}},
                            {{1, 1, 65535}, {1, 1, 1}},
                            {{1, 1, 65536}, {1, 1, 1}},
                            {{1, 1, 1}, {1024, 1, 1}},
                            {{1, 1, 1}, {1025, 1, 1}},
                            {{1, 1, 1}, {1, 1024, 1}},
                            {{1, 1, 1}, {1, 1025, 1}},
                            {{1, 1, 1}, {1, 1, 64}},
                            {{1, 1, 1}, {1, 1, 65}},
                            {{1, 1, 1}, {32, 32, 1}},
                            {{1, 1, 1}, {32, 33, 1}},
                            {{1, 1, 1}, {16, 16, 4}},
                            {{1, 1, 1}, {16, 16, 5}},
                            {{1, 1, 1}, {0x10000, 0x10000, 1}}};
  for (const Dimensions& d : all)
    rows.add(Start::SHARED, shown(d), [d](Line& line) {
      line(launch(function("nothing"), d))("synchronize", cu.cuCtxSynchronize());
    });
  for (const char* name : {"at_most_64", "exactly_32"})
    for (unsigned threads : {31u, 32u, 33u, 64u, 65u})
      rows.add(Start::SHARED, std::string(name) + " with " + std::to_string(threads) + " threads",
               [=](Line& line) {
                 line(launch(function(name), {{1, 1, 1}, {threads, 1, 1}}));
               });
  rows.add(Start::SHARED, "exactly_32 with another shape", [](Line& line) {
    line(launch(function("exactly_32"), {{1, 1, 1}, {16, 2, 1}}));
    line("at_most_64", launch(function("at_most_64"), {{1, 1, 1}, {1, 64, 1}}));
    line("at_most_64", launch(function("at_most_64"), {{1, 1, 1}, {8, 8, 2}}));
  });
}

void add_shared(Rows& rows) {
  for (unsigned shared : {0u, 1u, 49152u, 49153u, 232448u, 0xffffffffu})
    rows.add(Start::SHARED, "shared memory " + std::to_string(shared), [shared](Line& line) {
      line(launch(function("dynamic_shared"), {{1, 1, 1}, {1, 1, 1}, std::max(shared, 4u)}));
      line("nothing", launch(function("nothing"), {{1, 1, 1}, {1, 1, 1}, shared}));
      line("synchronize", cu.cuCtxSynchronize());
    });
  for (unsigned shared : {49153u, 65536u, 65537u, 232448u})
    rows.add(Start::SHARED, "shared memory " + std::to_string(shared) + " with opt-in of 65536",
             [shared](Line& line) {
               CUfunction f = function("dynamic_shared");
               check(
                   cu.cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 65536),
                   "opt-in");
               line(launch(f, {{1, 1, 1}, {1, 1, 1}, shared}));
             });
  for (unsigned shared : {8192u, 8193u, 9216u, 49152u})
    rows.add(Start::SHARED, "much_shared and " + std::to_string(shared), [shared](Line& line) {
      line(launch(function("much_shared"), {{1, 1, 1}, {1, 1, 1}, shared}));
    });
}

void* word(size_t* number) { return number; }

void add_parameters(Rows& rows) {
  rows.add(Start::SHARED, "parameters NULL", [](Line& line) {
    CUdeviceptr p = allocate(64);
    line("none", launch(function("nothing"), {}));
    line("two", launch(function("stores"), {}));
    void* missing[] = {&p, nullptr};
    line("one", launch(function("stores"), {}, missing));
    line("synchronize", cu.cuCtxSynchronize());
  });
  rows.add(Start::SHARED, "function NULL", [](Line& line) { line(launch(nullptr, {})); });
  rows.add(Start::SHARED, "superfluous parameters", [](Line& line) {
    int value = 0;
    void* parameters[] = {&value};
    void* none[] = {nullptr};
    line(launch(function("nothing"), {}, parameters));
    line("of NULL", launch(function("nothing"), {}, none));
  });
  const struct {
    const char* name;
    size_t size;
  } sizes[] = {{"exact", 12}, {"padded", 16}, {"short", 8},
               {"0", 0},      {"long", 64},   {"huge", 1 << 20}};
  for (const auto& s : sizes)
    rows.add(Start::SHARED, std::string("buffer of parameters, size ") + s.name, [s](Line& line) {
      const CUdeviceptr p = allocate(64);
      std::vector<char> buffer(1 << 20);
      const int value = 21;
      int got = 0;
      __builtin_memcpy(buffer.data(), &p, 8);
      __builtin_memcpy(buffer.data() + 8, &value, 4);
      size_t size = s.size;
      void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer.data(), CU_LAUNCH_PARAM_BUFFER_SIZE,
                       word(&size), CU_LAUNCH_PARAM_END};
      line(launch(function("stores"), {}, nullptr, extra));
      line("copy", cu.cuMemcpyDtoH_v2(&got, p, 4)).value("is", got);
    });
  rows.add(Start::SHARED, "forms of the buffer", [](Line& line) {
    const CUdeviceptr p = allocate(64);
    char buffer[16] = "";
    __builtin_memcpy(buffer, &p, 8);
    size_t size = 12;
    int value = 1;
    CUfunction f = function("stores");
    void* empty[] = {CU_LAUNCH_PARAM_END};
    void* no_size[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_END};
    void* no_buffer[] = {CU_LAUNCH_PARAM_BUFFER_SIZE, word(&size), CU_LAUNCH_PARAM_END};
    void* reverse[] = {CU_LAUNCH_PARAM_BUFFER_SIZE, word(&size), CU_LAUNCH_PARAM_BUFFER_POINTER,
                       buffer, CU_LAUNCH_PARAM_END};
    void* unknown[] = {reinterpret_cast<void*>(7), buffer, CU_LAUNCH_PARAM_END};
    CUdeviceptr q = p;
    void* parameters[] = {&q, &value};
    line("empty", launch(f, {}, nullptr, empty));
    line("empty for nothing", launch(function("nothing"), {}, nullptr, empty));
    line("no size", launch(f, {}, nullptr, no_size));
    line("no buffer", launch(f, {}, nullptr, no_buffer));
    line("reverse", launch(f, {}, nullptr, reverse));
    line("unknown key", launch(f, {}, nullptr, unknown));
    line("both", launch(f, {}, parameters, reverse));
    line("both, empty list", launch(f, {}, parameters, empty));
    line("synchronize", cu.cuCtxSynchronize());
  });
}

CUresult launch_with(CUfunction f, CUlaunchAttribute* attributes, unsigned count, unsigned grid = 1,
                     unsigned block = 32) {
  CUlaunchConfig config{grid, 1, 1, block, 1, 1, 0, nullptr, attributes, count};
  return cu.cuLaunchKernelEx(&config, f, nullptr, nullptr);
}

void add_launch_attributes(Rows& rows) {
  for (int id = 0; id < 20; ++id)
    rows.add(Start::SHARED, "attribute " + std::to_string(id) + " of zeros", [id](Line& line) {
      CUlaunchAttribute attribute{};
      attribute.id = static_cast<CUlaunchAttributeID>(id);
      line(launch_with(function("nothing"), &attribute, 1));
    });
  rows.add(Start::SHARED, "attribute -1 and 1000", [](Line& line) {
    for (int id : {-1, 1000}) {
      CUlaunchAttribute attribute{};
      attribute.id = static_cast<CUlaunchAttributeID>(id);
      line(launch_with(function("nothing"), &attribute, 1));
    }
  });
  rows.add(Start::SHARED, "configuration NULL", [](Line& line) {
    CUfunction f = function("nothing");
    line("configuration", cu.cuLaunchKernelEx(nullptr, f, nullptr, nullptr));
    line("attributes", launch_with(f, nullptr, 1));
    line("function", launch_with(nullptr, nullptr, 0));
  });
  for (int priority : {-100, -5, 0, 5})
    rows.add(Start::SHARED, "priority attribute " + std::to_string(priority),
             [priority](Line& line) {
               CUlaunchAttribute attribute{};
               attribute.id = CU_LAUNCH_ATTRIBUTE_PRIORITY;
               attribute.value.priority = priority;
               line(launch_with(function("nothing"), &attribute, 1));
             });
  for (unsigned carveout : {0u, 100u, 101u, 0xffffffffu})
    rows.add(Start::SHARED, "carveout attribute " + std::to_string(carveout),
             [carveout](Line& line) {
               CUlaunchAttribute attribute{};
               attribute.id = CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT;
               attribute.value.sharedMemCarveout = carveout;
               line(launch_with(function("nothing"), &attribute, 1));
             });
}

struct Cluster {
  unsigned x, y, z, grid;
};

void add_launch_clusters(Rows& rows) {
  const Cluster all[] = {{0, 1, 1, 4},         {1, 1, 1, 4},   {2, 1, 1, 4}, {2, 1, 1, 3},
                         {4, 1, 1, 2},         {3, 1, 1, 3},   {8, 1, 1, 8}, {9, 1, 1, 9},
                         {16, 1, 1, 16},       {17, 1, 1, 17}, {1, 2, 1, 4}, {1, 1, 64, 4},
                         {0xffffffff, 1, 1, 4}};
  for (const Cluster& c : all)
    rows.add(Start::SHARED,
             "cluster " + std::to_string(c.x) + " " + std::to_string(c.y) + " " +
                 std::to_string(c.z) + " of a grid of " + std::to_string(c.grid),
             [c](Line& line) {
               CUlaunchAttribute attribute{};
               attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
               attribute.value.clusterDim.x = c.x;
               attribute.value.clusterDim.y = c.y;
               attribute.value.clusterDim.z = c.z;
               line(launch_with(function("nothing"), &attribute, 1, c.grid));
               line("synchronize", cu.cuCtxSynchronize());
             });
  rows.add(Start::SHARED, "kernel of clusters of 2", [](Line& line) {
    CUfunction f = function("clusters_of_2");
    CUlaunchAttribute attribute{};
    attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute.value.clusterDim.x = 4;
    attribute.value.clusterDim.y = attribute.value.clusterDim.z = 1;
    line("plain", launch_with(f, nullptr, 0, 4));
    line("odd grid", launch_with(f, nullptr, 0, 3));
    line("of 4", launch_with(f, &attribute, 1, 4));
    attribute.value.clusterDim.x = 2;
    line("of 2", launch_with(f, &attribute, 1, 4));
    line("synchronize", cu.cuCtxSynchronize());
  });
}

void add_cooperative(Rows& rows) {
  const auto cooperative = [](CUfunction f, unsigned grid, unsigned block, unsigned shared = 0) {
    return cu.cuLaunchCooperativeKernel(f, grid, 1, 1, block, 1, 1, shared, nullptr, nullptr);
  };
  rows.add(Start::SHARED, "cooperative", [=](Line& line) {
    CUfunction f = function("nothing");
    int count = 0, blocks = 0;
    check(cu.cuDeviceGetAttribute(&count, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0), "count");
    check(cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 1024, 0), "occupancy");
    const unsigned most = static_cast<unsigned>(count * blocks);
    line("one", cooperative(f, 1, 32));
    line("most", cooperative(f, most, 1024));
    line("one more", cooperative(f, most + 1, 1024));
    line("many", cooperative(f, 1 << 24, 32));
    line("empty", cooperative(f, 0, 32));
    line("large block", cooperative(f, 1, 1025));
    line("NULL", cooperative(nullptr, 1, 32));
    line("synchronize", cu.cuCtxSynchronize());
  });
  rows.add(Start::SHARED, "cooperative with shared memory", [=](Line& line) {
    line("49153", cooperative(function("dynamic_shared"), 1, 32, 49153));
    line("much_shared", cooperative(function("much_shared"), 1000, 32));
  });
  for (int value : {0, 1, 2, -1})
    rows.add(Start::SHARED, "cooperative attribute " + std::to_string(value), [value](Line& line) {
      CUlaunchAttribute attribute{};
      attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
      attribute.value.cooperative = value;
      line(launch_with(function("nothing"), &attribute, 1));
      line("too large", launch_with(function("nothing"), &attribute, 1, 1 << 16));
    });
}

}  // namespace

void add_launch(Rows& rows) {
  rows.subject("launch");
  add_dimensions(rows);
  add_shared(rows);
  add_parameters(rows);
  add_launch_attributes(rows);
  add_launch_clusters(rows);
  add_cooperative(rows);
}

}  // namespace cucore::cpu::record
