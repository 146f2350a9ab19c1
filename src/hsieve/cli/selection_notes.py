"""A word of warning where chosen features tell no more by themselves than chance would."""

from typing import TYPE_CHECKING

from hsieve.cli.makers import MethodRequest

if TYPE_CHECKING:
    from hsieve.data.blocks import ColumnTable
    from hsieve.data.tables import Table
    from hsieve.selectors.base import BaseSelector

__all__ = ["nothing_shows"]

# Chosen features that are tested, the best ones.
N_TESTED = 20
SIGNIFICANT = 0.05


def nothing_shows(
    table: "Table | ColumnTable", selector: "BaseSelector", request: MethodRequest
) -> list[str]:
    """Test the chosen features one by one, if the method judges them so.

    A list is always as long as was asked for, whether or not the data have anything to tell; and
    features that matter only together look like noise to a method that takes them one by one.

    Parameters
    ----------
    table : Table or ColumnTable
        Features and target.
    selector : BaseSelector
        The fitted selector.
    request : MethodRequest
        What was wanted.

    Returns
    -------
    list of str
        A sentence, or nothing where there is nothing to warn of.
    """
    import numpy as np

    from hsieve.data.blocks import as_blocks
    from hsieve.inference.hsic_tests import MIN_GAMMA_SAMPLES, least_p_value
    from hsieve.report.method_words import ALONE, words_for

    chosen = selector.selected_indices_[:N_TESTED]
    if len(table.y) < MIN_GAMMA_SAMPLES or not len(chosen) or words_for(selector).sees != ALONE:
        return []
    # Columns that an engine works on stay where they are, and what is adjusted for is not tested.
    if request.engine is not None or request.covariates:
        return []
    try:
        p_value = least_p_value(
            as_blocks(table.X).read(chosen),
            table.y,
            len(table.feature_names),
            categorical=np.flatnonzero(np.isin(chosen, request.categorical)).tolist(),
            target_kind=request.target_kind,
        )
    except ValueError:  # such a target cannot be tested, say a class of a single sample
        return []
    if p_value <= SIGNIFICANT:
        return []
    return [
        f"no chosen feature tells more about {table.target_name} by itself than chance would among "
        f"{len(table.feature_names)} features (least p-value, adjusted for their number: "
        f"{p_value:.2g}); if features may matter only together, try --method auto or bahsic"
    ]
