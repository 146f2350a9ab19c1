"""The interface of engines: one function over many tasks, results in the order of the tasks.

An engine contains no statistical code. It is a context with one method, `map`; whoever uses it
decides what a task is. For the answer to be the same on every engine and with any number of workers

* functions are pure and belong to a module, so that other processes can import them;
* tasks are small references to data (a path and a range of columns) and follow from the data
  alone, never from the number of workers;
* results are small, and are added up in the order in which they come, that of the tasks.

Every task is run with one BLAS thread, since some BLAS give other last digits with more.
"""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass
from importlib import import_module
from pickle import PicklingError, dumps
from typing import Any, Self, TypeAlias, TypeVar
from weakref import WeakSet

Item = TypeVar("Item")
Started = TypeVar("Started")
Entered = TypeVar("Entered")
Task = TypeVar("Task")
Result = TypeVar("Result")
Results: TypeAlias = Generator[Any, None, None]


class EngineError(RuntimeError):
    """The engine could not do the work, through no fault of the function it was given."""


@dataclass(frozen=True)
class Traffic:
    """Bytes that crossed the border between processes.

    Parameters
    ----------
    tasks, results : int, default=0
        Bytes of tasks sent and of results received.
    shared : int, default=0
        Bytes of shared values, once for each worker process that used them.

    Notes
    -----
    Counted is what this library sends and receives. What a cluster moves between its workers by
    itself is not: chunks of a Dask array on their way to whole columns, copies of shared values
    from worker to worker, and whatever is read from storage.

    Examples
    --------
    >>> before, after = Traffic(tasks=10), Traffic(tasks=30, results=5)
    >>> (after - before).total
    25
    """

    tasks: int = 0
    shared: int = 0
    results: int = 0

    @property
    def total(self) -> int:
        """All bytes."""
        return self.tasks + self.shared + self.results

    def __add__(self, other: "Traffic") -> "Traffic":
        return Traffic(
            self.tasks + other.tasks, self.shared + other.shared, self.results + other.results
        )

    def __sub__(self, other: "Traffic") -> "Traffic":
        return Traffic(
            self.tasks - other.tasks, self.shared - other.shared, self.results - other.results
        )


@dataclass(frozen=True, eq=False)
class Held:
    """A task and data that go with it, which are where the work is done.

    Parameters
    ----------
    task : object
        The task, as small as any.
    data : tuple
        What the engine gave for data that it holds (``DaskEngine.hold``).
        The function finds the data themselves in this place.
    """

    task: Any
    data: tuple[Any, ...]


class Engine(ABC):
    """Runs a function over tasks, somewhere; to be used in a `with` block, from one thread.

    Attributes
    ----------
    is_local : bool
        Whether tasks are done in this process, so that nothing is copied.
    keeps_results : bool
        Whether results are stored, so that they should be small even if nothing is copied.
    traffic : Traffic
        Bytes moved between processes since the engine was made. The difference of two readings
        is what the work in between has moved.
    staging : str or None
        Folder that all workers see, for data that are written there as long as the work takes.

    Examples
    --------
    >>> from operator import mul
    >>> from hsieve.parallel import make_engine
    >>> with make_engine("threads") as engine:
    ...     list(engine.map(mul, [1, 2, 3], shared=10))
    [10, 20, 30]
    """

    is_local: bool = False
    keeps_results: bool = False
    staging: str | None = None

    def __init__(
        self,
        scheduler: str | None = None,
        n_workers: int | None = None,
        in_flight: int | None = None,
    ) -> None:
        self._scheduler, self._n_workers, self._in_flight = scheduler, n_workers, in_flight
        self._traffic = Traffic()
        self._open: ExitStack | None = None
        self._maps: WeakSet[Generator[Any, None, None]] = WeakSet()

    @property
    def n_threads(self) -> int:
        """Threads of this process that it works with."""
        return 1

    @property
    def traffic(self) -> Traffic:
        """Bytes moved between processes so far."""
        return self._traffic

    @property
    def is_open(self) -> bool:
        """Whether its block is entered."""
        return self._open is not None

    def __enter__(self) -> Self:
        if self._open is not None:
            msg = "This engine is open already; make another one for work inside its block."
            raise RuntimeError(msg)
        with ExitStack() as opened:
            self._start(opened)
            self._open = opened.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        opened, self._open = self._open, None
        if opened is not None:
            with opened:
                for results in list(self._maps):
                    results.close()

    def map(
        self,
        function: Callable[[Task, Any], Result],
        tasks: Iterable[Task],
        *,
        shared: Any = None,
        most_in_flight: int | None = None,
    ) -> Generator[Result, None, None]:
        """Run `function(task, shared)` for each task.

        Parameters
        ----------
        function : callable
            A pure function of a module, or a `functools.partial` of one.
        tasks : iterable
            Asked for one at a time, as results are taken.
        shared : object, default=None
            What all tasks need; it is sent to each worker once.
        most_in_flight : int or None, default=None
            Most tasks that may be begun and not yet given back, because they share the memory of
            this process. Workers of other processes have their own and do not care.

        Yields
        ------
        object
            The results, in the order of the tasks. Nothing is done before the first one is asked
            for, and only some tasks ahead of the one that is taken.

        Raises
        ------
        Exception
            What the function has raised, for the first task in order for which it did. The other
            tasks are given up.
        EngineError
            If the engine fails, for example because workers die again and again.

        Notes
        -----
        Closing the generator, dropping it or leaving the block of the engine gives up the rest.
        """
        self._block()
        _refuse_local(function)
        most = None if most_in_flight is None else max(1, most_in_flight)
        results = self._map(function, iter(tasks), shared, most)
        self._maps.add(results)
        return results

    def keep(self, context: AbstractContextManager[Entered]) -> Entered:
        """Enter a context, such as that of a temporary folder, until the engine's block ends.

        Parameters
        ----------
        context : context manager
            What the work needs.

        Returns
        -------
        object
            What entering it gave.
        """
        return self._block().enter_context(context)

    def offered(self) -> AbstractContextManager[Any]:
        """Let engines of the same name that are made inside the block use these workers.

        Returns
        -------
        context manager
            The block; it ends before that of the engine.
        """
        return nullcontext()

    def _block(self) -> ExitStack:
        """Return what ends with the block of the engine."""
        if self._open is None:
            msg = "Engines work inside their block only: `with make_engine(...) as engine:`."
            raise RuntimeError(msg)
        return self._open

    def _count(self, moved: Traffic) -> None:
        """Add to what was moved."""
        self._traffic += moved

    def _start(self, opened: ExitStack) -> None:  # noqa: B027
        """Get ready, and tell `opened` what is to be closed afterwards; most need nothing."""

    @abstractmethod
    def _map(self, function: Any, tasks: Iterator[Any], shared: Any, most: int | None) -> Results:
        """Do what `map` says; whatever is under way must end with the generator.

        No more tasks than `most` may be in flight, if they are done in this process.
        """


def in_order(
    items: Iterable[Item],
    most: int,
    *,
    begin: Callable[[Item], Started],
    end: Callable[[Started], Result],
    waiting: deque[Started],
) -> Iterator[Result]:
    """Begin items some way ahead and end them in order."""
    for item in items:
        waiting.append(begin(item))
        if len(waiting) >= most:
            yield end(waiting.popleft())
    while waiting:
        yield end(waiting.popleft())


def version() -> str:
    """Return the version of hsieve in this process."""
    # By name, because this layer knows none of those above it.
    found: str = import_module("hsieve").__version__
    return found


def _refuse_local(function: Callable[..., Any]) -> None:
    """Refuse, on every engine, a function that other processes could not import."""
    try:
        dumps(function)
    except (PicklingError, AttributeError, TypeError) as error:
        msg = (
            f"function must belong to a module, so that other processes can import it; got "
            f"{function!r}, a lambda or something defined inside a function."
        )
        raise TypeError(msg) from error
