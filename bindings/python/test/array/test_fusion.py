# SPDX-License-Identifier: Apache-2.0
"""Named patterns are one kernel that moves its inputs and outputs, and fusion never changes a bit."""
import json
import random

import numpy as np
import pytest

import cucore
import cucore.array as xp

ROWS, COLUMNS = 5, 1031
BYTES = 4 * ROWS * COLUMNS
EACH_ROW = {"axis": 1, "keepdims": True}


def centred(x, step):
    return step(x - step(xp.mean(x, **EACH_ROW)))


def exponentials(x, step):
    return step(xp.exp(step(x - step(xp.max(x, **EACH_ROW)))))


def pipeline(x, y, z, step):
    waves = step(step(xp.sin(x)) * step(xp.cos(y)))
    return xp.sqrt(step(step(waves + step(xp.exp(step(step(-z) * z)))) + step(xp.log(step(x + 1)))))


def softmax(x, y, z, step):
    return exponentials(x, step) / step(xp.sum(exponentials(x, step), **EACH_ROW))


def log_softmax(x, y, z, step):
    return step(x - step(xp.max(x, **EACH_ROW))) - step(xp.log(step(xp.sum(exponentials(x, step), **EACH_ROW))))


def layer_norm(x, y, z, step):
    return centred(x, step) / step(xp.sqrt(step(step(xp.var(x, **EACH_ROW)) + 1e-5)))


def standardise(x, y, z, step):
    return centred(x, step) / step(xp.std(x, **EACH_ROW))


def dot(x, y, z, step):
    return xp.sum(step(x * y))


def norm(x, y, z, step):
    return xp.sqrt(step(xp.sum(step(x * x))))


def choice(x, y, z, step):
    return step(xp.where(step(x > 0.5), step(x + 1), y)) * z


# each with the arrays of the full size that it reads
PATTERNS = {pipeline: 3, softmax: 1, log_softmax: 1, layer_norm: 1, standardise: 1, dot: 2, norm: 1, choice: 3}


@pytest.fixture(name="operands")
def made_operands():
    numbers = np.random.default_rng().uniform(0.01, 2, (3, ROWS, COLUMNS)).astype("float32")
    return [xp.asarray(each).evaluate() for each in numbers]


def bits(array):
    return np.atleast_1d(array.numpy()).view("uint32")


def counts_of(*arrays):
    counts = json.loads(xp.explain(*arrays, what="counts"))
    return [counts[name] for name in ("kernels", "temporaries", "temporary_bytes", "bytes_read", "bytes_written")]


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.__name__)
def test_patterns_move_inputs_and_outputs(pattern, operands):
    result = pattern(*operands, lambda step: step)
    assert counts_of(result) == [1, 0, 0, PATTERNS[pattern] * BYTES, result.nbytes], result.explain()
    before = xp.statistics()
    result.evaluate()
    after = xp.statistics()
    assert after["kernels_launched"] - before["kernels_launched"] == 1
    assert after["bytes_read"] - before["bytes_read"] == PATTERNS[pattern] * BYTES


def test_mean_and_variance_read_once(operands):
    assert counts_of(xp.mean(operands[0]), xp.var(operands[0])) == [1, 0, 0, BYTES, 8]


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.__name__)
def test_fusion_never_changes_a_bit(pattern, operands):
    fused = bits(pattern(*operands, lambda step: step))
    np.testing.assert_array_equal(bits(pattern(*operands, lambda step: step.evaluate())), fused)
    parts = pattern(*operands, lambda step: step.evaluate() if random.random() < 0.5 else step)
    np.testing.assert_array_equal(bits(parts), fused)
    with xp.using(policy="eager"):
        eager = pattern(*[xp.asarray(each.numpy()) for each in operands], lambda step: step)
        assert not eager.is_pending
        np.testing.assert_array_equal(bits(eager), fused)


def test_a_reduction_whose_users_have_most_axes():
    x = xp.ones((2,) * 16 + (1,) * 16)
    total = x.sum(axis=tuple(range(8)), keepdims=True) + 1
    assert total.shape == (1,) * 8 + (2,) * 8 + (1,) * 16
    assert (total == 257).all().item()


def pending_with_too_many_blocks():
    target = xp.zeros(4)
    target[xp.broadcast_to(xp.asarray(np.array(1)), (2**42 + 2**30,))] = 1.0
    return target


def test_a_kernel_of_too_many_blocks_is_refused():
    with xp.using(xp.Context()):
        with pytest.raises(cucore.UnsupportedError, match="its kernel needs [0-9]+ blocks, and a launch has at most 2147483647"):
            pending_with_too_many_blocks().numpy()


def test_a_kernel_that_is_refused_keeps_no_others_from_being_computed():
    with xp.using(xp.Context(max_pending=8)):
        refused = pending_with_too_many_blocks()
        kept, failures = [], 0
        for number in range(40):
            try:
                kept.append(xp.ones(4) * number)
            except cucore.UnsupportedError:
                failures += 1
        assert refused.is_pending and len(kept) + failures == 40
        assert 0 < failures < 20
