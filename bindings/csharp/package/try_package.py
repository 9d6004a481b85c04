#!/usr/bin/env python3
"""Uses the package as a stranger would: try_package.py PACKAGE MCS MONO [NUGET]

In an empty folder: the package is installed, a program is compiled against what it brought, the native
libraries go beside it as Cucore.targets says, and it runs with nothing of the build tree in the environment.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PROGRAM = '''using System;
using System.Linq;
using Cucore;

static class Stranger {
  static int Main() {
    const string source = @"extern ""C"" __global__ void scale(float a, float *p) { p[threadIdx.x] *= a; }";
    float[] data = { 1, 2, 3, 4 };
    using (var device = new CudaDevice())
    using (var stream = new CudaStream(device))
    using (var cache = new Cache(""))
    using (var code = ObjectCode.Load(Program.CompileBatch(new[] { new BatchItem(new Program(source)) })[0].Code.ToBytes()))
    using (var buffer = new CudaBuffer(device, 16, stream)) {
      cache.AddRemote("file://" + AppDomain.CurrentDomain.BaseDirectory);
      buffer.Write(data, stream);
      code.GetKernel("scale").Launch(stream, new LaunchConfig(1, 4), 3f, buffer);
      Console.WriteLine(string.Join(" ", buffer.ToArray<float>(stream)));
    }
    try {
      new Program("nonsense").Compile();
    } catch (CompilationException e) {
      Console.WriteLine(e.Diagnostics[0].Severity);
    }
    return 0;
  }
}
'''
# The program's own libraries must be found beside it, and nowhere else.
CLEAN = {k: v for k, v in os.environ.items() if k not in ('LD_LIBRARY_PATH', 'MONO_PATH') and not k.startswith('CUCORE_')}


def install(package, folder, nuget):
    if nuget:
        # With a framework: System.Memory is for others, and is not asked for.
        config = f'<packages><package id="Cucore" version="{package.stem.split(".", 1)[1]}" targetFramework="net472" /></packages>'
        (folder / 'packages.config').write_text(config)
        subprocess.run([nuget, 'install', 'packages.config', '-Source', package.parent, '-OutputDirectory', folder, '-NonInteractive'],
                       check=True, cwd=folder, env=CLEAN, stdout=subprocess.DEVNULL)
        return next(folder.glob('Cucore.*'))
    zipfile.ZipFile(package).extractall(folder / 'Cucore')
    return folder / 'Cucore'


def main(package, mcs, mono, nuget=None):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        here = install(Path(package).resolve(), folder, nuget)
        app = folder / 'app'
        app.mkdir()
        for file in [here / 'lib/net472/Cucore.dll', *(here / 'runtimes/linux-x64/native').iterdir()]:
            shutil.copy(file, app)
        (app / 'cucore-worker').chmod(0o755)  # as Cucore.targets does
        (app / 'stranger.cs').write_text(PROGRAM)
        subprocess.run([mcs, '-nologo', '-r:Cucore.dll', '-out:stranger.exe', 'stranger.cs'], check=True, cwd=app, env=CLEAN)
        done = subprocess.run([mono, 'stranger.exe'], cwd=app, env={**CLEAN, 'CUCORE_DRIVER': 'cpu'}, text=True, capture_output=True)
        assert done.stdout.split() == ['3', '6', '9', '12', 'Error'] and done.returncode == 0, done.stdout + done.stderr
        maps = sorted(p.name for p in app.iterdir())
        print('used from an empty folder, with', ', '.join(maps))


main(*sys.argv[1:])
