#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Uses the jar as a user does: from an empty folder, with nothing of the build tree in sight.

  package.py JAVA JAVAC JAR -- COMMAND...    COMMAND makes the jar again, at the path @JAR@
"""
import filecmp
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = '''
import io.cucore.*;
import java.nio.file.Paths;
import java.util.List;
public class Use {
  public static void main(String[] args) {
    String source = "extern \\"C\\" __global__ void k(int *x) { *x += 1; }";
    // The cache's plug-ins and the batch's workers are in the jar, too.
    try (Program program = Program.ofCuda(source);
        Cache cache = new Cache(CacheOptions.builder().directory("").build());
        ObjectCode code = Program.compileBatch(List.of(BatchItem.of(program, CodeType.PTX)),
            BatchOptions.builder().cache(cache).build()).get(0).code();
        CudaDevice device = CudaDevice.first(); CudaStream stream = new CudaStream(device);
        CudaBuffer x = new CudaBuffer(device, 4, stream); Kernel k = code.kernel("k")) {
      cache.addRemote("file://" + Paths.get("").toAbsolutePath());
      x.fill(41, stream);
      k.launch(stream, LaunchConfig.of(1, 1), x);
      int[] result = new int[1];
      x.read(result, stream);
      System.out.print(result[0] + " " + Cucore.library(Library.DRIVER).path());
    }
  }
}
'''


class User:
    """An empty folder with the jar and a program in it, and a clean environment."""

    def __init__(self, folder, java, javac, jar):
        self.folder, self.java = folder, java
        shutil.copy(jar, folder / 'cucore.jar')
        (folder / 'Use.java').write_text(PROGRAM, encoding='utf-8')
        keep = {k: v for k, v in os.environ.items() if k in ('PATH', 'LANG', 'CUDA_HOME', 'CUDA_PATH', 'CUCORE_NVRTC')}
        self.environment = {**keep, 'HOME': str(folder), 'XDG_CACHE_HOME': str(folder / 'cache'), 'CUCORE_DRIVER': 'cpu'}
        subprocess.run([javac, '-Xlint:all', '-Werror', '-cp', 'cucore.jar', 'Use.java'], cwd=folder, check=True)

    def start(self, *jvm, **environment):
        return subprocess.Popen([self.java, *jvm, '-cp', 'cucore.jar:.', 'Use'], cwd=self.folder, text=True,
                                env={**self.environment, **environment}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def run(self, *jvm, **environment):
        """Runs the program; returns the folder of the native libraries."""
        output = self.start(*jvm, **environment).communicate(timeout=120)[0]
        assert output.startswith('42 '), output
        return Path(output[3:]).parent


def check_unpacking(user):
    both = [user.start(), user.start()]  # two at once unpack into one folder
    outputs = [each.communicate(timeout=120)[0] for each in both]
    assert all(o.startswith('42 ') for o in outputs), outputs
    place = Path(outputs[0][3:]).parent
    assert place.parent == user.folder / 'cache/cucore/java', place
    assert [p.name for p in place.parent.iterdir()] == [place.name], 'something is left of unpacking'
    stamp = (place / 'libcucorejni.so').stat().st_mtime_ns
    assert user.run() == place and (place / 'libcucorejni.so').stat().st_mtime_ns == stamp, 'unpacked once more'

    damaged = place / 'libcucorejni.so'
    damaged.write_bytes(damaged.read_bytes()[:1000])
    assert user.run() == place and damaged.stat().st_size > 100_000, 'a damaged library was used'


def check_other_places(user):
    chosen = user.run(f'-Dcucore.unpack.path={user.folder / "chosen"}')
    assert chosen.parent == user.folder / 'chosen', chosen
    # No home: a folder of the process, removed at its end.
    nowhere = user.run(f'-Djava.io.tmpdir={user.folder}', XDG_CACHE_HOME='/proc/none')
    assert nowhere.parent.parent == user.folder and not nowhere.exists(), nowhere
    # Libraries that are installed already, by name.
    assert user.run(f'-Dcucore.library.path={chosen}') == chosen


def main():
    split = sys.argv.index('--')
    java, javac, jar = sys.argv[1:split]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        user = User(folder, java, javac, jar)
        check_unpacking(user)
        check_other_places(user)
        again = folder / 'again.jar'
        subprocess.run([w.replace('@JAR@', str(again)) for w in sys.argv[split + 1:]], check=True)
        assert filecmp.cmp(jar, again, shallow=False), 'equal inputs gave another jar'
    print('the jar works by itself, from an empty folder; made again it is equal')


main()
