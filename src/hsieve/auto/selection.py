"""What :func:`hsieve.select` gives back: the features, and why these."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hsieve.data.columns import ColumnBlocks
from hsieve.dataset import Dataset, open_dataset
from hsieve.exceptions import IdentifierWarning
from hsieve.io.anndata import is_annotated
from hsieve.io.frames import collected, frame_names, is_frame, pandas_frame, take_columns
from hsieve.io.sparse import is_sparse
from hsieve.text import html_table, shortened

if TYPE_CHECKING:
    from hsieve.report.analysis import Analysis
    from hsieve.report.page import Report

__all__ = ["Selection"]

SHOWN = 20
NAME_LENGTH = 60
# Settings by which data are opened.
READING = ("categorical", "missing", "target_kind")


@dataclass(frozen=True, eq=False)
class Selection:
    """The features that were chosen, and what was done to find them.

    Parameters
    ----------
    features : tuple of str
        Names of the chosen features, best first.
    indices : ndarray of shape (n_selected,)
        Their positions, best first.
    scores : ndarray of shape (n_selected,)
        Their scores; what they mean depends on the method.
    method : str
        The method, as on the command line.
    reasons : tuple of str
        What was chosen and why, in sentences.
    selector : BaseSelector
        The fitted selector.
    notes : tuple of str
        What was done to the data, and what could not be chosen.
    substitutes : mapping of str to tuple of str
        For chosen features, others that carry nearly the same information.
    width : float or None
        Width of a Gaussian kernel over the chosen features, standardised, that suits them.
    names : tuple of str
        Names of all features.
    settings : mapping
        What the call was given beside the data, as far as it is not the default.
    """

    features: tuple[str, ...]
    indices: NDArray[np.intp]
    scores: NDArray[np.floating]
    method: str
    reasons: tuple[str, ...]
    selector: Any = field(repr=False)
    notes: tuple[str, ...] = ()
    substitutes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    width: float | None = None
    names: tuple[str, ...] = field(default=(), repr=False)
    settings: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def transform(self, X: Any) -> Any:
        """Keep the chosen features.

        Parameters
        ----------
        X : array, sparse matrix, data frame or AnnData
            Data with the same features.

        Returns
        -------
        of the type of X
            The chosen columns in the order of X, values and types as they are: what is missing
            stays missing. Of a frame or an AnnData they are taken by name.
        """
        if is_annotated(X):
            chosen = set(self.features)
            self._refuse_lacking(map(str, X.var_names))
            return X[:, [str(name) in chosen for name in X.var_names]]
        X = collected(X)
        if is_frame(X):
            names = list(map(str, frame_names(X)))
            self._refuse_lacking(names)
            chosen = set(self.features)
            return take_columns(X, np.flatnonzero([name in chosen for name in names]))
        if isinstance(X, ColumnBlocks):
            self._check_width(X.n_features)
            return X.read(np.sort(self.indices))
        if is_sparse(X):
            self._check_width(X.shape[1])
            return X[:, np.sort(self.indices)]
        data = np.asanyarray(X)  # masks stay
        self._check_width(data.shape[1] if data.ndim == 2 else -1)
        return data[:, np.sort(self.indices)]

    def to_frame(self) -> Any:
        """Return a pandas frame with a row for each chosen feature, best first."""
        columns = {
            "feature": self.features,
            "rank": np.arange(1, len(self.features) + 1),
            "score": self.scores,
        }
        return pandas_frame(columns, "features and scores").set_index("feature")

    def summary(self, X: Any = None, y: Any = None, **options: Any) -> "Analysis":
        """Tell the result in a table and a few sentences, with the reasons.

        Parameters
        ----------
        X, y : array-like or None, default=None
            The data given to :func:`hsieve.select`. Without them the report has no p-values, no
            pictures of samples, and does not know the name of the target.
        **options
            As the ``summary`` of a selector takes them.

        Returns
        -------
        Analysis
            What the selector's ``summary`` gives, and the reasons.
        """
        return self._analysis(X, y, pictures=False, **options)

    def report(self, X: Any = None, y: Any = None, **options: Any) -> "Report":
        """Report on the selection on one page, with the reasons.

        Parameters
        ----------
        X, y : array-like or None, default=None
            The data given to :func:`hsieve.select`. Without them the report has no p-values, no
            pictures of samples, and does not know the name of the target.
        **options
            As the ``report`` of a selector takes them.

        Returns
        -------
        Report
            What the selector's ``report`` gives, and the reasons.
        """
        from hsieve.report.page import Report

        return Report(self._analysis(X, y, **options))

    def _analysis(self, X: Any, y: Any, **options: Any) -> "Analysis":
        from hsieve.report.analysis import AnalysisOptions, analyse
        from hsieve.report.repetition import Origin

        origin = Origin(notes=self.notes, reasons=self.reasons, settings=self.settings)
        named = {"feature_names": self.names or None, **options}
        return analyse(
            self.selector, *self._opened(X, y), options=AnalysisOptions(origin=origin, **named)
        )

    def _opened(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Open data as :func:`hsieve.select` did, with the same treatment of missing values."""
        if X is None or y is None or isinstance(X, Dataset):
            return X, y
        reading = {name: self.settings[name] for name in READING if name in self.settings}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", IdentifierWarning)  # the notes say it
            return open_dataset(X, y, names=self.names or None, **reading), None

    def _refuse_lacking(self, names: Any) -> None:
        known = set(names)
        lacking = [name for name in self.features if name not in known]
        if lacking:
            msg = f"The data have no column {lacking[0]!r}, which was chosen."
            raise ValueError(msg)

    def _check_width(self, n_features: int) -> None:
        if n_features != len(self.names):
            msg = f"X must have {len(self.names)} columns, as in the selection, got {n_features}."
            raise ValueError(msg)

    def __len__(self) -> int:
        return len(self.features)

    def __str__(self) -> str:
        head, rows, more, why = self._shown()
        longest = max((len(name) for _, name, _ in rows), default=0)
        lines = [f"{place:>4}  {name:<{longest}}  {score}" for place, name, score in rows]
        return "\n".join(
            [head, *lines, *(f"      {one}" for one in more), "Why:", *(f"- {one}" for one in why)]
        )

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head, rows, more, why = self._shown()
        return html_table(head, ("rank", "feature", "score"), rows, [*more, *why])

    def _shown(self) -> tuple[str, list[tuple[str, str, str]], list[str], list[str]]:
        """Return a heading, a row for each of the first features, how many more, and why."""
        n_more = len(self.features) - SHOWN
        rows = [
            (str(place), shortened(name, NAME_LENGTH), f"{score:.4g}")
            for place, (name, score) in enumerate(
                zip(self.features[:SHOWN], self.scores[:SHOWN], strict=True), 1
            )
        ]
        return (
            f"{len(self.features)} of {len(self.names)} features by {self.method}",
            rows,
            [f"... and {n_more} more"] if n_more > 0 else [],
            [*self.notes, *self.reasons],
        )
