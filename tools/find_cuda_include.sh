#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints the folder of cuda.h: $CUDA_HOME, $CUDA_PATH, /usr/local/cuda, then NVIDIA's Python wheels, those of ./run first.
for root in "$CUDA_HOME" "$CUDA_PATH" /usr/local/cuda; do
  [ -n "$root" ] && [ -f "$root/include/cuda.h" ] && { echo "$root/include"; exit 0; }
done
for header in "$(dirname "$0")"/../.cache/cuda/lib/python3*/site-packages/nvidia/cu13/include/cuda.h; do
  [ -f "$header" ] && { realpath "$(dirname "$header")"; exit 0; }
done
for header in $(python3 -c 'import sys; print("\n".join(sys.path))' 2>/dev/null |
                sed 's,$,/nvidia/*/include/cuda.h,'); do
  [ -f "$header" ] && { dirname "$header"; exit 0; }
done
echo "cuda.h was not found: set CUDA_HOME to a CUDA toolkit (13.0 or newer), or run ./run demo, which installs one" >&2
exit 1
