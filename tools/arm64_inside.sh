#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The part of arm64.sh in the chroot: sources in /src, headers of CUDA in /cuda, the build in /build.
set -eu
cd /src
[ -f /build/build.ninja ] ||
  meson setup /build --cross-file tools/cross/aarch64-linux-gnu.ini --cross-file tools/cross/qemu-aarch64.ini \
    -Dtoolkit_include=/cuda -Dbench=false -Dpython=disabled -Djava=disabled -Dcsharp=disabled \
    -Dunity=on -Dunity_size=100 -Dc_args=-g1 -Dcpp_args=-g1
# All libraries and programs that an installation has, and what the tests of the C API need.
libraries=$(ninja -C /build -t targets all | sed -n 's,^\(src/.*\.so[.0-9]*\): cpp_LINKER$,\1,p')
ninja -C /build -j "$(nproc)" $libraries src/programs/cli/cucore src/programs/worker/cucore-worker \
  $(python3 -B tools/suite_targets.py /build capi)

# The root of this chroot has the arm64 libraries and their loader.
emulate() { nice qemu-aarch64 -L / "$@"; }
cd /build/tests/capi

echo "== The CPU device runs a kernel"
cat > /tmp/sevens.ptx <<'PTX'
.version 8.0
.target sm_80
.address_size 64
.visible .entry sevens(.param .u64 out) {
  .reg .b32 %r<3>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd1, %rd1, %rd2;
  mov.u32 %r2, 7;
  st.global.u32 [%rd1], %r2;
  ret;
}
PTX
CUCORE_DRIVER=cpu emulate /build/src/programs/cli/cucore run /tmp/sevens.ptx -b 64 --arg buf:u32:64:zero --expect 0=7 --print 2

echo "== The C API on the scripted driver"
# Tests that start themselves as a new process cannot run, because the kernel of the machine does not start programs of
# arm64. One further test allows a call 20 ms, which the emulator exceeds, and one waits actively 3000 times.
processes='*DeathTest.*:ProcessExit.*:CompletionExit.*:CompletionPriority.*'
slow=Unloads.OnlyAfterTheKernelsHaveRun:Futures.WhoHasTheCompletionFindsTheOutcome
export CUCORE_TEST_NEEDS_DEVICE=1 CUCORE_WORKER=/build/src/programs/worker/cucore-worker CUCORE_TEST_PAGES=/src/docs
export CUCORE_DRIVER=/build/tests/fakes/fake_driver.so CUCORE_NVRTC=/build/tests/fakes/fake_nvrtc.so CUCORE_REUSE_RESULTS=off
emulate ./capi_tests --gtest_brief=1 --gtest_filter="-$processes:$slow"
