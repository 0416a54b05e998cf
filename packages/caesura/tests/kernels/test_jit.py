"""The choice between plain and compiled kernels: small work starts at once, and both give the same bits."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from types import FunctionType
from typing import NamedTuple

import numpy as np
import pytest

from caesura.kernels import cache_files, jit
from caesura.kernels.jit import Index, inline, kernel


@inline
def _weigh(value, factor):
    return factor * value


@kernel
def add_weighted(values, factor):
    result = 0.0
    for i in range(Index(len(values))):
        result += _weigh(values[i], factor)
    return result, len(values)


@kernel
def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


@pytest.fixture
def auto(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setattr(jit, "mode", "auto")
    monkeypatch.setattr(jit, "_plain_seconds", 0.0)
    monkeypatch.setattr(jit, "_numba_is_imported", lambda: False)
    return monkeypatch


def fresh(function):
    """Return the kernel in the state of a new process."""
    return jit.LazyKernel(function.lazy_kernel.function).callable


def with_globals(function, **scope):
    """Return the function of a kernel with other globals."""
    source = function.lazy_kernel.function
    return FunctionType(source.__code__, {**source.__globals__, **scope}, source.__name__)


def is_compiled(entry) -> bool:
    return entry.func == entry.lazy_kernel.compiled


def test_small_work_runs_plain_and_large_work_compiled(auto: pytest.MonkeyPatch) -> None:
    total = fresh(add_weighted)
    assert total(np.arange(4.0), 2.0) == (12.0, 4)
    assert not is_compiled(total)
    assert total(np.ones(10_000_000), 2.0) == (2e7, 10_000_000)
    assert is_compiled(total)
    assert total(np.arange(4.0), 2.0) == (12.0, 4)
    assert is_compiled(total), "once compiled, it stays compiled"


def test_number_of_small_calls_before_compilation_is_always_the_same(auto: pytest.MonkeyPatch) -> None:
    """Work is estimated, never timed: a busy machine must not change what a program does."""
    auto.setattr(jit, "_START", 0.01)
    numbers = set()
    for _ in range(3):
        auto.setattr(jit, "_plain_seconds", 0.0)
        total, calls = fresh(add_weighted), 0
        while not is_compiled(total):
            total(np.ones(10), 2.0)
            calls += 1
        numbers.add(calls)
    assert len(numbers) == 1
    assert numbers.pop() > 100


def test_cached_kernel_is_loaded_sooner_than_a_new_one_is_compiled(auto: pytest.MonkeyPatch) -> None:
    total = fresh(add_weighted).lazy_kernel
    auto.setattr(cache_files.CacheFiles, "exist", lambda self: False)
    assert total._price == jit._COMPILE * total.code_size > jit._LOAD
    auto.setattr(cache_files.CacheFiles, "exist", lambda self: True)
    assert fresh(add_weighted).lazy_kernel._price == jit._LOAD
    assert total.code_size > len(add_weighted.lazy_kernel.function.__code__.co_code), "helpers are compiled too"


def test_declared_estimate_replaces_array_size(auto: pytest.MonkeyPatch) -> None:
    squares = jit.kernel(work=lambda values, **_: len(values) ** 2)(add_weighted.lazy_kernel.function)
    squares(np.ones(10), 1.0)
    assert not is_compiled(squares)
    squares(np.ones(3000), 1.0)
    assert is_compiled(squares)


def test_kernel_is_compiled_before_a_long_series_of_calls(auto: pytest.MonkeyPatch) -> None:
    auto.setattr(cache_files.CacheFiles, "exist", lambda self: False)
    total, call = fresh(add_weighted), (np.ones(1000), 2.0)
    jit.expect_steps(total, 1e4)
    assert not is_compiled(total)
    auto.setattr(jit, "mode", "never")
    jit.expect_steps(total, 1e9)
    assert not is_compiled(total)
    auto.setattr(jit, "mode", "auto")
    jit.expect_steps(total, 1e9)
    assert is_compiled(total)
    assert total(*call) == (2000.0, 1000)


# ---------------------------------------------------------------------- plain kernels


@kernel
def divide(values, by):
    values[0] += 1.0  # done once, although the kernel is run twice
    return values[0] / by


@kernel
def reshape(table, flags, numbers):
    first, part = np.empty(3, np.int8), table[1]
    for i in range(3):
        first[i] = numbers[i] + flags[i]
        part[i] = first[i] * 2
    table[0, 1] = np.rint(2.5)
    return first[1:], table[1, 2], np.copy(numbers)


def test_plain_kernel_divides_by_zero_as_compiled_code_does(auto: pytest.MonkeyPatch) -> None:
    values = np.array([1.0])
    assert fresh(divide)(values, 0.0) == np.inf
    assert values[0] == 2.0


@kernel
def clear(values):
    values[0] += 1.0
    values[1:] = 0.0


def test_operations_of_whole_arrays_run_on_arrays(auto: pytest.MonkeyPatch) -> None:
    values, total = np.array([1.0, 2.0, 3.0]), fresh(clear)
    total(values)
    assert values.tolist() == [2.0, 0.0, 0.0]
    assert not total.lazy_kernel.on_lists


def test_plain_kernel_sees_python_numbers_and_writes_into_arrays(auto: pytest.MonkeyPatch) -> None:
    table, numbers = np.zeros((2, 3)), np.array([1, 2, 3])
    numbers.flags.writeable = False
    first, value, copy = fresh(reshape)(table, np.array([True, False, True]), numbers)
    assert first.dtype == np.int8
    assert first.tolist() == [2, 4]
    assert table.tolist() == [[0, 2, 0], [4, 4, 8]]
    assert (value, type(value)) == (8.0, float)
    assert copy.tolist() == [1, 2, 3]


def test_other_way_in_plain_python_replaces_the_function(auto: pytest.MonkeyPatch) -> None:
    total = jit.kernel(plain=lambda values, factor: (sum(values) * factor, len(values)))
    assert total(add_weighted.lazy_kernel.function).lazy_kernel.run_plain(np.arange(4.0), 2.0) == (12.0, 4)


def test_kernel_with_plain_false_is_always_compiled(auto: pytest.MonkeyPatch) -> None:
    strict = jit.kernel(plain=False)(add_weighted.lazy_kernel.function)
    strict(np.ones(1), 1.0)
    assert is_compiled(strict)


def test_plain_kernel_calls_plain_helpers(auto: pytest.MonkeyPatch) -> None:
    plain = add_weighted.lazy_kernel.plain
    assert plain.__globals__["_weigh"] is _weigh.lazy_kernel.plain
    assert plain.__globals__["Index"] is int
    assert add_weighted.lazy_kernel.function.__globals__["_weigh"] is _weigh, "the module itself is left alone"


def test_helper_called_from_python_runs_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "mode", "always")
    weigh = jit.inline(_weigh.lazy_kernel.function)
    assert weigh(5, 3) == 15
    assert not is_compiled(weigh), "a compiled helper has no Python wrapper"


def test_helper_with_plain_false_cannot_be_called_from_python() -> None:
    """Sums in 32 bits and hashes that wrap around would give other numbers in plain Python."""

    @kernel(plain=False)
    def _wrap(number: int) -> int:
        return number

    with pytest.raises(TypeError, match="only kernels can call it"):
        _wrap(1)


def test_kernel_may_be_recursive(auto: pytest.MonkeyPatch) -> None:
    assert factorial.lazy_kernel.plain(5) == factorial.lazy_kernel.compiled(5) == 120


class Pair(NamedTuple):
    values: np.ndarray
    factor: float


@kernel(alone=True, work=lambda pair, **_: len(pair.values))
def scale_and_add(pair):
    scaled, total = np.empty(len(pair.values)), 0.0
    for i in range(len(pair.values)):
        scaled[i] = pair.values[i] * pair.factor
        total += scaled[i]
    return Pair(scaled, total)


@kernel(work=lambda values, **_: 1)
def scale_twice(values):
    pair = scale_and_add(Pair(values[1:], 3.0))
    pair.values[0] += 0.1
    return scale_and_add(Pair(pair.values, 1.0 / 3.0))


def test_inner_loop_is_compiled_while_its_caller_stays_plain(auto: pytest.MonkeyPatch) -> None:
    inner, outer = fresh(scale_and_add), fresh(scale_twice)
    inner.lazy_kernel.alone, inner.lazy_kernel._work = True, scale_and_add.lazy_kernel._work
    auto.setattr(outer.lazy_kernel, "_as_plain", with_globals(scale_twice, scale_and_add=inner))
    auto.setattr(outer.lazy_kernel, "_work", lambda values, **_: 1)
    small, large = np.arange(5.0), np.linspace(0.0, 1.0, 5_000_000)
    plain = [outer(small), scale_twice.lazy_kernel.plain(jit.converted(small))]
    assert not is_compiled(inner)
    assert outer(large).factor == scale_twice.lazy_kernel.compiled(large).factor
    assert is_compiled(inner)
    assert not is_compiled(outer)
    for each in (*plain, outer(small)):
        assert np.asarray(each.values).tobytes() == scale_twice.lazy_kernel.compiled(small).values.tobytes()
    auto.setattr(jit, "mode", "never")
    assert outer(small).factor == plain[0].factor


def test_plain_kernel_returns_python_numbers(auto: pytest.MonkeyPatch) -> None:
    answer = fresh(add_weighted)(np.arange(4.0), np.float64(2.0))
    assert [type(each) for each in answer] == [float, int]


def test_kernel_is_pickled_by_name() -> None:
    from caesura.kernels.boundaries import count_common

    assert pickle.loads(pickle.dumps(count_common)) is count_common


@pytest.mark.parametrize(
    ("environment", "loaded"),
    [
        ({}, False),
        ({"CAESURA_JIT": "always"}, True),
        ({"CAESURA_JIT": "never"}, False),
        ({"NUMBA_DISABLE_JIT": "1"}, False),
    ],
)
def test_environment_controls_compilation(environment: dict[str, str], loaded: bool) -> None:
    code = (
        "import sys, caesura as cs; print(cs.boundary_similarity([2, 3, 6], [5, 6]), 'numba' in sys.modules,"
        " 'caesura.display.table' in sys.modules)"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0.5", str(loaded), "False"]


COMMAND = """
import sys
from caesura.cli.main import run
try:
    run()
finally:
    needless = {"numba", "polars", "scipy", "matplotlib", "concurrent.futures", "rich.status", "caesura.agreement.flexible_chance"}
    print(sorted(needless & set(sys.modules)), file=sys.stderr)
"""


@pytest.mark.parametrize("command", ["agree sample:stargazer", "compare sample:kubla", "unify sample:stargazer"])
def test_small_commands_import_no_unneeded_modules(command: str) -> None:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    program = [sys.executable, "-c", COMMAND, *command.split()]
    done = subprocess.run(program, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[-1] == "[]"
    assert done.stdout
