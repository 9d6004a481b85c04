#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Uses the jar as a user does: from an empty folder, with nothing of the build tree in sight.

  package.py JAVA JAVAC JAR -- COMMAND...    COMMAND makes the jar again, at the path @JAR@
"""
import filecmp
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
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


# The library in several class loaders, of which some are gone. Each compiles, launches, awaits and fails.
LOADERS = """
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Paths;
import java.util.concurrent.Callable;
public class Loaders {
  static final class Deployed {
    private final URLClassLoader loader;
    private final Callable<?> work;
    Deployed() throws Exception {
      URL[] places = {Paths.get("cucore.jar").toUri().toURL(), Paths.get("work/").toUri().toURL()};
      loader = new URLClassLoader(places, ClassLoader.getPlatformClassLoader());
      work = (Callable<?>) loader.loadClass("Work").getConstructor().newInstance();
    }
    void work() throws Exception {
      Object result = work.call();
      if (!result.equals("42")) throw new AssertionError(result);
    }
    void close() throws Exception { loader.close(); }
  }
  // A method of its own, so that no local variable keeps the loader.
  static WeakReference<?> drop(Deployed[] all, int which) throws Exception {
    WeakReference<?> gone = new WeakReference<>(all[which].loader);
    all[which].close();
    all[which] = null;
    return gone;
  }
  static void awaitUnloading(WeakReference<?> gone) throws Exception {
    for (int i = 0; gone.get() != null; ++i) {
      if (i == 600) throw new AssertionError("the class loader stays alive");
      System.gc();
      Thread.sleep(50);
    }
  }
  public static void main(String[] args) throws Exception {
    Deployed[] all = {new Deployed(), new Deployed(), null, null};
    all[0].work();
    all[1].work();
    all[0].work();
    awaitUnloading(drop(all, 0));
    all[1].work();
    all[2] = new Deployed();
    all[2].work();
    all[1].work();
    awaitUnloading(drop(all, 1));
    awaitUnloading(drop(all, 2));
    all[3] = new Deployed();
    all[3].work();
    System.out.print("all worked");
  }
}
"""
WORK = """
import io.cucore.*;
import io.cucore.array.*;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
public class Work implements Callable<String> {
  @Override public String call() throws Exception {
    String source = "extern \\"C\\" __global__ void k(int *x) { *x += 1; }";
    try (Program program = Program.ofCuda(source); ObjectCode code = program.compile(CodeType.PTX);
        CudaDevice device = CudaDevice.first(); CudaStream stream = new CudaStream(device);
        CudaBuffer x = new CudaBuffer(device, 4, stream); Kernel k = code.kernel("k")) {
      x.fill(41, stream);
      k.launch(stream, LaunchConfig.of(1, 1), x);
      stream.completion().get(60, TimeUnit.SECONDS);
      new CudaEvent(device); // for the cleaner
      int[] result = new int[1];
      x.read(result, stream);
      if (arrays() != 14) return "the sum is " + arrays();
      try {
        new CudaDevice(77);
        return "device 77";
      } catch (InvalidArgumentException e) { // of this loader
        return "" + result[0];
      }
    }
  }
  static long arrays() { // some are closed, some are for the cleaner
    NdArray x = NdArray.of(new int[] {1, 2, 3});
    try (CudaDevice device = CudaDevice.first(); Context context = new Context(device)) {
      try (Scope scope = new Scope(context)) {
        Nd.zeros(DType.FLOAT32, 10).sum().item();
        scope.keep(Nd.zeros(DType.FLOAT32, 10));
      }
    }
    return x.multiply(x).sum().item().longValue();
  }
}
"""
# The bytes that a start has read.
START = """
public class Start {
  public static void main(String[] args) throws Exception {
    if (args.length != 0) io.cucore.Cucore.version();
    System.out.print(new String(new java.io.FileInputStream("/proc/self/io").readAllBytes()).split("\\\\s+")[1]);
  }
}
"""


class User:
    """An empty folder with the jar and a program in it, and a clean environment."""

    def __init__(self, folder, java, javac, jar):
        self.folder, self.java = folder, java
        shutil.copy(jar, folder / 'cucore.jar')
        keep = {k: v for k, v in os.environ.items() if k in ('PATH', 'LANG', 'CUDA_HOME', 'CUDA_PATH', 'CUCORE_NVRTC')}
        self.environment = {**keep, 'HOME': str(folder), 'XDG_CACHE_HOME': str(folder / 'cache'), 'CUCORE_DRIVER': 'cpu'}
        self.compile(javac, '.', Use=PROGRAM, Loaders=LOADERS, Start=START)
        self.compile(javac, 'work', Work=WORK)

    def compile(self, javac, place, **programs):
        for name, text in programs.items():
            (self.folder / f'{name}.java').write_text(text, encoding='utf-8')
        subprocess.run([javac, '-Xlint:all', '-Werror', '-cp', 'cucore.jar', '-d', place, *(f'{n}.java' for n in programs)],
                       cwd=self.folder, check=True)

    def start(self, *jvm, program='Use', arguments=(), **environment):
        return subprocess.Popen([self.java, *jvm, '-cp', 'cucore.jar:.', program, *arguments], cwd=self.folder, text=True,
                                env={**self.environment, **environment}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def output(self, *jvm, **how):
        return self.start(*jvm, **how).communicate(timeout=120)[0]

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
    whole = damaged.read_bytes()
    damaged.write_bytes(whole[:1000])
    assert user.run() == place and damaged.read_bytes() == whole, 'a damaged library was used'
    check_stamps(user, damaged, whole)


def check_stamps(user, file, whole):
    """A start compares times, and the checksum where the time differs or others can write."""
    stamp = file.stat().st_mtime_ns
    os.utime(file)  # as after a copy of the home folder
    assert user.run() == file.parent and file.stat().st_mtime_ns == stamp, 'an undamaged file was not stamped again'
    changed = whole[:-1] + bytes([whole[-1] ^ 1])
    file.write_bytes(changed)
    assert user.run() == file.parent and file.read_bytes() == whole, 'a changed library of the same size was used'
    for folder in (file.parent, file.parent.parent, file):
        file.write_bytes(changed)
        os.utime(file, ns=(stamp, stamp))  # as another user would do
        mode = folder.stat().st_mode
        folder.chmod(mode | 0o022)
        assert user.run() == file.parent and file.read_bytes() == whole, f'the stamp was believed in {folder}, to which others can write'
        folder.chmod(mode & 0o7755)


def check_start(user):
    """A start unpacks two libraries and reads none of them; the first use of the others unpacks those."""
    assert user.output(program='Start', arguments=['version'], XDG_CACHE_HOME=str(user.folder / 'first')).isdigit()
    place, = (user.folder / 'first/cucore/java').iterdir()
    names = sorted(p.name for p in place.iterdir())
    assert names[1:] == ['libcucorejni.so'] and names[0].startswith('libcucore.so.'), names
    read = [int(user.output(program='Start', arguments=a, XDG_CACHE_HOME=str(user.folder / 'first'))) for a in ([], ['version'])]
    assert read[1] - read[0] < 1_000_000, f'a start reads {read[1] - read[0]} bytes'
    user.run(XDG_CACHE_HOME=str(user.folder / 'first'))
    names = {p.name for p in place.iterdir()}
    assert {'libcucore-cpu.so', 'cucore-worker', 'cucore-remote-directory.so'} < names and not any('unpack' in n for n in names), names


def check_loaders(user, place):
    for jvm in ([], ['-Xcheck:jni'], [f'-Dcucore.library.path={place}']):
        output = user.output(*jvm, program='Loaders')
        assert output.endswith('all worked') and 'WARNING' not in output, f'{jvm}: {output}'
    assert not [p for p in place.iterdir() if p.name.startswith('.')], 'a copy is left of a class loader'


def check_missing_platform(user):
    """The message is that of docs/java.md, with the platforms that this jar has."""
    output = user.output('-Dos.arch=riscv64', program='Start', arguments=['version'])
    with zipfile.ZipFile(user.folder / 'cucore.jar') as jar:
        platforms = sorted({n.split('/')[1] for n in jar.namelist() if n.startswith('native/') and n.count('/') == 2})
    page = (Path(__file__).resolve().parents[3] / 'docs/java.md').read_text(encoding='utf-8')
    shown, = re.findall(r'^the jar of cucore has no native library .*', page, re.M)
    listed = re.search('expected one of: (.*?);', shown)[1]
    assert set(platforms) <= set(listed.split(', ')), f'docs/java.md lists {listed}; the jar has {platforms}'
    assert shown.replace(listed, ', '.join(platforms)) in output, f'{output}; expected {shown}'


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
        check_start(user)
        check_unpacking(user)
        check_other_places(user)
        check_loaders(user, user.run())
        check_missing_platform(user)
        again = folder / 'again.jar'
        subprocess.run([w.replace('@JAR@', str(again)) for w in sys.argv[split + 1:]], check=True)
        assert filecmp.cmp(jar, again, shallow=False), 'equal inputs gave another jar'
    print('the jar works by itself, from an empty folder; made again it is equal')


main()
