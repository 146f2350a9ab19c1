"""The demonstration: tasks with a known answer, told in plain words.

The data come with the package: they are generated from a seed. Each task has an answer that plain
correlation cannot find, which is shown beside.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from hsieve.cli.methods import MethodRequest, find_method
from hsieve.datasets import Problem, make_n3lars, make_nonlinear_weston, make_quad, make_xor

__all__ = ["LESSONS", "DemoOutcome", "Lesson", "outcomes"]

# Keeps copies of a chosen feature out, as `hsieve select --max-redundancy` does.
MAX_REDUNDANCY = 0.9


@dataclass(frozen=True)
class Lesson:
    """A task and the method that solves it.

    Parameters
    ----------
    title, story : str
        What it is about, for a newcomer.
    make : callable
        Makes the data from a seed.
    method : str
        Name of the method, as 'hsieve methods' lists it.
    interactions : bool, default=False
        Whether pairs of features are looked at too.
    """

    title: str
    story: str
    make: Callable[[int], Problem]
    method: str
    interactions: bool = False


@dataclass(frozen=True)
class DemoOutcome:
    """What came of a lesson.

    Parameters
    ----------
    lesson : Lesson
        The task.
    n_samples, n_features : int
        Size of its data.
    truth, chosen, by_correlation : tuple of int
        True features, those chosen by the lesson's method, and by plain correlation; rising.
    seconds : float
        Time of the lesson's method.
    copies : dict of int to tuple of int, default={}
        For a true feature, features that are as good in its place.
    """

    lesson: Lesson
    n_samples: int
    n_features: int
    truth: tuple[int, ...]
    chosen: tuple[int, ...]
    by_correlation: tuple[int, ...]
    seconds: float
    copies: dict[int, tuple[int, ...]] = field(default_factory=dict)

    @property
    def agrees(self) -> bool:
        """Whether exactly the true features were chosen, each once: itself or a copy of it."""
        return self.originals(self.chosen) == self.truth

    def originals(self, features: Iterable[int]) -> tuple[int, ...]:
        """Return features with copies replaced by their originals; rising."""
        original = {copy: true for true, copies in self.copies.items() for copy in copies}
        return tuple(sorted(original.get(feature, feature) for feature in features))


LESSONS = (
    Lesson(
        "Three signals among 2000, and every one has a copy",
        "The target follows a curve in three of the variables. For each of the 2000 there is "
        "another that is nearly the same, so the best three by themselves are one signal twice. "
        "Each signal is wanted once; its copy (1000 numbers further on) is as good.",
        lambda seed: make_n3lars(600, 2000, random_state=seed),
        "n3lars",
    ),
    Lesson(
        "Two switches among 200",
        "The target says whether two of the 200 switches stand alike. Either one alone says "
        "nothing about it: they matter only together.",
        lambda seed: make_xor(kind="binary", shuffle=True, random_state=seed),
        "bahsic",
    ),
    Lesson(
        "Two measurements among 5000",
        "The target says whether two of the 5000 measurements lie on the same side of their "
        "average. Every one of the 12 million pairs is looked at.",
        lambda seed: make_xor(400, 5000, kind="continuous", shuffle=True, random_state=seed),
        "n3lars",
        interactions=True,
    ),
    Lesson(
        "Ten measurements among 200",
        "Two groups of samples have the same average in every measurement. They differ in how "
        "ten of the measurements go together.",
        lambda seed: make_nonlinear_weston(random_state=seed),
        "bahsic",
    ),
    Lesson(
        "A curve in two variables",
        "The target is a number that follows a curve in two of ten variables. Two others are "
        "relatives of the true ones and look tempting.",
        lambda seed: make_quad(random_state=seed),
        "fohsic",
    ),
)


def outcomes(seed: int) -> Iterator[DemoOutcome]:
    """Go through the lessons."""
    for lesson in LESSONS:
        problem = lesson.make(seed)
        started = time.perf_counter()
        chosen = _choose(lesson.method, problem, interactions=lesson.interactions)
        seconds = time.perf_counter() - started
        yield DemoOutcome(
            lesson=lesson,
            n_samples=problem.X.shape[0],
            n_features=problem.X.shape[1],
            truth=tuple(problem.relevant.tolist()),
            chosen=chosen,
            by_correlation=_choose("pearson", problem),
            seconds=seconds,
            copies=problem.copies,
        )


def _choose(method: str, problem: Problem, *, interactions: bool = False) -> tuple[int, ...]:
    """Choose as many features as are true, as `hsieve select` would."""
    chosen = find_method(method)
    request = MethodRequest(
        n_features=problem.n_relevant,
        categorical=(),
        target_kind=problem.target_kind,
        random_state=0,
        max_redundancy=MAX_REDUNDANCY if chosen.has_path else None,
        interactions=interactions,
    )
    selector = chosen.make(**request.parameters).fit(problem.X, problem.y)
    return tuple(sorted(selector.selected_indices_.tolist()))
