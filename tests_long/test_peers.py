"""Other packages that do the same choose the same; `make test-long` installs them."""

import numpy as np

from hsieve import N3LARS
from reproduction import peer
from reproduction.tests.test_n3lars_table2 import make_classes


def test_pyhsiclasso_agrees_with_n3lars():
    X, y = make_classes()
    X = np.delete(X, 5, axis=1)
    ours = N3LARS(8, target_kind="classes").fit(X, y).selected_indices_
    assert peer.select(X, y, 8, classes=True).tolist() == ours.tolist()
