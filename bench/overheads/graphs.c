/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of graphs.py in C: each as calls of the driver alone, and as calls of cucore.h. A function repeats its row
   and returns the nanoseconds of one, or a negative number if a call failed. The first one is not timed, because it
   finds the device idle. */
#define _POSIX_C_SOURCE 200809L

#include <string.h>

#include "clock.h"
#include "graph_steps.h"
#include "world.h"

#define MOST 1000 /* nodes */

#define GRAPH_CALLS(X) \
  X(cuStreamBeginCapture, 10010) X(cuStreamEndCapture, 10000) X(cuGraphCreate, 10000) \
  X(cuGraphAddKernelNode, 12000) X(cuGraphDestroy, 10000) X(cuGraphExecDestroy, 10000) X(cuGraphLaunch, 10000) \
  X(cuGraphExecUpdate, 12000) X(cuGraphInstantiateWithFlags, 11040) X(cuLaunchKernelEx, 12000) X(cuKernelGetFunction, 12000)
#define DECLARE_CALL(name, version) static __typeof__(&name) bare_##name;
GRAPH_CALLS(DECLARE_CALL)

/* A graph of `size` kernels in a row, and two executables of it, for both ways. */
struct chain {
  int size;
  CUgraph bare_graph;
  CUgraphExec bare_executable;
  cucore_graph *graph;
  cucore_executable *executable;
};
static struct chain chains[] = {{.size = 1}, {.size = 100}, {.size = MOST}};
#define CHAINS (sizeof chains / sizeof *chains)
#define LARGEST (&chains[CHAINS - 1])

/* The function of the kernel in the context. The driver takes it in less time than the kernel. */
static CUfunction bare_function;

/* A launch with its arguments. Both ways describe it once for a graph, and not for each node. */
#define BARE_LAUNCH_OF(type)                                   \
  type launch;                                                 \
  float a = 1;                                                 \
  uint64_t address = cucore_buffer_address(world.buffer);      \
  int32_t n = 0;                                               \
  void *values[] = {&a, &address, &n};                         \
  memset(&launch, 0, sizeof launch);                           \
  launch.gridDimX = launch.gridDimY = launch.gridDimZ = 1;     \
  launch.blockDimX = launch.blockDimY = launch.blockDimZ = 1

/* Launches the kernel, or the function if it is not NULL. */
static int build_bare(int size, CUfunction function, CUgraph *graph) {
  BARE_LAUNCH_OF(CUDA_KERNEL_NODE_PARAMS);
  CUgraphNode node = NULL;
  int bad = FAILED(bare_cuGraphCreate(graph, 0));
  launch.kern = function ? NULL : world.bare_kernel;
  launch.func = function;
  launch.kernelParams = values;
  for (int i = 0; !bad && i < size; ++i) {
    const CUgraphNode before = node;
    bad = FAILED(bare_cuGraphAddKernelNode(&node, *graph, i ? &before : NULL, i != 0, &launch));
  }
  return bad;
}

static int capture_bare(CUfunction function, CUgraph *graph) {
  BARE_LAUNCH_OF(CUlaunchConfig);
  int bad = FAILED(bare_cuStreamBeginCapture(world.bare_stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  launch.hStream = world.bare_stream;
  for (int i = 0; !bad && i < MOST; ++i)
    bad = FAILED(bare_cuLaunchKernelEx(&launch, function, values, NULL));
  return bad || FAILED(bare_cuStreamEndCapture(world.bare_stream, graph));
}

static int update_bare(const struct chain *chain) {
  CUgraphExecUpdateResultInfo result;
  return FAILED(bare_cuGraphExecUpdate(chain->bare_executable, chain->bare_graph, &result));
}

/* The arguments of a kernel; the graph keeps the buffer. */
#define ARGUMENTS                                                             \
  const float a = 1;                                                          \
  const int32_t n = 0;                                                        \
  const cucore_argument arguments[] = {                                       \
      CUCORE_ARGUMENT(a), {world.buffer, CUCORE_ARGUMENT_OBJECT}, CUCORE_ARGUMENT(n)}; \
  cucore_launch_options options = CUCORE_LAUNCH_OPTIONS_INIT;                 \
  cucore_error *error = NULL;                                                 \
  options.grid[0] = options.block[0] = 1

static int launch_held(void) {
  ARGUMENTS;
  return refused(cucore_kernel_launch(world.kernel, world.stream, &options, arguments, 3, &error), error);
}

static int build_c(int size, cucore_graph **graph) {
  ARGUMENTS;
  cucore_node node;
  int bad = refused(cucore_graph_create(world.device, graph, &error), error);
  for (int i = 0; !bad && i < size; ++i) {
    const cucore_node before = node;
    bad = refused(cucore_graph_add_kernel(*graph, i ? &before : NULL, i != 0, world.kernel, &options, arguments, 3, &node, &error), error);
  }
  return bad;
}

static int capture_c(cucore_graph **graph) {
  ARGUMENTS;
  int bad = refused(cucore_stream_begin_capture(world.stream, NULL, &error), error);
  for (int i = 0; !bad && i < MOST; ++i)
    bad = refused(cucore_kernel_launch(world.kernel, world.stream, &options, arguments, 3, &error), error);
  return bad || refused(cucore_stream_end_capture(world.stream, graph, &error), error);
}

/* Needs overheads_open(). Returns 0 if all is well. */
EXPORT int graphs_open(void) {
  cucore_error *error = NULL;
#define FIND_CALL(name, version) \
  if (!(*(void **)&bare_##name = driver_call(#name, version))) return 1;
  GRAPH_CALLS(FIND_CALL)
  if (FAILED(bare_cuKernelGetFunction(&bare_function, world.bare_kernel))) return 1;
  for (struct chain *chain = chains; chain < chains + CHAINS; ++chain)
    if (build_bare(chain->size, NULL, &chain->bare_graph) ||
        FAILED(bare_cuGraphInstantiateWithFlags(&chain->bare_executable, chain->bare_graph, 0)) ||
        build_c(chain->size, &chain->graph) ||
        refused(cucore_executable_create(chain->graph, NULL, &chain->executable, &error), error))
      return 1;
  return 0;
}

/* Defines a function that repeats `body`, which sets `bad` if a call fails, and one that runs it once: the call that
   another language makes. */
#define GRAPH_ROW(name, body)                         \
  EXPORT int name##_once(void) {                      \
    int bad = 0;                                      \
    body                                              \
    return bad;                                       \
  }                                                   \
  EXPORT double name(int count) {                     \
    int bad = 0;                                      \
    body                                              \
    const double began = now();                       \
    for (int i = 0; i < count; ++i) body              \
    const double took = (now() - began) / count;      \
    return synchronize_both() || bad ? -1 : took;     \
  }

#define BARE_LAUNCH(chain) FAILED(bare_cuGraphLaunch((chain)->bare_executable, world.bare_stream))
#define C_LAUNCH(chain) (cucore_executable_launch((chain)->executable, world.stream, NULL) != CUCORE_OK)
#define C_UPDATE(chain) (cucore_executable_update((chain)->executable, (chain)->graph, NULL, NULL) != CUCORE_OK)

GRAPH_ROW(bare_graph_launch_1, { bad |= BARE_LAUNCH(&chains[0]); })
GRAPH_ROW(c_graph_launch_1, { bad |= C_LAUNCH(&chains[0]); })
GRAPH_ROW(bare_graph_launch_100, { bad |= BARE_LAUNCH(&chains[1]); })
GRAPH_ROW(c_graph_launch_100, { bad |= C_LAUNCH(&chains[1]); })
GRAPH_ROW(bare_graph_launch_1000, { bad |= BARE_LAUNCH(LARGEST); })
GRAPH_ROW(c_graph_launch_1000, { bad |= C_LAUNCH(LARGEST); })
GRAPH_ROW(bare_graph_capture, {
  CUgraph graph = NULL;
  bad |= capture_bare((CUfunction)world.bare_kernel, &graph) || FAILED(bare_cuGraphDestroy(graph));
})
GRAPH_ROW(function_graph_capture, {
  CUgraph graph = NULL;
  bad |= capture_bare(bare_function, &graph) || FAILED(bare_cuGraphDestroy(graph));
})
GRAPH_ROW(c_graph_capture, {
  cucore_graph *graph = NULL;
  bad |= capture_c(&graph);
  cucore_graph_release(graph);
})
GRAPH_ROW(bare_graph_build, {
  CUgraph graph = NULL;
  bad |= build_bare(MOST, NULL, &graph) || FAILED(bare_cuGraphDestroy(graph));
})
GRAPH_ROW(function_graph_build, {
  CUgraph graph = NULL;
  bad |= build_bare(MOST, bare_function, &graph) || FAILED(bare_cuGraphDestroy(graph));
})
GRAPH_ROW(c_graph_build, {
  cucore_graph *graph = NULL;
  bad |= build_c(MOST, &graph);
  cucore_graph_release(graph);
})
GRAPH_ROW(bare_graph_create, {
  CUgraphExec executable = NULL;
  bad |= FAILED(bare_cuGraphInstantiateWithFlags(&executable, LARGEST->bare_graph, 0)) || FAILED(bare_cuGraphExecDestroy(executable));
})
GRAPH_ROW(c_graph_create, {
  cucore_executable *executable = NULL;
  bad |= cucore_executable_create(LARGEST->graph, NULL, &executable, NULL) != CUCORE_OK;
  cucore_executable_release(executable);
})
GRAPH_ROW(bare_graph_update_1, { bad |= update_bare(&chains[0]); })
GRAPH_ROW(c_graph_update_1, { bad |= C_UPDATE(&chains[0]); })
GRAPH_ROW(bare_graph_update_1000, { bad |= update_bare(LARGEST); })
GRAPH_ROW(c_graph_update_1000, { bad |= C_UPDATE(LARGEST); })
GRAPH_ROW(bare_graph_plain, {
  for (int k = 0; k < 100; ++k) bad |= launch_bare();
  bad |= synchronize_both();
})
GRAPH_ROW(c_graph_plain, {
  for (int k = 0; k < 100; ++k) bad |= launch_held();
  bad |= synchronize_both();
})
GRAPH_ROW(bare_graph_whole, { bad |= BARE_LAUNCH(&chains[1]) || synchronize_both(); })
GRAPH_ROW(c_graph_whole, { bad |= C_LAUNCH(&chains[1]) || synchronize_both(); })

static cucore_graph *graph_of_steps;
static cucore_node last_of_steps;

static int add_step(int is_first) {
  ARGUMENTS;
  const cucore_node before = last_of_steps;
  return refused(cucore_graph_add_kernel(graph_of_steps, is_first ? NULL : &before, !is_first, world.kernel, &options, arguments, 3,
                                         &last_of_steps, &error), error);
}

/* Makes one of the calls of which a capture and a graph by hand consist. Returns 0 after a success. */
EXPORT int graphs_step(int step) {
  cucore_error *error = NULL;
  switch (step) {
    case GRAPH_STEP_BEGIN: return refused(cucore_stream_begin_capture(world.stream, NULL, &error), error);
    case GRAPH_STEP_LAUNCH: return launch_held();
    case GRAPH_STEP_END: return refused(cucore_stream_end_capture(world.stream, &graph_of_steps, &error), error);
    case GRAPH_STEP_CREATE: return refused(cucore_graph_create(world.device, &graph_of_steps, &error), error);
    case GRAPH_STEP_ADD_FIRST: return add_step(1);
    case GRAPH_STEP_ADD: return add_step(0);
    case GRAPH_STEP_RELEASE: cucore_graph_release(graph_of_steps); return 0;
    case GRAPH_STEP_SYNCHRONIZE: return refused(cucore_stream_synchronize(world.stream, &error), error);
    default: return failed_bare(1, "a step without a number");
  }
}
