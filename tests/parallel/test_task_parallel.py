"""Independent jobs give the same answer through joblib, its backend on Dask and every engine."""

import os
import pickle
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from functools import cache
from pathlib import Path
from threading import Event
from typing import Any

import joblib
import numpy as np
import pytest
import sklearn
from joblib.parallel import ThreadingBackend
from sklearn.linear_model import Lasso
from sklearn.pipeline import make_pipeline

import hsieve
from hsieve import L1HSIC, L1LSMI, N3LARS, DependenceSelector, MaxRelevance, RandSel
from hsieve.comparison import runner
from hsieve.comparison.runner import Settings
from hsieve.datasets import make_xor
from hsieve.measures import HSIC
from hsieve.parallel import EngineError, EngineSettings
from hsieve.parallel.jobs import JoblibEngine, make_job_engine
from hsieve.strategies import RandomisedContributions
from tests.comparison.fake import EXPERIMENT, SLOWLY
from tests.comparison.selectors import Fixed, untimed
from tests.dask_workers import two_workers
from tests.parallel.deadly import Deadly, open_dask
from tests.parallel.test_faults import killed, wait_for_death
from tests.parallel.work import total_of_range

ROOT = Path(__file__).parents[2]
PROBLEM = make_xor(80, 12, random_state=0)
X, Y = PROBLEM.X, PROBLEM.y
Outcome = list[Any]


def stability(base: Any, **who: Any) -> Outcome:
    selector = hsieve.StabilitySelection(base, n_subsamples=20, n_per_subsample=3, **who)
    selector.fit(X, Y)
    return [selector.frequencies_, selector.n_selected_, selector.ranking_]


def contributions(**who: Any) -> Outcome:
    selector = RandSel(3, n_rounds=6, step=0.5, **who).fit(X, Y)
    return [selector.path_.contributions, selector.path_.merits, selector.ranking_]


def restarts(selector: Any, **who: Any) -> Outcome:
    path = selector.set_params(**who).fit(X, Y).path_
    return [path.order, path.feature_scores, path.set_scores, [s.score for s in path.sets]]


def comparison(**who: Any) -> Outcome:
    selectors = {
        "relevance": MaxRelevance(3),
        "loud": Fixed((0, 1), tells="mind the gap"),
        "still": Fixed((1,)),
        "sick": Fixed((1,), sick_sample=X[0, -1]),
    }
    return untimed(hsieve.compare(selectors, X, Y, cv=3, **who))


def reproduction(**who: Any) -> Outcome:
    return runner.run(EXPERIMENT, Settings(**who)).records


METHODS: dict[str, Callable[..., Outcome]] = {
    "StabilitySelection of a ranking": lambda **who: stability(MaxRelevance(), **who),
    "StabilitySelection of the lasso": lambda **who: stability(None, **who),
    # It would warn in every thread, and all warnings are errors here.
    "StabilitySelection of a hurried lasso": lambda **who: stability(Lasso(max_iter=1), **who),
    "RandSel": contributions,
    "L1LSMI": lambda **who: restarts(L1LSMI(2, n_restarts=3, n_centres=30), **who),
    "L1HSIC": lambda **who: restarts(L1HSIC(2, n_restarts=5), **who),
    "compare": comparison,
    "reproduce": reproduction,
}


@cache
def alone(method: str) -> Outcome:
    """What comes of a method without processes."""
    return METHODS[method]()


def assert_same(found: Outcome, expected: Outcome) -> None:
    """Compare to the last digit."""
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.fixture(scope="module")
def own_cluster() -> Iterator[Any]:
    """Workers of its own: what runs on them is killed, and they with it."""
    with two_workers() as client:
        yield client


@pytest.mark.parametrize("method", METHODS)
def test_every_engine_gives_the_same(settings: EngineSettings, method: str) -> None:
    assert_same(METHODS[method](engine=settings), alone(method))


@pytest.mark.parametrize("method", METHODS)
def test_joblib_on_dask_gives_the_same(dask_client: Any, method: str) -> None:
    with joblib.parallel_config(backend="dask", client=dask_client):
        if method == "reproduce":
            assert_same(reproduction(jobs=2), alone(method))
        else:
            assert_same(METHODS[method](), alone(method))


@pytest.mark.parametrize("method", ["StabilitySelection of a ranking", "compare", "reproduce"])
def test_threads_of_joblib_give_the_same(method: str) -> None:
    number = {"jobs": 2} if method == "reproduce" else {"n_jobs": 2}
    with joblib.parallel_config(backend="threading"):
        assert_same(METHODS[method](**number), alone(method))


def warn_while_another_is_at_work(role: str, events: dict[str, Event]) -> bool:
    """Ignore warnings, and warn when another task, begun later, is at work beside this one."""
    if role == "before":
        return events["ignoring"].wait(60)
    if role == "beside":
        events["beside"].set()
        return events["warned"].wait(60)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        events["ignoring"].set()
        is_beside = events["beside"].wait(60)
        try:
            warnings.warn("never seen", UserWarning, stacklevel=1)
        finally:
            events["warned"].set()
    return is_beside


def test_threads_leave_each_others_filters_of_warnings_alone() -> None:
    events = {name: Event() for name in ("ignoring", "beside", "warned")}
    roles = ["before", "warns", "beside"]
    with joblib.parallel_config(backend="threading"), JoblibEngine(2) as workers:
        found = list(workers.map(warn_while_another_is_at_work, roles, shared=events))
    assert found == [True, True, True]


def twice(number: int, _: None) -> int:
    return 2 * number


def state_of_settings(_: int, __: None) -> tuple[bool, bool]:
    """Tell whether errors are made of warnings, and whether values are assumed finite."""
    return warnings.filters[0][0] == "error", bool(sklearn.get_config()["assume_finite"])


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_tasks_take_over_filters_and_configuration(backend: str) -> None:
    with (
        joblib.parallel_config(backend=backend),
        sklearn.config_context(assume_finite=True),
        warnings.catch_warnings(),
        JoblibEngine(2) as workers,
    ):
        warnings.simplefilter("error")
        found = list(workers.map(state_of_settings, range(4), shared=None))
    assert found == [(True, True)] * 4


def test_data_lost_by_a_backend_of_joblib_are_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    class Forgetful:
        """Does one task and loses the second, as a cluster behind joblib may."""

        def __init__(self, **settings: Any) -> None:
            pass

        def __call__(self, calls: Any) -> Iterator[Any]:
            for number, (function, arguments, named) in enumerate(calls):
                if number == 1:
                    raise CancelledError
                yield function(*arguments, **named)

    monkeypatch.setattr(joblib, "Parallel", Forgetful)
    with (
        JoblibEngine(2) as workers,
        pytest.raises(EngineError, match="lost its workers' data; engine='dask' sends them again"),
    ):
        list(workers.map(twice, range(20), shared=None))


def test_stability_selection_survives_a_worker_of_dask(own_cluster: Any, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    own_cluster.wait_for_workers(2, timeout=60)
    workers = set(own_cluster.run(os.getpid).values())
    deadly = Deadly(trace=str(trace))
    found = stability(deadly, engine={"name": "dask", "scheduler": address(own_cluster)})
    assert set(killed(trace)) <= workers
    assert wait_for_death(killed(trace))
    assert_same(found, stability(Deadly()))


def address(client: Any) -> str:
    return str(client.scheduler.address)


@pytest.mark.usefixtures("spark_context")
def test_stability_selection_survives_an_executor_of_spark(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    found = stability(Deadly(trace=str(trace), with_executor=True), engine="spark")
    assert len(killed(trace)) == 2
    assert wait_for_death(killed(trace))
    assert_same(found, stability(Deadly()))


class Counted:
    """A large value that counts how often it is sent."""

    n_sent = 0

    def __init__(self) -> None:
        self.numbers = np.arange(8_000.0)

    def __reduce__(self) -> tuple[Any, ...]:
        Counted.n_sent += 1
        return np.asarray, (self.numbers,)


def test_joblib_on_dask_sends_shared_values_once(dask_client: Any) -> None:
    Counted.n_sent = 0
    ranges = [(start, start + 100) for start in range(0, 8_000, 100)]
    with (
        joblib.parallel_config(backend="dask", client=dask_client),
        JoblibEngine() as workers,
    ):
        assert len(list(workers.map(total_of_range, ranges, shared=Counted()))) == 80
    # Never with a job: its size is asked for, then it is sent.
    assert Counted.n_sent <= 4


class AtTheEnd(ThreadingBackend):
    """A backend that gives all results at once, as some do."""

    supports_return_generator = False


def test_backends_of_joblib_may_give_results_at_the_end() -> None:
    joblib.register_parallel_backend("at-the-end", AtTheEnd)
    with joblib.parallel_config(backend="at-the-end", n_jobs=2):
        assert_same(contributions(), alone("RandSel"))
        assert_same(reproduction(jobs=2), alone("reproduce"))


def test_a_killed_run_with_an_engine_goes_on(tmp_path: Path) -> None:
    script = (
        "from tests.comparison.fake import EXPERIMENT\n"
        "from hsieve.comparison import runner\n"
        "from hsieve.comparison.runner import Settings\n"
        "from pathlib import Path\n"
        f"runner.run(EXPERIMENT, Settings(engine='threads'), Path({str(tmp_path)!r}))\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script], cwd=ROOT, env={**os.environ, SLOWLY: "0.1"}
    )
    path = tmp_path / "fake.jsonl"
    end = time.monotonic() + 60
    while not path.exists() or len(path.read_bytes().splitlines()) < 5:
        assert process.poll() is None
        assert time.monotonic() < end
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    outcome = runner.run(EXPERIMENT, Settings(engine="threads"), tmp_path)
    assert outcome.records == alone("reproduce")


def test_the_folder_of_a_comparison_does_not_know_the_engine(tmp_path: Path) -> None:
    one = hsieve.compare([Fixed()], X, Y, cv=3, folder=tmp_path)
    other = hsieve.compare([Fixed()], X, Y, cv=3, folder=tmp_path, engine="threads")
    assert other.records == one.records


@pytest.mark.parametrize(
    "fit",
    [
        lambda **who: hsieve.StabilitySelection(**who).fit(X, Y),
        lambda **who: RandSel(**who).fit(X, Y),
        lambda **who: L1HSIC(**who).fit(X, Y),
        lambda **who: L1LSMI(**who).fit(X, Y),
        lambda **who: hsieve.compare([MaxRelevance(2)], X, Y, **who),
    ],
)
def test_processes_and_an_engine_do_not_go_together(fit: Callable[..., Any]) -> None:
    with pytest.raises(ValueError, match=r"n_jobs=2 and engine='threads' both say"):
        fit(n_jobs=2, engine="threads")
    with pytest.raises(ValueError, match="engine must be 'local', 'threads'"):
        fit(engine="abacus")


def test_settings_of_experiments_take_one_of_them() -> None:
    with pytest.raises(ValueError, match="jobs=2 and engine='dask' both say"):
        Settings(jobs=2, engine="dask")


@pytest.mark.parametrize("inner", ["dask", {"name": "spark"}, EngineSettings("dask")])
@pytest.mark.parametrize("outer", ["threads", "dask"])
def test_clusters_inside_an_engine_are_refused(outer: str, inner: Any) -> None:
    chosen = DependenceSelector(HSIC(), strategy=RandomisedContributions(engine=inner))
    for base, name in ((N3LARS(3, engine=inner), "engine"), (chosen, "strategy__engine")):
        with pytest.raises(ValueError, match=f"leave out {name}="):
            hsieve.StabilitySelection(base, engine=outer).fit(X, Y)
        with pytest.raises(ValueError, match=f"leave out {name}="):
            hsieve.compare({"it": base}, X, Y, engine=outer)


def test_dask_inside_a_task_of_dask_is_refused_instead_of_waiting(dask_client: Any) -> None:
    with (
        joblib.parallel_config(backend="dask", client=dask_client),
        JoblibEngine() as workers,
        pytest.raises(EngineError, match="inside a task of Dask"),
    ):
        list(workers.map(open_dask, range(4)))


def test_processes_with_a_cluster_each_are_refused() -> None:
    with pytest.raises(ValueError, match=r"n_jobs=2 does .* leave out engine='dask', or n_jobs"):
        hsieve.StabilitySelection(N3LARS(3, engine="dask"), n_jobs=2).fit(X, Y)


def test_all_fits_of_a_base_share_its_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    from distributed import LocalCluster

    started = []
    start = LocalCluster.__init__

    def counted(cluster: Any, *args: Any, **options: Any) -> None:
        started.append(cluster)
        start(cluster, *args, **options)

    monkeypatch.setattr(LocalCluster, "__init__", counted)
    base = MaxRelevance(engine={"name": "dask", "n_workers": 1})
    options: dict[str, Any] = {"n_subsamples": 4, "n_per_subsample": 3, "n_features_to_select": 2}
    found = hsieve.StabilitySelection(base, **options).fit(X, Y)
    assert len(started) == 1
    expected = hsieve.StabilitySelection(MaxRelevance(), **options).fit(X, Y)
    np.testing.assert_array_equal(found.frequencies_, expected.frequencies_)


def test_threads_inside_an_engine_are_welcome() -> None:
    inner = L1HSIC(3, n_restarts=2)
    found = stability(L1HSIC(3, n_restarts=2, engine="threads"), engine="threads")
    assert_same(found, stability(inner))


def test_pipelines_are_looked_into() -> None:
    base = make_pipeline(N3LARS(engine="dask"), Lasso())
    with pytest.raises(ValueError, match="leave out n3lars__engine='dask'"):
        hsieve.StabilitySelection(base, engine="threads").fit(X, Y)


def test_an_engine_for_jobs_stays_one_of_them() -> None:
    assert isinstance(make_job_engine(2), JoblibEngine)
    assert not isinstance(make_job_engine(engine="threads"), JoblibEngine)


def test_selectors_with_an_engine_can_be_copied() -> None:
    selector = RandSel(3, engine=EngineSettings("threads", n_workers=2))
    assert pickle.loads(pickle.dumps(selector)).engine == selector.engine
