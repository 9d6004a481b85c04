// SPDX-License-Identifier: Apache-2.0
// Rows of function attributes and of occupancy.
#include "rows.hpp"

namespace cucore::cpu::record {
namespace {

constexpr auto DYNAMIC = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;

void get(Line& line, CUfunction f, int which) {
  int value = unset<int>();
  line(cu.cuFuncGetAttribute(&value, static_cast<CUfunction_attribute>(which), f));
  line.value("is", value);
}

void add_set(Rows& rows, const char* name, CUfunction_attribute which, std::vector<int> values,
             const char* kernel_name = "dynamic_shared") {
  for (int value : values)
    rows.add(Start::SHARED,
             std::string(name) + " of " + kernel_name + " to " + std::to_string(value),
             [=](Line& line) {
               CUfunction f = function(kernel_name);
               line(cu.cuFuncSetAttribute(f, which, value));
               get(line, f, which);
             });
}

void add_get(Rows& rows) {
  rows.subject("function attribute");
  for (const char* name : {"nothing", "at_most_64", "exactly_32", "much_shared", "clusters_of_2"})
    rows.add(Start::SHARED, std::string("all of ") + name, [name](Line& line) {
      CUfunction f = function(name);
      for (int which : {0, 1, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}) {
        int value = unset<int>();
        line(std::to_string(which).c_str(),
             cu.cuFuncGetAttribute(&value, static_cast<CUfunction_attribute>(which), f));
        line.value("is", value);
      }
    });
  rows.add(Start::SHARED, "constant memory of reads_scale", [](Line& line) {
    get(line, function("reads_scale"), CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES);
  });
  rows.add(Start::SHARED, "bad arguments", [](Line& line) {
    CUfunction f = function("nothing");
    int value = unset<int>();
    for (int which : {-1, 16, 1000})
      line(std::to_string(which).c_str(),
           cu.cuFuncGetAttribute(&value, static_cast<CUfunction_attribute>(which), f));
    line("NULL", cu.cuFuncGetAttribute(nullptr, DYNAMIC, f));
    line("NULL function", cu.cuFuncGetAttribute(&value, DYNAMIC, nullptr));
    line("set NULL function", cu.cuFuncSetAttribute(nullptr, DYNAMIC, 0));
    for (int which : {0, 1, 2, 3, 4, 5, 6, 7, 10, 16, -1})
      line(("set " + std::to_string(which)).c_str(),
           cu.cuFuncSetAttribute(f, static_cast<CUfunction_attribute>(which), 1));
    for (int config : {-1, 0, 3, 4})
      line(("cache " + std::to_string(config)).c_str(),
           cu.cuFuncSetCacheConfig(f, static_cast<CUfunc_cache>(config)));
    for (int config : {-1, 0, 2, 3})
      line(("banks " + std::to_string(config)).c_str(),
           cu.cuFuncSetSharedMemConfig(f, static_cast<CUsharedconfig>(config)));
  });
}

void add_sets(Rows& rows) {
  add_set(rows, "dynamic shared memory", DYNAMIC,
          {-1, 0, 1, 49151, 49152, 49153, 65536, 232447, 232448, 232449, 233472, 1 << 30});
  add_set(rows, "dynamic shared memory", DYNAMIC, {0, 8192, 8193, 191488, 191489}, "much_shared");
  add_set(rows, "carveout", CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
          {-2, -1, 0, 1, 50, 100, 101});
  add_set(rows, "cluster width", CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH,
          {-1, 0, 1, 2, 8, 9, 16, 17});
  add_set(rows, "cluster width", CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, {2, 4}, "clusters_of_2");
  add_set(rows, "other cluster sizes", CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
          {-1, 0, 1, 2});
  add_set(rows, "cluster policy", CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
          {-1, 0, 1, 2, 3});
  rows.add(Start::SHARED, "of a kernel handle", [](Line& line) {
    CUkernel k = kernel(load_library(), "dynamic_shared");
    int value = unset<int>();
    CUfunction f = nullptr;
    line("set", cu.cuKernelSetAttribute(DYNAMIC, 60000, k, 0));
    line("get", cu.cuKernelGetAttribute(&value, DYNAMIC, k, 0)).value("is", value);
    check(cu.cuKernelGetFunction(&f, k), "cuKernelGetFunction");
    get(line, f, DYNAMIC);
    line("set of the function", cu.cuFuncSetAttribute(f, DYNAMIC, 50000));
    line("get", cu.cuKernelGetAttribute(&value, DYNAMIC, k, 0)).value("is", value);
    line("device 1000", cu.cuKernelGetAttribute(&value, DYNAMIC, k, 1000));
    line("device -1", cu.cuKernelSetAttribute(DYNAMIC, 0, k, -1));
    line("too large", cu.cuKernelSetAttribute(DYNAMIC, 1 << 30, k, 0));
    line("NULL", cu.cuKernelGetAttribute(nullptr, DYNAMIC, k, 0));
    line("cache", cu.cuKernelSetCacheConfig(k, CU_FUNC_CACHE_PREFER_L1, 0));
    line("cache 9", cu.cuKernelSetCacheConfig(k, static_cast<CUfunc_cache>(9), 0));
  });
}

void blocks(Line& line, CUfunction f, int threads, size_t shared) {
  int count = unset<int>();
  line(cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(&count, f, threads, shared))
      .value("is", count);
}

void add_blocks(Rows& rows) {
  rows.subject("cuOccupancyMaxActiveBlocksPerMultiprocessor");
  for (int threads : {-1,  0,   1,   31,  32,  33,  64,   96,   128,  192,
                      256, 320, 384, 512, 640, 768, 1023, 1024, 1025, 4096})
    rows.add(Start::SHARED, "nothing, " + std::to_string(threads) + " threads",
             [threads](Line& line) { blocks(line, function("nothing"), threads, 0); });
  for (int shared : {1, 1024, 6144, 8192, 16384, 32768, 49152, 49153, 233472})
    rows.add(Start::SHARED, "dynamic_shared, 128 threads, " + std::to_string(shared) + " bytes",
             [shared](Line& line) { blocks(line, function("dynamic_shared"), 128, shared); });
  for (int shared : {65536, 100000, 115000, 116000, 232448})
    rows.add(Start::SHARED, "dynamic_shared with the opt-in, " + std::to_string(shared) + " bytes",
             [shared](Line& line) {
               CUfunction f = function("dynamic_shared");
               check(cu.cuFuncSetAttribute(f, DYNAMIC, 232448), "cuFuncSetAttribute");
               blocks(line, f, 128, shared);
             });
  for (int carveout : {0, 10, 50, 100})
    rows.add(Start::SHARED, "dynamic_shared with carveout " + std::to_string(carveout),
             [carveout](Line& line) {
               CUfunction f = function("dynamic_shared");
               check(cu.cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
                                           carveout),
                     "carveout");
               blocks(line, f, 128, 16384);
             });
  for (const char* name : {"at_most_64", "exactly_32", "much_shared", "clusters_of_2"})
    for (int threads : {32, 64, 128})
      rows.add(Start::SHARED, std::string(name) + ", " + std::to_string(threads) + " threads",
               [=](Line& line) { blocks(line, function(name), threads, 0); });
  rows.add(Start::SHARED, "bad arguments", [](Line& line) {
    CUfunction f = function("nothing");
    int count = unset<int>();
    line("NULL", cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, f, 32, 0));
    line("NULL function", cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(&count, nullptr, 32, 0));
    for (unsigned flags : {0u, 1u, 2u})
      line(("flags " + std::to_string(flags)).c_str(),
           cu.cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&count, f, 32, 0, flags));
    line("most shared", cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(&count, f, 32, SIZE_MAX))
        .value("is", count);
  });
}

void available(Line& line, CUfunction f, int count, int threads) {
  size_t bytes = unset<size_t>();
  line(cu.cuOccupancyAvailableDynamicSMemPerBlock(&bytes, f, count, threads)).value("bytes", bytes);
}

void add_available(Rows& rows) {
  rows.subject("cuOccupancyAvailableDynamicSMemPerBlock");
  for (int count : {-1, 0, 1, 2, 3, 4, 5, 8, 16, 17, 32, 33})
    rows.add(Start::SHARED, "dynamic_shared, " + std::to_string(count) + " blocks of 128",
             [count](Line& line) { available(line, function("dynamic_shared"), count, 128); });
  for (int count : {1, 2, 5, 6})
    rows.add(Start::SHARED, "much_shared, " + std::to_string(count) + " blocks of 128",
             [count](Line& line) { available(line, function("much_shared"), count, 128); });
  for (int threads : {-1, 0, 1024, 1025, 32})
    rows.add(Start::SHARED, "dynamic_shared, 2 blocks of " + std::to_string(threads),
             [threads](Line& line) { available(line, function("dynamic_shared"), 2, threads); });
  rows.add(Start::SHARED, "with the opt-in", [](Line& line) {
    CUfunction f = function("dynamic_shared");
    check(cu.cuFuncSetAttribute(f, DYNAMIC, 100000), "cuFuncSetAttribute");
    for (int count : {1, 2, 3}) available(line, f, count, 128);
  });
  rows.add(Start::SHARED, "NULL", [](Line& line) {
    size_t bytes = 0;
    line("output", cu.cuOccupancyAvailableDynamicSMemPerBlock(nullptr, function("nothing"), 1, 32));
    line("function", cu.cuOccupancyAvailableDynamicSMemPerBlock(&bytes, nullptr, 1, 32));
  });
}

size_t per_thread(int threads) { return static_cast<size_t>(threads) * 64; }

void add_potential(Rows& rows) {
  rows.subject("cuOccupancyMaxPotentialBlockSize");
  const struct {
    const char* name;
    CUoccupancyB2DSize size;
    size_t shared;
    int limit;
  } forms[] = {{"nothing", nullptr, 0, 0},
               {"nothing", nullptr, 0, 100},
               {"nothing", nullptr, 0, 1},
               {"nothing", nullptr, 0, -1},
               {"nothing", nullptr, 0, 5000},
               {"at_most_64", nullptr, 0, 0},
               {"exactly_32", nullptr, 0, 0},
               {"dynamic_shared", nullptr, 16384, 0},
               {"dynamic_shared", nullptr, 60000, 0},
               {"dynamic_shared", per_thread, 0, 0},
               {"much_shared", nullptr, 0, 0}};
  for (const auto& f : forms)
    rows.add(Start::SHARED,
             std::string(f.name) + ", " +
                 (f.size ? "64 bytes per thread" : std::to_string(f.shared) + " bytes") +
                 ", limit " + std::to_string(f.limit),
             [f](Line& line) {
               int grid = unset<int>(), block = unset<int>();
               line(cu.cuOccupancyMaxPotentialBlockSize(&grid, &block, function(f.name), f.size,
                                                        f.shared, f.limit));
               line.value("grid", grid).value("block", block);
             });
  rows.add(Start::SHARED, "NULL outputs", [](Line& line) {
    int grid = 0, block = 0;
    CUfunction f = function("nothing");
    line("grid", cu.cuOccupancyMaxPotentialBlockSize(nullptr, &block, f, nullptr, 0, 0));
    line("block", cu.cuOccupancyMaxPotentialBlockSize(&grid, nullptr, f, nullptr, 0, 0));
    line("function", cu.cuOccupancyMaxPotentialBlockSize(&grid, &block, nullptr, nullptr, 0, 0));
  });
}

void add_clusters(Rows& rows) {
  rows.subject("occupancy of clusters");
  for (unsigned width : {1u, 2u, 4u, 8u, 9u, 16u, 17u})
    rows.add(Start::SHARED, "nothing, " + std::to_string(width) + " blocks", [width](Line& line) {
      CUlaunchAttribute size{};
      size.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
      size.value.clusterDim.x = width;
      size.value.clusterDim.y = size.value.clusterDim.z = 1;
      CUlaunchConfig config{width, 1, 1, 128, 1, 1, 0, nullptr, &size, 1};
      int count = unset<int>();
      line(cu.cuOccupancyMaxActiveClusters(&count, function("nothing"), &config));
      line.value("any", static_cast<int>(count > 0));
    });
  rows.add(Start::SHARED, "largest cluster", [](Line& line) {
    CUlaunchConfig config{1, 1, 1, 128, 1, 1, 0, nullptr, nullptr, 0};
    CUfunction f = function("nothing");
    int size = unset<int>();
    line(cu.cuOccupancyMaxPotentialClusterSize(&size, f, &config)).value("is", size);
    check(cu.cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1),
          "non-portable");
    line("other sizes", cu.cuOccupancyMaxPotentialClusterSize(&size, f, &config)).value("is", size);
    line("NULL", cu.cuOccupancyMaxPotentialClusterSize(nullptr, f, &config));
    line("NULL configuration", cu.cuOccupancyMaxPotentialClusterSize(&size, f, nullptr));
  });
}

}  // namespace

void add_function(Rows& rows) {
  add_get(rows);
  add_sets(rows);
}

void add_occupancy(Rows& rows) {
  add_blocks(rows);
  add_available(rows);
  add_potential(rows);
  add_clusters(rows);
}

}  // namespace cucore::cpu::record
