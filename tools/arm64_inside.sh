#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The parts of arm64.sh in the chroot: sources in /src, headers of CUDA in /cuda, the build in /build.
set -eu
cd /src
cross="--cross-file /src/tools/cross/aarch64-linux-gnu.ini --cross-file /src/tools/cross/qemu-aarch64.ini"

# The root of this chroot has the arm64 libraries and their loader.
emulate() { nice qemu-aarch64 -L / "$@"; }

configure() {
  [ -f /build/build.ninja ] ||
    meson setup /build $cross --buildtype=release -Dtoolkit_include=/cuda -Dbench=false \
      -Dpython=disabled -Djava=enabled -Dcsharp=enabled -Dunity=on -Dunity_size=100
}

build() { ninja -C /build -j "$(nproc)" "$@"; }

# All libraries that an installation has, those of Java and C# too.
libraries() { ninja -C /build -t targets all | sed -n 's,^\(\(src\|bindings\)/.*\.so[.0-9]*\): cpp_LINKER$,\1,p'; }

natives() {
  configure
  build $(libraries) src/programs/worker/cucore-worker
  python3 -B tools/packages/natives.py /build /natives/linux-aarch64 aarch64-linux-gnu-strip
}

# The settings of Python for arm64 are in its own packages; the modules have the names and the tag of that machine.
wheel() {
  rm -rf /raw /dist /wheel  # meson-python keeps the options of a folder that exists; ccache has its objects
  _PYTHON_SYSCONFIGDATA_NAME=_sysconfigdata__aarch64-linux-gnu _PYTHON_HOST_PLATFORM=linux-aarch64 PYTHONPATH=/src/tools/cross/python \
    python3 -m build --wheel --no-isolation --outdir /raw -Cbuilddir=/wheel -Csetup-args="-Dtoolkit_include=/cuda" \
    $(for word in $cross; do echo "-Csetup-args=$word"; done) .
  python3 -B tools/packages/wheel.py repair /raw/cucore-*.whl /dist
  python3 -B tools/packages/wheel.py check /dist/cucore-*.whl
}

command() {
  configure
  build src/programs/cli/cucore src/cpu/driver/libcucore-cpu.so.0
  echo "== The CPU device runs a kernel"
  CUCORE_DRIVER=cpu emulate /build/src/programs/cli/cucore run tests/arm64/sevens.ptx -b 64 --arg buf:u32:64:zero --expect 0=7 --print 2
}

capi() {
  configure
  build $(libraries) src/programs/cli/cucore src/programs/worker/cucore-worker $(python3 -B tools/suite_targets.py /build capi)
  cd /build/tests/capi
  echo "== The C API on the scripted driver"
  # Tests that start themselves as a new process cannot run, because the kernel of the machine does not start programs of
  # arm64. One further test allows a call 20 ms, which the emulator exceeds, and one waits actively 3000 times.
  processes='*DeathTest.*:ProcessExit.*:CompletionExit.*:CompletionPriority.*'
  slow=Unloads.OnlyAfterTheKernelsHaveRun:Futures.WhoHasTheCompletionFindsTheOutcome
  export CUCORE_TEST_NEEDS_DEVICE=1 CUCORE_WORKER=/build/src/programs/worker/cucore-worker CUCORE_TEST_PAGES=/src/docs
  export CUCORE_DRIVER=/build/tests/fakes/fake_driver.so CUCORE_NVRTC=/build/tests/fakes/fake_nvrtc.so CUCORE_REUSE_RESULTS=off
  emulate ./capi_tests --gtest_brief=1 --gtest_filter="-$processes:$slow"
}

for part in "$@"; do
  case $part in
    natives | wheel | command | capi) (set -e; $part) ;;
    use) python3 -B tests/arm64/use.py /packages /arm64 ;;
    *) echo "arm64_inside.sh: '$part' is not a part; expected natives, wheel, command, capi or use" >&2; exit 2 ;;
  esac
done
