"""Free choice: any measure with any strategy that fits it."""

from dataclasses import KW_ONLY, dataclass

from hsieve.kernels import Linear
from hsieve.measures import HSIC, NHSIC, KernelRidge, MutualInformation, Pearson, Ridge
from hsieve.measures.base import Measure
from hsieve.selectors.search import SearchSelector
from hsieve.selectors.spec import MODELS, RANKINGS, MethodSpec, Variant
from hsieve.strategies import Backward, Forward, Ranking
from hsieve.strategies.base import Strategy

STRATEGIES = {"ranking": Ranking, "forward": Forward, "backward": Backward}


@dataclass(eq=False, repr=False)
class DependenceSelector(SearchSelector):
    """Select features with a measure of dependence and a search strategy of your choice.

    Parameters
    ----------
    measure : Measure or None, default=None
        How dependent features and target are; None is ``HSIC()``.
    strategy : Strategy or {"ranking", "forward", "backward"}, default="ranking"
        How sets of features are searched.
    {n_features_to_select}

    Attributes
    ----------
    {usual_attributes}

    Notes
    -----
    A strategy refuses a measure that lacks what it needs, by name: correlation and mutual
    information know single features and pairs but no sets, so ``Forward`` and ``Backward`` refuse
    them.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve import NHSIC, DependenceSelector
    >>> X = np.random.default_rng(0).normal(size=(100, 6))
    >>> y = np.abs(X[:, 4])
    >>> DependenceSelector(NHSIC(), n_features_to_select=1).fit(X, y).selected_indices_
    array([4])
    """

    measure: Measure | None = None
    _: KW_ONLY
    strategy: Strategy | str = "ranking"
    n_features_to_select: int | float | str | None = None

    spec = MethodSpec(
        does="searches with a measure and a strategy of your choice.",
        score="Score that decided the place of the feature.",
        cost="n^2 d",
        group=RANKINGS,
        variants=(
            Variant("hsic", "effects of any shape", lambda: {"measure": HSIC()}),
            Variant(
                "nhsic", "effects of any shape, score from 0 to 1", lambda: {"measure": NHSIC()}
            ),
            Variant(
                "linear-hsic", "straight-line effects", lambda: {"measure": HSIC(kernel_x=Linear())}
            ),
            Variant(
                "mutual-information",
                "effects of any shape, in nats",
                lambda: {"measure": MutualInformation()},
                "n log(n) d",
            ),
            Variant("pearson", "absolute correlation", lambda: {"measure": Pearson()}, "n d"),
            Variant(
                "ridge",
                "drops what a linear ridge regression does not miss",
                lambda: {"measure": Ridge(), "strategy": Backward(step=0.25)},
                "n^3 + n^2 d a round",
                MODELS,
            ),
            Variant(
                "kernel-ridge",
                "drops what a kernel ridge regression does not miss",
                lambda: {"measure": KernelRidge(), "strategy": Backward(step=0.25)},
                "n^3 d a round",
                MODELS,
            ),
        ),
    )

    def make_components(self) -> tuple[Measure, Strategy]:
        """Make the measure and the strategy of these settings."""
        measure = HSIC() if self.measure is None else self.measure
        if isinstance(self.strategy, Strategy):
            return measure, self.strategy
        if self.strategy not in STRATEGIES:
            msg = (
                f"strategy must be a Strategy or one of {tuple(STRATEGIES)}, got {self.strategy!r}."
            )
            raise ValueError(msg)
        return measure, STRATEGIES[self.strategy]()
