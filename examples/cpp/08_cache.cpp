// SPDX-License-Identifier: Apache-2.0
// 08: compile once: threads, processes and languages share a cache. Needs no device.
#include <cucore.hpp>
#include <iostream>

const char source[] = "template <class T> __global__ void saxpy(T a, const T *x, T *y) { *y += a * *x; }\n";
const char *const outcomes[] = {"nothing", "from memory", "from disk", "from a remote", "another thread's",
                                "built", "built, not stored", "built without a look"};
const char *text(cucore::CacheOutcome outcome) { return outcomes[static_cast<int>(outcome)]; }

int main() try {
  // snippet: cache
  cucore::CacheOptions options;
  options.directory = "";  // only in memory; by default in $CUCORE_CACHE_DIR or ~/.cache/cucore
  const auto cache = cucore::Cache::open(options);
  cucore::ProgramOptions how;
  how.name = "saxpy.cu";
  how.arch = "compute_80";
  const auto program = cucore::Program::create(source, how);
  cucore::CacheOutcome first{}, second{}, own{};
  const auto code = cache.compile(program, cucore::CodeType::ptx, {"saxpy<float>"}, &first);
  const auto again = cache.compile(program, cucore::CodeType::ptx, {"saxpy<float>"}, &second);

  const cucore::CacheKey key = {1, 4};  // usually a digest of all inputs of the result
  const auto build = [&] { return program.compile(cucore::CodeType::ptx, {"saxpy<double>"}); };
  // runs once, however many threads request it
  const auto mine = cache.get_or_build(key, build, &own);
  // end of snippet
  std::cout << "first " << text(first) << ", then " << text(second) << "; under a key of one's own " << text(own)
            << '\n'
            << "saxpy<int>: " << cache.explain_miss(program, cucore::CodeType::ptx, {"saxpy<int>"}) << '\n'
            << "builds: " << cache.statistics().builds << ", hits in memory: " << cache.statistics().hits_memory << "\n";
  return second != cucore::CacheOutcome::hit_memory || code != again || !mine;
} catch (const cucore::Error &error) {
  std::cerr << error.what() << '\n' << error.log();
  return 1;
}
