# SPDX-License-Identifier: Apache-2.0
"""The upkeep of the cache: statistics, entries, options, reasons of misses, remotes, locks."""
import datetime
import os
import sys
import threading

import pytest

import cucore
from conftest import run_python
from cucore import CacheFile, CacheOutcome, CodeType
from test_cache import KEY, SMALL, cache, small, slow  # noqa: F401

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
sys.path.insert(0, os.path.join(ROOT, "tools"))
import header_text  # noqa: E402
from test_threads import run_threads  # noqa: E402


def test_statistics(tmp_path):
    with cucore.Cache(tmp_path / "c", max_bytes=1 << 20, max_entries=50) as cache:
        zero = cache.statistics
        assert zero.max_bytes == 1 << 20 and zero.max_entries == 50
        assert sum(zero) == (1 << 20) + 50
        cache.compile(small(1))
        cache.compile(small(1))
        cache.compile(small(1, name="small1.cu", lineinfo=True))
        cache.compile(small(1, arch="compute_90"))
        cache.compile(small(2, time="-"))
        cache.get(KEY)
        with pytest.raises(cucore.CompilationError):
            cache.compile(cucore.Program("nonsense", name="n.cu"))
        with pytest.raises(ZeroDivisionError):
            cache.get_or_build(KEY, lambda: 1 // 0)
        now = cache.statistics
        assert (now.entries, now.hits_memory, now.hits_disk, now.hits_remote, now.joins) == (3, 1, 0, 0, 0)
        assert (now.builds, now.build_failures, now.stores, now.bypasses) == (6, 2, 3, 1)
        assert now.misses == now.builds - now.bypasses + 1
        assert now.misses_options == 1 and now.misses_target == 1 and now.misses_new == 3
        reasons = sum(value for name, value in now._asdict().items() if name.startswith("misses_"))
        assert reasons == now.misses - 1, "a get() has no reason"
        assert 0 < now.bytes_written <= now.bytes
        with pytest.raises(AttributeError):
            now.builds = 0
    with cucore.Cache(tmp_path / "c") as cache:
        assert cache.statistics.builds == 0 and cache.statistics.entries == 3 and cache.statistics_of_all.builds == 6
        cache.compile(small(1))
        assert cache.statistics.hits_disk == 1 and cache.statistics.bytes_read > 0


def test_statistics_have_every_field():
    header = header_text.read(os.path.join(ROOT, "include/cucore.h"))
    struct = header.split("typedef struct cucore_cache_statistics_info {")[1].split("}")[0]
    fields = tuple(line.split()[1].rstrip(";") for line in struct.splitlines() if line.strip().startswith("uint64_t"))
    assert fields == cucore.CacheStatistics._fields and len(fields) > 30


def test_entries(cache):
    begin = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=10)
    code = small(9, name="listed.cu").compile(CodeType.PTX, cache=cache)
    cache.put(KEY, code)
    entries = {entry.key: entry for entry in cache.verify()}
    assert len(entries) == 3 and all(entry.is_sound and not entry.problem for entry in entries.values())
    assert sorted(entry.kind for entry in entries.values()) == [CacheFile.ENTRY, CacheFile.ENTRY, CacheFile.LAST]
    own = next(entry for entry in entries.values() if entry.kind is CacheFile.ENTRY)
    assert len(own.key) == 32 and own.kind is CacheFile.ENTRY and own.type is CodeType.PTX and own.name == "listed.cu" and own.arch == "compute_80"
    path = os.path.join(cache.directory, "v1", own.key.hex()[:2], own.key.hex()[2:] + ".cuco")
    assert own.size == os.path.getsize(path) and begin < own.made <= own.used < begin + datetime.timedelta(minutes=5)
    listed = cache.entries()
    assert {entry.key for entry in listed if entry.kind is CacheFile.ENTRY} == {k for k, e in entries.items() if e.kind is CacheFile.ENTRY}
    with open(path, "r+b") as file:
        file.seek(own.size // 2)
        file.write(b"\xff" * 8)
    bad = [entry for entry in cache.verify() if not entry.is_sound]
    assert [entry.key for entry in bad] == [own.key] and bad[0].problem and not os.path.exists(path)
    assert cache.verify() and all(entry.is_sound and entry.key != own.key for entry in cache.verify())
    assert cache.statistics.corrupt == 1
    assert cache.trim(1 << 30) == []
    removed = cache.trim(0)
    assert removed and cache.entries() == [] and cache.statistics.entries == 0
    with pytest.raises(OverflowError):
        cache.trim(-1)
    cache.put(KEY, small().compile())
    with pytest.raises(TypeError, match="max_bytes"):
        cache.trim()
    assert cache.get(KEY)


def test_options(tmp_path, monkeypatch):
    folder = tmp_path / "c"
    with cucore.Cache(str(folder)) as cache:
        assert cache.directory == str(folder) and str(folder) in repr(cache)
        cache.compile(small())
        assert cache == cache and cache != cucore.Cache(folder) and len({cache, cache}) == 1
    with cucore.Cache(folder, read_only=True) as cache:
        assert cache.compile(small()).outcome is CacheOutcome.HIT_DISK
        assert cache.compile(small(2)).outcome in (CacheOutcome.BUILT, CacheOutcome.NOT_STORED)
    assert cucore.Cache(folder).compile(small(2)).outcome is CacheOutcome.BUILT
    assert cucore.Cache(folder, name_space="mine").compile(small(2)).outcome is CacheOutcome.BUILT
    assert cucore.Cache(folder, name_space="mine").compile(small(2)).outcome is CacheOutcome.HIT_DISK
    with cucore.Cache("") as cache:
        assert cache.directory == "" and cache.compile(small()).outcome is CacheOutcome.BUILT
        assert cache.compile(small()).outcome is CacheOutcome.HIT_MEMORY
    (tmp_path / "on_disk.h").write_text("#define N 1\n")
    reads = cucore.Program('#include "on_disk.h"\nextern "C" __global__ void k(int *x) { *x = N; }', arch="compute_80",
                           include_paths=[tmp_path])
    with cucore.Cache(folder, hermetic=True, durable=True, trust_toolkit=True, locking=False) as cache:
        with pytest.raises(cucore.InvalidArgumentError, match="hermetic"):
            cache.compile(reads)
    with cucore.Cache(folder) as cache:
        assert [cache.compile(reads).outcome for _ in range(2)] == [CacheOutcome.BUILT, CacheOutcome.HIT_MEMORY]
        (tmp_path / "on_disk.h").write_text("#define N 2\n")
        changed = cache.compile(reads)
        assert changed.outcome is CacheOutcome.BUILT and cache.statistics.misses_files == 1
    monkeypatch.setenv("CUCORE_CACHE_DIR", str(tmp_path / "default"))
    assert cucore.Cache().directory == str(tmp_path / "default")
    folder.chmod(0o777)
    with pytest.raises(cucore.IoError):
        cucore.Cache(folder)


def test_wrong_options(tmp_path):
    key = cucore.Key(cucore.KeyAlgorithm.HMAC_SHA256, b"secret")
    for keywords, error in [
        ({"colour": 1}, TypeError), ({"max_bytes": "much"}, TypeError), ({"max_bytes": True}, TypeError),
        ({"max_bytes": -1}, cucore.InvalidArgumentError), ({"max_bytes": 1 << 64}, OverflowError),
        ({"lock_timeout_ms": 1 << 32}, cucore.InvalidArgumentError), ({"read_only": 1}, TypeError), ({"read_only": None}, TypeError),
        ({"locking": "yes"}, TypeError), ({"locking": 7}, cucore.InvalidArgumentError), ({"name_space": 7}, TypeError),
        ({"signing_key": b"secret"}, TypeError), ({"signing_key": [key, key]}, cucore.InvalidArgumentError),
        ({"signing_key": cucore.Key(cucore.KeyAlgorithm.ED25519, b"short")}, cucore.InvalidArgumentError),
        ({"keys": [1]}, TypeError), ({"directory": 7}, TypeError),
    ]:
        with pytest.raises(error):
            cucore.Cache(**{"directory": tmp_path / "c", **keywords})
    with pytest.raises(TypeError, match=r"Cache\(\) got an unexpected keyword"):
        cucore.Cache(tmp_path, colour=1)
    with pytest.raises(TypeError):
        cucore.Cache(tmp_path, 7)
    with pytest.raises(TypeError, match="pickle"):
        cucore.Cache("").__reduce__()


def test_switched_off(tmp_path):
    out, _ = run_python(f"""
import os, cucore
cache = cucore.Cache({str(tmp_path / "c")!r})
program = cucore.Program({SMALL % 1!r}, arch="compute_80")
print(cache.compile(program).outcome.name, cache.compile(program).outcome.name)
print(cache.get_or_build(bytes(32), program.compile).outcome.name, cache.get(bytes(32)))
cache.put(bytes(32), program.compile(cache=cache))
print(cache.get(bytes(32)), cache.statistics.bypasses, cache.statistics.entries, os.path.exists({str(tmp_path / "c")!r}))
""", CUCORE_CACHE="off")
    assert out.split() == ["BYPASSED", "BYPASSED", "BYPASSED", "None", "None", "4", "0", "False"]


def test_explain_miss(cache):
    assert cache.explain_miss(small()).startswith("miss: ")
    small().compile(cache=cache)
    assert cache.explain_miss(small()).startswith("hit")
    why = cache.explain_miss(small(lineinfo=True), CodeType.PTX, ())
    assert why.startswith("miss: ") and "line" in why
    assert cache.explain_miss(small(time="-")).startswith("bypassed")


def test_reasons_and_log_have_names_of_python(cache):
    received = []
    cucore.set_log_callback(lambda level, text: received.append(text), cucore.LogLevel.DEBUG)
    reason = cache.explain_miss(small(compiler_cache=True))
    cucore.log_write(cucore.LogLevel.INFO, "cucore_cache_verify() reads cucore_cache_options.max_bytes")
    cucore.set_log_callback(None)
    assert "Program(compiler_cache=...) is ON" in reason
    assert "Cache.verify() reads Cache(max_bytes=...)" in received
    with pytest.raises(cucore.InvalidArgumentError, match=r"with Program\(link_time_optimization=...\) NVRTC makes LTOIR alone"):
        cucore.Program("", link_time_optimization=True).compile("ptx")


def test_remote(tmp_path):
    key = cucore.Key(cucore.KeyAlgorithm.HMAC_SHA256, b"of the team")
    other = cucore.Key(cucore.KeyAlgorithm.HMAC_SHA256, b"of others")
    far = tmp_path / "far"
    far.mkdir(mode=0o700)
    url = f"file://{far}"
    with cucore.Cache(tmp_path / "a", signing_key=key) as cache:
        cache.add_remote(url, connect_timeout_ms=1000, timeout_ms=10000)
        built = cache.compile(small(10)).code
    assert any(far.rglob("*.cuco")), "closing sends what is waiting"
    with cucore.Cache(tmp_path / "b", keys=[other, key]) as cache:
        cache.add_remote(url, read_only=True)
        found = cache.compile(small(10))
        assert found.outcome is CacheOutcome.HIT_REMOTE and found.code.data == built.data
        cache.compile(small(11))
    with cucore.Cache(tmp_path / "c", keys=other) as cache:
        cache.add_remote(url)
        assert cache.compile(small(10)).outcome is CacheOutcome.BUILT and cache.statistics.remote_refused == 1
        for wrong in ("ftp://nowhere", "", "file://relative"):
            with pytest.raises(cucore.InvalidArgumentError):
                cache.add_remote(wrong)
        for milliseconds in (-1, 1 << 32):
            with pytest.raises(cucore.InvalidArgumentError, match="timeout_ms"):
                cache.add_remote(url, timeout_ms=milliseconds)


def test_lock_is_given_up(cache):
    """While one thread compiles, another computes."""
    counted, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1

    def compile():
        try:
            slow(20).compile(cache=cache)
        finally:
            done.set()

    run_threads(2, lambda i: (count, compile)[i]())
    assert counted[0] > 100
