# SPDX-License-Identifier: Apache-2.0
"""Options of launches that are attributes of the driver, and access windows of streams."""
import gc
import weakref

import pytest

import cucore
from cucore import AccessProperty, AccessWindow, ClusterScheduling, LaunchConfig


@pytest.fixture(scope="module")
def kernels():
    return cucore.Program('extern "C" __global__ void nothing() {}').compile()


def test_config_has_its_settings(device, stream):
    event, other = cucore.Event(device), cucore.Event(device)
    with cucore.Buffer(device, 4096, stream) as buffer:
        window = AccessWindow(buffer, 512, 1024, 0.5)
        config = LaunchConfig(
            8, 32, cluster=2, preferred_cluster=(4, 1), cluster_scheduling=ClusterScheduling.SPREAD, shared_carveout=-1,
            memory_domain=1, memory_domain_map=2 | 3 << 8, programmatic_event=event, programmatic_at_start=True,
            completion_event=other, access_window=window, device_updatable=True, nvlink_scheduling=True,
            attributes={8: b"\0\0\0\0"})
        assert config.preferred_cluster == (4, 1, 1)
        assert config.cluster_scheduling is ClusterScheduling.SPREAD
        assert (config.shared_carveout, config.memory_domain, config.memory_domain_map) == (-1, 1, 2 | 3 << 8)
        assert config.programmatic_event is event and config.completion_event is other
        assert config.programmatic_at_start is config.device_updatable is config.nvlink_scheduling is True
        assert config.access_window is window and config.attributes == {8: b"\0\0\0\0"}
        assert "shared_carveout=-1" in repr(config) and "attributes={8: " in repr(config)
    plain = LaunchConfig(8, 32)
    assert plain.preferred_cluster is plain.programmatic_event is plain.access_window is plain.attributes is None
    assert plain.cluster_scheduling is ClusterScheduling.DEFAULT and not plain.nvlink_scheduling
    assert repr(plain) == ("LaunchConfig(grid=(8, 1, 1), block=(32, 1, 1), cluster=None, dynamic_shared=0, "
                           "cooperative=False, programmatic_serialization=False, priority=0)")


def test_configs_differ_in_each_setting(device):
    event = cucore.Event(device)
    plain = LaunchConfig(8, 32)
    for name, value in {"preferred_cluster": 2, "cluster_scheduling": 1, "shared_carveout": 50, "memory_domain": 1,
                        "memory_domain_map": 1, "programmatic_event": event, "completion_event": event,
                        "programmatic_at_start": True, "device_updatable": True, "nvlink_scheduling": True,
                        "attributes": {1: b"1"}}.items():
        config = LaunchConfig(8, 32, **{name: value})
        assert config != plain and config == LaunchConfig(8, 32, **{name: value}), name
        assert hash(config) == hash(LaunchConfig(8, 32, **{name: value}))


def test_launches_record_events(device, stream, kernels):
    kernel = kernels.kernel("nothing")
    event, other = cucore.Event(device), cucore.Event(device)
    config = LaunchConfig(1, 32, programmatic_event=event, completion_event=other)
    kernel[config, stream]()
    cucore.launch(stream, config, kernel)
    kernel.prepare(stream, config).run()
    event.synchronize()
    other.synchronize()
    assert event.query() and other.query()


def test_config_holds_its_objects(device, stream, kernels):
    kernel = kernels.kernel("nothing")
    event, buffer = cucore.Event(device), cucore.Buffer(device, 64, stream)
    config = LaunchConfig(1, 32, programmatic_event=event, access_window=AccessWindow(buffer))
    event.close()
    buffer.close()
    launcher = kernel[config, stream]
    there = weakref.ref(config)
    del config
    gc.collect()
    assert there() is not None  # the launcher points into it
    launcher()
    assert "programmatic_event=" in repr(launcher)
    del launcher
    gc.collect()
    assert there() is None


def test_windows_of_streams_and_launches(device, stream, kernels):
    kernel = kernels.kernel("nothing")
    with cucore.Buffer(device, 4096, stream) as buffer:
        window = AccessWindow(buffer, 1024)
        assert window == (buffer, 1024, None, 1.0, AccessProperty.PERSISTING, AccessProperty.NORMAL)
        stream.set_access_window(window)
        kernel[LaunchConfig(1, 1, access_window=AccessWindow(buffer, size=64, hit_ratio=0.25)), stream]()
        stream.synchronize()
        stream.set_access_window(None)
        for wrong, text in ((AccessWindow(buffer, 5000), "AccessWindow.size is 0; "),
                            (AccessWindow(buffer, 4000, 500), "AccessWindow.offset is 4000"),
                            (AccessWindow(buffer, hit_ratio=2), "AccessWindow.hit_ratio is 2"),
                            (AccessWindow(buffer, miss=AccessProperty.PERSISTING), "AccessWindow.miss is 2")):
            with pytest.raises(cucore.InvalidArgumentError, match=text):
                stream.set_access_window(wrong)
            with pytest.raises(cucore.InvalidArgumentError, match=text):
                kernel[LaunchConfig(1, 1, access_window=wrong), stream]()
    with pytest.raises(TypeError, match="an AccessWindow is needed, not int"):
        stream.set_access_window(1)


def test_refusals(device, stream, kernels):
    kernel = kernels.kernel("nothing")
    for settings, text in (({"shared_carveout": 101}, "LaunchConfig.shared_carveout is 101"),
                           ({"memory_domain": 2}, "LaunchConfig.memory_domain is 2, neither 0 nor 1"),
                           ({"programmatic_at_start": True}, "programmatic_at_start is 1 and the launch has no event"),
                           ({"cluster_scheduling": 9}, "LaunchConfig.cluster_scheduling is 9"),
                           ({"priority": 0, "attributes": {8: b"", 9: b"\xff"}}, None)):
        config = LaunchConfig(1, 1, **settings)
        if text:
            with pytest.raises(cucore.InvalidArgumentError, match=text):
                kernel[config, stream]()
    with pytest.raises(cucore.InvalidStateError, match="device_updatable is 1 and the stream is not captured"):
        kernel[LaunchConfig(1, 1, device_updatable=True), stream]()
    timed = cucore.Event(device, timing=True)
    with pytest.raises(cucore.InvalidArgumentError, match="programmatic_event was made with timing"):
        kernel[LaunchConfig(1, 1, programmatic_event=timed), stream]()
    for name, value in (("programmatic_event", 1), ("completion_event", stream), ("access_window", (1, 2)),
                        ("attributes", [1]), ("attributes", {1: b"x" * 65}), ("attributes", {"a": b""})):
        with pytest.raises(TypeError):
            LaunchConfig(1, 1, **{name: value})
    with pytest.raises(ValueError, match="shared_carveout"):
        LaunchConfig(1, 1, shared_carveout=1 << 40)


def test_attributes_are_passed_on(device, stream, kernels):
    kernel = kernels.kernel("nothing")
    kernel[LaunchConfig(1, 1, attributes={0: b"", 8: (-1).to_bytes(4, "little", signed=True)}), stream]()
    with pytest.raises(cucore.InvalidArgumentError, match="attributes sets attribute 8 a second time"):
        kernel[LaunchConfig(1, 1, priority=-1, attributes={8: b""}), stream]()
