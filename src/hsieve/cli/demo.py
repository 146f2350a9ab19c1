"""The demonstration: tasks with a known answer, with explanations.

The data come with the package: they are generated from a seed. Each task has an answer that plain
correlation cannot find, which is shown beside.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table

from hsieve.cli.console import result_console
from hsieve.datasets import Problem, make_n3lars, make_nonlinear_weston, make_quad, make_xor
from hsieve.progress import show_progress
from hsieve.selectors.methods import find_method


@dataclass(frozen=True)
class Lesson:
    """A task with what it is about for a newcomer, and the method that solves it."""

    title: str
    story: str
    make: Callable[[int], Problem]
    method: str
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class DemoOutcome:
    """True features of a lesson, those chosen by its method, and those by plain correlation.

    All rise. `copies` are, for a true feature, others that are as good in its place.
    """

    lesson: Lesson
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
        {"max_redundancy": 0.9},  # keeps copies of a chosen feature out
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
        {"interactions": "pairs", "max_redundancy": 0.9},
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


def solve_and_print(seed: int) -> bool:
    """Solve all lessons and print them; tell whether every one was solved."""
    console = result_console()
    console.print("Made-up data with a known answer: does hsieve find the features that matter?\n")
    with show_progress("selecting features"):
        found = [_solved(lesson, seed) for lesson in LESSONS]
    for number, outcome in enumerate(found, start=1):
        _print_lesson(console, number, outcome)
    seconds = sum(outcome.seconds for outcome in found)
    n_right = sum(outcome.agrees for outcome in found)
    if n_right == len(found):
        console.print(f"All true features were found, in {seconds:.1f} s.")
        return True
    console.print(f"The truth was found in {n_right} of {len(found)} tasks, in {seconds:.1f} s.")
    return False


def _solved(lesson: Lesson, seed: int) -> DemoOutcome:
    """Choose as many features as are true, by the method of the lesson and by correlation."""
    problem = lesson.make(seed)
    started = time.perf_counter()
    chosen = _choose(lesson.method, problem, **lesson.settings)
    seconds = time.perf_counter() - started
    truth = tuple(problem.relevant.tolist())
    by_correlation = _choose("pearson", problem)
    return DemoOutcome(lesson, truth, chosen, by_correlation, seconds, problem.copies)


def _choose(method: str, problem: Problem, **settings: Any) -> tuple[int, ...]:
    selector = find_method(method).make(
        n_features_to_select=problem.n_relevant,
        target_kind=problem.target_kind,
        random_state=0,
        **settings,
    )
    return tuple(sorted(selector.fit(problem.X, problem.y).selected_indices_.tolist()))


def _print_lesson(console: Console, number: int, outcome: DemoOutcome) -> None:
    """Print a task of the demonstration, its answer and ours."""
    lesson = outcome.lesson
    console.print(f"{number}. {lesson.title}", style="bold")
    console.print(Padding(lesson.story, (0, 0, 0, 3), expand=False))
    n_common = len(set(outcome.originals(outcome.by_correlation)) & set(outcome.truth))
    verdict = "agrees with the truth" if outcome.agrees else "DIFFERS from the truth"
    if outcome.agrees and outcome.chosen != outcome.truth:
        verdict += ", a copy being as good as its original"
    option = " --interactions" if "interactions" in lesson.settings else ""
    answers = Table.grid(padding=(0, 2))
    for what, features, remark in (
        ("true features", outcome.truth, ""),
        (
            f"chosen ({lesson.method}{option})",
            outcome.chosen,
            f"{verdict}, {outcome.seconds:.1f} s",
        ),
        ("by correlation", outcome.by_correlation, f"{n_common} of {len(outcome.truth)} right"),
    ):
        answers.add_row(what, " ".join(f"x{feature}" for feature in features), remark)
    console.print(Padding(answers, (0, 0, 1, 3), expand=False))
