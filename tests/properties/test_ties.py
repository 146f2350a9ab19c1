"""Exact copies of features tie, wherever they stand, and ties go to the lower feature.

Products of matrices round an entry by its place, and each processor has its own way to do so:
`make test-processors` runs these tests on several.
"""

import numpy as np
import pytest

from hsieve import (
    BAHSIC,
    FCBF,
    FOHSIC,
    HSIC,
    MRMR,
    N3LARS,
    NHSIC,
    SPEC,
    DependenceSelector,
    FamilyRanking,
    HSICLasso,
    InteractionScan,
    LaplacianScore,
    MaxRelevance,
    MutualInformation,
    PairwiseHSIC,
    Pearson,
    ReliefF,
)

# More than a tile, or a block of features, and a number that no block divides.
N_FEATURES = 619
SELECTORS = {
    "ranking, HSIC": DependenceSelector(HSIC(), n_features_to_select=8),
    "ranking, Pearson": DependenceSelector(Pearson(), n_features_to_select=8),
    "ranking, mutual information": DependenceSelector(MutualInformation(), n_features_to_select=8),
    "ranking, pairwise HSIC": MaxRelevance(8),
    "ranking, family": FamilyRanking(8),
    "ranking, ReliefF": ReliefF(8),
    "ranking, SPEC": SPEC(8),
    "ranking, Laplacian score": LaplacianScore(8),
    "forward, HSIC": FOHSIC(8),
    "forward, NHSIC": DependenceSelector(NHSIC(), strategy="forward", n_features_to_select=8),
    "backward, HSIC": BAHSIC(8),
    "backward, NHSIC": DependenceSelector(NHSIC(), strategy="backward", n_features_to_select=8),
    "mRMR": MRMR(8),
    "mRMR, quotient": MRMR(8, form="quotient"),
    "mRMR, pairwise HSIC": MRMR(8, measure=PairwiseHSIC()),
    "LARS": N3LARS(8),
    "LARS, not normalised": HSICLasso(8),
    "LARS, coded": N3LARS(8, form="coded"),
    "LARS with pairs": N3LARS(8, interactions="pairs"),
    "pairs": InteractionScan(8, n_permutations=0),
    "FCBF": FCBF(8),
}


def with_copies(seed, n_features):
    """Four features that matter, each five times: first, last, side by side, anywhere."""
    rng = np.random.default_rng(seed)
    n_samples = int(rng.integers(60, 220))
    X, matter = rng.normal(size=(n_samples, n_features)), rng.normal(size=(n_samples, 4))
    free = rng.permutation(np.arange(4, n_features - 4))
    groups = [
        np.sort([place, place + n_features - 4, *free[3 * place : 3 * place + 3]])
        for place in range(4)
    ]
    for group, column in zip(groups, matter.T, strict=True):
        X[:, group] = column[:, None]
    noise = 0.3 * rng.normal(size=n_samples)
    return X, matter @ [1.0, 0.8, 0.6, 0.5] + matter[:, 0] * matter[:, 1] + noise, groups


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", SELECTORS)
def test_of_exact_copies_the_first_is_selected(name, seed):
    X, y, groups = with_copies(seed, 151 if name == "backward, HSIC" else N_FEATURES)
    selected = SELECTORS[name].fit(X, y > np.median(y) if seed == 2 else y).selected_indices_
    for group in groups:
        found = [feature for feature in selected.tolist() if feature in group]
        assert found == group[: len(found)].tolist()


@pytest.mark.parametrize("triples", ["all", "beam"])
def test_of_triples_of_exact_copies_the_first_is_found_first(triples, rng):
    bits = rng.integers(0, 2, (160, 3))
    X = np.column_stack([rng.integers(0, 2, (160, 6)), *[bits] * 4])
    X = np.column_stack([X, rng.normal(size=160)]).astype(float)
    scan = InteractionScan(order=3, triples=triples, n_permutations=0, n_pairs=64)
    found = [one.features for one in scan.fit(X, bits.sum(axis=1) % 2).triples_]
    copies = [np.arange(6 + place, 18, 3) for place in range(3)]
    expected = sorted(
        tuple(sorted((a, b, c))) for a in copies[0] for b in copies[1] for c in copies[2]
    )
    if triples == "beam":  # looks at some of them only
        found = [one for one in found if one in expected]
        assert found == sorted(found)
        assert found[0] == expected[0]
    else:
        assert found == expected
