# SPDX-License-Identifier: Apache-2.0
"""The cache and batches. See docs/cache.md."""
import concurrent.futures
import gc
import hashlib
import os
import subprocess
import sys
import threading
import time
import weakref

import numpy as np
import pytest

import cucore
from conftest import SOURCE, run_python
from cucore import CacheOutcome, CodeType
from test_threads import run_threads

SMALL = 'extern "C" __global__ void k(int *out) { out[threadIdx.x] = %d; }\n'
KEY = hashlib.sha256(b"a key").digest()


def small(number=1, **options):
    return cucore.Program(SMALL % number, **{"arch": "compute_80", "name": f"small{number}.cu", **options})


def slow(lines):
    """Source that the compiler takes some time for."""
    text = "".join(f"x[{j}] = sin(x[{j + 1}]) * cos(x[{j + 2}]) + pow(x[{j + 3}], x[{j}]);\n" for j in range(lines))
    return cucore.Program(f'extern "C" __global__ void k(double *x) {{\n{text}}}\n', name="slow.cu", arch="compute_80")


@pytest.fixture()
def cache(tmp_path):
    with cucore.Cache(tmp_path / "cache") as made:
        yield made


def again(cache):
    """The same folder, with nothing in memory yet."""
    return cucore.Cache(cache.directory)


def test_find_compiles_nothing(cache):
    program = small()
    assert cache.find(program) is None
    assert (cache.statistics.builds, cache.statistics.misses) == (0, 0)
    built = cache.compile(program)
    assert cache.find(program) == (built.code, CacheOutcome.HIT_MEMORY)
    assert again(cache).find(program).outcome is CacheOutcome.HIT_DISK
    with pytest.raises(cucore.InvalidArgumentError):
        cache.find(program, CodeType.FATBIN)


def test_compile(cache, device, stream):
    program = cucore.Program(SOURCE, name="kernels.cu")
    names = ["fill<float>", "fill<int>"]
    fresh = program.compile(names=names)
    built = cache.compile(program, names=names)
    assert built.outcome is CacheOutcome.BUILT and built._fields == ("code", "outcome")
    code, outcome = cache.compile(program, CodeType.PTX, names)
    assert outcome is CacheOutcome.HIT_MEMORY and code == built.code
    assert program.compile(CodeType.PTX, names, cache=cache) == code
    assert program.compile(names=names, cache=None) != code
    other = again(cache).compile(cucore.Program(SOURCE, name="kernels.cu"), names=names)
    assert other.outcome is CacheOutcome.HIT_DISK and other.code != code
    for each in (code, other.code):
        assert each.serialize() == fresh.serialize() and each.symbols == fresh.symbols and each.log == fresh.log
        assert each.metadata == fresh.metadata and each.name == fresh.name and each.arch == fresh.arch
    with cucore.Buffer(device, 32, stream) as out:
        other.code.kernel("fill<float>")[1, 8, stream](out, 1.5)
        got = np.zeros(8, np.float32)
        out.read(got, stream)
        assert (got == 1.5).all()
    assert cache.compile(program, names=names[:1]).outcome is CacheOutcome.BUILT
    assert cache.compile(program, CodeType.CUBIN if device.arch < "sm_75" else CodeType.LTOIR).outcome is CacheOutcome.BUILT
    assert cache.compile(program=small(), target=CodeType.PTX, names=()).outcome is CacheOutcome.BUILT


def test_link(cache):
    def linker():
        made = cucore.Linker(arch="sm_90", name="linked")
        made.add(small(arch="sm_90", relocatable_device_code=True).compile(CodeType.CUBIN))
        return made

    fresh = linker().link()
    code, outcome = cache.link(linker())
    assert outcome is CacheOutcome.BUILT and code.type is CodeType.CUBIN
    assert linker().link(CodeType.CUBIN, cache=cache) == code
    stored, outcome = again(cache).link(linker(), CodeType.CUBIN)
    assert outcome is CacheOutcome.HIT_DISK and stored.data == code.data == fresh.data and stored.symbols == fresh.symbols


def test_errors_are_the_compilers(cache):
    for _ in range(2):
        with pytest.raises(cucore.CompilationError) as found:
            cucore.Program("nonsense", name="bad.cu").compile(cache=cache)
        assert "bad.cu" in found.value.log and found.value.diagnostics
    assert cache.entries() == []
    for call in (lambda: small().compile(cache=7), lambda: small().compile(CodeType.PTX, (), 7),
                 lambda: cucore.Linker().link(cache="x"), lambda: cache.compile("source"), lambda: cache.link(small()),
                 lambda: cache.compile(small(), "PTX"), lambda: cache.compile(small(), names="k")):
        with pytest.raises(TypeError):
            call()


def test_keys(cache):
    code = small().compile()
    assert cache.get(KEY) is None
    cache.put(KEY, code)
    assert cache.get(KEY) == code and cache.get(memoryview(KEY)) == code and cache.get(key=bytearray(KEY)) == code
    assert again(cache).get(KEY).serialize() == code.serialize()
    built = cache.get_or_build(KEY, lambda: pytest.fail("it is there"))
    assert built.code == code and built.outcome is CacheOutcome.HIT_MEMORY
    other = hashlib.sha256(b"another").digest()
    assert cache.get_or_build(key=other, build=small(2).compile).outcome is CacheOutcome.BUILT
    assert again(cache).get_or_build(other, lambda: pytest.fail("it is there")).outcome is CacheOutcome.HIT_DISK
    for key in (b"", b"short", KEY + b"x", bytes(31)):
        for call in (lambda: cache.get(key), lambda: cache.put(key, code), lambda: cache.get_or_build(key, small().compile)):
            with pytest.raises(cucore.InvalidArgumentError, match=f"32 bytes, not {len(key)}"):
                call()
    for key in (KEY.hex(), KEY.hex()[:32], None, 7):
        with pytest.raises(TypeError):
            cache.get(key)
    with pytest.raises(TypeError):
        cache.put(KEY, None)
    with pytest.raises(TypeError, match="callable"):
        cache.get_or_build(KEY, 7)


def test_builder_that_requests_its_own_result(cache):
    other = hashlib.sha256(b"another").digest()
    code = small().compile()

    def refused(key):
        begin = time.monotonic()
        with pytest.raises(cucore.InvalidStateError, match="key is one that this thread is already building"):
            cache.get_or_build(key, lambda: code)
        assert time.monotonic() - begin < 5
        return code

    assert cache.get_or_build(KEY, lambda: refused(KEY)).outcome is CacheOutcome.BUILT
    cache.trim(0)
    # Through another key as well; an uncaught exception leaves every call.
    with pytest.raises(cucore.InvalidStateError):
        cache.get_or_build(KEY, lambda: cache.get_or_build(other, lambda: cache.get_or_build(KEY, lambda: code).code).code)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        joined = []

        def build():
            joined.append(pool.submit(cache.get_or_build, KEY, lambda: pytest.fail("it is being built")))
            time.sleep(0.1)
            return refused(KEY)

        assert cache.get_or_build(KEY, build).code == code
        assert joined[0].result(20).outcome is CacheOutcome.JOINED


def test_builder_that_fails(cache):
    class Own(Exception):
        pass

    class Abrupt(BaseException):
        pass

    for exception in (Own("mine"), Abrupt(), KeyboardInterrupt(), cucore.CompilationError(301, "not the compiler's")):
        def build():
            raise exception
        with pytest.raises(type(exception)) as found:
            cache.get_or_build(KEY, build)
        assert found.value is exception and found.traceback[-1].name == "build"
        exception.__traceback__ = None
    closed = small().compile()
    closed.close()
    for given, error in ((None, TypeError), ("code", TypeError), (small(), TypeError), (closed, cucore.InvalidHandleError)):
        with pytest.raises(error):
            cache.get_or_build(KEY, lambda: given)
    assert cache.get(KEY) is None
    assert cache.get_or_build(KEY, small().compile).outcome is CacheOutcome.BUILT


def test_nothing_leaks(cache):
    class Builder:
        def __init__(self, code):
            self.code = code

        def __call__(self):
            if self.code is None:
                raise ValueError(self)
            return self.code

    code = small().compile()
    before = sys.getrefcount(code)
    seen = []
    for i in range(50):
        for builder in (Builder(None), Builder(code)):
            seen.append(weakref.ref(builder))
            try:
                assert cache.get_or_build(hashlib.sha256(b"%d" % i).digest(), builder).code == code
            except ValueError:
                pass
    del builder
    gc.collect()
    assert not any(each() for each in seen) and sys.getrefcount(code) == before


def test_eight_threads_one_build(cache):
    builds, outcomes = [], []
    begin = threading.Barrier(8)

    def build():
        builds.append(threading.get_ident())
        time.sleep(0.2)  # the others wait meanwhile, without the interpreter's lock
        return small(3).compile()

    def work(i):
        begin.wait()
        code, outcome = cache.get_or_build(KEY, build)
        outcomes.append(outcome)
        assert code.kernel("k").name == "k"

    run_threads(8, work)
    assert len(builds) == 1 and outcomes.count(CacheOutcome.BUILT) == 1
    assert set(outcomes) <= {CacheOutcome.BUILT, CacheOutcome.JOINED, CacheOutcome.HIT_MEMORY}
    compiled = []
    begin.reset()

    def compile(i):
        begin.wait()
        compiled.append(cache.compile(cucore.Program(SOURCE, name="once.cu")))

    run_threads(8, compile)
    assert [outcome for _, outcome in compiled].count(CacheOutcome.BUILT) == 1 and len({code.serialize() for code, _ in compiled}) == 1


def test_each_waiting_thread_gets_its_own_failure(cache):
    begin = threading.Barrier(8)

    def work(i):
        mine = ValueError(i)

        def build():
            time.sleep(0.05)
            raise mine

        begin.wait()
        with pytest.raises(ValueError) as found:
            cache.get_or_build(KEY, build)
        assert found.value is mine

    run_threads(8, work)
    assert cache.statistics.build_failures == 8


def test_builders_within_builders(cache):
    keys = [hashlib.sha256(b"%d" % i).digest() for i in range(20)]

    def build(i):
        if i + 1 < len(keys):
            return cache.get_or_build(keys[i + 1], lambda: build(i + 1)).code
        return small(4).compile(cache=cache)

    code = cache.get_or_build(keys[0], lambda: build(0)).code
    assert all(cache.get(key) == code for key in keys)


def test_two_processes(cache):
    program = f"""
import sys, cucore
program = cucore.Program({SMALL % 5!r}, name="shared.cu", arch="compute_80")
with cucore.Cache({cache.directory!r}) as cache:
    print(cache.compile(program).outcome.name, cache.get_or_build({KEY!r}, program.compile).outcome.name)
"""
    assert run_python(program)[0].split() == ["BUILT", "BUILT"]
    assert run_python(program)[0].split() == ["HIT_DISK", "HIT_DISK"]
    assert cache.compile(small(5, name="shared.cu")).outcome is CacheOutcome.HIT_DISK
    assert cache.get(KEY) is not None
    assert cache.statistics.builds == 0 and cache.statistics_of_all.builds == 2
    assert cache.statistics_of_all.hits_disk == 4 and cache.statistics.hits_disk == 2


def test_processes_compile_once(cache):
    program = f"""
import cucore
cache = cucore.Cache({cache.directory!r})
for i in range(20):
    cucore.Program({SMALL!r} % i, name=f"{{i}}.cu", arch="compute_80").compile(cache=cache)
print(cache.statistics.builds)
"""
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        builds = [int(future.result()[0]) for future in [pool.submit(run_python, program) for _ in range(4)]]
    assert sum(builds) == 20 == cache.statistics_of_all.builds


def test_fork(cache):
    out, _ = run_python(f"""
import os, warnings, cucore
warnings.simplefilter("ignore")  # Python's own, about threads and forks
cache = cucore.Cache({cache.directory!r})
program = cucore.Program({SMALL % 12!r}, name="forked.cu", arch="compute_80")
code = cache.compile(program).code
if os.fork() == 0:
    found = cache.compile(program), cache.compile(program)
    assert [each.outcome.name for each in found] == ["HIT_DISK", "HIT_MEMORY"] and found[0].code.data == code.data
    print(cache.get_or_build({KEY!r}, lambda: code).outcome.name, cache.statistics.hits_memory, flush=True)
    os._exit(0)
status = os.wait()[1]
print(status, cache.compile(program).outcome.name, cache.get({KEY!r}).data == code.data)
""")
    assert out.split() == ["BUILT", "1", "0", "HIT_MEMORY", "True"]


def test_close_while_in_use(cache):
    for _ in range(10):
        own = again(cache)
        entered = threading.Barrier(5)

        def work(i):
            if i == 4:
                entered.wait()
                own.close()
                return
            program = small(6)
            entered.wait()
            try:
                for round_ in range(200):
                    assert own.compile(program).code.kernel("k")
                    own.get_or_build(hashlib.sha256(b"%d" % round_).digest(), program.compile)
            except cucore.InvalidHandleError:
                pass

        run_threads(5, work)
        assert own.closed
    assert cache.compile(small(6)).code.type is CodeType.PTX


def test_closing_inside_a_builder(cache):
    own = again(cache)

    def build():
        own.close()
        return small(7).compile()

    code, outcome = own.get_or_build(KEY, build)
    assert outcome is CacheOutcome.BUILT and code.kernel("k")
    for call in (lambda: own.get(KEY), lambda: own.compile(small()), lambda: own.statistics, lambda: own.directory,
                 lambda: own.entries(), lambda: small().compile(cache=own), lambda: own.add_remote("file:///tmp")):
        with pytest.raises(cucore.InvalidHandleError, match="Cache is closed"):
            call()
    assert cache.get(KEY).kernel("k")


def test_object_code_outlives_its_cache(tmp_path, device, stream):
    with cucore.Cache(tmp_path / "c") as own:
        code = small(8).compile(cache=own)
    with cucore.Buffer(device, 16, stream) as out:
        code.kernel("k")[1, 4, stream](out)
        got = np.zeros(4, np.int32)
        out.read(got, stream)
        assert (got == 8).all()


def test_batch(cache):
    items = [small(i) for i in range(6)] + [cucore.Program("nonsense", name="bad.cu")]
    items.append((cucore.Program(SOURCE, name="kernels.cu"), CodeType.PTX, ["fill<float>"]))
    items.append(cucore.BatchItem(small(3), CodeType.LTOIR))
    items.append((cucore.Program(small(4).compile().data, cucore.SourceType.PTX, arch="sm_90"), CodeType.CUBIN))
    results = cucore.compile_batch(iter(items), workers=2, cache=cache)
    assert [result.error is None for result in results] == [True] * 6 + [False] + [True] * 3
    assert [result.code is None for result in results] == [False] * 6 + [True] + [False] * 3
    for i in range(6):
        assert results[i].code.data == small(i).compile().data and results[i].code.name == f"small{i}.cu"
    error = results[6].error
    assert type(error) is cucore.CompilationError and "bad.cu" in error.log and error.diagnostics
    with pytest.raises(cucore.CompilationError):
        raise error
    assert results[7].code.kernel("fill<float>") and results[8].code.type is CodeType.LTOIR
    assert results[9].code.type is CodeType.CUBIN
    assert cache.statistics.builds == 10
    assert all(result.code for result in cucore.compile_batch(items[:6], cache=cache)) and cache.statistics.builds == 10
    assert cucore.compile_batch([]) == []
    assert [result.code.data for result in cucore.compile_batch([small(1), small(1)])] == [results[1].code.data] * 2


def test_batch_time_limit():
    began = time.monotonic()
    results = cucore.compile_batch([slow(2000), small(1)], workers=2, time_limit=5)
    assert 5 <= time.monotonic() - began < 60
    assert isinstance(results[0].error, cucore.Error) and "slow.cu" in str(results[0].error), results[0]
    assert results[1].error is None and results[1].code.kernel("k")


def test_wrong_batches(tmp_path):
    closed = small()
    closed.close()
    for items, keywords, error in [
        ([closed], {}, cucore.InvalidHandleError), (["source"], {}, TypeError), ([(small(), "PTX")], {}, TypeError),
        ([(small(), CodeType.PTX, "k")], {}, TypeError), (7, {}, TypeError), ([small()], {"cache": 7}, TypeError),
        ([small()], {"workers": -1}, cucore.InvalidArgumentError), ([small()], {"time_limit": 0}, ValueError),
        ([small()], {"time_limit": -1}, ValueError), ([small()], {"time_limit": 1e10}, cucore.InvalidArgumentError),
        ([small()], {"report": print}, TypeError),
    ]:
        with pytest.raises(error):
            cucore.compile_batch(items, **keywords)
    nowhere = tmp_path / "none"
    out, _ = run_python(f"""
import cucore
try:
    cucore.compile_batch([cucore.Program({SMALL % 1!r})])
except cucore.NotFoundError as error:
    print(error)
""", CUCORE_WORKER=str(nowhere))
    assert str(nowhere) in out


def test_exit_inside_a_builder(tmp_path):
    """A process that ends while daemon threads build and wait ends without an error."""
    done = subprocess.run([sys.executable, "-X", "dev", "-W", "error", "-c", f"""
import cucore, threading, time
cache = cucore.Cache({str(tmp_path / "c")!r})
begun = threading.Event()
def build():
    begun.set()
    time.sleep(0.3)
    return cucore.Program({SMALL % 1!r}).compile()
for _ in range(4):
    threading.Thread(target=lambda: cache.get_or_build(bytes(32), build), daemon=True).start()
begun.wait()
"""], env=os.environ, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
