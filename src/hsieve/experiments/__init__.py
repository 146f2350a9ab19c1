"""Published experiments, run again and held to the published figures.

To add one, write a module with an :class:`~hsieve.experiments.base.Experiment` and list it here.
"""

from collections.abc import Mapping
from types import MappingProxyType

from hsieve.experiments import (
    bahsic_table4,
    bahsic_tables12,
    l1lsmi_table4,
    l1lsmi_table7,
    n3lars_table2,
    thesis_blackbox,
    thesis_cleavage,
    thesis_synthetic,
)
from hsieve.experiments.base import Comparison, Experiment, Figure, Piece, Record, Settings

__all__ = ["EXPERIMENTS", "Comparison", "Experiment", "Figure", "Piece", "Record", "Settings"]

EXPERIMENTS: Mapping[str, Experiment] = MappingProxyType(
    {
        experiment.name: experiment
        for experiment in (
            bahsic_tables12.EXPERIMENT,
            bahsic_table4.EXPERIMENT,
            n3lars_table2.EXPERIMENT,
            l1lsmi_table4.EXPERIMENT,
            l1lsmi_table7.EXPERIMENT,
            thesis_synthetic.EXPERIMENT,
            thesis_blackbox.EXPERIMENT,
            thesis_cleavage.EXPERIMENT,
        )
    }
)
