/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of graphs_step(), by which another language captures or builds a graph. */
#ifndef OVERHEADS_GRAPH_STEPS_H
#define OVERHEADS_GRAPH_STEPS_H

enum graph_step {
  GRAPH_STEP_BEGIN = 0,     /* begins a capture */
  GRAPH_STEP_LAUNCH = 1,    /* launches the kernel */
  GRAPH_STEP_END = 2,       /* ends the capture, and keeps its graph */
  GRAPH_STEP_CREATE = 3,    /* keeps a new graph */
  GRAPH_STEP_ADD_FIRST = 4, /* adds a kernel after no node */
  GRAPH_STEP_ADD = 5,       /* adds a kernel after the last one */
  GRAPH_STEP_RELEASE = 6,   /* releases the kept graph */
  GRAPH_STEP_SYNCHRONIZE = 7
};

#endif
