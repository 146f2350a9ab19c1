"""What every engine promises, whoever does the work."""

import gc
import pickle
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from hsieve.parallel import EngineError, EngineSettings, Traffic, make_engine
from tests.parallel.conftest import IN_FLIGHT
from tests.parallel.work import (
    OddError,
    PlainError,
    beyond,
    blas_threads,
    fail_at,
    identify,
    raise_odd,
    total_of_range,
    touch,
)

OTHER_PROCESSES = ("dask", "spark")


class Asked:
    """Tasks that know how many of them were asked for."""

    def __init__(self, n_tasks: int) -> None:
        self.n_tasks = n_tasks
        self.n_asked = 0

    def __iter__(self) -> Iterator[int]:
        for task in range(self.n_tasks):
            self.n_asked += 1
            yield task


def threads_of_engines() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("hsieve")]


def test_results_come_in_the_order_of_the_tasks(settings: EngineSettings) -> None:
    with make_engine(settings) as engine:
        assert [task for task, _ in engine.map(identify, range(25))] == list(range(25))


def test_every_engine_returns_the_same_digits(
    settings: EngineSettings,
    numbers: np.ndarray,
    ranges: list[tuple[int, int]],
    totals: list[float],
) -> None:
    with make_engine(settings) as engine:
        assert list(engine.map(total_of_range, ranges, shared=numbers)) == totals


@pytest.mark.parametrize("n_workers", [1, 2])
def test_number_of_threads_changes_nothing(
    n_workers: int, numbers: np.ndarray, ranges: list[tuple[int, int]], totals: list[float]
) -> None:
    with make_engine(EngineSettings("threads", n_workers=n_workers)) as engine:
        assert list(engine.map(total_of_range, ranges, shared=numbers)) == totals


def test_tasks_are_asked_for_as_results_are_taken(settings: EngineSettings) -> None:
    tasks = Asked(40)
    with make_engine(settings) as engine:
        results = engine.map(identify, tasks)
        assert tasks.n_asked == 0
        for n_taken in range(1, 12):
            next(results)
            ahead = 0 if settings.name == "local" else IN_FLIGHT
            assert n_taken <= tasks.n_asked <= n_taken + ahead


def test_no_tasks_give_no_results(settings: EngineSettings) -> None:
    with make_engine(settings) as engine:
        assert list(engine.map(identify, [])) == []


def test_one_engine_serves_several_maps_side_by_side(settings: EngineSettings) -> None:
    with make_engine(settings) as engine:
        first, second = engine.map(identify, range(6)), engine.map(fail_at, range(6), shared=9)
        both = [(a[0], b) for a, b in zip(first, second, strict=True)]
        assert both == [(i, i) for i in range(6)]


def test_error_of_the_function_comes_out_as_it_is(settings: EngineSettings) -> None:
    taken, tasks = [], Asked(60)
    with make_engine(settings) as engine:
        with pytest.raises(PlainError) as caught:
            taken.extend(engine.map(fail_at, tasks, shared=7))
        assert str(caught.value) == "task 7 is bad"
        assert taken == list(range(7))
        assert tasks.n_asked <= 8 + IN_FLIGHT
        if settings.name in OTHER_PROCESSES:
            assert "in fail_at" in caught.value.__notes__[0]
        assert list(engine.map(fail_at, range(3), shared=7)) == [0, 1, 2]


def test_error_that_cannot_be_rebuilt_is_told(settings: EngineSettings) -> None:
    kind = EngineError if settings.name in OTHER_PROCESSES else OddError
    with make_engine(settings) as engine, pytest.raises(kind, match="this and that"):
        list(engine.map(raise_odd, range(3)))


def test_error_in_the_tasks_comes_out_as_it_is(settings: EngineSettings) -> None:
    with make_engine(settings) as engine, pytest.raises(ZeroDivisionError):
        list(engine.map(identify, (1 // (3 - task) for task in range(9))))


def test_result_that_cannot_be_sent_is_an_error(settings: EngineSettings) -> None:
    with make_engine(settings) as engine:
        results = engine.map(beyond, [5])
        if settings.name in OTHER_PROCESSES:
            with pytest.raises((AttributeError, pickle.PicklingError), match="pickle"):
                list(results)
        else:
            assert next(results)() == 5


@pytest.mark.parametrize("how", ["close", "drop"])
def test_given_up_map_leaves_nothing_behind(
    settings: EngineSettings, how: str, tmp_path: Path
) -> None:
    with make_engine(settings) as engine:
        results = engine.map(touch, (tmp_path / str(i) for i in range(50)))
        assert [next(results), next(results)] == ["0", "1"]
        if how == "close":
            results.close()
        del results
        gc.collect()
        assert threads_of_engines() == []
        assert list(engine.map(fail_at, range(3), shared=7)) == [0, 1, 2]
    assert len(list(tmp_path.iterdir())) <= 2 + IN_FLIGHT


def test_leaving_the_block_gives_up_open_maps(settings: EngineSettings) -> None:
    with make_engine(settings) as engine:
        results = engine.map(identify, range(50))
        next(results)
    assert threads_of_engines() == []
    assert list(results) == []


def test_engines_work_inside_their_block_only(settings: EngineSettings) -> None:
    engine = make_engine(settings)
    with pytest.raises(RuntimeError, match="inside their block"):
        engine.map(identify, [1])
    for _ in range(2):
        with engine:
            assert next(engine.map(identify, [1]))[0] == 1
            with pytest.raises(RuntimeError, match="open already"):
                engine.__enter__()
    with pytest.raises(RuntimeError, match="inside their block"):
        engine.map(identify, [1])


def test_functions_that_cannot_travel_are_refused_everywhere(settings: EngineSettings) -> None:
    with make_engine(settings) as engine, pytest.raises(TypeError, match="belong to a module"):
        engine.map(lambda task, shared: task, [1])


def test_bytes_are_counted_where_they_cross_a_border(
    settings: EngineSettings, numbers: np.ndarray, ranges: list[tuple[int, int]]
) -> None:
    with make_engine(settings) as engine:
        assert engine.traffic == Traffic()
        list(engine.map(fail_at, range(5), shared=9))
        before = engine.traffic
        results = list(engine.map(total_of_range, ranges, shared=numbers))
        moved = engine.traffic - before
    if settings.name not in OTHER_PROCESSES:
        assert engine.traffic == Traffic()
        return

    def packed(value: object) -> int:
        return len(pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL))

    assert moved.tasks == sum(map(packed, ranges))
    assert moved.results == sum(map(packed, results))
    # Once for each process that took part.
    assert moved.shared in {packed(numbers), 2 * packed(numbers)}
    assert moved.total == moved.tasks + moved.results + moved.shared


def test_each_task_has_one_blas_thread(settings: EngineSettings, numbers: np.ndarray) -> None:
    with threadpool_limits(2, user_api="blas"), make_engine(settings) as engine:
        assert set(engine.map(blas_threads, range(8), shared=numbers)) == {1}
        here = {lib["num_threads"] for lib in threadpool_info() if lib["user_api"] == "blas"}
        assert here == {2}
