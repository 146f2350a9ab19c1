"""Problems whose true features are known.

Whether a selector works is seen on data made by a recipe, where the features that determine
the target are known beforehand. Each generator follows the recipe of a paper and answers with a
:class:`Problem`: the data, the true columns, and what kind of target it is.

* and-or, quad and xor-toy are the toy sets of Jitkrittum, Hachiya and Sugiyama (2012).
* fake-class, linear-weston, zhang-sample, zhang-feature, nonlinear-weston and xor are the six sets
  of Athanasakis (2014), made after Weston et al. (2000) and Zhang et al. (2006).
* n3lars is the regression problem of Yamada et al. (2014), in which every feature has a near copy.
* frequency-bands is made after the recordings of Song et al. (2007): signals with a rhythm that is
  weaker in one class; its features are frequencies.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from hsieve.datasets.base import Problem
from hsieve.datasets.frequency_bands import BandProblem, make_frequency_bands
from hsieve.datasets.thesis import (
    make_fake_class,
    make_linear_weston,
    make_nonlinear_weston,
    make_zhang_feature_outliers,
    make_zhang_sample_outliers,
)
from hsieve.datasets.toys import make_and_or, make_n3lars, make_quad, make_xor, make_xor_toy
from hsieve.parameters import word

__all__ = [
    "PROBLEMS",
    "BandProblem",
    "Problem",
    "make_and_or",
    "make_fake_class",
    "make_frequency_bands",
    "make_linear_weston",
    "make_n3lars",
    "make_nonlinear_weston",
    "make_problem",
    "make_quad",
    "make_xor",
    "make_xor_toy",
    "make_zhang_feature_outliers",
    "make_zhang_sample_outliers",
]


PROBLEMS: Mapping[str, Callable[..., Problem]] = MappingProxyType(
    {
        "and-or": make_and_or,
        "quad": make_quad,
        "xor-toy": make_xor_toy,
        "fake-class": make_fake_class,
        "linear-weston": make_linear_weston,
        "zhang-sample": make_zhang_sample_outliers,
        "zhang-feature": make_zhang_feature_outliers,
        "nonlinear-weston": make_nonlinear_weston,
        "xor": make_xor,
        "n3lars": make_n3lars,
        "frequency-bands": make_frequency_bands,
    }
)


def make_problem(name: str, **options: Any) -> Problem:
    """Make the problem of a given name.

    Parameters
    ----------
    name : str
        A key of :data:`PROBLEMS`.
    **options
        Arguments of that problem's generator, such as `n_samples` and `random_state`.

    Returns
    -------
    Problem
        What the generator returns.

    Examples
    --------
    >>> from hsieve.datasets import make_problem
    >>> make_problem("xor", n_samples=40, n_features=5, random_state=0).X.shape
    (40, 5)
    """
    word(*PROBLEMS).check("name", name)
    return PROBLEMS[name](**options)
